// How far each consumer has come in the events of an account. The number is moved in the transaction that handles the events, by
// whoever holds the lock of its row, so that neither a crash nor two workers can miss an event or handle it twice.
import type { Tenant, TenantTx } from '../db/database.ts';
import { type Sql, sql } from '../db/query.ts';

/** The events above `after`, up to and with `to`; all of them are committed. */
export type EventRange = { after: string; to: string };

/** How many events are handled at once; half as many after each failure, so that one bad event keeps few others back. */
const batch = 1_000;
/** Doubled with each failure up to the longest. */
const firstRetryMs = 100;
const longestRetryMs = 60_000;
/** More failures than this change nothing: the batch is one event, the rest the longest. */
const mostDoublings = 10;

const head = (t: TenantTx) => sql`
  coalesce((select sequence from event_heads where account_sid = ${t.accountSid} and livemode = ${t.livemode}), 0)`;

const own = (t: TenantTx, consumer: string) => sql`
  account_sid = ${t.accountSid} and livemode = ${t.livemode} and consumer = ${consumer}`;

/**
 * From now on the consumer hears of the events of this account: of all above the number this tells. Until the transaction ends it
 * hears of none, so that what is stored with this (a subscription) is there when the first of them is handled.
 */
export async function hearEvents(t: TenantTx, consumer: string): Promise<string> {
  // Locks the row, or makes it where somebody who ends the listening takes it away meanwhile.
  await t.run(sql`
    insert into event_cursors as c (account_sid, livemode, consumer, sequence)
    values (${t.accountSid}, ${t.livemode}, ${consumer}, ${head(t)})
    on conflict (account_sid, livemode, consumer) do update set sequence = c.sequence`);
  const { after } = await t.one<{ after: string }>(sql`
    select greatest(sequence, ${head(t)}) as after from event_cursors where ${own(t, consumer)}`);
  return after;
}

/** Younger than any event that is removed from the log: a log that begins with such an event is whole, and stays so. */
const surelyKeptMs = 30 * 24 * 60 * 60 * 1000;

/**
 * Begins to hear of an account, where the consumer does not yet: from its first event on. Tells false where that may be gone from the
 * log, and the consumer hears from here on; null where it hears already.
 */
export async function hearFromFirst(t: TenantTx, consumer: string): Promise<boolean | null> {
  const youngest = new Date(t.now.getTime() - surelyKeptMs);
  const begun = await t.maybe<{ whole: boolean }>(sql`
    insert into event_cursors (account_sid, livemode, consumer, sequence)
    select ${t.accountSid}, ${t.livemode}, ${consumer}, case when exists (
      select from events
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sequence = 1 and created_at > ${youngest})
      then 0 else ${head(t)} end
    on conflict (account_sid, livemode, consumer) do nothing
    returning sequence = 0 as whole`);
  return begun ? begun.whole : null;
}

/** The consumer hears of nothing more here, also not of what it has not heard yet. */
export async function hearNoEvents(t: TenantTx, consumer: string): Promise<void> {
  await t.run(sql`delete from event_cursors where ${own(t, consumer)}`);
}

/** The last event that every consumer of the account has heard; null where none listens. */
export const heardByAll = (t: TenantTx): Sql => sql`
  (select min(sequence) from event_cursors where account_sid = ${t.accountSid} and livemode = ${t.livemode})`;

/**
 * The next events a consumer has to handle, which are its caller's until the transaction ends, and whether there are more after
 * them; null while there are none, or somebody else has them.
 */
export async function claimEvents(
  t: TenantTx,
  consumer: string,
): Promise<{ range: EventRange; more: boolean } | null> {
  // The head moves in the transaction that writes the events, under its lock: all up to it can be seen.
  const claimed = await t.maybe<{ after: string; head: string; size: number }>(sql`
    select c.sequence as after, h.sequence as head,
      greatest(1, ${batch}::integer >> least(c.failures, ${mostDoublings}::integer)) as size
      from event_cursors c join event_heads h on h.account_sid = c.account_sid and h.livemode = c.livemode
     where c.account_sid = ${t.accountSid} and c.livemode = ${t.livemode} and c.consumer = ${consumer}
       and h.sequence > c.sequence and (c.retry_at is null or c.retry_at <= ${t.now})
       for update of c skip locked`);
  if (!claimed) return null;
  const { after, head, size } = claimed;
  const last = BigInt(after) + BigInt(size);
  const more = BigInt(head) > last;
  return { range: { after, to: more ? String(last) : head }, more };
}

export type HeardEvent = {
  sequence: string;
  sid: string;
  type: string;
  resourceSid: string | null;
  occurredAt: string;
  data: unknown;
};

