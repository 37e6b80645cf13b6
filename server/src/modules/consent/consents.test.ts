import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { peopleOf, refused } from '../../../test/harness/contacts.ts';
import { ownAccounts } from '../../../test/harness/own-account.ts';

const newApp = ownAccounts();

const evidence = {
  application: 'checkout',
  campaignRef: 'spring',
  capturedAt: '2026-08-20T08:00:00+02:00',
  proofRef: 's3://proofs/1.png',
  reOptIn: true,
  reason: 'asked at the till',
  sourcePage: 'https://shop.example/checkout',
  withdrawnAt: '2026-08-20T10:00:00Z',
  wording: 'Oui, je veux recevoir des offres. ✓',
  wordingVersion: '2026-07',
};

suite('the consent ledger', () => {
  test('keeps every record whole, with its evidence, and each supersedes the one before', async () => {
    const app = await newApp();
    const people = peopleOf(app);
    const { sid } = await people.contact();
    const first = await app.post(`${app.at}/contacts/${sid}/consents`, {
      purpose: 'MARKETING',
      source: 'FORM',
      status: 'OPTED_IN',
      evidenceRef: 'form-17',
      expiresAt: '2027-08-21T12:00:00+02:00',
      evidence,
    });
    assert.equal(first.status, 201, first.text);
    assert.equal(first.headers.get('location'), `${app.at}/contacts/${sid}/consents/${first.body.sid}`);
    assert.deepEqual(first.body.evidence, evidence);
    assert.deepEqual(
      [
        first.body.contactSid,
        first.body.supersedesConsentSid,
        first.body.expiresAt,
        first.body.ledger.sequence,
      ],
      [sid, null, '2027-08-21T10:00:00.000Z', '1'],
    );
    const second = await people.consent(sid, { status: 'OPTED_OUT' });
    const third = await people.consent(sid, { evidence: { supersedesConsentSid: first.body.sid } });
    assert.deepEqual(
      [second.supersedesConsentSid, third.supersedesConsentSid],
      [first.body.sid, first.body.sid],
    );
    assert.equal(second.ledger.previousHash, first.body.ledger.hash);
    assert.deepEqual(await people.consents(sid), [third, second, first.body]);
    assert.deepEqual((await app.get(first.headers.get('location')!)).body, first.body);
    assert.equal(await app.count("audit_entries where action = 'consent.recorded'"), 3);
    assert.equal((await app.emitted()).filter((type) => type === 'consent.recorded').length, 3);
  });

  test('cannot be changed, emptied or shortened, not even by its owner', async () => {
    const app = await newApp();
    const people = peopleOf(app);
    await people.consent((await people.contact()).sid);
    for (const statement of [
      "update consents set status = 'OPTED_OUT'",
      'delete from consents',
      'truncate consents cascade',
    ]) {
      await assert.rejects(app.sql(statement), /append-only/, statement);
    }
    const grants = await app.sql<{ privilege: string }>(
      `select distinct privilege_type as privilege from information_schema.role_table_grants
        where table_name = 'consents' and grantee in ('godwit_tenant', 'godwit_system') order by 1`,
    );
    assert.deepEqual(
      grants.map(({ privilege }) => privilege),
      ['INSERT', 'SELECT'],
    );
  });

  test('the newest record of a purpose counts, until it expires', async () => {
    const app = await newApp();
    const people = peopleOf(app);
    const { sid } = await people.contact();
    const statusOf = async () => {
      const { consent } = await people.read(sid);
      return [consent.MARKETING.status, consent.SUPPORT.status, consent.TRANSACTIONAL.status];
    };
    assert.deepEqual(await statusOf(), ['UNKNOWN', 'UNKNOWN', 'UNKNOWN']);
    await people.consent(sid, { status: 'OPTED_OUT' });
    const { sid: consentSid } = await people.consent(sid, { expiresAt: '2026-08-22T10:00:00Z' });
    await people.consent(sid, { purpose: 'SUPPORT', status: 'REVOKED' });
    assert.deepEqual(await statusOf(), ['OPTED_IN', 'REVOKED', 'UNKNOWN']);
    assert.equal((await people.read(sid)).consent.MARKETING.consentSid, consentSid);
    app.clock.set('2026-08-22T09:59:59.999Z');
    assert.equal((await statusOf())[0], 'OPTED_IN');
    app.clock.advance(1);
    assert.equal((await statusOf())[0], 'EXPIRED');
    assert.equal((await people.consents(sid))[1].status, 'OPTED_IN', 'the record still says what was agreed');
  });

  test('refuses records that cannot be true, and keeps nothing of them', async () => {
    const app = await newApp();
    const people = peopleOf(app);
    const [one, other] = [await people.contact(), await people.contact()];
    const foreign = await people.consent(other.sid);
    const support = await people.consent(one.sid, { purpose: 'SUPPORT' });
    const before = await app.count('consents');
    const cases: [object, string][] = [
      [{ expiresAt: '2026-08-21T10:00:00Z' }, 'expiresAt'],
      [{ expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
      [{ expiresAt: '2026-02-30T00:00:00Z' }, 'expiresAt'],
      [{ evidence: { capturedAt: '2026-08-21T10:06:00Z' } }, 'evidence.capturedAt'],
      [{ evidence: { withdrawnAt: '2030-01-01T00:00:00Z' } }, 'evidence.withdrawnAt'],
      [{ evidence: { supersedesConsentSid: foreign.sid } }, 'evidence.supersedesConsentSid'],
      [{ evidence: { supersedesConsentSid: support.sid } }, 'evidence.supersedesConsentSid'],
      [{ evidence: { supersedesConsentSid: `CV${'0'.repeat(26)}` } }, 'evidence.supersedesConsentSid'],
      [{ evidence: { wording: 'x'.repeat(4097) } }, 'evidence.wording'],
      [{ evidence: { mood: 'good' } }, 'evidence.mood'],
      [{ status: 'MAYBE' }, 'status'],
    ];
    for (const [body, path] of cases) {
      const full = { purpose: 'MARKETING', source: 'FORM', status: 'OPTED_IN', ...body };
      refused(await app.post(`${app.at}/contacts/${one.sid}/consents`, full), 400, 'VALIDATION_ERROR', path);
    }
    assert.equal(await app.count('consents'), before);
  });

  test('after a merge a record of either contact can be superseded', async () => {
    const app = await newApp();
    const people = peopleOf(app);
    const [survivor, merged] = [await people.contact(), await people.contact()];
    const old = await people.consent(merged.sid);
    await people.merge(survivor.sid, merged.sid);
    const next = await people.consent(survivor.sid, { evidence: { supersedesConsentSid: old.sid } });
    assert.equal(next.supersedesConsentSid, old.sid);
  });

  test('pages show every record once', async () => {
    const app = await newApp();
    const people = peopleOf(app);
    const { sid } = await people.contact();
    for (let i = 0; i < 5; i += 1) await people.consent(sid);
    const path = `${app.at}/contacts/${sid}/consents?limit=2`;
    const sequences: string[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await app.get(path + cursor);
      sequences.push(...body.data.map(({ ledger }: { ledger: { sequence: string } }) => ledger.sequence));
      if (!body.hasMore) break;
      cursor = `&cursor=${body.nextCursor}`;
    }
    assert.deepEqual(sequences, ['5', '4', '3', '2', '1']);
  });

  test('20 clients that record at once make one unbroken chain, and the last record counts', async () => {
    const app = await newApp();
    const people = peopleOf(app);
    const contacts = await Promise.all(Array.from({ length: 4 }, () => people.contact()));
    const statuses = ['OPTED_IN', 'OPTED_OUT', 'REVOKED'];
    const client = async (_: unknown, i: number) => [
      await people.consent(contacts[i % 4]!.sid, { status: statuses[i % 3] }),
      await people.consent(contacts[(i + 1) % 4]!.sid, { status: statuses[(i + 1) % 3] }),
    ];
    const made = (await Promise.all(Array.from({ length: 20 }, client))).flat();
    const sequences = made.map(({ ledger }) => Number(ledger.sequence)).sort((a, b) => a - b);
    assert.deepEqual(
      sequences,
      Array.from({ length: 40 }, (_, i) => i + 1),
    );
    for (const { sid } of contacts) {
      const [newest] = await people.consents(sid);
      assert.equal((await people.read(sid)).consent.MARKETING.consentSid, newest.sid);
    }
  });
});
