import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Wire } from '../src/http/shape.ts';
import { businessNumber, customer, type Kit, numberId, sampleMessages, startKit } from './harness.ts';

const other = '33612003499';
const numbers = [numberId];

/** A phone in an open window, and short ways to look at it and press. */
async function phoneOf(kit: Kit, from = customer) {
  await kit.openWindow(from);
  const tell = async (path: string, body: object) =>
    (await kit.call('POST', `/_control/phones/${path}`, body)).body;
  const read = (more: object = {}): Promise<Wire> => tell('read', { from, numbers, ...more });
  const sent = async (message: Wire) => {
    const { body, text } = await kit.send(message, from);
    assert.ok(body.messages, text);
    await kit.control.settle();
    return (await read()).messages.find(({ id }: Wire) => id === body.messages[0].id);
  };
  const press = (messageId: string, button: string, more: object = {}) =>
    tell('press', { from, numbers, messageId, button, ...more });
  return { read, sent, press, list: (more: object = {}) => tell('list', { numbers, ...more }) };
}

const reminder = {
  type: 'template',
  template: {
    name: 'appointment_reminder',
    language: { code: 'en' },
    components: [
      { type: 'body', parameters: ['Ines', '3 May'].map((text) => ({ type: 'text', text })) },
      {
        type: 'button',
        sub_type: 'quick_reply',
        index: '1',
        parameters: [{ type: 'payload', payload: 'MOVE' }],
      },
    ],
  },
};

