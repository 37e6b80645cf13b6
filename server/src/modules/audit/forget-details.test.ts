import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import type { TestApp } from '../../../test/harness/app.ts';
import { peopleOf } from '../../../test/harness/contacts.ts';
import { ownAccounts } from '../../../test/harness/own-account.ts';
import { inAccount as inTenant } from '../../../test/harness/webhooks.ts';
import { canonicalJson } from '../../platform/hashing.ts';
import { verifyConsentFile, verifyConsents } from '../consent/ledger.ts';
import { audit } from './audit.ts';
import { forgetDetails } from './forget-details.ts';
import type { AuditEvent } from './schema.ts';
import { verifyAudit } from './verify-audit.ts';

const ownAccount = ownAccounts();
const secret = 'Marguerite moved to Lyon';

async function merged(app: TestApp): Promise<AuditEvent> {
  const people = peopleOf(app);
  const [one, other] = [await people.contact(), await people.contact()];
  const body = { mergeContactSid: other.sid, reason: secret };
  assert.equal((await app.post(`${app.at}/contacts/${one.sid}/merge`, body)).status, 200);
  return audited(app, 'contact.merged');
}

async function audited(app: TestApp, action: string): Promise<AuditEvent> {
  return (await app.get(`${app.at}/audit-events?action=${action}`)).body.data[0];
}

async function consented(app: TestApp) {
  const people = peopleOf(app);
  const { sid } = await people.contact();
  const capturedAt = app.clock.now().toISOString();
  const evidence = { wording: secret, capturedAt };
  return people.consent(sid, { evidence, evidenceRef: secret });
}

const forget = (app: TestApp, chain: 'audit' | 'consent', sequence: number | string) =>
  inTenant(app, (t) => forgetDetails(t, chain, [String(sequence)]));

/** What somebody with the database in hand could do. */
const tamper = (app: TestApp, statement: string) =>
  app.sql(`begin; set local session_replication_role = replica; ${statement}; commit`);

async function auditFault(app: TestApp) {
  for await (const { livemode, broken } of verifyAudit(app.database, app.accountSid))
    if (!livemode) return broken;
  throw new Error('there is no chain');
}

async function consentFault(app: TestApp, lines: string[] = []) {
  for await (const { livemode, broken } of verifyConsents(app.database, app.accountSid, (line) => {
    lines.push(line);
  }))
    if (!livemode) return broken;
  throw new Error('there is no chain');
}

