import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { request } from 'node:http';
import { test } from 'node:test';
import fc from 'fast-check';
import { bearer, type Reply, startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { ownAccounts } from '../../../test/harness/own-account.ts';
import { sha256Hex } from '../../platform/hashing.ts';
import type { JobContext } from '../../platform/jobs/jobs.ts';
import { sweepNonces } from './crons.ts';
import { canonicalRequest, isFresh, isNonce, signatureOf } from './request-signature.ts';

const newApp = ownAccounts();

// ---- The text that is signed

test('three requests are signed as worked out by hand', () => {
  for (const { secret, parts, canonical, signature } of [
    {
      secret: 'signing-secret',
      parts: { method: 'GET', url: '/v1/me', timestamp: '1787306400', nonce: 'abcdefghijklmnop', body: '' },
      canonical: [
        'v1',
        'GET',
        '/v1/me',
        '',
        '1787306400',
        'abcdefghijklmnop',
        'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      ],
      signature: '515f758ac52509dc8b8d968a8c84fe8dc60a7c40b943645fb5df8c0595a3eb9a',
    },
    {
      secret: 'another secret, with spaces',
      parts: {
        method: 'post',
        url: '/v1/accounts/AC01J5TQ6M00ABCDEFGHJKMNPQRS/authorizations?b=2&a=1&c=%7E+x%20y&a=0',
        timestamp: '1787306401',
        nonce: 'Nonce-with_both-',
        body: '{"instruction":"Déposez-le."}',
      },
      canonical: [
        'v1',
        'POST',
        '/v1/accounts/AC01J5TQ6M00ABCDEFGHJKMNPQRS/authorizations',
        'a=0&a=1&b=2&c=~%20x%20y',
        '1787306401',
        'Nonce-with_both-',
        '564711e0a562c257b1ba13909f25fd9967f4f7918da5943f0c2637565ba315bf',
      ],
      signature: '5445a3173ac88b76a8e92f7c647501d0202989f2b411a6dca7243e7a81862f7b',
    },
    {
      secret: 'k',
      parts: {
        method: 'PATCH',
        url: "/v1/caf%c3%a9/a%2fb/(x)!'*%7e?empty&=v&é=%C3%BC",
        timestamp: '1787306402',
        nonce: '0123456789012345678901234567890123456789',
        body: '[1, 2]\n',
      },
      canonical: [
        'v1',
        'PATCH',
        '/v1/caf%C3%A9/a%2Fb/%28x%29%21%27%2A~',
        '=v&%C3%A9=%C3%BC&empty=',
        '1787306402',
        '0123456789012345678901234567890123456789',
        '1fb3ffcf3df89e31f56932d4a64a23eede8a2f6707898bf14d1fc42a78286868',
      ],
      signature: '5a8c0b3f345bc5052df8f6dfcddfdbc2bdab2b0e53e02e5c2685a12afeb9af1c',
    },
  ]) {
    const { body, ...others } = parts;
    const given = { ...others, bodySha256: sha256Hex(body) };
    assert.equal(canonicalRequest(given), canonical.join('\n'));
    assert.equal(signatureOf(secret, given), `v1=${signature}`);
  }
});

const rest = { method: 'GET', timestamp: '1', nonce: 'n', bodySha256: sha256Hex('') };
const canonicalUrl = (url: string) =>
  canonicalRequest({ ...rest, url })
    .split('\n')
    .slice(2, 4)
    .join('?');

const strict = (text: string) =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
/** The same text with every byte escaped, in small letters. */
const escaped = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
const word = fc.string({ unit: 'grapheme', maxLength: 8 });
const pairs = fc.array(fc.tuple(word, word), { minLength: 1, maxLength: 6 });
const spellings = fc.constantFrom(strict, escaped, encodeURIComponent);

test('neither the order of the query nor the spelling of its escapes matters', () => {
  const shuffled = pairs.chain((all) =>
    fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
  );
  fc.assert(
    fc.property(shuffled, spellings, spellings, word, ([all, moved], one, other, part) => {
      const url = (spelled: typeof strict, query: [string, string][]) =>
        `/v1/${spelled(part)}?${query.map(([name, value]) => `${spelled(name)}=${spelled(value)}`).join('&')}`;
      assert.equal(canonicalUrl(url(one, all)), canonicalUrl(url(other, moved)));
    }),
    { numRuns: 1_000 },
  );
});

test('two different queries are never signed alike', () => {
  const sorted = (all: [string, string][]) => JSON.stringify(all.map((pair) => JSON.stringify(pair)).sort());
  const url = (all: [string, string][]) =>
    `/?${all.map(([name, value]) => `${strict(name)}=${strict(value)}`).join('&')}`;
  fc.assert(
    fc.property(pairs, pairs, (a, b) => {
      assert.equal(canonicalUrl(url(a)) === canonicalUrl(url(b)), sorted(a) === sorted(b));
    }),
    { numRuns: 1_000 },
  );
  for (const [a, b] of [
    ['/a/b', '/a%2Fb'],
    ['/a?b=c', '/a%3Fb=c'],
    ['/?a=1&b=2', '/?a=1%26b=2'],
    ['/?a=b=c', '/?a%3Db=c'],
    ['/?a=%2B', '/?a=+'],
    ['/?a=1', '/?a=1&a=1'],
    ['/a', '/a/'],
  ] as const)
    assert.notEqual(canonicalUrl(a), canonicalUrl(b));
});

test('a nonce is 16 to 128 characters that need no escaping', () => {
  for (const nonce of ['a'.repeat(16), 'Z9_-'.repeat(32)]) assert.equal(isNonce(nonce), true);
  for (const nonce of [
    '',
    'a'.repeat(15),
    'a'.repeat(129),
    `${'a'.repeat(16)}\n`,
    'a b'.repeat(8),
    'é'.repeat(16),
    'a.'.repeat(8),
  ])
    assert.equal(isNonce(nonce), false, nonce);
});

test('a timestamp is whole seconds within five minutes of now, on either side', () => {
  const now = new Date(1_787_306_400_000);
  for (const [offset, fresh] of [
    [0, true],
    [300, true],
    [-300, true],
    [301, false],
    [-301, false],
  ] as const)
    assert.equal(isFresh(String(1_787_306_400 + offset), now), fresh, String(offset));
  for (const text of [
    '',
    '1787306400.0',
    '1787306400000',
    '+1787306400',
    ' 1787306400',
    '0x6A87',
    'NaN',
    '1.7873064e9',
  ])
    assert.equal(isFresh(text, now), false, text);
});

// ---- Signed requests over HTTP

type Key = { id: string; key: string; keyId: string; signingSecret: string };

async function create(app: TestApp, more: object = {}): Promise<Key> {
  const scopes = ['contacts:read', 'contacts:write'];
  const { status, body } = await app.post(`${app.at}/api-keys`, { name: 'Signer', scopes, ...more });
  assert.equal(status, 201);
  return body;
}

const instruction = { task: 'TEMPLATE_APPEAL', resourceRef: 'r', instruction: 'Please appeal.' };

let nonces = 0;
const freshNonce = () => {
  nonces += 1;
  return `nonce-${String(nonces).padStart(12, '0')}`;
};

type Wish = { method?: string; path?: string; body?: unknown; offsetSeconds?: number; nonce?: string };

/** A signed request, made without any help of the service's own code. */
function sign(
  app: TestApp,
  key: Key,
  { method = 'GET', path = '/v1/me', body, offsetSeconds = 0, nonce = freshNonce() }: Wish = {},
) {
  const [route = '', query = ''] = path.split('?');
  const timestamp = String(Math.floor(app.clock.now().getTime() / 1000) + offsetSeconds);
  const text = body === undefined ? '' : JSON.stringify(body);
  const hash = createHash('sha256').update(text).digest('hex');
  const canonical = ['v1', method, route, query.split('&').sort().join('&'), timestamp, nonce, hash].join(
    '\n',
  );
  const signature = createHmac('sha256', key.signingSecret).update(canonical).digest('hex');
  const headers: Record<string, string> = {
    authorization: '',
    'x-service-key': key.keyId,
    'x-service-timestamp': timestamp,
    'x-service-nonce': nonce,
    'x-service-signature': `v1=${signature}`,
    ...(method !== 'GET' && { 'idempotency-key': `key-${nonce}` }),
  };
  return { method, path, text, headers };
}

type Signed = ReturnType<typeof sign>;

/** Sends it as it stands: fetch would mend the spelling of a URL. */
function send(app: TestApp, { method, path, text, headers }: Signed): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(app.url);
    const all = {
      ...headers,
      ...(text && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
    };
    const call = request({ hostname, port, method, path, headers: all, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk) => chunks.push(chunk));
      answer.on('end', () => {
        const received = Buffer.concat(chunks).toString();
        const kept = new Headers(answer.headers as Record<string, string>);
        resolve({
          status: answer.statusCode!,
          headers: kept,
          text: received,
          body: received && JSON.parse(received),
        });
      });
    });
    call.on('error', reject);
    call.end(text);
  });
}

