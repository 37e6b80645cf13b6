// Requests that arrived together in one transaction: keys, work and answers of all of them commit together, and each has
// its own end. A batch is of one account, or of several of one environment.

import { type Entrant, OwnTransactionNeeded, type TenantTx } from '../../db/database.ts';
import { isConnectionLoss, StaleCredential } from '../../db/failures.ts';
import { ApiError } from '../../errors/errors.ts';
import { announcementOf } from '../../events.ts';
import { systemPrincipal } from '../../principal.ts';
import { lookUpKey, type Run, replayed, toAnswer } from './answers.ts';
import type { Outcome } from './gather-accounts.ts';
import { keepAnswer, type StoredAnswer, takeKeys } from './idempotency.ts';
import { Answer, type Operation } from './operation.ts';
import type { Serving } from './serving.ts';

type Ends = Outcome<StoredAnswer>[];
/** The runs of one account stand together. An `own` batch has those of one only, and waits for whatever they need. */
type Batch = { operation: Operation; serving: Serving; runs: Run[]; own: boolean };

/**
 * A batch that fails as a whole is taken apart, first by account and then by request, so that a bad member never fails its
 * neighbours.
 */
export async function runTogether(batch: Batch): Promise<Ends> {
  try {
    return await runBatch(batch);
  } catch (error) {
    const { runs, own } = batch;
    if (isConnectionLoss(error)) return afterLoss(batch.serving, runs, error);
    if (runs.length === 1) return [{ error }];
    if (!own) return runs.map(needingOwnBatch);
    const ends: Ends = [];
    for (const run of runs) ends.push(...(await runTogether({ ...batch, runs: [run] })));
    return ends;
  }
}

const needingOwnBatch = () => ({ needsOwnBatch: true as const });

/** Each looks whether the lost commit happened; once the database cannot be asked, nobody else waits to hear the same. */
export async function afterLoss(serving: Serving, runs: Run[], error: unknown): Promise<Ends> {
  const ends: Ends = [];
  let reachable = true;
  for (const run of runs) {
    const state = run.keyed && reachable ? await lookUpKey(serving, run, run.keyed) : null;
    if (run.keyed && !state) reachable = false;
    ends.push(state && 'replay' in state ? { result: replayed(run, state.replay) } : { error });
  }
  return ends;
}

async function runBatch({ operation, serving, runs, own }: Batch): Promise<Ends> {
  const byAccount = Map.groupBy(runs, ({ tenant }) => tenant.accountSid);
  const { tenant, requestContext } = runs.at(-1)!;
  const principal = systemPrincipal('batch', tenant.livemode);
  const entrants: Entrant[] = [...byAccount.values()].map((ofAccount) => {
    const last = ofAccount.at(-1)!;
    // One time for all, as for the rows they write together.
    return {
      tenant: last.tenant,
      requestContext: { ...last.requestContext, now: requestContext.now, principal },
    };
  });
  const work = (t: TenantTx) => runOfAccount(t, operation, serving, byAccount.get(t.accountSid)!);
  const options = { keepsPlans: true, usesKeptFacts: true };
  if (own) return serving.database.write(tenant, entrants[0]!.requestContext, work, options);
  const ends = await serving.database.writeTogether(entrants, work, options);
  return [...byAccount.values()].flatMap((ofAccount, at) => {
    const end = ends[at]!;
    return end instanceof OwnTransactionNeeded ? ofAccount.map(needingOwnBatch) : end;
  });
}

async function runOfAccount(t: TenantTx, operation: Operation, serving: Serving, runs: Run[]): Promise<Ends> {
  const keyed = runs.filter(({ keyed }) => keyed);
  const states = await takeKeys(
    t,
    keyed.map((run) => run.keyed!),
  );
  const stateOf = new Map(keyed.map((run, at) => [run, states[at]!]));
  const isStale = await staleness(t);
  const fresh = runs.filter((run) => !isStale(run) && 'fresh' in (stateOf.get(run) ?? { fresh: true }));
  const members = fresh.map(({ input, requestContext: { principal, requestId } }) => {
    return { input, principal, requestId };
  });
  const results = members.length > 0 ? await operation.together!(t, members) : [];
  const resultOf = new Map(fresh.map((run, at) => [run, results[at]]));
  return runs.map((run) => {
    const state = stateOf.get(run);
    if (isStale(run)) return { error: new StaleCredential() };
    if (state instanceof ApiError) return { error: state };
    if (state && 'replay' in state) return { result: replayed(run, state.replay) };
    const result = resultOf.get(run);
    if (result instanceof ApiError) return { error: result };
    const told = announcementOf(result instanceof Answer ? result.body : result);
    const answer = toAnswer(operation, serving, result, told?.text);
    if (run.keyed) keepAnswer(t, run.keyed, answer, told?.eventSid);
    return { result: answer };
  });
}

/** Tells who is known by a credential that was changed since. */
async function staleness({ kept, accountSid }: TenantTx): Promise<(run: Run) => boolean> {
  const now = (await kept!.versions).get(accountSid)?.credentials;
  return ({ asOf }) => asOf !== undefined && asOf !== now;
}
