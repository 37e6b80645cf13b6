import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type TSchema, Type } from 'typebox';
import { startTestApp } from '../../../../test/harness/app.ts';
import { Closed, DateTime, Nullable, Sid, Text, Uuid, Word } from './schema.ts';
import { isInstant, judgeBy } from './validation.ts';

const runs = { numRuns: 1_000 };

// ---- Instants

test('an instant is one that exists, written as RFC 3339 asks', () => {
  for (const text of [
    '2026-08-21T10:00:00Z',
    '2026-08-21T10:00:00.000Z',
    '2026-08-21t10:00:00z',
    '2026-08-21T10:00:00.123456789+05:30',
    '2026-08-21T10:00:00-00:00',
    '2026-08-21T00:00:00+14:00',
    '2026-08-21T23:59:59-15:59',
    '2026-02-28T00:00:00Z',
    '2024-02-29T00:00:00Z',
    '2000-02-29T00:00:00Z',
    '2026-12-31T23:59:59Z',
    '1900-01-01T00:00:00Z',
    '1970-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999Z',
    '9999-12-31T23:59:59.999999Z',
  ])
    assert.equal(isInstant(text), true, text);
});

test('a date, time or offset that nowhere exists is refused', () => {
  for (const text of [
    '2026-02-29T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2100-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-32T00:00:00Z',
    '2026-08-21T24:00:00Z',
    '2026-08-21T23:60:00Z',
    '2026-12-31T23:59:60Z',
    '2026-08-21T10:00:00+16:00',
    '2026-08-21T10:00:00+24:00',
    '2026-08-21T10:00:00+01:60',
    '1899-12-31T23:59:59Z',
    '0000-01-01T00:00:00Z',
    // In UTC these two stand in 1899 and in 10000.
    '1900-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    // PostgreSQL would round this one up into the year 10000.
    '9999-12-31T23:59:59.9999999Z',
  ])
    assert.equal(isInstant(text), false, text);
});

test('any other spelling of a moment is refused', () => {
  for (const text of [
    '',
    '2026-08-21',
    '2026-08-21T10:00Z',
    '2026-08-21T10:00:00',
    '2026-08-21 10:00:00Z',
    '2026-08-21T10:00:00.Z',
    '2026-08-21T10:00:00,5Z',
    '2026-08-21T10:00:00.1234567890Z',
    '2026-08-21T10:00:00+0100',
    '2026-08-21T10:00:00+1:00',
    '2026-08-21T10:00:00 Z',
    '2026-08-21T10:00:00Z\n',
    ' 2026-08-21T10:00:00Z',
    '+002026-08-21T10:00:00Z',
    '10000-01-01T00:00:00Z',
    '26-08-21T10:00:00Z',
    '2026-8-21T10:00:00Z',
    '２０２６-08-21T10:00:00Z',
    'Fri, 21 Aug 2026 10:00:00 GMT',
    '1787306400',
  ])
    assert.equal(isInstant(text), false, text);
});

const two = (most: number) => fc.nat(most).map((value) => String(value).padStart(2, '0'));
const offset = fc.oneof(
  fc.constantFrom('Z', 'z'),
  fc
    .tuple(fc.constantFrom('+', '-'), two(15), two(59))
    .map(([sign, hours, minutes]) => `${sign}${hours}:${minutes}`),
);
/** Every field in and a little beyond its range, so that about every second text is an instant. */
const instantLike = fc
  .tuple(
    fc.oneof(fc.integer({ min: 1899, max: 2101 }), fc.integer({ min: 9990, max: 9999 })),
    fc.tuple(two(13), two(32)),
    fc.tuple(two(24), two(60), two(60)),
    fc.stringMatching(/^(\.[0-9]{1,9})?$/),
    offset,
  )
  .map(
    ([year, days, times, fraction, zone]) =>
      `${[year, ...days].join('-')}T${times.join(':')}${fraction}${zone}`,
  );

test('what the calendar of JavaScript can name and read back is an instant, and nothing else is', () => {
  const reckoned = (text: string) => {
    const local = new Date(`${text.slice(0, 19)}Z`);
    const moment = new Date(text.toUpperCase());
    if (Number.isNaN(local.getTime()) || Number.isNaN(moment.getTime())) return false;
    const years = [local.getUTCFullYear(), moment.getUTCFullYear()];
    return (
      local.toISOString().startsWith(text.slice(0, 19)) && years.every((year) => year >= 1900 && year <= 9999)
    );
  };
  let accepted = 0;
  fc.assert(
    fc.property(instantLike, (text) => {
      assert.equal(isInstant(text), reckoned(text), text);
      if (isInstant(text)) accepted += 1;
    }),
    { numRuns: 20_000 },
  );
  assert.ok(accepted > 5_000, `only ${accepted} of 20,000 were instants`);
});