const outcome = async (answer: Promise<Reply>) => {
  const { status, body } = await answer;
  return body?.error?.code ?? status;
};

test('replays use up what their key has at that address, and nothing of the other keys there', async () => {
  const app = await newApp();
  const [replayed, other] = [await create(app), await create(app)];
  const caught = sign(app, replayed);
  assert.equal(await outcome(send(app, caught)), 200);
  for (let i = 0; i < 60; i += 1) assert.equal(await outcome(send(app, caught)), 'SIGNATURE_REPLAYED');
  const refused = await send(app, caught);
  assert.deepEqual(
    [refused.status, refused.headers.get('ratelimit-policy')?.split(';')[0]],
    [429, '"replays"'],
  );
  assert.equal(await outcome(send(app, sign(app, other))), 200);
  assert.equal(await outcome(app.get('/v1/me')), 200);
  assert.equal(await outcome(send(app, sign(app, other, { offsetSeconds: -400 }))), 'SIGNATURE_INVALID');
  app.clock.advance(Number(refused.headers.get('retry-after')) * 1_000);
  assert.equal(await outcome(send(app, sign(app, replayed))), 200);
});

test('a signature is a credential by itself, and with the key it names beside it', async () => {
  const app = await newApp();
  const key = await create(app);
  const me = await send(app, sign(app, key));
  assert.deepEqual([me.status, me.body.principal], [200, { type: 'api_key', ref: key.id }]);
  const both = sign(app, key);
  Object.assign(both.headers, bearer(key.key));
  assert.equal(await outcome(send(app, both)), 200);
  const path = `${app.at}/authorizations`;
  assert.equal(await outcome(send(app, sign(app, key, { method: 'POST', path, body: instruction }))), 201);
  assert.equal(await app.count('authorizations'), 1);
});

