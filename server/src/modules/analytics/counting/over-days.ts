// One day after another, each in a transaction of its own: however long an account has been there, none takes longer than a day does.
import { dayMs, dayOf } from '../../../platform/clock.ts';
import type { Database, RequestContext, Tenant, TenantTx } from '../../../platform/db/database.ts';
import { nextDay, rebuildDay } from './rebuild.ts';
import { type Difference, verifyDay } from './verify.ts';

type Asking = () => RequestContext;

/** Every difference between the numbers and the messages, by day: of one, or of all there are. */
export async function* verifyDays(
  database: Database,
  tenant: Tenant,
  asking: Asking,
  only?: string,
): AsyncGenerator<{ day: string; differences: Difference[] }> {
  const verify = (day: string) =>
    database.write(tenant, asking(), (t) => verifyDay(t, day), { readsOnly: true });
  for await (const day of daysOf(database, tenant, asking, only))
    yield { day, differences: await verify(day) };
}

/** Counts anew, and tells each day once it is done. */
export async function* rebuildDays(
  database: Database,
  tenant: Tenant,
  asking: Asking,
  only?: string,
): AsyncGenerator<string> {
  for await (const day of daysOf(database, tenant, asking, only)) {
    await database.write(tenant, asking(), (t) => rebuildDay(t, day));
    yield day;
  }
}

async function* daysOf(
  database: Database,
  tenant: Tenant,
  asking: Asking,
  only: string | undefined,
): AsyncGenerator<string> {
  if (only !== undefined) return yield only;
  const next = (after: string | null) => database.read(tenant, asking(), (t: TenantTx) => nextDay(t, after));
  for (let day = await next(null); day !== null; day = await next(dayOf(Date.parse(day) + dayMs))) yield day;
}