test('PostgreSQL reads every instant as the moment it names', async (context) => {
  const app = await startTestApp(context);
  const edges = ['1900-01-01T00:00:00Z', '9999-12-31T23:59:59.999999Z', '2026-08-21t10:00:00.123456789z'];
  const texts = [...fc.sample(instantLike, 5_000).filter(isInstant), ...edges];
  const rows = await app.sql<{ ms: string }>(
    `select trunc(extract(epoch from text::timestamptz) * 1000) as ms
       from unnest($1::text[]) with ordinality as given (text, position) order by position`,
    [texts],
  );
  for (const [i, { ms }] of rows.entries())
    assert.ok(Math.abs(Number(ms) - Date.parse(texts[i]!)) <= 1, `${texts[i]} became ${ms}`);
});

// ---- Wording

const only = (schema: TSchema, value: unknown) => {
  const details = judgeBy(Closed({ it: schema }))({ it: value });
  assert.deepEqual(
    details.map(({ path }) => path),
    ['it'],
  );
  return details[0]!.issue;
};

test('every rule says in plain words what it wants', () => {
  const form = Type.String({ pattern: '^[a-z]+$' });
  const many = Type.Array(Type.Integer(), { minItems: 2, maxItems: 3, uniqueItems: true });
  const one = Type.Array(Type.Integer(), { minItems: 1, maxItems: 1 });
  const map = (least: number, most: number) =>
    Type.Unsafe({ type: 'object', minProperties: least, maxProperties: most, additionalProperties: true });
  for (const [schema, value, issue] of [
    [Type.String(), 5, 'must be string'],
    [Type.Integer(), 1.5, 'must be integer'],
    [Type.Integer(), '1', 'must be integer'],
    [Type.Number(), null, 'must be number'],
    [Type.Boolean(), 'true', 'must be boolean'],
    [Type.Array(Type.String()), {}, 'must be array'],
    [Closed({}), [], 'must be object'],
    [Type.Null(), 0, 'must be null'],
    [Word('in', 'out'), 'up', 'must be one of in, out'],
    [Word('in', 'out'), 5, 'must be one of in, out'],
    [Type.Literal('in'), 'out', 'must be in'],
    [Type.Literal('in'), 5, 'must be in'],
    [Text(4, 1), '', 'must be at least 1 character'],
    [Text(4, 2), 'a', 'must be at least 2 characters'],
    [Text(1), 'ab', 'must be at most 1 character'],
    [Text(4), 'abcde', 'must be at most 4 characters'],
    [Type.Integer({ minimum: 1 }), 0, 'must be at least 1'],
    [Type.Integer({ maximum: 9 }), 10, 'must be at most 9'],
    [many, [1], 'must have at least 2 items'],
    [many, [1, 2, 3, 4], 'must have at most 3 items'],
    [many, [1, 1], 'must not repeat an item'],
    [one, [], 'must have at least 1 item'],
    [one, [1, 2], 'must have at most 1 item'],
    [map(1, 1), {}, 'must have at least 1 property'],
    [map(2, 3), { a: 1 }, 'must have at least 2 properties'],
    [map(1, 1), { a: 1, b: 2 }, 'must have at most 1 property'],
    [map(0, 2), { a: 1, b: 2, c: 3 }, 'must have at most 2 properties'],
    [form, 'A', 'must match ^[a-z]+$'],
    [
      DateTime,
      '2026-02-30T00:00:00Z',
      'must be an RFC 3339 date-time that exists, such as 2026-08-21T10:00:00.000Z',
    ],
    [Uuid, 'x', 'must be a UUID'],
    [Type.String({ format: 'uri' }), '/path', 'must be an absolute URI'],
  ] as const)
    assert.equal(only(schema, value), issue);
});

test('a value is never changed to fit', () => {
  const judge = judgeBy(
    Closed({ count: Type.Integer(), on: Type.Boolean(), tags: Type.Array(Type.String()) }),
  );
  const value = { count: '5', on: 'true', tags: 'a', more: 1 };
  const paths = judge(value).map(({ path }) => path);
  assert.deepEqual(paths.sort(), ['count', 'more', 'on', 'tags']);
  assert.deepEqual(value, { count: '5', on: 'true', tags: 'a', more: 1 });
});

// ---- Paths

const Contact = Closed({ name: Text(20), phones: Type.Array(Closed({ value: Text(3, 1) })) });
const judgeContacts = judgeBy(Closed({ contacts: Type.Array(Contact) }));

test('a path leads to the field, through lists and objects', () => {
  const good = { name: 'A', phones: [{ value: '1' }] };
  const bad = { phones: [{ value: '1234' }, { value: '1', kind: 'home' }, {}] };
  assert.deepEqual(judgeContacts({ contacts: [good, good, bad] }), [
    { path: 'contacts[2].name', issue: 'is required' },
    { path: 'contacts[2].phones[0].value', issue: 'must be at most 3 characters' },
    { path: 'contacts[2].phones[1].kind', issue: 'is not a known property' },
    { path: 'contacts[2].phones[2].value', issue: 'is required' },
  ]);
});

