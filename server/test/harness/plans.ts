// Plans in tests, made and given as the operator does it.
import { randomUUID } from 'node:crypto';
import { changePlan, givePlan } from '../../src/main/commands/plans/plans.ts';
import type { Plan } from '../../src/modules/plans/index.ts';
import type { TestApp } from './app.ts';

type Limits = Partial<Omit<Plan, 'name'>>;
type Place = Pick<TestApp, 'database' | 'clock' | 'log' | 'accountSid'>;

/** Gives the account a plan of its own, which can be changed. */
export async function onPlan({ database, clock, log, accountSid }: Place, limits: Limits) {
  const context = { database, clock, log };
  const name = `p-${randomUUID().slice(0, 13)}`;
  const change = (changed: Limits) => changePlan(context, name, changed);
  const give = (plan: string | null) =>
    givePlan(context, { account: accountSid, plan, reason: 'For a test' });
  await change(limits);
  await give(name);
  return { name, change, takeAway: () => give(null), giveBack: () => give(name) };
}
