// From stored callbacks to their effects. A turn locks a number of them for its own transaction, reads them, finds out
// whose they are, applies what they tell tenant by tenant in transactions of their own, and strikes off what is done. The
// locks end with the process that holds them, so another takes over at once.

import type { SystemTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import type { LoopContext } from '../../platform/jobs/claim-loop.ts';
import { errorTypeOf } from '../../platform/observability/tracing.ts';
import { type Applied, applyChanges, type RoutedChange } from './apply-changes.ts';
import { callbackMetrics } from './callback-metrics.ts';
import type { Address, ReadChange } from './changes.ts';
import type { CallbackHooks, CallbackRoutes, Route } from './hooks.ts';

/** Callbacks in which somebody asks to be left alone are worked on beside the others, and wait for none of them. */
export type CallbackLane = 'opt-outs' | 'others';

// Opt-outs count from the commit of their turn, so turns with them are short.
const mostCallbacks: Record<CallbackLane, number> = { 'opt-outs': 20, others: 500 };
// What one transaction applies. Those of a tenant follow one another, and an opt-out waits for the one under way.
const mostTogether = 200;
const mostBytes = 8 * 1024 * 1024;
// Tenants side by side: more would only wait for the same disk, and leave too few connections to requests.
const tenantsAtOnce = 4;

declare module '../../platform/observability/tracing.ts' {
  interface SpanAttributes {
    'godwit.callbacks'?: number;
    'godwit.changes'?: number;
    'godwit.changes_failed'?: number;
  }
}

type Callback = { id: string; livemode: boolean; receivedAt: string; attempts: number; body: Buffer };
/** What stands in the way of a callback being done: nothing is what most have. */
type Trouble = { kept: Set<string>; failed: { error: string; passing: boolean } | null };

/** One turn; tells whether there may be more to do at once. */
export async function workOnCallbacks(
  context: LoopContext,
  hooks: CallbackHooks,
  lane: CallbackLane = 'others',
): Promise<boolean> {
  return context.database.system(async (s) => {
    const startedMs = performance.now();
    const now = context.now();
    const { callbacks, more } = await claim(s, now, lane);
    if (callbacks.length === 0) return false;
    const span = context.tracing.start('provider callbacks', 'consumer', { startedMs });
    const claimed = { 'godwit.callbacks': callbacks.length };
    try {
      const counts = await workOn(s, context, hooks, now, callbacks);
      span?.end({ ...claimed, ...counts });
    } catch (error) {
      span?.end(claimed, errorTypeOf(error));
      throw error;
    }
    observeLag(context, callbacks, lane);
    // Whoever asked to be left alone meanwhile does not wait for a rest.
    return more || lane === 'opt-outs';
  });
}

async function workOn(
  s: SystemTx,
  context: LoopContext,
  hooks: CallbackHooks,
  now: Date,
  callbacks: Callback[],
) {
  const troubles = new Map<string, Trouble>(
    callbacks.map(({ id }) => [id, { kept: new Set(), failed: null }]),
  );
  const changes = await readAll(s, context, hooks, callbacks, troubles);
  const results = await applyAll(context, hooks, now, changes);
  for (const result of results) note(context, result, troubles);
  await settle(s, now, callbacks, troubles);
  const failed = results.reduce((sum, result) => sum + result.failed.length, 0);
  return { 'godwit.changes': changes.length, 'godwit.changes_failed': failed };
}

function observeLag({ metrics, now }: LoopContext, callbacks: Callback[], lane: CallbackLane): void {
  const { lagSeconds } = callbackMetrics(metrics);
  const nowMs = now().getTime();
  for (const { receivedAt } of callbacks)
    lagSeconds.observe({ lane }, (nowMs - Date.parse(receivedAt)) / 1000);
}

const waitsIn = (lane: CallbackLane) =>
  lane === 'opt-outs' ? sql`state = 'due' and urgent` : sql`state = 'due' and not urgent`;

/** When the next callback of a lane is due. */
export const nextCallback = (lane: CallbackLane) =>
  sql`(select min(due_at) from provider_callback_work where ${waitsIn(lane)})`;

async function claim(
  s: SystemTx,
  now: Date,
  lane: CallbackLane,
): Promise<{ callbacks: Callback[]; more: boolean }> {
  const most = mostCallbacks[lane];
  const claimed = await s.many<{ id: string; bytes: number }>(sql`
    select id, bytes from provider_callback_work
     where ${waitsIn(lane)} and due_at <= ${now} order by due_at, id limit ${most}
       for update skip locked`);
  let bytes = 0;
  // The first is taken whatever its size.
  const taken = claimed.filter((row, i) => {
    bytes += row.bytes;
    return i === 0 || bytes <= mostBytes;
  });
  if (taken.length === 0) return { callbacks: [], more: false };
  const callbacks = await s.many<Callback>(sql`
    select id, c.livemode, c.received_at as "receivedAt", w.attempts, c.body
      from provider_callback_work w join provider_callbacks c using (id)
     where id = any (${taken.map(({ id }) => id)}::bigint[]) order by id`);
  return { callbacks, more: claimed.length === most || taken.length < claimed.length };
}

/** Everything that is understood, belongs to somebody and is handled; the rest is noted with its callback. */
async function readAll(
  s: SystemTx,
  context: LoopContext,
  { handlers, routes }: CallbackHooks,
  callbacks: Callback[],
  troubles: Map<string, Trouble>,
): Promise<RoutedChange[]> {
  const metrics = callbackMetrics(context.metrics);
  const find = router(s, routes);
  const routed: RoutedChange[] = [];
  for (const { id, livemode, body, receivedAt } of callbacks) {
    const keep = (kind: string, outcome: 'unknown' | 'unrouted' | 'unhandled', what: string) => {
      metrics.changes.inc({ kind, outcome });
      troubles.get(id)!.kept.add(`${outcome}: ${what}`);
    };
    const read = context.ports.providerCallbacks.read(body, new Date(receivedAt));
    for (const what of read?.unknown ?? ['not a callback']) keep('unknown', 'unknown', what);
    for (const change of read?.changes ?? []) {
      const route = await find(change.address, livemode);
      if (!route) keep(change.kind, 'unrouted', describe(change));
      else if (!handlers[change.kind]) keep(change.kind, 'unhandled', change.kind);
      else routed.push({ callbackId: id, route, change });
    }
  }
  return routed;
}

const describe = ({ kind, address }: ReadChange) =>
  `${kind} for ${'wabaId' in address ? `account ${address.wabaId}` : `number ${address.phoneNumberId}`}`;

/** Looks each address up once a turn, and never remembers longer: numbers move between accounts. */
function router(s: SystemTx, routes: CallbackRoutes) {
  const known = new Map<string, Promise<Route | null>>();
  return (address: Address, livemode: boolean): Promise<Route | null> => {
    const key = `${livemode} ${'wabaId' in address ? `waba ${address.wabaId}` : address.phoneNumberId}`;
    const found = known.get(key) ?? look(s, routes, address, livemode);
    known.set(key, found);
    return found;
  };
}

async function look(
  s: SystemTx,
  routes: CallbackRoutes,
  address: Address,
  livemode: boolean,
): Promise<Route | null> {
  const found =
    'wabaId' in address
      ? await routes.byWabaId(s, address.wabaId, livemode)
      : await routes.byPhoneNumberId(s, address.phoneNumberId, livemode);
  if (!found) return null;
  const { accountSid, senderSid = null, wabaSid = null } = found;
  return { accountSid, livemode, senderSid, wabaSid };
}

async function applyAll(
  { database, log }: LoopContext,
  { handlers, optOuts }: CallbackHooks,
  now: Date,
  changes: RoutedChange[],
): Promise<Applied[]> {
  const byTenant = Map.groupBy(changes, ({ route }) => `${route.accountSid} ${route.livemode}`);
  const waiting = [...byTenant.values()];
  const results: Applied[] = [];
  const one = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      for (let from = 0; from < next.length; from += mostTogether) {
        const together = next.slice(from, from + mostTogether);
        results.push(await applyChanges({ database, handlers, optOuts, now, log }, together));
      }
    }
  };
  await Promise.all(Array.from({ length: tenantsAtOnce }, one));
  return results;
}

