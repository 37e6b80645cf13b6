// Single writes of many accounts in one transaction. Begin, keys, events, audit entries, stored answers and commit are made once
// for all of them; each handler runs by itself, as if it were alone, and those of one account one after another.

import { type Entrant, OwnTransactionNeeded, type TenantTx, type Turns } from '../../db/database.ts';
import { isConnectionLoss, StaleCredential } from '../../db/failures.ts';
import { ApiError } from '../../errors/errors.ts';
import { announcementOf } from '../../events.ts';
import { systemPrincipal } from '../../principal.ts';
import { type Run, replayed, toAnswer } from './answers.ts';
import { accountGatherer, type Outcome } from './gather-accounts.ts';
import { type KeyState, keepAnswer, type StoredAnswer, takeKeys } from './idempotency.ts';
import { Answer, type Operation } from './operation.ts';
import { afterLoss } from './run-together.ts';
import type { Serving } from './serving.ts';

/** How a request ended among others: with its answer, or not at all. Then it is run by itself. */
type End = { answer: StoredAnswer } | { apart: true; afterFailure: boolean };
type Ends = Outcome<End>[];

// A neighbour's lock is no reason to wait for long: whoever cannot go on is run by itself.
const locksWithinMs = 100;
// Turns of one account follow each other, and everybody in the batch waits for the last.
const mostTogether = 32;
const aloneMs = 60_000;
const mostAlone = 10_000;

/**
 * Requests that share a transaction with whoever else asked for the same operation in the meantime. What goes wrong there is
 * undone and run again one by one, so that nobody fails for another. Whoever then fails once more keeps away for a
 * while, so that nobody can make the others run twice all the time.
 */
export function turnTaker(
  operation: Operation,
  serving: Serving,
  runAlone: (run: Run) => Promise<StoredAnswer>,
): (run: Run) => Promise<StoredAnswer> {
  const aloneUntil = new Map<string, number>();
  const { together } = serving.limits;
  const measure = { ...together, most: Math.min(together.most, mostTogether) };
  const gather = accountGatherer<Run, End>(measure, (runs) => runInTurns(operation, serving, runs));
  const keepAway = (accountSid: string, now: Date) => {
    if (aloneUntil.size >= mostAlone) aloneUntil.clear();
    aloneUntil.set(accountSid, now.getTime() + aloneMs);
  };
  return async (run) => {
    const { accountSid, livemode } = run.tenant;
    const { now } = run.requestContext;
    if ((aloneUntil.get(accountSid) ?? 0) > now.getTime()) return runAlone(run);
    const end = await gather({ room: String(livemode), account: accountSid }, run);
    if ('answer' in end) return end.answer;
    try {
      return await runAlone(run);
    } catch (error) {
      if (end.afterFailure) keepAway(accountSid, now);
      throw error;
    }
  };
}

async function runInTurns(operation: Operation, serving: Serving, runs: Run[]): Promise<Ends> {
  try {
    return await runShared(operation, serving, runs);
  } catch (error) {
    if (!isConnectionLoss(error)) return runs.map(() => apart(true));
    const ends = await afterLoss(serving, runs, error);
    return ends.map((end) => ('result' in end ? { result: { answer: end.result } } : end));
  }
}

const apart = (afterFailure: boolean) => ({ result: { apart: true as const, afterFailure } });

async function runShared(operation: Operation, serving: Serving, runs: Run[]): Promise<Ends> {
  const byAccount = Map.groupBy(runs, ({ tenant }) => tenant.accountSid);
  const { tenant, requestContext } = runs.at(-1)!;
  // One time for all, as for the rows they write together; what is written for an account as a whole is nobody's.
  const principal = systemPrincipal('batch', tenant.livemode);
  const entrants: Entrant[] = [...byAccount.values()].map(([first]) => ({
    tenant: first!.tenant,
    requestContext: { ...requestContext, principal },
  }));
  const work = (t: TenantTx, turns: Turns) =>
    runOfAccount(t, turns, operation, serving, byAccount.get(t.accountSid)!);
  const options = { keepsPlans: true, readsVersions: true, locksWithinMs };
  const ends = await serving.database.writeTogether(entrants, work, options);
  return [...byAccount.values()].flatMap((ofAccount, at) => {
    const end = ends[at]!;
    return end instanceof OwnTransactionNeeded ? ofAccount.map(() => apart(false)) : end;
  });
}

/** The keys of all are taken before the first turn: two requests with one key must not both find it free. */
async function runOfAccount(
  t: TenantTx,
  turns: Turns,
  operation: Operation,
  serving: Serving,
  runs: Run[],
): Promise<Ends> {
  const keyed = runs.filter(({ keyed }) => keyed);
  const states = await takeKeys(
    t,
    keyed.map((run) => run.keyed!),
  );
  const stateOf = new Map(keyed.map((run, at) => [run, states[at]!]));
  const credentials = (await turns.versions!).get(t.accountSid)?.credentials;
  const ends: Ends = [];
  for (const run of runs) {
    const isStale = run.asOf !== undefined && run.asOf !== credentials;
    const before = isStale ? new StaleCredential() : stateOf.get(run);
    ends.push(known(run, before) ?? (await takeTurn(t, turns, operation, serving, run)));
  }
  return ends;
}

/** How a request ends without a turn; null for one that is due one. */
function known(run: Run, before: KeyState | ApiError | undefined): Ends[number] | null {
  if (before instanceof ApiError) return { error: before };
  if (before && 'replay' in before) return { result: { answer: replayed(run, before.replay) } };
  return null;
}

async function takeTurn(
  t: TenantTx,
  turns: Turns,
  operation: Operation,
  serving: Serving,
  run: Run,
): Promise<Ends[number]> {
  const { keyed, input } = run;
  const requestContext = { ...run.requestContext, now: t.now };
  const end = await turns.take(requestContext, async (own) => {
    const result = await operation.handler!(own, input);
    const told = announcementOf(result instanceof Answer ? result.body : result);
    const answer = toAnswer(operation, serving, result, told?.text);
    if (keyed) keepAnswer(own, keyed, answer, answer.body === told?.text ? told.eventSid : null);
    return answer;
  });
  if ('result' in end) return { result: { answer: end.result } };
  return end.error instanceof OwnTransactionNeeded ? apart(false) : { error: end.error };
}
