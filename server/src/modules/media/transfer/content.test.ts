// The content of a READY item: whole, in part, and never as a page.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { type MediaApp, startMediaApp } from '../../../../test/harness/media.ts';
import { sha256Hex } from '../../../platform/hashing.ts';

const lifetime = sharedLifetime();
const text = 'abcdefghijklmnopqrstuvwxyz';
const etag = `"${sha256Hex(text)}"`;
let app: MediaApp;
let path: string;
before(async () => {
  app = await startMediaApp(lifetime);
  const { sid } = await app.take(Buffer.from(text), { fields: { filename: 'l’été "1".txt' } });
  path = `${app.at}/media/${sid}/content`;
});

test('it comes as a file to be saved, with its type, and as nothing a browser would run', async () => {
  const { status, text: body, headers } = await app.get(path);
  assert.deepEqual([status, body, headers.get('content-length')], [200, text, '26']);
  assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8');
  assert.equal(
    headers.get('content-disposition'),
    `attachment; filename="l__t_ _1_.txt"; filename*=UTF-8''l%E2%80%99%C3%A9t%C3%A9%20%221%22.txt`,
  );
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  assert.equal(headers.get('content-security-policy'), "default-src 'none'; sandbox");
  assert.equal(headers.get('etag'), etag);
});

test('HEAD tells the same and sends nothing', async () => {
  const { status, text: body, headers } = await app.send('HEAD', path);
  assert.deepEqual([status, body, headers.get('content-length'), headers.get('etag')], [200, '', '26', etag]);
});

test('a range is served as asked, and one beyond the end is refused with the length', async () => {
  const cases: [string, number, string, string | null][] = [
    ['bytes=0-4', 206, 'abcde', 'bytes 0-4/26'],
    ['bytes=20-', 206, 'uvwxyz', 'bytes 20-25/26'],
    ['bytes=-3', 206, 'xyz', 'bytes 23-25/26'],
    ['bytes=-99', 206, text, 'bytes 0-25/26'],
    ['bytes=25-99', 206, 'z', 'bytes 25-25/26'],
    ['bytes=26-', 416, '', 'bytes */26'],
    ['bytes=-0', 416, '', 'bytes */26'],
    ['bytes=5-2', 200, text, null],
    ['bytes=0-1,3-4', 200, text, null],
    ['bytes=a-b', 200, text, null],
    ['lines=0-1', 200, text, null],
    ['bytes=-', 200, text, null],
  ];
  for (const [range, status, body, place] of cases) {
    const reply = await app.get(path, { range });
    assert.deepEqual(
      [reply.status, reply.text, reply.headers.get('content-range')],
      [status, body, place],
      range,
    );
  }
});

test('a range holds only for the content it was meant for, and what is known is not sent again', async () => {
  const range = 'bytes=0-4';
  assert.equal((await app.get(path, { range, 'if-range': etag })).status, 206);
  assert.equal((await app.get(path, { range, 'if-range': '"other"' })).status, 200);
  const known = await app.get(path, { 'if-none-match': `"x", ${etag}` });
  assert.deepEqual([known.status, known.text, known.headers.get('etag')], [304, '', etag]);
});
