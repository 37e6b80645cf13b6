// The way of one request through its operation, in the decided order: credentials, signature, account, scope, rate
// limit, validation, idempotency, step-up, and only then the feature itself.
import { entersByInbox, isMissingScope, refuseStrangers } from './access.ts';
import type { Clock } from './clock.ts';
import {
  type Circumstances,
  type Database,
  databaseFailure,
  isConnectionLoss,
  type Tenant,
  type TenantTx,
} from './db/database.ts';
import type { Denial } from './denials.ts';
import { ApiError, errorBody, invalid } from './errors.ts';
import {
  awaitKey,
  fingerprintOf,
  judgeKey,
  type KeyedRequest,
  keepAnswer,
  keepClaim,
  releaseClaim,
  type StoredAnswer,
  takeKey,
} from './idempotency.ts';
import type { Log } from './logging.ts';
import { Answer, type AnyInput, type Operation } from './operation.ts';
import { createPager } from './pagination.ts';
import type { Ports, Site } from './ports.ts';
import { type Principal, principalName } from './principal.ts';
import { type Buckets, type LocalBuckets, type Policy, rateLimited, rateLimitHeaders } from './rate-limit.ts';
import { readBody, readQuery, single, unclean } from './raw-input.ts';
import { Closed } from './schema.ts';
import type { Sealer } from './sealing.ts';
import { type Judge, judgeBy, maxDetails } from './validation.ts';

/** A request as the framework hands it over, before anything in it is believed. */
export type Incoming = {
  method: string;
  /** Path and query exactly as they were sent. */
  url: string;
  headers: Record<string, string | string[] | undefined>;
  params: Record<string, string>;
  query: Record<string, string | string[]>;
  address: string;
  requestId: string;
  log: Log;
};

export type Authentication = {
  principal: Principal;
  /** Present when the credential is a signature over the body: it proves the principal once the body is read. */
  confirm?: (rawBody: Buffer) => Promise<void>;
};

/** Recognizes one kind of credential; null when the request carries none of it. */
export type Authenticator = (incoming: Incoming, now: Date) => Promise<Authentication | null>;

/**
 * Spends a step-up token for exactly this action, inside the transaction of the action, and tells the SID of the person
 * whose factor it stands for; throws when it may not.
 */
export type StepUpGate = (t: TenantTx, action: string, token: string | undefined) => Promise<string>;

export type Serving = {
  database: Database;
  clock: Clock;
  sealer: Sealer;
  ports: Ports;
  site: () => Site;
  buckets: Buckets;
  /** Failed credentials by address; always of this process, since nothing is lost when each counts its own. */
  guesses: LocalBuckets;
  authenticators: Authenticator[];
  stepUp: StepUpGate;
  /** Told when a principal is refused a mutation on its own account for want of a scope; never throws. */
  onDenied(denial: Denial): Promise<void>;
  /** This process, as `processes` knows it. */
  processId: string;
  limits: { perKey: Policy; perAddress: Policy; guesses: Policy };
  /** Where the errors are explained to people. */
  docsUrl(): string;
  /** In tests every answer is held against its declared schema. */
  checkAnswers: boolean;
};

export type Call = {
  incoming: Incoming;
  now: Date;
  headers: Record<string, string>;
  authentication: Authentication | null;
};

export type Prepared = {
  operation: Operation;
  /** Everything that can be judged without the body. Throws ApiError. */
  admit(incoming: Incoming): Promise<Call>;
  /** The rest. */
  answer(call: Call, rawBody: Buffer): Promise<StoredAnswer>;
};

const nothing = Closed({});

export function prepare(operation: Operation, serving: Serving): Prepared {
  const judges = {
    params: judgeBy(operation.params ?? nothing),
    query: judgeBy(operation.query ?? nothing),
    body: judgeBy(operation.body ?? nothing),
  };
  const answers = new Map(
    Object.entries(operation.responses).map(([status, schema]) => [
      Number(status),
      schema && judgeBy(schema),
    ]),
  );
  return {
    operation,
    async admit(incoming) {
      const call: Call = { incoming, now: serving.clock.now(), headers: {}, authentication: null };
      call.authentication = await authenticate(operation, serving, call);
      if (!call.authentication?.confirm) await authorize(operation, serving, call);
      return call;
    },
    async answer(call, rawBody) {
      if (call.authentication?.confirm) {
        await call.authentication.confirm(rawBody);
        await authorize(operation, serving, call);
      }
      const input = judgeInput(operation, judges, serving, call, rawBody);
      const answer = await run(operation, serving, call, input, rawBody);
      if (serving.checkAnswers) checkAnswer(operation, answers, answer);
      return answer;
    },
  };
}

