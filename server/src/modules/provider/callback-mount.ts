// Where the provider calls: the handshake by which it learns that the address is ours, and the callbacks themselves.

import { databaseFailure } from '../../platform/db/failures.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { equalHashes, equalInConstantTime, hmacSha256 } from '../../platform/hashing.ts';
import type { Mount } from '../../platform/http/mount.ts';
import type { StoredAnswer } from '../../platform/http/operations/idempotency.ts';
import type { Incoming, Serving } from '../../platform/http/operations/serving.ts';
import { oncePer } from '../../platform/once-per.ts';
import { callbackMetrics, environmentOf } from './callback-metrics.ts';
import type { CallbackHooks } from './hooks.ts';
import type { CallbackSecrets, ProviderCallbacks } from './ports.ts';
import { callbackStore } from './store-callbacks.ts';

const prefix = '/provider/callbacks';
// The provider promises 3 MB at most; twice as much leaves room for a promise stretched.
const maxBodyBytes = 6 * 1024 * 1024;

const answer = (status: number, body: string, headers: Record<string, string> = {}): StoredAnswer => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff', ...headers },
  body,
});

export const callbackMount = (hooks: () => CallbackHooks): Mount => ({
  name: 'providerCallbacks',
  prefix,
  maxBodyBytes,
  async answer(serving: Serving, incoming: Incoming, rawBody: Buffer): Promise<StoredAnswer> {
    const livemode = environments[incoming.url.split('?')[0]!.slice(prefix.length)];
    if (livemode === undefined) return answer(404, 'There is nothing here.');
    const secrets = serving.ports.providerCallbacks.secrets[environmentOf(livemode)];
    if (!secrets) return answer(404, notSetUp);
    if (incoming.method === 'GET') return shakeHands(incoming, secrets);
    if (incoming.method !== 'POST') return answer(405, 'GET and POST only.', { allow: 'GET, POST' });
    return receive(serving, incoming, secrets, { livemode, body: rawBody, hooks: hooks() });
  },
  refuse(error) {
    const passing = error instanceof ApiError ? error : databaseFailure(error);
    if (passing?.code === 'VALIDATION_ERROR') return answer(statusOf(passing.cause), wordsOf(passing));
    return passing?.code === 'INTERNAL_TEMPORARY_ERROR'
      ? answer(503, 'Not stored. Try again.', { 'retry-after': '2' })
      : null;
  },
  failed: answer(500, 'Not stored. Try again.'),
});

/** The framework's own status, 413 for too large a body, where the catalogue has one for all that is malformed. */
const statusOf = (cause: unknown) => (cause as { statusCode?: number } | undefined)?.statusCode ?? 400;
const wordsOf = ({ message, facts }: ApiError) =>
  [message, ...(facts.details ?? []).map(({ path, issue }) => `${path} ${issue}`)].join(' ');

const environments: Record<string, boolean | undefined> = { '/live': true, '/sandbox': false };
const notSetUp =
  'Live callbacks are not set up: the operator sets PROVIDER_APP_SECRET and PROVIDER_VERIFY_TOKEN.';

function shakeHands({ query }: Incoming, { verifyToken }: CallbackSecrets): StoredAnswer {
  const one = (name: string) => (typeof query[name] === 'string' ? query[name] : '');
  const proven = one('hub.mode') === 'subscribe' && equalInConstantTime(one('hub.verify_token'), verifyToken);
  return proven ? answer(200, one('hub.challenge')) : answer(403, 'The verify token is not ours.');
}

async function receive(
  serving: Serving,
  { headers }: Incoming,
  { appSecret }: CallbackSecrets,
  { livemode, body, hooks }: { livemode: boolean; body: Buffer; hooks: CallbackHooks },
): Promise<StoredAnswer> {
  const { callbacks } = callbackMetrics(serving.metrics);
  const count = (outcome: string) => callbacks.inc({ environment: environmentOf(livemode), outcome });
  if (!isSigned(headers['x-hub-signature-256'], body, appSecret)) {
    count('refused');
    return answer(401, 'The signature does not match the body.');
  }
  try {
    const receivedAt = serving.clock.now();
    const urgent = hasOptOut(serving.ports.providerCallbacks, hooks, body, receivedAt);
    await storeOf(serving)({ livemode, body, receivedAt, urgent });
  } catch (error) {
    count('failed');
    throw error;
  }
  count('stored');
  return answer(200, 'Stored.');
}

/**
 * Whether somebody asks in it to be left alone. Most callbacks report what became of messages and have neither of these words
 * in them, so that they need not be read before they are stored.
 */
function hasOptOut(
  { read }: ProviderCallbacks,
  { optOuts }: CallbackHooks,
  body: Buffer,
  receivedAt: Date,
): boolean {
  if (!body.includes('"messages":') && !body.includes('"user_preferences":')) return false;
  return read(body, receivedAt)?.changes.some((change) => optOuts.includes(change)) ?? false;
}

const signatureForm = /^sha256=([0-9a-f]{64})$/i;

function isSigned(header: string | string[] | undefined, body: Buffer, appSecret: string): boolean {
  const given = typeof header === 'string' ? signatureForm.exec(header)?.[1] : undefined;
  if (given === undefined) return false;
  return equalHashes(Buffer.from(given, 'hex'), hmacSha256(appSecret, body));
}

/** One for each server: whoever calls at the same time is stored together. */
const storeOf = oncePer(({ database }: Serving) => callbackStore(database));
