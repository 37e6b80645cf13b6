// How a client is made, whom it asks for, and what of an answer reaches the caller.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { cookies, Godwit, GodwitError } from '@godwit/sdk';
import { canonicalRequest } from '../src/core/credentials.ts';
import { accountSid, json, refusal, serviceSaying } from './fake-service.ts';

const contact = { object: 'contact', sid: 'CT01K3SAMP1E0000000000000000' };
const page = (data: unknown[], nextCursor: string | null = null) =>
  json(200, { object: 'list', data, hasMore: nextCursor !== null, nextCursor });

suite('the account', () => {
  test('is the key’s own, asked for once however many ask at once', async () => {
    const me = json(200, { object: 'me', accountSid, livemode: false });
    const service = serviceSaying(me, json(200, contact), json(200, contact));
    const godwit = service.client({ accountSid: undefined });
    await Promise.all([godwit.contacts.get('CT1'), godwit.contacts.get('CT2')]);
    assert.deepEqual(
      service.seen.map(({ path }) => path),
      ['/v1/me', `/v1/accounts/${accountSid}/contacts/CT1`, `/v1/accounts/${accountSid}/contacts/CT2`],
    );
  });

  test('is asked for again where that failed, and must be given where a person has several', async () => {
    const several = json(200, { object: 'me', accountSid: null });
    const service = serviceSaying(refusal(401, 'AUTHENTICATION_ERROR'), several);
    const godwit = service.client({ accountSid: undefined });
    await assert.rejects(godwit.contacts.get('CT1'), GodwitError);
    await assert.rejects(godwit.contacts.get('CT1'), /give accountSid/);
  });

  test('can be another for one call', async () => {
    const service = serviceSaying(json(200, contact));
    await service.client().contacts.get('CT1', { accountSid: 'AC2' });
    assert.equal(service.seen[0]!.path, '/v1/accounts/AC2/contacts/CT1');
  });
});

suite('credentials', () => {
  test('are one and no more', () => {
    assert.throws(() => new Godwit({}), /one of key, signing and credentials/);
    assert.throws(() => new Godwit({ key: 'k', credentials: { headersFor: () => ({}) } }), /one of/);
    assert.throws(() => new Godwit({ key: 'k', baseUrl: 'localhost' }), /baseUrl is no address/);
  });

  test('of a key travel as a bearer token, to that host alone', async () => {
    const service = serviceSaying(json(200, contact));
    await service.client().contacts.get('CT1');
    assert.equal(service.seen[0]!.headers.get('authorization'), 'Bearer gw_test_key');
  });

  test('that sign cover method, path, query and body, with a new nonce at every attempt', async () => {
    const service = serviceSaying(new TypeError('fetch failed'), json(201, contact));
    const key = { keyId: 'kid', signingSecret: 'secret', now: () => new Date('2026-08-21T10:00:00Z') };
    await service.client({ key: undefined, signing: key }).contacts.create({ identifiers: [] });
    const [first, second] = service.seen.map(({ headers }) => headers);
    assert.equal(first!.get('authorization'), null);
    assert.equal(first!.get('x-service-key'), 'kid');
    assert.equal(first!.get('x-service-timestamp'), '1787306400');
    assert.notEqual(first!.get('x-service-nonce'), second!.get('x-service-nonce'));
    assert.notEqual(first!.get('x-service-signature'), second!.get('x-service-signature'));
    assert.match(second!.get('x-service-signature')!, /^v1=[0-9a-f]{64}$/);
    assert.equal(first!.get('idempotency-key'), second!.get('idempotency-key'));
  });

  test('that sign write the query in one order and one spelling', async () => {
    const empty = new Uint8Array();
    const query: [string, string][] = [
      ['b', 'é (1)'],
      ['a', '2'],
      ['a', '1'],
    ];
    const request = { method: 'get', path: '/v1/x', query, body: empty, timestamp: '1', nonce: 'n' };
    assert.equal((await canonicalRequest(request)).split('\n')[3], 'a=1&a=2&b=%C3%A9%20%281%29');
  });

  test('of a page repeat the session’s token on writes, and read it again once it no longer holds', async () => {
    const stale = refusal(403, 'AUTHORIZATION_ERROR', {
      details: [{ path: 'X-CSRF-Token', issue: 'must repeat the csrfToken of this session' }],
    });
    const service = serviceSaying(json(200, contact), json(201, contact), stale, json(201, contact));
    let reads = 0;
    const credentials = cookies({ csrfToken: async () => `token-${++reads}` });
    const godwit = service.client({ key: undefined, credentials });
    await godwit.contacts.get('CT1');
    await godwit.contacts.create({ identifiers: [] });
    await godwit.contacts.create({ identifiers: [] });
    assert.deepEqual(
      service.seen.map(({ headers }) => headers.get('x-csrf-token')),
      [null, 'token-1', 'token-1', 'token-2'],
    );
    const [, , refused, again] = service.seen.map(({ headers }) => headers.get('idempotency-key'));
    assert.equal(refused, again);
  });

  test('of a page that shows one environment name it on reads and writes', async () => {
    const service = serviceSaying(json(200, contact), json(201, contact));
    const credentials = cookies({ csrfToken: async () => 'token', environment: 'sandbox' });
    const godwit = service.client({ key: undefined, credentials });
    await godwit.contacts.get('CT1');
    await godwit.contacts.create({ identifiers: [] });
    assert.deepEqual(
      service.seen.map(({ headers }) => headers.get('x-environment')),
      ['sandbox', 'sandbox'],
    );
  });

  test('of a page send its cookies, and those of a key send none', async () => {
    const modes: unknown[] = [];
    const asking = (more: object) =>
      new Godwit({
        baseUrl: '',
        accountSid,
        fetch: async (url, init) => {
          modes.push(url, init.credentials);
          return json(200, contact);
        },
        ...more,
      }).contacts.get('CT1');
    await asking({ credentials: cookies({ csrfToken: async () => 'token' }) });
    await asking({ key: 'gw_test_key' });
    const url = `/v1/accounts/${accountSid}/contacts/CT1`;
    assert.deepEqual(modes, [url, 'same-origin', url, 'omit']);
  });
});

