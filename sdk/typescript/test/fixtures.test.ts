// The fixtures that all SDKs share, decoded by this one.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { type Event, GodwitError, verifyWebhook } from '@godwit/sdk';
import { canonicalRequest } from '../src/core/credentials.ts';
import { refusalIn } from '../src/core/errors.ts';
import { hmacHex } from '../src/core/hmac.ts';
import { waitBefore } from '../src/core/retry.ts';
import { errorCodes } from '../src/words/error-codes.ts';
import { serviceSaying } from './fake-service.ts';

const fixture = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../fixtures/${name}.json`, import.meta.url), 'utf8'));

test('every error is read from its body, and goes again exactly where it says so', async () => {
  const errors = fixture('errors') as { status: number; body: { error: GodwitError } }[];
  assert.deepEqual(
    errors.map(({ body }) => body.error.code),
    [...errorCodes],
  );
  for (const { status, body } of errors) {
    const { code, retryable, retryAfterSeconds } = body.error;
    const asked = { method: 'GET', path: '/', idempotencyKey: null, attempts: 1 };
    const error = new GodwitError(status, refusalIn(JSON.stringify(body))!, asked);
    assert.ok(error.is(code));
    assert.equal(waitBefore(1, error), retryable ? retryAfterSeconds! * 1000 : null, code);
  }
});

test('every event is followed with its data whole, and one of a later type too', async () => {
  const events = fixture('events') as Event[];
  assert.ok(events.length > 130);
  const data = structuredClone(events);
  const body = { object: 'list', data, hasMore: false, nextCursor: null };
  const service = serviceSaying(new Response(JSON.stringify(body)));
  const heard: Event[] = [];
  for await (const event of service.client().events.follow({ after: 0 }))
    if (heard.push(event) === events.length) break;
  assert.deepEqual(heard, events);
});

type Vector = { name: string; body: string; header: string; secrets: string[]; now: string; holds: boolean };

for (const { name, body, header, secrets, now, holds } of fixture('signatures').webhooks as Vector[])
  test(`${holds ? 'genuine' : 'refused'}: a webhook, ${name}`, async () => {
    const verdict = verifyWebhook(body, header, secrets, { now: new Date(now) });
    if (holds) assert.deepEqual(await verdict, JSON.parse(body));
    else await assert.rejects(verdict, { name: 'WebhookSignatureError' });
  });

type SignedRequest = {
  method: string;
  path: string;
  query: [string, string][];
  body: string;
  timestamp: string;
  nonce: string;
  signingSecret: string;
  signature: string;
};

for (const request of fixture('signatures').requests as SignedRequest[])
  test(`${request.method} ${request.path} with ${request.query.length} parameters is signed as the service does`, async () => {
    const { signingSecret, signature } = request;
    const text = await canonicalRequest({ ...request, body: new TextEncoder().encode(request.body) });
    assert.equal(`v1=${await hmacHex(signingSecret, text)}`, signature);
  });
