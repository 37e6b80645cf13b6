import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { compactVerify, createLocalJWKSet } from 'jose';
import {
  type Algorithm,
  makeSigningKey,
  openSigningKey,
  StatementBroken,
  signStatement,
  verifyStatement,
} from './signatures.ts';

const typ = 'statement+jwt';
const claims = { iss: 'https://a.example', sub: 'somebody', n: 1 };

for (const alg of ['ES256', 'EdDSA'] as Algorithm[])
  suite(`a statement signed by ${alg}`, () => {
    const { published, privateDer } = makeSigningKey(alg);
    const statement = signStatement(openSigningKey(published.kid, alg, privateDer), typ, claims);
    const broken = (text: string, keys: unknown[] = [published], asked = typ) =>
      assert.throws(() => verifyStatement(text, keys, asked), StatementBroken);

    test('holds against its published key, also for another library', async () => {
      assert.deepEqual(verifyStatement(statement, [published], typ), claims);
      const { payload, protectedHeader } = await compactVerify(
        statement,
        createLocalJWKSet({ keys: [published] } as never),
      );
      assert.deepEqual([JSON.parse(Buffer.from(payload).toString()), protectedHeader.alg], [claims, alg]);
      assert.ok(!JSON.stringify(published).includes('"d"'), 'nothing private is published');
    });

    test('is refused with any one character changed', () => {
      for (let at = 0; at < statement.length; at += 1)
        for (const other of [statement[at] === 'A' ? 'B' : 'A', statement[at] === '.' ? '-' : '.', ''])
          broken(statement.slice(0, at) + other + statement.slice(at + 1));
    });

    test('is refused under another key, of another type, or by keys that are none', () => {
      const other = makeSigningKey(alg).published;
      broken(statement, [other]);
      broken(statement, [{ ...other, kid: published.kid }]);
      broken(statement, [published], 'other+jwt');
      const otherAlg = alg === 'ES256' ? 'EdDSA' : 'ES256';
      broken(statement, [{ ...published, alg: otherAlg }]);
      broken(statement, [{ ...makeSigningKey(otherAlg).published, kid: published.kid }]);
      broken(statement, [{ ...published, x: 'AA' }]);
      for (const keys of [[], [null], [7], [{}], [{ kid: published.kid }]]) broken(statement, keys);
      for (const text of ['', 'a.b', 'a.b.c', '..', `${statement}.x`, ` ${statement}`]) broken(text);
    });

    test('that names no algorithm is not believed', () => {
      const [, body, signature] = statement.split('.');
      for (const head of [
        { alg: 'none', kid: published.kid, typ },
        { kid: published.kid, typ },
        { alg: 'HS256', kid: published.kid, typ },
      ])
        for (const end of ['', signature])
          broken(`${Buffer.from(JSON.stringify(head)).toString('base64url')}.${body}.${end}`);
    });
  });
