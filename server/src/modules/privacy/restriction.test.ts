// Whoever is restricted is kept and not used: on every way by which somebody is written to, found, chosen or changed.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { type Reply, startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { peopleOf, phone, refused } from '../../../test/harness/contacts.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { lockRows } from '../../../test/harness/locks.ts';
import { privacyOf } from '../../../test/harness/privacy.ts';
import { until } from '../../../test/harness/until.ts';
import { sceneOf as campaignsOf, crowd, hello } from '../campaigns/campaigns.test-data.ts';
import { contactExport } from '../contact-files/export-contacts.ts';
import { newPhone } from '../contacts/fixtures.ts';
import { keepingIn } from '../retention/retention.test-data.ts';
import { doing, hearing, on, pause, stage, states, text } from '../workflows/engine.test-data.ts';

const lifetime = sharedLifetime();
const { engine, newApp, newScene } = stage(lifetime);

async function scene(given?: TestApp) {
  const app = given ?? (await newApp());
  const people = peopleOf(app);
  const number = newPhone();
  const { sid } = await people.contact({
    identifiers: [phone(number)],
    displayName: 'Marguerite',
    attributes: { vip: true },
  });
  return { app, people, privacy: privacyOf(app), number, sid, campaigns: await campaignsOf(app) };
}

const codeOf = ({ status, body }: Reply) => body.error?.code ?? status;

