import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { compileQuery, plainArray, type Sql, sql } from './query.ts';

const lifetime = sharedLifetime();
let app: TestApp;
before(async () => {
  app = await startTestApp(lifetime);
});

test('an array of plain elements arrives as it left, and one with anything to escape does not leave', async () => {
  const elements = ['t=1,v1=ab', 'NULL', '', '{}', ' a b ', '2026-08-21T10:00:00.000Z', null];
  const [texts] = await app.sql<{ found: unknown }>('select $1::text[] as found', [plainArray(elements)]);
  assert.deepEqual(texts!.found, elements);
  const [numbers] = await app.sql<{ found: unknown }>('select $1::integer[] as found', [
    plainArray([1, null, -3]),
  ]);
  assert.deepEqual(numbers!.found, [1, null, -3]);
  const [none] = await app.sql<{ found: unknown }>('select $1::text[] as found', [plainArray([])]);
  assert.deepEqual(none!.found, []);
  for (const hostile of ['"', 'a","b', '\\', 'a\\"'])
    assert.throws(() => plainArray(['fine', hostile]), /plain/);
});

suite('the sql tag', () => {
  test('makes parameters of values, and SQL of parts, however deep they stand', () => {
    const isMine = (sid: string) => sql`account_sid = ${sid}`;
    const condition = sql.join([isMine('AC1'), sql`version > ${3}`], sql` and `);
    assert.deepEqual(compileQuery(sql`select ${'x'} from t where ${condition} limit ${20}`), {
      text: 'select $1 from t where account_sid = $2 and version > $3 limit $4',
      values: ['x', 'AC1', 3, 20],
    });
    assert.deepEqual(compileQuery(sql`select 1`), { text: 'select 1', values: [] });
  });
  test('writes one template as it is filled this time, a value or a part', () => {
    const select = (what: unknown) => compileQuery(sql`select ${what} as found`).text;
    const asked = [select(1), select(sql`now()`), select(null), select(sql`${1}`)];
    assert.deepEqual(asked, [
      'select $1 as found',
      'select now() as found',
      'select $1 as found',
      'select $1 as found',
    ]);
  });
  test('joins nothing, values and parts', () => {
    const text = (parts: unknown[], separator?: Sql) =>
      compileQuery(sql`(${sql.join(parts, separator)})`).text;
    assert.deepEqual([text([]), text([1]), text([1, 'b'])], ['()', '($1)', '($1, $2)']);
    assert.equal(text([sql`a`, sql`b = ${1}`, 2], sql` or `), '(a or b = $1 or $2)');
  });
  test('lets no text out of a literal or a name', async () => {
    const hostile = `it's '; drop table users; -- \\' "x"`;
    const found = await app.database.system((s) =>
      s.one<{ text: string }>(sql`select ${sql.lit(hostile)}::text as text`),
    );
    assert.deepEqual(found, { text: hostile });
    const named = await app.database.system((s) => s.one(sql`select 1 as ${sql.id(hostile)}`));
    assert.deepEqual(named, { [hostile]: 1 });
  });
});
