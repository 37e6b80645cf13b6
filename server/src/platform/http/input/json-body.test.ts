import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ApiError, type ErrorDetail } from '../../errors/errors.ts';
import { isCleanText, parseJsonBody } from './json-body.ts';

const parse = (text: string) => parseJsonBody(Buffer.from(text));

/** The one detail a body is refused with. */
function refusal(raw: Buffer | string): ErrorDetail {
  try {
    parseJsonBody(Buffer.from(raw as string));
  } catch (error) {
    assert.ok(error instanceof ApiError, `threw ${error}`);
    assert.equal(error.code, 'VALIDATION_ERROR');
    assert.equal(error.facts.details?.length, 1);
    return error.facts.details[0]!;
  }
  assert.fail(`${raw.toString().slice(0, 80)} was accepted`);
}

const malformed = { path: 'body', issue: 'must be valid JSON in UTF-8' };
const unclean = 'must not hold NUL characters or lone surrogates';
const unknown = 'is not a known property';

test('text that is not JSON is refused', () => {
  for (const text of [
    '',
    ' ',
    '{',
    '{"a":1,}',
    "{'a':1}",
    '{"a":01}',
    '[1 2]',
    'NaN',
    'undefined',
    '{}{}',
    '// a\n{}',
  ])
    assert.deepEqual(refusal(text), malformed, text);
});

test('bytes that are not UTF-8 are refused, never replaced', () => {
  const overlong = [0xc0, 0xaf];
  const halfPair = [0xed, 0xa0, 0x80];
  const cutShort = [0xe2, 0x82];
  const beyond = [0xf4, 0x90, 0x80, 0x80];
  for (const bytes of [[0xff], [0x80], overlong, halfPair, cutShort, beyond]) {
    const body = Buffer.concat([Buffer.from('{"a":"'), Buffer.from(bytes), Buffer.from('"}')]);
    assert.deepEqual(refusal(body), malformed, body.toString('hex'));
  }
  assert.deepEqual(refusal(Buffer.from('{"a":1}', 'utf16le')), malformed);
});

test('a byte order mark before the body is not part of it', () => {
  assert.deepEqual(parse('\ufeff{"a":1}'), { a: 1 });
  assert.deepEqual(refusal('\ufeff\ufeff{}'), malformed);
  assert.deepEqual(refusal(Buffer.from('\ufeff{"a":1}', 'utf16le')), malformed);
});

test('32 levels may be nested in each other, and no more', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  assert.equal(JSON.stringify(parse(nested(32))), nested(32));
  const issue = 'must be nested at most 32 levels deep';
  assert.deepEqual(refusal(nested(33)), { path: '[0]'.repeat(32), issue });
  assert.deepEqual(refusal(`${'{"a":'.repeat(33)}1${'}'.repeat(33)}`), {
    path: Array(32).fill('a').join('.'),
    issue,
  });
});

test('a body may hold 100,000 values, and no more', () => {
  const holding = (values: number) =>
    `[${Array(values - 1)
      .fill('0')
      .join(',')}]`;
  assert.equal((parse(holding(100_000)) as unknown[]).length, 99_999);
  assert.deepEqual(refusal(holding(100_001)), { path: 'body', issue: 'must hold at most 100000 values' });
  const inMembers = `{"a":[${Array(99_998).fill('{}').join(',')}]`;
  parse(`${inMembers}}`);
  assert.equal(refusal(`${inMembers},"b":1}`).issue, 'must hold at most 100000 values');
});

test('a megabyte of brackets is refused without exhausting the stack', () => {
  const half = 512 * 1024;
  for (const open of ['[', '{"":'])
    assert.deepEqual(refusal(open.repeat((2 * half) / open.length)), malformed);
  assert.match(refusal('['.repeat(half) + ']'.repeat(half)).issue, /nested at most 32/);
});

