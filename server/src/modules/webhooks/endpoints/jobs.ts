import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { Closed, Sid } from '../../../platform/http/input/schema.ts';
import { defineJob, untilDone } from '../../../platform/jobs/jobs.ts';
import { requestEvents } from '../requests/events.ts';
import { handAnswers, unsent } from '../requests/requests.ts';

const slice = 5_000;

/**
 * What still waited for an endpoint that is disabled ends as failed, in slices, for there may be a million. Whoever waits for its answer
 * is told.
 */
export const closeDeliveries = defineJob({
  name: 'webhooks.close-deliveries',
  payload: Closed({ endpointSid: Sid('WH') }),
  attempts: untilDone,
  async run({ write, signal }, { endpointSid }) {
    for (let closed = slice; closed === slice; ) {
      // A worker that stops leaves the rest to its successor, by failing: a job that ends is not run again.
      signal.throwIfAborted();
      closed = await write((t) => closeSome(t, endpointSid));
    }
  },
});

async function closeSome(t: TenantTx, endpointSid: string): Promise<number> {
  const closed = await t.many<{ deliverySid: string; key: string | null }>(sql`
    update webhook_undelivered u set due_at = null, gave_up = 'disabled'
     where account_sid = ${t.accountSid} and delivery_sid in (
       select delivery_sid from webhook_undelivered
        where account_sid = ${t.accountSid} and endpoint_sid = ${endpointSid} and due_at is not null
        limit ${slice})
    returning delivery_sid as "deliverySid", (
      select d.resource_sid from webhook_deliveries d
       where d.account_sid = u.account_sid and d.sid = u.delivery_sid
         and d.event_type = ${requestEvents.made.name}) as key`);
  await handAnswers(
    t,
    closed.flatMap(({ deliverySid, key }) =>
      key === null ? [] : [unsent({ key, endpointSid, deliverySid }, 'disabled')],
    ),
  );
  return closed.length;
}

/** Once mailed the owners of a suspended endpoint, which is a notification now. What an older process queued ends quietly. */
export const tellOwners = defineJob({
  name: 'webhooks.tell-owners',
  payload: Closed({ endpointSid: Sid('WH') }),
  attempts: 1,
  async run() {},
});
