// What the service tells, kept by the name of the event: however often it is told, it is one.
import type { Database, SystemTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import type { PaymentEvent } from '../ports.ts';

export const callbackChannel = 'payment-callbacks';

type Received = { livemode: boolean; receivedAt: Date; listed: boolean };

/** True for those that were not known. */
export async function storeEvents(
  database: Database,
  events: PaymentEvent[],
  { livemode, receivedAt, listed }: Received,
): Promise<number> {
  if (events.length === 0) return 0;
  const stored = await database.system((s) => insert(s, events, { livemode, receivedAt, listed }));
  if (stored > 0) database.tell(callbackChannel);
  return stored;
}

const insert = (s: SystemTx, events: PaymentEvent[], { livemode, receivedAt, listed }: Received) =>
  s.run(sql`
    insert into payment_callbacks (livemode, event_id, type, object_id, payment_id, account_sid, intent_id, happened_at,
      received_at, listed, state, due_at)
    select ${livemode}, e.id, e.type, e.object_id, e.payment_id, e.account_sid, e.intent_id, e.happened_at, ${receivedAt},
      ${listed}, 'due', '-infinity'
      from unnest(${events.map(({ id }) => id)}::text[], ${events.map(({ type }) => type)}::text[],
        ${events.map(({ objectId }) => objectId)}::text[], ${events.map(({ paymentId }) => paymentId)}::text[],
        ${events.map(({ accountSid }) => accountSid)}::text[], ${events.map(({ intentId }) => intentId)}::uuid[],
        ${events.map(({ happenedAt }) => happenedAt)}::timestamptz[])
        as e (id, type, object_id, payment_id, account_sid, intent_id, happened_at)
    on conflict (livemode, event_id) do nothing`);
