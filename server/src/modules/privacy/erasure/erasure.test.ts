import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { type Reply, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { phone } from '../../../../test/harness/contacts.ts';
import { runCron, runJob } from '../../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { tablesWith } from '../../../../test/harness/planting.ts';
import { verifyAudit } from '../../audit/index.ts';
import { verifyConsents } from '../../consent/index.ts';
import { contactImport } from '../../contact-files/import-contacts.ts';
import { goOnErasing } from '../crons.ts';
import { erasingIn, hour } from './erasure.test-data.ts';

const lifetime = sharedLifetime();
let app: TestApp;
before(async () => {
  app = await startTestApp(lifetime);
});

const codeOf = ({ status, body }: Reply) => [status, body?.error?.code];

suite('the erasure of a person', () => {
  test('leaves a tombstone that nobody changes, writes to or takes apart, and tells of it once, with what was erased', async () => {
    const scene = await erasingIn(app);
    const { people, contactSid, app: own, rows } = scene;
    const [sid] = await scene.talk();
    const other = await people.contact({ displayName: 'zqmarkzq' });
    const merge = await people.merge(contactSid, other.sid);
    await people.consent(contactSid, { evidence: { reason: 'zqmarkzq' } });
    const waiting = await scene.messages.accepted({
      to: scene.number,
      sendAt: new Date(app.clock.now().getTime() + hour),
    });
    const request = await scene.erase();
    assert.deepEqual([request.state, request.startsAt], ['PENDING', request.createdAt]);
    const done = await scene.toEnd(request);

    const contact = (await own.get(`${own.at}/contacts/${contactSid}`)).body;
    assert.deepEqual(
      [contact.status, contact.displayName, contact.attributes, contact.identifiers],
      ['ERASED', null, {}, []],
    );
    const changes: Reply[] = [
      await own.send('PATCH', `${own.at}/contacts/${contactSid}`, { body: { displayName: 'x' } }),
      await own.post(`${own.at}/contacts/${contactSid}/consents`, {
        purpose: 'MARKETING',
        source: 'FORM',
        status: 'OPTED_IN',
      }),
      await own.post(`${own.at}/contacts/${contactSid}/suppressions`, {
        reason: 'COMPLAINT',
        scope: 'ALL',
        source: 'x',
      }),
      await people.revert(merge.id),
      await own.post(`${own.at}/contacts/${(await people.contact()).sid}/merge`, {
        mergeContactSid: contactSid,
        reason: 'x',
      }),
    ];
    assert.deepEqual(
      changes.map(codeOf),
      changes.map(() => [409, 'CONFLICT']),
    );
    const sent = await own.post(`${own.at}/messages`, {
      from: scene.messages.senderSid,
      contactSid,
      type: 'text',
      text: { body: 'x' },
    });
    assert.deepEqual(codeOf(sent), [404, 'NOT_FOUND']);

    const message = (await own.get(`${own.at}/messages/${sid}`)).body;
    assert.deepEqual(
      [message.to.value, message.content, message.metadata, message.providerMessageId, message.status],
      ['', null, {}, null, 'delivered'],
    );
    assert.equal((await own.get(`${own.at}/messages/${waiting}`)).body.status, 'canceled');
    const blank = await rows<{ count: string }>(
      'select count(*) from messages where account_sid = $1 and address is null',
    );
    assert.equal(done.counts.messages, Number(blank[0]!.count));
    assert.equal((await scene.events('contact.erased')).length, 1);
    assert.equal((await scene.events('privacy_request.completed')).length, 1);
    assert.deepEqual(await tablesWith(app, 'zqmarkzq'), []);
    assert.deepEqual(await tablesWith(app, scene.number.slice(1)), []);
    for await (const { broken } of verifyAudit(app.database, own.accountSid)) assert.equal(broken, null);
    for await (const { broken } of verifyConsents(app.database, own.accountSid)) assert.equal(broken, null);
  });

  test('tells in events what they were about and nothing else, in their order and without a gap', async () => {
    const scene = await erasingIn(app);
    const [sid] = await scene.talk();
    const before = await scene.rows<{ type: string; sequence: string }>(
      'select type, sequence from events where account_sid = $1 order by sequence',
    );
    await scene.run(await scene.erase());
    const after = await scene.rows<{ type: string; sequence: string; data: object }>(
      'select type, sequence, data from events where account_sid = $1 order by sequence limit $2',
      [before.length],
    );
    assert.deepEqual(
      after.map(({ type, sequence }) => ({ type, sequence })),
      before,
    );
    const told = after.filter(({ type }) => type === 'message.delivered').map(({ data }) => data);
    assert.deepEqual(told, [
      { object: 'message', sid, accountSid: scene.app.accountSid, livemode: false, erased: true },
    ]);
  });

  test('cannot be canceled as an operation, and is tried again when its operation gave up', async () => {
    const scene = await erasingIn(app);
    const request = await scene.erase();
    const canceled = await scene.app.post(`${scene.app.at}/operations/${request.operationSid}/cancel`);
    assert.equal(canceled.status, 409, canceled.text);
    await app.sql(
      `update operations set state = 'FAILED', retry_eligible = true, finished_at = $2 where sid = $1`,
      [request.operationSid, app.clock.now()],
    );
    await runCron(app, goOnErasing);
    const operation = await scene.app.get(`${scene.app.at}/operations/${request.operationSid}`);
    assert.equal(operation.body.state, 'PENDING');
    await scene.toEnd(request);
  });

  test('begins after a delay in which it can be withdrawn, and changes nothing until then', async () => {
    const scene = await erasingIn(app);
    await scene.talk();
    const request = await scene.erase();
    await app.sql('update privacy_requests set starts_at = $2 where sid = $1', [
      request.sid,
      new Date(app.clock.now().getTime() + 10 * 60_000),
    ]);
    await scene.run(request);
    assert.equal((await scene.privacy.get(request.sid)).state, 'PENDING');
    assert.equal((await scene.privacy.withdraw(request.sid)).body.state, 'WITHDRAWN');
    app.clock.advance(hour);
    await scene.run(request);
    const { body } = await scene.app.get(`${scene.app.at}/contacts/${scene.contactSid}`);
    assert.deepEqual([body.status, body.displayName, body.restrictedBy], ['ACTIVE', 'Marguerite Zq', null]);
    const operation = await scene.app.get(`${scene.app.at}/operations/${request.operationSid}`);
    assert.equal(operation.body.state, 'SUCCEEDED');
  });

  test('reports who else names the person, and changes nothing there', async () => {
    const scene = await erasingIn(app);
    const { people, number, app: own } = scene;
    const other = await people.contact();
    const waId = other.identifiers[0].value.slice(1);
    const naming = scene.messages.inbound(
      { type: 'text', body: `Call ${number}!` },
      {
        from: { waId, bsuid: null, parentBsuid: null, profileName: 'Other', username: null },
      },
    );
    const near = scene.messages.inbound(
      { type: 'text', body: `Call ${number}7` },
      {
        from: { waId, bsuid: null, parentBsuid: null, profileName: 'Other', username: null },
      },
    );
    await scene.messages.receive(naming, near);
    const done = await scene.toEnd(await scene.erase());
    assert.equal(done.mentions.length, 1, JSON.stringify(done.mentions));
    const { resource, sid } = done.mentions[0];
    const { body } = await own.get(`${own.at}/messages/${sid}`);
    assert.deepEqual([resource, body.content.body], ['message', `Call ${number}!`]);
  });
});

suite('beside an erasure', () => {
  test('a no outlives the person: whoever has the number is not written to, and a new contact gets it back', async () => {
    const scene = await erasingIn(app);
    const { app: own, people, number } = scene;
    await people.suppress(scene.contactSid, { reason: 'CUSTOMER_OPT_OUT', scope: 'ALL' });
    await scene.toEnd(await scene.erase());
    const send = () =>
      own.post(`${own.at}/messages`, {
        from: scene.messages.senderSid,
        to: number,
        type: 'text',
        text: { body: 'x' },
      });
    assert.deepEqual(codeOf(await send()), [422, 'CONTACT_SUPPRESSED']);
    const again = await people.contact({ identifiers: [phone(number)] });
    assert.notEqual(again.sid, scene.contactSid);
    assert.equal((await people.suppressions(again.sid)).length, 1);
  });

  test('whoever writes again is somebody new, whom the second look leaves alone', async () => {
    const scene = await erasingIn(app);
    const request = await scene.erase();
    await scene.run(request);
    await scene.talk();
    const [found] = (
      await scene.app.get(`${scene.app.at}/contacts?identifier=${encodeURIComponent(scene.number)}`)
    ).body.data;
    assert.notEqual(found.sid, scene.contactSid);
    app.clock.advance(26 * hour);
    await scene.run(request);
    const kept = await scene.rows(
      'select from messages where account_sid = $1 and contact_sid = $2 and address is not null',
      [found.sid],
    );
    assert.equal(kept.length, 2);
  });

  test('an import that began before makes nobody anew, and one that begins later may', async () => {
    const scene = await erasingIn(app);
    const { app: own, number } = scene;
    const content = `phone\n${number}\n`;
    const start = async () => {
      const reply = await own.post(`${own.at}/contacts/import`, { format: 'csv', content });
      assert.equal(reply.status, 202, reply.text);
      return reply.body.sid ?? reply.body.operationSid;
    };
    const run = (operationSid: string) =>
      runJob({ app, accountSid: own.accountSid }, contactImport.job, { operationSid });
    const early = await start();
    app.clock.advance(1_000);
    await scene.run(await scene.erase());
    await run(early);
    const held = () =>
      scene.rows('select from contact_identifiers where account_sid = $1 and value = $2', [number]);
    assert.equal((await held()).length, 0);
    app.clock.advance(1_000);
    await run(await start());
    assert.equal((await held()).length, 1);
  });

  test('a report that comes after all changes its status, and brings no name back', async () => {
    const scene = await erasingIn(app);
    const [sid] = await scene.talk();
    await scene.toEnd(await scene.erase());
    app.clock.advance(48 * hour);
    await scene.messages.apply(
      scene.messages.status(sid!, 'read', {
        recipient: { waId: scene.number.slice(1), bsuid: null, parentBsuid: null },
      }),
    );
    assert.equal((await scene.app.get(`${scene.app.at}/messages/${sid}`)).body.status, 'read');
    assert.deepEqual(await tablesWith(app, `wamid.${sid}`), []);
    assert.deepEqual(await tablesWith(app, scene.number.slice(1)), []);
  });

  test('what is on its way keeps its address until it is answered, and loses it in the second look', async () => {
    const scene = await erasingIn(app);
    const sid = await scene.messages.accepted({ to: scene.number, status: 'sending' });
    const request = await scene.erase();
    await scene.run(request);
    const address = async () =>
      (
        await scene.rows<{ address: string | null }>(
          'select address from messages where account_sid = $1 and sid = $2',
          [sid],
        )
      )[0]!.address;
    assert.equal(await address(), scene.number);
    app.clock.advance(26 * hour);
    await scene.run(request);
    assert.equal(await address(), null);
  });

  test('a second request for the same person is refused until it ends, by whatever they were known; one for somebody erased has nothing to do', async () => {
    const scene = await erasingIn(app);
    const request = await scene.erase();
    const subjects = [
      { contactSid: scene.contactSid },
      { identifierType: 'phone_e164', value: scene.number },
    ];
    const refused = async (kind: 'ERASURE' | 'ACCESS' | 'RESTRICTION', subject: object) => {
      const reply = await scene.privacy.ask(kind, subject);
      assert.deepEqual(codeOf(reply), [409, 'CONFLICT']);
      assert.match(reply.body.error.message, new RegExp(request.sid));
    };
    for (const subject of subjects) await refused('ERASURE', subject);
    // From its first step on nobody has the number; until its last something of them is kept.
    await scene.run(request);
    for (const subject of subjects)
      for (const kind of ['ERASURE', 'ACCESS', 'RESTRICTION'] as const) await refused(kind, subject);
    app.clock.advance(26 * hour);
    await scene.run(request);
    for (const subject of subjects) {
      const again = await scene.privacy.asked('ERASURE', subject);
      assert.deepEqual([again.state, again.found], ['COMPLETED', false]);
    }
  });
});
