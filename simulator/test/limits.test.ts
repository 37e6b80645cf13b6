// What the provider holds callers to beside the pace of sending: management calls, PINs, versions, marketing per person.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createSimulation } from '../src/create-simulation.ts';
import type { GraphError } from '../src/errors.ts';
import { countManagementCall } from '../src/http/management-calls.ts';
import { simulatorAppId } from '../src/index.ts';
import {
  appSecret,
  customer,
  type Kit,
  numberId,
  offer,
  startKit,
  stillClock,
  verifyToken,
  wabaId,
} from './harness.ts';

suite('management calls', () => {
  const read = (kit: Kit) => kit.call('GET', `/v25.0/${wabaId}`);
  const readMany = async (kit: Kit, count: number) => {
    for (let i = 0; i < count; i += 50)
      await Promise.all(Array.from({ length: Math.min(50, count - i) }, () => read(kit)));
  };

  test('200 an hour without a registered number, then 80007 until the hour is over', async (context) => {
    const kit = await startKit(context);
    await kit.known();
    kit.control.change('numbers', numberId, { status: 'DISCONNECTED' });
    await readMany(kit, 198);
    const last = await read(kit);
    assert.equal(last.status, 200);
    const { status, body, headers } = await kit.call('GET', `/v25.0/${wabaId}/message_templates`);
    assert.deepEqual([status, body.error.code, body.error.is_transient], [400, 80007, true]);
    const [use] = JSON.parse(headers.get('x-business-use-case-usage')!)[wabaId];
    assert.deepEqual([use.call_count, use.estimated_time_to_regain_access], [100, 60]);
    const sent = await kit.send({ type: 'text', text: { body: 'x' } });
    assert.equal(sent.body.error.code, 133010, 'sending is judged by itself');
    await kit.control.advance(3_600_000);
    assert.equal((await read(kit)).status, 200);
  });

  test('5,000 an hour with one, not counting messages and media', async (context) => {
    const kit = await startKit(context);
    await kit.known();
    await readMany(kit, 250);
    assert.equal((await read(kit)).status, 200);
    const use = JSON.parse((await read(kit)).headers.get('x-business-use-case-usage')!)[wabaId][0];
    assert.equal(use.call_count, 6);
  });

  test('on the app itself are 5,000 an hour too, then 4', async () => {
    const simulation = await createSimulation({
      appId: simulatorAppId,
      appSecret,
      verifyToken,
      callbackUrl: () => null,
      seed: 'seed',
      clock: stillClock(),
      instant: true,
      settings: {},
      links: 'believed',
      log: () => {},
    });
    const call = () => countManagementCall(simulation, 'debug_token', simulatorAppId);
    for (let i = 0; i < 5_000; i += 1) call();
    assert.throws(call, (error: GraphError) => error.code === 4);
    simulation.timeline.advance(3_600_000);
    call();
  });

  test('of another portfolio use up nothing', async (context) => {
    const kit = await startKit(context);
    await kit.known();
    kit.control.change('numbers', numberId, { status: 'DISCONNECTED' });
    const stranger = `Bearer SIM.${Buffer.from('{"businessId":"300000001","wabaId":"300000002","phoneNumbers":[]}').toString('base64url')}`;
    for (let i = 0; i < 201; i += 1)
      await kit.call('GET', `/v25.0/${wabaId}`, undefined, { authorization: stranger });
    assert.equal((await read(kit)).status, 200);
  });
});

suite('a PIN', () => {
  const register = async (kit: Kit, pin: string) => {
    const { body } = await kit.call('POST', `/v25.0/${numberId}/register`, {
      messaging_product: 'whatsapp',
      pin,
    });
    return body.error?.code ?? 'registered';
  };

  test('tried again too soon is not looked at: 133009, the right one too', async (context) => {
    const kit = await startKit(context);
    assert.equal(await register(kit, '482916'), 'registered');
    assert.equal(await register(kit, '111111'), 133005);
    assert.equal(await register(kit, '482916'), 133009);
    await kit.control.advance(10_000);
    assert.equal(await register(kit, '482916'), 'registered');
  });

  test('guessed too often is not looked at for twelve hours: 133008', async (context) => {
    const kit = await startKit(context);
    await register(kit, '482916');
    for (let i = 0; i < 5; i += 1) {
      assert.equal(await register(kit, '111111'), 133005);
      await kit.control.advance(60_000);
    }
    assert.equal(await register(kit, '111111'), 133008);
    await kit.control.advance(12 * 3_600_000 - 1_000);
    assert.equal(await register(kit, '482916'), 133008);
    await kit.control.advance(1_000);
    assert.equal(await register(kit, '482916'), 'registered');
  });

  test('changed by whoever holds the token is free of earlier guesses', async (context) => {
    const kit = await startKit(context);
    await register(kit, '482916');
    assert.equal(await register(kit, '111111'), 133005);
    await kit.call('POST', `/v25.0/${numberId}`, { pin: '222222' });
    assert.equal(await register(kit, '222222'), 'registered');
  });
});

