// Requests of one account in one transaction: keys, work and answers of all of them commit together, and each has its
// own end.

import type { TenantTx } from '../../db/database.ts';
import { isConnectionLoss, StaleCredential } from '../../db/failures.ts';
import { ApiError } from '../../errors/errors.ts';
import { announcementOf } from '../../events.ts';
import { systemPrincipal } from '../../principal.ts';
import { lookUpKey, type Run, replayed, toAnswer } from './answers.ts';
import type { Outcome } from './gathering.ts';
import { keepAnswer, type StoredAnswer, takeKeys } from './idempotency.ts';
import { Answer, type Operation } from './operation.ts';
import type { Serving } from './serving.ts';

/** A batch that fails as a whole is taken apart, so that a bad member never fails its neighbours. */
export async function runTogether(
  operation: Operation,
  serving: Serving,
  runs: Run[],
): Promise<Outcome<StoredAnswer>[]> {
  try {
    return await runBatch(operation, serving, runs);
  } catch (error) {
    if (isConnectionLoss(error)) return afterLoss(serving, runs, error);
    if (runs.length === 1) return [{ error }];
    const ends: Outcome<StoredAnswer>[] = [];
    for (const run of runs)
      ends.push(await orError(runBatch(operation, serving, [run]).then(([outcome]) => unwrap(outcome!))));
    return ends;
  }
}

/** Each looks whether the lost commit happened; once the database cannot be asked, nobody else waits to hear the same. */
async function afterLoss(serving: Serving, runs: Run[], error: unknown): Promise<Outcome<StoredAnswer>[]> {
  const ends: Outcome<StoredAnswer>[] = [];
  let reachable = true;
  for (const run of runs) {
    const state = run.keyed && reachable ? await lookUpKey(serving, run, run.keyed) : null;
    if (run.keyed && !state) reachable = false;
    ends.push(state && 'replay' in state ? { result: replayed(run, state.replay) } : { error });
  }
  return ends;
}

const orError = <T>(work: Promise<T>): Promise<Outcome<T>> =>
  work.then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );

function unwrap<T>(outcome: Outcome<T>): T {
  if ('error' in outcome) throw outcome.error;
  return outcome.result;
}

function runBatch(operation: Operation, serving: Serving, runs: Run[]): Promise<Outcome<StoredAnswer>[]> {
  const { tenant, requestContext } = runs.at(-1)!;
  const principal = systemPrincipal('batch', tenant.livemode);
  const work = async (t: TenantTx) => {
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
  };
  const options = { keepsPlans: true, usesKeptFacts: true };
  return serving.database.write(tenant, { ...requestContext, principal }, work, options);
}

/** Tells who is known by a credential that was changed since. */
async function staleness({ kept, accountSid }: TenantTx): Promise<(run: Run) => boolean> {
  const now = (await kept!.versions).get(accountSid)?.credentials;
  return ({ asOf }) => asOf !== undefined && asOf !== now;
}
