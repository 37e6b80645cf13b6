// What a refusal for asking too often must tell: which limit it was, and when to come back.
import assert from 'node:assert/strict';
import { ApiError } from '../../src/platform/errors/errors.ts';
import type { Reply } from './app.ts';

type Limit = { name: string; policy: string; seconds: number };

export function assertLimitReached(reply: Reply, limit: Limit): void {
  assert.deepEqual([reply.status, reply.body?.error?.code], [429, 'RATE_LIMITED'], reply.text);
  assert.equal(reply.headers.get('retry-after'), String(limit.seconds));
  assertHeaders((name) => reply.headers.get(name), limit);
}

/** The same of a refusal that was thrown and not yet answered. */
export function isLimitReached(error: unknown, limit: Limit): true {
  assert.ok(error instanceof ApiError);
  assert.deepEqual([error.code, error.retryAfterSeconds], ['RATE_LIMITED', limit.seconds]);
  assertHeaders((name) => error.facts.headers?.[name], limit);
  return true;
}

function assertHeaders(read: (name: string) => unknown, { name, policy, seconds }: Limit): void {
  assert.equal(read('ratelimit-policy'), `"${name}";${policy}`);
  assert.equal(read('ratelimit'), `"${name}";r=0;t=${seconds}`);
}
