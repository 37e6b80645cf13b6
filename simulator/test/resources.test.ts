import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { simulatorAppId } from '../src/index.ts';
import {
  appSecret,
  businessNumber,
  customer,
  hello,
  type Kit,
  numberId,
  sampleMessages,
  startKit,
  stillClock,
  text,
  token,
  verifyToken,
  wabaId,
} from './harness.ts';
import { tinyPng } from './tiny-files.ts';

const dayMs = 86_400_000;
const appToken = { authorization: `Bearer ${simulatorAppId}|${appSecret}` };

function form(fields: Record<string, string>, bytes: Buffer | null, type = 'image/png'): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  if (bytes) data.set('file', new Blob([new Uint8Array(bytes)], { type }), 'file');
  return data;
}
const whatsapp = { messaging_product: 'whatsapp' };
const upload = (
  kit: Kit,
  bytes = tinyPng,
  type = 'image/png',
  fields: Record<string, string> = { ...whatsapp, type },
) => kit.call('POST', `/v25.0/${numberId}/media`, form(fields, bytes, type));

suite('media', () => {
  test('lives 30 days; its download link five minutes', async (context) => {
    const kit = await startKit(context);
    const { body } = await upload(kit);
    const described = await kit.call('GET', `/v25.0/${body.id}`);
    const path = described.body.url.slice(kit.simulator.url.length);
    const downloaded = await fetch(described.body.url, { headers: { authorization: `Bearer ${token}` } });
    assert.deepEqual(Buffer.from(await downloaded.arrayBuffer()), tinyPng);
    assert.equal(downloaded.headers.get('content-type'), 'image/png');
    assert.equal((await fetch(described.body.url)).status, 401);
    assert.equal((await kit.call('GET', path.replace(/hash=.{3}/, 'hash=xxx'))).status, 404);
    await kit.control.advance(5 * 60_000 + 1_000);
    assert.equal((await kit.call('GET', path)).status, 404);
    await kit.control.advance(30 * dayMs);
    assert.equal((await kit.call('GET', `/v25.0/${body.id}`)).body.error.error_subcode, 33);
    await kit.openWindow();
    await kit.send({ type: 'image', image: { id: body.id } });
    assert.equal((await kit.statuses())[0].errors[0].code, 131053);
  });
  test('of an inbound message lives seven days', async (context) => {
    const kit = await startKit(context);
    await kit.known();
    const { mediaId } = await kit.control.inbound({
      from: customer,
      to: numberId,
      type: 'image',
      text: 'Broken',
    });
    await kit.control.advance(7 * dayMs - 1_000);
    assert.equal((await kit.call('GET', `/v25.0/${mediaId}`)).status, 200);
    await kit.control.advance(2_000);
    assert.equal((await kit.call('GET', `/v25.0/${mediaId}`)).status, 400);
  });
  test('is refused when type, size or content is wrong', async (context) => {
    const kit = await startKit(context);
    const code = async (answer: ReturnType<typeof upload>) => (await answer).body.error.code;
    assert.equal(await code(upload(kit, tinyPng, 'image/gif')), 100);
    assert.equal(await code(upload(kit, Buffer.from('no picture'))), 131053);
    assert.equal(await code(upload(kit, Buffer.concat([tinyPng, Buffer.alloc(5 * 1024 * 1024)]))), 131053);
    assert.equal(await code(upload(kit, tinyPng, 'image/png', { type: 'image/png' })), 100);
    assert.equal(await code(kit.call('POST', `/v25.0/${numberId}/media`, form(whatsapp, null))), 100);
  });
  test('belongs to the number it was uploaded on, and suits its own kind of message', async (context) => {
    const kit = await startKit(context);
    await kit.openWindow();
    const { body } = await upload(kit);
    assert.equal((await kit.call('GET', `/v25.0/${body.id}?phone_number_id=1`)).status, 400);
    await kit.send({ type: 'document', document: { id: body.id } });
    assert.equal((await kit.statuses())[0].errors[0].code, 131053);
    assert.equal((await kit.send({ type: 'image', image: { id: '123' } })).body.error.code, 131009);
  });
  test('for a template header is uploaded in pieces and yields a handle', async (context) => {
    const kit = await startKit(context);
    const query = `file_name=a.png&file_length=${tinyPng.length}&file_type=image/png`;
    const { body } = await kit.call('POST', `/v25.0/${simulatorAppId}/uploads?${query}`);
    const piece = (from: number, to: number) =>
      kit.call('POST', `/v25.0/${body.id}`, new Uint8Array(tinyPng.subarray(from, to)), {
        file_offset: String(from),
      });
    await piece(0, 10);
    assert.equal((await kit.call('GET', `/v25.0/${body.id}`)).body.file_offset, 10);
    assert.equal((await piece(0, 10)).status, 400);
    const { body: done } = await piece(10, tinyPng.length);
    assert.match(done.h, /^4::/);
    const template = {
      name: 'with_header',
      language: 'en',
      category: 'MARKETING',
      components: [
        { type: 'HEADER', format: 'IMAGE', example: { header_handle: [done.h] } },
        { type: 'BODY', text: 'Look at this.' },
      ],
    };
    assert.equal((await kit.call('POST', `/v25.0/${wabaId}/message_templates`, template)).status, 200);
    await kit.control.settle();
    const message = { type: 'template', template: { name: 'with_header', language: { code: 'en' } } };
    assert.equal((await kit.send(message)).body.error.code, 132012);
  });
});

