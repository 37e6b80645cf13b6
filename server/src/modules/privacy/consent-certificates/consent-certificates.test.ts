import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, suite, test } from 'node:test';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { bearer, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { peopleOf } from '../../../../test/harness/contacts.ts';
import { write } from '../../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { proveCertificate } from '../../../main/commands/privacy/certificates.ts';
import { newSid } from '../../../platform/ids.ts';
import { signStatement } from '../../../platform/signing/signatures.ts';
import { certificateKey } from '../certificates/keys.ts';
import { consentCertificateType } from './certify-consents.ts';
import type { ConsentCertificateClaims } from './schema.ts';

let app: TestApp;
let folder: string;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
  folder = await mkdtemp(join(tmpdir(), 'godwit-consents-'));
  lifetime.after(() => rm(folder, { recursive: true, force: true }));
});

const words = 'I want the newsletter of Certified Clara';
const at = (contactSid: string, of = app.at) => `${of}/contacts/${contactSid}/consent-certificate`;
const keys = async () => (await app.get('/.well-known/jwks.json', { authorization: undefined })).body;

/** Somebody who agreed and took it back, among others who did. */
async function person() {
  const people = peopleOf(app);
  const [contact, other] = [await people.contact(), await people.contact()];
  await people.consent(other.sid, { evidenceRef: 'of somebody else' });
  await people.consent(contact.sid, { evidenceRef: words });
  await people.consent(other.sid, { status: 'OPTED_OUT' });
  await people.consent(contact.sid, { status: 'OPTED_OUT' });
  return { contact, other, people };
}

async function certified(contactSid: string) {
  const { status, body, text } = await app.post(at(contactSid));
  assert.equal(status, 200, text);
  return body as { certificate: string; sha256: string; claims: ConsentCertificateClaims };
}

/** What the command says of a certificate, and whether it holds. */
async function proven(certificate: string, json = false) {
  const [file, keysFile] = [join(folder, 'certificate'), join(folder, 'jwks.json')];
  await writeFile(file, certificate);
  await writeFile(keysFile, JSON.stringify(await keys()));
  const lines: string[] = [];
  const holds = await proveCertificate(file, keysFile, { json }, (line) => lines.push(line));
  return { holds, said: lines.join('\n') };
}

/** The same claims, but for a change, signed by the installation's own key: only the links can tell. */
async function signedAnew(
  claims: ConsentCertificateClaims,
  change: (claims: ConsentCertificateClaims) => void,
) {
  const changed = structuredClone(claims);
  change(changed);
  return write({ app }, async (t) => signStatement(await certificateKey(t), consentCertificateType, changed));
}

