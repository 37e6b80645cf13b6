import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { peopleOf } from '../../../test/harness/contacts.ts';
import { ownAccounts } from '../../../test/harness/own-account.ts';
import { generateMasterKey } from '../../platform/sealing.ts';
import { type ConsentReport, verifyConsentFile, verifyConsents } from './ledger.ts';

const bin = fileURLToPath(new URL('../../../bin/godwit.js', import.meta.url));

function godwit(args: string[], env: Record<string, string> = {}) {
  return new Promise<{ code: number; out: string }>((resolve) => {
    execFile(process.execPath, [bin, ...args], { env: { ...process.env, ...env } }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, out: stdout + stderr }),
    );
  });
}

async function reportsOf(reports: AsyncIterable<ConsentReport>) {
  const all: ConsentReport[] = [];
  for await (const report of reports) all.push(report);
  return all;
}

/** Three people who said five things. */
async function story(app: TestApp) {
  const people = peopleOf(app);
  const [a, b] = [await people.contact(), await people.contact()];
  await people.consent(a.sid, { evidence: { wording: 'Oui ✓', wordingVersion: '1' } });
  await people.consent(b.sid);
  await people.consent(a.sid, { status: 'OPTED_OUT' });
  await people.merge(a.sid, b.sid);
  await people.consent(a.sid, { purpose: 'SUPPORT', expiresAt: '2027-01-01T00:00:00Z' });
  await people.consent(a.sid, { status: 'REVOKED' });
}

/** Past the trigger and every right: what somebody with the disk in hand could do. Of the test's account alone. */
const tamper = (app: TestApp, statement: string) => {
  const own = statement.replaceAll(' where ', ` where account_sid = '${app.accountSid}' and `);
  return app.sql(`begin; set local session_replication_role = replica; ${own}; commit`);
};

async function folder(context: { after(work: () => Promise<void>): void }) {
  const path = await mkdtemp(join(tmpdir(), 'godwit-consent-'));
  context.after(() => rm(path, { recursive: true }));
  return path;
}

const ownAccount = ownAccounts();

suite('the proof from the database', () => {
  test('holds for what the service wrote, merges included, and tells the head', async () => {
    const app = await ownAccount();
    await story(app);
    const [report, ...others] = await reportsOf(verifyConsents(app.database, app.accountSid));
    assert.deepEqual([report!.links, report!.broken, others.length], [5, null, 0]);
    const [head] = await app.sql<{ hash: Buffer }>(
      "select hash from chain_heads where chain = 'consent' and account_sid = $1",
      [app.accountSid],
    );
    assert.equal(report!.head, head!.hash.toString('hex'));
  });

  const breaks: [string, string, string][] = [
    ['a changed column', "update consents set status = 'OPTED_OUT' where sequence = 2", '2'],
    [
      'a changed record',
      `update consents set payload = replace(payload, 'FORM', 'FROM') where sequence = 1`,
      '1',
    ],
    ['a changed word', `update chain_details set text = replace(text, 'Oui', 'Non') where sequence = 1`, '1'],
    [
      'a record given to another contact',
      'update consents set contact_sid = (select contact_sid from consents where sequence = 2) where sequence = 3',
      '3',
    ],
    ['an expiry moved', "update consents set expires_at = '2030-01-01' where sequence = 4", '4'],
    ['a removed record', 'delete from consents where sequence = 3', '4'],
    ['a removed last record', 'delete from consents where sequence = 5', '5'],
    ['a removed head', "delete from chain_heads where chain = 'consent'", '6'],
    [
      'a record added past the chain',
      `insert into consents select account_sid, livemode, 6, 'CV' || repeat('0', 26), contact_sid, purpose, status,
       expires_at, created_at, payload, hash, hash from consents where sequence = 5`,
      '6',
    ],
  ];
  for (const [what, statement, at] of breaks) {
    test(`names ${what} at its place`, async () => {
      const app = await ownAccount();
      await story(app);
      await tamper(app, statement);
      const [report] = await reportsOf(verifyConsents(app.database, app.accountSid));
      assert.equal(report!.broken?.sequence, at, JSON.stringify(report));
    });
  }

  test('is not disturbed by records made meanwhile', async () => {
    const app = await ownAccount();
    await story(app);
    const people = peopleOf(app);
    const { sid } = await people.contact();
    const lines: string[] = [];
    const [report] = await reportsOf(
      verifyConsents(app.database, app.accountSid, async (line) => {
        lines.push(line);
        if (lines.length === 2) await people.consent(sid);
      }),
    );
    assert.deepEqual([report!.broken, report!.links, lines.length], [null, 5, 6]);
  });
});