const simple = (name: string, more: object = {}) => ({
  name,
  language: 'en',
  category: 'UTILITY',
  components: [{ type: 'BODY', text: 'We are open.' }],
  ...more,
});
const create = (kit: Kit, template: object) =>
  kit.call('POST', `/v25.0/${wabaId}/message_templates`, template);
const sendNamed = (kit: Kit, name: string) =>
  kit.send({ type: 'template', template: { name, language: { code: 'en' } } });

suite('a template', () => {
  test('is reviewed, and told of; until then it cannot be sent', async (context) => {
    const kit = await startKit(context, { instant: false });
    const { body } = await create(kit, simple('hours'));
    assert.equal((await sendNamed(kit, 'hours')).body.error.code, 132001);
    await kit.control.advance(3_000);
    const [update] = await kit.values();
    assert.deepEqual(
      [update.event, String(update.message_template_id), update.reason],
      ['APPROVED', body.id, 'NONE'],
    );
    assert.equal((await sendNamed(kit, 'hours')).status, 200);
  });
  test('with a marker in its content is rejected for that reason', async (context) => {
    const kit = await startKit(context);
    await create(kit, simple('reject_scam'));
    const [update] = await kit.values();
    assert.deepEqual([update.event, update.reason], ['REJECTED', 'SCAM']);
  });
  test('of bad quality is paused for three hours, then six, then disabled', async (context) => {
    const kit = await startKit(context);
    const { body } = await create(kit, simple('hours'));
    await kit.control.settle();
    const turnRed = () => kit.call('POST', `/_control/templates/${body.id}/quality`, { quality: 'RED' });
    for (const hours of [3, 6]) {
      await turnRed();
      assert.equal((await sendNamed(kit, 'hours')).body.error.code, 132015);
      await kit.control.advance(hours * 3_600_000);
      assert.equal((await sendNamed(kit, 'hours')).status, 200);
    }
    await turnRed();
    assert.equal((await sendNamed(kit, 'hours')).body.error.code, 132016);
    assert.equal((await kit.call('DELETE', `/v25.0/${wabaId}/message_templates?name=hours`)).status, 400);
  });
  test('that was approved keeps its name locked for 30 days once deleted', async (context) => {
    const kit = await startKit(context);
    await create(kit, simple('hours'));
    await kit.control.settle();
    assert.equal((await create(kit, simple('hours'))).body.error.error_subcode, 2388024);
    await kit.call('DELETE', `/v25.0/${wabaId}/message_templates?name=hours`);
    assert.equal((await create(kit, simple('hours'))).body.error.error_subcode, 2388023);
    await kit.control.advance(30 * dayMs + 1);
    assert.equal((await create(kit, simple('hours'))).status, 200);
  });
  test('is edited once a day when approved, and goes back to review', async (context) => {
    const kit = await startKit(context);
    const { body } = await create(kit, simple('hours'));
    await kit.control.settle();
    const edit = (change: object) => kit.call('POST', `/v25.0/${body.id}`, change);
    const components = [{ type: 'BODY', text: 'We are closed.' }];
    assert.equal((await edit({ category: 'MARKETING' })).body.error.error_subcode, 2388039);
    assert.deepEqual((await edit({ components })).body, { success: true, id: body.id, category: 'UTILITY' });
    await kit.control.settle();
    assert.equal((await edit({ components })).body.error.error_subcode, 2388039);
  });
  for (const [what, change, subcode] of [
    [
      'a variable at the end',
      { components: [{ type: 'BODY', text: 'Hello dear {{1}}', example: { body_text: [['x']] } }] },
      2388299,
    ],
    ['no example', { components: [{ type: 'BODY', text: 'Hello {{1}} there' }] }, 2388072],
    ['no body', { components: [{ type: 'FOOTER', text: 'x' }] }, 2388072],
    [
      'a long footer',
      {
        components: [
          { type: 'BODY', text: 'Hello' },
          { type: 'FOOTER', text: 'x'.repeat(61) },
        ],
      },
      2388073,
    ],
    ['a long body', { components: [{ type: 'BODY', text: 'x'.repeat(1025) }] }, 2388040],
    [
      'two header variables',
      {
        components: [
          { type: 'HEADER', format: 'TEXT', text: 'a {{1}} {{2}} b' },
          { type: 'BODY', text: 'x' },
        ],
      },
      2388047,
    ],
    [
      'more variables than words',
      { components: [{ type: 'BODY', text: 'a {{1}} {{2}} b', example: { body_text: [['1', '2']] } }] },
      2388293,
    ],
    ['a wrong time to live', { message_send_ttl_seconds: 5 }, 2388077],
  ] as const) {
    test(`with ${what} is refused with ${subcode}`, async (context) => {
      const kit = await startKit(context);
      const { status, body } = await create(kit, simple('wrong', change));
      assert.deepEqual([status, body.error.code, body.error.error_subcode], [400, 100, subcode]);
      assert.equal(typeof body.error.error_user_title, 'string');
    });
  }
  test('is listed page by page, forwards and back', async (context) => {
    const kit = await startKit(context);
    const path = `/v25.0/${wabaId}/message_templates?limit=3&fields=name,status`;
    const first = (await kit.call('GET', path)).body;
    const second = (await kit.call('GET', first.paging.next.slice(kit.simulator.url.length))).body;
    const back = (await kit.call('GET', second.paging.previous.slice(kit.simulator.url.length))).body;
    assert.deepEqual(back.data, first.data);
    assert.deepEqual(Object.keys(first.data[0]), ['id', 'name', 'status']);
    const third = (await kit.call('GET', second.paging.next.slice(kit.simulator.url.length))).body;
    assert.equal(third.paging.next, undefined);
    const ids = [first, second, third].flatMap(({ data }) => data.map(({ id }: { id: string }) => id));
    assert.equal(new Set(ids).size, 8);
  });
});

