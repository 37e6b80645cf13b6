// A restriction is a promise: after its answer nothing leaves, however far a message had come.
import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import {
  accepted,
  dispatcherOf,
  fakeProvider,
  type Messages,
  messagesOf,
  stopClaimsOf,
} from '../../../test/harness/messages.ts';
import { type Privacy, privacyOf } from '../../../test/harness/privacy.ts';
import { holdTime } from '../../../test/harness/time.ts';
import { until } from '../../../test/harness/until.ts';
import { newPhone } from '../contacts/fixtures.ts';
import { beginWithinMs } from '../messages/dispatch/hand-over.ts';

let app: TestApp;
let messages: Messages;
let privacy: Privacy;
let provider: ReturnType<typeof fakeProvider>;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});
beforeEach(async () => {
  messages = await messagesOf(app);
  privacy = privacyOf(app, { accountSid: messages.accountSid, livemode: false });
  provider = fakeProvider();
});

const subjectOf = (value: string) => ({ identifierType: 'phone_e164', value });
const codeOf = async (sid: string) => (await messages.state(sid)).error?.code;

test('a message that waits when its recipient is restricted is not handed over, and its money is given back', async () => {
  const to = newPhone();
  const [sid, later] = [
    await messages.accepted({ to }),
    await messages.accepted({ to, sendAt: new Date(app.clock.now().getTime() + 3_600_000) }),
  ];
  const request = await privacy.asked('RESTRICTION', subjectOf(to));
  const dispatcher = await dispatcherOf(app, { provider });
  await dispatcher.run();
  assert.deepEqual([provider.sids(), await codeOf(sid)], [[], 'CONTACT_SUPPRESSED']);
  assert.equal((await messages.money(sid))![0], 'released');
  // What was to leave later leaves, once nothing restricts its recipient any more.
  await privacy.lifted(request.sid);
  app.clock.advance(3_600_000);
  await dispatcher.run();
  assert.deepEqual(provider.sids(), [later]);
});

test('a restriction is answered only after a claim that looked before it has called', async (context) => {
  const time = holdTime(context); // a claim that took too long would not call, and nobody would wait for it
  const order: string[] = [];
  const to = newPhone();
  const held = await stopClaimsOf(app, messages, to);
  const sid = await messages.accepted({ to });
  provider.answer = async () => {
    order.push('handed over');
    return accepted(sid);
  };
  const dispatcher = await dispatcherOf(app, { provider });
  await dispatcher.look();
  await held.waitersAre(1);
  const answered = privacy.asked('RESTRICTION', subjectOf(to)).then(() => order.push('answered'));
  await until('it is restricted', () =>
    app.count(`contact_restrictions where account_sid = '${messages.accountSid}'`),
  );
  await held.waitersAre(2);
  await held.release();
  await answered;
  time.letGo();
  await dispatcher.settled();
  assert.deepEqual(order, ['handed over', 'answered']);
});

test('of people restricted and let go again while workers send to them, none is written to while restricted', async () => {
  const people = Array.from({ length: Number(process.env.PRIVACY_PEOPLE ?? 60) }, newPhone);
  messages = await messagesOf(app, { throughput: 60 });
  privacy = privacyOf(app, { accountSid: messages.accountSid, livemode: false });
  const senders = [messages.senderSid, await messages.newSender()];
  await Promise.all(people.map((to, i) => messages.accepted({ to, senderSid: senders[i % 2]! })));
  const restricted = new Set<string>();
  const late: string[] = [];
  provider.answer = async ({ message }) => {
    const { phone } = message.recipient as { phone: string };
    if (restricted.has(phone)) late.push(phone);
    return accepted(message.opaque);
  };
  const workers = [
    await dispatcherOf(app, { provider, beginWithinMs }),
    await dispatcherOf(app, { provider, beginWithinMs }),
  ];
  await privacy.owner();
  await Promise.all(workers.map((worker) => worker.look()));
  await until('the first leave', () => provider.sent.length > 0);
  const inTurn = people.map((_, i) => people[i % 2 === 0 ? i / 2 : people.length - (i + 1) / 2]!);
  const client = async () => {
    for (let to = inTurn.shift(); to; to = inTurn.shift()) {
      const request = await privacy.asked('RESTRICTION', subjectOf(to));
      restricted.add(to);
      if (!to.endsWith('3')) continue;
      restricted.delete(to);
      await privacy.lifted(request.sid);
    }
  };
  await Promise.all(Array.from({ length: 4 }, client));
  await Promise.all(workers.map((worker) => worker.settled()));
  assert.deepEqual(late, []);
  const failed = await app.sql<{ sid: string }>(
    `select sid from message_states where account_sid = $1 and error ->> 'code' = 'CONTACT_SUPPRESSED'`,
    [messages.accountSid],
  );
  assert.equal(failed.length + provider.sent.length, people.length, 'each left or was refused');
});
