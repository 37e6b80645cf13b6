import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { bearer, type TestApp } from '../../../test/harness/app.ts';
import { peopleOf, phone, refused } from '../../../test/harness/contacts.ts';
import { ownAccounts } from '../../../test/harness/own-account.ts';
import { newPhone } from '../contacts/fixtures.ts';
import { insertSender } from '../senders/fixtures.ts';

const newApp = ownAccounts();

const terms = { reason: 'CUSTOMER_OPT_OUT', scope: 'MARKETING', source: 'support' };
const list = async (app: TestApp, query = '') => (await app.get(`${app.at}/suppressions${query}`)).body.data;
const removed = async (app: TestApp) =>
  (await app.emitted()).filter((type) => type === 'suppression.removed').length;

suite('suppressing', () => {
  test('repeating one that is in force answers with the same row and announces it once', async () => {
    const app = await newApp();
    const { sid } = await peopleOf(app).contact();
    const path = `${app.at}/contacts/${sid}/suppressions`;
    const first = await app.post(path, terms);
    assert.equal(first.status, 201, first.text);
    assert.equal(first.headers.get('location'), `${app.at}/suppressions/${first.body.sid}`);
    assert.deepEqual((await app.get(first.headers.get('location')!)).body, first.body);
    const again = await app.post(path, { ...terms, source: 'another desk' });
    assert.deepEqual([again.status, again.body], [201, first.body]);
    for (const other of [{ scope: 'ALL' }, { reason: 'COMPLAINT' }]) {
      assert.notEqual((await app.post(path, { ...terms, ...other })).body.sid, first.body.sid);
    }
    assert.equal((await app.emitted()).filter((type) => type === 'suppression.created').length, 3);
  });

  test('repeating may make it last longer, never shorter', async () => {
    const app = await newApp();
    const { sid } = await peopleOf(app).contact();
    const suppress = async (expiresAt?: string) =>
      (await app.post(`${app.at}/contacts/${sid}/suppressions`, { ...terms, expiresAt })).body;
    const first = await suppress('2026-09-01T00:00:00Z');
    assert.equal((await suppress('2026-08-30T00:00:00Z')).expiresAt, first.expiresAt);
    assert.equal((await suppress('2026-10-01T00:00:00Z')).expiresAt, '2026-10-01T00:00:00.000Z');
    const forever = await suppress();
    assert.deepEqual([forever.expiresAt, forever.sid], [null, first.sid]);
    assert.equal((await suppress('2026-12-01T00:00:00Z')).expiresAt, null);
    assert.deepEqual(
      (await app.emitted()).filter((type) => type.startsWith('suppression')),
      ['suppression.created', 'suppression.updated', 'suppression.updated'],
    );
  });

  test('one that expired is followed by a new one', async () => {
    const app = await newApp();
    const people = peopleOf(app);
    const { sid } = await people.contact();
    const first = await people.suppress(sid, { expiresAt: '2026-08-21T11:00:00Z' });
    app.clock.set('2026-08-21T11:00:00Z');
    const second = await people.suppress(sid);
    assert.notEqual(second.sid, first.sid);
    assert.deepEqual(
      (await people.suppressions(sid)).map(({ active }: { active: boolean }) => active),
      [true, false],
    );
  });

  test('by an identifier nobody has seen creates the contact, by a known one finds it', async () => {
    const app = await newApp();
    const people = peopleOf(app);
    const known = await people.contact();
    const post = (body: object) =>
      app.post(`${app.at}/suppressions`, { reason: 'TENANT_BLOCKLIST', scope: 'ALL', ...body });
    const found = await post({ identifier: known.identifiers[0].value, identifierType: 'phone_e164' });
    assert.deepEqual([found.status, found.body.contactSid, found.body.source], [201, known.sid, 'API']);
    const made = await post({ identifier: 'New.Person', identifierType: 'username' });
    assert.equal(made.status, 201, made.text);
    const contact = await people.read(made.body.contactSid);
    assert.deepEqual(contact.identifiers, [
      { identifierType: 'username', value: 'new.person', scopeRef: null },
    ]);
    const scoped = await post({ identifier: 'FR.1', identifierType: 'bsuid', scopeRef: 'p1' });
    assert.equal(scoped.status, 201, scoped.text);
    assert.equal((await app.emitted()).filter((type) => type === 'contact.created').length, 3);
  });

  test('bad input is named at its place, and no contact is made for it', async () => {
    const app = await newApp();
    const { sid } = await peopleOf(app).contact();
    const base = { reason: 'TENANT_BLOCKLIST', scope: 'ALL' };
    const number = { identifier: newPhone(), identifierType: 'phone_e164' };
    const cases: [object, string][] = [
      [{}, 'contactSid'],
      [{ contactSid: sid, ...number }, 'identifier'],
      [{ identifier: newPhone() }, 'identifierType'],
      [{ identifierType: 'phone_e164' }, 'contactSid'],
      [{ contactSid: sid, identifierType: 'phone_e164' }, 'identifierType'],
      [{ contactSid: sid, scopeRef: 'p1' }, 'scopeRef'],
      [{ identifier: '0612345678', identifierType: 'phone_e164' }, 'identifier'],
      [{ identifier: 'FR.1', identifierType: 'bsuid' }, 'scopeRef'],
      [{ ...number, expiresAt: '2026-08-21T10:00:00Z' }, 'expiresAt'],
      [{ ...number, source: ' ' }, 'source'],
      [{ ...number, reason: 'BECAUSE' }, 'reason'],
    ];
    for (const [body, path] of cases) {
      refused(await app.post(`${app.at}/suppressions`, { ...base, ...body }), 400, 'VALIDATION_ERROR', path);
    }
    const nobody = { ...base, ...number, senderSid: `WA${'0'.repeat(26)}` };
    refused(await app.post(`${app.at}/suppressions`, nobody), 404, 'NOT_FOUND', 'senderSid');
    const live = await insertSender(app, { accountSid: app.accountSid, livemode: true });
    refused(
      await app.post(`${app.at}/contacts/${sid}/suppressions`, { ...terms, senderSid: live }),
      404,
      'NOT_FOUND',
      'senderSid',
    );
    assert.equal(await app.count('suppressions'), 0);
    assert.equal(await app.count('contacts'), 1);
  });

  test('a sender narrows it to that sender, beside one for all', async () => {
    const app = await newApp();
    const people = peopleOf(app);
    const { sid } = await people.contact();
    const senderSid = await people.sender();
    const narrow = await people.suppress(sid, { senderSid });
    assert.equal(narrow.senderSid, senderSid);
    assert.equal((await people.suppress(sid, { senderSid })).sid, narrow.sid);
    assert.notEqual((await people.suppress(sid)).sid, narrow.sid);
  });

  test('mirrorToProvider queues work when it is made, asked for later, and lifted', async () => {
    const app = await newApp();
    const people = peopleOf(app);
    const { sid } = await people.contact();
    const queued = async () =>
      (await app.sql('select from graphile_worker.jobs where key = $1', [`mirror:${sid}`])).length;
    const plain = await people.suppress(sid);
    assert.deepEqual([plain.mirrorToProvider, await queued()], [false, 0]);
    const mirrored = await people.suppress(sid, { mirrorToProvider: true });
    assert.deepEqual([mirrored.sid, mirrored.mirrorToProvider, await queued()], [plain.sid, true, 1]);
    await app.sql('delete from graphile_worker._private_jobs');
    await app.delete(`${app.at}/contacts/${sid}/suppressions/${plain.sid}`);
    assert.equal(await queued(), 1);
  });

  test('20 clients that suppress one number at once make one contact and one row', async () => {
    const app = await newApp();
    const body = { ...terms, identifier: newPhone(), identifierType: 'phone_e164' };
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => app.post(`${app.at}/suppressions`, body)),
    );
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [201]);
    assert.equal(new Set(replies.map((reply) => reply.body.sid)).size, 1);
    assert.deepEqual([await app.count('contacts'), await app.count('suppressions')], [1, 1]);
    assert.deepEqual(await app.emitted(), ['contact.created', 'suppression.created']);
  });
});