suite('a number', () => {
  const register = (kit: Kit, id: string, pin: string) =>
    kit.call('POST', `/v25.0/${id}/register`, { ...whatsapp, pin });
  test('is added, verified and registered with a PIN that must match from then on', async (context) => {
    const kit = await startKit(context);
    const { body } = await kit.call('POST', `/v25.0/${wabaId}/phone_numbers`, {
      cc: '33',
      phone_number: '180002000',
      verified_name: 'Depot',
    });
    const at = (edge: string, query = '') => kit.call('POST', `/v25.0/${body.id}/${edge}${query}`);
    assert.equal((await register(kit, body.id, '482916')).body.error.code, 133006);
    assert.equal((await at('request_code', '?code_method=SMS&language=en_US')).status, 200);
    assert.equal((await at('verify_code', '?code=654321')).body.error.code, 136025);
    assert.equal((await at('verify_code', '?code=123456')).status, 200);
    assert.equal((await at('request_code', '?code_method=SMS&language=en_US')).body.error.code, 136024);
    assert.equal((await register(kit, body.id, '482916')).status, 200);
    assert.equal((await kit.call('GET', `/v25.0/${body.id}?fields=status`)).body.status, 'CONNECTED');
    assert.equal((await register(kit, body.id, '000000')).body.error.code, 133005);
    await kit.call('POST', `/v25.0/${body.id}`, { pin: '000000' });
    assert.equal((await register(kit, body.id, '000000')).status, 200);
  });
  test('is registered and deregistered ten times in 72 hours, then 133016', async (context) => {
    const kit = await startKit(context);
    for (let i = 0; i < 10; i += 1) {
      assert.equal(
        (
          await kit.call('POST', `/v25.0/${numberId}/${i % 2 ? 'register' : 'deregister'}`, {
            ...whatsapp,
            pin: '482916',
          })
        ).status,
        200,
      );
    }
    assert.equal((await register(kit, numberId, '482916')).body.error.code, 133016);
    await kit.control.advance(72 * 3_600_000 + 1);
    assert.equal((await register(kit, numberId, '482916')).status, 200);
  });
  test('is given a new display name by a review, and bears it once registered again', async (context) => {
    const kit = await startKit(context);
    const rename = (name: unknown) => kit.call('POST', `/v25.0/${numberId}`, { new_display_name: name });
    const names = async () => {
      const { body } = await kit.call('GET', `/v25.0/${numberId}?fields=verified_name,new_name_status`);
      return [body.verified_name, body.new_name_status];
    };
    assert.equal((await rename('reject this')).status, 200);
    assert.deepEqual((await kit.values()).at(-1), {
      display_phone_number: businessNumber,
      decision: 'REJECTED',
      requested_verified_name: 'reject this',
      rejection_reason: 'NAME_NOT_CONSISTENT',
    });
    await rename('Depot Lyon');
    assert.equal((await kit.values()).at(-1).decision, 'APPROVED');
    assert.deepEqual(await names(), ['Depot', 'APPROVED']);
    await register(kit, numberId, '482916');
    assert.deepEqual(await names(), ['Depot Lyon', 'NONE']);
    for (let i = 0; i < 8; i += 1) await rename(`Depot ${i}`);
    assert.equal((await rename('Depot 9')).body.error.code, 100);
  });
  test('deregistered does not send', async (context) => {
    const kit = await startKit(context);
    await kit.call('POST', `/v25.0/${numberId}/deregister`);
    assert.equal((await kit.send(hello)).body.error.code, 133010);
  });
  test('has a business profile', async (context) => {
    const kit = await startKit(context);
    const path = `/v25.0/${numberId}/whatsapp_business_profile`;
    await kit.call('POST', path, { ...whatsapp, about: 'Pots', websites: ['https://depot.example'] });
    const { body } = await kit.call('GET', `${path}?fields=about,websites`);
    assert.deepEqual(body.data, [
      { about: 'Pots', websites: ['https://depot.example'], messaging_product: 'whatsapp' },
    ]);
    assert.equal((await kit.call('POST', path, { ...whatsapp, about: 'x'.repeat(140) })).status, 400);
    assert.equal((await kit.call('POST', path, { ...whatsapp, colour: 'red' })).body.error.code, 100);
  });
  test('of a blocked person passes nothing on, until unblocked', async (context) => {
    const kit = await startKit(context);
    const block = (method: string) =>
      kit.call(method, `/v25.0/${numberId}/block_users`, { ...whatsapp, block_users: [{ user: customer }] });
    await block('POST');
    await kit.control.inbound({ from: customer, to: businessNumber, text: 'Hello?' });
    assert.deepEqual(await kit.values(), []);
    assert.deepEqual((await kit.call('GET', `/v25.0/${numberId}/block_users`)).body.data, [
      { ...whatsapp, wa_id: customer },
    ]);
    await block('DELETE');
    await kit.control.inbound({ from: customer, to: businessNumber, text: 'Hello?' });
    assert.equal((await kit.values()).length, 1);
  });
  test('tells what became of a message', async (context) => {
    const kit = await startKit(context);
    const { body } = await kit.send(hello);
    await kit.control.settle();
    const history = await kit.call(
      'GET',
      `/v25.0/${numberId}/message_history?message_id=${encodeURIComponent(body.messages[0].id)}`,
    );
    const [row] = history.body.data;
    assert.deepEqual(
      row.events.data.map((one: { delivery_status: string; webhook_update_state: string }) => [
        one.delivery_status,
        one.webhook_update_state,
      ]),
      [
        ['SENT', 'DELIVERED'],
        ['DELIVERED', 'DELIVERED'],
        ['READ', 'DELIVERED'],
      ],
    );
  });
});

