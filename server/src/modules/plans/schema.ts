import { type Static, Type } from 'typebox';
import { DateTime, NamedObject, Nullable, Sid } from '../../platform/http/input/schema.ts';
import { sampleOwner } from '../../platform/samples.ts';

const Count = Type.Integer({ minimum: 0 });

export const AccountPlan = NamedObject('AccountPlan', {
  object: Type.Literal('account_plan'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  /** What the operator calls it; null for an account without a plan, which has no limits. */
  name: Nullable(Type.String()),
  limits: NamedObject('PlanLimits', {
    monthlyMessages: Nullable(Count),
    sendsPerSecond: Nullable(Count),
    requestsPerSecond: Nullable(Count),
  }),
  /** Null for every feature. */
  features: Nullable(Type.Array(Type.String())),
  use: NamedObject('PlanUse', {
    /** The month that counts now, from its first instant in UTC. */
    monthStartsAt: DateTime,
    monthEndsAt: DateTime,
    /** Null where the plan limits no sending: nothing is counted then. */
    messages: Nullable(Count),
    messagesLeft: Nullable(Count),
    sendsNow: Nullable(Count),
  }),
});
export type AccountPlan = Static<typeof AccountPlan>;

export const accountPlanSample: AccountPlan = {
  object: 'account_plan',
  ...sampleOwner,
  name: 'growth',
  limits: { monthlyMessages: 100_000, sendsPerSecond: 50, requestsPerSecond: 100 },
  features: null,
  use: {
    monthStartsAt: '2026-08-01T00:00:00.000Z',
    monthEndsAt: '2026-09-01T00:00:00.000Z',
    messages: 12_500,
    messagesLeft: 87_500,
    sendsNow: 50,
  },
};
