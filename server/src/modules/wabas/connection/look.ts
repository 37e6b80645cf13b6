// The look at a connection, right after it was made and every hour: whether its token is taken and its events come. It marks what it
// sees, and mends only what we may have broken ourselves: a connection that is in use is never ended by a look.
import type { TenantTx } from '../../../platform/db/database.ts';
import { emit } from '../../../platform/events.ts';
import { defineJob, type TenantJobContext } from '../../../platform/jobs/jobs.ts';
import { answerOf } from '../../provider/index.ts';
import { connectionStateOf, noteSeen, type Seen, unsubscribedSince } from '../connection-states.ts';
import { wabaEvents } from '../events.ts';
import type { WabaHooks } from '../hooks.ts';
import { tellOfConnection } from '../notifications.ts';
import { type Reached, reach, readFacts, wabaReading } from '../read-waba.ts';
import { getWaba } from '../resource.ts';
import { requireWaba } from '../wabas.ts';
import { appIdIn, type FoundSubscription, reachesUs, readSubscription } from './subscriptions.ts';

/** What the account may send, and whether its events come: asked for when it is connected, and when that may have changed. */
export const readWabaWith = (hooks: WabaHooks) =>
  defineJob({
    ...wabaReading,
    async run(context, { wabaSid }) {
      const reached = await context.read((t) => reach(t, wabaSid));
      if (!reached) return;
      await readFacts(context, hooks, wabaSid, reached);
      await lookAtSubscription(context, hooks, wabaSid, reached);
    },
  });

export async function lookAtSubscription(
  context: TenantJobContext,
  hooks: WabaHooks,
  wabaSid: string,
  reached: Reached,
): Promise<void> {
  const { appId, mayBeOurs } = await context.read(async (t) => ({
    appId: appIdIn(t.site, t.livemode),
    mayBeOurs: await unsubscribedSince(t, wabaSid, new Date(t.now.getTime() - lateMs)),
  }));
  const asking = { ports: context.ports, appId };
  const seen = await readSubscription(asking, reached);
  const found = appId !== null && mayBeOurs && !reachesUs(seen) ? await subscribeAnew(asking, reached) : seen;
  const missing = found.subscription === 'SUBSCRIBED' && !reachesUs(found);
  const subscription = missing ? 'MISSING' : found.subscription;
  await context.write((t) => markSeen(t, hooks, wabaSid, { token: 'VALID', subscription }));
}

/** How long a request to send nothing more may be on its way to the provider, or be told there from one machine to the next. */
const lateMs = 24 * 60 * 60_000;

/** What we ourselves asked to end before the account was connected again ended afterwards. */
async function subscribeAnew(
  asking: Parameters<typeof readSubscription>[0],
  reached: Reached,
): Promise<FoundSubscription> {
  answerOf(await asking.ports.provider.subscribe(reached.connection, reached.wabaId));
  return readSubscription(asking, reached);
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
