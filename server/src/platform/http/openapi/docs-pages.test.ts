import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../../../../test/harness/browser.ts';
import { errorCatalogue } from '../../errors/error-catalogue.ts';
import { docsPages } from './docs-pages.ts';

const openapi = {
  openapi: '3.1.0',
  info: { title: 'Birds', version: '1' },
  servers: [{ url: '/' }],
  components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  security: [{ key: [] }],
  paths: {
    '/v1/birds': {
      get: {
        summary: 'List the birds',
        operationId: 'listBirds',
        responses: { 200: { description: 'All' } },
      },
    },
  },
};

let app: FastifyInstance;
let browser: Browser;
let origin: string;

before(async () => {
  app = Fastify();
  docsPages(app, { openapiUrl: '/v1/openapi.json' });
  app.get('/v1/openapi.json', () => openapi);
  app.get('/v1/birds', () => ({ items: ['bar-tailed'] }));
  origin = await app.listen({ port: 0, host: '127.0.0.1' });
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  await app?.close();
});

// A breach of the content security policy reaches the console as an error, like any other fault of a page.
function watch(page: Page) {
  const seen = { hosts: new Set<string>(), faults: [] as string[] };
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol !== 'data:') seen.hosts.add(url.origin);
  });
  page.on('console', (message) => message.type() === 'error' && seen.faults.push(message.text()));
  page.on('pageerror', (error) => seen.faults.push(error.message));
  page.on('requestfailed', (request) => seen.faults.push(`failed: ${request.url()}`));
  return seen;
}

test('the reference shows an operation and tries it out, all from our own origin', async () => {
  const page = await browser.newPage();
  const seen = watch(page);
  await page.goto(`${origin}/docs`);
  await page.getByRole('heading', { name: 'List the birds' }).scrollIntoViewIfNeeded();
  await page.getByRole('button', { name: /test request/i }).click();
  const answer = page.waitForResponse(`${origin}/v1/birds`);
  await page.getByRole('button', { name: /^send/i }).first().click();
  assert.equal((await answer).status(), 200);
  await page.getByText('bar-tailed').waitFor();
  assert.deepEqual(seen, { hosts: new Set([origin]), faults: [] });
  await page.close();
});

test('the watch above would notice a foreign host and a breach of the policy', async () => {
  const page = await browser.newPage();
  await page.goto(`${origin}/docs`);
  const seen = watch(page);
  await page.evaluate("fetch('http://elsewhere.invalid/').catch(() => {})");
  await page.evaluate("document.head.append(Object.assign(document.createElement('script'), { text: '1' }))");
  assert.match(seen.faults.join('\n'), /connect-src.*script-src/s);
  await page.close();
});

test('the errors page explains every error of the catalogue', async () => {
  const page = await browser.newPage();
  const seen = watch(page);
  await page.goto(`${origin}/docs/errors`);
  for (const [code, { status, type, message, remedy }] of Object.entries(errorCatalogue)) {
    const text = (await page.locator(`[id="${code}"]`).textContent()) ?? '';
    for (const part of [code, `${status} `, type, message, remedy])
      assert.ok(text.includes(part), `${code}: ${part}`);
  }
  assert.equal(await page.locator('article').count(), Object.keys(errorCatalogue).length);
  assert.deepEqual(seen, { hosts: new Set([origin]), faults: [] });
  await page.close();
});

test('the errors page says whether to retry, and after how long', async () => {
  const page = await browser.newPage();
  await page.goto(`${origin}/docs/errors`);
  const facts = (code: string) => page.locator(`[id="${code}"] .facts`).textContent();
  assert.match((await facts('AUTHENTICATION_ERROR')) ?? '', /Not retryable/);
  assert.match((await facts('SIGNING_UNAVAILABLE')) ?? '', /Retryable after 2 seconds/);
  const texts = await page.locator('.retry').allTextContents();
  assert.equal(texts.length, Object.values(errorCatalogue).filter(({ retryable }) => retryable).length);
  assert.ok(texts.includes('Retryable after 1 hour'));
  await page.close();
});

test('an address that names a code opens the page there, without JavaScript', async () => {
  const context = await browser.newContext({
    javaScriptEnabled: false,
    viewport: { width: 1200, height: 800 },
  });
  const page = await context.newPage();
  for (const code of Object.keys(errorCatalogue).slice(-2)) {
    await page.goto('about:blank');
    await page.goto(`${origin}/docs/errors#${code}`);
    const box = await page.locator(`[id="${code}"]:target`).boundingBox();
    assert.ok(box && box.y > 0 && box.y + box.height < 800, `${code} stands at ${box?.y}`);
  }
  await context.close();
});

test('both pages forbid framing, sniffing, referrers and whatever they do not need', async () => {
  for (const path of ['/docs', '/docs/errors']) {
    const { headers } = await app.inject(path);
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /script-src[^;]*unsafe|https?:|\*/);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['referrer-policy'], 'no-referrer');
  }
  const { headers } = await app.inject('/docs/errors');
  assert.doesNotMatch(String(headers['content-security-policy']), /script-src|unsafe/);
});

test('text of the catalogue is shown, never taken for markup', async () => {
  const { body } = await app.inject('/docs/errors');
  assert.ok(body.includes('Authorization: Bearer &lt;key&gt;'));
  assert.ok(!body.includes('<key>'));
});

test('the reference script is sent zipped to those who can read it, and once to each browser', async () => {
  const path = /\/docs\/scalar\.js\?v=[^"]+/.exec((await app.inject('/docs')).body)?.[0] ?? '';
  const zipped = await app.inject({ url: path, headers: { 'accept-encoding': 'br, gzip' } });
  assert.equal(zipped.headers['content-encoding'], 'gzip');
  assert.match(String(zipped.headers['cache-control']), /immutable/);
  const plain = await app.inject(path);
  assert.equal(plain.headers['content-encoding'], undefined);
  assert.ok(plain.rawPayload.length > 2 * zipped.rawPayload.length);
  const again = await app.inject({ url: path, headers: { 'if-none-match': String(zipped.headers.etag) } });
  assert.deepEqual([again.statusCode, again.rawPayload.length], [304, 0]);
});
