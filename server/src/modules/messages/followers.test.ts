import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bearer, startTestApp } from '../../../test/harness/app.ts';
import { dispatcherOf, fakeProvider, messagesOf } from '../../../test/harness/messages.ts';
import type { TenantTx } from '../../platform/db/database.ts';
import { compileQuery, type Sql } from '../../platform/db/query.ts';
import { newPhone } from '../contacts/fixtures.ts';
import type { InboundContent } from '../provider/index.ts';
import { receiveMessages } from './inbound/receive-messages.ts';

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

test('a message that comes in while its contact is merged is the survivor’s, and so is a notice', async (context) => {
  const app = await startTestApp(context);
  const messages = await messagesOf(app);
  const { key } = await app.key(['contacts:write'], { accountSid: messages.accountSid });
  const at = `/v1/accounts/${messages.accountSid}/contacts`;
  const person = () => ({
    waId: newPhone().slice(1),
    bsuid: null,
    parentBsuid: null,
    profileName: null,
    username: null,
  });
  const text: InboundContent = { type: 'text', body: 'Hello' };
  const notice: InboundContent = { type: 'system', kind: 'other', body: null, waId: null, bsuid: null };
  const contactOf = async (providerMessageId: string) => {
    const [row] = await app.sql<{ sid: string }>(
      `select m.contact_sid as sid from messages m join provider_messages p on p.message_sid = m.sid
        where p.provider_message_id = $1`,
      [providerMessageId],
    );
    return row!.sid;
  };
  for (const content of [text, notice]) {
    const [one, other] = [person(), person()];
    const [first, second] = [messages.inbound(text, { from: one }), messages.inbound(text, { from: other })];
    await messages.receive(first, second);
    const survivor: string = await contactOf(first.providerMessageId);
    const merged: string = await contactOf(second.providerMessageId);
    const item = messages.inbound(content, { from: other });
    let asked = 0;
    await messages.write((t) =>
      receiveMessages(
        {
          ...t,
          // Its contact has been found by now, and is not held yet: the merge comes just in between.
          async many(query: Sql): Promise<unknown[]> {
            const holds = /from contacts\b.*for no key update/s.test(compileQuery(query).text);
            if (holds) asked += 1;
            if (holds && asked === 1) {
              const body = { mergeContactSid: merged, reason: 'The same person' };
              assert.equal((await app.post(`${at}/${survivor}/merge`, body, bearer(key))).status, 200);
            }
            return t.many(query);
          },
        } as unknown as TenantTx,
        [item],
      ),
    );
    assert.ok(asked > 0);
    assert.equal(await contactOf(item.providerMessageId), survivor);
  }
});
