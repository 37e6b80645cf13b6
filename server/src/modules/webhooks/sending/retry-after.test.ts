import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retryAfterMs } from './retry-after.ts';

const now = new Date('2026-08-21T10:00:00.000Z');
const asked = (header: string | string[] | undefined) => retryAfterMs(header, now);

test('seconds and HTTP dates are understood', () => {
  assert.equal(asked('120'), 120_000);
  assert.equal(asked(' 7 '), 7_000);
  assert.equal(asked('86400'), 86_400_000);
  assert.equal(asked('Fri, 21 Aug 2026 10:30:00 GMT'), 30 * 60_000);
  assert.equal(asked('Sat, 22 Aug 2026 10:00:00 GMT'), 86_400_000);
});

test('nothing, the past, nonsense and more than a day are ignored', () => {
  for (const header of [
    undefined,
    ['10', '20'],
    '',
    '0',
    '-5',
    '1.5',
    '1e3',
    '0x10',
    '86401',
    '999999999',
    '9'.repeat(400),
    'soon',
    '2026-08-21T11:00:00Z',
    'Fri, 21 Aug 2026 09:59:59 GMT',
    'Sat, 22 Aug 2026 10:00:01 GMT',
    'Fri, 21 Zzz 2026 10:30:00 GMT',
    'Fri, 99 Aug 2026 10:30:00 GMT',
    'Fri, 21 Aug 9999 10:30:00 GMT',
  ])
    assert.equal(asked(header), null, String(header));
});