async function authenticate(
  operation: Operation,
  serving: Serving,
  call: Call,
): Promise<Authentication | null> {
  if (operation.access === 'public') return null;
  const guard = guessing(serving, call);
  guard.refuseIfSpent();
  try {
    for (const authenticator of serving.authenticators) {
      const found = await authenticator(call.incoming, call.now);
      if (found) return guarded(found, guard);
    }
    throw new ApiError('AUTHENTICATION_ERROR');
  } catch (error) {
    guard.count(error);
    throw error;
  }
}

/** Only failures count, so that a good credential never uses up the limit that stands before it. */
function guessing(serving: Serving, { incoming, now }: Call) {
  const { guesses } = serving.limits;
  const take = (cost: number) => serving.guesses.take(incoming.address, guesses, now.getTime(), cost);
  return {
    refuseIfSpent() {
      const verdict = take(0);
      if (!verdict.allowed) throw rateLimited(guesses, verdict);
    },
    count(error: unknown) {
      if (error instanceof ApiError && error.status === 401) take(1);
    },
  };
}

function guarded(found: Authentication, guard: { count(error: unknown): void }): Authentication {
  const { principal, confirm } = found;
  if (!confirm) return found;
  return {
    principal,
    async confirm(rawBody) {
      try {
        await confirm(rawBody);
      } catch (error) {
        guard.count(error);
        throw error;
      }
    },
  };
}

async function authorize(operation: Operation, serving: Serving, call: Call): Promise<void> {
  const principal = call.authentication?.principal;
  if (principal) {
    try {
      refuseStrangers(operation, principal, call.incoming.params.accountSid);
    } catch (error) {
      if (isMissingScope(error)) await tellDenial(operation, serving, call, principal);
      throw error;
    }
  }
  const policy = limitOf(serving, principal);
  const bucket = principal ? principalName(principal) : `public:${call.incoming.address}`;
  const verdict = await serving.buckets.take(bucket, policy, call.now.getTime());
  Object.assign(call.headers, rateLimitHeaders(policy, verdict));
  if (!verdict.allowed) throw rateLimited(policy, verdict);
}

async function tellDenial(
  operation: Operation,
  serving: Serving,
  { incoming, now }: Call,
  principal: Principal,
): Promise<void> {
  const { requestId, log, params } = incoming;
  const { accountSid } = params;
  if (operation.method === 'GET' || accountSid === undefined) return;
  const { livemode } = principal;
  await serving.onDenied({ operationId: operation.id, accountSid, livemode, principal, now, requestId, log });
}

function limitOf(serving: Serving, principal: Principal | undefined): Policy {
  if (!principal) return serving.limits.perAddress;
  const own = principal.requestsPerSecond;
  return own === null ? serving.limits.perKey : { name: 'key', perSecond: own, burst: own * 2 };
}

type Judges = { params: Judge; query: Judge; body: Judge };

function judgeInput(
  operation: Operation,
  judges: Judges,
  serving: Serving,
  { incoming, authentication }: Call,
  rawBody: Buffer,
): AnyInput {
  const query = readQuery(operation.query, incoming.query);
  const { body, details: bodyDetails } = readBody(operation, incoming, rawBody, judges.body);
  const key = single(incoming.headers['idempotency-key']);
  const details = [
    ...judges.params(incoming.params),
    ...unclean(incoming.params),
    ...query.details,
    ...judges.query(query.values),
    ...(operation.idempotency ? judgeKey(key, operation.idempotency === 'required') : []),
    ...bodyDetails,
  ];
  if (details.length > 0) throw invalid(...details.slice(0, maxDetails));
  const accountSid = incoming.params.accountSid;
  const tenant = accountSid ? { accountSid, livemode: authentication?.principal.livemode ?? false } : null;
  return {
    params: incoming.params,
    query: query.values,
    body,
    pager: createPager(serving.sealer, operation.id, tenant, query.values),
    address: incoming.address,
    header: (name) => single(incoming.headers[name.toLowerCase()]),
    stepUp: (t) => demandStepUp(operation, serving, t, body),
  };
}

