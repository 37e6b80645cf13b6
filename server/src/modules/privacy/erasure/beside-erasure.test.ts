// What goes with a person beside their rows, and what happens at the very moment they are erased.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { phone } from '../../../../test/harness/contacts.ts';
import { runJob, write } from '../../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { newPhone } from '../../contacts/fixtures.ts';
import { insertReadyMedia } from '../../media/fixtures.ts';
import { noteMediaUses } from '../../media/index.ts';
import { forgetCopiesOfMedia } from '../../senders/belongings.ts';
import { erasingIn } from './erasure.test-data.ts';

const lifetime = sharedLifetime();
let app: TestApp;
before(async () => {
  app = await startTestApp(lifetime);
});

type Scene = Awaited<ReturnType<typeof erasingIn>>;

suite('a file', () => {
  const carry = async ({ app: own, messages }: Scene, mediaSid: string, to: string) => {
    const messageSid = await messages.accepted({ to, status: 'read' });
    const [row] = await app.sql<{ contact_sid: string; sender_sid: string }>(
      'select contact_sid, sender_sid from messages where sid = $1',
      [messageSid],
    );
    const use = {
      mediaSid,
      messageSid,
      contactSid: row!.contact_sid,
      senderSid: row!.sender_sid,
      campaignSid: null,
    };
    await write({ app, accountSid: own.accountSid }, (t) => noteMediaUses(t, [use]));
  };
  const stands = async (sid: string) =>
    (
      await app.sql<{ status: string; file_id: string | null; filename: string | null }>(
        'select status, file_id, filename from media where sid = $1',
        [sid],
      )
    )[0]!;

  test('that only the person’s messages carried goes, here and at the provider; one that others got too stays', async () => {
    const scene = await erasingIn(app);
    const { accountSid } = scene.app;
    const [own, shared] = [
      await insertReadyMedia(app, { accountSid }),
      await insertReadyMedia(app, { accountSid }),
    ];
    await carry(scene, own, scene.number);
    await carry(scene, shared, scene.number);
    await carry(scene, shared, newPhone());
    const [sender] = await app.sql<{ id: string }>(
      'select provider_phone_number_id as id from senders where sid = $1',
      [scene.messages.senderSid],
    );
    await app.sql(
      `insert into media_provider_ids (account_sid, livemode, media_sid, phone_number_id, provider_media_id, created_at, updated_at)
       select $1, false, sid, $3, 'at provider ' || sid, now(), now() from unnest($2::text[]) as sid`,
      [accountSid, [own, shared], sender!.id],
    );
    const done = await scene.toEnd(await scene.erase());
    assert.equal(done.counts.media, 1);
    const gone = await stands(own);
    assert.deepEqual([gone.status, gone.file_id, gone.filename], ['EXPIRED', null, null]);
    const kept = await stands(shared);
    assert.equal(kept.status, 'READY');
    assert.notEqual(kept.file_id, null);
    const asked: string[] = [];
    const deleteMedia = async (_connection: unknown, id: string) => {
      asked.push(id);
      return { ok: true as const, value: undefined };
    };
    await runJob({ app, accountSid, provider: { deleteMedia } as never }, forgetCopiesOfMedia, {
      mediaSid: own,
    });
    assert.deepEqual(asked, [`at provider ${own}`]);
    const left = await scene.rows<{ media_sid: string }>(
      'select media_sid from media_provider_ids where account_sid = $1',
    );
    assert.deepEqual(
      left.map(({ media_sid: sid }) => sid),
      [shared],
    );
  });
});