suite('an account', () => {
  test('may have its callbacks sent elsewhere, after the handshake', async (context) => {
    const kit = await startKit(context);
    await kit.known();
    const path = `/v25.0/${wabaId}/subscribed_apps`;
    const override = { override_callback_uri: kit.receiver.url, verify_token: 'wrong' };
    assert.equal((await kit.call('POST', path, override)).status, 400);
    assert.equal((await kit.call('POST', path, { ...override, verify_token: verifyToken })).status, 200);
    assert.equal((await kit.call('GET', path)).body.data[0].override_callback_uri, kit.receiver.url);
    const subscription = {
      object: 'whatsapp_business_account',
      callback_url: kit.receiver.url,
      verify_token: verifyToken,
    };
    assert.equal(
      (await kit.call('POST', `/v25.0/${simulatorAppId}/subscriptions`, subscription)).body.error.code,
      190,
    );
    assert.equal(
      (await kit.call('POST', `/v25.0/${simulatorAppId}/subscriptions`, subscription, appToken)).status,
      200,
    );
  });
  test('is described by its token, and joined by a code that works once', async (context) => {
    const kit = await startKit(context);
    const inspected = await kit.call('GET', `/debug_token?input_token=${token}`, undefined, appToken);
    assert.deepEqual(inspected.body.data.granular_scopes[0].target_ids, [wabaId]);
    const { body } = await kit.call('POST', '/_control/signup-codes', { token });
    const exchange = () =>
      kit.call(
        'GET',
        `/v25.0/oauth/access_token?client_id=${simulatorAppId}&client_secret=${appSecret}&code=${body.code}`,
      );
    assert.equal((await exchange()).body.access_token, token);
    assert.equal((await exchange()).status, 400);
  });
});

