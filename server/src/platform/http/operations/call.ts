// The way of one request through its operation, in the decided order: credentials, signature, account, scope, rate
// limit, validation, idempotency, step-up, and only then the feature itself.
import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { StaleCredential } from '../../db/failures.ts';
import { ApiError, type ErrorDetail, invalid } from '../../errors/errors.ts';
import { type Principal, principalName } from '../../principal.ts';
import { frameOf, memberOf } from '../input/batch-body.ts';
import { networkOf } from '../input/client-network.ts';
import { Closed } from '../input/schema.ts';
import { type Judge, judgeBy, maxDetails } from '../input/validation.ts';
import { type Policy, rateLimited, rateLimitHeaders } from '../limits/rate-limit.ts';
import { isMissingScope, refuseEntry, refuseOtherEnvironment } from './access.ts';
import { undocumented } from './documented-headers.ts';
import { isHtml } from './html-answer.ts';
import { judgeKey, type StoredAnswer } from './idempotency.ts';
import { furtherIssues } from './issues.ts';
import { type AnyInput, type Operation, StreamedAnswer } from './operation.ts';
import { createPager } from './pagination.ts';
import { type BodyJudges, readQuery, receiveBytes, receiveForm, single, unclean } from './raw-input.ts';
import { runnerOf } from './run-operation.ts';
import type { Authentication, Call, Incoming, Serving } from './serving.ts';
import { demandStepUp, judgedBody, judgeStepUpHeader, stepUpHeader } from './step-up.ts';

export type Prepared = {
  operation: Operation;
  /** Everything that can be judged without the body. Throws ApiError. */
  admit(incoming: Incoming, signal: AbortSignal): Promise<Call>;
  /** The rest. A form with a file comes as a stream, which is read only after all else about the request was judged. */
  answer(call: Call, sent: Buffer | Readable): Promise<StoredAnswer | StreamedAnswer>;
};

const nothing = Closed({});

export function prepare(operation: Operation, serving: Serving): Prepared {
  const judges = {
    params: judgeBy(operation.params ?? nothing),
    query: judgeBy(operation.query ?? nothing),
    ...bodyJudges(operation),
    fields: judgeBy(operation.upload?.fields ?? nothing),
  };
  const run = runnerOf(operation, serving);
  const further = furtherIssues(operation, serving);
  const answers = new Map(
    Object.entries(operation.responses).map(([status, schema]) => [
      Number(status),
      schema && judgeBy(schema),
    ]),
  );
  return {
    operation,
    async admit(incoming, signal) {
      const call: Call = { incoming, now: serving.clock.now(), headers: {}, authentication: null, signal };
      call.authentication = await authenticate(operation, serving, call);
      if (!call.authentication?.confirm) await authorize(operation, serving, call);
      return call;
    },
    async answer(call, sent) {
      const { confirm } = call.authentication ?? {};
      const frame = judgeFrame(operation, judges, call);
      // Whoever is known hears what is wrong around a file before sending all of it.
      if (sent instanceof Readable && !confirm) refuse(frame.details);
      const received =
        sent instanceof Readable
          ? await receiveForm(operation.upload!, call.incoming, sent, serving.uploads, judges.fields)
          : receiveBytes(operation, call.incoming, sent, judges);
      try {
        if (confirm) {
          await confirm(received.sha256());
          await authorize(operation, serving, call);
        }
        const { body, form = null, details } = received.read();
        const wrong = [...frame.details, ...details];
        if (wrong.length > 0) {
          const unsound = { query: frame.query, body, details: wrong };
          refuse([...wrong, ...(await asKnownNow(operation, call, () => further(call, unsound)))]);
        }
        const input = inputOf(operation, serving, call, frame.query, { body, form });
        const answer = await asKnownNow(operation, call, () => run(call, input, received));
        if (serving.checkAnswers) checkAnswer(operation, answers, answer);
        return answer;
      } finally {
        // Kept means moved; what is still here was not.
        if (received.file) await rm(received.file.path, { force: true });
      }
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
  guard.refuseGuesser();
  try {
    for (const authenticator of serving.authenticators) {
      const found = await authenticator(call.incoming, call.now);
      if (!found) continue;
      refuseOtherEnvironment(call.incoming, found.principal);
      return guarded(found, guard);
    }
    throw new ApiError('AUTHENTICATION_ERROR');
  } catch (error) {
    guard.count(error);
    throw error;
  }
}

/** A credential that was changed since it was read is judged as it is now, and then the request is run again. */
async function asKnownNow<T>(operation: Operation, call: Call, run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run();
    } catch (error) {
      const { authentication, headers, incoming } = call;
      if (!(error instanceof StaleCredential) || !authentication?.renew || tries === mostTries) throw error;
      delete headers['idempotent-replayed']; // what was found may be told to nobody any more
      call.authentication = { ...authentication, principal: await authentication.renew() };
      refuseEntry(operation, call.authentication.principal, incoming.params.accountSid);
    }
  }
}

// Each needs another change of the same credential in the meantime.
const mostTries = 5;

type Guard = ReturnType<typeof guessing>;

/**
 * Only failures count, so that a good credential never uses up the limit that stands before it. A replayed signature is no
 * guess: whoever sends it uses up what that key has at that address, and nothing of the others there.
 */
