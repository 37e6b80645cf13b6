// The plan an account has: shown with what was used of it, and given by the operator.
import type { TenantTx } from '../../platform/db/database.ts';
import { emit } from '../../platform/events.ts';
import { changePlan } from '../accounts/index.ts';
import { audit } from '../audit/index.ts';
import { planEvents } from './events.ts';
import { limitsSending, monthOf } from './limits.ts';
import { planOf } from './plans.ts';
import type { AccountPlan } from './schema.ts';
import { readRoom } from './sends.ts';
import { toldPlan } from './told.ts';

export async function getAccountPlan(t: TenantTx): Promise<AccountPlan> {
  const plan = await planOf(t);
  const used = plan && limitsSending(plan) ? await readRoom(t, plan) : { month: monthOf(t.now) };
  return toldPlan(t, plan, used);
}

/** Gives the account a plan, or takes away the one it has. What it has used this month stays used. */
export async function setPlan(t: TenantTx, plan: string | null, reason: string): Promise<AccountPlan> {
  const former = await changePlan(t, plan);
  const told = await getAccountPlan(t);
  if (former === plan) return told;
  audit(t, { action: 'plan.changed', resource: t.accountSid, facts: { former, plan, reason } });
  emit(t, planEvents.changed, told);
  return told;
}
