import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../../../test/harness/app.ts';
import { plainArray } from './query.ts';

test('an array of plain elements arrives as it left, and one with anything to escape does not leave', async (context) => {
  const app = await startTestApp(context);
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
