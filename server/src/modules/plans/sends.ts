// What an account sends under a plan that limits it. Whoever sends reads what was used under the wallet's lock, and writes down what it
// took in the same transaction: what is used never exceeds what is allowed, however many send at once.
import {
  type Asked,
  type MergedQueries,
  needsOwnTransaction,
  type TenantTx,
} from '../../platform/db/database.ts';
import { accountsOf } from '../../platform/db/merge.ts';
import { sql } from '../../platform/db/query.ts';
import { emit } from '../../platform/events.ts';
import type { Standing } from '../accounts/index.ts';
import { planEvents } from './events.ts';
import {
  afterSends,
  isNearlyUsed,
  limitsSending,
  monthAfter,
  monthOf,
  quotaLeft,
  rateVerdict,
  roomOf,
  type SendRoom,
  sendsNow,
  type Use,
} from './limits.ts';
import { type AppliedPlan, planOf } from './plans.ts';
import { toldPlan } from './told.ts';

/** The plan by which the sends of an account are limited; null where nothing limits them, and then nothing more is asked. */
export async function limitingPlan(t: TenantTx, standing?: Promise<Standing>): Promise<AppliedPlan | null> {
  const plan = await planOf(t, standing);
  return plan && limitsSending(plan) ? plan : null;
}

/** What may be sent now, for whoever only asks. */
export async function readRoom(t: TenantTx, plan: AppliedPlan): Promise<SendRoom> {
  const { countedWith } = plan;
  const rows = await t.merged(findUses, [countedWith ?? t.accountSid]);
  return roomOf(plan, toUse(rows[0]), t.now);
}

/**
 * The same for those who send, and it stays so until the transaction ends. Asked for once the wallet is locked, as all who send lock it:
 * for an account that is counted by itself that is enough. What several accounts are counted in is locked too, by one account at a time.
 */
export async function lockRoom(t: TenantTx, plan: AppliedPlan): Promise<SendRoom> {
  const { countedWith } = plan;
  if (countedWith === null) return readRoom(t, plan);
  needsOwnTransaction(t);
  const [, row] = await Promise.all([
    t.run(sql`
      insert into plan_uses (account_sid, livemode, month, messages, tokens, refilled_at)
      values (${countedWith}, ${t.livemode}, ${monthOf(t.now)}, 0, 1e15, ${new Date(0)}) on conflict do nothing`),
    t.maybe<Omit<UseRow, 'accountSid'>>(sql`
      select ${useColumns} from plan_uses where account_sid = ${countedWith} and livemode = ${t.livemode} for no key update`),
  ]);
  return roomOf(plan, toUse(row), t.now);
}

type UseRow = { accountSid: string; month: string; messages: number; tokens: number; refilledAt: string };

const toUse = (row: Omit<UseRow, 'accountSid'> | undefined): Use | undefined =>
  row && {
    month: new Date(row.month),
    messages: row.messages,
    bucket: { tokens: row.tokens, atMs: new Date(row.refilledAt).getTime() },
  };

const useColumns = sql`month, messages::float8 as messages, tokens, refilled_at as "refilledAt"`;

/** Each asks for the row it is counted in. */
const findUses = (q: MergedQueries, asked: readonly Asked<string>[]) =>
  q.many<UseRow>(sql`
    select asked.account_sid as "accountSid", used.* from unnest(${accountsOf(asked)}::text[],
        ${asked.map(({ item }) => item)}::text[]) as asked (account_sid, counted_with)
     cross join lateral (
       select ${useColumns} from plan_uses u
        where u.account_sid = asked.counted_with and u.livemode = ${q.livemode} limit 1) as used`);

/** Writes down that so many were sent of what the room held, and tells when little or nothing is left of the month. */
export async function countSends(t: TenantTx, room: SendRoom, count: number): Promise<void> {
  if (count === 0) return;
  const after = afterSends(room, count);
  await t.merged(storeUses, [after]);
  if (quotaLeft(after) === 0) emit(t, planEvents.quota_used, toldPlan(t, after.plan, after));
  else if (isNearlyUsed(after) && !isNearlyUsed(room))
    emit(t, planEvents.quota_nearly_used, toldPlan(t, after.plan, after));
}

const storeUses = async (q: MergedQueries, asked: readonly Asked<SendRoom>[]) => {
  const rooms = asked.map(({ item }) => item);
  await q.run(sql`
    insert into plan_uses (account_sid, livemode, month, messages, tokens, refilled_at)
    select account_sid, ${q.livemode}, month, messages, tokens, refilled_at
      from unnest(${asked.map(({ accountSid, item }) => item.plan.countedWith ?? accountSid)}::text[], ${rooms.map(({ month }) => month.toISOString())}::timestamptz[],
        ${rooms.map(({ messages }) => messages)}::bigint[], ${rooms.map(({ bucket }) => bucket.tokens)}::float8[],
        ${rooms.map(({ bucket }) => new Date(bucket.atMs).toISOString())}::timestamptz[])
        as used (account_sid, month, messages, tokens, refilled_at)
     order by account_sid
    on conflict (account_sid, livemode) do update set month = excluded.month, messages = excluded.messages,
      tokens = excluded.tokens, refilled_at = excluded.refilled_at`);
  return [];
};

/**
 * How many messages the plan lets through at this moment, and from when on more, for those who would rather wait than be refused.
 * Without a limit as many as one likes.
 */
export async function sendRoom(t: TenantTx): Promise<{ now: number; until: Date | null }> {
  const plan = await limitingPlan(t);
  if (plan === null) return { now: Number.POSITIVE_INFINITY, until: null };
  const room = await readRoom(t, plan);
  if (quotaLeft(room) === 0) return { now: 0, until: monthAfter(room.month) };
  const now = Math.min(quotaLeft(room), sendsNow(room));
  if (now > 0) return { now, until: null };
  return { now, until: new Date(t.now.getTime() + rateVerdict(room).verdict.resetSeconds * 1_000) };
}
