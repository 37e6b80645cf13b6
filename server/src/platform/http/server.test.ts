// The edges of HTTP: what is refused before, beside and after the operations, and that every refusal looks alike.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { before, test } from 'node:test';
import { bearer, type Reply, startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { ownAccounts } from '../../../test/harness/own-account.ts';
import { ownerPool } from '../../../test/harness/postgres.ts';
import { operations } from '../../main/modules.ts';
import { signatureOf } from '../../modules/api-keys/index.ts';
import { manualClock } from '../clock.ts';
import { sha256Hex } from '../hashing.ts';
import { silentLog } from '../observability/logging.ts';
import { createMetrics } from '../observability/metrics.ts';
import { noTracing } from '../observability/tracing.ts';
import { Closed, ErrorAnswer, Text } from './input/schema.ts';
import { judgeBy } from './input/validation.ts';
import { localBuckets } from './limits/rate-limit.ts';
import { type Operation, operation } from './operations/operation.ts';
import { buildServer, type ServerOptions } from './server.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

const isErrorBody = judgeBy(ErrorAnswer);

/** Every refusal, whatever its reason. */
function assertRefusal(answer: Reply, status: number, code: string, details?: object[]): void {
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
  assert.deepEqual(isErrorBody(answer.body), []);
  const { error } = answer.body;
  assert.equal(error.code, code);
  assert.match(error.docUrl, new RegExp(`^http://localhost:[0-9]+/docs/errors#${code}$`));
  assert.match(error.requestId, /^req_[0-9a-z]{16}$/);
  assert.equal(answer.headers.get('x-request-id'), error.requestId);
  assert.equal(error.retryable, error.retryAfterSeconds !== null);
  assert.equal(answer.headers.get('retry-after'), error.retryable ? String(error.retryAfterSeconds) : null);
  assert.equal(answer.headers.get('www-authenticate'), status === 401 ? 'Bearer' : null);
  if (details) assert.deepEqual(error.details, details);
}

function readAnswer(bytes: Buffer): Reply {
  const end = bytes.indexOf('\r\n\r\n');
  assert.ok(end > 0, `no answer in ${bytes.length} bytes`);
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const headers = new Headers(lines.map((line) => line.split(/: ?(.*)/s).slice(0, 2) as [string, string]));
  const text = bytes.subarray(end + 4).toString();
  const body = headers.get('content-type')?.includes('json') && text ? JSON.parse(text) : null;
  return { status: Number(first.split(' ')[1]), headers, text, body };
}

/** Writes bytes to a bare socket, and reads until the server hangs up. */
function talk(
  bytes: string | Buffer | (string | Buffer)[],
  port = Number(new URL(app.url).port),
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1');
    const received: Buffer[] = [];
    socket.on('data', (data) => received.push(data));
    // A server that refuses while we still write may reset the connection behind its answer.
    socket.on('error', (error) => (received.length > 0 ? undefined : reject(error)));
    socket.on('close', () => {
      try {
        resolve(readAnswer(Buffer.concat(received)));
      } catch (error) {
        reject(error);
      }
    });
    for (const part of [bytes].flat()) socket.write(part);
  });
}

