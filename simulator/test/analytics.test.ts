import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Wire } from '../src/http/shape.ts';
import { businessNumber, customer, hello, type Kit, numberId, startKit, wabaId } from './harness.ts';

const start = Date.parse('2026-08-21T00:00:00Z') / 1000;
const analytics = (parameters: string) =>
  `/v25.0/${wabaId}?fields=${encodeURIComponent(`pricing_analytics${parameters}`)}`;
const usual = `.start(${start}).end(${start + 86_400}).granularity(DAILY).dimensions(PRICING_CATEGORY,PRICING_TYPE,COUNTRY,PHONE)`;
const points = async (kit: Kit, parameters = usual): Promise<Wire[]> =>
  (await kit.call('GET', analytics(parameters))).body.pricing_analytics.data[0].data_points;
const place = {
  start,
  end: start + 86_400,
  pricing_category: 'UTILITY',
  pricing_type: 'REGULAR',
  country: 'FR',
  phone_number: businessNumber,
};

suite('pricing analytics', () => {
  test("count what was delivered, once, in the provider's words and places", async (context) => {
    const kit = await startKit(context);
    await kit.send(hello);
    await kit.send(hello, '+4915112345678');
    await kit.send(hello, '+33612003401');
    await kit.control.settle();
    const found = await points(kit);
    assert.deepEqual(
      found.map(({ country, volume }) => [country, volume]),
      [
        ['FR', 2],
        ['DE', 1],
      ],
    );
    assert.deepEqual(Object.keys(found[0]!).sort(), [...Object.keys(place), 'cost', 'volume'].sort());
    assert.deepEqual({ ...found[1], cost: 0 }, { ...place, country: 'DE', volume: 1, cost: 0 });
  });

  test('leave out what was not delivered', async (context) => {
    const kit = await startKit(context);
    await kit.send(hello, '+4915192000001'); // sent and never delivered
    await kit.send(hello, '+4915190131026'); // fails
    await kit.control.settle();
    assert.deepEqual(await points(kit), []);
  });

  test('are told by half hour and month, and by no more dimensions than asked for', async (context) => {
    const kit = await startKit(context);
    await kit.send(hello);
    await kit.send(hello, '+4915112345678');
    await kit.control.settle();
    const span = (granularity: string) =>
      points(kit, `.start(${start}).end(${start + 86_400}).granularity(${granularity}).dimensions([])`);
    const [halfHour, ...none] = await span('HALF_HOUR');
    assert.deepEqual([halfHour!.start, halfHour!.end, halfHour!.volume], [start + 36_000, start + 37_800, 2]);
    assert.deepEqual(none, []);
    const [month] = await span('MONTHLY');
    assert.deepEqual([month!.start, month!.end], [Date.UTC(2026, 7) / 1000, Date.UTC(2026, 8) / 1000]);
  });

  test('disagree where a rule says so: uncounted, doubled, or as another category', async (context) => {
    const kit = await startKit(context);
    const rule = (recipient: string, countedAs: object) =>
      kit.control.addRule({ match: { recipient }, behaviour: { countedAs } });
    rule('1', { volume: 0 });
    rule('2', { volume: 2 });
    rule('3', { category: 'marketing' });
    for (const last of ['1', '2', '3']) await kit.send(hello, `+${customer.slice(0, -1)}${last}`);
    await kit.control.settle();
    assert.deepEqual(
      (await points(kit)).map((point) => [point.pricing_category, point.volume]),
      [
        ['UTILITY', 2],
        ['MARKETING', 1],
      ],
    );
  });

  test('count a delivery of which no callback tells, and the history has it too', async (context) => {
    const kit = await startKit(context);
    kit.control.addRule({ behaviour: { unreported: true } });
    const { body } = await kit.send(hello);
    assert.deepEqual(await kit.statuses(), []);
    assert.equal((await points(kit))[0]!.volume, 1);
    const id = encodeURIComponent(body.messages[0].id);
    const history = await kit.call('GET', `/v25.0/${numberId}/message_history?message_id=${id}`);
    assert.deepEqual(
      history.body.data[0].events.data.map((one: Wire) => [one.delivery_status, one.webhook_update_state]),
      [
        ['SENT', 'FAILED'],
        ['DELIVERED', 'FAILED'],
        ['READ', 'FAILED'],
      ],
    );
  });

  test('are refused without a span, with one that ends before it starts, or with a dimension nobody knows', async (context) => {
    const kit = await startKit(context);
    await kit.known();
    const bad = [
      '',
      `.start(${start}).end(${start}).granularity(DAILY)`,
      `.start(${start}).end(${start + 1}).granularity(YEARLY)`,
      `.start(${start}).end(${start + 1}).granularity(DAILY).dimensions(COLOUR)`,
      `.start(${start - 400 * 86_400}).end(${start + 1}).granularity(DAILY)`,
    ];
    for (const parameters of bad) {
      const { status, body } = await kit.call('GET', analytics(parameters));
      assert.deepEqual([status, body.error.code], [400, 100], parameters);
    }
  });
});

test('a rule lets the statuses tell another price, and the last one once more', async (context) => {
  const kit = await startKit(context);
  kit.control.addRule({
    behaviour: { pricing: { category: 'marketing' }, repricedAs: { category: 'utility' } },
  });
  await kit.send(hello);
  const told = async () => (await kit.statuses()).map(({ status, pricing }) => [status, pricing?.category]);
  const first = [
    ['sent', 'marketing'],
    ['delivered', 'marketing'],
  ];
  assert.deepEqual(await told(), first);
  await kit.control.advance(60_000);
  assert.deepEqual(await told(), [...first, ['read', 'utility']]);
});
