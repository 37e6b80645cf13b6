// What people ask for to be left alone, from the callback to what is no longer sent.
import assert from 'node:assert/strict';
import { before, beforeEach, suite, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { lockRows } from '../../../test/harness/locks.ts';
import { dispatcherOf, fakeProvider, type Messages, messagesOf } from '../../../test/harness/messages.ts';
import { until } from '../../../test/harness/until.ts';
import {
  callback,
  inboundOf,
  messagesChange,
  preferenceOf,
  statusOf,
} from '../../adapters/whatsapp/from-wire/callbacks.test-data.ts';
import { callbackHooks } from '../../main/callback-hooks.ts';
import { recordConsent } from '../consent/index.ts';
import { newPhone } from '../contacts/fixtures.ts';
import { deliver, turn } from '../provider/callbacks.test-data.ts';
import { claimsPutOff } from './metrics.ts';

let app: TestApp;
let messages: Messages;
let numberId: string;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});
beforeEach(async () => {
  await app.sql('delete from provider_callback_work');
  messages = await messagesOf(app);
  const [sender] = await app.sql<{ id: string }>(
    'select provider_phone_number_id as id from senders where sid = $1',
    [messages.senderSid],
  );
  numberId = sender!.id;
});

const writes = (body: string, from = newPhone(), id = `wamid.${from}`) =>
  callback(
    messagesChange({
      metadata: { display_phone_number: '1', phone_number_id: numberId },
      contacts: [{ profile: { name: 'Ines' }, wa_id: from.slice(1) }],
      messages: [
        { ...inboundOf('text', { text: { body } }, id), from: from.slice(1), from_user_id: undefined },
      ],
    }),
  );
const work = (lane: 'opt-outs' | 'others') => turn(app, callbackHooks, lane);
const waiting = () => app.count('provider_callback_work');

/** Somebody who agreed to marketing, and a message of it that waits for them. */
async function promoted(): Promise<{ to: string; sid: string }> {
  const to = newPhone();
  const sid = await messages.accepted({ to, category: 'marketing' });
  const [row] = await app.sql<{ sid: string }>('select contact_sid as sid from messages where sid = $1', [
    sid,
  ]);
  const agreed = { purpose: 'MARKETING', source: 'FORM', status: 'OPTED_IN' } as const;
  await messages.write((t) => recordConsent(t, row!.sid, agreed));
  return { to, sid };
}

suite('an opt-out', () => {
  test('is recognised before its callback is acknowledged, by word, button and switch, and nothing else is', async () => {
    const button = inboundOf('button', { button: { payload: 'x', text: 'Stop promotions' } });
    const told: [boolean, object][] = [
      [true, writes(' Stop ')],
      [true, writes('ARRÊT')],
      [true, callback(messagesChange({ messages: [button] }))],
      [true, callback(preferenceOf('stop', 1787000000))],
      [true, callback(messagesChange({ statuses: [statusOf('read')] }), preferenceOf('stop', 1787000001))],
      [false, callback(preferenceOf('resume', 1787000000))],
      [false, writes('start')],
      [false, writes('please do not stop')],
      [false, callback(messagesChange({ statuses: [statusOf('read', { id: 'stop' })] }))],
    ];
    for (const [urgent, body] of told) {
      await deliver(app, body);
      const [row] = await app.sql('select urgent from provider_callback_work order by id desc limit 1');
      assert.equal(row!.urgent, urgent, JSON.stringify(body));
    }
  });

  test('goes before everything that came before it', async () => {
    const { to } = await promoted();
    for (let i = 0; i < 5; i += 1) await deliver(app, writes(`hello ${i}`));
    await deliver(app, writes('stop', to));
    await work('opt-outs');
    assert.equal(await waiting(), 5);
    assert.equal(await app.count(`suppressions where account_sid = '${messages.accountSid}'`), 1);
    await work('others');
    assert.equal(await waiting(), 0);
  });

  test('is left to its own line by those who work on the others', async () => {
    await deliver(app, writes('stop'));
    await deliver(app, writes('hello'));
    await work('others');
    assert.equal(await app.count('provider_callback_work where urgent'), 1);
    assert.equal(await waiting(), 1);
    await work('opt-outs');
  });

  test('makes dispatch of its account give way, which then hands nothing over to that person', async () => {
    const provider = fakeProvider();
    const dispatcher = await dispatcherOf(app, { provider });
    const { to, sid } = await promoted();
    const other = await promoted();
    await deliver(app, writes('stop', to));
    const [row] = await app.sql<{ sid: string }>('select contact_sid as sid from messages where sid = $1', [
      sid,
    ]);
    // The opt-out is under way and cannot end yet.
    const held = await lockRows(app, `contacts where sid = '${row!.sid}'`);
    const worked = work('opt-outs');
    await held.waitersAre(1);
    const before = (await claimsPutOff.get()).values[0]?.value ?? 0;
    await dispatcher.look();
    await until(
      'dispatch gives way',
      async () => ((await claimsPutOff.get()).values[0]?.value ?? 0) > before,
    );
    assert.deepEqual(provider.sids(), []);
    await held.release();
    await worked;
    await dispatcher.settled();
    assert.deepEqual(provider.sids(), [other.sid]);
    assert.equal((await messages.state(sid)).error.code, 'RECIPIENT_OPTED_OUT');
  });
});