test('a signature beside another key, or beside a broken one, is refused', async () => {
  const app = await newApp();
  const [key, other] = [await create(app), await create(app)];
  for (const text of [
    other.key,
    app.sandboxKey,
    key.key.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
    'nonsense',
  ]) {
    const signed = sign(app, key);
    Object.assign(signed.headers, bearer(text));
    assert.equal(await outcome(send(app, signed)), 'AUTHENTICATION_ERROR');
  }
});

test('a key that demands signatures takes nothing else', async () => {
  const app = await newApp();
  const key = await create(app, { signingRequired: true });
  assert.equal(await outcome(app.get('/v1/me', bearer(key.key))), 'SIGNATURE_REQUIRED');
  assert.equal(
    await outcome(app.get('/v1/me', { ...bearer(key.key), 'x-service-signature': 'v1=00' })),
    'SIGNATURE_REQUIRED',
  );
  assert.equal(
    await outcome(app.get('/v1/me', { ...bearer(key.key), 'x-service-key': key.keyId })),
    'SIGNATURE_REQUIRED',
  );
  for (const name of ['x-service-timestamp', 'x-service-nonce', 'x-service-signature']) {
    const signed = sign(app, key);
    delete signed.headers[name];
    assert.equal(await outcome(send(app, signed)), 'SIGNATURE_REQUIRED', name);
  }
  assert.equal(await outcome(send(app, sign(app, key))), 200);
  const wrong = key.key.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
  assert.equal(
    await outcome(app.get('/v1/me', bearer(wrong))),
    'AUTHENTICATION_ERROR',
    'told only to its holder',
  );
});

