// Plans as the operator makes them, and the one an account has. They rarely change, so that every process keeps them all.
import type { Queries, SystemTx, TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { declareFact, factOf } from '../../platform/kept-facts.ts';
import { accountStanding, planNameOf, type Standing } from '../accounts/index.ts';

export type Plan = {
  name: string;
  /** Null is without a limit, of each of them. */
  monthlyMessages: number | null;
  sendsPerSecond: number | null;
  requestsPerSecond: number | null;
  /** Null for every feature. */
  features: string[] | null;
};

/** The plan of an account, and with whose use of it its own is counted: null for its own alone. */
export type AppliedPlan = Plan & { countedWith: string | null };

const columns = sql`name, monthly_messages::float8 as "monthlyMessages", sends_per_second as "sendsPerSecond",
  requests_per_second as "requestsPerSecond", features`;

export const listPlans = (q: Queries): Promise<Plan[]> =>
  q.many<Plan>(sql`select ${columns} from plans order by name`);

const plansFact = declareFact<null, Plan[]>({
  name: 'plans',
  of: 'everybody',
  key: () => '',
  load: async (t) => [await listPlans(t)],
});

/** The plan of the account; null for none. Asks nothing for an account that has none. */
export async function planOf(
  t: TenantTx,
  standing: Promise<Standing> = accountStanding(t),
): Promise<AppliedPlan | null> {
  const { plan: name, countedWith } = await standing;
  if (name === null) return null;
  const plans = (await factOf(t, plansFact)) ?? [];
  const plan = plans.find((one) => one.name === name);
  return plan ? { ...plan, countedWith } : null;
}

/** How often a key of the account may ask, where its plan says. */
export async function requestsPerSecondOf(q: Queries, accountSid: string): Promise<number | null> {
  const name = await planNameOf(q, accountSid);
  if (name === null) return null;
  const plan = await q.maybe<{ requestsPerSecond: number | null }>(sql`
    select requests_per_second as "requestsPerSecond" from plans where name = ${name}`);
  return plan?.requestsPerSecond ?? null;
}

/** Makes a plan, or changes what it says for every account that has it, from now on. */
export async function definePlan(s: SystemTx, now: Date, plan: Plan): Promise<void> {
  const { name, monthlyMessages, sendsPerSecond, requestsPerSecond, features } = plan;
  await s.run(sql`
    insert into plans (name, monthly_messages, sends_per_second, requests_per_second, features, created_at, updated_at)
    values (${name}, ${monthlyMessages}, ${sendsPerSecond}, ${requestsPerSecond}, ${features}, ${now}, ${now})
    on conflict (name) do update set monthly_messages = excluded.monthly_messages,
      sends_per_second = excluded.sends_per_second, requests_per_second = excluded.requests_per_second,
      features = excluded.features, updated_at = excluded.updated_at`);
}

export const planExists = async (q: Queries, name: string): Promise<boolean> =>
  (await q.maybe(sql`select from plans where name = ${name}`)) !== undefined;