/** The events of a range that are of these types, in order: for consumers that look at their data. */
export const eventsIn = (t: TenantTx, { after, to }: EventRange, types: readonly string[]) =>
  t.many<HeardEvent>(sql`
    select sequence, sid, type, resource_sid as "resourceSid", occurred_at as "occurredAt", data from events
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sequence > ${after} and sequence <= ${to}
       and type = any (${types}::text[])
     order by sequence`);

/** What the events of a range that are of these types are about, each once: for consumers that look at how it stands now. */
export async function resourcesIn(
  t: TenantTx,
  { after, to }: EventRange,
  types: readonly string[],
): Promise<string[]> {
  const rows = await t.many<{ sid: string }>(sql`
    select distinct resource_sid as sid from events
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sequence > ${after} and sequence <= ${to}
       and type = any (${types}::text[]) and resource_sid is not null`);
  return rows.map(({ sid }) => sid);
}

/** Whether something happened to a resource that the consumer has not heard of yet, as a condition in a statement. */
export const isUnheard = (t: TenantTx, consumer: string, sid: Sql): Sql => sql`
  exists (
    select from events e
     where e.account_sid = ${t.accountSid} and e.livemode = ${t.livemode} and e.resource_sid = ${sid}
       and e.sequence > coalesce((select sequence from event_cursors where ${own(t, consumer)}), 0))`;

/** The number of the last event of the account. */
export async function eventHead(t: TenantTx): Promise<string> {
  const { sequence } = await t.one<{ sequence: string }>(sql`select ${head(t)} as sequence`);
  return sequence;
}

/** One event, while it is kept. */
export const eventBySid = (t: TenantTx, sid: string) =>
  t.maybe<HeardEvent>(sql`
    select sequence, sid, type, resource_sid as "resourceSid", occurred_at as "occurredAt", data from events
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid}`);

/** Those up to `to` are handled. */
export const moveCursor = (t: TenantTx, consumer: string, { to }: EventRange) =>
  t.run(sql`
    update event_cursors set sequence = ${to}, failures = 0, retry_at = null where ${own(t, consumer)}`);

/** Nothing failed, and yet no event is handled before this instant. */
export const restUntil = (t: TenantTx, consumer: string, at: Date) =>
  t.run(sql`update event_cursors set retry_at = ${at} where ${own(t, consumer)}`);

/** The next events could not be handled: they are tried again later, fewer at once. */
export const putOff = (t: TenantTx, consumer: string) =>
  t.maybe<{ after: string; failures: number; retryAt: string }>(sql`
    update event_cursors
       set failures = failures + 1,
           retry_at = ${t.now}::timestamptz + interval '1 millisecond'
             * least(${firstRetryMs}::integer * 2 ^ least(failures, ${mostDoublings}::integer), ${longestRetryMs}::integer)
     where ${own(t, consumer)}
    returning sequence as after, failures, retry_at as "retryAt"`);

/** A consumer, as far as it matters in which accounts it is behind. */
export type Hearing = {
  name: string;
  /** It hears of every account, also of those in which it has not begun. */
  everywhere?: boolean | undefined;
};

const isBehind = ({ name, everywhere }: Hearing) => sql`
  event_heads h ${everywhere ? sql`left join` : sql`join`} event_cursors c
    on c.account_sid = h.account_sid and c.livemode = h.livemode and c.consumer = ${name}
  where h.sequence > coalesce(c.sequence, 0)`;

/** Accounts in which there is something to handle, in their order, beginning after the one named. */
export const accountsBehind = (
  hearing: Hearing,
  asked: { now: Date; after: Tenant | null; most: number },
) => sql`
  select h.account_sid as "accountSid", h.livemode from ${isBehind(hearing)}
     and (c.retry_at is null or c.retry_at <= ${asked.now})
     and (h.account_sid, h.livemode) > (${asked.after?.accountSid ?? ''}, ${asked.after?.livemode ?? false})
   order by h.account_sid, h.livemode limit ${asked.most}`;

/** When there is something to handle: at once where somebody is behind, or when what failed is tried again or a rest is over. */
export const nextDueOf = (hearing: Hearing) =>
  sql`(select min(coalesce(c.retry_at, '-infinity')) from ${isBehind(hearing)})`;

export type Lag = { consumer: string; events: number; seconds: number; failing: number };

/** How far the consumers are behind, taken together over all accounts; the seconds are those of the oldest event. */
export const lags = (now: Date) => sql`
  select c.consumer, sum(h.sequence - c.sequence)::double precision as events,
    coalesce(greatest(extract(epoch from ${now}::timestamptz - min(ev.created_at)), 0), 0)::double precision as seconds,
    count(*) filter (where c.failures > 0)::integer as failing
    from event_cursors c
    join event_heads h on h.account_sid = c.account_sid and h.livemode = c.livemode and h.sequence > c.sequence
    left join events ev on ev.account_sid = c.account_sid and ev.livemode = c.livemode and ev.sequence = c.sequence + 1
   group by c.consumer`;
