import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { bearer } from '../../../../test/harness/app.ts';
import { type People, peopleOf, phone } from '../../../../test/harness/contacts.ts';
import { runCron, write } from '../../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { type MediaApp, startMediaApp } from '../../../../test/harness/media.ts';
import { operationsOf } from '../../../../test/harness/operations.ts';
import { person } from '../../../../test/harness/people.ts';
import { sha256Hex } from '../../../platform/hashing.ts';
import { newSid } from '../../../platform/ids.ts';
import { queueApproval } from '../../approvals/index.ts';
import { audit } from '../../audit/index.ts';
import { contactFileBelongings } from '../../contact-files/belongings.ts';
import { personOf } from '../../contacts/index.ts';
import { removing } from '../../legal-holds/index.ts';
import { png } from '../../media/examine/files.test-data.ts';
import { noteMediaUses } from '../../media/index.ts';
import { copyBelongings } from './belongings.ts';
import { type Copies, copiesOf, say } from './copies.test-data.ts';
import { sweepCopies } from './crons.ts';

let app: MediaApp;
let people: People;
let copies: Copies;
const lifetime = sharedLifetime();
before(async () => {
  app = await startMediaApp(lifetime);
  people = peopleOf(app);
  copies = copiesOf(app);
});

/** Somebody of whom a mark stands wherever people, business and provider can write one. */
async function somebody(mark: string) {
  const value = phone();
  const contact = await people.contact({
    identifiers: [value, { identifierType: 'username', value: `${mark}.user` }],
    displayName: `${mark} name`,
    attributes: { note: `${mark} attribute` },
  });
  const other = await people.contact({ displayName: `${mark} before` });
  await people.merge(contact.sid, other.sid);
  await people.consent(contact.sid, { evidence: { reason: `${mark} evidence` } });
  await people.suppress(contact.sid, { source: `${mark} source` });
  const [inbound] = await say(app, { contactSid: contact.sid, direction: 'inbound', body: `${mark} asked` });
  const [outbound] = await say(app, { contactSid: other.sid, direction: 'outbound', body: `${mark} told` });
  const segment = await app.post(`${app.at}/segments`, {
    name: `${mark} segment`,
    kind: 'DYNAMIC',
    contactSids: [contact.sid],
  });
  assert.equal(segment.status, 201, segment.text);
  const instructed = await app.post(`${app.at}/authorizations`, {
    task: 'TEMPLATE_SUBMISSION',
    resourceRef: contact.sid,
    instruction: `${mark} instruction`,
  });
  assert.equal(instructed.status, 201, instructed.text);
  await write({ app }, async (t) =>
    audit(t, {
      action: 'test.noted',
      resource: contact.sid,
      facts: { note: `${mark} noted` },
      words: ['note'],
    }),
  );
  await write({ app }, async (t) => {
    const asked = { action: 'legal_hold.place', request: {} };
    await queueApproval(t, { ...asked, summary: `${mark} approval of ${contact.sid}` });
    const onlyFor = 'platform:compliance';
    await queueApproval(t, { ...asked, summary: `hidden approval of ${contact.sid}`, onlyFor });
  });
  await row(contact.sid, mark);
  const files = {
    inbound: await file(contact.sid, inbound!, `${mark} ../in.png`, 'INBOUND'),
    outbound: await file(contact.sid, outbound!, `${mark}-out.png`, 'OUTBOUND'),
  };
  return { sid: contact.sid as string, mark, phone: value.value, files };
}

/** What became of them in work on many. */
async function row(contactSid: string, mark: string): Promise<void> {
  const [operationSid, now] = [newSid('OP', app.clock.now()), app.clock.now().toISOString()];
  await app.sql(`
    begin;
    set local session_replication_role = replica;
    insert into operation_children (account_sid, livemode, operation_sid, position, ref, state, result, created_at, updated_at)
    values ('${app.accountSid}', false, '${operationSid}', 0, '${contactSid}', 'SUCCEEDED', '{"note":"${mark} row"}', '${now}', '${now}');
    commit`);
}

let width = 40;
async function file(contactSid: string, messageSid: string, filename: string, direction: string) {
  // No two alike.
  width += 1;
  const bytes = await png(width, 30);
  const { sid } = await app.take(bytes, { filename: 'picture.png', mime: 'image/png' });
  await app.sql('update media set direction = $2, filename = $3 where sid = $1', [sid, direction, filename]);
  await write({ app }, (t) =>
    noteMediaUses(t, [{ mediaSid: sid, messageSid, contactSid, senderSid: 'WA', campaignSid: null }]),
  );
  return { sid: sid as string, bytes };
}

