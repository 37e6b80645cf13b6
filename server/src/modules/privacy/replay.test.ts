// A database that is restored from before an erasure: the journal, which lies outside of it, makes it forget again.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, suite, test } from 'node:test';
import { bearer, startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { runJob } from '../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { tablesWith } from '../../../test/harness/planting.ts';
import { cloneDatabase, copyDatabase } from '../../../test/harness/postgres.ts';
import { privacyOf } from '../../../test/harness/privacy.ts';
import { replayJournal } from '../../main/commands/privacy/replay.ts';
import { readConfig } from '../../main/settings.ts';
import { generateMasterKey } from '../../platform/sealing.ts';
import { newPhone } from '../contacts/fixtures.ts';
import { erasureOfPerson } from './erasure/erase-person.ts';
import { erasingIn, hour } from './erasure/erasure.test-data.ts';

const mark = 'zqmarkzq';
const lifetime = sharedLifetime();
let env: { MASTER_KEY: string; DATA_DIR: string };
let original: string;
let backup: string;
/** Somebody of the backup, and what their account is reached by. */
let known: { accountSid: string; key: object; contactSid: string; number: string };

before(async () => {
  env = { MASTER_KEY: generateMasterKey(), DATA_DIR: await mkdtemp(join(tmpdir(), 'godwit-journal-')) };
  lifetime.after(() => rm(env.DATA_DIR, { recursive: true, force: true }));
  const { url, drop } = await cloneDatabase();
  lifetime.after(drop);
  original = url;
  // The first service ends, so that the database can be copied as it stands.
  const endings: (() => Promise<void>)[] = [];
  const app = await startTestApp({ after: (end) => endings.push(end) }, { databaseUrl: url, env });
  const scene = await erasingIn(app);
  await scene.talk();
  const { account } = scene.messages;
  known = {
    accountSid: scene.app.accountSid,
    key: bearer(account.sandboxKey),
    contactSid: scene.contactSid,
    number: scene.number,
  };
  for (const end of endings.reverse()) await end();
  backup = await copyDatabase(url);
});

/** Erases somebody from the first step to the last, with the files where they belong. */
async function erase(app: TestApp, request: { sid: string; operationSid: string }): Promise<void> {
  const { accountSid } = known;
  const run = () =>
    runJob({ app, accountSid, ports: app.ports }, erasureOfPerson.job, {
      operationSid: request.operationSid,
    });
  await run();
  app.clock.advance(26 * hour);
  await run();
  const [row] = await app.sql('select state from privacy_requests where sid = $1', [request.sid]);
  assert.equal(row!.state, 'COMPLETED');
}

async function optOut(app: TestApp, contactSid: string): Promise<void> {
  const body = { reason: 'CUSTOMER_OPT_OUT', scope: 'MARKETING', source: 'test' };
  const reply = await app.post(
    `/v1/accounts/${known.accountSid}/contacts/${contactSid}/suppressions`,
    body,
    known.key,
  );
  assert.equal(reply.status, 201, reply.text);
}

const contactOf = async (app: TestApp, number: string): Promise<string> => {
  const body = { identifiers: [{ identifierType: 'phone_e164', value: number }] };
  return (await app.post(`/v1/accounts/${known.accountSid}/contacts`, body, known.key)).body.sid;
};

const standing = async (app: TestApp, contactSid: string): Promise<string[]> => {
  const path = `/v1/accounts/${known.accountSid}/contacts/${contactSid}/suppressions`;
  const { body } = await app.get(path, known.key);
  return body.data.map(({ scope }: { scope: string }) => scope);
};

async function replay(app: TestApp, dryRun = false) {
  const said: string[] = [];
  const context = { database: app.database, clock: app.clock, log: app.log };
  const whole = await replayJournal(context, readConfig(env), app.sealer, { dryRun }, (line) =>
    said.push(line),
  );
  return { whole, said };
}

suite('a database that is restored from before an erasure', () => {
  const later = newPhone();

  test('is told by the journal, which holds nothing people are known by', async () => {
    const app = await startTestApp(lifetime, { databaseUrl: original, env });
    const privacy = privacyOf(app, { accountSid: known.accountSid, livemode: false });
    await optOut(app, known.contactSid);
    const new_ = await contactOf(app, later);
    await optOut(app, new_);
    for (const contactSid of [known.contactSid, new_])
      await erase(app, await privacy.asked('ERASURE', { contactSid }));
    const folder = join(env.DATA_DIR, 'media', 'privacy-journal');
    const names = (await readdir(folder, { recursive: true })).filter((name) => name.includes('DR'));
    assert.equal(names.length, 2);
    for (const name of names) {
      const text = (await readFile(join(folder, name))).toString('latin1');
      for (const hidden of [known.number, later, known.contactSid, mark]) assert.ok(!text.includes(hidden));
    }
  });

  test('forgets them again, keeps to what they forbade since the backup, and forgets nobody twice', async () => {
    const app = await startTestApp(lifetime, { databaseUrl: backup, env });
    assert.ok((await tablesWith(app, mark)).length > 0, 'the backup remembers');
    const dry = await replay(app, true);
    assert.deepEqual([dry.whole, dry.said.at(-1)], [true, '1 of 2 entries would be erased again.']);
    assert.equal(await app.count('privacy_requests'), 0);

    const { said } = await replay(app);
    assert.equal(said.at(-1), '1 of 2 entries are being erased again.');
    const [request] = await app.sql<{ sid: string; operationSid: string }>(
      'select sid, operation_sid as "operationSid" from privacy_requests',
    );
    assert.match((await replay(app)).said.join('\n'), new RegExp(`is being erased by ${request!.sid}`));
    await erase(app, request!);
    assert.deepEqual(await tablesWith(app, mark), []);
    const { body } = await app.get(
      `/v1/accounts/${known.accountSid}/contacts/${known.contactSid}`,
      known.key,
    );
    assert.equal(body.status, 'ERASED');
    for (const number of [known.number, later])
      assert.deepEqual(await standing(app, await contactOf(app, number)), ['MARKETING'], number);
    // Its own erasure is in the journal by now.
    assert.deepEqual((await replay(app)).said, ['Nobody of 3 entries was brought back.']);
  });

  test('believes no entry that somebody else wrote, and says so', async () => {
    const app = await startTestApp(lifetime, { databaseUrl: backup, env });
    const folder = join(env.DATA_DIR, 'media', 'privacy-journal', 'sandbox', known.accountSid);
    const [name] = await readdir(folder);
    const forged = join(folder, 'DR00000000000000000000000000');
    // One that was copied to another name is none either.
    await writeFile(forged, await readFile(join(folder, name!)));
    const { whole, said } = await replay(app);
    assert.equal(whole, false);
    assert.match(said[0]!, /DR00000000000000000000000000: cannot be opened/);
    await rm(forged);
  });
});