const raw = (line: string, headers: Record<string, string> = {}, body = '') => {
  const all = {
    Host: 'localhost',
    Connection: 'close',
    Authorization: `Bearer ${app.sandboxKey}`,
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${line} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
};

const instruction = { task: 'TEMPLATE_APPEAL', resourceRef: 'r', instruction: 'Please appeal.' };
const record = (body: unknown, headers: object = {}) => app.post(`${app.at}/authorizations`, body, headers);

// ---- Route and method

test('a path that leads nowhere is a 404, with or without credentials', async () => {
  for (const path of [
    '/v1',
    '/v1/',
    '/v1/ME',
    '/v1/me/',
    '/v1//me',
    '/v2/me',
    '/v1/accounts',
    '/docs/',
    '/favicon.ico',
  ]) {
    assertRefusal(await app.get(path), 404, 'NOT_FOUND');
    assertRefusal(await app.post(path, {}, { authorization: '' }), 404, 'NOT_FOUND');
  }
});

test('the front door leads people to the reference and tells programs where things are', async () => {
  const browser = { authorization: '', accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
  const led = await app.get('/', browser);
  assert.deepEqual([led.status, led.headers.get('location')], [302, '/docs']);
  const told = await app.get('/', { authorization: '' });
  assert.equal(told.status, 200);
  for (const path of Object.values<string>(told.body)) assert.equal((await app.get(path)).status, 200, path);
  assert.deepEqual(
    [led, told].map(({ headers }) => headers.get('vary')),
    ['accept', 'accept'],
  );
});

test('HEAD answers as GET does, without the body', async () => {
  const list = `${app.at}/authorizations`;
  for (const path of [
    '/v1/me',
    list,
    `${list}?limit=1`,
    '/v1/errors',
    '/v1/openapi.json',
    '/healthz',
    '/docs/errors',
  ]) {
    const [get, head] = [await app.get(path), await app.send('HEAD', path)];
    assert.deepEqual([head.status, head.text], [200, ''], path);
    assert.equal(head.headers.get('content-type'), get.headers.get('content-type'));
    assert.equal(head.headers.get('content-length'), String(Buffer.byteLength(get.text)));
  }
  for (const [path, status] of [
    ['/v1/nowhere', 404],
    [`${list}?limit=0`, 400],
    [`${list}/00000000-0000-7000-8000-000000000000`, 404],
  ] as const)
    assert.equal((await app.send('HEAD', path)).status, status);
  assert.equal((await app.send('HEAD', '/v1/me', { headers: { authorization: '' } })).status, 401);
});

// ---- Broken requests

test('a URL with broken percent-encoding is refused', async () => {
  for (const path of ['/v1/%', '/v1/%zz', '/%c0%af', '/v1/accounts/%ff/authorizations'])
    assertRefusal(await talk(raw(`GET ${path}`)), 400, 'VALIDATION_ERROR', [
      { path: 'url', issue: 'is not a valid URL' },
    ]);
  const inQuery = await talk(raw(`GET ${app.at}/authorizations?cursor=%zz`));
  assert.equal(inQuery.body.error.details[0].path, 'cursor');
});

test('what is not HTTP is refused in the same words as everything else', async () => {
  for (const bytes of [
    'nonsense\r\n\r\n',
    'GET /v1/me HTTP/1.1\r\nHost : a\r\n\r\n',
    'GET /v1/me HTTP/1.1\r\nHost: a\r\nX-\0: b\r\n\r\n',
    'GET /v1/\0me HTTP/1.1\r\nHost: a\r\n\r\n',
    'FETCH /v1/me HTTP/1.1\r\nHost: a\r\n\r\n',
    'POST /v1/me HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n',
    'POST /v1/me HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}',
    'POST /v1/me HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ])
    assertRefusal(await talk(bytes), 400, 'VALIDATION_ERROR', [
      { path: 'request', issue: 'is not valid HTTP' },
    ]);
});

test('headers beyond 16 KiB are refused', async () => {
  const details = [{ path: 'headers', issue: 'must be at most 16 KiB' }];
  assertRefusal(
    await talk(raw('GET /v1/me', { 'X-Long': 'y'.repeat(17_000) })),
    400,
    'VALIDATION_ERROR',
    details,
  );
  assertRefusal(await talk(raw(`GET /v1/me?${'y'.repeat(17_000)}`)), 400, 'VALIDATION_ERROR', details);
  assert.equal((await talk(raw('GET /v1/me', { 'X-Long': 'y'.repeat(15_000) }))).status, 200);
});

test('a request without a Host is refused as HTTP/1.1 and served as HTTP/1.0', async () => {
  const bytes = `GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n`;
  assertRefusal(await talk(bytes), 400, 'VALIDATION_ERROR', [{ path: 'Host', issue: 'is required' }]);
  assert.equal((await talk(bytes.replace('1.1', '1.0'))).status, 200);
});

test('an unknown expectation is passed over', async () => {
  const answer = await talk(raw('GET /v1/me', { Expect: 'the-unexpected' }));
  assert.deepEqual([answer.status, answer.body.object], [200, 'me']);
});

// ---- Bodies

test('a body must be called JSON', async () => {
  const details = [{ path: 'Content-Type', issue: 'must be application/json' }];
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'text/json',
    'json',
    ';',
    'application/json/x',
  ])
    assertRefusal(await record(instruction, { 'content-type': type }), 400, 'VALIDATION_ERROR', details);
  for (const type of [
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=utf-8',
  ])
    assert.equal((await record(instruction, { 'content-type': type })).status, 201, type);
  const bare = raw(`POST ${app.at}/authorizations`, { 'Content-Length': '2', 'Idempotency-Key': 'k' }, '{}');
  assertRefusal(await talk(bare), 400, 'VALIDATION_ERROR', details);
});

test('an absent body is an empty one, so that the missing fields are named', async () => {
  const missing = ['instruction', 'resourceRef', 'task'].map((path) => ({ path, issue: 'is required' }));
  for (const body of [undefined, '', {}]) assertRefusal(await record(body), 400, 'VALIDATION_ERROR', missing);
});

test('a body that is no object is refused as a whole', async () => {
  for (const body of ['[]', 'null', '1', '"a"', 'true'])
    assertRefusal(await record(body), 400, 'VALIDATION_ERROR', [{ path: 'body', issue: 'must be object' }]);
  assertRefusal(await record('"\\u0000"'), 400, 'VALIDATION_ERROR', [
    { path: 'body', issue: 'must not hold NUL characters or lone surrogates' },
  ]);
  assertRefusal(await record('{'), 400, 'VALIDATION_ERROR', [
    { path: 'body', issue: 'must be valid JSON in UTF-8' },
  ]);
});

test('every bad part of a request is named at once', async () => {
  const answer = await app.post(
    `${app.at}/authorizations?debug=1&debug=2&x=1`,
    { task: 'NAP', resourceRef: 5, instruction: 'a', state: 'done' },
    { 'idempotency-key': 'x'.repeat(256) },
  );
  assertRefusal(answer, 400, 'VALIDATION_ERROR');
  const paths = answer.body.error.details.map(({ path }: { path: string }) => path);
  assert.deepEqual(paths.sort(), ['Idempotency-Key', 'debug', 'resourceRef', 'state', 'task', 'x']);
});

const mebibyte = 1024 * 1024;

test('a body may be 1 MiB and no more, announced or not', async () => {
  const details = [{ path: 'body', issue: 'must be at most 1048576 bytes' }];
  const full = JSON.stringify(instruction).padEnd(mebibyte, ' ');
  assert.equal((await record(full)).status, 201);
  assertRefusal(await record(`${full} `), 400, 'VALIDATION_ERROR', details);

  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': 'big' };
  const announced = raw(`POST ${app.at}/authorizations`, {
    ...headers,
    'Content-Length': String(50 * mebibyte),
  });
  assertRefusal(await talk([announced, '{']), 400, 'VALIDATION_ERROR', details);
  const chunked = raw(`POST ${app.at}/authorizations`, { ...headers, 'Transfer-Encoding': 'chunked' });
  const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
  assertRefusal(await talk([chunked, ...Array(17).fill(chunk)]), 400, 'VALIDATION_ERROR', details);
  const whole = await talk([chunked, ...Array(15).fill(chunk), `2\r\n{}\r\n0\r\n\r\n`]);
  assert.equal(whole.body.error.details[0].path, 'instruction');
});

test('a caller who may not is refused without his body being read', async () => {
  const { key } = await app.key(['contacts:read']);
  const headers = {
    Authorization: `Bearer ${key}`,
    'Content-Length': String(50 * mebibyte),
    'Content-Type': 'x',
  };
  assertRefusal(await talk(raw(`POST ${app.at}/authorizations`, headers)), 403, 'AUTHORIZATION_ERROR');
});

test('a caller who hangs up within the body does no harm', async () => {
  const port = Number(new URL(app.url).port);
  const headers = { 'Content-Type': 'application/json', 'Content-Length': '100', 'Idempotency-Key': 'gone' };
  for (let i = 0; i < 20; i += 1) {
    await new Promise<void>((resolve) => {
      const socket = net.connect(port, '127.0.0.1');
      socket.on('close', () => resolve());
      socket.write(raw(`POST ${app.at}/authorizations`, headers, '{"task":'), () => socket.resetAndDestroy());
    });
  }
  const failures = await app.get('/metrics');
  assert.doesNotMatch(failures.text, /godwit_http_errors_total\{code="INTERNAL/);
  assert.equal((await app.get('/v1/me')).status, 200);
});

// ---- Queries and paths

test('an unknown or repeated query parameter is refused by name', async () => {
  for (const [query, path, issue] of [
    ['debug=1', 'debug', 'is not a known property'],
    ['Limit=1', 'Limit', 'is not a known property'],
    ['limit[]=1', 'limit[]', 'is not a known property'],
    ['__proto__=1', '__proto__', 'is not a known property'],
    ['constructor=1', 'constructor', 'is not a known property'],
    ['limit=1&limit=1', 'limit', 'must be given once'],
    ['limit=1&%6Cimit=1', 'limit', 'must be given once'],
  ] as const)
    assertRefusal(await app.get(`${app.at}/authorizations?${query}`), 400, 'VALIDATION_ERROR', [
      { path, issue },
    ]);
  const none = await app.get('/v1/me?verbose=true');
  assertRefusal(none, 400, 'VALIDATION_ERROR', [{ path: 'verbose', issue: 'is not a known property' }]);
});

test('no query makes the answer longer than 100 lines', async () => {
  const names = Array.from({ length: 1_000 }, (_, i) => `p${i}&p${i}`).join('&');
  const answer = await app.get(`${app.at}/authorizations?${names}`);
  assertRefusal(answer, 400, 'VALIDATION_ERROR');
  assert.equal(answer.body.error.details.length, 100);
});

test('a NUL in a path or query is refused before anything is looked up', async () => {
  const issue = 'must not hold NUL characters or lone surrogates';
  const inPath = await app.get(`${app.at}/authorizations/a%00`);
  assertRefusal(inPath, 400, 'VALIDATION_ERROR', [
    { path: 'authorizationId', issue: 'must be a UUID' },
    { path: 'authorizationId', issue },
  ]);
  assertRefusal(await app.get(`${app.at}/authorizations?cursor=%00`), 400, 'VALIDATION_ERROR', [
    { path: 'cursor', issue },
  ]);
  assertRefusal(await app.get('/v1/accounts/%00/authorizations'), 403, 'AUTHORIZATION_ERROR');
  assertRefusal(await app.get('/v1/%00'), 404, 'NOT_FOUND');
});

test('an endless path parameter is refused like any other', async () => {
  assertRefusal(await app.get(`${app.at}/authorizations/${'a'.repeat(1_000)}`), 400, 'VALIDATION_ERROR');
  const longer = await app.get(`${app.at}/authorizations/${'a'.repeat(2_000)}`);
  assertRefusal(longer, 400, 'VALIDATION_ERROR', [{ path: 'url', issue: 'has too long a part' }]);
});

// ---- Every answer

test('every answer has a request id of its own', async () => {
  const answers = [
    await app.get('/v1/me'),
    await record(instruction),
    await app.get('/v1/nowhere'),
    await app.put('/v1/me'),
    await app.get('/v1/me', { authorization: '' }),
    await app.get('/v1/errors'),
    await app.get('/v1/openapi.json'),
    await app.get('/docs'),
    await app.get('/docs/errors'),
    await app.get('/healthz'),
    await app.get('/readyz'),
    await app.get('/metrics'),
    await talk(raw('GET /v1/%')),
    await talk('nonsense\r\n\r\n'),
    await talk(raw('GET /v1/me', { 'X-Long': 'y'.repeat(17_000) })),
    await app.get('/v1/me', { 'x-request-id': 'mine' }),
  ];
  const ids = answers.map(({ headers }) => headers.get('x-request-id') ?? '');
  for (const id of ids) assert.match(id, /^req_[0-9a-z]{16}$/);
  assert.equal(new Set(ids).size, answers.length);
});

// ---- The order of checks

const ownAccount = ownAccounts();

test('a request that is wrong in many ways hears of the first', async () => {
  const own = await ownAccount();
  const all = ['contacts:read', 'contacts:write'];
  const signer = await own.key(all);
  const weak = await own.key(['contacts:read']);
  const slow = await own.key(all);
  await own.sql('update api_keys set requests_per_second = 1 where id = $1', [slow.id]);
  await own.get('/v1/me', bearer(slow.key));
  await own.get('/v1/me', bearer(slow.key));
  const used = { 'idempotency-key': 'used' };
  assert.equal((await own.post(`${own.at}/authorizations`, instruction, used)).status, 201);

  const stranger = await own.newAccount();
  const foreignPath = `/v1/accounts/${stranger.accountSid}/authorizations`;
  const ownPath = `${own.at}/authorizations`;
  const badBody = { task: 'NAP' };
  const signed = {
    authorization: '',
    'x-service-key': signer.keyId,
    'x-service-timestamp': '1',
    'x-service-nonce': 'n'.repeat(16),
    'x-service-signature': 'v1=00',
  };
  // Each row is wrong in the way it is named for and in every way below it that it can be.
  for (const [first, path, body, headers, status, code] of [
    ['route', '/v1/nowhere', badBody, { authorization: '' }, 404, 'NOT_FOUND'],
    ['method', `${ownPath}/x`, badBody, { authorization: '' }, 405, 'METHOD_NOT_ALLOWED'],
    ['credentials', foreignPath, badBody, { authorization: 'Bearer x' }, 401, 'AUTHENTICATION_ERROR'],
    ['signature', foreignPath, badBody, signed, 401, 'SIGNATURE_INVALID'],
    ['account', foreignPath, badBody, bearer(weak.key), 403, 'AUTHORIZATION_ERROR'],
    ['scope', ownPath, badBody, bearer(weak.key), 403, 'AUTHORIZATION_ERROR'],
    ['rate limit', ownPath, badBody, bearer(slow.key), 429, 'RATE_LIMITED'],
    ['validation', ownPath, badBody, {}, 400, 'VALIDATION_ERROR'],
    ['idempotency', ownPath, { ...instruction, instruction: ' ' }, {}, 409, 'IDEMPOTENCY_KEY_REUSED'],
  ] as const) {
    const answer = await own.post(path, body, { ...used, ...headers });
    assertRefusal(answer, status, code);
    const { details } = answer.body.error;
    if (first === 'account') assert.equal(details, undefined);
    if (first === 'scope') assert.deepEqual(details, [{ path: 'scope', issue: 'needs contacts:write' }]);
  }
});

test('a key out of tokens still hears first that the account or scope is not its own', async () => {
  const own = await ownAccount();
  const { key, id } = await own.key(['contacts:read']);
  await own.sql('update api_keys set requests_per_second = 1 where id = $1', [id]);
  const stranger = await own.newAccount();
  const statuses: number[] = [];
  for (let i = 0; i < 3; i += 1)
    statuses.push((await own.get(`${own.at}/authorizations`, bearer(key))).status);
  assert.deepEqual(statuses, [200, 200, 429]);
  assert.equal(
    (await own.get(`/v1/accounts/${stranger.accountSid}/authorizations`, bearer(key))).status,
    403,
  );
  assert.equal((await own.post(`${own.at}/authorizations`, instruction, bearer(key))).status, 403);
});

test('with a signature the order is the same: signature, account, scope, validation', async () => {
  const own = await ownAccount();
  const signer = await own.key(['contacts:read']);
  const stranger = await own.newAccount();
  let count = 0;
  const signedPost = (path: string, body: object, change: object = {}) => {
    count += 1;
    const timestamp = String(Math.floor(own.clock.now().getTime() / 1000));
    const nonce = `nonce-${count}`.padEnd(20, '0');
    const signature = signatureOf(signer.signingSecret, {
      method: 'POST',
      url: path,
      timestamp,
      nonce,
      bodySha256: sha256Hex(JSON.stringify(body)),
    });
    return own.post(path, body, {
      authorization: '',
      'x-service-key': signer.keyId,
      'x-service-timestamp': timestamp,
      'x-service-nonce': nonce,
      'x-service-signature': signature,
      ...change,
    });
  };
  const foreignPath = `/v1/accounts/${stranger.accountSid}/authorizations`;
  const wrong = { 'x-service-signature': 'v1=00' };
  assertRefusal(await signedPost(foreignPath, {}, wrong), 401, 'SIGNATURE_INVALID');
  assertRefusal(await signedPost(foreignPath, {}), 403, 'AUTHORIZATION_ERROR');
  const unscoped = await signedPost(`${own.at}/authorizations`, {});
  assertRefusal(unscoped, 403, 'AUTHORIZATION_ERROR', [{ path: 'scope', issue: 'needs contacts:write' }]);
});

// ---- Whose address it is

test('X-Forwarded-For is ignored unless a trusted proxy sent it', async (context) => {
  const at = '203.0.113.9';
  for (const [trusted, through, from] of [
    ['', false, 401],
    ['10.0.0.0/8', false, 401],
    ['127.0.0.1', true, 200],
    ['127.0.0.0/8, 10.0.0.0/8', true, 200],
  ] as const) {
    const own = await startTestApp(context, { env: { TRUSTED_PROXIES: trusted } });
    const keys = await own.post(`${own.at}/api-keys`, {
      name: 'n',
      scopes: ['contacts:read'],
      allowedCidrs: [`${at}/32`],
    });
    const far = { ...bearer(keys.body.key), 'x-forwarded-for': at };
    assert.equal((await own.get('/v1/me', far)).status, from, trusted);
    assert.equal((await own.get('/v1/me', bearer(keys.body.key))).status, 401, 'from here itself');
    // Whatever stands before the last untrusted address was written by the caller.
    const forged = { ...far, 'x-forwarded-for': `${at}, 198.51.100.1` };
    assert.equal((await own.get('/v1/me', forged)).status, 401, trusted);
    if (through) {
      const chained = { ...far, 'x-forwarded-for': `198.51.100.1, ${at}, 127.0.0.1` };
      assert.equal((await own.get('/v1/me', chained)).status, 200, trusted);
    }
  }
});

test('an address that a proxy garbled fits no allow-list and breaks nothing', async (context) => {
  const own = await startTestApp(context, { env: { TRUSTED_PROXIES: '127.0.0.1' } });
  const made = await own.post(`${own.at}/api-keys`, {
    name: 'n',
    scopes: ['contacts:read'],
    allowedCidrs: ['0.0.0.0/0', '::/0'],
  });
  for (const address of [
    'unknown',
    '203.0.113.9:4711',
    '_hidden',
    '"[2001:db8::1]:80"',
    '::ffff:999.1.1.1',
    'a'.repeat(500),
  ]) {
    const answer = await own.get('/v1/me', { ...bearer(made.body.key), 'x-forwarded-for': address });
    assertRefusal(answer, 401, 'AUTHENTICATION_ERROR');
    assert.equal(
      (await own.get('/v1/me', { 'x-forwarded-for': address })).status,
      200,
      'a key without a list',
    );
  }
});

// ---- Pages beside the API

test('the documentation and the OpenAPI document are open to everyone', async () => {
  for (const path of ['/docs', '/docs/errors']) {
    const page = await app.get(path, { authorization: '' });
    assert.deepEqual([page.status, page.headers.get('content-type')], [200, 'text/html; charset=utf-8']);
  }
  const { status, body } = await app.get('/v1/openapi.json', { authorization: '' });
  assert.deepEqual([status, body.openapi, body.servers], [200, '3.1.0', [{ url: app.url }]]);
  const described = Object.values(body.paths).flatMap((path) => Object.values(path as object));
  assert.deepEqual(
    described.map(({ operationId }) => operationId).sort(),
    operations.map(({ id }) => id).sort(),
  );
});

test('metrics are read on this machine only', async (context) => {
  const own = await startTestApp(context, { env: { TRUSTED_PROXIES: '127.0.0.1' } });
  await own.get('/v1/me');
  const near = await own.get('/metrics', { authorization: '' });
  assert.equal(near.status, 200);
  assert.match(
    near.text,
    /^godwit_http_request_duration_seconds_count\{operation="getMe",status="200"\} 1$/m,
  );
  assertRefusal(await own.get('/metrics', { 'x-forwarded-for': '203.0.113.9' }), 404, 'NOT_FOUND');
});

test('with a token, metrics are read by whoever has it and by nobody else', async (context) => {
  const own = await startTestApp(context, {
    env: { METRICS_TOKEN: 'watchful', TRUSTED_PROXIES: '127.0.0.1' },
  });
  const far = { 'x-forwarded-for': '203.0.113.9' };
  assert.equal((await own.get('/metrics', { ...far, authorization: 'Bearer watchful' })).status, 200);
  for (const authorization of [
    '',
    'Bearer',
    'Bearer ',
    'Bearer watchfu',
    'Bearer watchfull',
    'watchful',
    `Bearer ${own.sandboxKey}`,
  ])
    assertRefusal(await own.get('/metrics', { authorization }), 404, 'NOT_FOUND');
});

test('the process tells that it lives, and that it is ready only while the database answers', async (context) => {
  const own = await startTestApp(context);
  assert.deepEqual((await own.get('/healthz')).body, { status: 'ok' });
  assert.deepEqual((await own.get('/readyz')).body, { status: 'ready' });
  const [session = { name: '', pid: 0 }] = await own.sql<{ name: string; pid: number }>(
    'select current_database() as name, pg_backend_pid() as pid',
  );
  const owner = ownerPool(process.env.TEST_DATABASE_URL!);
  try {
    await owner.query(`alter database ${session.name} with allow_connections false`);
    await owner.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> $2',
      [session.name, session.pid],
    );
    const answer = await own.get('/readyz');
    assert.deepEqual([answer.status, answer.body.status], [503, 'not ready']);
    assert.equal(answer.body.reason, 'the database does not answer');
    assert.equal((await own.get('/healthz')).status, 200);
  } finally {
    await owner.query(`alter database ${session.name} with allow_connections true`);
    await owner.end();
  }
  assert.equal((await own.get('/readyz')).status, 200);
});

// ---- Slow callers

/** A server with one open operation and no database, whose time limits can be shortened. */
async function smallServer(limits: { headersTimeout: number; requestTimeout: number }) {
  const echo = operation({
    id: 'echo',
    method: 'POST',
    path: '/echo',
    summary: '',
    tag: '',
    access: 'public',
    body: Closed({ text: Text(10) }),
    responses: { 200: Closed({ text: Text(10) }) },
    open: (_call, { body }) => body,
  }) as Operation;
  const policy = { name: 'address', perSecond: 100, burst: 100 };
  const serving = {
    clock: manualClock('2026-08-21T10:00:00Z'),
    buckets: localBuckets(),
    limits: { perAddress: policy, together: { most: 1 } },
    docsUrl: () => 'http://localhost:1/docs/errors',
    site: () => ({}),
  };
  const server = buildServer({
    operations: [echo],
    serving: serving as unknown as ServerOptions['serving'],
    publicUrl: () => 'http://localhost:1',
    trustedProxies: [],
    metrics: createMetrics(),
    tracing: noTracing,
    metricsToken: null,
    ready: async () => {},
    log: silentLog,
  });
  Object.assign(server.server, limits);
  await server.listen({ port: 0, host: '127.0.0.1' });
  lifetime.after(() => server.close());
  return (server.server.address() as AddressInfo).port;
}

test('a caller who sends his headers or his body too slowly is refused and let go', async () => {
  const [port, patient] = [
    await smallServer({ headersTimeout: 300, requestTimeout: 600 }),
    await smallServer({ headersTimeout: 60_000, requestTimeout: 60_000 }),
  ];
  const head = 'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
  const whole = await talk(`${head}Connection: close\r\nContent-Length: 12\r\n\r\n{"text":"a"}`, patient);
  assert.equal(whole.status, 200);
  const issue = 'must arrive in time: its headers within 10 seconds, all of it within 30';
  const slow = [
    head,
    `${head}Content-Length: 12\r\n\r\n{"text":`,
    `${head}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`,
  ];
  const answers = await Promise.all(slow.map((bytes) => talk(bytes, port)));
  for (const answer of answers) assertRefusal(answer, 400, 'VALIDATION_ERROR', [{ path: 'request', issue }]);
});

test('a connection on which nothing was asked is closed without a word', async () => {
  const socket = net.connect(await smallServer({ headersTimeout: 300, requestTimeout: 600 }), '127.0.0.1');
  let received = '';
  socket.on('data', (data) => {
    received += data;
  });
  await once(socket, 'close');
  assert.equal(received, '');
});

test('the limits of a slow caller are 10 seconds for headers and 30 for everything', async () => {
  const { server } = buildServer({
    operations: [],
    serving: { docsUrl: () => '' } as unknown as ServerOptions['serving'],
    publicUrl: () => '',
    trustedProxies: [],
    metrics: createMetrics(),
    tracing: noTracing,
    metricsToken: null,
    ready: async () => {},
    log: silentLog,
  });
  assert.deepEqual([server.headersTimeout, server.requestTimeout], [10_000, 30_000]);
});