suite('a copy for ACCESS', () => {
  test('holds everything of the person, with purposes, recipients, windows and sources, and nothing of another', async () => {
    const [ada, bob] = [await somebody('ada'), await somebody('bob')];
    const request = await copies.made('ACCESS', ada.sid);
    assert.ok(request.export.url.endsWith(`/${request.sid}/export`));
    const copy = await copies.fetched(request.sid);
    const marks: Record<string, string[]> = {
      contacts: ['ada name', 'ada attribute', 'ada before'],
      contact_identifiers: ['ada.user', ada.phone],
      contact_merges: ['The same person'],
      consents: ['ada evidence'],
      suppressions: ['ada source'],
      messages: ['ada asked', 'ada told'],
      segment_members: ['ada segment'],
      authorizations: ['ada instruction'],
      audit_entries: ['ada noted'],
      approvals: ['ada approval'],
      operation_children: ['ada row'],
      privacy_requests: ['They wrote to us', request.sid],
      media: [ada.files.inbound.sid, ada.files.outbound.sid],
    };
    for (const [store, texts] of Object.entries(marks))
      for (const text of texts)
        assert.ok(copy.text(`${store}.json`).includes(text), `${text} is in ${store}: ${copy.names}`);
    for (const text of ['hidden', 'bob', bob.phone, bob.sid, bob.files.inbound.sid])
      assert.ok(!copy.whole.includes(text), `${text} is nowhere`);
    const about = copy.json('about.json');
    assert.deepEqual([about.contactSid, about.controller], [ada.sid, 'Test']);
    assert.ok(about.recipients && about.windows && about.rights);
    for (const { purpose, source } of about.contents) assert.ok(purpose && source);
    const told = Object.fromEntries(
      about.contents.map(({ store, entries }: { store: string; entries: number }) => [store, entries]),
    );
    for (const [store, count] of Object.entries(request.counts)) assert.equal(told[store], count, store);
    for (const [store, count] of Object.entries(request.counts))
      assert.equal(copy.json(`${store}.json`).length, count, store);
  });

  test('carries the files themselves under harmless names, and lists every entry with its hash', async () => {
    const ada = await somebody('ada');
    const copy = await copies.fetched((await copies.made('ACCESS', ada.sid)).sid);
    for (const { sid, bytes } of Object.values(ada.files)) {
      const name = copy.names.find((one) => one.startsWith(`files/${sid}-`))!;
      assert.ok(copy.bytes(name).equals(bytes), name);
      assert.ok(!name.slice('files/'.length).includes('/') && !name.includes('..'), name);
    }
    const { files, missing } = copy.json('manifest.json');
    assert.deepEqual(missing, []);
    assert.deepEqual(
      files.map(({ name }: { name: string }) => name),
      copy.names.filter((name) => name !== 'manifest.json'),
    );
    for (const { name, sha256, sizeBytes } of files) {
      assert.equal(sha256, sha256Hex(copy.bytes(name)), name);
      assert.equal(sizeBytes, copy.bytes(name).length, name);
    }
  });

  test('names a file that has gone since, and is whole without it', async () => {
    const ada = await somebody('ada');
    const { sid } = await copies.made('ACCESS', ada.sid);
    await app.send('DELETE', `${app.at}/media/${ada.files.outbound.sid}`);
    const copy = await copies.fetched(sid);
    assert.deepEqual(copy.json('manifest.json').missing, [
      { mediaSid: ada.files.outbound.sid, reason: 'it has expired or was deleted' },
    ]);
    assert.ok(copy.names.some((name) => name.startsWith(`files/${ada.files.inbound.sid}`)));
  });
});

suite('a copy for PORTABILITY', () => {
  test('holds what the person gave, as JSON and as CSV, and nothing that was sent to them or noted of them', async () => {
    const ada = await somebody('ada');
    const copy = await copies.fetched((await copies.made('PORTABILITY', ada.sid)).sid);
    for (const store of ['contacts', 'contact_identifiers', 'consents', 'messages', 'media']) {
      const rows: Record<string, unknown>[] = copy.json(`${store}.json`);
      const table: Record<string, string>[] = parse(copy.text(`${store}.csv`), { columns: true });
      assert.equal(table.length, rows.length, store);
      assert.deepEqual(Object.keys(table[0]!), Object.keys(rows[0]!), store);
    }
    assert.match(copy.text('messages.json'), /ada asked/);
    for (const text of ['ada told', 'ada source', 'ada segment', 'ada instruction', ada.files.outbound.sid])
      assert.ok(!copy.whole.includes(text), text);
    assert.ok(copy.names.some((name) => name.startsWith(`files/${ada.files.inbound.sid}`)));
    for (const { direction } of copy.json('messages.json')) assert.equal(direction, 'inbound');
  });

  test('lets no cell run in a spreadsheet', async () => {
    const { sid } = await people.contact({ displayName: '=cmd()' });
    const copy = await copies.fetched((await copies.made('PORTABILITY', sid)).sid);
    assert.match(copy.text('contacts.csv'), /"'=cmd\(\)"/);
  });
});

