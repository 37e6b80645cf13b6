// Runs an operation the way it declares: in a transaction, together with others, between calls outside, or under no
// account at all.
import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestContext, Tenant, TenantTx } from '../../db/database.ts';
import { isConnectionLoss } from '../../db/failures.ts';
import { sql } from '../../db/query.ts';
import { ApiError } from '../../errors/errors.ts';
import { announcementOf } from '../../events.ts';
import { type Principal, principalName } from '../../principal.ts';
import { entersByPart, principalNow } from './access.ts';
import { afterLostConnection, type Run, replayed, toAnswer } from './answers.ts';
import { businessKeyOf, isAnswered } from './business-key.ts';
import { accountGatherer, type Place } from './gather-accounts.ts';
import {
  concealed,
  fingerprintOf,
  type KeyedRequest,
  keepAnswer,
  keepClaim,
  releaseClaim,
  type StoredAnswer,
  takeKey,
} from './idempotency.ts';
import { refuseIssues } from './issues.ts';
import { Answer, type AnyInput, type Operation, type Outside, StreamedAnswer } from './operation.ts';
import { type Received, single } from './raw-input.ts';
import { turnTaker } from './run-in-turns.ts';
import { runTogether } from './run-together.ts';
import type { Call, Incoming, Serving } from './serving.ts';
import { checkStepUp, passStepUp } from './step-up.ts';

/** How an operation's requests are run, once they are admitted and judged. */
export function runnerOf(operation: Operation, serving: Serving) {
  if (operation.issues && !operation.handler && !operation.outside)
    throw new Error(`the issues of ${operation.id} would never be asked for`);
  const gather = accountGatherer<Run, StoredAnswer>(serving.limits.together, (runs, { own }) =>
    runTogether({ operation, serving, runs, own }),
  );
  const single = singleRunner(operation, serving);
  return (call: Call, input: AnyInput, received: Received) =>
    run(operation, serving, { gather, single }, call, input, received);
}

type Runners = {
  gather(place: Place, run: Run): Promise<StoredAnswer>;
  single(run: Run): Promise<StoredAnswer>;
};

/** Runs the handler in a transaction, which others may share where the operation says so. */
function singleRunner(operation: Operation, serving: Serving): Runners['single'] {
  const runAlone = (run: Run) => runInTransaction(operation, serving, run);
  if (!operation.sharesTransaction || serving.limits.together.most === 1) return runAlone;
  if (operation.judge || operation.issues || operation.stepUp || operation.businessKey)
    throw new Error(`${operation.id} takes more than a turn`);
  return turnTaker(operation, serving, runAlone);
}