suite('prices', () => {
  const price = async (kit: Kit) => (await kit.statuses()).findLast(({ pricing }) => pricing).pricing;
  test('free-form is free until October 2026; then the first thousand of a month are', async (context) => {
    const clock = stillClock('2026-09-30T22:00:00.000Z');
    const kit = await startKit(context, { clock });
    await kit.openWindow();
    const sendMany = async (count: number) => {
      for (let i = 0; i < count; i += 50)
        await Promise.all(Array.from({ length: Math.min(50, count - i) }, () => kit.send(text())));
    };
    await sendMany(1);
    assert.deepEqual(
      [(await price(kit)).type, (await price(kit)).billable],
      ['free_customer_service', false],
    );
    clock.set('2026-10-01T10:00:00.000Z');
    await sendMany(1_000);
    assert.deepEqual(
      [(await price(kit)).type, (await price(kit)).category],
      ['free_customer_service', 'service'],
    );
    await sendMany(1);
    assert.deepEqual([(await price(kit)).type, (await price(kit)).billable], ['regular', true]);
  });
  test('everything is free for 72 hours after the answer to a message from an ad', async (context) => {
    const kit = await startKit(context);
    await kit.known();
    await kit.control.inbound({
      from: customer,
      to: numberId,
      text: 'Hi',
      referral: { source_type: 'ad', source_id: '1' },
    });
    await kit.send(hello);
    const [, sent, delivered] = (await kit.values()).flatMap((value) => value.statuses ?? [null]);
    assert.deepEqual(delivered.pricing, {
      billable: false,
      pricing_model: 'PMP',
      type: 'free_entry_point',
      category: 'referral_conversion',
    });
    assert.equal(sent.conversation.origin.type, 'referral_conversion');
    await kit.control.advance(72 * 3_600_000);
    await kit.send(hello);
    assert.equal((await price(kit)).type, 'regular');
  });
  test('the marketing endpoint takes marketing templates alone, and shows the way they went', async (context) => {
    const kit = await startKit(context);
    const components = [
      { type: 'body', parameters: ['Ines', '20%'].map((value) => ({ type: 'text', text: value })) },
    ];
    const marketing = (name: string, more: object = {}) =>
      kit.call('POST', `/v25.0/${numberId}/marketing_messages`, {
        ...whatsapp,
        to: '+33612003400',
        type: 'template',
        template: { name, language: { code: 'en' }, ...(name === 'spring_offer' && { components }) },
        ...more,
      });
    await marketing('spring_offer');
    assert.equal((await price(kit)).category, 'marketing_lite');
    assert.equal((await marketing('hello_world')).body.error.code, 134100);
    assert.equal(
      (await marketing('spring_offer', { type: 'text', text: { body: 'x' } })).body.error.code,
      100,
    );
    kit.control.change('wabas', wabaId, { marketingOnboarding: 'ELIGIBLE' });
    assert.equal((await marketing('spring_offer', { product_policy: 'STRICT' })).body.error.code, 134102);
    await marketing('spring_offer');
    assert.equal((await price(kit)).category, 'marketing');
  });
});

