import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ApiError } from '../../errors/errors.ts';
import { parseFormBody } from './form-body.ts';

test('what a browser writes is read back as it was', () => {
  const clean = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'));
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(clean, clean), { selector: ([name]) => name, maxLength: 20 }),
      (pairs) => {
        const raw = Buffer.from(new URLSearchParams(pairs).toString());
        assert.deepEqual(Object.entries(parseFormBody(raw)).sort(), [...pairs].sort());
      },
    ),
    { numRuns: 1_000 },
  );
});

test('a name given twice, a NUL and too many fields are refused, and a prototype is only a name', () => {
  const refused = (text: string) => assert.throws(() => parseFormBody(Buffer.from(text)), ApiError);
  refused('a=1&a=2');
  refused('a=%00');
  refused('%00=a');
  refused(Array.from({ length: 101 }, (_, i) => `f${i}=1`).join('&'));
  assert.deepEqual(Object.keys(parseFormBody(Buffer.from('__proto__=1'))), ['__proto__']);
});