async function run(
  operation: Operation,
  serving: Serving,
  { gather, single: runSingle }: Runners,
  call: Call,
  input: AnyInput,
  received: Received,
): Promise<StoredAnswer | StreamedAnswer> {
  const requestContext: RequestContext = {
    principal: call.authentication?.principal ?? anonymous,
    now: call.now,
    requestId: call.incoming.requestId,
    log: call.incoming.log,
  };
  const { principal } = requestContext;
  // Where nothing is read inside the account first, or not before something outside was touched.
  const asksFirst = operation.open || operation.stream || received.file;
  if (asksFirst && principal.version !== undefined) await confirmCredential(serving, requestContext);
  const asOf = asksFirst ? undefined : principal.version;
  if (operation.open) {
    const { database, sealer, ports } = serving;
    const { log, requestId } = requestContext;
    const call = {
      ...requestContext,
      database,
      sealer,
      ports,
      site: serving.site(),
      // Made when something is to be logged, which is rare: it costs more than a small page does.
      get log() {
        return log.child({ requestId });
      },
    };
    return toAnswer(operation, serving, await operation.open(call, input));
  }
  const accountSid: string | null = input.params.accountSid ?? principal.accountSid;
  if (accountSid === null) throw new ApiError('AUTHORIZATION_ERROR');
  const tenant: Tenant = { accountSid, livemode: principal.livemode };
  if (operation.method === 'GET' && operation.handler) {
    const { handler } = operation;
    return serving.database.read(
      tenant,
      requestContext,
      async (t) => {
        await refuseIssues(operation, t, input);
        const result = await handler(t, input);
        return result instanceof StreamedAnswer ? result : toAnswer(operation, serving, result);
      },
      { asOf },
    );
  }
  if (operation.stream) {
    const outside = outsideOf(serving, tenant, requestContext);
    const lasting = {
      signal: call.signal,
      time: () => serving.clock.now(),
      principalNow: () => principalNow(operation, call, serving.clock.now()),
    };
    const result = await operation.stream({ ...outside, ...lasting }, input);
    return result instanceof StreamedAnswer ? result : toAnswer(operation, serving, result);
  }
  if (received.file) {
    const { path: _, ...facts } = received.file;
    const ref = await operation.upload!.keep(outsideOf(serving, tenant, requestContext), received.file);
    input.file = { ...facts, ref };
  }
  const conceal = (request: KeyedRequest | null) => request && concealed(serving.keyedHash, request);
  const keyed = conceal(keyedRequest(operation, call, received));
  const business = conceal(businessKeyOf(operation, principal, input));
  const run: Run = { tenant, requestContext, asOf, input, keyed, business, headers: call.headers };
  if (operation.together) {
    const needsOwnBatch = operation.needsOwnTransaction?.(input) ?? false;
    return gather({ room: String(tenant.livemode), account: accountSid, needsOwnBatch }, run);
  }
  return operation.handler ? runSingle(run) : runOutside(operation, serving, run);
}

async function confirmCredential({ database }: Serving, requestContext: RequestContext): Promise<void> {
  const { accountSid, livemode, version } = requestContext.principal;
  const look = (t: TenantTx) => t.run(sql`select`);
  await database.read({ accountSid: accountSid!, livemode }, requestContext, look, { asOf: version });
}

const anonymous: Principal = {
  kind: 'system',
  ref: 'public',
  accountSid: null,
  organizationId: null,
  livemode: false,
  scopesOn: () => null,
  partScopes: new Map(),
  requestsPerSecond: null,
  sessionId: null,
};

function keyedRequest(
  operation: Operation,
  { incoming, authentication }: Call,
  { content }: Received,
): KeyedRequest | null {
  const key = single(incoming.headers['idempotency-key']);
  if (!operation.idempotency || key === undefined) return null;
  const principal = authentication?.principal;
  return {
    key,
    subject: principal && isOwnKey(operation, principal, incoming) ? principalName(principal) : '',
    operationId: operation.id,
    fingerprint: fingerprintOf(incoming.method, incoming.url, content),
    principal: principalName(principal ?? anonymous),
    revealsSecret: operation.revealsSecret ?? false,
  };
}

/** A stored answer is replayed before a handler could narrow it to the inboxes of whoever asks, so it is theirs alone. */
function isOwnKey(operation: Operation, principal: Principal, { params }: Incoming): boolean {
  return operation.keyBelongsTo === 'principal' || entersByPart(operation, principal, params.accountSid);
}

/** What was answered under one of the request's keys before; null where the work may begin. */
async function answerBefore(operation: Operation, run: Run, t: TenantTx): Promise<StoredAnswer | null> {
  const { keyed, business, input } = run;
  if (keyed) {
    const state = await takeKey(t, keyed);
    if ('replay' in state) return replayed(run, state.replay);
  }
  if (business) {
    const state = await takeKey(t, business);
    if (!('replay' in state) || !isAnswered(operation, input, state)) return null;
    // From now on the header's key names the same, and can be used for nothing else.
    if (keyed) keepAnswer(t, keyed, state.replay);
    return replayed(run, state.replay);
  }
  return null;
}