test('a signature covers the whole request: any change breaks it', async () => {
  const app = await newApp();
  const [key, other] = [await create(app), await create(app)];
  const path = `${app.at}/authorizations`;
  const post = () => sign(app, key, { method: 'POST', path: `${path}?a=1&b=2`, body: instruction });
  const changes: Record<string, (signed: Signed) => void> = {
    method: (signed) => {
      signed.method = 'GET';
      signed.text = '';
    },
    path: (signed) => {
      signed.path = signed.path.replace('authorizations', 'api-keys');
    },
    'a value of the query': (signed) => {
      signed.path = signed.path.replace('a=1', 'a=2');
    },
    'one more pair in the query': (signed) => {
      signed.path += '&c=3';
    },
    'one pair less in the query': (signed) => {
      signed.path = signed.path.replace('&b=2', '');
    },
    body: (signed) => {
      signed.text = signed.text.replace('Please', 'Pleese');
    },
    'white space in the body': (signed) => {
      signed.text += ' ';
    },
    'an empty body': (signed) => {
      signed.text = '';
    },
    timestamp: (signed) => {
      signed.headers['x-service-timestamp'] = String(Number(signed.headers['x-service-timestamp']) + 1);
    },
    nonce: (signed) => {
      signed.headers['x-service-nonce'] = freshNonce();
    },
    key: (signed) => {
      signed.headers['x-service-key'] = other.keyId;
    },
    'the last digit of the signature': (signed) => {
      signed.headers['x-service-signature'] = signed.headers['x-service-signature']!.replace(/.$/, (last) =>
        last === '0' ? '1' : '0',
      );
    },
    'the case of the signature': (signed) => {
      signed.headers['x-service-signature'] = signed.headers['x-service-signature']!.toUpperCase();
    },
    'the version of the signature': (signed) => {
      signed.headers['x-service-signature'] = signed.headers['x-service-signature']!.replace('v1=', 'v0=');
    },
    'an empty signature': (signed) => {
      signed.headers['x-service-signature'] = '';
    },
  };
  assert.equal(await outcome(send(app, post())), 'VALIDATION_ERROR', 'unchanged, it gets past the signature');
  for (const [name, change] of Object.entries(changes)) {
    const signed = post();
    change(signed);
    const answer = await send(app, signed);
    assert.deepEqual([answer.status, answer.body?.error?.code], [401, 'SIGNATURE_INVALID'], name);
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
  }
  assert.equal(await app.count('authorizations'), 0);
});

test('a proxy may reorder the query and respell its escapes without harm', async () => {
  const app = await newApp();
  const key = await create(app);
  const path = `${app.at}/authorizations`;
  const signed = sign(app, key, { path: `${path}?limit=5` });
  signed.path = `${path.replace('authorizations', '%61uthorization%73')}?%6Cimit=%35`;
  assert.equal(await outcome(send(app, signed)), 200);
  const two = sign(app, key, { path: `${path}?cursor=x&limit=5` });
  two.path = `${path}?limit=5&cursor=x`;
  assert.equal(
    await outcome(send(app, two)),
    'VALIDATION_ERROR',
    'the cursor is wrong, the signature is not',
  );
});

test('a signature is good for five minutes on either side of its time', async () => {
  const app = await newApp();
  const key = await create(app);
  for (const [offsetSeconds, expected] of [
    [300, 200],
    [-300, 200],
    [301, 'SIGNATURE_INVALID'],
    [-301, 'SIGNATURE_INVALID'],
  ] as const)
    assert.equal(
      await outcome(send(app, sign(app, key, { offsetSeconds }))),
      expected,
      String(offsetSeconds),
    );
  for (const nonce of ['short', 'x'.repeat(129), 'with a space in it'])
    assert.equal(await outcome(send(app, sign(app, key, { nonce }))), 'SIGNATURE_INVALID', nonce);
});

test('a signed request is taken once, also when it was refused later on', async () => {
  const app = await newApp();
  const key = await create(app);
  const path = `${app.at}/authorizations`;
  for (const [signed, first] of [
    [sign(app, key), 200],
    [sign(app, key, { method: 'POST', path, body: instruction }), 201],
    [sign(app, key, { method: 'POST', path, body: {} }), 'VALIDATION_ERROR'],
    [
      sign(app, key, { path: `/v1/accounts/${app.accountSid.replace(/.$/, 'Z')}/authorizations` }),
      'AUTHORIZATION_ERROR',
    ],
    [sign(app, key, { path: `${path}/00000000-0000-7000-8000-000000000000` }), 'NOT_FOUND'],
  ] as const) {
    assert.equal(await outcome(send(app, signed)), first);
    assert.equal(await outcome(send(app, signed)), 'SIGNATURE_REPLAYED');
  }
  app.clock.advance(299_000);
  const late = sign(app, key, { offsetSeconds: 300 });
  assert.equal(await outcome(send(app, late)), 200);
  app.clock.advance(600_000);
  assert.equal(await outcome(send(app, late)), 'SIGNATURE_REPLAYED', 'to the last second of its time');
  assert.equal(await app.count('authorizations'), 1);
});

test('of 50 copies sent at once one is taken', async () => {
  const app = await newApp();
  const signed = sign(app, await create(app));
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => outcome(send(app, signed))));
  assert.equal(outcomes.filter((code) => code === 200).length, 1);
  assert.equal(outcomes.filter((code) => code === 'SIGNATURE_REPLAYED').length, 49);
});