test('a name made of digits is a name in an object and a place in a list', () => {
  const judge = judgeBy(
    Type.Unsafe({ type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } }),
  );
  assert.deepEqual(judge({ 7: [1], 'a/b~c': 1 }), [
    { path: '7[0]', issue: 'must be string' },
    { path: 'a/b~c', issue: 'must be array' },
  ]);
});

test('every unknown property is named', () => {
  assert.deepEqual(
    judgeBy(Closed({ a: Type.Integer() }))({ a: 1, accountSid: 'AC1', constructor: 1, toString: 2 }),
    [
      { path: 'accountSid', issue: 'is not a known property' },
      { path: 'constructor', issue: 'is not a known property' },
      { path: 'toString', issue: 'is not a known property' },
    ],
  );
});

test('a caller cannot make the answer long: 100 details at most, none with an endless path', () => {
  const judge = judgeBy(Type.Array(Type.Integer()));
  assert.equal(judge(Array(99).fill('x')).length, 99);
  const details = judge(Array(5_000).fill('x'));
  assert.deepEqual([details.length, details[99]!.path], [100, '[99]']);
  const [long] = judgeBy(Closed({}))({ ['😀'.repeat(10_000)]: 1 });
  assert.ok(long!.path.length < 300);
  assert.ok(long!.path.isWellFormed());
});

// ---- Lengths

test('lengths are counted in code points, as people and PostgreSQL count', () => {
  const judge = judgeBy(Text(3, 2));
  for (const text of ['ab', 'abc', '😀😀', '😀😀😀', 'e\u0301x']) assert.deepEqual(judge(text), [], text);
  for (const text of ['a', '😀', '😀😀😀😀', '👨‍👩‍👧']) assert.equal(judge(text).length, 1, text);
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 8 }), (text) => {
      const { length } = [...text];
      assert.equal(judge(text).length === 0, length >= 2 && length <= 3);
    }),
    runs,
  );
});

// ---- Variants

const Variants = Type.Unsafe({
  type: 'object',
  discriminator: { propertyName: 'type' },
  oneOf: [
    Closed({ type: Word('text'), text: Text(4) }),
    Closed({ type: Word('payload'), payload: Text(4), tags: Type.Array(Type.String()) }),
  ],
});

test('of several variants only the chosen one is held against the value', () => {
  const judge = judgeBy(Closed({ parameters: Type.Array(Variants) }));
  assert.deepEqual(
    judge({
      parameters: [
        { type: 'text', text: 'abcd' },
        { type: 'payload', payload: '', tags: [] },
      ],
    }),
    [],
  );
  assert.deepEqual(judge({ parameters: [{ type: 'payload', payload: 'abcde', text: 'a', tags: [1] }] }), [
    { path: 'parameters[0].text', issue: 'is not a known property' },
    { path: 'parameters[0].payload', issue: 'must be at most 4 characters' },
    { path: 'parameters[0].tags[0]', issue: 'must be string' },
  ]);
});

test('a value that chooses no variant gets one error, at the property that chooses', () => {
  const judge = judgeBy(Closed({ it: Variants }));
  assert.deepEqual(judge({ it: {} }), [{ path: 'it.type', issue: 'is required' }]);
  for (const type of ['TEXT', '', 'constructor', '__proto__', 5, null])
    assert.deepEqual(judge({ it: { type, text: 'a' } }), [
      { path: 'it.type', issue: 'selects no known variant' },
    ]);
  assert.deepEqual(judge({ it: [] }), [{ path: 'it', issue: 'must be object' }]);
});

// ---- Null

test('what may be null gives one error when it is neither null nor right', () => {
  const shape = {
    word: Word('a', 'b'),
    at: DateTime,
    sid: Sid('AC'),
    inner: Closed({ n: Type.Integer() }),
    n: Type.Integer(),
  };
  const judge = judgeBy(
    Closed(Object.fromEntries(Object.entries(shape).map(([key, value]) => [key, Nullable(value)]))),
  );
  assert.deepEqual(judge({ word: null, at: null, sid: null, inner: null, n: null }), []);
  for (const value of [true, [], 'nonsense', 1.5]) {
    const details = judge({ word: value, at: value, sid: value, inner: value, n: value });
    assert.deepEqual(
      details.map(({ path }) => path).sort(),
      ['at', 'inner', 'n', 'sid', 'word'],
      String(value),
    );
  }
  assert.equal(only(Nullable(Word('a', 'b')), 5), 'must be one of a, b, null');
  assert.equal(only(Nullable(Sid('AC')), 5), 'must be string or null');
});
