// What happens to templates and their messages by itself: a sample first, a time to live, an announced category, a deletion
// that waits.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type Kit, numberId, sampleMessages, startKit, wabaId } from './harness.ts';

const dayMs = 86_400_000;
const manual = { throughputLimit: false, pairLimit: false, marketingCap: 0 };

const create = (kit: Kit, name: string, more: object = {}) =>
  kit.call('POST', `/v25.0/${wabaId}/message_templates`, {
    name,
    language: 'en',
    category: 'UTILITY',
    components: [{ type: 'BODY', text: 'We are open.' }],
    ...more,
  });
const approved = async (kit: Kit, name: string, more: object = {}): Promise<string> => {
  const { body } = await create(kit, name, more);
  await kit.control.settle();
  return body.id;
};
const send = async (kit: Kit, name: string, to?: string) => {
  const { body } = await kit.send({ type: 'template', template: { name, language: { code: 'en' } } }, to);
  return body.error?.code ?? body.messages[0].message_status;
};
const ends = async (kit: Kit) => (await kit.statuses()).map((one) => one.errors?.[0].code ?? one.status);
const held = 'held_for_quality_assessment';

suite('a new template is tried on a sample', () => {
  const start = async (context: Parameters<typeof startKit>[0]) => {
    const kit = await startKit(context, { settings: { ...manual, pacingSample: 2, pacingMs: 60_000 } });
    return { kit, id: await approved(kit, 'hours') };
  };
  test('the rest is held, then sent when nobody complained', async (context) => {
    const { kit } = await start(context);
    const answers = [await send(kit, 'hours'), await send(kit, 'hours'), await send(kit, 'hours')];
    assert.deepEqual(answers, ['accepted', 'accepted', held]);
    assert.equal((await ends(kit)).length, 6);
    await kit.control.advance(60_000);
    assert.equal((await ends(kit)).length, 9);
    assert.equal(await send(kit, 'hours'), 'accepted', 'from then on it is trusted');
  });
  test('the rest is dropped with 132015 when they did, and the sample begins anew after the pause', async (context) => {
    const { kit, id } = await start(context);
    for (let i = 0; i < 3; i += 1) await send(kit, 'hours');
    await kit.call('POST', `/_control/templates/${id}/quality`, { quality: 'RED' });
    await kit.control.advance(60_000);
    assert.equal((await ends(kit)).at(-1), 132015);
    await kit.control.advance(3 * 3_600_000);
    const answers = [await send(kit, 'hours'), await send(kit, 'hours'), await send(kit, 'hours')];
    assert.deepEqual(answers, ['accepted', 'accepted', held]);
  });
  test('a code is never held, and neither is a template that was there from the beginning', async (context) => {
    const { kit } = await start(context);
    await approved(kit, 'second_code', {
      category: 'AUTHENTICATION',
      components: [
        { type: 'BODY', add_security_recommendation: true },
        { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE', text: 'Copy' }] },
      ],
    });
    const { components } = sampleMessages.code!.template;
    const template = { name: 'second_code', language: { code: 'en' }, components };
    for (let i = 0; i < 4; i += 1) {
      const { body } = await kit.send({ type: 'template', template });
      assert.equal(body.messages[0].message_status, 'accepted');
      assert.equal(await send(kit, 'hello_world'), 'accepted');
    }
  });
  test('of a thousand unless told otherwise', async (context) => {
    const kit = await startKit(context);
    const id = await approved(kit, 'hours');
    assert.equal(kit.control.templates().find((one) => one.id === id)!.sampleLeft, 1_000);
    kit.control.change('templates', id, { sampleLeft: 0 });
    assert.equal(await send(kit, 'hours'), held);
  });
});

suite('a message that cannot be delivered in time is dropped without a word', () => {
  const offline = '+4915192000012';
  test('a code after ten minutes, anything else arrives when the phone is back', async (context) => {
    const kit = await startKit(context, { instant: false, settings: manual });
    await kit.send(sampleMessages.code!, offline);
    await send(kit, 'hello_world', offline);
    await kit.control.advance(3_599_000);
    assert.deepEqual(await ends(kit), ['sent', 'sent']);
    await kit.control.advance(10_000);
    assert.deepEqual(await ends(kit), ['sent', 'sent', 'delivered', 'read']);
    const [code, hello] = kit.control.messages().data;
    assert.equal(code!.droppedMs, code!.atMs + 600_000);
    assert.equal(hello!.droppedMs, null);
  });
  test("by the template's own time to live, if it has one", async (context) => {
    const kit = await startKit(context);
    await approved(kit, 'short_lived', { message_send_ttl_seconds: 60 });
    await approved(kit, 'long_lived', { message_send_ttl_seconds: 43_200 });
    kit.receiver.received.length = 0;
    await send(kit, 'short_lived', offline);
    assert.deepEqual(await ends(kit), ['sent']);
    await send(kit, 'long_lived', offline);
    assert.deepEqual(await ends(kit), ['sent', 'sent', 'delivered', 'read']);
  });
  test("a marketing template's only on the Marketing Messages API", async (context) => {
    const kit = await startKit(context, { settings: manual });
    await kit.call('POST', '/_control/rules', {
      match: { path: 'messages' },
      behaviour: { offlineMs: 2 * dayMs },
    });
    await kit.call('POST', '/_control/rules', {
      match: { path: 'marketing_messages' },
      behaviour: { offlineMs: 2 * dayMs },
    });
    await approved(kit, 'sale', { category: 'MARKETING', message_send_ttl_seconds: 86_400 });
    kit.receiver.received.length = 0;
    await send(kit, 'sale');
    assert.deepEqual(await ends(kit), ['sent', 'delivered', 'read']);
    await kit.call('POST', `/v25.0/${numberId}/marketing_messages`, {
      messaging_product: 'whatsapp',
      to: '+33612003400',
      type: 'template',
      template: { name: 'sale', language: { code: 'en' } },
    });
    assert.deepEqual(await ends(kit), ['sent', 'delivered', 'read', 'sent']);
  });
});

suite('a category', () => {
  const about = async (kit: Kit, id: string) =>
    (await kit.call('GET', `/v25.0/${id}?fields=category,correct_category,previous_category`)).body;
  test('that will change is announced a day ahead', async (context) => {
    const kit = await startKit(context);
    const id = await approved(kit, 'hours');
    kit.receiver.received.length = 0;
    const change = { category: 'MARKETING', announced: true };
    await kit.call('POST', `/_control/templates/${id}/category`, change);
    const [announced] = await kit.values();
    assert.deepEqual(
      [announced.new_category, announced.correct_category, announced.previous_category],
      ['UTILITY', 'MARKETING', undefined],
    );
    assert.equal(announced.category_update_timestamp, (kit.control.now().getTime() + dayMs) / 1000);
    assert.deepEqual(await about(kit, id), { id, category: 'UTILITY', correct_category: 'MARKETING' });
    await kit.control.advance(dayMs);
    const done = (await kit.values()).at(-1);
    assert.deepEqual([done.previous_category, done.new_category], ['UTILITY', 'MARKETING']);
    assert.deepEqual(await about(kit, id), { id, category: 'MARKETING', previous_category: 'UTILITY' });
  });
  test('of a template named for it is announced by itself', async (context) => {
    const kit = await startKit(context);
    await approved(kit, 'becomes_marketing');
    assert.equal((await kit.values()).at(-1).correct_category, 'MARKETING');
  });
  test('nobody knows is refused in words', async (context) => {
    const kit = await startKit(context);
    const id = await approved(kit, 'hours');
    const { status } = await kit.call('POST', `/_control/templates/${id}/category`, { category: 'FUN' });
    assert.equal(status, 400);
  });
});

suite('a deleted template', () => {
  const remove = (kit: Kit) => kit.call('DELETE', `/v25.0/${wabaId}/message_templates?name=hours`);
  const events = async (kit: Kit) => (await kit.values()).map(({ event }) => event).filter(Boolean);
  test('stays while its messages are under way, cannot be sent, and goes with the last of them', async (context) => {
    const kit = await startKit(context, { instant: false, settings: manual });
    await create(kit, 'hours');
    await kit.control.advance(3_000);
    await send(kit, 'hours');
    await send(kit, 'hours', '+4915190131026');
    assert.equal((await remove(kit)).status, 200);
    assert.deepEqual(await events(kit), ['APPROVED', 'PENDING_DELETION']);
    assert.equal((await remove(kit)).status, 200);
    assert.equal(await send(kit, 'hours'), 132001);
    assert.equal((await create(kit, 'hours')).body.error.error_subcode, 2388023);
    await kit.control.advance(10_000);
    assert.deepEqual(await events(kit), ['APPROVED', 'PENDING_DELETION', 'DELETED']);
    assert.deepEqual((await ends(kit)).toSorted(), [131026, 'delivered', 'read', 'sent']);
  });
  test('whose message never arrives goes after thirty days', async (context) => {
    const kit = await startKit(context);
    await approved(kit, 'hours');
    await send(kit, 'hours', '+4915192000001');
    await kit.control.settle();
    await remove(kit);
    await kit.control.advance(30 * dayMs - 1);
    assert.equal((await events(kit)).at(-1), 'PENDING_DELETION');
    await kit.control.advance(1);
    assert.equal((await events(kit)).at(-1), 'DELETED');
  });
  test('goes at once when nothing is under way', async (context) => {
    const kit = await startKit(context);
    await approved(kit, 'hours');
    await send(kit, 'hours');
    await kit.control.settle();
    await remove(kit);
    assert.deepEqual((await events(kit)).slice(-1), ['DELETED']);
    assert.ok(!(await events(kit)).includes('PENDING_DELETION'));
  });
});
