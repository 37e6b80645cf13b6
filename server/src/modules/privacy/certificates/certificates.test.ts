import assert from 'node:assert/strict';
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
import { verifyAudit } from '../../audit/index.ts';
import { certificateType, sign } from './sign.ts';

let app: TestApp;
let folder: string;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime, { env: { BACKUP_DAYS: '14' } });
  folder = await mkdtemp(join(tmpdir(), 'godwit-certificate-'));
  lifetime.after(() => rm(folder, { recursive: true, force: true }));
});

/** An erasure that came to its end, as far as its certificate. */
async function signed(counts: Record<string, number> = { messages: 3, contacts: 1 }) {
  const contact = await peopleOf(app).contact({ displayName: 'Certified Clara' });
  const sid = newSid('DR', app.clock.now());
  const createdAt = app.clock.now().toISOString();
  await app.sql(
    `insert into privacy_requests (account_sid, livemode, sid, kind, state, contact_sid, found, reason, created_by, due_at, created_at, updated_at)
     values ($1, false, $2, 'ERASURE', 'SETTLING', $3, true, 'asked', 'test', $4, $4, $4)`,
    [app.accountSid, sid, contact.sid, createdAt],
  );
  const certificate = await write({ app }, (t) =>
    sign(t, { sid, subject: { contactSid: contact.sid }, createdAt }, { counts, simulatorForgot: true }),
  );
  return { sid, certificate, contact, path: `${app.at}/privacy/requests/${sid}/certificate` };
}

const keys = async () => (await app.get('/.well-known/jwks.json', { authorization: undefined })).body;

/** What the command says of these files, and whether it holds. */
async function proven(certificate: string, set: unknown, json = false) {
  const [file, keysFile] = [join(folder, 'certificate'), join(folder, 'jwks.json')];
  await writeFile(file, certificate);
  await writeFile(keysFile, typeof set === 'string' ? set : JSON.stringify(set));
  const lines: string[] = [];
  const holds = await proveCertificate(file, keysFile, { json }, (line) => lines.push(line));
  return { holds, said: lines.join('\n') };
}

suite('the certificate of an erasure', () => {
  test('is verified by another library with the published keys, and says what was erased, kept and left', async () => {
    const { sid, certificate, contact } = await signed();
    const { payload, protectedHeader } = await jwtVerify(certificate, createLocalJWKSet(await keys()), {
      issuer: app.site().publicUrl,
      currentDate: app.clock.now(),
      typ: certificateType,
    });
    assert.deepEqual([protectedHeader.alg, payload.jti, payload.contactSid], ['EdDSA', sid, contact.sid]);
    assert.deepEqual(payload.counts, { messages: 3, contacts: 1 });
    const kept = payload.kept as { store: string; why: string }[];
    assert.ok(
      kept.some(({ store, why }) => store === 'messages' && /GDPR Art/.test(why)),
      JSON.stringify(kept),
    );
    const inDays = (days: number) => new Date(app.clock.now().getTime() + days * 86_400_000).toISOString();
    assert.equal(payload.backupsUntil, inDays(14));
    for (const { until } of payload.tails as { until: string }[]) assert.ok(until > inDays(0));
    const [head] = await app.sql<{ sequence: string }>(
      "select sequence from chain_heads where account_sid = $1 and chain = 'audit' and not livemode",
      [app.accountSid],
    );
    const chains = payload.chains as { chain: string; sequence: string; hash: string }[];
    const audit = chains.find(({ chain }) => chain === 'audit')!;
    assert.equal(BigInt(audit.sequence), BigInt(head!.sequence) - 1n, 'as it stood before it was signed');
    assert.ok(!JSON.stringify(payload).includes('Clara'), 'it names nobody');
  });

  test('is shown to whoever may read requests, in their account and environment', async () => {
    const { certificate, path } = await signed();
    const shown = await app.get(path);
    assert.deepEqual([shown.status, shown.body.certificate], [200, certificate]);
    assert.equal(shown.body.claims.jti, shown.body.requestSid);
    assert.equal((await app.get(path, bearer(app.liveKey))).status, 404);
    const { key } = await app.key(['contacts:read']);
    assert.equal((await app.get(path, bearer(key))).status, 403);
    assert.equal((await app.get(path.replace(/DR\w+/, newSid('DR', app.clock.now())))).status, 404);
  });

  test('has its hash in the audit chain, which still holds', async () => {
    const { sid, path } = await signed();
    const { body } = await app.get(`${app.at}/audit-events?resource=${sid}`);
    const [entry] = body.data.filter(
      ({ action }: { action: string }) => action === 'privacy_request.certified',
    );
    assert.equal(entry.facts.sha256, (await app.get(path)).body.sha256);
    for await (const { broken } of verifyAudit(app.database, app.accountSid)) assert.equal(broken, null);
  });

  test('is proven offline from two files, and refused after one changed byte', async () => {
    const { sid, certificate, path } = await signed();
    const set = await keys();
    const good = await proven(certificate, set);
    assert.equal(good.holds, true);
    for (const text of ['The certificate holds.', sid, 'kept ', 'backups'])
      assert.ok(good.said.includes(text), text);
    assert.equal((await proven((await app.get(path)).text, set)).holds, true, 'as the API answers it, too');
    assert.equal(JSON.parse((await proven(certificate, set, true)).said).jti, sid);
    for (let at = 0; at < certificate.length; at += 97) {
      const other = certificate[at] === 'A' ? 'B' : 'A';
      const { holds, said } = await proven(certificate.slice(0, at) + other + certificate.slice(at + 1), set);
      assert.equal(holds, false, said);
      assert.match(said, /^The certificate does not hold: /);
    }
    assert.equal((await proven(certificate, { keys: [] })).holds, false);
    await assert.rejects(proven(certificate, 'no keys'), /no key set/);
  });

  test('is not taken for one when a receipt is, though both are signed here', async () => {
    const { certificate } = await signed();
    const [, claims, signature] = certificate.split('.');
    const head = { alg: 'EdDSA', kid: (await keys()).keys[0].kid, typ: 'consent-receipt+jwt' };
    const other = [Buffer.from(JSON.stringify(head)).toString('base64url'), claims, signature].join('.');
    assert.equal((await proven(other, await keys())).holds, false);
  });

  test('is signed by a key that is sealed where it is kept, and published without its private part', async () => {
    await signed();
    for (const key of (await keys()).keys) assert.ok(!('d' in key));
    const rows = await app.sql<{ private_key: Buffer }>('select private_key from certificate_keys');
    assert.equal(rows.length, 1, 'one key signs all');
    // PKCS #8 of Ed25519 begins with these bytes.
    assert.ok(!rows[0]!.private_key.toString('hex').includes('302e020100300506032b6570'));
  });
});
