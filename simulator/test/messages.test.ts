import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  customer,
  hello,
  numberId,
  sampleMessages,
  signatureOf,
  startKit,
  stillClock,
  text,
} from './harness.ts';

suite('a message', () => {
  test('is accepted, then sent, delivered and read, with its reference and its price', async (context) => {
    const kit = await startKit(context);
    const { status, body } = await kit.send({ ...hello, biz_opaque_callback_data: 'SM1' });
    assert.equal(status, 200);
    assert.match(body.messages[0].id, /^wamid\./);
    assert.deepEqual(body.contacts, [{ input: `+${customer}`, wa_id: customer }]);
    assert.equal(body.messages[0].message_status, 'accepted');
    const statuses = await kit.statuses();
    assert.deepEqual(
      statuses.map((one) => one.status),
      ['sent', 'delivered', 'read'],
    );
    assert.ok(
      statuses.every((one) => one.id === body.messages[0].id && one.biz_opaque_callback_data === 'SM1'),
    );
    const price = { billable: true, pricing_model: 'PMP', type: 'regular', category: 'utility' };
    assert.deepEqual(
      statuses.map((one) => one.pricing),
      [price, price, undefined],
    );
  });

  for (const [name, message] of Object.entries(sampleMessages)) {
    test(`of each kind is accepted in an open window: ${name}`, async (context) => {
      const kit = await startKit(context);
      await kit.openWindow('919800000001');
      if (name === 'flow') {
        const { body } = await kit.call('POST', '/v25.0/104000200030001/flows', {
          name: 'booking',
          categories: ['OTHER'],
          flow_json: '{}',
          publish: true,
        });
        message.interactive.action.parameters.flow_id = body.id;
      }
      const { status, body } = await kit.send(message, '+919800000001');
      assert.equal(status, 200, JSON.stringify(body));
      const seen = (await kit.statuses()).map((one) => one.status);
      const expected =
        name === 'reaction'
          ? ['sent']
          : name === 'voice'
            ? ['sent', 'delivered', 'read', 'played']
            : ['sent', 'delivered', 'read'];
      assert.deepEqual(seen, expected);
    });
  }

  test('outside the window is accepted and fails with 131047, without contacts and price', async (context) => {
    const kit = await startKit(context);
    assert.equal((await kit.send(text())).status, 200);
    const [value] = await kit.values();
    const [failed] = value.statuses;
    assert.deepEqual(
      [failed.status, failed.errors[0].code, failed.pricing, value.contacts],
      ['failed', 131047, undefined, undefined],
    );
  });

  test('may be sent freely for 24 hours after the customer wrote, and not a second longer', async (context) => {
    const clock = stillClock('2026-08-21T10:00:00.000Z');
    const kit = await startKit(context, { clock });
    await kit.openWindow();
    clock.set('2026-08-22T09:59:59.000Z');
    await kit.send(text());
    clock.set('2026-08-22T10:00:00.000Z');
    await kit.send(text());
    const ends = (await kit.statuses()).map((one) => one.errors?.[0].code ?? one.status);
    assert.deepEqual(ends, ['sent', 'delivered', 'read', 131047]);
  });

  test('marked as read, with a typing bubble, is answered with success alone', async (context) => {
    const kit = await startKit(context);
    const mark = {
      messaging_product: 'whatsapp',
      status: 'read',
      message_id: 'wamid.IN1',
      typing_indicator: { type: 'text' },
    };
    const { status, body } = await kit.call('POST', `/v25.0/${numberId}/messages`, mark);
    assert.deepEqual([status, body], [200, { success: true }]);
    assert.deepEqual(await kit.statuses(), []);
  });

  test('to a user id is answered and told of by that id', async (context) => {
    const kit = await startKit(context);
    await kit.call('GET', `/v25.0/${numberId}`);
    kit.simulator.control.describe(customer, { hidesNumber: true, username: 'ines.m' });
    const recipient = 'FR.001000033612003400';
    const body = { messaging_product: 'whatsapp', recipient, ...hello };
    const answer = await kit.call('POST', `/v25.0/${numberId}/messages`, body);
    assert.deepEqual(answer.body.contacts, [{ input: recipient, user_id: recipient }]);
    const [sent] = await kit.statuses();
    assert.deepEqual([sent.recipient_id, sent.recipient_user_id], [undefined, recipient]);
    const code = {
      type: 'template',
      template: {
        name: 'login_code',
        language: { code: 'en' },
        components: sampleMessages.code!.template.components,
      },
    };
    assert.equal(
      (await kit.call('POST', `/v25.0/${numberId}/messages`, { ...body, ...code })).body.error.code,
      131062,
    );
  });
});

