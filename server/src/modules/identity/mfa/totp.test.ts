import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { newTotpSecret, otpauthUri, stepOfCode, totpCode, totpStep } from './totp.ts';

// RFC 6238, appendix B: the secret is the ASCII text 12345678901234567890; its codes of eight digits end in ours.
const rfcSecret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const vectors: [unixSeconds: number, code: string][] = [
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
];

suite('RFC 6238', () => {
  for (const [seconds, code] of vectors) {
    test(`the code at ${seconds} s is ${code.slice(2)}, made and accepted`, () => {
      const now = new Date(seconds * 1000);
      assert.equal(totpCode(rfcSecret, now), code.slice(2));
      assert.equal(stepOfCode(rfcSecret, code.slice(2), now), Math.floor(seconds / 30));
    });
  }
});

test('a code is accepted one step early and one step late, and no further', () => {
  const codeTime = new Date('2026-08-21T10:00:15Z');
  const code = totpCode(rfcSecret, codeTime);
  const at = (seconds: number) => stepOfCode(rfcSecret, code, new Date(codeTime.getTime() + seconds * 1000));
  const step = totpStep(codeTime);
  assert.deepEqual([at(-45), at(-16), at(0), at(14), at(15), at(44)], Array(6).fill(step));
  assert.deepEqual([at(-46), at(45)], [null, null]);
});

test('whatever the secret and the moment, its own code is accepted at its own step', () => {
  const moments = fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
  fc.assert(
    fc.property(moments, (now) => {
      const secret = newTotpSecret();
      const step = stepOfCode(secret, totpCode(secret, now), now);
      // Two neighbouring steps share a code once in a million.
      assert.ok(step !== null && Math.abs(step - totpStep(now)) <= 1);
    }),
    { numRuns: 1_000 },
  );
});

test('what is not six digits is no code', () => {
  for (const code of [
    '',
    '12345',
    '1234567',
    '12345a',
    '-12345',
    '１２３４５６',
    '1e5',
    '\u0000'.repeat(6),
  ]) {
    assert.equal(stepOfCode(rfcSecret, code, new Date(59_000)), null);
  }
  assert.equal(stepOfCode(rfcSecret, ' 287 082 ', new Date(59_000)), 1);
});

test('an authenticator app is told everything in one URI', () => {
  const uri = new URL(otpauthUri('Godwit', 'ada@example.com', rfcSecret));
  assert.equal(uri.protocol, 'otpauth:');
  assert.equal(uri.searchParams.get('secret'), rfcSecret);
  assert.equal(uri.searchParams.get('issuer'), 'Godwit');
  // Absent means SHA1, six digits and 30 seconds to every app.
  assert.ok(['SHA1', null].includes(uri.searchParams.get('algorithm')));
  assert.ok(['6', null].includes(uri.searchParams.get('digits')));
  assert.ok(['30', null].includes(uri.searchParams.get('period')));
});
