import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { inboundTypes } from '../src/index.ts';
import { defaultSettings } from '../src/settings.ts';
import {
  businessNumber,
  customer,
  hello,
  type Kit,
  numberId,
  sampleMessages,
  startKit,
  token,
  wabaId,
} from './harness.ts';

const opaque = (reference: string) => ({ ...hello, biz_opaque_callback_data: reference });
const magic = (number: number) => `+4915192${String(number).padStart(6, '0')}`;
const told = async (kit: Kit) => (await kit.statuses()).map(({ status }) => status);

suite('a magic recipient', () => {
  for (const [number, statuses] of [
    [1, ['sent']],
    [2, ['sent', 'delivered']],
    [3, ['sent', 'read']],
    [4, []],
    [5, ['sent', 'sent', 'delivered', 'delivered', 'read', 'read']],
    [6, ['read', 'delivered', 'sent']],
    [7, ['sent', 'delivered', 'read']],
    [8, ['sent', 'failed']],
    [9, ['delivered', 'read']],
    [10, ['sent', 'delivered', 'read']],
    [11, ['failed']],
  ] as const) {
    test(`${number} is told of as ${statuses.join(', ') || 'nothing'}`, async (context) => {
      const kit = await startKit(context);
      const { body } = await kit.send(hello, magic(number));
      assert.deepEqual(await told(kit), statuses);
      const held = number === 10 || number === 11 ? 'held_for_quality_assessment' : 'accepted';
      assert.equal(body.messages[0].message_status, held);
    });
  }

  for (const [number, accepted] of [
    [20, 1],
    [22, 0],
  ] as const) {
    test(`${number} loses the answer; accepted: ${accepted}`, async (context) => {
      const kit = await startKit(context);
      await assert.rejects(kit.send(opaque('SM1'), magic(number)));
      assert.equal(kit.control.messagesWithOpaque('SM1').length, accepted);
      assert.equal((await told(kit)).length, accepted * 3);
    });
  }

  for (const [number, accepted] of [
    [21, 1],
    [23, 0],
  ] as const) {
    test(`${number} never answers; accepted: ${accepted}`, async (context) => {
      const kit = await startKit(context);
      const gaveUp = new AbortController();
      const waiting = fetch(`${kit.simulator.url}/v25.0/${numberId}/messages`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ messaging_product: 'whatsapp', to: magic(number), ...opaque('SM1') }),
        signal: gaveUp.signal,
      });
      const ended = assert.rejects(waiting);
      if (accepted)
        while (kit.control.messagesWithOpaque('SM1').length === 0)
          await new Promise((next) => setImmediate(next));
      else await kit.known();
      gaveUp.abort();
      await ended;
      assert.equal(kit.control.messagesWithOpaque('SM1').length, accepted);
    });
  }

  test('24 is answered with garbage, 25 and 26 with 502; only 25 was not accepted', async (context) => {
    const kit = await startKit(context);
    const answer = async (number: number) => {
      const response = await fetch(`${kit.simulator.url}/v25.0/${numberId}/messages`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ messaging_product: 'whatsapp', to: magic(number), ...opaque(`SM${number}`) }),
      });
      return { status: response.status, text: await response.text() };
    };
    const garbage = await answer(24);
    assert.equal(garbage.status, 200);
    assert.throws(() => JSON.parse(garbage.text));
    assert.deepEqual([(await answer(25)).status, (await answer(26)).status], [502, 502]);
    const accepted = [24, 25, 26].map((number) => kit.control.messagesWithOpaque(`SM${number}`).length);
    assert.deepEqual(accepted, [1, 0, 1]);
  });

  test('27 is refused three times with 429, 28 twice with 500, then accepted', async (context) => {
    const kit = await startKit(context);
    const tries = async (number: number, count: number) => {
      const seen: number[] = [];
      for (let i = 0; i < count; i += 1) seen.push((await kit.send(hello, magic(number))).status);
      return seen;
    };
    assert.deepEqual(await tries(27, 4), [429, 429, 429, 200]);
    assert.deepEqual(await tries(28, 3), [500, 500, 200]);
  });
});