suite('what was said in people’s own words', () => {
  test('is told with an audit event, and anybody can follow the chain by the documented recipe', async () => {
    const app = await ownAccount();
    const event = await merged(app);
    assert.equal(event.facts.reason, secret);
    const { object: _, sequence, previousHash, hash, detail, ...record } = event;
    assert.deepEqual(detail!.members, ['facts.reason']);
    const { reason, ...plain } = record.facts;
    const commitment = createHmac('sha256', Buffer.from(detail!.salt!, 'hex'))
      .update(canonicalJson({ facts: { reason } }))
      .digest('hex');
    assert.equal(commitment, detail!.hash);
    const place = Buffer.alloc(8);
    place.writeBigUInt64BE(BigInt(sequence));
    const payload = canonicalJson({ ...record, facts: plain, detail: commitment });
    const link = createHash('sha256').update(Buffer.from(previousHash, 'hex')).update(place).update(payload);
    assert.equal(link.digest('hex'), hash);
  });

  test('stands in no link of a chain', async () => {
    const app = await ownAccount();
    await merged(app);
    await consented(app);
    for (const table of ['audit_entries', 'consents'])
      assert.equal(await app.count(`${table} where payload like '%Marguerite%'`), 0, table);
    assert.equal(await app.count(`chain_details where text like '%Marguerite%'`), 2);
    assert.deepEqual([await auditFault(app), await consentFault(app)], [null, null]);
  });

  test('is kept for each of several entries of one transaction', async () => {
    const app = await ownAccount();
    await inTenant(app, async (t) => {
      for (const [n, words] of [['reason'], [], ['reason']].entries())
        audit(t, { action: `test.${n}`, facts: { n, reason: `${secret} ${n}` }, words });
    });
    for (const n of [0, 1, 2]) {
      const { facts, detail } = await audited(app, `test.${n}`);
      assert.deepEqual([facts, detail === null], [{ n, reason: `${secret} ${n}` }, n === 1]);
    }
    assert.equal(await auditFault(app), null);
  });

  test('can be forgotten: the chain holds, and an entry names the link', async () => {
    const app = await ownAccount();
    const { sequence } = await merged(app);
    assert.equal(await forget(app, 'audit', sequence), 1);
    assert.equal(await auditFault(app), null);
    const { facts, detail } = await audited(app, 'contact.merged');
    assert.deepEqual([facts.reason, detail!.salt, detail!.members], [undefined, null, []]);
    const erased = await audited(app, 'chain_details.erased');
    assert.deepEqual(erased.facts, { chain: 'audit', sequences: [String(sequence)] });
    assert.equal(await forget(app, 'audit', sequence), 0, 'once');
    assert.equal(await app.count(`audit_entries where action = 'chain_details.erased'`), 1);
  });

  test('of a consent can be forgotten; what was agreed to and when stays', async () => {
    const app = await ownAccount();
    const { sid, contactSid, ledger, evidence } = await consented(app);
    await forget(app, 'consent', ledger.sequence);
    assert.equal(await consentFault(app), null);
    const { body } = await app.get(`${app.at}/contacts/${contactSid}/consents/${sid}`);
    assert.deepEqual(
      [body.status, body.evidenceRef, body.evidence, body.ledger.hash, body.ledger.detail.salt],
      ['OPTED_IN', null, { capturedAt: evidence.capturedAt }, ledger.hash, null],
    );
  });

  for (const chain of ['audit', 'consent'] as const) {
    const fault = chain === 'audit' ? auditFault : consentFault;
    const made = async (app: TestApp) =>
      chain === 'audit' ? (await merged(app)).sequence : (await consented(app)).ledger.sequence;

    test(`breaks the ${chain} chain where it is removed and no entry says so`, async () => {
      const app = await ownAccount();
      const sequence = await made(app);
      await tamper(
        app,
        `delete from chain_details where account_sid = '${app.accountSid}' and chain = '${chain}'`,
      );
      const broken = await fault(app);
      assert.deepEqual(
        [broken?.sequence, /no proven erasure/.test(broken!.reason)],
        [String(sequence), true],
      );
    });

    test(`breaks the ${chain} chain where it is changed, or put beside a link that has none`, async () => {
      const app = await ownAccount();
      const sequence = await made(app);
      const whose = `account_sid = '${app.accountSid}' and chain = '${chain}'`;
      await tamper(app, `update chain_details set text = replace(text, 'Lyon', 'Metz') where ${whose}`);
      assert.equal((await fault(app))?.reason, 'its detail was changed');
      await tamper(app, `update chain_details set text = replace(text, 'Metz', 'Lyon') where ${whose}`);
      assert.equal(await fault(app), null);
      await inTenant(app, async (t) => audit(t, { action: 'test.plain' }));
      await peopleOf(app).consent((await peopleOf(app).contact()).sid);
      await tamper(
        app,
        `insert into chain_details select account_sid, livemode, chain, sequence + 1, salt, text from chain_details
          where ${whose} and sequence = ${sequence}`,
      );
      assert.equal((await fault(app))?.reason, 'it knows of no detail, and there is one');
    });
  }

  test('is not believed to be forgotten by an entry of a broken audit chain', async () => {
    const app = await ownAccount();
    const { ledger } = await consented(app);
    await forget(app, 'consent', ledger.sequence);
    await tamper(
      app,
      `update audit_entries set payload = replace(payload, 'chain_details', 'chain_detail_') where account_sid = '${app.accountSid}'`,
    );
    assert.equal((await consentFault(app))?.sequence, ledger.sequence);
  });

  test('of links from before is where it was: they are proven as they are', async () => {
    const app = await ownAccount();
    const event = await merged(app);
    const { object: _, detail: __, previousHash: ___, hash: ____, sequence: _____, ...record } = event;
    const old = canonicalJson({ ...record, id: '01890000-0000-7000-8000-000000000001', action: 'test.old' });
    await app.sql(
      `insert into audit_entries (account_sid, livemode, sequence, id, action, resource, actor, occurred_at, payload,
         previous_hash, hash)
       select $1, false, sequence, '01890000-0000-7000-8000-000000000001', 'test.old', null, $2, $3, $4, previous_hash, hash
         from chain_next($1, false, 'audit', array[$4::text])`,
      [app.accountSid, event.actor, event.occurredAt, old],
    );
    const read = await audited(app, 'test.old');
    assert.deepEqual([read.facts.reason, read.detail], [secret, null]);
    await inTenant(app, async (t) =>
      audit(t, { action: 'test.after', facts: { reason: 'x' }, words: ['reason'] }),
    );
    assert.equal(await auditFault(app), null);
  });
});

test('an export proves forgotten words offline by the entry that names them, and nothing without it', async (context) => {
  const app = await ownAccount();
  await consented(app);
  const { ledger } = await consented(app);
  await forget(app, 'consent', ledger.sequence);
  const lines: string[] = [];
  assert.equal(await consentFault(app, lines), null);
  const path = await mkdtemp(join(tmpdir(), 'godwit-words-'));
  context.after(() => rm(path, { recursive: true }));
  const proof = async (given: string[]) => {
    await writeFile(join(path, 'export'), given.join('\n'));
    for await (const report of verifyConsentFile(join(path, 'export'))) return report;
    throw new Error('nothing was proven');
  };
  const whole = await proof(lines);
  const entry = await audited(app, 'chain_details.erased');
  assert.equal(whole.broken, null);
  assert.deepEqual(
    whole.erasures.map(({ sequence, hash }) => [sequence, hash.toString('hex')]),
    [[String(entry.sequence), entry.hash]],
  );
  const without = lines.filter((line) => !line.includes('consent_erasure'));
  assert.equal((await proof(without)).broken?.sequence, ledger.sequence);
  const elsewhere = lines.map((line) => line.replace(`[\\"${ledger.sequence}\\"]`, '[\\"7\\"]'));
  assert.notDeepEqual(elsewhere, lines);
  assert.equal(
    (await proof(elsewhere)).broken?.sequence,
    ledger.sequence,
    'a changed erasure counts for nothing',
  );
  const salted = lines.map((line) => line.replace(/"salt":"../, '"salt":"zz'));
  assert.equal((await proof(salted)).broken?.reason, 'its detail was changed');
});
