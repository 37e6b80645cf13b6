// ApplyContext changes to those who handle them: all of a tenant's in one transaction, which also remembers each of them. The
// provider may repeat a change, and a process may die between the commit and the moment the callback is struck off: the
// effects come once.
import type { Database, TenantTx } from '../../platform/db/database.ts';
import { databaseFailure, isConnectionLoss } from '../../platform/db/failures.ts';
import { sql } from '../../platform/db/query.ts';
import { sha256 } from '../../platform/hashing.ts';
import type { Log } from '../../platform/observability/logging.ts';
import { systemPrincipal } from '../../platform/principal.ts';
import type { ChangeKind, ReadChange } from './changes.ts';
import type { CallbackHandlers, OptOuts, Route } from './hooks.ts';

export type RoutedChange = { callbackId: string; route: Route; change: ReadChange };

/** `passing` failures are the database's and not the change's: they say nothing against it. */
export type ChangeFailure = { routed: RoutedChange; error: unknown; passing: boolean };
export type Applied = { applied: RoutedChange[]; repeated: RoutedChange[]; failed: ChangeFailure[] };

type ApplyContext = { database: Database; handlers: CallbackHandlers; optOuts: OptOuts; now: Date; log: Log };

/** Changes of one tenant. Where they fail together they are taken apart until the bad ones stand alone. */
export async function applyChanges(context: ApplyContext, changes: RoutedChange[]): Promise<Applied> {
  try {
    return await applyTogether(context, changes);
  } catch (error) {
    const passing = databaseFailure(error) !== null;
    if (changes.length === 1 || isConnectionLoss(error)) {
      const failed = changes.map((routed) => ({ routed, error, passing }));
      return { applied: [], repeated: [], failed };
    }
    const middle = Math.ceil(changes.length / 2);
    const first = await applyChanges(context, changes.slice(0, middle));
    const second = await applyChanges(context, changes.slice(middle));
    return {
      applied: [...first.applied, ...second.applied],
      repeated: [...first.repeated, ...second.repeated],
      failed: [...first.failed, ...second.failed],
    };
  }
}

function applyTogether(
  { database, handlers, optOuts, now, log }: ApplyContext,
  changes: RoutedChange[],
): Promise<Applied> {
  const { accountSid, livemode } = changes[0]!.route;
  const principal = systemPrincipal('provider', livemode);
  const requestContext = { principal, now, requestId: 'provider-callbacks', log };
  const work = async (t: TenantTx): Promise<Applied> => {
    if (changes.some(({ change }) => optOuts.includes(change))) await optOuts.hold(t);
    const fresh = await remember(t, changes);
    for (const kind of kindsInOrder) await handOver(t, handlers, kind, fresh);
    const known = new Set(fresh);
    return { applied: fresh, repeated: changes.filter((change) => !known.has(change)), failed: [] };
  };
  return database.write({ accountSid, livemode }, requestContext, work, {
    answersNobody: true,
    keepsPlans: true,
  });
}

// People before their messages, messages before what became of others.
const kindsInOrder: ChangeKind[] = [
  'accountUpdates',
  'phoneNumberUpdates',
  'templateUpdates',
  'flowUpdates',
  'userIdUpdates',
  'inbound',
  'statuses',
  'userPreferences',
];

async function handOver(
  t: TenantTx,
  handlers: CallbackHandlers,
  kind: ChangeKind,
  fresh: RoutedChange[],
): Promise<void> {
  const items = fresh
    .filter(({ change }) => change.kind === kind)
    .map(({ change, route: { senderSid, wabaSid } }) => ({ ...change.item, senderSid, wabaSid }));
  if (items.length > 0) await handlers[kind]?.(t, items as never);
}

/**
 * Those nobody has seen, in their order. Callbacks of one tenant follow one another, whichever process works on them: two
 * that wait for each other's rows would both have to begin again.
 */
async function remember(t: TenantTx, changes: RoutedChange[]): Promise<RoutedChange[]> {
  const lock = `provider-callbacks ${t.accountSid} ${t.livemode}`;
  const keys = changes.map(({ change }) => sha256(change.key).subarray(0, 16));
  const times = changes.map(({ change }) => (change.occurredAt ?? new Date(0)).toISOString());
  const [, rows] = await Promise.all([
    t.run(sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`),
    t.many<{ key: string; at: string }>(sql`
      insert into provider_changes (account_sid, livemode, happened_at, key, seen_at)
      select ${t.accountSid}, ${t.livemode}, item.happened_at, decode(item.key, 'hex'), ${t.now}
        from unnest(${times}::timestamptz[], ${keys.map((key) => key.toString('hex'))}::text[])
          as item (happened_at, key)
      on conflict do nothing
      returning encode(key, 'hex') as key, happened_at as at`),
  ]);
  const fresh = new Set(rows.map(({ key, at }) => `${key} ${at}`));
  // The same change twice in one callback is one change: the first takes the row.
  return changes.filter((_, i) => fresh.delete(`${keys[i]!.toString('hex')} ${times[i]}`));
}
