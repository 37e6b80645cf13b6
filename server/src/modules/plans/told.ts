// The plan of an account as the wire and the events tell it.
import type { Tenant } from '../../platform/db/database.ts';
import { monthAfter, quotaLeft, type SendRoom, sendsNow } from './limits.ts';
import type { Plan } from './plans.ts';
import type { AccountPlan } from './schema.ts';

const finite = (count: number): number | null => (Number.isFinite(count) ? count : null);

type Used = Pick<SendRoom, 'month'> & Partial<SendRoom>;

/** `used` is the room of a plan that limits sending, and otherwise the month alone. */
export function toldPlan({ accountSid, livemode }: Tenant, plan: Plan | null, used: Used): AccountPlan {
  const { month } = used;
  const room = used.bucket === undefined ? null : (used as SendRoom);
  return {
    object: 'account_plan',
    accountSid,
    livemode,
    name: plan?.name ?? null,
    limits: {
      monthlyMessages: plan?.monthlyMessages ?? null,
      sendsPerSecond: plan?.sendsPerSecond ?? null,
      requestsPerSecond: plan?.requestsPerSecond ?? null,
    },
    features: plan?.features ? [...plan.features] : null,
    use: {
      monthStartsAt: month.toISOString(),
      monthEndsAt: monthAfter(month).toISOString(),
      messages: room?.messages ?? null,
      messagesLeft: room && finite(quotaLeft(room)),
      sendsNow: room && finite(sendsNow(room)),
    },
  };
}
