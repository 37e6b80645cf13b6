// What operators see of plans: how many accounts have each, and how many have used up their month.
import { Gauge } from 'prom-client';
import { sql } from '../../platform/db/query.ts';
import type { Observing } from '../../platform/module.ts';
import { askedOnce } from '../../platform/observability/metrics.ts';
import { accountsByPlan } from '../accounts/index.ts';
import { monthOf } from './limits.ts';
import { listPlans } from './plans.ts';

export function observePlans({ registry, database, now }: Observing): void {
  const ask = askedOnce(() =>
    database.system(async (s) => {
      const [plans, counted] = await Promise.all([listPlans(s), accountsByPlan(s)]);
      const accountsOf = new Map(counted.map(({ plan, accounts }) => [plan, accounts]));
      return plans.map(({ name }) => ({ name, accounts: accountsOf.get(name) ?? 0 }));
    }),
  );
  const askUsed = askedOnce(() =>
    database.system((s) =>
      s.many<{ messages: number }>(sql`
        select coalesce(sum(messages), 0)::float8 as messages from plan_uses
         where livemode and month >= ${monthOf(now())}`),
    ),
  );
  new Gauge({
    name: 'godwit_plan_accounts',
    help: 'Accounts that have a plan, by its name',
    labelNames: ['plan'],
    registers: [registry],
    async collect() {
      this.reset();
      for (const { name, accounts } of (await ask()) ?? []) this.set({ plan: name }, accounts);
    },
  });
  new Gauge({
    name: 'godwit_plan_messages_counted',
    help: 'Live messages of this month that were counted against a plan',
    registers: [registry],
    async collect() {
      const [found] = (await askUsed()) ?? [];
      this.set(found?.messages ?? 0);
    },
  });
}
