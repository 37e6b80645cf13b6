import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { sandboxToken, verificationCode } from '../src/index.ts';
import { magicNumbers } from '../src/numbers/magic-numbers.ts';
import {
  customer,
  hello,
  type Kit,
  type Lifetime,
  numberId,
  portfolio,
  startKit,
  wabaId,
} from './harness.ts';

const whatsapp = { messaging_product: 'whatsapp' };
const home = '104000200030002';
const destination = { ...portfolio, wabaId: home, phoneNumbers: [] };
const asDestination = { authorization: `Bearer ${sandboxToken(destination)}` };
const pin = '482916';

/** Two accounts of one business; the number is in the first. */
async function twoAccounts(context: Lifetime) {
  const kit = await startKit(context);
  await kit.known();
  await kit.call('GET', `/v25.0/${home}`, undefined, asDestination);
  return kit;
}
const numberParts = { cc: '33', phone_number: '180001000' };
const add = (kit: Kit, fields: object = numberParts, to = home) =>
  kit.call('POST', `/v25.0/${to}/phone_numbers`, { ...fields, migrate_phone_number: true }, asDestination);
const at = (kit: Kit, id: string, edge: string, fields: object) =>
  kit.call('POST', `/v25.0/${id}/${edge}`, fields, asDestination);
const askCode = (kit: Kit, id: string) =>
  at(kit, id, 'request_code', { code_method: 'SMS', language: 'en_US' });

async function verified(kit: Kit): Promise<string> {
  const { body } = await add(kit);
  await askCode(kit, body.id);
  await at(kit, body.id, 'verify_code', { code: verificationCode });
  return body.id;
}

suite('a number that moves', () => {
  test('sends where it was until it is registered where it goes, and there from then on', async (context) => {
    const kit = await twoAccounts(context);
    await kit.openWindow();
    const id = await verified(kit);
    assert.notEqual(id, numberId);
    assert.equal((await kit.send(hello)).status, 200);
    assert.equal((await at(kit, id, 'register', { ...whatsapp, pin })).status, 200);
    assert.equal((await kit.send(hello)).body.error.code, 133010);
    assert.equal((await kit.call('GET', `/v25.0/${numberId}?fields=status`)).body.status, 'MIGRATED');
    const text = { ...whatsapp, to: customer, type: 'text', text: { body: 'Here now' } };
    assert.equal((await at(kit, id, 'messages', text)).status, 200, 'the open window came along');
    await kit.control.inbound({ from: customer, to: '33180001000', text: 'Hello' });
    assert.equal((await kit.values()).at(-1).metadata.phone_number_id, id);
  });
  test('tells of messages it sent before under the id they were sent with', async (context) => {
    const kit = await twoAccounts(context);
    kit.control.configure({ deliveredMs: 86_400_000 });
    const { body } = await kit.send(hello, '+4915192000007');
    const id = await verified(kit);
    await at(kit, id, 'register', { ...whatsapp, pin });
    await kit.control.advance(40 * 86_400_000);
    const told = (await kit.values()).filter(({ statuses }) => statuses?.[0].id === body.messages[0].id);
    assert.ok(told.length > 0 && told.every(({ metadata }) => metadata.phone_number_id === numberId));
  });
  test('is added once, and may be added anew after it moved back', async (context) => {
    const kit = await twoAccounts(context);
    const id = await verified(kit);
    assert.equal((await add(kit)).body.error.error_subcode, 2388012);
    await at(kit, id, 'register', { ...whatsapp, pin });
    kit.control.change('numbers', id, { pin: null });
    const back = await add(kit, numberParts, wabaId);
    assert.equal(back.status, 200);
    assert.notEqual(back.body.id, numberId);
  });
  test('brings its best templates, unless the account has them', async (context) => {
    const kit = await twoAccounts(context);
    const made = await kit.call('POST', `/v25.0/${wabaId}/message_templates`, {
      name: 'parcel_left',
      language: 'en',
      category: 'UTILITY',
      components: [{ type: 'BODY', text: 'Your parcel has left.' }],
    });
    await kit.control.settle();
    kit.control.change('templates', made.body.id, { status: 'APPROVED', quality: 'GREEN' });
    const before = kit.control.templates(home).length;
    await at(kit, await verified(kit), 'register', { ...whatsapp, pin });
    const after = kit.control.templates(home);
    assert.equal(after.length, before + 1);
    assert.deepEqual(
      [after.at(-1)!.name, after.at(-1)!.quality, after.at(-1)!.id === made.body.id],
      ['parcel_left', 'UNKNOWN', false],
    );
  });

  const scenes: [string, (kit: Kit) => void, number][] = [
    [
      'two-step verification on at the source',
      ({ control }) => control.change('numbers', numberId, { pin }),
      2388001,
    ],
    [
      'a display name that is not approved',
      ({ control }) => control.change('numbers', numberId, { nameStatus: 'PENDING_REVIEW' }),
      2388103,
    ],
    ['the phone app', ({ control }) => control.change('numbers', numberId, { isOnBizApp: true }), 2388103],
    [
      'no payment method where it goes',
      ({ control }) => control.change('wabas', home, { paymentOk: false }),
      2388103,
    ],
    [
      'no app subscribed where it goes',
      ({ control }) => control.change('wabas', home, { subscribed: false }),
      2388103,
    ],
    [
      'an account that is not approved',
      ({ control }) => control.change('wabas', home, { reviewStatus: 'REJECTED' }),
      2388103,
    ],
  ];
  for (const [what, prepare, subcode] of scenes) {
    test(`with ${what} is refused with ${subcode}`, async (context) => {
      const kit = await twoAccounts(context);
      prepare(kit);
      assert.equal((await add(kit)).body.error.error_subcode, subcode);
    });
  }
  test('of another business, or of none, is refused with 2388103', async (context) => {
    const kit = await twoAccounts(context);
    const stranger = { businessId: '200000000000009', wabaId: '104000200030009', phoneNumbers: [] };
    const headers = { authorization: `Bearer ${sandboxToken(stranger)}` };
    const taken = await kit.call(
      'POST',
      `/v25.0/${stranger.wabaId}/phone_numbers`,
      { ...numberParts, migrate_phone_number: true },
      headers,
    );
    assert.equal(taken.body.error.error_subcode, 2388103);
    const unheard = await add(kit, { cc: '33', phone_number: '180001999' });
    assert.equal(unheard.body.error.error_subcode, 2388103);
  });
});

