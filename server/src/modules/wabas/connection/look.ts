// The hourly look at a connection: whether its token is taken and its events come. It marks what it sees and mends nothing: a
// connection that is in use is never ended by a look.
import type { TenantTx } from '../../../platform/db/database.ts';
import { emit } from '../../../platform/events.ts';
import type { TenantJobContext } from '../../../platform/jobs/jobs.ts';
import { connectionStateOf, noteSeen, type Seen } from '../connection-states.ts';
import { wabaEvents } from '../events.ts';
import type { WabaHooks } from '../hooks.ts';
import { tellOfConnection } from '../notifications.ts';
import type { Reached } from '../read-waba.ts';
import { getWaba } from '../resource.ts';
import { requireWaba } from '../wabas.ts';
import { appIdIn, reachesUs, readSubscription } from './subscriptions.ts';

export async function lookAtSubscription(
  context: TenantJobContext,
  hooks: WabaHooks,
  wabaSid: string,
  reached: Reached,
): Promise<void> {
  const { site, livemode } = await context.read(async (t) => ({ site: t.site, livemode: t.livemode }));
  const asking = { ports: context.ports, appId: appIdIn(site, livemode) };
  const found = await readSubscription(asking, reached);
  const missing = found.subscription === 'SUBSCRIBED' && !reachesUs(found);
  const subscription = missing ? 'MISSING' : found.subscription;
  await context.write((t) => markSeen(t, hooks, wabaSid, { token: 'VALID', subscription }));
}

/** What was expected all along is no news when it is seen for the first time. */
const isFirstAndGood = (before: Seen, after: Seen): boolean =>
  (before.token === after.token || (before.token === 'UNKNOWN' && after.token === 'VALID')) &&
  (before.subscription === after.subscription ||
    (before.subscription === 'UNKNOWN' && after.subscription === 'SUBSCRIBED'));

/** Tells whoever watches the account, and people where it became worse. What left meanwhile is not marked. */
export async function markSeen(
  t: TenantTx,
  hooks: WabaHooks,
  wabaSid: string,
  seen: Partial<Seen>,
): Promise<void> {
  if ((await requireWaba(t, wabaSid)).connectionState !== 'CONNECTED') return;
  const before = await connectionStateOf(t, wabaSid);
  if (!(await noteSeen(t, wabaSid, seen))) return;
  const waba = await getWaba(t, hooks, wabaSid);
  if (!isFirstAndGood(before, waba.connection)) emit(t, wabaEvents.updated, waba);
  tellOfConnection(t, wabaSid, before, waba.connection);
}