test('a key that could reach the shared prototype is refused at any depth and named', () => {
  for (const [text, path] of [
    ['{"__proto__":{"admin":true}}', '__proto__'],
    ['{"__proto__":null}', '__proto__'],
    ['{"\\u005f_proto__":1}', '__proto__'],
    ['{"a":[{},{"b":{"__proto__":1}}]}', 'a[1].b.__proto__'],
    ['{"constructor":{"prototype":{}}}', 'constructor.prototype'],
    ['[{"a":{"constructor":{"prototype":1}}}]', '[0].a.constructor.prototype'],
  ] as const)
    assert.deepEqual(refusal(text), { path, issue: unknown }, text);
});

test('constructor and prototype are ordinary names by themselves', () => {
  for (const text of [
    '{"constructor":"Ferrari"}',
    '{"prototype":{"constructor":{"a":1}}}',
    '{"constructor":[{"prototype":1}]}',
    '{"constructor":{"a":{"prototype":1}}}',
  ])
    assert.equal(JSON.stringify(parse(text)), text);
});

test('a NUL or half a surrogate pair is refused in every value and key, and its place is named', () => {
  for (const bad of ['\\u0000', 'a\\u0000b', '\\ud800', '\\udc00a', 'a\\ud83d']) {
    for (const [text, path] of [
      [`"${bad}"`, 'body'],
      [`["${bad}"]`, '[0]'],
      [`{"a":{"b":["x","${bad}"]}}`, 'a.b[1]'],
      // The name itself cannot be shown, so the object that holds it is.
      [`{"${bad}":1}`, 'body'],
      [`{"a":[{"${bad}":1}]}`, 'a[0]'],
    ] as const)
      assert.deepEqual(refusal(text), { path, issue: unclean }, text);
  }
  assert.deepEqual(parse('["\\ud83d\\ude00","😀","\\ufffd","\\u0001"]'), ['😀', '😀', '\ufffd', '\u0001']);
});

test('a number too large to be kept is refused instead of turning into null', () => {
  assert.deepEqual(refusal('{"a":[1e999]}'), { path: 'a[0]', issue: 'is too large a number' });
  assert.deepEqual(refusal('-1e309'), { path: 'body', issue: 'is too large a number' });
  assert.deepEqual(parse('[1.7976931348623157e308,5e-324,1e-999]'), [Number.MAX_VALUE, Number.MIN_VALUE, 0]);
});

const cleanText = fc.string({ unit: 'binary' }).filter(isCleanText);
const cleanValue = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.constantFrom(null, true, false),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    cleanText,
    fc.array(tie('value')),
    fc.dictionary(
      cleanText.filter((key) => key !== '__proto__' && key !== 'prototype'),
      tie('value'),
    ),
  ),
})).value;

test('any other JSON value comes out as it went in', () => {
  fc.assert(
    fc.property(cleanValue, fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      assert.deepEqual(parse(text), JSON.parse(text));
      assert.equal(JSON.stringify(parse(text)), JSON.stringify(value));
    }),
    { numRuns: 2_000 },
  );
});

test('wherever one bad text stands in a value, its path leads there', () => {
  const step = fc.oneof(fc.nat(5), fc.stringMatching(/^[a-z]{1,8}$/));
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 31 }), (steps) => {
      let value: unknown = '\0';
      for (const at of steps.toReversed())
        value = typeof at === 'number' ? [...Array(at).fill(0), value] : { good: 'x', [at]: value };
      const path = steps.reduce<string>(
        (sum, at) => (typeof at === 'number' ? `${sum}[${at}]` : sum ? `${sum}.${at}` : at),
        '',
      );
      assert.deepEqual(refusal(JSON.stringify(value)), { path, issue: unclean });
    }),
    { numRuns: 1_000 },
  );
});

test('text is clean exactly when PostgreSQL can store it', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)) }), (text) => {
      const survives = Buffer.from(text).toString() === text;
      assert.equal(isCleanText(text), survives && !text.includes('\0'));
    }),
    { numRuns: 2_000 },
  );
});
