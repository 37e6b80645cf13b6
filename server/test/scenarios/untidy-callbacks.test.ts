// A provider whose callbacks all come twice, and half of them late: whoever uses the API sees each thing once, in its order.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../harness/app.ts';
import { until } from '../harness/until.ts';

test('callbacks that come twice and out of order leave one message, one status each, one reply', async (context) => {
  const app = await startTestApp(context, {
    role: 'all',
    simulator: { settings: { duplicateCallbacks: 1, reorderCallbacks: 0.5 } },
  });
  const { control } = app.simulator;
  const settled = <T>(what: string, look: () => Promise<T | null>) =>
    until(what, async () => {
      app.clock.advance(1_000);
      await control.advance(1_000);
      return look();
    });
  const [sender] = (await app.get(`${app.at}/senders`)).body.data;
  const people = ['33612003401', '33612003402', '33612003403'];
  const sids: string[] = [];
  for (const digits of people) {
    const reply = await app.post(`${app.at}/messages`, {
      from: sender.sid,
      to: `+${digits}`,
      type: 'template',
      template: { name: 'hello_world', language: 'en' },
    });
    assert.equal(reply.status, 201, reply.text);
    sids.push(reply.body.sid);
  }
  for (const sid of sids) {
    await settled('the message is read', async () => {
      const { body } = await app.get(`${app.at}/messages/${sid}`);
      return body.status === 'read' ? body : null;
    });
  }
  for (const from of people) await control.inbound({ from, to: sender.phoneNumber.slice(1), text: 'STOP' });
  await settled('everybody is suppressed', async () => {
    const { body } = await app.get(`${app.at}/suppressions`);
    return body.data.length >= people.length ? body : null;
  });
  await control.settle();
  await settled('no callback waits', async () =>
    (await app.count("provider_callback_work where state = 'due'")) === 0 ? true : null,
  );

  const { body: inbound } = await app.get(`${app.at}/messages?direction=inbound`);
  assert.equal(inbound.data.length, people.length);
  assert.equal((await app.get(`${app.at}/suppressions`)).body.data.length, people.length);
  const types = await app.emitted();
  const told = (type: string) => types.filter((one) => one === type).length;
  for (const type of ['message.read', 'message.received', 'suppression.created'])
    assert.equal(told(type), people.length, `${type} in ${types.join(' ')}`);
  // One that comes after its successor has nothing left to tell.
  for (const type of ['message.sent', 'message.delivered']) assert.ok(told(type) <= people.length, type);
});