async function run(
  operation: Operation,
  serving: Serving,
  call: Call,
  input: AnyInput,
  rawBody: Buffer,
): Promise<StoredAnswer> {
  const circumstances: Circumstances = {
    principal: call.authentication?.principal ?? anonymous,
    now: call.now,
    requestId: call.incoming.requestId,
    log: call.incoming.log,
  };
  if (operation.open) {
    const { database, sealer, ports } = serving;
    const log = circumstances.log.child({ requestId: circumstances.requestId });
    const call = { ...circumstances, log, database, sealer, ports, site: serving.site() };
    return toAnswer(operation, serving, await operation.open(call, input));
  }
  const { principal } = circumstances;
  const accountSid: string | null = input.params.accountSid ?? principal.accountSid;
  if (accountSid === null) throw new ApiError('AUTHORIZATION_ERROR');
  const tenant: Tenant = { accountSid, livemode: principal.livemode };
  if (operation.method === 'GET' && operation.handler) {
    const { handler } = operation;
    return serving.database.read(tenant, circumstances, async (t) =>
      toAnswer(operation, serving, await handler(t, input)),
    );
  }
  const keyed = keyedRequest(operation, call, rawBody);
  return operation.handler
    ? runInTransaction(operation, serving, { tenant, circumstances, input, keyed, headers: call.headers })
    : runOutside(operation, serving, { tenant, circumstances, input, keyed, headers: call.headers });
}

const anonymous: Principal = {
  kind: 'system',
  ref: 'public',
  accountSid: null,
  organizationId: null,
  livemode: false,
  scopesOn: () => null,
  inboxScopes: new Map(),
  requestsPerSecond: null,
  sessionId: null,
};

function keyedRequest(
  operation: Operation,
  { incoming, authentication }: Call,
  rawBody: Buffer,
): KeyedRequest | null {
  const key = single(incoming.headers['idempotency-key']);
  if (!operation.idempotency || key === undefined) return null;
  const principal = authentication?.principal;
  return {
    key,
    subject: principal && isOwnKey(operation, principal, incoming) ? principalName(principal) : '',
    operationId: operation.id,
    fingerprint: fingerprintOf(incoming.method, incoming.url, rawBody),
    revealsSecret: operation.revealsSecret ?? false,
  };
}

/** A stored answer is replayed before a handler could narrow it to the inboxes of whoever asks, so it is theirs alone. */
function isOwnKey(operation: Operation, principal: Principal, { params }: Incoming): boolean {
  return operation.keyBelongsTo === 'principal' || entersByInbox(operation, principal, params.accountSid);
}

type Run = {
  tenant: Tenant;
  circumstances: Circumstances;
  input: AnyInput;
  keyed: KeyedRequest | null;
  headers: Record<string, string>;
};

async function runInTransaction(operation: Operation, serving: Serving, run: Run): Promise<StoredAnswer> {
  const { tenant, circumstances, input, keyed } = run;
  const { database } = serving;
  try {
    return await database.write(tenant, circumstances, async (t) => {
      if (keyed) {
        const state = await takeKey(t, keyed);
        if ('replay' in state) return replayed(run, state.replay);
      }
      await passStepUp(operation, serving, t, input);
      const answer = toAnswer(operation, serving, await operation.handler!(t, input));
      if (keyed) keepAnswer(t, keyed, answer);
      return answer;
    });
  } catch (error) {
    if (!keyed || !isConnectionLoss(error)) throw error;
    return await afterLostConnection(serving, run, keyed, error);
  }
}

