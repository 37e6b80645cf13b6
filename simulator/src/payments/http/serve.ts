// A call from end to end: who asks, whether a rule interferes, whether it was asked before, what it is answered.
import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Answer, acceptsFirst } from '../../behaviour.ts';
import { answerAs } from '../../http/answer.ts';
import type { PaymentBehaviour } from '../objects/payment-rules.ts';
import { apiVersion, type Payments } from '../objects/payments.ts';
import { expanded } from './expand.ts';
import { type Form, readForm } from './form.ts';
import type { Asked, Keys } from './keys.ts';
import type { Param } from './params.ts';
import { invalid, PaymentProblem, refusal, serverError } from './problems.ts';

export type Operation<T = unknown> = {
  method: 'GET' | 'POST';
  /** With `:id` for the object and `:part` for one of its parts. */
  path: string;
  /** What rules call it by. */
  rule: string;
  params: Param<T>;
  run(payments: Payments, input: T, ids: { id: string; part: string }): object;
};
/** Ties the type of the parameters to that of what is done with them. */
export const operation = <T>(declared: Operation<T>): Operation => declared as Operation;

type Served = { payments: Payments; keys: Keys; apiKeys: string[]; newRequestId(): string };
type Result = { status: number; body: object };

export function serve(app: FastifyInstance, served: Served, { method, path, ...one }: Operation): void {
  app.route({
    method,
    url: path,
    handler: (request, reply) => answer(served, { method, path, ...one }, request, reply),
  });
}

async function answer(served: Served, one: Operation, request: FastifyRequest, reply: FastifyReply) {
  const { payments, keys } = served;
  const requestId = served.newRequestId();
  void reply.header('request-id', requestId).header('stripe-version', apiVersion);
  requireKey(served.apiKeys, request);
  const source = one.method === 'GET' ? (request.url.split('?')[1] ?? '') : ((request.body as string) ?? '');
  const form = readForm(source);
  const behaviour = payments.rules.pick(factsOf(one, form)) ?? {};
  if (behaviour.refuse) throw refusal(behaviour.refuse.http, behaviour.refuse.code);
  const asked = askedOf(one, request, source);
  const before = asked && keys.before(asked);
  if (asked) void reply.header('idempotency-key', asked.key);
  if (before) {
    void reply.headers({ 'idempotent-replayed': 'true', 'original-request': before.requestId });
    return finish(
      served,
      behaviour,
      { status: before.status, body: JSON.parse(before.body) },
      request,
      reply,
    );
  }
  if (!acceptsFirst(behaviour.answer as Answer))
    return finish(served, behaviour, { status: 200, body: {} }, request, reply);
  // A mistake in the parameters is told before anything is done, and is not kept.
  const input = one.params.read(form, '');
  const cause = { id: requestId, idempotency_key: asked?.key ?? null };
  const run = () => causedBy(payments, cause, () => one.run(payments, input, idsOf(request)));
  const result = resultOf(payments, behaviour, run, input);
  if (!asked) return finish(served, behaviour, result, request, reply);
  void reply.header('original-request', requestId);
  keys.keep(asked, requestId, result.status, result.body);
  // An answer that takes its time keeps the key; one that never comes does not, for the work is done.
  if (behaviour.answerDelayMs) keys.use(asked.key);
  try {
    return await finish(served, behaviour, result, request, reply);
  } finally {
    keys.free(asked.key);
  }
}

/** Events name the request that caused them. */
function causedBy<T>(payments: Payments, cause: Payments['cause'], work: () => T): T {
  payments.cause = cause;
  try {
    return work();
  } finally {
    payments.cause = null;
  }
}

/** Does it, unless a rule has it fail; a refusal is a result as any other. */
function resultOf(
  payments: Payments,
  { answer: wanted }: PaymentBehaviour,
  run: () => object,
  input: unknown,
): Result {
  try {
    if (wanted === 'error') throw serverError();
    const object = run();
    if (wanted === 'error-accepted') throw serverError();
    return { status: 200, body: expanded(payments, object, (input as { expand?: string[] }).expand) };
  } catch (error) {
    if (error instanceof PaymentProblem) return { status: error.http, body: { error: error.body } };
    throw error;
  }
}

function finish(
  { payments }: Served,
  { answer: wanted, answerDelayMs }: PaymentBehaviour,
  { status, body }: Result,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const wire = wanted === 'error' || wanted === 'error-accepted' ? undefined : wanted;
  return answerAs(payments, { answer: wire, answerDelayMs }, body, request, reply.code(status));
}

const idsOf = ({ params }: FastifyRequest) => ({ id: '', part: '', ...(params as object) });

function factsOf({ rule, method }: Operation, form: Form) {
  const metadata = typeof form.metadata === 'object' ? (form.metadata as Record<string, string>) : null;
  const customer = typeof form.customer === 'string' ? form.customer : null;
  return { about: 'call' as const, path: rule, method, metadata, customer };
}

function askedOf({ method }: Operation, request: FastifyRequest, source: string): Asked | null {
  const key = request.headers['idempotency-key'];
  if (method !== 'POST' || typeof key !== 'string' || key === '') return null;
  // In whichever order they come, the same parameters are the same request.
  const sorted = new URLSearchParams(source);
  sorted.sort();
  return { key, path: request.url.split('?')[0]!, params: sorted.toString() };
}

function requireKey(apiKeys: string[], { headers }: FastifyRequest): void {
  const given = keyIn(headers.authorization ?? '');
  if (given === '') {
    throw new PaymentProblem(401, {
      message:
        "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY').",
      type: 'invalid_request_error',
    });
  }
  if (apiKeys.some((key) => isSame(key, given))) return;
  const shown = given.length > 12 ? `${given.slice(0, 8)}${'*'.repeat(8)}${given.slice(-4)}` : '****';
  throw new PaymentProblem(401, {
    message: `Invalid API Key provided: ${shown}`,
    type: 'invalid_request_error',
  });
}

function isSame(key: string, given: string): boolean {
  const [a, b] = [Buffer.from(key), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** As a bearer token, or as the user name of Basic. */
function keyIn(header: string): string {
  const [, scheme = '', value = ''] = /^(Bearer|Basic) +(\S+)$/i.exec(header) ?? [];
  if (scheme.toLowerCase() === 'bearer') return value;
  return Buffer.from(value, 'base64').toString().split(':')[0]!;
}

/** Every error in one form, also those of the server underneath. */
export function problemOf(error: Error & { statusCode?: number }): PaymentProblem {
  if (error instanceof PaymentProblem) return error;
  return error.statusCode !== undefined && error.statusCode < 500 ? invalid(error.message) : serverError();
}