suite('a phone', () => {
  test('shows a template in its words, and how far it has come', async (context) => {
    const phone = await phoneOf(await startKit(context));
    const shown = await phone.sent({ ...reminder, biz_opaque_callback_data: 'SM1' });
    assert.equal(shown.body, 'Hello Ines, we expect you on 3 May. Does that still suit you?');
    assert.deepEqual([shown.state, shown.opaque, shown.writtenBy], ['READ', 'SM1', 'BUSINESS']);
    assert.ok(shown.buttons.length > 1 && shown.buttons.every(({ kind }: Wire) => kind === 'REPLY'));
  });

  test('fills in values by their names, and shows header and footer', async (context) => {
    const phone = await phoneOf(await startKit(context));
    const parameters = [
      { type: 'text', parameter_name: 'order', text: '77' },
      { type: 'text', parameter_name: 'first_name', text: '$& Ines {{order}}' },
    ];
    const template = {
      name: 'order_update',
      language: { code: 'fr' },
      components: [{ type: 'body', parameters }],
    };
    const shown = await phone.sent({ type: 'template', template });
    assert.equal(shown.body, 'Bonjour $& Ines {{order}}, votre commande 77 est en route.');
    assert.equal(shown.footer, 'Merci de votre commande');
    const hello = { name: 'hello_world', language: { code: 'en' } };
    assert.equal((await phone.sent({ type: 'template', template: hello })).header, 'Hello world');
  });

  test('shows every kind of message', async (context) => {
    const phone = await phoneOf(await startKit(context));
    for (const [name, message] of Object.entries(sampleMessages)) {
      if (name === 'flow') continue; // needs a flow that is there
      const shown = await phone.sent(message);
      assert.equal(shown.type, (message as Wire).type ?? 'text', name);
      for (const text of [shown.header, shown.body, shown.footer])
        assert.ok(text === null || typeof text === 'string', name);
    }
  });

  test('answers by the payload of the button that is pressed, once, and in the context of its message', async (context) => {
    const kit = await startKit(context);
    const phone = await phoneOf(kit);
    const shown = await phone.sent(reminder);
    kit.receiver.received.length = 0;
    for (let i = 0; i < 2; i += 1)
      assert.equal((await phone.press(shown.id, '1', { id: 'wamid.P' })).pressed.id, 'wamid.P');
    const [message] = (await kit.values()).flatMap((value) => value.messages ?? []);
    assert.deepEqual(
      [message.type, message.button.payload, message.context.id],
      ['button', 'MOVE', shown.id],
    );
    const written = (await phone.read()).messages.filter(({ writtenBy }: Wire) => writtenBy === 'CUSTOMER');
    assert.deepEqual(
      written.filter(({ id }: Wire) => id === 'wamid.P').map(({ body, answers }: Wire) => [body, answers]),
      [[shown.buttons[1].title, shown.id]],
    );
  });

  test('answers by rows of lists and by buttons, and not by links', async (context) => {
    const kit = await startKit(context);
    const phone = await phoneOf(kit);
    const row = { id: 'am', title: 'Morning', description: 'Before noon' };
    const list = {
      type: 'list',
      body: { text: 'When?' },
      action: { button: 'Choose', sections: [{ rows: [row] }] },
    };
    const buttons = [{ type: 'reply', reply: { id: 'yes', title: 'Yes' } }];
    const asked = { type: 'button', body: { text: 'Well?' }, action: { buttons } };
    const link = { display_text: 'Open', url: 'https://shop.example' };
    const leads = { type: 'cta_url', body: { text: 'See' }, action: { name: 'cta_url', parameters: link } };
    const replies: Wire[] = [];
    for (const interactive of [list, asked]) {
      const shown = await phone.sent({ type: 'interactive', interactive });
      kit.receiver.received.length = 0;
      assert.ok((await phone.press(shown.id, '0')).pressed);
      replies.push(...(await kit.values()).flatMap((value) => value.messages ?? []));
    }
    assert.deepEqual(
      replies.map(({ interactive }) => interactive),
      [
        { type: 'list_reply', list_reply: row },
        { type: 'button_reply', button_reply: { id: 'yes', title: 'Yes' } },
      ],
    );
    const shown = await phone.sent({ type: 'interactive', interactive: leads });
    assert.deepEqual(shown.buttons, [{ id: '0', kind: 'LINK', title: 'Open' }]);
    assert.deepEqual(await phone.press(shown.id, '0'), { refused: 'answer' });
    assert.deepEqual(await phone.press(shown.id, '7'), { refused: 'button' });
  });

  test('shows nothing to whoever names other numbers, and is pressed by nobody else', async (context) => {
    const kit = await startKit(context);
    const phone = await phoneOf(kit);
    const { id } = await phone.sent(reminder);
    const foreign = { numbers: ['106000300040999'] };
    assert.deepEqual((await phone.read(foreign)).messages, []);
    assert.deepEqual((await phone.list(foreign)).data, []);
    assert.deepEqual(await phone.press(id, '0', foreign), { refused: 'message' });
    assert.deepEqual(await phone.press(id, '0', { from: other }), { refused: 'message' });
    assert.deepEqual((await phone.read({ from: other })).messages, []);
  });

  test('shows the newest first, also of what happened at one instant', async (context) => {
    const kit = await startKit(context);
    const phone = await phoneOf(kit);
    for (const body of ['one', 'three']) {
      await phone.sent({ type: 'text', text: { body } });
      await kit.control.inbound({ from: customer, to: businessNumber, text: `after ${body}` });
    }
    const bodies = (await phone.read()).messages.map(({ body }: Wire) => body);
    assert.deepEqual(bodies, ['after three', 'three', 'after one', 'one', 'Hello']);
    assert.deepEqual((await phone.read({ limit: 1 })).messages.length, 1);
  });

  test('is listed page by page, the newest talk first', async (context) => {
    const kit = await startKit(context);
    const phone = await phoneOf(kit);
    for (let i = 0; i < 4; i += 1) await kit.control.inbound({ from: `3361200340${i}`, to: businessNumber });
    const seen: string[] = [];
    for (let after: Wire; ; ) {
      const { data } = await phone.list({ limit: 3, ...(after && { after }) });
      if (data.length === 0) break;
      seen.push(...data.map(({ waId }: Wire) => waId));
      after = data.at(-1);
    }
    assert.deepEqual([seen.length, new Set(seen).size], [4, 4]);
  });

  test('tells which numbers may not advertise to it', async (context) => {
    const kit = await startKit(context);
    const phone = await phoneOf(kit);
    for (const [value, stopped] of [
      ['stop', [numberId]],
      ['resume', []],
    ] as const) {
      kit.control.marketingPreference({ from: `+${customer}`, to: businessNumber, value });
      assert.deepEqual((await phone.read()).stopped, stopped);
    }
  });

  test('is empty once its owner was forgotten', async (context) => {
    const kit = await startKit(context);
    const phone = await phoneOf(kit);
    await phone.sent(reminder);
    await kit.control.forgetPerson(customer, ['104000200039999']);
    assert.equal((await phone.read()).messages.length, 2, 'another account forgets nothing for this one');
    await kit.control.forgetPerson(customer);
    assert.deepEqual((await phone.read()).messages, []);
    assert.deepEqual((await phone.list()).data, []);
  });

  test('refuses what makes no sense in words', async (context) => {
    const kit = await startKit(context);
    await kit.known();
    for (const body of [{}, { from: customer }, { from: 'x', numbers }, { from: customer, numbers: [1] }]) {
      const { status, body: said } = await kit.call('POST', '/_control/phones/read', body);
      assert.deepEqual([status, typeof said.error.message], [400, 'string']);
    }
  });
});
