import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bearer, startTestApp } from '../../../test/harness/app.ts';
import { dispatcherOf, fakeProvider, messagesOf } from '../../../test/harness/messages.ts';
import { newPhone } from '../contacts/fixtures.ts';

test('messages follow a merged contact, those that still wait too, and come back with it', async (context) => {
  const app = await startTestApp(context);
  const messages = await messagesOf(app);
  const { key } = await app.key(['contacts:write'], { accountSid: messages.accountSid });
  const at = `/v1/accounts/${messages.accountSid}/contacts`;
  const contactOf = async (sid: string) =>
    (
      await app.sql<{ contact: string }>('select contact_sid as contact from messages where sid = $1', [sid])
    )[0]!.contact;

  const phones = [newPhone(), newPhone(), newPhone()] as const;
  const waiting = await messages.accepted({
    to: phones[1],
    sendAt: new Date(app.clock.now().getTime() + 60_000),
  });
  const history = await messages.accepted({ to: phones[1], status: 'delivered' });
  const own = await messages.accepted({ to: phones[0], status: 'delivered' });
  const older = await messages.accepted({ to: phones[2], status: 'delivered' });
  const [survivor, merged, before] = [await contactOf(own), await contactOf(waiting), await contactOf(older)];
  const merge = async (into: string, from: string) => {
    const body = { mergeContactSid: from, reason: 'The same person' };
    const reply = await app.post(`${at}/${into}/merge`, body, bearer(key));
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  };
  await merge(merged, before);
  const done = await merge(survivor, merged);
  assert.deepEqual(done.moved.pendingMessages, [waiting]);
  for (const sid of [waiting, history, own, older]) assert.equal(await contactOf(sid), survivor);

  // What waited is sent to the address it was accepted for, in the name of the survivor.
  const provider = fakeProvider();
  const dispatcher = await dispatcherOf(app, { provider });
  app.clock.advance(60_000);
  await dispatcher.run();
  assert.deepEqual(provider.sent[0]!.message.recipient, { phone: phones[1] });

  const later = await messages.accepted({ to: phones[1], status: 'delivered' });
  const reverted = await app.post(`${at}/merges/${done.id}/revert`, undefined, bearer(key));
  assert.equal(reverted.status, 200, reverted.text);
  assert.deepEqual(await Promise.all([waiting, history, older, own, later].map(contactOf)), [
    merged,
    merged,
    merged,
    survivor,
    survivor,
  ]);
});