test('numbers, PINs, templates and media survive a restart', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'simulator-'));
  const stateFile = join(folder, 'state.json');
  const first = await startKit(context, { stateFile });
  await first.call('POST', `/v25.0/${numberId}/register`, { ...whatsapp, pin: '482916' });
  await create(first, simple('hours'));
  const { body } = await upload(first);
  await first.control.settle();
  await first.simulator.stop();
  const second = await startKit(context, { stateFile });
  context.after(() => rm(folder, { recursive: true }));
  assert.equal(
    (await second.call('POST', `/v25.0/${numberId}/register`, { ...whatsapp, pin: '111111' })).body.error
      .code,
    133005,
  );
  assert.equal((await sendNamed(second, 'hours')).status, 200);
  const { body: facts } = await second.call('GET', `/v25.0/${body.id}`);
  assert.equal((await fetch(facts.url, { headers: { authorization: `Bearer ${token}` } })).status, 200);
});

test('a state file of an earlier version is understood', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'simulator-'));
  const stateFile = join(folder, 'state.json');
  const first = await startKit(context, { stateFile });
  await create(first, simple('hours'));
  await first.call('POST', `/v25.0/${wabaId}/flows`, { name: 'booking', categories: ['OTHER'] });
  await first.call('POST', `/v25.0/${numberId}/register`, { ...whatsapp, pin: '482916' });
  await first.simulator.stop();
  const newer = [
    'newName',
    'nameChangesMs',
    'pinBlockedUntilMs',
    'catalogIds',
    'products',
    'sampleLeft',
    'correctCategory',
    'updatedMs',
  ];
  const older = JSON.parse(await readFile(stateFile, 'utf8'));
  for (const table of ['wabas', 'numbers', 'templates', 'flows'])
    for (const [, row] of older[table])
      for (const name of newer) if (table !== 'templates' || name !== 'updatedMs') delete row[name];
  await writeFile(stateFile, JSON.stringify(older));

  const kit = await startKit(context, { stateFile });
  context.after(() => rm(folder, { recursive: true }));
  await kit.openWindow();
  assert.equal((await sendNamed(kit, 'hours')).body.messages[0].message_status, 'accepted');
  assert.equal((await kit.send(sampleMessages.product!)).status, 200);
  const wrong = await kit.call('POST', `/v25.0/${numberId}/register`, { ...whatsapp, pin: '111111' });
  assert.equal(wrong.body.error.code, 133005);
  const renamed = await kit.call('POST', `/v25.0/${numberId}`, { new_display_name: 'Depot Lyon' });
  assert.equal(renamed.status, 200);
  const flows = await kit.call('GET', `/v25.0/${wabaId}/flows?fields=name,updated_at`);
  assert.equal(flows.body.data[0].updated_at, '1970-01-01T00:00:00+0000');
});

test('a state that cannot be written for a moment is written later, and the simulator goes on', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'simulator-'));
  const stateFile = join(folder, 'state.json');
  const told: string[] = [];
  const kit = await startKit(context, { stateFile, log: (_level, message) => told.push(message) });
  context.after(() => rm(folder, { recursive: true }));
  const refused = () =>
    told.filter((message) => message === 'what it knows cannot be written down yet').length;
  // A folder stands where the file would be written.
  await mkdir(`${stateFile}.new`);
  await create(kit, simple('hours'));
  while (refused() === 0) await sleep(5);
  assert.equal((await sendNamed(kit, 'hours')).status, 200);
  await rm(`${stateFile}.new`, { recursive: true });
  const written = () => readFile(stateFile, 'utf8').catch(() => '');
  while (!(await written()).includes('"hours"')) await sleep(5);
});