suite('the code that verifies a number', () => {
  test('is worth nothing before it was asked for, nor ten minutes after', async (context) => {
    const kit = await twoAccounts(context);
    const { body } = await add(kit);
    const verify = async () =>
      (await at(kit, body.id, 'verify_code', { code: verificationCode })).body.error?.code ?? 'verified';
    assert.equal(await verify(), 136025);
    await askCode(kit, body.id);
    await kit.control.advance(600_001);
    assert.equal(await verify(), 136025);
    await askCode(kit, body.id);
    assert.equal(await verify(), 'verified');
  });
});

test('the record tells which commands were done and which were refused, and no PIN', async (context) => {
  const kit = await twoAccounts(context);
  const id = await verified(kit);
  kit.control.change('numbers', id, { pin: '111111' });
  await at(kit, id, 'register', { ...whatsapp, pin });
  kit.control.addRule({ match: { path: 'register' }, behaviour: { refuse: { code: 133015 } }, count: 1 });
  await at(kit, id, 'register', { ...whatsapp, pin });
  const { data, total } = kit.control.commands();
  assert.deepEqual(
    data.map((one) => [one.method, one.path, one.id, one.made, one.refusal]),
    [
      ['POST', 'phone_numbers', home, id, null],
      ['POST', 'request_code', id, null, null],
      ['POST', 'verify_code', id, null, null],
      ['POST', 'register', id, null, 133005],
      ['POST', 'register', id, null, 133015],
    ],
  );
  assert.equal(total, 5);
  const page = await kit.call('GET', '/_control/commands?after=4');
  assert.equal(page.body.data[0].refusal, 133015);
  assert.ok(!JSON.stringify(kit.control.commands()).includes(pin));
});

test('the last four digits of a number decide what is hard about adding it', async (context) => {
  const kit = await twoAccounts(context);
  const adding = async (suffix: string) => {
    const { body } = await kit.call('POST', `/v25.0/${wabaId}/phone_numbers`, {
      cc: '33',
      phone_number: `18000${suffix}`,
    });
    if (body.error) return body.error.error_subcode ?? body.error.code;
    const asked = await askCode(kit, body.id);
    if (asked.body.error) return asked.body.error.code;
    await at(kit, body.id, 'verify_code', { code: verificationCode });
    const registered = await at(kit, body.id, 'register', { ...whatsapp, pin: '111111' });
    return registered.body.error?.code ?? 'registered';
  };
  const outcomes = [];
  for (const { suffix } of magicNumbers) outcomes.push(await adding(suffix));
  assert.deepEqual(outcomes, [2388001, 2494100, 136024, 133005]);
  assert.equal(await adding('1234'), 'registered');
});