suite('a rule', () => {
  const rule = (kit: Kit, body: object) => kit.call('POST', '/_control/rules', body);
  test('strikes as often as it says, and only what it matches', async (context) => {
    const kit = await startKit(context);
    await rule(kit, { match: { opaque: 'SM2' }, behaviour: { refuse: { code: 131016 } }, count: 2 });
    const codes = [];
    for (const reference of ['SM1', 'SM2', 'SM2', 'SM2'])
      codes.push((await kit.send(opaque(reference))).status);
    assert.deepEqual(codes, [200, 500, 500, 200]);
    const { body } = await kit.call('GET', '/_control/rules');
    assert.deepEqual([body.data[0].applied, body.data[0].remaining], [2, 0]);
  });
  test('with a probability strikes the same calls for the same seed', async (context) => {
    const run = async () => {
      const kit = await startKit(context, { seed: 'p' });
      await rule(kit, { behaviour: { refuse: { code: 131000 } }, probability: 0.5 });
      const seen: number[] = [];
      for (let i = 0; i < 20; i += 1) seen.push((await kit.send(hello)).status);
      return seen;
    };
    const first = await run();
    assert.deepEqual(await run(), first);
    assert.equal(new Set(first).size, 2);
  });
  test('holds for other calls too', async (context) => {
    const kit = await startKit(context);
    await rule(kit, {
      match: { path: 'message_templates' },
      behaviour: { refuse: { code: 80008 } },
      count: 1,
    });
    assert.equal((await kit.call('GET', `/v25.0/${wabaId}/message_templates`)).body.error.code, 80008);
    assert.equal((await kit.call('GET', `/v25.0/${wabaId}/message_templates`)).status, 200);
  });
  for (const [what, body] of [
    ['no behaviour', {}],
    ['an unknown behaviour', { behaviour: { explode: true } }],
    ['an unknown answer', { behaviour: { answer: 'loud' } }],
    ['an unknown match', { match: { colour: 'red' }, behaviour: {} }],
    ['a wrong count', { behaviour: {}, count: 0 }],
    ['a wrong probability', { behaviour: {}, probability: 2 }],
  ] as const) {
    test(`with ${what} is refused in words`, async (context) => {
      const kit = await startKit(context);
      const { status, body: answer } = await rule(kit, body);
      assert.equal(status, 400);
      assert.match(answer.error.message, /"/);
    });
  }
});

suite('callbacks go wrong as often as told', () => {
  const counted = async (context: Parameters<typeof startKit>[0], settings: object) => {
    const kit = await startKit(context, { settings: { ...settings, pairLimit: false } });
    for (let i = 0; i < 20; i += 1) await kit.send(hello);
    return told(kit);
  };
  const inOrder = Array(20).fill(['sent', 'delivered', 'read']).flat();
  test('lost', async (context) => {
    assert.deepEqual(await counted(context, { loseCallbacks: 1 }), []);
    const some = (await counted(context, { loseCallbacks: 0.5 })).length;
    assert.ok(some > 10 && some < 50, String(some));
  });
  test('duplicated', async (context) => {
    assert.equal((await counted(context, { duplicateCallbacks: 1 })).length, 120);
  });
  test('reordered', async (context) => {
    const seen = await counted(context, { reorderCallbacks: 0.5 });
    assert.equal(seen.length, 60);
    assert.notDeepEqual(seen, inOrder);
  });
  test('whatever they tell: what customers write and what happens to templates too', async (context) => {
    const kit = await startKit(context, { settings: { duplicateCallbacks: 1 } });
    await kit.known();
    await kit.control.inbound({ from: customer, to: numberId, text: 'Hello' });
    kit.control.templateStatus(kit.control.templates(wabaId)[0]!.id, 'PAUSED');
    const values = await kit.values();
    assert.deepEqual(
      values.map((value) => value.messages?.[0].type ?? value.event),
      ['text', 'text', 'PAUSED', 'PAUSED'],
    );
  });
  test('by themselves a few are duplicated and reordered, the same ones for the same seed, and none is lost', async (context) => {
    const run = async (seed: string) => {
      const { duplicateCallbacks, reorderCallbacks } = defaultSettings;
      const settings = { duplicateCallbacks, reorderCallbacks, pairLimit: false, throughputLimit: false };
      const kit = await startKit(context, { seed, settings });
      for (let i = 0; i < 100; i += 1) await kit.send(hello);
      const seen = (await kit.statuses()).map(({ id, status }) => `${id} ${status}`);
      return { seen, distinct: new Set(seen).size };
    };
    const first = await run('seed');
    assert.equal(first.distinct, 300);
    assert.ok(first.seen.length > 300 && first.seen.length < 330, String(first.seen.length));
    assert.deepEqual(await run('seed'), first);
  });
  test('and how often they do changes no id', async (context) => {
    const ids = async (settings: object) => {
      const kit = await startKit(context, { settings: { ...settings, pairLimit: false } });
      const answers: string[] = [];
      for (let i = 0; i < 5; i += 1) answers.push((await kit.send(hello)).body.messages[0].id);
      return answers;
    };
    assert.deepEqual(await ids({ duplicateCallbacks: 0.5, reorderCallbacks: 0.5 }), await ids({}));
  });
});

suite('the record', () => {
  test('shows how often a reference was handed over', async (context) => {
    const kit = await startKit(context);
    for (const reference of ['SM1', 'SM2', 'SM1']) await kit.send(opaque(reference));
    const { body } = await kit.call('GET', '/_control/messages?opaque=SM1');
    assert.equal(body.count, 2);
    assert.equal(kit.control.counts().repeatedOpaque, 1);
  });
  test('is read page by page, and forgets the oldest but not their number', async (context) => {
    const kit = await startKit(context, { recordLimit: 5 });
    for (let i = 1; i <= 8; i += 1) await kit.send(opaque(`SM${i}`));
    const first = (await kit.call('GET', '/_control/messages?limit=3')).body;
    const second = (await kit.call('GET', `/_control/messages?limit=3&after=${first.after}`)).body;
    const references = [...first.data, ...second.data].map((one: { opaque: string }) => one.opaque);
    assert.deepEqual(references, ['SM4', 'SM5', 'SM6', 'SM7', 'SM8']);
    assert.deepEqual(
      [first.total, kit.control.counts().kept, kit.control.messagesWithOpaque('SM1').length],
      [8, 5, 0],
    );
  });
  test('is empty after a reset; accounts stay unless everything goes', async (context) => {
    const kit = await startKit(context);
    await kit.send(hello);
    await kit.call('POST', '/_control/reset', {});
    assert.deepEqual([kit.control.counts().accepted, kit.control.wabas().length], [0, 1]);
    await kit.call('POST', '/_control/reset', { everything: true });
    assert.equal(kit.control.wabas().length, 0);
    assert.equal((await kit.send(hello)).status, 200);
  });
});

suite('a customer', () => {
  for (const type of inboundTypes) {
    test(`sends ${type}`, async (context) => {
      const kit = await startKit(context);
      await kit.known();
      const { body } = await kit.call('POST', '/_control/inbound', {
        from: customer,
        to: numberId,
        type,
        context: { id: 'wamid.OUT' },
      });
      const [value] = await kit.values();
      const [message] = value.messages;
      assert.deepEqual(
        [message.id, message.type, message.from, message.context.id],
        [body.id, type, customer, 'wamid.OUT'],
      );
      assert.ok(message[type]);
      assert.equal(value.contacts === undefined, type === 'system');
      if (message[type].sha256)
        assert.equal((await kit.call('GET', `/v25.0/${message[type].id}`)).status, 200);
    });
  }
  test('who presses a button answers the newest message that offers it, and always some message', async (context) => {
    const kit = await startKit(context);
    await kit.openWindow();
    const pressed = async (type: string, content: Record<string, unknown>) => {
      await kit.control.inbound({ from: customer, to: numberId, type, content });
      return (await kit.values()).findLast(({ messages }) => messages).messages[0].context;
    };
    const { id: nobodys, from } = await pressed('interactive', {
      type: 'list_reply',
      list_reply: { id: 'm9', title: '09:00' },
    });
    assert.match(nobodys, /^wamid\./);
    assert.equal(from, businessNumber);
    const { list, button, quick_replies: template } = sampleMessages;
    const ids: string[] = [];
    for (const message of [list, button, template, hello]) {
      const { body } = await kit.send(message);
      ids.push(body.messages[0].id);
    }
    const chosen = [
      await pressed('interactive', { type: 'list_reply', list_reply: { id: 'm9', title: '09:00' } }),
      await pressed('interactive', { type: 'button_reply', button_reply: { id: 'pm', title: 'Afternoon' } }),
      await pressed('button', { payload: 'later', text: 'Later' }),
      await pressed('button', { payload: 'unheard of', text: 'x' }),
    ];
    assert.deepEqual(
      chosen.map(({ id }) => id),
      ids,
    );
  });
  test('with a username shows no number', async (context) => {
    const kit = await startKit(context);
    await kit.known();
    await kit.control.inbound({
      from: customer,
      to: numberId,
      text: 'STOP',
      username: 'ines.m',
      hidesNumber: true,
    });
    const [value] = await kit.values();
    assert.equal(value.messages[0].from, undefined);
    assert.match(value.messages[0].from_user_id, /^FR\.\d+$/);
    assert.deepEqual([value.contacts[0].wa_id, value.contacts[0].profile.username], [undefined, 'ines.m']);
  });
  test('changes the user id, and is found under the new one', async (context) => {
    const kit = await startKit(context);
    await kit.openWindow();
    await kit.call('POST', '/_control/user-ids', { from: customer, to: numberId, userId: 'FR.99' });
    const [value] = await kit.values();
    assert.equal(value.user_id_update[0].user_id.current, 'FR.99');
    const body = { messaging_product: 'whatsapp', recipient: 'FR.99', type: 'text', text: { body: 'Hello' } };
    await kit.call('POST', `/v25.0/${numberId}/messages`, body);
    assert.deepEqual((await told(kit)).at(-1), 'read');
  });
  for (const [what, input, words] of [
    ['of an unknown type', { from: customer, to: numberId, type: 'poll' }, /no inbound type/],
    ['to an unknown number', { from: customer, to: '999' }, /No phone number/],
    ['from nobody', { to: numberId }, /"from"/],
  ] as const) {
    test(`${what} is refused in words`, async (context) => {
      const kit = await startKit(context);
      await kit.known();
      const { status, body } = await kit.call('POST', '/_control/inbound', input);
      assert.equal(status, 400);
      assert.match(body.error.message, words);
    });
  }
});

test('any other field is told as it is given', async (context) => {
  const kit = await startKit(context);
  await kit.known();
  const value = {
    event: 'DISABLED_UPDATE',
    ban_info: { waba_ban_state: 'DISABLE', waba_ban_date: 'June 1, 2026' },
  };
  await kit.call('POST', '/_control/callbacks', { wabaId, field: 'account_update', value });
  await kit.control.settle();
  const [entry] = kit.receiver.received[0]!.body.entry;
  assert.deepEqual([entry.id, entry.changes], [wabaId, [{ field: 'account_update', value }]]);
  assert.equal(typeof entry.time, 'number');
});

test('the page for people lists recipients and controls', async (context) => {
  const kit = await startKit(context);
  const { status, text } = await kit.call('GET', '/');
  assert.equal(status, 200);
  for (const part of ['+4915192000020', '131026', '/_control/inbound']) assert.ok(text.includes(part), part);
});