suite('lifting', () => {
  test('keeps the record and announces it once', async () => {
    const app = await newApp();
    const people = peopleOf(app);
    const { sid } = await people.contact();
    const { sid: suppressionSid } = await people.suppress(sid);
    const path = `${app.at}/contacts/${sid}/suppressions/${suppressionSid}`;
    const lifted = await app.delete(`${path}?reason=asked+to+return`);
    assert.equal(lifted.status, 200, lifted.text);
    assert.deepEqual(
      [lifted.body.active, lifted.body.liftReason, lifted.body.liftedAt],
      [false, 'asked to return', '2026-08-21T10:00:00.000Z'],
    );
    app.clock.advance(1_000);
    assert.deepEqual((await app.delete(path)).body, lifted.body);
    assert.equal(await app.count('suppressions where lifted_at is not null'), 1);
    assert.equal(await removed(app), 1);
    assert.equal(await app.count("audit_entries where action = 'suppression.lifted'"), 1);
    assert.notEqual((await people.suppress(sid)).sid, suppressionSid, 'suppressed again is another row');
  });

  test('by contact, identifier or suppression lifts what matches and answers with it', async () => {
    const app = await newApp();
    const people = peopleOf(app);
    const contact = await people.contact();
    const make = async () => [
      await people.suppress(contact.sid),
      await people.suppress(contact.sid, { reason: 'COMPLAINT' }),
      await people.suppress(contact.sid, { scope: 'ALL' }),
    ];
    const lift = async (body: object) => {
      const reply = await app.delete(`${app.at}/suppressions`, body);
      assert.equal(reply.status, 200, reply.text);
      assert.deepEqual([reply.body.object, reply.body.hasMore], ['list', false]);
      return reply.body.data.map(({ sid }: { sid: string }) => sid);
    };
    const newestFirst = (rows: { sid: string }[]) =>
      rows
        .map(({ sid }) => sid)
        .sort()
        .reverse();
    const all = await make();
    assert.deepEqual(
      await lift({ contactSid: contact.sid, scope: 'MARKETING', reason: 'x' }),
      newestFirst(all.slice(0, 2)),
    );
    assert.deepEqual(await lift({ contactSid: contact.sid }), [all[2]!.sid]);
    assert.deepEqual(await lift({ contactSid: contact.sid }), []);
    const next = await make();
    assert.deepEqual(await lift({ suppressionSid: next[1]!.sid }), [next[1]!.sid]);
    assert.deepEqual(
      await lift({ identifier: contact.identifiers[0].value }),
      newestFirst([next[0], next[2]]),
    );
    assert.deepEqual(await lift({ identifier: newPhone(), identifierType: 'phone_e164' }), []);
    assert.equal(await removed(app), 6);
  });

  test('of nothing in particular, of a stranger or of both at once is refused', async () => {
    const app = await newApp();
    const people = peopleOf(app);
    const [one, two] = [await people.contact(), await people.contact()];
    const { sid: suppressionSid } = await people.suppress(one.sid);
    const lift = (body?: object) => app.delete(`${app.at}/suppressions`, body);
    for (const body of [undefined, {}, { scope: 'ALL' }, { reason: 'x' }]) {
      refused(await lift(body), 400, 'VALIDATION_ERROR', 'contactSid');
    }
    refused(await lift({ contactSid: one.sid, identifier: 'x' }), 400, 'VALIDATION_ERROR', 'identifier');
    refused(
      await lift({ suppressionSid, identifierType: 'bsuid' }),
      400,
      'VALIDATION_ERROR',
      'identifierType',
    );
    refused(await lift({ contactSid: `CT${'0'.repeat(26)}` }), 404, 'NOT_FOUND');
    refused(await lift({ suppressionSid: `SU${'0'.repeat(26)}` }), 404, 'NOT_FOUND');
    refused(await lift({ contactSid: two.sid, suppressionSid }), 404, 'NOT_FOUND');
    refused(
      await app.delete(`${app.at}/contacts/${two.sid}/suppressions/${suppressionSid}`),
      404,
      'NOT_FOUND',
    );
    const live = await app.delete(`${app.at}/suppressions`, { suppressionSid }, bearer(app.liveKey));
    refused(live, 404, 'NOT_FOUND');
    assert.equal(await removed(app), 0);
  });

  test('a suppression that moved in a merge can still be lifted by its own name', async () => {
    const app = await newApp();
    const people = peopleOf(app);
    const [survivor, merged] = [await people.contact(), await people.contact()];
    const { sid: suppressionSid } = await people.suppress(merged.sid);
    await people.merge(survivor.sid, merged.sid);
    const { body } = await app.delete(`${app.at}/suppressions`, { suppressionSid });
    assert.deepEqual([body.data.length, body.data[0].contactSid], [1, survivor.sid]);
  });

  test('20 clients that lift the same rows at once announce each once', async () => {
    const app = await newApp();
    const people = peopleOf(app);
    const { sid } = await people.contact();
    await people.suppress(sid);
    await people.suppress(sid, { scope: 'ALL' });
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => app.delete(`${app.at}/suppressions`, { contactSid: sid })),
    );
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200]);
    assert.equal(replies.flatMap(({ body }) => body.data).length, 2);
    assert.equal(await removed(app), 2);
  });
});