suite('the certificate of consents', () => {
  test('is verified by another library, and its links by nothing but hashes', async () => {
    const { contact } = await person();
    const { certificate } = await certified(contact.sid);
    const { payload, protectedHeader } = await jwtVerify(certificate, createLocalJWKSet(await keys()), {
      issuer: app.site().publicUrl,
      currentDate: app.clock.now(),
      typ: consentCertificateType,
    });
    assert.deepEqual([protectedHeader.alg, payload.contactSid], ['EdDSA', contact.sid]);
    const { consents } = payload as unknown as ConsentCertificateClaims;
    assert.equal(consents.length, 2);
    for (const { sequence, payload: text, previousHash, hash, detail } of consents) {
      const number = Buffer.alloc(8);
      number.writeBigInt64BE(BigInt(sequence));
      const bytes = Buffer.concat([Buffer.from(previousHash, 'hex'), number, Buffer.from(text)]);
      assert.equal(createHash('sha256').update(bytes).digest('hex'), hash);
      if (detail)
        assert.equal(
          createHmac('sha256', Buffer.from(detail.salt, 'hex')).update(detail.text).digest('hex'),
          JSON.parse(text).detail,
        );
    }
    assert.ok(consents[0]!.detail!.text.includes(words));
  });

  test('has the links of the ledger and where that stood, and nobody else in it', async () => {
    const { contact, other, people } = await person();
    const { claims, certificate } = await certified(contact.sid);
    const shown = (await people.consents(contact.sid)).reverse();
    assert.deepEqual(
      claims.consents.map(({ sequence, hash }) => [sequence, hash]),
      shown.map(({ ledger }: { ledger: { sequence: string; hash: string } }) => [
        ledger.sequence,
        ledger.hash,
      ]),
    );
    const [head] = await app.sql<{ sequence: string; hash: string }>(
      `select sequence, encode(hash, 'hex') as hash from chain_heads
        where account_sid = $1 and chain = 'consent' and not livemode`,
      [app.accountSid],
    );
    assert.deepEqual(claims.head, { ...head!, sequence: String(head!.sequence) });
    const said = Buffer.from(certificate.split('.')[1]!, 'base64url').toString();
    assert.ok(!said.includes(other.sid) && !said.includes('somebody else'));
  });

  test('is proven offline, and refused after one changed byte', async () => {
    const { contact } = await person();
    const { certificate } = await certified(contact.sid);
    const good = await proven(certificate);
    assert.equal(good.holds, true, good.said);
    for (const text of ['The certificate holds.', contact.sid, 'OPTED_IN', 'OPTED_OUT', words])
      assert.ok(good.said.includes(text), text);
    assert.equal(JSON.parse((await proven(certificate, true)).said).contactSid, contact.sid);
    for (let place = 0; place < certificate.length; place += 113) {
      const byte = certificate[place] === 'A' ? 'B' : 'A';
      const { holds, said } = await proven(certificate.slice(0, place) + byte + certificate.slice(place + 1));
      assert.equal(holds, false, said);
      assert.match(said, /^The certificate does not hold: /);
    }
  });

  test('does not hold where its links do not, whoever signed it', async () => {
    const { contact } = await person();
    const { claims } = await certified(contact.sid);
    const changes: ((claims: ConsentCertificateClaims) => void)[] = [
      ({ consents }) => {
        consents[1]!.payload = consents[1]!.payload.replace('OPTED_OUT', 'OPTED_IN');
      },
      ({ consents }) => {
        consents[0]!.detail!.text = consents[0]!.detail!.text.replace('newsletter', 'telephone');
      },
      ({ consents }) => {
        consents[0]!.hash = '0'.repeat(64);
      },
      ({ consents }) => consents.reverse(),
      ({ head }) => {
        head.sequence = '1';
      },
      ({ head, consents }) => {
        Object.assign(head, { sequence: consents[1]!.sequence, hash: 'f'.repeat(64) });
      },
      (changed) => {
        changed.identities = [newSid('CT', app.clock.now())];
      },
    ];
    for (const change of changes) {
      const { holds, said } = await proven(await signedAnew(claims, change));
      assert.equal(holds, false, String(change));
      assert.match(said, /of link \d+: /);
    }
    const { holds } = await proven(await signedAnew(claims, () => {}));
    assert.equal(holds, true);
  });

  test('holds without the words once they were forgotten', async () => {
    const { contact } = await person();
    await app.sql(
      `delete from chain_details where account_sid = $1 and chain = 'consent'
          and sequence in (select sequence from consents where contact_sid = $2)`,
      [app.accountSid, contact.sid],
    );
    const { certificate, claims } = await certified(contact.sid);
    assert.ok(claims.consents.every(({ detail }) => detail === null));
    assert.equal((await proven(certificate)).holds, true);
  });

  test('speaks for those who were merged into the contact', async () => {
    const { contact, other, people } = await person();
    await people.merge(contact.sid, other.sid);
    const { claims, certificate } = await certified(contact.sid);
    assert.deepEqual(
      [claims.consents.length, [...claims.identities].sort()],
      [4, [contact.sid, other.sid].sort()],
    );
    assert.equal((await proven(certificate)).holds, true);
  });

  test('has the newest of very many, and says how many it leaves out', async () => {
    const people = peopleOf(app);
    const { sid } = await people.contact();
    for (let i = 0; i < 203; i += 1) await people.consent(sid, { status: i % 2 ? 'OPTED_OUT' : 'OPTED_IN' });
    const { claims, certificate } = await certified(sid);
    assert.deepEqual([claims.consents.length, claims.omitted], [200, 3]);
    assert.equal((await proven(certificate)).holds, true);
  });

  test('has its hash in the audit chain', async () => {
    const { contact } = await person();
    const { sha256, certificate } = await certified(contact.sid);
    assert.equal(createHash('sha256').update(certificate).digest('hex'), sha256);
    const { body } = await app.get(`${app.at}/audit-events?resource=${contact.sid}`);
    const facts = body.data
      .filter(({ action }: { action: string }) => action === 'consent.certified')
      .map((entry: { facts: object }) => entry.facts);
    assert.deepEqual(facts, [{ sha256 }]);
  });

  test('is made for whoever may read the contact, and of somebody who agreed or refused', async () => {
    const { contact } = await person();
    const silent = await peopleOf(app).contact();
    const none = await app.post(at(silent.sid));
    assert.deepEqual([none.status, none.body.error.code], [409, 'CONFLICT']);
    assert.equal((await app.post(at(newSid('CT', app.clock.now())))).status, 404);
    assert.equal((await app.post(at(contact.sid), undefined, bearer(app.liveKey))).status, 404);
    const { key } = await app.key(['messages:read']);
    assert.equal((await app.post(at(contact.sid), undefined, bearer(key))).status, 403);
    const stranger = await app.newAccount();
    const there = at(contact.sid, `/v1/accounts/${stranger.accountSid}`);
    assert.equal((await app.post(there, undefined, bearer(stranger.sandboxKey))).status, 404);
  });
});
