import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { bearer, startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { type Messages, messagesOf } from '../../../test/harness/messages.ts';
import { newPhone } from '../contacts/fixtures.ts';
import type { Conversation } from './schema.ts';

let app: TestApp;
let messages: Messages;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
  messages = await messagesOf(app);
});

const stranger = (waId = newPhone().slice(1)) => ({
  from: { waId, bsuid: null, parentBsuid: null, profileName: 'Ines', username: null },
});
const writes = (who: object, more: object = {}) =>
  messages.inbound({ type: 'text', body: 'Hello' }, { ...who, ...more });

type Row = { sid: string; status: string; version: string; last_message_sid: string; last_inbound_at: Date };
const conversations = (waId: string) =>
  app.sql<Row>(
    `select c.* from conversations c join contact_identifiers i using (account_sid, contact_sid) where i.value = $1`,
    [`+${waId}`],
  );
const told = async (sid: string) => (await messages.events(sid)).map(({ type }) => type);

suite('a conversation', () => {
  test('opens with the first message of a person, is announced, and holds their messages', async () => {
    const who = stranger();
    await messages.receive(writes(who), writes(who));
    const [opened, ...others] = await conversations(who.from.waId);
    assert.deepEqual([others.length, opened!.status, opened!.version], [0, 'open', '2']);
    const stored = await app.sql<{ sid: string }>('select sid from messages where conversation_sid = $1', [
      opened!.sid,
    ]);
    assert.equal(stored.length, 2);
    assert.ok(stored.some(({ sid }) => sid === opened!.last_message_sid));
    const [event, ...more] = await messages.events(opened!.sid);
    assert.deepEqual([event!.type, more.length], ['conversation.opened', 0]);
    assert.equal((event!.data as Conversation).version, 2);
  });

  test('is one, however many first messages of a stranger arrive at once', async () => {
    const who = stranger();
    await Promise.all(Array.from({ length: 8 }, () => messages.receive(writes(who))));
    const found = await conversations(who.from.waId);
    assert.deepEqual(
      found.map(({ version }) => version),
      ['8'],
    );
    assert.deepEqual(await told(found[0]!.sid), ['conversation.opened']);
    assert.equal(await app.count(`messages where conversation_sid = '${found[0]!.sid}'`), 8);
  });

  test('is another with each sender', async () => {
    const who = stranger();
    await messages.receive(writes(who), writes(who, { senderSid: await messages.newSender() }));
    assert.equal((await conversations(who.from.waId)).length, 2);
  });

  test('that was closed is opened again by what a person writes, and told so once', async () => {
    const who = stranger();
    await messages.receive(writes(who));
    const [{ sid }] = (await conversations(who.from.waId)) as [Row];
    await app.sql("update conversations set status = 'closed', closed_at = now() where sid = $1", [sid]);
    await messages.receive(writes(who), writes(who));
    const [row] = await conversations(who.from.waId);
    assert.deepEqual([row!.status, row!.version], ['open', '3']);
    assert.deepEqual(await told(sid), ['conversation.opened', 'conversation.reopened']);
  });

  test('is neither opened nor reopened by notices and by changes to earlier messages', async () => {
    const who = stranger();
    const revoked = () => messages.inbound({ type: 'revoke', originalMessageId: 'wamid.x' } as never, who);
    await messages.receive(revoked());
    assert.deepEqual(await conversations(who.from.waId), []);
    await messages.receive(writes(who));
    await app.sql("update conversations set status = 'closed', closed_at = now()");
    await messages.receive(revoked());
    const [row] = await conversations(who.from.waId);
    assert.deepEqual([row!.status, row!.version], ['closed', '2']);
  });

  test('keeps the latest instant, in whatever order messages arrive', async () => {
    const who = stranger();
    const now = app.clock.now();
    await messages.receive(writes(who, { occurredAt: now }));
    await messages.receive(writes(who, { occurredAt: new Date(now.getTime() - 60_000) }));
    const [row] = await conversations(who.from.waId);
    assert.deepEqual(row!.last_inbound_at, now);
  });

  test('counts what we send in it, and stays closed for that', async () => {
    const who = stranger();
    await messages.receive(writes(who));
    const [before] = (await conversations(who.from.waId)) as [Row];
    await app.sql("update conversations set status = 'closed', closed_at = now() where sid = $1", [
      before.sid,
    ]);
    const { key } = await app.key(['messages:send'], { accountSid: messages.accountSid });
    app.clock.advance(1_000);
    const body = { to: `+${who.from.waId}`, from: messages.senderSid, type: 'text', text: { body: 'Hi' } };
    const sent = await app.post(
      `/v1/accounts/${messages.accountSid}/messages/batch`,
      { messages: [body, body] },
      bearer(key),
    );
    assert.equal(sent.body.accepted, 2, sent.text);
    const [after] = (await conversations(who.from.waId)) as [Row];
    assert.deepEqual([after.version, after.status], ['3', 'closed']);
    assert.equal(after.last_message_sid, sent.body.results[1].message.sid);
    assert.equal(sent.body.results[0].message.conversationSid, before.sid);
  });
});