function guessing(serving: Serving, { incoming, now }: Call) {
  const { guesses } = serving.limits;
  const replays = { ...guesses, name: 'replays' };
  const caller = networkOf(incoming.address);
  const replayer = (principal: Principal) => `${caller} ${principalName(principal)}`;
  const take = (bucket: string, cost: number) => serving.guesses.take(bucket, guesses, now.getTime(), cost);
  const refuseIfSpent = (bucket: string, policy: Policy) => {
    const verdict = take(bucket, 0);
    if (!verdict.allowed) throw rateLimited(policy, verdict);
  };
  return {
    refuseGuesser: () => refuseIfSpent(caller, guesses),
    refuseReplayer: (principal: Principal) => refuseIfSpent(replayer(principal), replays),
    count(error: unknown, principal?: Principal) {
      if (!(error instanceof ApiError) || error.status !== 401) return;
      const isReplay = error.code === 'SIGNATURE_REPLAYED' && principal !== undefined;
      take(isReplay ? replayer(principal) : caller, 1);
    },
  };
}

function guarded(found: Authentication, guard: Guard): Authentication {
  const { principal, confirm } = found;
  if (!confirm) return found;
  return {
    ...found,
    async confirm(bodySha256) {
      guard.refuseReplayer(principal);
      try {
        await confirm(bodySha256);
      } catch (error) {
        guard.count(error, principal);
        throw error;
      }
    },
  };
}

async function authorize(operation: Operation, serving: Serving, call: Call): Promise<void> {
  let principal = call.authentication?.principal;
  if (principal) {
    try {
      refuseEntry(operation, principal, call.incoming.params.accountSid);
    } catch {
      principal = await judgeAgain(operation, serving, call);
    }
  }
  const policy = limitOf(serving, principal);
  const bucket = principal ? principalName(principal) : `public:${networkOf(call.incoming.address)}`;
  const verdict = await serving.buckets.take(bucket, policy, call.now.getTime());
  Object.assign(call.headers, rateLimitHeaders(policy, verdict));
  if (!verdict.allowed) throw rateLimited(policy, verdict);
}

/** Nobody is refused for want of a scope by what was known before: it is looked at as it is now. */
async function judgeAgain(operation: Operation, serving: Serving, call: Call): Promise<Principal> {
  const { principal: known, renew } = call.authentication!;
  const principal = renew ? await renew() : known;
  call.authentication = { ...call.authentication, principal };
  try {
    refuseEntry(operation, principal, call.incoming.params.accountSid);
    return principal;
  } catch (error) {
    if (isMissingScope(error)) await tellDenial(operation, serving, call, principal);
    throw error;
  }
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

type Judges = BodyJudges & { params: Judge; query: Judge; fields: Judge };

function bodyJudges(operation: Operation): BodyJudges {
  const { batch } = operation;
  const body = judgedBody(operation) ?? nothing;
  if (!batch) return { body: judgeBy(body), member: null };
  return { body: judgeBy(frameOf(body, batch)), member: judgeBy(memberOf(body, batch)) };
}

/** Everything but the body. */
function judgeFrame(operation: Operation, judges: Judges, { incoming }: Call) {
  const query = readQuery(operation.query, operation.ignoresQuery ? {} : incoming.query);
  const key = single(incoming.headers['idempotency-key']);
  const details = [
    ...judges.params(incoming.params),
    ...unclean(incoming.params),
    ...query.details,
    ...judges.query(query.values),
    ...(operation.idempotency ? judgeKey(key, operation.idempotency === 'required') : []),
    ...judgeStepUpHeader(operation, single(incoming.headers[stepUpHeader.toLowerCase()])),
  ];
  return { query: query.values, details };
}

function refuse(details: ErrorDetail[]): void {
  if (details.length > 0) throw invalid(...details.slice(0, maxDetails));
}

function inputOf(
  operation: Operation,
  serving: Serving,
  { incoming, authentication }: Call,
  query: Record<string, unknown>,
  { body, form }: { body: unknown; form: Record<string, string> | null },
): AnyInput {
  const accountSid = incoming.params.accountSid;
  const tenant = accountSid ? { accountSid, livemode: authentication?.principal.livemode ?? false } : null;
  const header = (name: string) => single(incoming.headers[name.toLowerCase()]);
  return {
    params: incoming.params,
    query,
    body,
    form,
    file: null,
    pager: createPager(serving.sealer, operation.id, tenant, query),
    address: incoming.address,
    header,
    stepUp: (t) => demandStepUp(operation, serving, t, { body, header }),
  };
}

function checkAnswer(
  operation: Operation,
  answers: Map<number, Judge | null>,
  answer: StoredAnswer | StreamedAnswer,
): void {
  const surprises = undocumented(operation, answer);
  if (answer.status < 400 && surprises.length > 0)
    throw new Error(`${operation.id} answered ${answer.status} with undocumented ${surprises.join(', ')}`);
  if (answer instanceof StreamedAnswer || answer.status >= 400) return;
  if (operation.page && isHtml(answer)) return;
  const judge = answers.get(answer.status);
  if (judge === undefined) throw new Error(`${operation.id} answered an undeclared ${answer.status}`);
  const value = () => (answer.headers['content-type'] ? answer.body : JSON.parse(answer.body));
  const issues = judge && answer.body ? judge(value()) : [];
  if (issues.length > 0) {
    throw new Error(`${operation.id} answered against its own schema: ${JSON.stringify(issues)}`);
  }
}
