import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { isLimitReached } from '../../../../test/harness/limits.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { hashesMade, isOutdated, withHasher } from './password-hash.ts';
import { refuseWeakPassword } from './password-rules.ts';

suite('a hashed password', () => {
  test('is argon2id at the recommended cost, with a salt of its own', async () => {
    const [one, two] = await withHasher(async ({ hash }) => [await hash('secret'), await hash('secret')]);
    assert.match(one!, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    assert.notEqual(one, two);
    assert.ok(!isOutdated(one!));
    assert.ok(isOutdated(one!.replace('t=2', 't=1')));
  });

  test('matches itself and nothing else, to the last byte and of any length', async () => {
    await withHasher(async ({ hash, matches }) => {
      for (const password of ['pässwörd 🔐', 'x'.repeat(256), `${'x'.repeat(100)}a`]) {
        const stored = await hash(password);
        assert.ok(await matches(password, stored));
        for (const other of [`${password} `, password.slice(0, -1), `${password.slice(0, -1)}b`]) {
          assert.ok(!(await matches(other, stored)));
        }
      }
    });
  });

  test('of nobody costs the same and is matched by nothing', async () => {
    const before = hashesMade();
    assert.ok(!(await withHasher(({ matches }) => matches('', null))));
    assert.ok(!(await withHasher(({ matches }) => matches('anything', null))));
    assert.equal(hashesMade() - before, 2);
  });

  test('at most two are made at once; the third is told to come back', async () => {
    const slow = () => withHasher(({ hash }) => hash('secret'));
    const results = await Promise.allSettled([slow(), slow(), slow(), slow()]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected', 'rejected'],
    );
    const { reason } = results[2] as PromiseRejectedResult;
    assert.ok(reason instanceof ApiError && reason.code === 'RATE_LIMITED' && reason.retryAfterSeconds === 1);
    // A place that was refused or failed is free again.
    await assert.rejects(
      withHasher(async () => {
        throw new Error('inside');
      }),
    );
    await Promise.all([slow(), slow()]);
  });
});

suite('a new password', () => {
  const judge = (password: string) => refuseWeakPassword(password, 'lovelace@example.com', 'password');
  test('that everybody would try first is refused', () => {
    for (const weak of [
      'password1234',
      'P@ssword2024!',
      'qwerty123456',
      'motdepasse123',
      'aaaaaaaaaaaa',
      'abababababab',
      '123456789012',
      '210987654321',
      'abcdefghijkl',
      'lovelace-2026',
      'my LOVELACE pw',
    ]) {
      assert.throws(() => judge(weak), ApiError, weak);
    }
  });
  test('that is long and random is accepted', () => {
    fc.assert(
      fc.property(fc.uuid(), (text) => judge(text)),
      { numRuns: 1000 },
    );
    for (const good of ['correct horse battery staple', 'Tr0ub4dor&3-and-more', 'ein ganz langer Satz'])
      judge(good);
  });
});

test('whoever finds both places taken is told which limit that is', async () => {
  const limit = { name: 'passwords', policy: 'q=2;qu="concurrent-requests"', seconds: 1 };
  await withHasher(() =>
    withHasher(() =>
      assert.rejects(
        withHasher(async () => {}),
        (error) => isLimitReached(error, limit),
      ),
    ),
  );
});
