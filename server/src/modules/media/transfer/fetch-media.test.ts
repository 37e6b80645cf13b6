// Files fetched from where somebody says they are.
import assert from 'node:assert/strict';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { before, test } from 'node:test';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { type MediaApp, startMediaApp } from '../../../../test/harness/media.ts';
import * as make from '../examine/files.test-data.ts';

const lifetime = sharedLifetime();
let app: MediaApp;
let host: string;
const jpeg = await make.jpeg();
let stumbles = 0;

const pages: Record<string, (answer: http.ServerResponse) => void> = {
  '/photo.jpg': (answer) => answer.writeHead(200, { 'content-type': 'image/jpeg' }).end(jpeg),
  '/unnamed': (answer) => answer.writeHead(200).end(jpeg),
  '/lies.jpg': (answer) => answer.writeHead(200, { 'content-type': 'image/jpeg' }).end(make.pdf()),
  '/page': (answer) => answer.writeHead(200, { 'content-type': 'text/html' }).end('<html>no</html>'),
  '/gone': (answer) => answer.writeHead(404).end('no'),
  '/once': (answer) => answer.writeHead(302, { location: '/photo.jpg' }).end(),
  '/round': (answer) => answer.writeHead(302, { location: '/round' }).end(),
  '/metadata': (answer) =>
    answer.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end(),
  '/file': (answer) => answer.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  '/endless': (answer) => {
    answer.writeHead(200, { 'content-type': 'image/jpeg' });
    const chunk = Buffer.alloc(1024 * 1024);
    const more = () => {
      if (!answer.destroyed) answer.write(chunk, () => setImmediate(more));
    };
    more();
  },
  '/drip': (answer) => {
    answer.writeHead(200, { 'content-type': 'image/jpeg' });
    const timer = setInterval(() => answer.write('x'), 50);
    answer.on('close', () => clearInterval(timer));
  },
  '/half': (answer) => {
    answer.writeHead(200, { 'content-length': String(jpeg.length) });
    answer.write(jpeg.subarray(0, 100), () => answer.destroy());
  },
  '/stumbles.jpg': (answer) => {
    stumbles += 1;
    if (stumbles === 1) answer.writeHead(503).end();
    else answer.writeHead(200).end(jpeg);
  },
};

const anywhere = { ALLOW_PRIVATE_WEBHOOKS: 'true' };

before(async () => {
  app = await startMediaApp(lifetime, { env: { ...anywhere, MEDIA_FETCH_SECONDS: '600' } });
  const server = http.createServer((request, answer) => pages[request.url!]!(answer));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  lifetime.after(async () => {
    server.closeAllConnections();
    server.close();
  });
});

async function fetched(path: string, more: object = {}, by = app) {
  const reply = await by.post(`${by.at}/media`, { url: host + path, ...more });
  assert.equal(reply.status, 202, reply.text);
  return reply.body.sid as string;
}
const verdict = async (sid: string, by = app) => {
  const media = await by.settled(sid);
  return [media.status, media.scan.reasons.map(({ code }: { code: string }) => code).join(' ')];
};

test('a file is fetched, examined and READY, and named after its URL', async () => {
  const media = await app.settled(await fetched('/photo.jpg', { type: 'IMAGE' }));
  assert.deepEqual(
    [media.status, media.filename, media.declaredMime, media.sizeBytes],
    ['READY', 'photo.jpg', 'image/jpeg', jpeg.length],
  );
  assert.deepEqual(await verdict(await fetched('/unnamed')), ['READY', '']);
  assert.deepEqual(await verdict(await fetched('/once')), ['READY', '']);
});

test('what the host serves must be what it says, and what was asked for', async () => {
  assert.deepEqual(await verdict(await fetched('/lies.jpg')), [
    'REJECTED',
    'TYPE_MISMATCH EXTENSION_MISMATCH',
  ]);
  assert.deepEqual(await verdict(await fetched('/page')), ['REJECTED', 'UNSUPPORTED_TYPE']);
  assert.deepEqual(await verdict(await fetched('/photo.jpg', { type: 'DOCUMENT' })), [
    'REJECTED',
    'TYPE_MISMATCH',
  ]);
});

test('redirects to a private address, to a file or in a circle end in REJECTED', async () => {
  for (const path of ['/metadata', '/file', '/round', '/gone']) {
    assert.deepEqual(await verdict(await fetched(path)), ['REJECTED', 'FETCH_FAILED'], path);
  }
});

test('a URL that never ends is cut off at the limit', async () => {
  assert.deepEqual(await verdict(await fetched('/endless')), ['REJECTED', 'TOO_LARGE']);
  assert.deepEqual(await app.spooled(), []);
});

test('a host that fails is asked again, and given up after a quarter of an hour', async () => {
  const sid = await fetched('/stumbles.jpg');
  assert.deepEqual(await verdict(sid), ['READY', '']);
  assert.equal(stumbles, 2);
  const hasty = await startMediaApp(lifetime, { env: { ...anywhere, MEDIA_FETCH_SECONDS: '1' } });
  const slow = await Promise.all(['/drip', '/half'].map((path) => fetched(path, {}, hasty)));
  hasty.clock.advance(16 * 60_000);
  for (const one of slow) assert.deepEqual(await verdict(one, hasty), ['REJECTED', 'FETCH_FAILED']);
  assert.deepEqual(await hasty.spooled(), []);
});

test('a URL that may not be called is refused at once, each in its own words', async () => {
  const strict = await startMediaApp(lifetime, { role: 'api' });
  const issues: [string, string][] = [
    ['', 'The URL is not valid.'],
    ['photo.jpg', 'The URL is not valid.'],
    ['http://shop.example/a.jpg', 'The URL must use https.'],
    ['https://127.0.0.1/a.jpg', 'The address is not public.'],
    ['https://localhost/a.jpg', 'The host name is not public.'],
    ['file:///etc/passwd', 'The URL must use https.'],
    ['https://me:secret@shop.example/a.jpg', 'The URL must not contain a user name or password.'],
  ];
  for (const [url, issue] of issues) {
    const reply = await strict.post(`${strict.at}/media`, { url });
    assert.deepEqual([reply.status, reply.body.error.details], [400, [{ path: 'url', issue }]], url);
  }
});