/** A commit whose answer was lost is unknown, not failed: the key's row tells whether it happened. */
async function afterLostConnection(serving: Serving, run: Run, keyed: KeyedRequest, error: unknown) {
  const state = await serving.database
    .write(run.tenant, run.circumstances, (t) => awaitKey(t, keyed))
    .catch(() => null);
  if (state && 'replay' in state) return state.replay;
  throw databaseFailure(error) ?? error;
}

async function runOutside(operation: Operation, serving: Serving, run: Run): Promise<StoredAnswer> {
  const { tenant, circumstances, input, keyed } = run;
  const { database, processId } = serving;
  const stored = await database.write(tenant, circumstances, async (t) => {
    if (keyed) {
      const state = await takeKey(t, keyed);
      if ('replay' in state) return replayed(run, state.replay);
      keepClaim(t, keyed, processId);
    }
    await passStepUp(operation, serving, t, input);
    return null;
  });
  if (stored) return stored;
  try {
    const result = await operation.outside!(
      {
        ...circumstances,
        log: circumstances.log.child({ requestId: circumstances.requestId }),
        ...tenant,
        database,
        ports: serving.ports,
        site: serving.site(),
        sealer: serving.sealer,
        write: (work) => database.write(tenant, circumstances, work),
        read: (work) => database.read(tenant, circumstances, work),
      },
      input,
    );
    const answer = toAnswer(operation, serving, result);
    if (keyed) {
      await database.write(tenant, circumstances, async (t) => keepAnswer(t, keyed, answer));
    }
    return answer;
  } catch (error) {
    if (keyed) await database.write(tenant, circumstances, (t) => releaseClaim(t, keyed, processId));
    throw error;
  }
}

function replayed(run: Run, answer: StoredAnswer): StoredAnswer {
  run.headers['idempotent-replayed'] = 'true';
  return answer;
}

async function passStepUp(
  operation: Operation,
  serving: Serving,
  t: TenantTx,
  input: AnyInput,
): Promise<void> {
  if (operation.stepUp?.askedBy !== 'handler') await demandStepUp(operation, serving, t, input.body);
}

async function demandStepUp(
  operation: Operation,
  serving: Serving,
  t: TenantTx,
  body: unknown,
): Promise<void> {
  const { stepUp } = operation;
  if (!stepUp || (stepUp.from === 'people' && t.principal.kind !== 'user')) return;
  const names = (stepUp.field ?? 'stepUpToken').split('.');
  const token = names.reduce<unknown>(
    (value, name) => (value as Record<string, unknown> | undefined)?.[name],
    body,
  );
  t.steppedUpBy = await serving.stepUp(t, stepUp.action, token as string | undefined);
}

/** Refuses for want of a second factor, naming the action a token must be issued for. */
export function stepUpRequired(action: string): ApiError {
  return new ApiError('STEP_UP_REQUIRED', { details: [{ path: 'stepUpAction', issue: action }] });
}

/** A returned error, unlike a thrown one, commits what was done and is stored under the key. */
function toAnswer(operation: Operation, serving: Serving, result: unknown): StoredAnswer {
  if (result instanceof ApiError) {
    const body = JSON.stringify(errorBody(result, { docsUrl: serving.docsUrl() }));
    return { status: result.status, headers: {}, body };
  }
  const answer =
    result instanceof Answer ? result : new Answer(Number(Object.keys(operation.responses)[0]), result);
  const empty = operation.responses[answer.status] === null;
  return { status: answer.status, headers: answer.headers, body: empty ? '' : bodyText(answer) };
}

/** An answer that says what it is, such as XML, is sent as it stands. */
const bodyText = ({ body, headers }: Answer) =>
  headers['content-type'] ? String(body) : JSON.stringify(body);

function checkAnswer(operation: Operation, answers: Map<number, Judge | null>, answer: StoredAnswer): void {
  if (answer.status >= 400) return;
  const judge = answers.get(answer.status);
  if (judge === undefined) throw new Error(`${operation.id} answered an undeclared ${answer.status}`);
  const value = () => (answer.headers['content-type'] ? answer.body : JSON.parse(answer.body));
  const issues = judge && answer.body ? judge(value()) : [];
  if (issues.length > 0) {
    throw new Error(`${operation.id} answered against its own schema: ${JSON.stringify(issues)}`);
  }
}