test('where the provider blocked the person is kept with their no, and known again of whoever turns out to be them', async () => {
  const scene = await erasingIn(app);
  const { messages, contactSid, number, people } = scene;
  await people.suppress(contactSid, { scope: 'ALL' });
  await app.sql(
    `insert into provider_blocks (account_sid, livemode, sender_sid, provider_user, contact_sid, confirmed, created_at)
     values ($1, false, $2, $3, $4, true, now())`,
    [scene.app.accountSid, messages.senderSid, number, contactSid],
  );
  await scene.toEnd(await scene.erase());
  const blocks = () =>
    scene.rows<{ sender_sid: string; provider_user: string; contact_sid: string }>(
      'select sender_sid, provider_user, contact_sid from provider_blocks where account_sid = $1',
    );
  assert.deepEqual(await blocks(), []);
  const again = await people.contact({ identifiers: [phone(number)] });
  assert.deepEqual(await blocks(), [
    { sender_sid: messages.senderSid, provider_user: number, contact_sid: again.sid },
  ]);
});

suite('at the same moment', () => {
  test('a hold that is placed while pages are erased stops it at once: after its answer nothing of the person changes', async () => {
    const scene = await erasingIn(app);
    const { app: own, contactSid } = scene;
    await scene.talk(20);
    const request = await scene.erase();
    const blanked = async () =>
      (await scene.rows('select from messages where account_sid = $1 and address is null')).length;
    const running = scene.run(request);
    const reply = await own.post(`${own.at}/legal-holds`, {
      caseRef: 'Case',
      scope: { type: 'CONTACT', contactSid },
    });
    assert.equal(reply.status, 201, reply.text);
    const then = await blanked();
    await running;
    assert.equal(await blanked(), then);
    const { state } = await scene.privacy.get(request.sid);
    assert.ok(['PARKED', 'SETTLING'].includes(state), state);
    const { headers, stepUpToken } = await scene.privacy.confirmed('LEGAL_HOLD_RELEASE');
    await app.post(`${own.at}/legal-holds/${reply.body.id}/release`, { caseRef: 'x', stepUpToken }, headers);
    await scene.toEnd(request);
  });

  test('messages, reports, sends, changes, merges and a second run lose nothing of others and bring nothing of the person back', async () => {
    const scene = await erasingIn(app);
    const { app: own, contactSid, messages, number, people } = scene;
    const sids = await scene.talk(10);
    const other = await people.contact();
    const request = await scene.erase();
    const waId = number.slice(1);
    const from = { waId, bsuid: null, parentBsuid: null, profileName: 'Back', username: null };
    const answers = await Promise.allSettled([
      scene.run(request),
      scene.run(request),
      messages.receive(messages.inbound({ type: 'text', body: 'again' }, { from })),
      ...sids.map((sid) =>
        messages.apply(messages.status(sid, 'read', { recipient: { waId, bsuid: null, parentBsuid: null } })),
      ),
      own.post(`${own.at}/messages`, {
        from: messages.senderSid,
        contactSid,
        type: 'text',
        text: { body: 'late' },
      }),
      own.send('PATCH', `${own.at}/contacts/${contactSid}`, { body: { displayName: 'late' } }),
      own.post(`${own.at}/contacts/${other.sid}/merge`, { mergeContactSid: contactSid, reason: 'late' }),
      scene.privacy.ask('ERASURE', { contactSid }),
    ]);
    assert.deepEqual(
      answers.filter(({ status }) => status === 'rejected'),
      [],
    );
    // What another run had taken over goes on with the next.
    await scene.run(request);
    const done = await scene.toEnd(request);
    const [blank] = await scene.rows<{ count: number }>(
      'select count(*)::integer as count from messages where account_sid = $1 and address is null',
    );
    assert.equal(done.counts.messages, blank!.count);
    const theirs = await scene.rows(
      'select from messages where account_sid = $1 and contact_sid = $2 and address is not null',
      [contactSid],
    );
    assert.equal(theirs.length, 0);
    const names = await scene.rows(
      'select from provider_messages p join messages m on m.sid = p.message_sid where p.account_sid = $1 and m.contact_sid = $2',
      [contactSid],
    );
    assert.equal(names.length, 0);
    assert.equal((await people.read(other.sid)).status, 'ACTIVE');
    assert.equal((await scene.events('contact.erased')).length, 1);
  });
});