suite('the download of a copy', () => {
  test('is for those who may write privacy requests, in their account and environment, and is written down', async () => {
    const { sid: contactSid } = await people.contact();
    const { sid } = await copies.made('ACCESS', contactSid);
    const downloads = () =>
      app.count(`audit_entries where action = 'privacy_request.export_downloaded' and resource = '${sid}'`);
    const viewer = await person(app, { roles: ['VIEWER'] });
    const path = `${copies.requests}/${sid}/export`;
    assert.equal((await app.get(path, viewer.headers)).status, 403);
    assert.equal((await app.get(path, bearer(app.liveKey))).status, 404);
    const stranger = await app.newAccount();
    const theirs = path.replace(app.accountSid, stranger.accountSid);
    assert.equal((await app.get(theirs, bearer(stranger.sandboxKey))).status, 404);
    assert.equal(await downloads(), 0);
    await copies.fetched(sid);
    await copies.fetched(sid);
    assert.equal(await downloads(), 2);
  });

  test('ends after seven days, when nothing of it is left', async () => {
    const { sid: contactSid } = await people.contact();
    const { sid } = await copies.made('ACCESS', contactSid);
    const parts = () => app.count(`privacy_copy_parts where request_sid = '${sid}'`);
    app.clock.advance(7 * 24 * 60 * 60 * 1000 - 1);
    await runCron(app, sweepCopies);
    assert.ok((await parts()) > 0);
    assert.equal((await copies.download(sid)).status, 200);
    app.clock.advance(1);
    assert.equal((await copies.download(sid)).status, 404);
    assert.equal((await app.get(`${copies.requests}/${sid}`)).body.export, null);
    await runCron(app, sweepCopies);
    assert.equal(await parts(), 0);
  });

  test('ends when the person is erased', async () => {
    const { sid: contactSid } = await people.contact({ displayName: 'gone soon' });
    const { sid } = await copies.made('ACCESS', contactSid);
    await write({ app }, async (t) => {
      const found = await personOf(t, contactSid);
      for (const { erase } of copyBelongings) await erase!(t, found, { after: null, limit: 1_000 });
    });
    assert.equal(await app.count(`privacy_copy_parts where request_sid = '${sid}'`), 0);
    assert.equal((await copies.download(sid)).status, 404);
  });

  test('has nothing for other kinds, and for somebody nobody knows', async () => {
    const { sid: contactSid } = await people.contact();
    const { sid } = await copies.ask('RESTRICTION', contactSid);
    assert.equal((await copies.download(sid)).status, 404);
    assert.equal((await copies.download('DR00000000000000000000000000')).status, 404);
  });

  test('is not readable where it is kept', async () => {
    const { sid: contactSid } = await people.contact({ displayName: 'unreadable Ursula' });
    const { sid } = await copies.made('ACCESS', contactSid);
    const rows = await app.sql<{ body: Buffer }>(
      'select body from privacy_copy_parts where request_sid = $1',
      [sid],
    );
    assert.ok(rows.length > 0);
    for (const { body } of rows) assert.ok(!body.toString('latin1').includes('Ursula'));
  });
});

suite('a file that contacts were imported from', () => {
  const store = contactFileBelongings.find(({ name }) => name === 'contact_import_media')!;
  const somebodyElse = { contactSid: 'CT', family: ['CT'], identifiers: [] };
  const erase = () =>
    write({ app }, async (t) => {
      await removing(t);
      return store.erase!(t, somebodyElse, { after: null, limit: 1_000 });
    });
  const imported = async () => {
    const { sid } = await app.take(Buffer.from(`phone\n${phone().value}\n`), {
      filename: 'people.csv',
      mime: 'text/csv',
    });
    const reply = await app.post(`${app.at}/contacts/import`, { format: 'csv', mediaSid: sid });
    assert.equal(reply.status, 202, reply.text);
    await operationsOf(app).ended(reply.body.sid);
    return sid as string;
  };
  const stateOf = async (sid: string) => {
    const [row] = await app.sql<{ status: string; filename: string | null; bytes: boolean }>(
      'select status, filename, file_id is not null as bytes from media where sid = $1',
      [sid],
    );
    return row;
  };

  test('expires with whoever is erased, for nobody can be taken out of it; other files stay', async () => {
    const other = await app.take(await png(20, 20), { filename: 'picture.png', mime: 'image/png' });
    const sid = await imported();
    assert.equal((await erase()).rows, 1);
    assert.deepEqual(await stateOf(sid), { status: 'EXPIRED', filename: null, bytes: false });
    assert.equal((await stateOf(other.sid))!.status, 'READY');
    assert.equal((await erase()).rows, 0, 'what has expired is not counted again');
  });

  test('keeps its bytes, out of reach, while a legal hold is on the time it came in', async () => {
    const sid = await imported();
    const at = app.clock.now().getTime();
    const scope = {
      type: 'DATE_RANGE',
      from: new Date(at - 60_000).toISOString(),
      to: new Date(at + 60_000).toISOString(),
    };
    assert.equal((await app.post(`${app.at}/legal-holds`, { caseRef: 'Case', scope })).status, 201);
    assert.equal((await erase()).rows, 1);
    assert.deepEqual(await stateOf(sid), { status: 'EXPIRED', filename: null, bytes: true });
    assert.notEqual((await app.get(`${app.at}/media/${sid}/content`)).status, 200);
  });
});
