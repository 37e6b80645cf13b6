// What the service tells, kept by the name of the event: however often it is told, it is one.
import type { Database } from '../../../platform/db/database.ts';
import { databaseFailure } from '../../../platform/db/failures.ts';
import { sql } from '../../../platform/db/query.ts';
import { gatherer, type Outcome } from '../../../platform/http/operations/gathering.ts';
import type { PaymentEvent } from '../ports.ts';

export const callbackChannel = 'payment-callbacks';

export type ReceivedEvent = {
  event: PaymentEvent;
  livemode: boolean;
  receivedAt: Date;
  /** It was found in the service's list of events; no webhook told of it. */
  listed: boolean;
};

const mostTogether = 512;

/** Stores an event; those that arrive while others are being stored share the next statement. True for one that was not known. */
export function eventStore(database: Database): (received: ReceivedEvent) => Promise<boolean> {
  const storeTogether = async (received: ReceivedEvent[]): Promise<Outcome<boolean>[]> => {
    try {
      const stored = await storeEvents(database, received);
      return received.map(({ event, livemode }) => ({ result: stored.delete(keyOf(livemode, event.id)) }));
    } catch (error) {
      // One that cannot be stored keeps none of the others back.
      if (received.length === 1 || databaseFailure(error)) return received.map(() => ({ error }));
      const ends: Outcome<boolean>[] = [];
      for (const one of received) ends.push(...(await storeTogether([one])));
      return ends;
    }
  };
  const gather = gatherer<ReceivedEvent, boolean>({ most: mostTogether }, (_lane, received) =>
    storeTogether(received),
  );
  return (received) => gather('events', received);
}

/** Tells which were not known. */
export async function storeEvents(database: Database, received: ReceivedEvent[]): Promise<Set<string>> {
  if (received.length === 0) return new Set();
  const stored = await database.ask<{ livemode: boolean; id: string }>(insertion(received));
  if (stored.length > 0) database.tell(callbackChannel);
  return new Set(stored.map(({ livemode, id }) => keyOf(livemode, id)));
}

const keyOf = (livemode: boolean, eventId: string) => `${livemode} ${eventId}`;

function insertion(received: ReceivedEvent[]) {
  const events = received.map(({ event }) => event);
  return sql`
    insert into payment_callbacks (livemode, event_id, type, object_id, payment_id, account_sid, intent_id, happened_at,
      received_at, listed, state, due_at)
    select e.livemode, e.id, e.type, e.object_id, e.payment_id, e.account_sid, e.intent_id, e.happened_at, e.received_at,
      e.listed, 'due', '-infinity'
      from unnest(${received.map(({ livemode }) => livemode)}::boolean[], ${events.map(({ id }) => id)}::text[],
        ${events.map(({ type }) => type)}::text[], ${events.map(({ objectId }) => objectId)}::text[],
        ${events.map(({ paymentId }) => paymentId)}::text[], ${events.map(({ accountSid }) => accountSid)}::text[],
        ${events.map(({ intentId }) => intentId)}::uuid[], ${events.map(({ happenedAt }) => happenedAt)}::timestamptz[],
        ${received.map(({ receivedAt }) => receivedAt)}::timestamptz[], ${received.map(({ listed }) => listed)}::boolean[])
        as e (livemode, id, type, object_id, payment_id, account_sid, intent_id, happened_at, received_at, listed)
    on conflict (livemode, event_id) do nothing
    returning livemode, event_id as id`;
}
