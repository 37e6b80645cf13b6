// A number moves to another business account while people write and are written to: with workers, callbacks and the simulated provider.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPhone } from '../../src/modules/contacts/fixtures.ts';
import { startTestApp } from '../harness/app.ts';
import { migrationsOf } from '../harness/number-migrations.ts';
import { until } from '../harness/until.ts';

test('what is sent all through a migration arrives once, reports about the old id a day later included, and people are answered', async (context) => {
  const app = await startTestApp(context, { role: 'all', simulator: { instant: false } });
  const { control } = app.simulator;
  const migrations = await migrationsOf(app);
  const scene = await migrations.scene();
  const { sender, destination } = scene;
  const hello = { type: 'template', template: { name: 'hello_world', language: 'en' } };
  const sent: string[] = [];
  const send = async (more: object = { to: newPhone() }) => {
    const { status, body, text } = await app.post(`${app.at}/messages`, {
      from: sender.sid,
      ...hello,
      ...more,
    });
    assert.equal(status, 201, text);
    sent.push(body.sid);
    return body.sid;
  };
  const taken = (sid: string) => control.messagesWithOpaque(sid).length;

  // What becomes of the first is told a day later.
  control.addRule({ behaviour: { slowness: 86_400 }, count: 5 });
  for (let i = 0; i < 5; i += 1) await send();
  await until('the first are with the provider', () => sent.every((sid) => taken(sid) === 1));
  const customer = '33612003400';
  await control.inbound({
    from: customer,
    to: sender.phoneNumber.slice(1),
    text: 'Is this still your number?',
  });
  const conversation = await until('the customer is heard', async () => {
    await control.advance(0);
    return (await app.get(`${app.at}/conversations`)).body.data[0];
  });

  const { sid } = (await migrations.start(scene.body)).body;
  const step = async () => (await migrations.get(sid)).step;
  await until(
    'it waits for the code',
    async () => (await migrations.get(sid)).awaits === 'VERIFICATION_CODE',
  );
  assert.equal((await migrations.code(sid)).status, 202);
  await until('the number is at the destination', async () => {
    await send();
    return (await step()) === 'VALIDATE';
  });
  for (let i = 0; i < 5; i += 1) await send();
  await send({
    conversationSid: conversation.sid,
    from: undefined,
    type: 'text',
    template: undefined,
    text: { body: 'Yes.' },
  });

  const unsettled = () =>
    app.count(
      `messages m join message_states s using (account_sid, sid)
        where m.direction = 'outbound' and s.status not in ('delivered', 'read')`,
    );
  const pass = (what: string, ms: number, condition: () => Promise<boolean>) =>
    until(what, async () => {
      app.clock.advance(ms);
      await control.settle();
      return condition();
    });
  await pass('it has ended', 1_000, async () => (await migrations.get(sid)).state === 'SUCCEEDED');
  await pass('all but the first have arrived', 1_000, async () => (await unsettled()) === 5);
  await pass('everything has arrived', 3_600_000, async () => (await unsettled()) === 0);

  const records = sent.map((one) => control.messagesWithOpaque(one));
  assert.ok(
    records.every((one) => one.length === 1),
    'each was taken once',
  );
  const now = await migrations.sender(sender.sid);
  assert.deepEqual([now.sid, now.wabaSid], [sender.sid, destination.sid]);
  const ids = new Set(records.flat().map(({ phoneNumberId }) => phoneNumberId));
  assert.deepEqual(ids, new Set([sender.providerPhoneNumberId, now.providerPhoneNumberId]));
  const answer = await app.get(`${app.at}/messages/${sent.at(-1)}`);
  assert.equal(answer.body.conversationSid, conversation.sid);
  await control.inbound({ from: customer, to: sender.phoneNumber.slice(1), text: 'Thank you!' });
  const thanks = await until('the customer is heard where the number is now', async () => {
    await control.advance(0);
    const { body } = await app.get(`${app.at}/messages?conversationSid=${conversation.sid}`);
    return body.data.find(({ text }: { text?: { body: string } }) => text?.body === 'Thank you!');
  });
  assert.equal(thanks.conversationSid, conversation.sid);
});
