import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { phone } from '../../../../test/harness/contacts.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { newSid } from '../../../platform/ids.ts';
import { newPhone } from '../../contacts/fixtures.ts';
import { erasingIn, hour } from './erasure.test-data.ts';

const lifetime = sharedLifetime();
let app: TestApp;
before(async () => {
  app = await startTestApp(lifetime);
});

type Scene = Awaited<ReturnType<typeof erasingIn>>;

/** Somebody else, who was written to. */
async function writtenTo({ messages, people }: Scene): Promise<string> {
  const number = newPhone();
  const { sid } = await people.contact({ identifiers: [phone(number)] });
  await messages.receive(
    messages.inbound(
      { type: 'text', body: 'Hello' },
      {
        from: { waId: number.slice(1), bsuid: null, parentBsuid: null, profileName: 'O', username: null },
      },
    ),
  );
  await messages.accepted({ to: number });
  return sid;
}

async function conversationOf({ rows, messages }: Scene, contactSid: string | null = null): Promise<string> {
  const found = await rows<{ sid: string }>(
    'select sid from conversations where account_sid = $1 and sender_sid = $2 and ($3::text is null or contact_sid = $3)',
    [messages.senderSid, contactSid],
  );
  return found[0]!.sid;
}

/** Their messages were a campaign's. */
async function inCampaign({ rows }: Scene, contactSid: string): Promise<string> {
  const campaignSid = newSid('CP', app.clock.now());
  await rows(
    `update messages set campaign_sid = $2 where account_sid = $1 and contact_sid = $3 and direction = 'outbound'`,
    [campaignSid, contactSid],
  );
  return campaignSid;
}

/** A day after everything else. */
async function onlyAgreed({ people, contactSid }: Scene): Promise<object> {
  app.clock.advance(24 * hour);
  const at = app.clock.now().getTime();
  await people.consent(contactSid);
  app.clock.advance(24 * hour);
  const time = (ms: number) => new Date(at + ms).toISOString();
  return { type: 'DATE_RANGE', from: time(-hour), to: time(hour) };
}

suite('a legal hold', () => {
  const hold = async (scene: Scene, scope: object) => {
    const reply = await scene.app.post(`${scene.app.at}/legal-holds`, { caseRef: 'Case', scope });
    assert.equal(reply.status, 201, reply.text);
    return reply.body.id as string;
  };
  const release = async (scene: Scene, id: string) => {
    const { headers, stepUpToken } = await scene.privacy.confirmed('LEGAL_HOLD_RELEASE');
    const reply = await app.post(
      `${scene.app.at}/legal-holds/${id}/release`,
      { caseRef: 'x', stepUpToken },
      headers,
    );
    assert.equal(reply.status, 200, reply.text);
  };
  const jobs = () =>
    app.sql<{ run_at: Date }>(
      `select run_at from graphile_worker._private_jobs j where j.key like 'operation:%'`,
    );

  const scopes: [string, (scene: Scene) => object | Promise<object>][] = [
    ['the account', () => ({ type: 'ACCOUNT' })],
    ['the contact', ({ contactSid }) => ({ type: 'CONTACT', contactSid })],
    [
      'a conversation with them',
      async (scene) => ({ type: 'CONVERSATION', conversationSid: await conversationOf(scene) }),
    ],
    [
      'a campaign that wrote to them',
      async (scene) => ({ type: 'CAMPAIGN', campaignSid: await inCampaign(scene, scene.contactSid) }),
    ],
    [
      'a time of theirs',
      () => ({ type: 'DATE_RANGE', from: '2026-08-21T00:00:00.000Z', to: '2036-08-22T00:00:00.000Z' }),
    ],
    ['a time in which they only agreed to something', onlyAgreed],
  ];
  for (const [name, scopeOf] of scopes)
    test(`on ${name} parks the erasure whole, and its release lets it go on`, async () => {
      const scene = await erasingIn(app);
      await scene.talk();
      const id = await hold(scene, await scopeOf(scene));
      const request = await scene.erase();
      const stands = () =>
        scene.rows('select sid, address, content from messages where account_sid = $1 order by sid');
      const before = await stands();
      await scene.run(request);
      const parked = await scene.privacy.get(request.sid);
      assert.deepEqual([parked.state, parked.parkedBy], ['PARKED', [id]]);
      assert.deepEqual(await stands(), before);
      assert.equal((await scene.events('privacy_request.parked')).length, 1);
      await scene.run(request);
      assert.equal((await scene.events('privacy_request.parked')).length, 1);
      await release(scene, id);
      assert.ok((await jobs()).some(({ run_at: at }) => at.getTime() <= Date.now() + 1_000));
      await scene.toEnd(request);
      assert.equal((await scene.events('privacy_request.resumed')).length, 1);
    });

  test('on another contact, conversation, campaign or time parks nothing', async () => {
    const scene = await erasingIn(app);
    await scene.talk();
    const other = await writtenTo(scene);
    await hold(scene, { type: 'CONTACT', contactSid: (await scene.people.contact()).sid });
    await hold(scene, { type: 'CONVERSATION', conversationSid: await conversationOf(scene, other) });
    await hold(scene, { type: 'CAMPAIGN', campaignSid: await inCampaign(scene, other) });
    await hold(scene, {
      type: 'DATE_RANGE',
      from: '2020-01-01T00:00:00.000Z',
      to: '2020-02-01T00:00:00.000Z',
    });
    await scene.toEnd(await scene.erase());
  });

  test('that is placed while the erasure settles keeps the second look waiting', async () => {
    const scene = await erasingIn(app);
    const request = await scene.erase();
    await scene.run(request);
    const id = await hold(scene, { type: 'ACCOUNT' });
    app.clock.advance(26 * hour);
    await scene.run(request);
    assert.equal((await scene.privacy.get(request.sid)).state, 'SETTLING');
    await release(scene, id);
    await scene.run(request);
    assert.equal((await scene.privacy.get(request.sid)).state, 'COMPLETED');
  });
});
