// Forms with a file, as hostile or careless callers send them. Memory stays flat, and nothing is left behind.
// Runs in a process of its own: it measures the memory of its process.
import assert from 'node:assert/strict';
import net from 'node:net';
import { before, test } from 'node:test';
import { bearer } from '../../../test/harness/app.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { formOf, type MediaApp, startMediaApp } from '../../../test/harness/media.ts';
import { until } from '../../../test/harness/until.ts';
import { sha256Hex } from '../../platform/hashing.ts';
import { signatureOf } from '../api-keys/index.ts';
import * as make from './examine/files.test-data.ts';

const lifetime = sharedLifetime();
let app: MediaApp;
before(async () => {
  app = await startMediaApp(lifetime, { role: 'api' });
});

const detailsOf = (reply: { body: { error: { details: object[] } } }) => reply.body.error.details;

/** Writes a request by hand, as much of it as the test wants, and reads what comes back. */
function speak(headers: Record<string, string>) {
  const socket = net.connect(Number(new URL(app.url).port), '127.0.0.1');
  let heard = '';
  const answered = new Promise<string>((resolve) => {
    socket.on('data', (chunk) => {
      heard += chunk;
      if (heard.includes('\r\n\r\n{') || / 100 Continue\r\n\r\n$/.test(heard)) resolve(heard);
    });
    socket.on('close', () => resolve(heard));
    socket.on('error', () => resolve(heard));
  });
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  const all: Record<string, string> = {
    Host: 'a',
    Authorization: `Bearer ${app.sandboxKey}`,
    'Idempotency-Key': `by-hand-${Math.random()}`,
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  socket.write(`POST ${app.at}/media HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  return { socket, answered, closed };
}

test('the same form sent twice, with another boundary, makes one item', async () => {
  const headers = { 'idempotency-key': 'twice' };
  const bytes = await make.jpeg();
  const first = await app.upload(bytes, { headers, filename: 'a.jpg' });
  const second = await app.upload(bytes, { headers, filename: 'a.jpg' });
  assert.deepEqual([second.status, second.text], [202, first.text]);
  assert.equal(second.headers.get('idempotent-replayed'), 'true');
  for (const other of [{ filename: 'b.jpg' }, { filename: 'a.jpg', fields: { type: 'IMAGE' } }]) {
    const reply = await app.upload(bytes, { headers, ...other });
    assert.equal(reply.body.error.code, 'IDEMPOTENCY_KEY_REUSED');
  }
  assert.equal((await app.upload(await make.png(), { headers, filename: 'a.jpg' })).status, 409);
  assert.deepEqual(await app.spooled(), []);
});

test('twenty of the same form at once make one item', async () => {
  const before = await app.count('media');
  const bytes = await make.jpeg(21, 21);
  const headers = { 'idempotency-key': 'race' };
  const replies = await Promise.all(Array.from({ length: 20 }, () => app.upload(bytes, { headers })));
  const made = replies.filter(({ status }) => status === 202);
  assert.equal(new Set(made.map(({ text }) => text)).size, 1);
  for (const { status } of replies) assert.ok([202, 409].includes(status));
  assert.equal(await app.count('media'), before + 1);
});

test('every field of a form is judged, and every fault named', async () => {
  const bytes = Buffer.from('x');
  const cases: [Parameters<MediaApp['upload']>[1], object[]][] = [
    [
      { fields: { type: 'MOVIE' } },
      [{ path: 'type', issue: 'must be one of AUTO, IMAGE, AUDIO, VIDEO, DOCUMENT, STICKER' }],
    ],
    [{ fields: { surprise: '1' } }, [{ path: 'surprise', issue: 'is not a known property' }]],
    [{ fields: { url: 'https://a.example/' } }, [{ path: 'url', issue: 'is not a known property' }]],
    [
      { fields: { filename: 'a/b.jpg' } },
      [{ path: 'filename', issue: 'must be a file name without folders and invisible characters' }],
    ],
    [
      { fields: { filename: 'a\u202egpj.exe' } },
      [{ path: 'filename', issue: 'must be a file name without folders and invisible characters' }],
    ],
    [
      { fields: { declaredMime: 'x'.repeat(70_000) } },
      [{ path: 'declaredMime', issue: 'must be at most 65536 bytes' }],
    ],
  ];
  for (const [sent, details] of cases) {
    const reply = await app.upload(bytes, sent);
    assert.deepEqual([reply.status, detailsOf(reply)], [400, details]);
  }
  assert.deepEqual(await app.spooled(), []);
});

test('a form without a file, with two, with too many parts or broken is refused', async () => {
  const send = (body: Buffer, type: string) =>
    app.send('POST', `${app.at}/media`, { body, headers: { 'content-type': type } });
  const whole = formOf(Buffer.from('x'), {});
  const boundary = /boundary=(.*)/.exec(whole.type)![1]!;
  const part = (head: string, text: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${text}\r\n`;
  const form = (...parts: string[]) => Buffer.from(`${parts.join('')}--${boundary}--\r\n`);
  const file = part('name="file"; filename="a"', 'x');
  const issues: [Buffer, object][] = [
    [form(part('name="type"', 'AUTO')), { path: 'file', issue: 'is required' }],
    [form(file, file), { path: 'body', issue: 'must hold one file and at most 10 parts' }],
    [
      form(...Array(12).fill(part('name="type"', 'AUTO'))),
      { path: 'body', issue: 'must hold one file and at most 10 parts' },
    ],
    [
      form(part('name="type"', 'AUTO'), part('name="type"', 'AUTO'), file),
      { path: 'type', issue: 'must be given once' },
    ],
    [form(part('name="other"; filename="a"', 'x')), { path: 'other', issue: 'is not a known property' }],
    [whole.body.subarray(0, -10), { path: 'body', issue: 'is not a whole form' }],
    [Buffer.from('no form at all'), { path: 'body', issue: 'is not a whole form' }],
  ];
  for (const [body, detail] of issues) {
    const reply = await send(body, whole.type);
    assert.equal(reply.status, 400, reply.text);
    assert.deepEqual(detailsOf(reply)[0], detail);
  }
  const without = await send(whole.body, 'multipart/form-data');
  assert.deepEqual(detailsOf(without), [
    { path: 'Content-Type', issue: 'must be multipart/form-data with a boundary' },
  ]);
  assert.deepEqual(await app.spooled(), []);
});

test('who may not upload is refused before the file is read, and told so before sending it', async () => {
  const { key } = await app.key(['media:read']);
  for (const [headers, status] of [
    [{ Authorization: 'Bearer nonsense' }, 401],
    [{ Authorization: `Bearer ${key}` }, 403],
  ] as const) {
    const { socket, answered } = speak({
      ...headers,
      'Content-Type': 'multipart/form-data; boundary=b',
      'Content-Length': '5000000000',
      Expect: '100-continue',
    });
    const answer = await answered;
    assert.ok(answer.startsWith(`HTTP/1.1 ${status}`), answer);
    assert.ok(!answer.includes('100 Continue'));
    socket.destroy();
  }
});

test('who may is told to go on', async () => {
  const { body, type } = formOf(Buffer.from('hello'), {});
  const { socket, answered } = speak({
    'Content-Type': type,
    'Content-Length': String(body.length),
    Expect: '100-continue',
  });
  assert.match(await answered, /^HTTP\/1.1 100 Continue/);
  socket.write(body);
  const rest = await new Promise<string>((resolve) => socket.once('data', (chunk) => resolve(String(chunk))));
  assert.match(rest, /^HTTP\/1.1 202/);
  socket.destroy();
});

test('a stream of 5 GB is cut off at 100 MiB, without growing the process', async () => {
  const { head, type } = formOf(Buffer.alloc(0), {});
  const { socket, answered, closed } = speak({ 'Content-Type': type, 'Content-Length': '5000000000' });
  socket.write(head);
  const chunk = Buffer.alloc(1024 * 1024);
  const rssBefore = process.memoryUsage().rss;
  let highest = 0;
  let sent = 0;
  let done = false;
  void answered.then(() => {
    done = true;
  });
  while (!done && sent < 5000) {
    sent += 1;
    highest = Math.max(highest, process.memoryUsage().rss - rssBefore);
    if (!socket.write(chunk))
      await Promise.race([new Promise((drained) => socket.once('drain', drained)), answered]);
  }
  const answer = await answered;
  assert.match(answer, /^HTTP\/1.1 400/);
  assert.match(answer, /"path":"file","issue":"must be at most 104857600 bytes"/);
  await closed;
  assert.ok(sent < 1_000, `${sent} MiB were taken`);
  assert.ok(highest < 100 * 1024 * 1024, `the process grew by ${Math.round(highest / 1024 / 1024)} MiB`);
  assert.deepEqual(await app.spooled(), []);
});

test('a file of exactly 100 MiB is taken, one byte more is not', async () => {
  const most = Buffer.alloc(100 * 1024 * 1024, 'a');
  assert.equal((await app.upload(most)).status, 202);
  const over = await app.upload(Buffer.concat([most, Buffer.from('a')]));
  assert.deepEqual(detailsOf(over), [{ path: 'file', issue: 'must be at most 104857600 bytes' }]);
});

test('an upload that stops midway leaves neither an item nor a file', async () => {
  const before = await app.count('media');
  const { head, type } = formOf(Buffer.alloc(0), {});
  const { socket, closed } = speak({ 'Content-Type': type, 'Content-Length': '1000000' });
  socket.write(`${head}half of it`);
  await until('its beginning is spooled', async () => (await app.spooled()).length === 1);
  socket.destroy();
  await closed;
  await until('it is removed', async () => (await app.spooled()).length === 0);
  assert.deepEqual([await app.spooled(), await app.count('media')], [[], before]);
});

test('a signed upload is taken as signed and not otherwise', async () => {
  const { body: signer } = await app.post(`${app.at}/api-keys`, {
    name: 'Signer',
    scopes: ['media:write'],
    signingRequired: true,
  });
  const { body, type } = formOf(await make.jpeg(), {});
  const send = (bytes: Buffer, nonce: string) => {
    const timestamp = String(Math.floor(app.clock.now().getTime() / 1000));
    const parts = {
      method: 'POST',
      url: `${app.at}/media`,
      timestamp,
      nonce: nonce.padEnd(20, '0'),
      bodySha256: sha256Hex(body),
    };
    return app.send('POST', `${app.at}/media`, {
      body: bytes,
      headers: {
        authorization: '',
        'content-type': type,
        'x-service-key': signer.keyId,
        'x-service-timestamp': timestamp,
        'x-service-nonce': parts.nonce,
        'x-service-signature': signatureOf(signer.signingSecret, parts),
      },
    });
  };
  assert.equal((await send(body, 'good')).status, 202);
  const changed = Buffer.from(body);
  changed[body.length - 200] = changed[body.length - 200]! ^ 1;
  assert.equal((await send(changed, 'changed')).body.error.code, 'SIGNATURE_INVALID');
  assert.deepEqual(await app.spooled(), []);
});

test('other operations still take no form', async () => {
  const { body, type } = formOf(Buffer.from('x'), {});
  const reply = await app.send('POST', `${app.at}/media/uploads`, {
    body,
    headers: { 'content-type': type },
  });
  assert.deepEqual(detailsOf(reply), [{ path: 'Content-Type', issue: 'must be application/json' }]);
  const stranger = await app.newAccount();
  assert.equal((await app.upload(Buffer.from('x'), { headers: bearer(stranger.sandboxKey) })).status, 403);
});
