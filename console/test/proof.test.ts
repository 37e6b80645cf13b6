// The proof in the browser against the service's own: what one refuses, the other does, and for the same reason.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  type ConsentCertificateClaims,
  consentCertificateType,
  verifyConsentCertificate,
} from '../../server/src/modules/privacy/index.ts';
import { committed, linkHash } from '../../server/src/platform/chain.ts';
import { sha256 } from '../../server/src/platform/hashing.ts';
import { newSid, newUuid } from '../../server/src/platform/ids.ts';
import {
  makeSigningKey,
  openSigningKey,
  signStatement,
} from '../../server/src/platform/signing/signatures.ts';
import { certificateIn, verifyCertificate } from '../src/features/contacts/proof/verify-certificate.ts';

const now = new Date('2026-08-21T10:00:00Z');
const { published, privateDer } = makeSigningKey('EdDSA');
const key = openSigningKey(published.kid, 'EdDSA', privateDer);
const keys = [makeSigningKey('ES256').published, published];
const [accountSid, contactSid] = [newSid('AC', now), newSid('CT', now)];

function claimsOf(): ConsentCertificateClaims {
  let previousHash = sha256('');
  const consents = ['Yes, Zoë, write me', null, 'Not any more'].map((wording, at) => {
    const sequence = String(at + 1);
    const words = wording === null ? {} : { evidence: { wording } };
    const record = { accountSid, livemode: false, contactSid, purpose: 'MARKETING', status: 'OPTED_IN' };
    const { payload, detail } = committed(record, words);
    const hash = linkHash(previousHash, BigInt(sequence), payload);
    const link = {
      sequence,
      payload,
      previousHash: previousHash.toString('hex'),
      hash: hash.toString('hex'),
    };
    previousHash = hash;
    return { ...link, detail };
  });
  return {
    iss: 'https://messages.example',
    iat: now.getTime() / 1_000,
    jti: newUuid(now),
    accountSid,
    livemode: false,
    contactSid,
    identities: [contactSid],
    consents,
    omitted: 0,
    head: { sequence: '3', hash: previousHash.toString('hex') },
  };
}

const signed = (claims: object, typ = consentCertificateType) => signStatement(key, typ, claims);

function holdsForTheService(certificate: string, with_: readonly unknown[] = keys): boolean {
  try {
    verifyConsentCertificate(certificate, with_);
    return true;
  } catch {
    return false;
  }
}

suite('a certificate of consents, proven in the browser,', () => {
  test('holds as the service issues it, alone and within its answer, also without words that were forgotten', async () => {
    const claims = claimsOf();
    const certificate = signed(claims);
    assert.deepEqual(await verifyCertificate(certificate, keys), { holds: true, claims });
    assert.equal(certificateIn(JSON.stringify({ certificate })), certificate);
    assert.equal(certificateIn(` ${certificate}\n`), certificate);
    claims.consents[0]!.detail = null;
    assert.equal((await verifyCertificate(signed(claims), keys)).holds, true);
  });

  test('does not hold after a changed byte, wherever it is', async () => {
    const certificate = signed(claimsOf());
    for (let place = 0; place < certificate.length; place += 7) {
      const byte = certificate[place] === 'A' ? 'B' : 'A';
      const changed = certificate.slice(0, place) + byte + certificate.slice(place + 1);
      assert.equal((await verifyCertificate(changed, keys)).holds, false, `${place}`);
    }
  });

  test('does not hold where its links do not, whoever signed it, and names the link as the service does', async () => {
    const changes: [fault: string, change: (claims: ConsentCertificateClaims) => void][] = [
      ['content', ({ consents }) => Object.assign(consents[1]!, { payload: consents[0]!.payload })],
      [
        'content',
        ({ consents }) => Object.assign(consents[2]!, { previousHash: consents[2]!.hash, sequence: '9' }),
      ],
      [
        'detail',
        ({ consents }) => Object.assign(consents[0]!.detail!, { text: '{"evidence":{"wording":"No"}}' }),
      ],
      ['unknownDetail', ({ consents }) => Object.assign(consents[1]!, { detail: consents[0]!.detail })],
      ['outOfOrder', ({ consents }) => consents.reverse()],
      ['notFollowing', ({ consents }) => Object.assign(consents[1]!, { previousHash: '0'.repeat(64) })],
      ['beyondHead', ({ head, consents }) => Object.assign(head, { sequence: '2', hash: consents[1]!.hash })],
      ['notHead', ({ head }) => Object.assign(head, { hash: 'f'.repeat(64) })],
      ['somebodyElse', (claims) => Object.assign(claims, { identities: [newSid('CT', now)] })],
      ['somebodyElse', (claims) => Object.assign(claims, { livemode: true })],
    ];
    for (const [fault, change] of changes) {
      const claims = claimsOf();
      // The head stands further on, so that a link may be moved.
      if (fault === 'content') Object.assign(claims.head, { sequence: '20', hash: 'a'.repeat(64) });
      change(claims);
      const certificate = signed(claims);
      const verdict = await verifyCertificate(certificate, keys);
      assert.ok(!verdict.holds, fault);
      assert.equal(verdict.fault, fault);
      assert.throws(
        () => verifyConsentCertificate(certificate, keys),
        new RegExp(`of link ${verdict.sequence}: `),
      );
    }
  });

  test('is refused for what it is not, as by the service', async () => {
    const claims = claimsOf();
    const certificate = signed(claims);
    const withOther = { ...published, x: makeSigningKey('EdDSA').published.x };
    for (const [fault, text, by] of [
      ['noStatement', 'hello', keys],
      ['noStatement', 'a.b.c', keys],
      ['otherType', signed(claims, 'erasure-certificate+jwt'), keys],
      ['unknownKey', certificate, [keys[0]]],
      ['unknownKey', certificate, []],
      ['otherAlgorithm', certificate, [{ ...published, alg: 'ES256', crv: 'P-256' }]],
      ['unreadableKey', certificate, [{ ...published, x: 'AAAA' }]],
      ['signature', certificate, [withOther]],
    ] as const) {
      const verdict = await verifyCertificate(text, by);
      assert.deepEqual(verdict, { holds: false, fault, sequence: null });
      assert.equal(holdsForTheService(text, by), false, fault);
    }
  });
});
