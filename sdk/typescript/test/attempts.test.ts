// When a request goes again, and when it must not.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ConnectionError, GodwitError } from '@godwit/sdk';
import { accountSid, json, refusal, serviceSaying } from './fake-service.ts';

const lost = () => new TypeError('fetch failed');
const message = { object: 'message', sid: 'SM01K3SAMP1E0000000000000000', status: 'queued' };
const text = { to: '+33612345678', type: 'text', text: { body: 'Hello' } } as const;
const busy = (seconds: number | null = 2) =>
  refusal(503, 'SERVICE_UNAVAILABLE', { retryable: true, retryAfterSeconds: seconds });
const keysOf = (seen: { headers: Headers }[]) => seen.map(({ headers }) => headers.get('idempotency-key'));

suite('a send', () => {
  test('whose answer got lost goes again under the same key, and another send has another key', async () => {
    const service = serviceSaying(lost(), lost(), json(201, message), json(201, message));
    const godwit = service.client();
    assert.deepEqual(await godwit.messages.send(text), message);
    await godwit.messages.send(text);
    const [first, second, third, other] = keysOf(service.seen);
    assert.match(first!, /^[0-9a-f-]{36}$/);
    assert.deepEqual([second, third], [first, first]);
    assert.notEqual(other, first);
    assert.equal(new Set(service.seen.map(({ body }) => body)).size, 1);
    assert.equal(service.seen[0]!.path, `/v1/accounts/${accountSid}/messages`);
  });

  test('goes again after as long as the refusal says', async () => {
    const service = serviceSaying(busy(7), busy(1), json(201, message));
    await service.client().messages.send(text);
    assert.deepEqual(service.waited, [7_000, 1_000]);
  });

  test('whose result is unknown at the provider never goes again, whatever the refusal says', async () => {
    const service = serviceSaying(
      refusal(500, 'PROVIDER_RESULT_UNKNOWN', { retryable: true, retryAfterSeconds: 1 }),
    );
    await assert.rejects(service.client().messages.send(text), (error: GodwitError) =>
      error.is('PROVIDER_RESULT_UNKNOWN'),
    );
    assert.equal(service.seen.length, 1);
  });

  test('that is refused for good does not go again', async () => {
    const service = serviceSaying(refusal(422, 'SERVICE_WINDOW_CLOSED'));
    await assert.rejects(service.client().messages.send(text), GodwitError);
    assert.equal(service.seen.length, 1);
    assert.deepEqual(service.waited, []);
  });

  test('goes at most five times, and the error names the key to ask again with', async () => {
    const service = serviceSaying(lost(), lost(), lost(), lost(), lost());
    await assert.rejects(service.client().messages.send(text), (error: ConnectionError) => {
      assert.ok(error instanceof ConnectionError);
      assert.equal(error.asked.attempts, 5);
      assert.equal(error.asked.idempotencyKey, keysOf(service.seen)[0]);
      return true;
    });
    assert.equal(service.waited.length, 4);
    for (const [at, ms] of service.waited.entries())
      assert.ok(ms >= 500 * 2 ** at && ms <= 625 * 2 ** at, `${ms}`);
  });

  test('does not go again where that would be more than a minute after the first time', async () => {
    const service = serviceSaying(busy(40), busy(30));
    await assert.rejects(service.client().messages.send(text), GodwitError);
    assert.deepEqual(service.waited, [40_000]);
  });

  test('takes a key of the caller, and other bounds for one call', async () => {
    const service = serviceSaying(busy());
    const options = { idempotencyKey: 'order-1001', patience: { retries: 0 } };
    await assert.rejects(service.client().messages.send(text, options), GodwitError);
    assert.deepEqual(keysOf(service.seen), ['order-1001']);
  });
});

suite('something on the way that is not the service', () => {
  const page = (status: number) => new Response('<h1>Bad gateway</h1>', { status });

  test('and may pass is like a lost answer', async () => {
    const service = serviceSaying(page(502), page(503), json(201, message));
    assert.deepEqual(await service.client().messages.send(text), message);
  });

  test('and will not pass is told at once', async () => {
    const service = serviceSaying(page(404));
    await assert.rejects(service.client().messages.send(text), /404, without an error of the service/);
    assert.equal(service.seen.length, 1);
  });

  test('and says 200 with a page is no answer', async () => {
    const service = serviceSaying(new Response('<h1>Welcome</h1>'), json(201, message));
    assert.deepEqual(await service.client().messages.send(text), message);
  });
});

suite('what takes no key', () => {
  const password = { email: 'ada@example.com', password: 'x', environment: 'sandbox' } as const;

  test('does not go again when its answer got lost, where a second time could do something else', async () => {
    const service = serviceSaying(lost());
    await assert.rejects(service.client().signIn.withPassword(password), ConnectionError);
    assert.deepEqual(keysOf(service.seen), [null]);
  });

  test('goes again when it was refused for a while, since nothing was done', async () => {
    const service = serviceSaying(busy(1), json(200, { object: 'sign_in' }));
    assert.deepEqual(await service.client().signIn.withPassword(password), { object: 'sign_in' });
  });

  test('and deletes goes again, and what is gone by then was deleted', async () => {
    const gone = () => refusal(404, 'RESOURCE_NOT_FOUND');
    const service = serviceSaying(lost(), gone());
    assert.equal(await service.client().webhooks.delete('WH1'), undefined);
    await assert.rejects(serviceSaying(gone()).client().webhooks.delete('WH1'), GodwitError);
    // What would answer with the thing itself cannot.
    await assert.rejects(serviceSaying(lost(), gone()).client().flows.forget('FL1'), GodwitError);
  });
});

suite('whoever asks', () => {
  test('is told after as long as they are ready to wait that no answer came', async () => {
    const silent = (signal: AbortSignal) =>
      new Promise<Response>((_, fail) => signal.addEventListener('abort', () => fail(signal.reason)));
    const service = serviceSaying();
    const godwit = service.client({
      fetch: (_, { signal }) => silent(signal!),
      patience: { attemptMs: 1, retries: 1 },
    });
    await assert.rejects(godwit.contacts.get('CT1'), /no answer within 1 ms/);
    assert.equal(service.waited.length, 1);
  });

  test('can stop asking, also between two attempts', async () => {
    const service = serviceSaying(busy(5));
    const stop = new AbortController();
    const godwit = service.client({
      clock: {
        now: () => 0,
        wait: async (_, signal) => {
          stop.abort(new Error('enough'));
          signal!.throwIfAborted();
        },
      },
    });
    await assert.rejects(godwit.contacts.get('CT1', { signal: stop.signal }), /^Error: enough$/);
    assert.equal(service.seen.length, 1);
    const early = service
      .client()
      .contacts.get('CT1', { signal: AbortSignal.abort(new Error('never mind')) });
    await assert.rejects(early, /^Error: never mind$/);
  });
});