suite('an answer', () => {
  test('reaches the caller whole: fields and words that came later pass', async () => {
    const later = { ...contact, wings: 2, status: 'hovering', nested: { also: [null] } };
    const service = serviceSaying(json(200, later));
    assert.deepEqual(await service.client().contacts.get('CT1'), later);
  });

  test('that refuses says code, places, request and what was asked', async () => {
    const details = [{ path: 'to', issue: 'is required' }];
    const service = serviceSaying(refusal(422, 'A_LATER_CODE', { details, requestId: 'req_1', hint: 'new' }));
    await assert.rejects(service.client().contacts.get('CT1'), (error: GodwitError) => {
      assert.ok(error.is('A_LATER_CODE') && error.is('CONFLICT', 'A_LATER_CODE') && !error.is('CONFLICT'));
      assert.equal(error.message, 'A_LATER_CODE: No. (to is required)');
      assert.deepEqual([error.status, error.requestId, error.asked.method], [422, 'req_1', 'GET']);
      assert.deepEqual(error.details, details);
      assert.equal((error.body as unknown as { hint: string }).hint, 'new');
      return true;
    });
  });

  test('without a body is nothing, and one of another type is handed over as it comes', async () => {
    const csv = new Response('contactSid\n', { headers: { 'content-type': 'text/csv' } });
    const service = serviceSaying(new Response(null, { status: 204 }), csv);
    const godwit = service.client();
    assert.equal(await godwit.webhooks.delete('WH1'), undefined);
    assert.equal(await (await godwit.contactFiles.downloadExport('OP1')).text(), 'contactSid\n');
    assert.equal(service.seen[1]!.headers.get('accept'), '*/*');
  });
});

suite('a list', () => {
  test('awaited is its first page, asked for once', async () => {
    const service = serviceSaying(page([contact], 'next'));
    const list = service.client().contacts.list({ limit: 1, identifier: '+336 12' });
    assert.deepEqual((await list).data, [contact]);
    assert.equal((await list).nextCursor, 'next');
    assert.equal(service.seen[0]!.path, `/v1/accounts/${accountSid}/contacts?limit=1&identifier=%2B336%2012`);
  });

  test('iterated is every item of every page, each page asked for when it is needed', async () => {
    const service = serviceSaying(page([1, 2], 'a+b'), page([], 'c'), page([3]));
    const items: unknown[] = [];
    for await (const item of service.client().contacts.list({ limit: 2 })) {
      items.push(item);
      if (items.length === 1) assert.equal(service.seen.length, 1);
    }
    assert.deepEqual(items, [1, 2, 3]);
    assert.deepEqual(
      service.seen.map(({ path }) => path.split('?')[1]),
      ['limit=2', 'limit=2&cursor=a%2Bb', 'limit=2&cursor=c'],
    );
  });

  test('left early asks for no more', async () => {
    const service = serviceSaying(page([1], 'next'));
    for await (const item of service.client().contacts.list()) {
      assert.equal(item, 1);
      break;
    }
    assert.equal(service.seen.length, 1);
  });
});

suite('what is sent', () => {
  test('never turns into another request by an empty or climbing id', async () => {
    const godwit = serviceSaying().client();
    for (const wrong of ['', '.', '..', undefined, null])
      assert.throws(() => godwit.contacts.get(wrong as string), /cannot stand in a path/);
    const service = serviceSaying(json(200, contact));
    await service.client().contacts.get('../../me?x=1#y');
    assert.equal(service.seen[0]!.path, `/v1/accounts/${accountSid}/contacts/..%2F..%2Fme%3Fx%3D1%23y`);
  });

  test('is a form where it carries a file, also when it is signed', async () => {
    for (const how of [{}, { key: undefined, signing: { keyId: 'k', signingSecret: 's' } }]) {
      const service = serviceSaying(async ({ headers, body }) => {
        const form = await new Response(body, {
          headers: { 'content-type': headers.get('content-type') ?? '' },
        })
          .formData()
          .catch(() => null);
        return json(201, { object: 'media', form: form && [...form.keys()] });
      });
      const file = new File(['GIF89a'], 'bird.gif', { type: 'image/gif' });
      const media = await service.client(how).media.create({ file, type: 'IMAGE' });
      if ('signing' in how) assert.deepEqual(media, { object: 'media', form: ['type', 'file'] });
      else assert.match(service.seen[0]!.body, /filename="bird.gif"[\s\S]*GIF89a/);
    }
  });
});