suite('listing', () => {
  test('shows those in force; active=false the whole history', async () => {
    const app = await newApp();
    const people = peopleOf(app);
    const { sid } = await people.contact();
    const lifted = await people.suppress(sid);
    await app.delete(`${app.at}/contacts/${sid}/suppressions/${lifted.sid}`);
    const expired = await people.suppress(sid, { expiresAt: '2026-08-21T10:00:01Z' });
    const standing = await people.suppress(sid, { scope: 'ALL', expiresAt: '2026-08-22T10:00:01Z' });
    app.clock.advance(1_000);
    const sids = (rows: { sid: string }[]) => rows.map((row) => row.sid);
    assert.deepEqual(sids(await list(app)), [standing.sid]);
    assert.deepEqual(sids(await list(app, '?active=true')), [standing.sid]);
    const history = await list(app, '?active=false');
    assert.deepEqual(sids(history), [standing.sid, expired.sid, lifted.sid]);
    assert.deepEqual(
      history.map(({ active }: { active: boolean }) => active),
      [true, false, false],
    );
    assert.deepEqual(await people.suppressions(sid), history);
    refused(await app.get(`${app.at}/suppressions?active=maybe`), 400, 'VALIDATION_ERROR', 'active');
  });

  test('filters combine', async () => {
    const app = await newApp();
    const people = peopleOf(app);
    const [one, two] = [await people.contact(), await people.contact({ identifiers: [phone()] })];
    await people.suppress(one.sid);
    await people.suppress(one.sid, { scope: 'ALL', reason: 'COMPLAINT' });
    await people.suppress(two.sid, { reason: 'COMPLAINT' });
    const counts = async (query: string) => (await list(app, query)).length;
    assert.equal(await counts(`?contactSid=${one.sid}`), 2);
    assert.equal(await counts(`?contactSid=${one.sid}&scope=ALL`), 1);
    assert.equal(await counts('?reason=COMPLAINT'), 2);
    assert.equal(await counts('?reason=COMPLAINT&scope=MARKETING'), 1);
    assert.equal(await counts('?reason=NOTHING_KNOWN'), 0);
    assert.equal(await counts(`?identifier=${encodeURIComponent(two.identifiers[0].value)}`), 1);
    assert.equal(await counts('?identifier=nobody&identifierType=username'), 0);
    refused(await app.get(`${app.at}/suppressions?scopeRef=x`), 400, 'VALIDATION_ERROR', 'scopeRef');
  });
});
