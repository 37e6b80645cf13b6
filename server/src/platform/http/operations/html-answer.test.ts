import assert from 'node:assert/strict';
import { test } from 'node:test';
import { htmlAnswer, languageOf, wantsHtml } from './html-answer.ts';

test('the language a browser likes best is taken, and English where it likes none of ours', () => {
  const expected: [string | undefined, string][] = [
    [undefined, 'en'],
    ['', 'en'],
    ['fr', 'fr'],
    ['fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5', 'fr'],
    ['en;q=0.2, FR-ca;q=0.9', 'fr'],
    ['de, en;q=0.5, fr;q=0.4', 'en'],
    ['fr;q=0, en;q=0.1', 'en'],
    ['fr;q=0', 'en'],
    ['de', 'en'],
    ['fr;q=nonsense', 'en'],
    [',;;=,', 'en'],
  ];
  for (const [given, language] of expected) assert.equal(languageOf(given), language, given);
});

test('a browser is known by asking for HTML', () => {
  assert.ok(wantsHtml('text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'));
  for (const accept of [undefined, '*/*', 'application/json']) assert.ok(!wantsHtml(accept), accept);
});

test('a page runs no script, is framed by nobody, kept by no cache and listed by no search engine', () => {
  const { headers } = htmlAnswer(200, { language: 'fr', html: '<!doctype html>', style: 'body{}' });
  const policy = String(headers['content-security-policy']);
  assert.match(policy, /^default-src 'none'; style-src 'sha256-[^']+'; /);
  assert.ok(!policy.includes('script-src') && !policy.includes('unsafe'));
  assert.match(policy, /form-action 'self'; frame-ancestors 'none'$/);
  assert.deepEqual(
    [
      headers['cache-control'],
      headers['x-robots-tag'],
      headers['content-language'],
      headers['referrer-policy'],
    ],
    ['no-store', 'noindex', 'fr', 'no-referrer'],
  );
});
