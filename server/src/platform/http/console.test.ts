import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import fastify from 'fastify';
import { type Console, type ConsoleFiles, serveConsole } from './console.ts';

const script = Buffer.from('export const here = "a script";\n'.repeat(50));
const files: ConsoleFiles = {
  html: '<!doctype html><title>Godwit</title>',
  assets: new Map([
    [
      'index-abc.js',
      {
        type: 'text/javascript; charset=utf-8',
        content: script,
        br: brotliCompressSync(script),
        gzip: gzipSync(script),
      },
    ],
    ['icon-abc.svg', { type: 'image/svg+xml', content: Buffer.from('<svg/>'), br: null, gzip: null }],
  ]),
};

function serving(state: ReturnType<Console['state']>) {
  const app = fastify();
  serveConsole(app, { state: () => state });
  return (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers });
}

suite('the console', () => {
  const get = serving(files);
  test('is one page under every address, kept nowhere and allowed nothing from elsewhere', async () => {
    for (const url of ['/console/', '/console/sandbox/AC1/messages?status=failed', '/console/a/b/c']) {
      const { statusCode, body, headers } = await get(url);
      assert.deepEqual([statusCode, body], [200, files.html], url);
      assert.equal(headers['cache-control'], 'no-store');
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(headers['cross-origin-opener-policy'], 'same-origin');
      const policy = String(headers['content-security-policy']);
      for (const rule of [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        'media-src blob:',
        "frame-ancestors 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
      ])
        assert.ok(policy.split('; ').includes(rule), rule);
      assert.doesNotMatch(policy, /unsafe|https?:|\*/);
    }
    const { statusCode, headers } = await get('/console');
    assert.deepEqual([statusCode, headers.location], [302, '/console/']);
  });
  test('has files that are kept for ever, in the form the browser takes', async () => {
    const asked = (encoding: string) => get('/console/assets/index-abc.js', { 'accept-encoding': encoding });
    for (const [encoding, coding] of [
      ['gzip, deflate, br, zstd', 'br'],
      ['gzip, deflate', 'gzip'],
      ['br;q=0, gzip', 'gzip'],
      ['br;q=0.5', 'br'],
      ['identity', undefined],
      ['brotli', undefined],
      ['', undefined],
    ] as const) {
      const { headers, rawPayload } = await asked(encoding);
      assert.equal(headers['content-encoding'], coding, encoding);
      const plain =
        coding === 'br'
          ? brotliDecompressSync(rawPayload)
          : coding === 'gzip'
            ? gunzipSync(rawPayload)
            : rawPayload;
      assert.deepEqual(plain, script, encoding);
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
      assert.equal(headers.vary, 'accept-encoding');
      assert.equal(headers['content-type'], 'text/javascript; charset=utf-8');
    }
    const { headers, body } = await get('/console/assets/icon-abc.svg', { 'accept-encoding': 'br' });
    assert.deepEqual([headers['content-encoding'], body], [undefined, '<svg/>']);
  });
  test('has no file that was not built', async () => {
    for (const name of ['index-old.js', '..%2findex.html', 'constructor', '__proto__'])
      assert.equal((await get(`/console/assets/${name}`)).statusCode, 404, name);
  });
});

suite('until there is a console', () => {
  test('its page says that it is being built, and asks for itself again', async () => {
    const get = serving('building');
    const { statusCode, headers, body } = await get('/console/sandbox');
    assert.equal(statusCode, 503);
    assert.match(body, /is being built/);
    assert.deepEqual([headers.refresh, headers['retry-after']], ['2', '2']);
    assert.equal(headers['cache-control'], 'no-store');
    assert.match(String(headers['content-security-policy']), /^default-src 'none'/);
    assert.equal((await get('/console/assets/index-abc.js')).statusCode, 404);
  });
  test('it says what to do where it could not be built, and does not ask again', async () => {
    for (const [state, says] of [
      ['failed', /godwit console build/],
      ['absent', /comes without it/],
    ] as const) {
      const { statusCode, headers, body } = await serving(state)('/console/');
      assert.deepEqual([statusCode, headers.refresh], [503, undefined]);
      assert.match(body, says);
    }
  });
});
