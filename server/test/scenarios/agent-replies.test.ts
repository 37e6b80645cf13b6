// A customer writes, somebody answers: from the simulated provider through the inbox to the customer's phone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../harness/app.ts';
import { deskOf } from '../harness/inboxes.ts';
import { until } from '../harness/until.ts';

test('a customer writes, an agent of the inbox claims, asks, replies, and the reply is delivered', async (context) => {
  const app = await startTestApp(context, { role: 'all', simulator: true });
  const desk = deskOf(app);
  const { control } = app.simulator;
  const settled = <T>(look: () => Promise<T | undefined>) =>
    until('what the customer or the agent waits for', async () => {
      await control.advance(1_000);
      app.clock.advance(1_000);
      return look();
    });

  const [inbox, senderSid] = [await desk.inbox('Orders'), await desk.sender()];
  await desk.route(inbox, senderSid);
  const agent = await desk.agent([inbox]);
  const colleague = await desk.agent([inbox]);
  const outsider = await desk.agent([await desk.inbox('Returns')]);
  const sender = (await app.get(`${app.at}/senders/${senderSid}`)).body;
  // The simulator learns of the sandbox's number with the first call that uses it.
  const first = await app.post(`${app.at}/messages`, {
    from: senderSid,
    to: '+33612003400',
    type: 'template',
    template: { name: 'hello_world', language: 'en' },
  });
  assert.equal(first.status, 201, first.text);
  const arrived = async (sid: string) => {
    const { body } = await app.get(`${app.at}/messages/${sid}`);
    return ['delivered', 'read'].includes(body.status) ? body : undefined;
  };
  await settled(() => arrived(first.body.sid));

  await control.inbound({ from: '33612003400', to: sender.phoneNumber.slice(1), text: 'Where is my order?' });
  const conversation = await settled(async () => {
    const { body } = await app.get(`${app.at}/conversations?inboxSid=${inbox}`, agent.headers);
    return body.data[0];
  });
  assert.deepEqual([conversation.status, conversation.inboxSid], ['open', inbox]);
  const seen = await app.get(`${app.at}/messages?conversationSid=${conversation.sid}`, agent.headers);
  assert.equal(seen.body.data[0].text.body, 'Where is my order?');
  assert.deepEqual((await app.get(`${app.at}/conversations`, outsider.headers)).body.data, []);

  const composerClaimToken = await desk.token(conversation.sid, agent);
  assert.equal((await desk.claim(conversation.sid, colleague)).status, 409);
  const body = {
    conversationSid: conversation.sid,
    composerClaimToken,
    type: 'text',
    text: { body: 'It left this morning.' },
  };
  const asked = await app.post(`${app.at}/messages/preflight`, body, agent.headers);
  assert.deepEqual([asked.body.accepted, asked.body.resolved.window.open], [true, true], asked.text);
  const sent = await app.post(`${app.at}/messages`, body, agent.headers);
  assert.equal(sent.status, 201, sent.text);
  const delivered = await settled(() => arrived(sent.body.sid));
  assert.deepEqual([delivered.conversationSid, delivered.to.value], [conversation.sid, '+33612003400']);

  const { version } = await desk.conversation(conversation.sid, agent.headers);
  const at = `${app.at}/conversations/${conversation.sid}`;
  const closed = await app.post(`${at}/close`, { expectedVersion: version }, agent.headers);
  assert.equal(closed.body.status, 'closed', closed.text);
  await control.inbound({ from: '33612003400', to: sender.phoneNumber.slice(1), text: 'Thank you!' });
  const reopened = await settled(async () => {
    const now = await desk.conversation(conversation.sid, agent.headers);
    return now.status === 'open' ? now : undefined;
  });
  assert.equal(reopened.sid, conversation.sid);
});
