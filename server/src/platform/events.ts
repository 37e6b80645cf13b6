// The event log. Events are gathered during a transaction and written with it, under the head's row lock, so that an
// account's sequence has no gap and its order is the order of commit.
import type { Flush, TenantTx } from './db/database.ts';
import { sql } from './db/query.ts';
import { newSid } from './ids.ts';

export const apiVersion = '2026-08-21';

type NewEvent = {
  sid: string;
  type: string;
  data: object;
  resourceSid: string | null;
  occurredAt: Date;
  /** What is written of `data`, once somebody has asked for it. */
  text: string | null;
};

const textOf = (event: NewEvent): string => {
  event.text ??= JSON.stringify(event.data);
  return event.text;
};

const separator = '\u001e';

const eventLog: Flush<NewEvent> = {
  name: 'events',
  write(t, items) {
    const sids = items.map(({ sid }) => sid);
    const types = items.map(({ type }) => type);
    const resources = items.map(({ resourceSid }) => resourceSid);
    const occurredAt = items.map((item) => item.occurredAt);
    // One text instead of an array of texts, whose every quote would be escaped: JSON has no control characters in it.
    const data = items.map(textOf).join(separator);
    return [
      sql`
        with head as (
          insert into event_heads as h (account_sid, livemode, sequence)
          values (${t.accountSid}, ${t.livemode}, ${items.length})
          on conflict (account_sid, livemode) do update set sequence = h.sequence + excluded.sequence
          returning sequence - ${items.length}::bigint as taken)
        insert into events (account_sid, livemode, sequence, sid, type, api_version, resource_sid,
          occurred_at, created_at, data)
        select ${t.accountSid}, ${t.livemode}, head.taken + item.position, item.sid, item.type, ${apiVersion},
          item.resource_sid, item.occurred_at, ${t.now}, item.data::json
        from head, unnest(${sids}::text[], ${types}::text[], ${resources}::text[], ${occurredAt}::timestamptz[],
          string_to_array(${data}, ${separator}))
          with ordinality as item (sid, type, resource_sid, occurred_at, data, position)`,
    ];
  },
};

const announced = new WeakMap<object, NewEvent>();

/**
 * Announces a change: `data` is the full resource as it is after the event. What somebody outside told happened when they
 * say, but never after we heard of it: their clock may be ahead of ours, or wrong.
 */
export function emit(t: TenantTx, type: string, data: object, toldAt: Date = t.now): void {
  const { sid, id } = data as { sid?: string; id?: string };
  const occurredAt = toldAt < t.now ? toldAt : t.now;
  const resourceSid = sid ?? id ?? null;
  const event = { sid: newSid('EV', t.now), type, data, resourceSid, occurredAt, text: null };
  announced.set(data, event);
  t.atCommit(eventLog, event);
}

/** The event that announces this very object, and the text it is told in: who answers with it need not write it again. */
export function announcementOf(data: unknown): { eventSid: string; text: string } | null {
  const event = typeof data === 'object' && data !== null ? announced.get(data) : undefined;
  return event ? { eventSid: event.sid, text: textOf(event) } : null;
}

export type LoggedEvent = { sid: string; type: string; createdAt: string; data: unknown };

/** What happened to one resource, in order. */
export function eventsOf(t: TenantTx, resourceSid: string): Promise<LoggedEvent[]> {
  return t.many<LoggedEvent>(sql`
    select sid, type, created_at as "createdAt", data from events
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and resource_sid = ${resourceSid}
     order by sequence`);
}