async function runInTransaction(operation: Operation, serving: Serving, run: Run): Promise<StoredAnswer> {
  const { tenant, requestContext, asOf, input, keyed, business } = run;
  const { database } = serving;
  const work = async (t: TenantTx) => {
    const before = await answerBefore(operation, run, t);
    if (before) return before;
    await operation.judge?.(t, input);
    await refuseIssues(operation, t, input);
    await passStepUp(operation, serving, t, input);
    const result = await operation.handler!(t, input);
    const told = announcementOf(result instanceof Answer ? result.body : result);
    const answer = toAnswer(operation, serving, result, told?.text);
    if (keyed) keepAnswer(t, keyed, answer, answer.body === told?.text ? told.eventSid : null);
    if (business) keepAnswer(t, business, answer);
    return answer;
  };
  const { keepsPlans = false } = operation;
  try {
    return await database.write(tenant, requestContext, work, { asOf, keepsPlans });
  } catch (error) {
    if (!keyed || !isConnectionLoss(error)) throw error;
    return await afterLostConnection(serving, run, keyed, error);
  }
}

async function runOutside(operation: Operation, serving: Serving, run: Run): Promise<StoredAnswer> {
  const { tenant, requestContext, asOf, input } = run;
  const { database, processId } = serving;
  const keys = [run.keyed, run.business].filter((key) => key !== null);
  let claimed = false;
  const claim = async (t: TenantTx) => {
    const before = await answerBefore(operation, run, t);
    if (before) return before;
    for (const key of keys) keepClaim(t, key, processId);
    await operation.judge?.(t, input);
    await refuseIssues(operation, t, input);
    await checkStepUp(operation, serving, t, input);
    claimed = true;
    return null;
  };
  try {
    const stored = await database.write(tenant, requestContext, claim, { asOf });
    if (stored) return stored;
    let kept: StoredAnswer | null = null;
    const keep = (t: TenantTx, result: unknown): StoredAnswer => {
      const answer = toAnswer(operation, serving, result);
      for (const key of keys) keepAnswer(t, key, answer);
      return answer;
    };
    const outside = outsideOf(serving, tenant, requestContext);
    const finish: Outside['finish'] = async (work) => {
      const [result, answer] = await outside.write(async (t) => {
        const done = await work(t);
        return [done, keep(t, done)] as const;
      });
      kept = answer;
      return result;
    };
    const result = await operation.outside!({ ...outside, finish }, input);
    if (kept) return kept;
    return keys.length > 0
      ? await outside.write(async (t) => keep(t, result))
      : toAnswer(operation, serving, result);
  } catch (error) {
    if (claimed) for (const key of keys) await giveBack(serving, run, key);
    throw error;
  }
}

/**
 * A claim that cannot be given back now, because the database is away, is given back when it is there again: left, it would
 * keep every retry waiting for as long as this process lives.
 */
async function giveBack(
  serving: Serving,
  { tenant, requestContext }: Run,
  keyed: KeyedRequest,
): Promise<void> {
  const { database, processId } = serving;
  const release = () => database.write(tenant, requestContext, (t) => releaseClaim(t, keyed, processId));
  const again = async (error: unknown): Promise<void> => {
    if (!isConnectionLoss(error)) throw error;
    await sleep(againMs, undefined, { ref: false });
    await release().catch(again);
  };
  await release().catch((error) => {
    again(error).catch((reason) => requestContext.log.error({ err: reason }, 'a key stays claimed'));
  });
}

const againMs = 1_000;

function outsideOf(serving: Serving, tenant: Tenant, requestContext: RequestContext): Outside {
  const { database, ports, sealer } = serving;
  return {
    ...requestContext,
    log: requestContext.log.child({ requestId: requestContext.requestId }),
    ...tenant,
    database,
    ports,
    site: serving.site(),
    sealer,
    write: (work) => database.write(tenant, requestContext, work),
    read: (work) => database.read(tenant, requestContext, work),
    finish: (work) => database.write(tenant, requestContext, work),
  };
}