function note({ metrics, log }: LoopContext, result: Applied, troubles: Map<string, Trouble>): void {
  const { changes } = callbackMetrics(metrics);
  for (const { change } of result.applied) changes.inc({ kind: change.kind, outcome: 'applied' });
  for (const { change } of result.repeated) changes.inc({ kind: change.kind, outcome: 'repeated' });
  for (const { routed, error, passing } of result.failed) {
    const { callbackId, change } = routed;
    changes.inc({ kind: change.kind, outcome: 'failed' });
    log.warn({ err: error, callback: callbackId, kind: change.kind }, 'a change could not be applied');
    const trouble = troubles.get(callbackId)!;
    const text = `${change.kind}: ${error instanceof Error ? error.message : String(error)}`;
    // A change that is bad by itself counts more than a database that was busy.
    if (!trouble.failed || trouble.failed.passing) trouble.failed = { error: text, passing };
  }
}

const mostAttempts = 5;
const waitsMs = [1_000, 5_000, 30_000, 120_000, 600_000];
const maxNote = 2_000;

/** Strikes off what is done; the rest waits, is kept or is parked, with the reason. */
async function settle(
  s: SystemTx,
  now: Date,
  callbacks: Callback[],
  troubles: Map<string, Trouble>,
): Promise<void> {
  const done: string[] = [];
  const left: { id: string; state: string; attempts: number; dueAt: string; note: string }[] = [];
  for (const { id, attempts } of callbacks) {
    const { kept, failed } = troubles.get(id)!;
    if (!failed && kept.size === 0) {
      done.push(id);
      continue;
    }
    const tried = Math.min(attempts + 1, 1_000);
    const state = !failed ? 'kept' : tried >= mostAttempts && !failed.passing ? 'parked' : 'due';
    const waitMs = waitsMs[Math.min(tried, waitsMs.length) - 1]!;
    const text = [...(failed ? [failed.error] : []), ...kept].join('\n').slice(0, maxNote);
    left.push({
      id,
      state,
      attempts: tried,
      dueAt: new Date(now.getTime() + waitMs).toISOString(),
      note: storable(text),
    });
  }
  if (done.length > 0)
    await s.run(sql`delete from provider_callback_work where id = any (${done}::bigint[])`);
  if (left.length > 0)
    await s.run(sql`
      update provider_callback_work w set state = item.state, attempts = item.attempts, due_at = item.due_at,
        note = item.note
        from unnest(${left.map(({ id }) => id)}::bigint[], ${left.map(({ state }) => state)}::text[],
          ${left.map(({ attempts }) => attempts)}::smallint[], ${left.map(({ dueAt }) => dueAt)}::timestamptz[],
          ${left.map(({ note: text }) => text)}::text[]) as item (id, state, attempts, due_at, note)
       where w.id = item.id`);
}

/** PostgreSQL keeps neither NUL nor half a character, and a message may hold either. */
const storable = (text: string) => text.replaceAll('\0', '').toWellFormed();
