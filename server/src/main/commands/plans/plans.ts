// What the operator does with plans from the command line.
import {
  type AccountPlan,
  definePlan,
  features as knownFeatures,
  listPlans,
  type Plan,
  planExists,
  setPlan,
} from '../../../modules/plans/index.ts';
import { ConfigError } from '../../../platform/config.ts';
import { asOperator, type CommandContext } from '../../process/keys.ts';

export const plansOf = ({ database }: CommandContext): Promise<Plan[]> => database.system(listPlans);

/** What is not given stays as it is; of a new plan it is without a limit. */
export async function changePlan(
  { database, clock }: CommandContext,
  name: string,
  given: Partial<Omit<Plan, 'name'>>,
): Promise<Plan> {
  const unknown = (given.features ?? []).find((one) => !(knownFeatures as readonly string[]).includes(one));
  if (unknown !== undefined)
    throw new ConfigError(`There is no feature ${unknown}: a plan can name ${knownFeatures.join(', ')}.`);
  return database.system(async (s) => {
    const known = (await listPlans(s)).find((plan) => plan.name === name);
    const plan = { ...(known ?? unlimited), ...given, name };
    await definePlan(s, clock.now(), plan);
    return plan;
  });
}

const unlimited = { monthlyMessages: null, sendsPerSecond: null, requestsPerSecond: null, features: null };

export async function givePlan(
  context: CommandContext,
  { account, plan, reason }: { account: string; plan: string | null; reason: string },
): Promise<AccountPlan> {
  const { database } = context;
  if (plan !== null && !(await database.system((s) => planExists(s, plan))))
    throw new ConfigError(`There is no plan ${plan}: "godwit plans list" shows those there are.`);
  return database.write({ accountSid: account, livemode: true }, asOperator(context, true), (t) =>
    setPlan(t, plan, reason),
  );
}

export function describePlan({ name, ...plan }: Plan): string {
  const shown = (count: number | null, what: string) => `${count ?? 'any number of'} ${what}`;
  const limits = [
    shown(plan.monthlyMessages, 'messages a month'),
    shown(plan.sendsPerSecond, 'sends a second'),
    shown(plan.requestsPerSecond, 'requests a second of a key'),
    plan.features === null ? 'every feature' : `features: ${plan.features.join(', ') || 'none'}`,
  ];
  return `${name}  ${limits.join(', ')}`;
}
