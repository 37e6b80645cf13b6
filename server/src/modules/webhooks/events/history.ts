// How far back events, their deliveries and attempts are kept. They go together and oldest first, so that one number says where
// the history begins: before it nothing is known, from it on everything is.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { lockName, lockNumber } from '../../../platform/db/tenant-lock.ts';
import { invalid } from '../../../platform/errors/errors.ts';
import { heardByAll } from '../../../platform/event-consumers/cursors.ts';

/**
 * Longer than a message can be on its way: 35 days ahead of its hand-off, and 31 until the provider's silence ends it. An account may
 * keep what was said for a shorter time, and its history then ends with that.
 */
export const keptForMs = 90 * 24 * 60 * 60 * 1000;

/** The number of the oldest event that is kept. */
export async function historyStart(t: TenantTx): Promise<number> {
  const row = await t.maybe<{ sequence: string }>(sql`
    select sequence from event_log_starts where account_sid = ${t.accountSid} and livemode = ${t.livemode}`);
  return Number(row?.sequence ?? 1);
}

/** Whoever asks for more than is kept is told so, and where the history begins, instead of getting the rest for the whole. */
export async function refuseForgotten(t: TenantTx, path: string, sequence: number): Promise<number> {
  const start = await historyStart(t);
  if (sequence < start && start > 1)
    throw invalid({ path, issue: `is before ${start}, where the kept history begins` });
  return start;
}

const historyLock = (t: TenantTx) => lockNumber(lockName(t, 'event history'));

/** Keeps the history as it is until the transaction ends, for those who are about to deliver some of it again. */
export async function lockHistory(t: TenantTx): Promise<void> {
  await t.run(sql`select pg_advisory_xact_lock_shared(${historyLock(t)})`);
}

const batch = 1_000;

/**
 * Removes the oldest events that are too old, at most 1,000, with their deliveries and attempts. It ends before the first that is
 * young, not heard by every consumer yet, or still to be delivered: that one is not lost, and the history begins with it. Tells whether
 * there may be more.
 */
export async function trimHistory(t: TenantTx, before = new Date(0)): Promise<boolean> {
  const tooOld = new Date(Math.max(before.getTime(), t.now.getTime() - keptForMs));
  const { free } = await t.one<{ free: boolean }>(
    sql`select pg_try_advisory_xact_lock(${historyLock(t)}) as free`,
  );
  if (!free) return false;
  const start = await historyStart(t);
  const end = await trimmableTo(t, start, tooOld);
  if (end <= start) return false;
  const deliveries = await t.many<{ sid: string }>(sql`
    delete from webhook_deliveries d using webhook_endpoints e
     where ${ofSpan(t, start, end)}
    returning d.sid`);
  const sids = deliveries.map(({ sid }) => sid);
  await Promise.all([
    t.run(sql`
      delete from webhook_attempts where account_sid = ${t.accountSid} and delivery_sid = any (${sids}::text[])`),
    t.run(sql`
      delete from webhook_undelivered where account_sid = ${t.accountSid} and delivery_sid = any (${sids}::text[])`),
    t.run(sql`
      delete from events
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sequence >= ${start} and sequence < ${end}`),
    t.run(sql`
      insert into event_log_starts (account_sid, livemode, sequence, updated_at)
      values (${t.accountSid}, ${t.livemode}, ${end}, ${t.now})
      on conflict (account_sid, livemode) do update set sequence = excluded.sequence, updated_at = excluded.updated_at`),
  ]);
  return end - start === batch;
}

/** Deliveries `d` of events of a span, by endpoint `e`, since that is how they are found. */
const ofSpan = (t: TenantTx, start: number, end: number) => sql`
  e.account_sid = ${t.accountSid} and e.livemode = ${t.livemode} and d.account_sid = e.account_sid
    and d.endpoint_sid = e.sid and d.event_sequence >= ${start} and d.event_sequence < ${end}`;

async function trimmableTo(t: TenantTx, start: number, tooOld: Date): Promise<number> {
  const farthest = start + batch;
  const own = sql`account_sid = ${t.accountSid} and livemode = ${t.livemode}`;
  const { end } = await t.one<{ end: string }>(sql`
    select least(${farthest}::bigint,
      coalesce((select sequence + 1 from event_heads where ${own}), 1),
      ${heardByAll(t)} + 1,
      (select min(sequence) from events
        where ${own} and sequence >= ${start} and sequence < ${farthest}
          and created_at > ${tooOld}),
      (select min(d.event_sequence)
         from webhook_endpoints e, webhook_deliveries d
         join webhook_undelivered u on u.account_sid = d.account_sid and u.delivery_sid = d.sid
        where ${ofSpan(t, start, farthest)} and u.due_at is not null)) as end`);
  return Number(end);
}