suite('a callback', () => {
  test('is signed over its bytes, in ASCII, with slashes escaped', async (context) => {
    const kit = await startKit(context);
    await kit.send({ ...hello, biz_opaque_callback_data: 'é/👍' });
    await kit.control.settle();
    const [first] = kit.receiver.received;
    assert.equal(first!.headers['x-hub-signature-256'], signatureOf(first!.text));
    assert.ok(first!.text.includes('"\\u00e9\\/\\ud83d\\udc4d"'), first!.text);
    assert.notEqual(JSON.stringify(first!.body), first!.text);
  });

  test('that is refused is sent again, at once and then later', async (context) => {
    const kit = await startKit(context);
    kit.receiver.state.refusals = 2;
    await kit.send({ ...hello, biz_opaque_callback_data: 'SM1' }, '+4915192000001');
    assert.deepEqual(await kit.statuses(), []);
    await kit.control.advance(4_999);
    assert.deepEqual(await kit.statuses(), []);
    await kit.control.advance(1);
    assert.deepEqual(
      (await kit.statuses()).map((one) => one.status),
      ['sent'],
    );
    assert.deepEqual(
      kit.control.callbacks().data.map(({ attempt, status }) => [attempt, status]),
      [
        [1, 503],
        [2, 503],
        [3, 200],
      ],
    );
  });

  test('waits for the clock that was handed in', async (context) => {
    const kit = await startKit(context, { instant: false });
    await kit.send(hello);
    assert.deepEqual(await kit.statuses(), []);
    await kit.control.advance(100);
    assert.deepEqual(
      (await kit.statuses()).map((one) => one.status),
      ['sent'],
    );
    await kit.control.advance(10_000);
    assert.deepEqual(
      (await kit.statuses()).map((one) => [one.status, one.timestamp]),
      [
        ['sent', '1787306400'],
        ['delivered', '1787306400'],
        ['read', '1787306402'],
      ],
    );
  });

  test('carries several updates when they pile up', async (context) => {
    const kit = await startKit(context, {
      settings: { callbackBatch: 50, callbackConcurrency: 1, throughputLimit: false, pairLimit: false },
    });
    await Promise.all(Array.from({ length: 40 }, () => kit.send(hello)));
    assert.equal((await kit.statuses()).length, 120);
    assert.ok(kit.receiver.received.length < 60, `${kit.receiver.received.length} bodies`);
  });

  test('goes nowhere while the account is not subscribed', async (context) => {
    const kit = await startKit(context);
    await kit.call('DELETE', '/v25.0/104000200030001/subscribed_apps');
    await kit.send(hello);
    assert.deepEqual(await kit.statuses(), []);
    await kit.call('POST', '/v25.0/104000200030001/subscribed_apps');
    await kit.send(hello);
    assert.equal((await kit.statuses()).length, 3);
  });
});

suite('the same seed and the same calls', () => {
  const run = async (context: Parameters<typeof startKit>[0], seed: string) => {
    const kit = await startKit(context, { seed });
    await kit.openWindow();
    const answers = [
      await kit.send(hello),
      await kit.send(text('é')),
      await kit.send(text(), '+4915192000006'),
    ];
    await kit.control.settle();
    return {
      answers: answers.map((one) => one.text),
      callbacks: kit.receiver.received.map((one) => one.text),
    };
  };
  test('give the same ids and the same callbacks, byte by byte', async (context) => {
    assert.deepEqual(await run(context, 'a'), await run(context, 'a'));
  });
  test('and another seed gives others', async (context) => {
    assert.notDeepEqual((await run(context, 'a')).answers, (await run(context, 'b')).answers);
  });
});