suite('the proof from an export', () => {
  test("needs nothing but the file, and a few lines of anybody's code", async (context) => {
    const app = await ownAccount();
    await story(app);
    const lines: string[] = [];
    await reportsOf(verifyConsents(app.database, app.accountSid, (line) => void lines.push(line)));
    const file = join(await folder(context), 'export.ndjson');
    await writeFile(file, `${lines.join('\n')}\n`);
    const [report] = await reportsOf(verifyConsentFile(file));
    assert.deepEqual([report!.accountSid, report!.links, report!.broken], [app.accountSid, 5, null]);
    // What the documentation tells auditors to compute.
    let previous = createHash('sha256').update('').digest();
    for (const line of lines.map((text) => JSON.parse(text)).slice(0, -1)) {
      const number = Buffer.alloc(8);
      number.writeBigUInt64BE(BigInt(line.sequence));
      previous = createHash('sha256').update(previous).update(number).update(line.payload, 'utf8').digest();
      assert.equal(previous.toString('hex'), line.hash);
      if (line.detail === undefined) continue;
      const salt = Buffer.from(line.detail.salt, 'hex');
      const commitment = createHmac('sha256', salt).update(line.detail.text, 'utf8').digest('hex');
      assert.equal(JSON.parse(line.payload).detail, commitment);
    }
  });

  const forgeries: [string, (lines: string[]) => string[], string | null][] = [
    ['a changed word', (lines) => lines.map((line) => line.replace('Oui', 'Non')), '1'],
    ['a missing line', (lines) => lines.filter((_, i) => i !== 2), '4'],
    ['a missing end', (lines) => lines.slice(0, 3), '4'],
    ['swapped lines', ([a, b, ...rest]) => [b!, a!, ...rest], '2'],
    [
      'a head of another chain',
      (lines) => lines.map((line) => line.replace(/("consent_head".*"hash":")../, '$100')),
      null,
    ],
  ];
  for (const [what, forge, at] of forgeries) {
    test(`names ${what}`, async (context) => {
      const app = await ownAccount();
      await story(app);
      const lines: string[] = [];
      await reportsOf(verifyConsents(app.database, app.accountSid, (line) => void lines.push(line)));
      const file = join(await folder(context), 'export.ndjson');
      await writeFile(file, forge(lines).join('\n'));
      const [report] = await reportsOf(verifyConsentFile(file));
      assert.ok(report!.broken);
      if (at !== null) assert.equal(report!.broken.sequence, at, JSON.stringify(report));
    });
  }

  test('a file that is no export is refused with the line', async (context) => {
    const path = await folder(context);
    for (const [text, message] of [
      ['', /empty/],
      ['not json', /Line 1/],
      ['{"object":"consent_link"}', /Line 1/],
    ] as const) {
      await writeFile(join(path, 'file'), text);
      await assert.rejects(reportsOf(verifyConsentFile(join(path, 'file'))), message);
    }
  });
});

test('godwit consent export, verify and verify --file tell the same, and end with 1 on a broken chain', async (context) => {
  const masterKey = generateMasterKey();
  const app = await startTestApp(context, { env: { MASTER_KEY: masterKey } });
  await story(app);
  const path = await folder(context);
  const env = { DATABASE_URL: app.databaseUrl, MASTER_KEY: masterKey, DATA_DIR: path };
  const exported = await godwit(['consent', 'export', '--account', app.accountSid], env);
  assert.equal(exported.code, 0, exported.out);
  const file = join(path, 'export.ndjson');
  await writeFile(file, exported.out);
  const copy = join(path, 'copy.ndjson');
  const proven = await godwit(['consent', 'verify', '--account', app.accountSid, '--export', copy], env);
  assert.equal(proven.code, 0, proven.out);
  assert.match(proven.out, /Every chain holds \(5 records\)/);
  assert.equal(await readFile(copy, 'utf8'), exported.out);
  // Offline: no database is named, and none is reached.
  const offline = await godwit(['consent', 'verify', '--file', file], {
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
  });
  assert.deepEqual(offline, { code: 0, out: proven.out });
  await tamper(app, "update consents set status = 'OPTED_IN' where sequence = 3");
  const broken = await godwit(['consent', 'verify'], env);
  assert.equal(broken.code, 1);
  assert.match(broken.out, /sandbox: broken at 3: its content was changed/);
});
