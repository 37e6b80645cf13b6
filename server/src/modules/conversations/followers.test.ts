import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { type Reply, startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { type People, peopleOf } from '../../../test/harness/contacts.ts';
import { type Desk, deskOf } from '../../../test/harness/inboxes.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { newPhone } from '../contacts/fixtures.ts';
import { insertSender } from '../senders/fixtures.ts';
import type { Conversation } from './schema.ts';

let app: TestApp;
let desk: Desk;
let people: People;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
  [desk, people] = [deskOf(app), peopleOf(app)];
});

const newSender = () => insertSender(app, { accountSid: app.accountSid, livemode: false });
const newNumber = () => newPhone().slice(1);
const code = ({ status, body }: Reply) => [status, body?.error?.code ?? null];
const standing = async (contactSid: string): Promise<string[]> => {
  const { body } = await app.get(`${app.at}/conversations?contactSid=${contactSid}`);
  return body.data.map(({ sid }: Conversation) => sid);
};
const place = async (sid: string) => {
  const { contactSid, mergedInto } = await desk.conversation(sid);
  return [contactSid, mergedInto];
};
/** A message a second after the last one. */
const hears = (sender: string, waId: string): Promise<Conversation> => {
  app.clock.advance(1_000);
  return desk.hears(sender, waId);
};

suite('when contacts are merged', () => {
  test('their conversations belong to the survivor, and return with the merged one', async () => {
    const [one, two] = [await newSender(), await newSender()];
    const kept = await hears(one, newNumber());
    const moved = await hears(two, newNumber());
    const merge = await people.merge(kept.contactSid, moved.contactSid);
    assert.deepEqual(merge.moved.conversations, [moved.sid]);
    assert.deepEqual(await standing(kept.contactSid), [moved.sid, kept.sid]);
    assert.equal((await desk.conversation(moved.sid)).version, moved.version + 1);
    const reverted = await people.revert(merge.id);
    assert.equal(reverted.status, 200, reverted.text);
    assert.deepEqual(await place(moved.sid), [moved.contactSid, null]);
    assert.deepEqual(await standing(kept.contactSid), [kept.sid]);
  });

  test('of two with the same sender the one with the later activity goes on', async () => {
    for (const survivorSpokeLast of [true, false]) {
      const [sender, first, second] = [await newSender(), newNumber(), newNumber()];
      const early = await hears(sender, first);
      const late = await hears(sender, second);
      const [survivor, merged] = survivorSpokeLast ? [late, early] : [early, late];
      const merge = await people.merge(survivor.contactSid, merged.contactSid);
      assert.deepEqual(await standing(survivor.contactSid), [late.sid]);
      assert.deepEqual(await place(early.sid), [survivor.contactSid, late.sid]);
      // Both numbers are one person now, and their messages meet in one conversation.
      for (const number of [first, second]) assert.equal((await hears(sender, number)).sid, late.sid);
      const { body } = await app.get(`${app.at}/messages?conversationSid=${late.sid}`);
      assert.equal(body.data.length, 4);

      assert.equal((await people.revert(merge.id)).status, 200);
      assert.deepEqual(await place(early.sid), [early.contactSid, null]);
      assert.deepEqual(await place(late.sid), [late.contactSid, null]);
      assert.equal((await hears(sender, first)).sid, early.sid);
      assert.equal((await hears(sender, second)).sid, late.sid);
    }
  });

  test('one that goes on in another takes no change, no claim and no reply, and says where it went', async () => {
    const sender = await desk.sender();
    const [early, late] = [await hears(sender, newNumber()), await hears(sender, newNumber())];
    await people.merge(late.contactSid, early.contactSid);
    const at = `${app.at}/conversations/${early.sid}`;
    const { version } = await desk.conversation(early.sid);
    const message = { conversationSid: early.sid, type: 'text', text: { body: 'Hello?' } };
    for (const reply of [
      await app.post(`${at}/close`, { expectedVersion: version }),
      await app.post(`${at}/composer-claim`, {}),
      await app.post(`${app.at}/messages`, message),
    ]) {
      assert.deepEqual(code(reply), [409, 'CONFLICT']);
      assert.match(reply.body.error.details[0].issue, new RegExp(late.sid));
    }
  });

  test('three into one, taken back in any order, stand by themselves again', async () => {
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      const sender = await newSender();
      const numbers = [newNumber(), newNumber(), newNumber()];
      const all: Conversation[] = [];
      for (const number of numbers) all.push(await hears(sender, number));
      const [survivor, second, third] = all as [Conversation, Conversation, Conversation];
      const merges = [
        await people.merge(survivor.contactSid, second.contactSid),
        await people.merge(survivor.contactSid, third.contactSid),
      ];
      assert.deepEqual(await standing(survivor.contactSid), [third.sid]);
      assert.equal((await people.revert(merges[order[0]!]!.id)).status, 200);
      const left = order[0] === 0 ? third : second;
      assert.deepEqual(await standing(survivor.contactSid), [left.sid]);
      assert.equal((await people.revert(merges[order[1]!]!.id)).status, 200);
      for (const one of all) assert.deepEqual(await place(one.sid), [one.contactSid, null]);
    }
  });

  test('a message that arrives meanwhile is in the conversation that goes on', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [sender, first, second] = [await newSender(), newNumber(), newNumber()];
      const [kept, merged] = [await hears(sender, first), await hears(sender, second)];
      await Promise.all([
        people.merge(kept.contactSid, merged.contactSid),
        desk.hears(sender, second),
        desk.hears(sender, first),
      ]);
      const [sid, ...others] = await standing(kept.contactSid);
      assert.deepEqual(others, []);
      assert.deepEqual(await standing(merged.contactSid), []);
      assert.equal((await desk.hears(sender, second)).sid, sid);
    }
  });
});