suite('a restricted contact is not', () => {
  test('written to: by SID, by number, in a batch, in preflight with the request that says so; lifting lets it be again', async () => {
    const { app, privacy, number, sid, campaigns } = await scene();
    const to = (whom: object) => ({ from: campaigns.from, ...whom, ...hello });
    const ways = [to({ to: number }), to({ contactSid: sid })];
    const request = await privacy.restrict(sid);
    for (const body of ways) {
      assert.equal(codeOf(await app.post(`${app.at}/messages`, body)), 'CONTACT_SUPPRESSED');
      const { body: asked } = await app.post(`${app.at}/messages/preflight`, body);
      const check = asked.checks.find(({ gate }: { gate: string }) => gate === 'suppression');
      assert.deepEqual(
        [asked.accepted, check.outcome, check.code, check.evidence.requestSid],
        [false, 'fail', 'CONTACT_SUPPRESSED', request.sid],
      );
    }
    const batch = await app.post(`${app.at}/messages/batch`, { messages: [to({ to: newPhone() }), ways[0]] });
    assert.ok(batch.text.includes('CONTACT_SUPPRESSED'), batch.text);
    await privacy.lifted(request.sid);
    for (const body of ways) assert.equal(codeOf(await app.post(`${app.at}/messages`, body)), 201);
  });

  test('answered in a conversation, though what it writes is recorded', async () => {
    const { app, desk, senderSid, customer } = await newScene();
    const ines = customer();
    await ines.writes('Hello');
    const contactSid = await ines.contactSid();
    const [conversation] = (await app.get(`${app.at}/conversations`)).body.data;
    const reply = { conversationSid: conversation.sid, type: 'text', text: { body: 'Yes?' } };
    const request = await privacyOf(app).restrict(contactSid);
    refused(await app.post(`${app.at}/messages`, reply), 422, 'CONTACT_SUPPRESSED');
    await desk.hears(senderSid, ines.waId, 'Are you there?');
    const received = await app.sql('select from messages where contact_sid = $1', [contactSid]);
    assert.equal(received.length, 2);
    await privacyOf(app).lifted(request.sid);
    assert.equal((await app.post(`${app.at}/messages`, reply)).status, 201);
  });

  test('listed, counted or found by search, unless asked for by exactly what it is known by', async () => {
    const { app, people, privacy, number, sid } = await scene();
    const other = await people.contact({ displayName: 'Margot' });
    const request = await privacy.restrict(sid);
    const listed = async (query: string) =>
      (await app.get(`${app.at}/contacts?${query}`)).body.data.map((contact: { sid: string }) => contact.sid);
    assert.deepEqual(await listed(''), [other.sid]);
    assert.deepEqual(await listed('q=marg'), [other.sid]);
    assert.deepEqual(await listed('limit=1'), [other.sid]);
    assert.deepEqual(await listed(`identifier=${encodeURIComponent(number)}`), [sid]);
    assert.equal((await people.read(sid)).restrictedBy, request.sid);
    assert.equal((await app.get(`${app.at}/consent-coverage`)).body.contacts, 1);
    await privacy.lifted(request.sid);
    assert.deepEqual(await listed(''), [other.sid, sid]);
    assert.deepEqual(await listed('q=marg'), [other.sid, sid]);
    assert.equal((await people.read(sid)).restrictedBy, null);
  });

  test('in a segment: in none that is cut, and in none that was cut before', async () => {
    const { app, people, privacy, sid } = await scene();
    const other = await people.contact({ attributes: { vip: true } });
    const filters = { attributes: { vip: true } };
    const made = async (name: string) =>
      (await app.post(`${app.at}/segments`, { kind: 'DYNAMIC', name, filters })).body;
    const before = await made('Before');
    const members = async (segment: string) =>
      (await app.get(`${app.at}/segments/${segment}/members`)).body.data
        .map(({ contactSid }: { contactSid: string }) => contactSid)
        .sort();
    const request = await privacy.restrict(sid);
    assert.equal(before.memberCount, 2);
    assert.deepEqual(await members(before.sid), [other.sid]);
    const meanwhile = await made('Meanwhile');
    assert.deepEqual([meanwhile.memberCount, await members(meanwhile.sid)], [1, [other.sid]]);
    const preview = await app.post(`${app.at}/segments/preview`, { kind: 'DYNAMIC', filters });
    assert.deepEqual([preview.body.count, preview.body.sample], [1, [other.sid]]);
    const named = { kind: 'DYNAMIC', contactSids: [sid, other.sid] };
    assert.equal((await app.post(`${app.at}/segments/preview`, named)).body.count, 1);
    await privacy.lifted(request.sid);
    assert.deepEqual(await members(before.sid), [sid, other.sid].sort());
    await app.post(`${app.at}/segments/${meanwhile.sid}/refresh`);
    assert.deepEqual(await members(meanwhile.sid), [sid, other.sid].sort());
  });

  test('in a file: not of all, not of a segment, and not by its own number', async () => {
    const { app, people, privacy, number, sid, campaigns } = await scene();
    const other = await people.contact();
    const { sid: segmentSid } = (await app.post(`${app.at}/segments`, { kind: 'DYNAMIC', name: 'All' })).body;
    const request = await privacy.restrict(sid);
    const exported = async (query: object): Promise<string[]> => {
      const { body } = await app.post(`${app.at}/contacts/export`, { format: 'csv', ...query });
      await campaigns.operations.run(contactExport, body.sid);
      const { result } = await campaigns.operations.get(body.sid);
      const [, ...rows] = parse((await app.get(result.file.url)).text) as string[][];
      return rows.map(([contactSid]) => contactSid!);
    };
    assert.deepEqual(await exported({}), [other.sid]);
    assert.deepEqual(await exported({ segmentSid }), [other.sid]);
    assert.deepEqual(await exported({ identifier: number }), []);
    await privacy.lifted(request.sid);
    assert.deepEqual((await exported({})).sort(), [sid, other.sid].sort());
    assert.deepEqual(await exported({ identifier: number }), [sid]);
  });

  test('in the audience of a campaign', async () => {
    const app = await newApp();
    const campaigns = await campaignsOf(app);
    const privacy = privacyOf(app);
    const segmentSid = await crowd(app, 3);
    const [first, second, third] = [1, 2, 3].map((n) => `CT${String(n).padStart(26, '0')}`) as [
      string,
      string,
      string,
    ];
    const one = await privacy.restrict(first);
    const launched = await campaigns.draft([], { audience: { segmentSid } });
    await campaigns.done(launched.sid, 'launch');
    const done = await campaigns.run(launched.sid);
    const recipients = await campaigns.recipients(launched.sid);
    const written = recipients.flatMap(({ messageSid, contactSid }) =>
      messageSid === null ? [] : contactSid,
    );
    assert.deepEqual(written.sort(), [second, third]);
    assert.equal(done.state, 'COMPLETED');
    assert.ok(recipients.every(({ contactSid }) => contactSid !== first));
    await privacy.lifted(one.sid);
    const again = await campaigns.draft([first]);
    await campaigns.done(again.sid, 'launch');
    await campaigns.run(again.sid);
    assert.equal((await campaigns.messages(again.sid)).length, 1);
  });

  test('merged, into anybody or with anybody, taken apart, or changed', async () => {
    const { app, people, privacy, sid } = await scene();
    const [other, merged] = [await people.contact(), await people.contact()];
    const { id: mergeId } = await people.merge(sid, merged.sid);
    const request = await privacy.restrict(merged.sid); // means the survivor
    assert.deepEqual(request.subject, { contactSid: sid });
    const merge = (into: string, mergeContactSid: string) =>
      app.post(`${app.at}/contacts/${into}/merge`, { mergeContactSid, reason: 'The same' });
    refused(await merge(sid, other.sid), 409, 'CONFLICT', 'contactSid');
    refused(await merge(other.sid, sid), 409, 'CONFLICT', 'contactSid');
    refused(await people.revert(mergeId), 409, 'CONFLICT', 'contactSid');
    refused(
      await app.patch(`${app.at}/contacts/${sid}`, { displayName: 'x' }),
      409,
      'CONFLICT',
      'contactSid',
    );
    await people.consent(sid, { status: 'OPTED_OUT' });
    await people.suppress(sid);
    assert.equal((await people.read(sid)).consent.MARKETING.status, 'OPTED_OUT', 'what they say is recorded');
    await privacy.lifted(request.sid);
    assert.equal((await people.revert(mergeId)).status, 200);
    assert.equal((await app.patch(`${app.at}/contacts/${sid}`, { displayName: 'x' })).status, 200);
  });

  test('in a workflow: runs under way end, nothing starts, and why is told', async () => {
    const { app, publish, runs, decisions, customer, sent } = await newScene();
    const workflowSid = await publish(doing([pause, text('Still there?')], { conditions: hearing('hello') }));
    const ines = customer();
    await ines.writes('hello');
    await engine.settle();
    const contactSid = await ines.contactSid();
    const request = await privacyOf(app).restrict(contactSid);
    await ines.writes('hello again');
    app.clock.advance(120_000);
    await engine.settle();
    assert.deepEqual(states(await runs(workflowSid)), [['STOPPED', 'restricted']]);
    const [last] = await decisions(workflowSid);
    assert.deepEqual([last!.decision, last!.detail], ['restricted_contact', { requestSid: request.sid }]);
    assert.deepEqual(await sent(), []);
    await privacyOf(app).lifted(request.sid);
    const other = await publish(doing([text('Welcome back')], { conditions: hearing('back') }));
    await ines.writes('back');
    await engine.settle();
    assert.deepEqual(states(await runs(other)), [['COMPLETED', null]]);
    assert.deepEqual(await sent(), ['Welcome back']);
  });

  test('put into a workflow by an event that is looked at while the request is made', async () => {
    const { app, publish, runs, customer, sent } = await newScene();
    const workflowSid = await publish(
      doing([pause, text('Hello')], { trigger: on({ allowReentry: true }), conditions: hearing('hello') }),
    );
    const ines = customer();
    await ines.writes('hello');
    await engine.settle();
    app.clock.advance(120_000);
    await engine.settle();
    assert.deepEqual(await sent(), ['Hello']);
    await ines.writes('hello');
    // A run is decided on, and its beginning waits to be written down.
    const held = await lockRows(app, `workflow_entries where account_sid = '${app.accountSid}'`);
    const consuming = engine.consume();
    await held.waitersAre(1);
    const asking = privacyOf(app).restrict(await ines.contactSid());
    await until('the request waits for it', async () => {
      const rows = await app.sql(
        `select from pg_locks where not granted and pid in (select pid from pg_stat_activity where datname = current_database())`,
      );
      return rows.length >= 2;
    });
    await held.release();
    await Promise.all([consuming, asking]);
    app.clock.advance(120_000);
    await engine.settle();
    assert.deepEqual(states(await runs(workflowSid)), [
      ['COMPLETED', null],
      ['STOPPED', 'restricted'],
    ]);
    assert.deepEqual(await sent(), ['Hello']);
  });

  test('written to while another request restricts it too', async () => {
    const { app, privacy, number, sid, campaigns } = await scene();
    const request = await privacy.restrict(sid);
    // As an erasure does that was asked for meanwhile.
    await app.sql(
      `insert into contact_restrictions (account_sid, livemode, contact_sid, request_sid, created_at) values ($1, false, $2, 'DR0', $3)`,
      [app.accountSid, sid, app.clock.now()],
    );
    await privacy.lifted(request.sid);
    const send = () => app.post(`${app.at}/messages`, { from: campaigns.from, to: number, ...hello });
    assert.equal(codeOf(await send()), 'CONTACT_SUPPRESSED');
    await app.sql(`delete from contact_restrictions where request_sid = 'DR0' and account_sid = $1`, [
      app.accountSid,
    ]);
    assert.equal(codeOf(await send()), 201);
  });
});

test('retention passes over what is of somebody restricted, says so, and takes it once that is lifted', async () => {
  const app = await startTestApp(lifetime);
  const keeping = await keepingIn(app);
  const privacy = privacyOf(app, { accountSid: keeping.accountSid, livemode: false });
  const [restricted, other] = [await keeping.contact(), await keeping.contact()];
  const kept = await keeping.old({ daysAgo: 100, contactSid: restricted });
  const gone = await keeping.old({ daysAgo: 100, contactSid: other });
  await keeping.keepFor(90, null);
  const request = await privacy.restrict(restricted);
  const preview = await keeping.preview(90, null);
  assert.deepEqual([preview.removes.messageContents, preview.heldBack.messageContents], [1, 1]);
  assert.equal((await keeping.run()).messageContents, 1);
  assert.deepEqual([(await keeping.left()).get(kept), (await keeping.left()).get(gone)], [true, false]);
  await privacy.lifted(request.sid);
  assert.equal((await keeping.preview(90, null)).removes.messageContents, 1);
  assert.equal((await keeping.run()).messageContents, 1);
  assert.equal((await keeping.left()).get(kept), false);
});
