import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { searchPattern, searchText } from './search.ts';

/** LIKE, as PostgreSQL reads it. */
function like(text: string, pattern: string): boolean {
  const form = pattern.replaceAll(/\\(.)|%|_|[^\\%_]/gsu, (part, escaped?: string) => {
    if (part === '%') return '[\\s\\S]*';
    if (part === '_') return '[\\s\\S]';
    return RegExp.escape(escaped ?? part);
  });
  return new RegExp(`^${form}$`, 'u').test(text);
}

const finds = (q: string, displayName: string | null, ...values: string[]) => {
  const pattern = searchPattern(q);
  return (
    pattern !== null &&
    like(searchText({ displayName, identifiers: values.map((value) => ({ value })) }), pattern)
  );
};

test('case and accents do not matter', () => {
  assert.ok(finds('INES', 'Inès Martin'));
  assert.ok(finds('inès mar', 'Ines Martin'));
  assert.ok(finds('muller', 'Jürgen Müller'));
});

test('three characters are found anywhere, fewer at the beginning of a word', () => {
  assert.ok(finds('art', 'Inès Martin'));
  assert.ok(finds('ma', 'Inès Martin'));
  assert.ok(finds('m', 'Inès Martin'));
  assert.ok(!finds('ar', 'Inès Martin'));
});

test('a number is found in any form people write it in', () => {
  for (const q of [
    '+33612345678',
    '+33 6 12 34',
    '0033612345678',
    '06 12 34 56 78',
    '612345678',
    '3456',
    '(06) 12-34-56-78',
  ]) {
    assert.ok(finds(q, null, '+33612345678'), q);
  }
  assert.ok(!finds('+336', null, '+14153361234'), 'a + means the beginning');
});

test('signs that mean something to LIKE are looked for as they are', () => {
  assert.ok(!finds('100%x', '100 x'));
  assert.ok(finds('100%', 'up to 100% off'));
  assert.ok(finds('a_b', 'a_b'));
  assert.ok(!finds('a_b', 'acb'));
  assert.ok(finds('a\\b', 'a\\b'));
});

test('nothing but blanks asks nothing', () => {
  assert.equal(searchPattern('  '), null);
  assert.equal(searchPattern(undefined), null);
});

test('whatever a name is, three characters of it in a row find it', () => {
  const name = fc.string({ unit: 'grapheme', minLength: 3, maxLength: 40 });
  fc.assert(
    fc.property(name, fc.nat(), fc.nat(), (displayName, start, length) => {
      const folded = searchText({ displayName, identifiers: [] }).slice(1);
      const letters = [...folded];
      const from = start % Math.max(1, letters.length - 2);
      const q = letters.slice(from, from + 3 + (length % 10)).join('');
      // A piece that reads as a number, or loses its edge blanks, is another question.
      if (q.trim() !== q || [...q].length < 3 || /^[+\d\s().\-/]*$/.test(q)) return;
      if (searchText({ displayName: q, identifiers: [] }).slice(1) !== q) return;
      if (q.startsWith('+')) return;
      assert.ok(finds(q, displayName), JSON.stringify({ displayName, q }));
    }),
    { numRuns: 2_000 },
  );
});
