// What a plan leaves an account to send, reckoned from what it has used. Months are those of the calendar in UTC.
import {
  type Filling,
  type Policy,
  refilled,
  type Verdict,
  verdict,
  wholeTokens,
  without,
} from '../../platform/http/limits/rate-limit.ts';
import type { AppliedPlan, Plan } from './plans.ts';

/** What was used, as it is stored. */
export type Use = { month: Date; messages: number; bucket: Filling };

/** What may be sent now under a plan. What is taken of it makes another. */
export type SendRoom = Use & { plan: AppliedPlan };

export const limitsSending = ({ monthlyMessages, sendsPerSecond }: Plan): boolean =>
  monthlyMessages !== null || sendsPerSecond !== null;

export const monthOf = (now: Date): Date => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth()));
export const monthAfter = (month: Date): Date =>
  new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1));

/** A second's sends can be made at once, and then as many a second. */
export const policyOf = (sendsPerSecond: number): Policy => ({
  name: 'sends',
  perSecond: sendsPerSecond,
  burst: sendsPerSecond,
});

export function roomOf(plan: AppliedPlan, used: Use | undefined, now: Date): SendRoom {
  const month = monthOf(now);
  // A month that has begun by another's clock counts too: the clocks of several processes differ a little.
  const counted = used !== undefined && used.month >= month ? used : { month, messages: 0 };
  const { sendsPerSecond } = plan;
  const bucket =
    sendsPerSecond === null
      ? { tokens: 0, atMs: now.getTime() }
      : refilled(policyOf(sendsPerSecond), used?.bucket, now.getTime());
  return { plan, month: counted.month, messages: counted.messages, bucket };
}

export const afterSends = (room: SendRoom, count: number): SendRoom => ({
  ...room,
  messages: room.messages + count,
  bucket: room.plan.sendsPerSecond === null ? room.bucket : without(room.bucket, count),
});

/** The same for those who send at whatever pace the plan allows, and so meet its quota only. */
export const atItsPace = (room: SendRoom): SendRoom => ({
  ...room,
  plan: { ...room.plan, sendsPerSecond: null },
});

/** How many more fit into the month; without a limit, as many as one likes. */
export const quotaLeft = ({ plan: { monthlyMessages }, messages }: SendRoom): number =>
  monthlyMessages === null ? Number.POSITIVE_INFINITY : Math.max(0, monthlyMessages - messages);

/** How many more may be sent at this moment by the rate alone. */
export const sendsNow = ({ plan: { sendsPerSecond }, bucket }: SendRoom): number =>
  sendsPerSecond === null ? Number.POSITIVE_INFINITY : wholeTokens(bucket);

/** True from the message on with which four fifths of the month are used. */
export const isNearlyUsed = ({ plan: { monthlyMessages }, messages }: SendRoom): boolean =>
  monthlyMessages !== null && messages * 5 >= monthlyMessages * 4;

/** What the rate says to one more. */
export function rateVerdict(room: SendRoom): { policy: Policy; verdict: Verdict } {
  const policy = policyOf(room.plan.sendsPerSecond!);
  return { policy, verdict: verdict(sendsNow(room) >= 1, room.bucket.tokens, policy) };
}