test('a nonce belongs to its key: another may use the same', async () => {
  const app = await newApp();
  const nonce = freshNonce();
  for (const key of [await create(app), await create(app)])
    assert.equal(await outcome(send(app, sign(app, key, { nonce }))), 200);
});

test('whoever cannot sign can use up no nonce', async () => {
  const app = await newApp();
  const key = await create(app);
  const signed = sign(app, key);
  const forged = { ...signed, headers: { ...signed.headers, 'x-service-signature': `v1=${'0'.repeat(64)}` } };
  const stale = sign(app, key, { nonce: signed.headers['x-service-nonce']!, offsetSeconds: -301 });
  for (const bad of [forged, stale]) assert.equal(await outcome(send(app, bad)), 'SIGNATURE_INVALID');
  assert.equal(await app.count('request_nonces'), 0);
  assert.equal(await outcome(send(app, signed)), 200);
});

test('that a signing key is disabled, expired or far from home shows only behind a good signature', async () => {
  const app = await newApp();
  const disabled = await create(app);
  await app.patch(`${app.at}/api-keys/${disabled.id}`, { disabled: true });
  const expired = await create(app, { expiresAt: '2026-08-21T10:00:01Z' });
  const away = await create(app, { allowedCidrs: ['192.0.2.0/24'] });
  app.clock.advance(1_000);
  for (const [key, expected] of [
    [disabled, 'API_KEY_DISABLED'],
    [expired, 'AUTHENTICATION_ERROR'],
    [away, 'AUTHENTICATION_ERROR'],
  ] as const) {
    const forged = sign(app, key);
    forged.headers['x-service-signature'] = 'v1=00';
    assert.equal(await outcome(send(app, forged)), 'SIGNATURE_INVALID');
    assert.equal(await outcome(send(app, sign(app, key))), expected);
  }
});

test('a rotated key signs with its new secret only', async () => {
  const app = await newApp();
  const key = await create(app);
  assert.equal(await outcome(send(app, sign(app, key))), 200);
  const { body: rotated } = await app.post(`${app.at}/api-keys/${key.id}/rotate`);
  assert.equal(await outcome(send(app, sign(app, rotated))), 200);
  assert.equal(
    await outcome(send(app, sign(app, { ...rotated, signingSecret: key.signingSecret }))),
    'SIGNATURE_INVALID',
  );
});

test('bad signatures count as bad credentials', async (context) => {
  const app = await startTestApp(context);
  const key = await create(app);
  for (let i = 0; i < 60; i += 1) {
    const forged = sign(app, key);
    forged.headers['x-service-signature'] = 'v1=00';
    assert.equal(await outcome(send(app, forged)), 'SIGNATURE_INVALID');
  }
  assert.equal(await outcome(send(app, sign(app, key))), 'RATE_LIMITED');
});

test('while nonces cannot be kept nothing is processed, and the same request is taken afterwards', async (context) => {
  const app = await startTestApp(context);
  const key = await create(app);
  const signed = sign(app, key, { method: 'POST', path: `${app.at}/authorizations`, body: instruction });
  await app.sql('alter table request_nonces rename to mislaid');
  const answer = await send(app, signed);
  await app.sql('alter table mislaid rename to request_nonces');
  const { code, retryable, retryAfterSeconds } = answer.body.error;
  assert.deepEqual(
    [answer.status, code, retryable, retryAfterSeconds],
    [503, 'SIGNING_UNAVAILABLE', true, 2],
  );
  assert.equal(answer.headers.get('retry-after'), '2');
  assert.equal(await app.count('authorizations'), 0);
  assert.equal(await outcome(send(app, signed)), 201);
});

test('a nonce is kept until its time cannot come again, and swept then', async (context) => {
  const app = await startTestApp(context);
  const key = await create(app);
  const [early, late] = [sign(app, key, { offsetSeconds: -300 }), sign(app, key, { offsetSeconds: 300 })];
  for (const signed of [early, late]) await send(app, signed);
  const sweep = () => sweepNonces.run({ database: app.database, now: () => app.clock.now() } as JobContext);
  const kept = async () =>
    (await app.sql<{ nonce: string }>('select nonce from request_nonces')).map(({ nonce }) => nonce);
  await sweep();
  assert.equal((await kept()).length, 2);
  app.clock.advance(1_001);
  await sweep();
  assert.deepEqual(await kept(), [late.headers['x-service-nonce']]);
  app.clock.advance(600_000);
  await sweep();
  assert.deepEqual(await kept(), []);
  for (const signed of [early, late]) assert.equal(await outcome(send(app, signed)), 'SIGNATURE_INVALID');
});
