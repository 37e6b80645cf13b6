import type { Store } from '../../platform/belongings.ts';
import { sql } from '../../platform/db/query.ts';
import { eraseEvents, eventSids } from '../../platform/events.ts';

export const webhookBelongings: Store[] = [
  { name: 'events', forget: async (t, resources) => ({ rows: await eraseEvents(t, resources) }) },
  {
    name: 'webhook_attempts',
    async forget(t, resources) {
      const named = eventSids(resources);
      const themselves = named.length > 0 ? sql`or d.event_sid = any (${named}::text[])` : sql``;
      const rows = await t.run(sql`
        update webhook_attempts a set answer = null, reason = null
          from webhook_deliveries d
         where d.account_sid = ${t.accountSid} and d.livemode = ${t.livemode}
           and (d.resource_sid = any (${[...resources]}::text[]) ${themselves})
           and a.account_sid = d.account_sid and a.delivery_sid = d.sid and coalesce(a.answer, a.reason) is not null`);
      return { rows };
    },
  },
];