suite('a version', () => {
  const served = async (kit: Kit, version: string) => {
    const { status, headers, body } = await kit.call('GET', `${version}/${numberId}`);
    return status === 200 ? headers.get('facebook-api-version') : body.error.code;
  };
  test('that has ended is served by the oldest living one; one that never was is unknown', async (context) => {
    const clock = stillClock('2026-09-23T10:00:00.000Z');
    const kit = await startKit(context, { clock });
    for (const [asked, answer] of [
      ['/v26.0', 'v26.0'],
      ['/v20.0', 'v20.0'],
      ['/v19.0', 'v20.0'],
      ['/v12.0', 'v20.0'],
      ['', 'v25.0'],
      ['/v99.0', 2500],
      ['/v25.1', 2500],
    ] as const)
      assert.equal(await served(kit, asked), answer, asked);
    clock.set('2026-09-24T00:00:00.000Z');
    assert.equal(await served(kit, '/v20.0'), 'v21.0');
  });
  test('takes no ids and no date format from 27 October 2026 on', async (context) => {
    const clock = stillClock('2026-10-26T23:59:59.000Z');
    const kit = await startKit(context, { clock });
    const code = async (query: string) =>
      (await kit.call('GET', `/v25.0/${numberId}?${query}`)).body.error?.code ?? 'taken';
    assert.equal(await code('date_format=U'), 'taken');
    clock.set('2026-10-27T00:00:00.000Z');
    assert.deepEqual(
      [await code('date_format=U'), await code('ids=1,2'), await code('pretty=1')],
      [100, 100, 'taken'],
    );
  });
});

suite('marketing to one person', () => {
  const ends = async (kit: Kit) =>
    (await kit.statuses())
      .filter(({ status }) => status === 'failed' || status === 'read')
      .map((one) => one.errors?.[0].code ?? one.status);

  test('stops at the cap with 131049, for all businesses, until 24 hours are over', async (context) => {
    const kit = await startKit(context, { settings: { pairLimit: false, marketingCap: 2 } });
    for (let i = 0; i < 3; i += 1) await kit.send(offer);
    assert.deepEqual(await ends(kit), ['read', 'read', 131049]);
    const other = await kit.call('POST', '/_control/accounts', {
      businessId: '300000000000001',
      wabaId: '304000200030001',
      phoneNumbers: [{ id: '306000300040005', number: '33180009000', name: 'Other' }],
    });
    const body = { messaging_product: 'whatsapp', to: `+${customer}`, ...offer };
    await kit.call('POST', '/v25.0/306000300040005/messages', body, {
      authorization: `Bearer ${other.body.token}`,
    });
    assert.equal((await ends(kit)).at(-1), 131049);
    await kit.send(offer, '+33612003401');
    assert.equal((await ends(kit)).at(-1), 'read', 'somebody else has received none');
    await kit.control.advance(86_400_000);
    await kit.send(offer);
    assert.equal((await ends(kit)).at(-1), 'read');
  });

  test('who has just written is not capped, and other templates do not count', async (context) => {
    const kit = await startKit(context, { settings: { pairLimit: false, marketingCap: 1 } });
    await kit.openWindow();
    for (let i = 0; i < 2; i += 1) await kit.send(offer);
    assert.deepEqual(await ends(kit), ['read', 'read']);
  });

  test('is capped at five a day unless told otherwise', async (context) => {
    const kit = await startKit(context);
    for (let i = 0; i < 6; i += 1) await kit.send(offer);
    assert.deepEqual(await ends(kit), [...Array(5).fill('read'), 131049]);
    kit.control.configure({ marketingCap: 0 });
    await kit.send(offer);
    assert.equal((await ends(kit)).at(-1), 'read');
  });
});
