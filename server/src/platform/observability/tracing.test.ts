import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ApiError } from '../errors/errors.ts';
import { errorTypeOf, noTracing, readTraceparent } from './tracing.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

test('a traceparent is read, with what its flags say of sampling', () => {
  const read = (version: string, flags: string, more = '') =>
    readTraceparent(`${version}-${traceId}-${spanId}-${flags}${more}`);
  assert.deepEqual(read('00', '01'), { traceId, spanId, sampled: true });
  assert.deepEqual(read('00', '00'), { traceId, spanId, sampled: false });
  assert.equal(read('00', 'ff')?.sampled, true);
  assert.equal(read('00', '02')?.sampled, false);
  assert.deepEqual(read('01', '01', '-what-comes-later'), { traceId, spanId, sampled: true });
});

test('a malformed traceparent counts as absent', () => {
  const good = `00-${traceId}-${spanId}-01`;
  const bad = [
    undefined,
    '',
    'x',
    [good, good],
    `${good}, ${good}`,
    `${good}-more`,
    ` ${good}`,
    `${good}\n`,
    good.toUpperCase(),
    `ff-${traceId}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.slice(1)}-${spanId}-01`,
    `00-${traceId}-${spanId}x-01`,
    `00-${traceId}-${spanId}`,
    `00-${traceId}-${spanId}-1`,
    `00-${'g'.repeat(32)}-${spanId}-01`,
  ];
  for (const header of bad) assert.equal(readTraceparent(header), null, String(header));
  fc.assert(
    fc.property(fc.string(), (text) => {
      assert.equal(readTraceparent(text), null);
    }),
  );
});

test('of something thrown only a code or a class is told, never its words', () => {
  assert.equal(errorTypeOf(new ApiError('NOT_FOUND')), 'NOT_FOUND');
  assert.equal(errorTypeOf(Object.assign(new Error('Key (phone)=(+336…)'), { code: '23505' })), '23505');
  assert.equal(errorTypeOf(new TypeError('+33612345678')), 'TypeError');
  assert.equal(errorTypeOf(Object.assign(new Error('x'), { code: 'to +33612345678' })), 'Error');
  for (const odd of [null, undefined, 'Ada', 7, { name: 'Ada Lovelace', code: {} }])
    assert.equal(errorTypeOf(odd), 'Error');
});

test('where nothing is traced there are no spans', async () => {
  assert.equal(noTracing.start('anything', 'server', { of: 'SM1' }), null);
  await noTracing.stop();
});
