// Repeated requests, rules, and what survives a restart.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { sharedLifetime } from '../../../server/test/harness/lifetime.ts';
import { until } from '../../../server/test/harness/until.ts';
import type { Wire } from '../../src/http/shape.ts';
import { apiKey, clientOf, refusalOf, startPaymentKit } from './harness.ts';

const day = 86_400_000;
const charge = { amount: 900, currency: 'usd', payment_method: 'pm_card_visa', confirm: true };

const lifetime = sharedLifetime();
const firstKit = await startPaymentKit(lifetime);
const secondKit = await startPaymentKit(lifetime);

suite('an idempotency key', () => {
  const kit = firstKit;
  const { stripe, control } = kit;
  const pay = (idempotencyKey: string, reference: string, more: object = {}) =>
    stripe.paymentIntents.create({ ...charge, metadata: { reference }, ...more }, { idempotencyKey });

  test('is answered as the first time, and nothing is charged again', async () => {
    const first = await pay('k1', 'once');
    const second = await pay('k1', 'once');
    assert.equal(second.id, first.id);
    assert.equal(control.charges('once').length, 1);
    const headers = second.lastResponse.headers as Record<string, string>;
    assert.deepEqual(
      [headers['idempotent-replayed'], headers['original-request'], headers['idempotency-key']],
      ['true', first.lastResponse.requestId, 'k1'],
    );
    assert.notEqual(second.lastResponse.requestId, first.lastResponse.requestId);
    assert.equal((first.lastResponse.headers as Record<string, string>)['idempotent-replayed'], undefined);
  });

  test('that was used for something else is refused', async () => {
    await pay('k2', 'mismatch');
    const other = await refusalOf(pay('k2', 'mismatch', { amount: 901 }));
    assert.deepEqual([other.statusCode, other.type], [400, 'StripeIdempotencyError']);
    assert.match(other.message, /same parameters/);
    const elsewhere = await refusalOf(stripe.customers.create({}, { idempotencyKey: 'k2' }));
    assert.match(elsewhere.message, /same endpoint/);
    assert.equal(control.charges('mismatch').length, 1);
  });

  test('is kept with a decline, but not with a mistake in the parameters', async () => {
    const declined = { payment_method: 'pm_card_chargeDeclined' };
    const first = await refusalOf(pay('k3', 'declined', declined));
    const second = await refusalOf(pay('k3', 'declined', declined));
    assert.equal(second.payment_intent!.id, first.payment_intent!.id);
    assert.equal(second.headers!['idempotent-replayed'], 'true');
    const mistake = await refusalOf(pay('k4', 'mistake', { amount: 'x' }));
    assert.equal(mistake.code, 'parameter_invalid_integer');
    assert.equal((await pay('k4', 'mistake')).status, 'succeeded');
  });

  test('is forgotten after a day', async () => {
    const first = await pay('k5', 'day');
    await control.advance(day - 1_000);
    assert.equal((await pay('k5', 'day')).id, first.id);
    await control.advance(1_000);
    assert.notEqual((await pay('k5', 'day')).id, first.id);
  });

  test('keeps an answer of 500 too, whether or not it was charged', async () => {
    for (const [answer, charged] of [
      ['error', 0],
      ['error-accepted', 1],
    ] as const) {
      control.addRule({ match: { path: 'payment_intents' }, behaviour: { answer }, count: 1 });
      const first = await refusalOf(pay(`k-${answer}`, answer));
      const second = await refusalOf(pay(`k-${answer}`, answer));
      assert.deepEqual([first.statusCode, second.statusCode, second.type], [500, 500, 'StripeAPIError']);
      assert.equal(second.headers!['idempotent-replayed'], 'true');
      assert.equal(control.charges(answer).length, charged);
      assert.equal((await pay(`k-${answer}-2`, `${answer}-2`)).status, 'succeeded');
    }
  });
});

suite('a rule', () => {
  const kit = secondKit;
  const { stripe, control } = kit;

  test('loses the answer after the charge was made; the same key finds it', async () => {
    await kit.tell('POST', 'rules', {
      match: { path: 'payment_intents', metadata: 'lost' },
      behaviour: { answer: 'lost' },
      count: 1,
    });
    // The client repeats a request whose connection was closed by itself, once, with the same key.
    const found = await stripe.paymentIntents.create(
      { ...charge, metadata: { reference: 'lost' } },
      { idempotencyKey: 'lost' },
    );
    assert.equal((found.lastResponse.headers as Record<string, string>)['idempotent-replayed'], 'true');
    assert.equal(found.latest_charge, control.charges('lost')[0]!.id);
    const { body } = await kit.tell('GET', 'charges?metadata=lost');
    assert.equal(body.count, 1);
  });

  test('closes the connection before anything was done', async () => {
    control.addRule({ match: { path: 'refunds' }, behaviour: { answer: 'closed-before' }, count: 1 });
    const create = () => kit.call('POST', '/v1/refunds', 'charge=ch_1');
    await assert.rejects(create());
    assert.equal((await create()).status, 400);
  });

  test('refuses with 429, which is not kept', async () => {
    control.addRule({ behaviour: { refuse: { http: 429 } }, count: 1 });
    const create = () => stripe.customers.create({}, { idempotencyKey: 'limited' });
    const limited = await refusalOf(create());
    assert.deepEqual(
      [limited.statusCode, limited.type, limited.code],
      [429, 'StripeRateLimitError', 'rate_limit'],
    );
    assert.match((await create()).id, /^cus_/);
  });

  test('answers with what is no answer', async () => {
    control.addRule({ behaviour: { answer: 'bad-gateway' }, count: 1 });
    const page = await kit.call('GET', '/v1/events');
    assert.deepEqual([page.status, page.headers.get('content-type')], [502, 'text/html']);
    control.addRule({ behaviour: { answer: 'garbage' }, count: 1 });
    const garbage = await kit.call('GET', '/v1/events');
    await assert.rejects(garbage.json());
  });

  test('declines a good card', async () => {
    await kit.tell('POST', 'rules', {
      match: { metadata: 'poor' },
      behaviour: { decline: 'insufficient_funds' },
      count: 1,
    });
    const create = () => stripe.paymentIntents.create({ ...charge, metadata: { reference: 'poor' } });
    assert.equal((await refusalOf(create())).decline_code, 'insufficient_funds');
    assert.equal((await create()).status, 'succeeded');
  });

  for (const [what, body] of [
    ['no behaviour', {}],
    ['an unknown behaviour', { behaviour: { explode: true } }],
    ['an unknown answer', { behaviour: { answer: 'loud' } }],
    ['an unknown match', { match: { colour: 'red' }, behaviour: {} }],
    ['an unknown decline', { behaviour: { decline: 'mood' } }],
    ['an unknown way to settle', { behaviour: { settles: 'soon' } }],
    ['a refusal that is none', { behaviour: { refuse: { http: 200 } } }],
  ] as const) {
    test(`with ${what} is refused in words`, async () => {
      const { status, body: answer } = await kit.tell('POST', 'rules', body);
      assert.equal(status, 400);
      assert.match(answer.error.message, /"/);
    });
  }

  test('is counted, listed and removed', async () => {
    const { body: rule } = await kit.tell('POST', 'rules', { behaviour: { refuse: { http: 500 } } });
    assert.equal((await kit.call('GET', '/v1/events')).status, 500);
    const { body } = await kit.tell('GET', 'rules');
    assert.equal(body.data.find(({ id }: { id: string }) => id === rule.id).applied, 1);
    await kit.tell('DELETE', `rules/${rule.id}`);
    assert.equal((await kit.call('GET', '/v1/events')).status, 200);
    assert.equal((await kit.tell('DELETE', 'rules/none')).status, 400);
  });
});

test('a key whose answer is on its way is refused to others with 409', async (context) => {
  const kit = await startPaymentKit(context, { instant: false });
  kit.control.addRule({ match: { path: 'customers' }, behaviour: { answerDelayMs: 1_000 }, count: 1 });
  const create = () => kit.stripe.customers.create({ name: 'Depot' }, { idempotencyKey: 'same' });
  const first = create();
  await until('the customer is made', () => kit.control.counts().webhooks.events > 0);
  const second = await refusalOf(create());
  assert.deepEqual([second.statusCode, second.code], [409, 'idempotency_key_in_use']);
  await kit.control.advance(1_000);
  assert.equal((await create()).id, (await first).id);
});

test('everything survives a restart: objects, keys, endpoints and what is still to happen', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'payments-'));
  const stateFile = join(folder, 'payments.json');
  const options = { stateFile, instant: false };
  const before = await startPaymentKit(context, options);
  const { id } = await before.session({ expires_at: before.nowS() + 1800 });
  const paid = await before.stripe.paymentIntents.create(charge, { idempotencyKey: 'kept' });
  const refunded = await before.saved('4000000000005126');
  const refund = await before.stripe.refunds.create({ payment_intent: refunded.intent });
  before.control.addEndpoint({ url: before.receiver.url, secrets: ['whsec_added'] });
  before.control.addRule({ match: { type: 'customer.created' }, behaviour: { delayMs: 60_000 } });
  const { id: late } = await before.stripe.customers.create({});
  await before.control.settle();
  await before.simulator.stop();

  const kit = await startPaymentKit(context, { ...options, seed: 'another' });
  context.after(() => rm(folder, { recursive: true }));
  await kit.control.settle();
  const told = kit.receiver.received.map(({ body }) => body.data.object.id);
  assert.deepEqual(told, [late]);
  const replayed = await kit.stripe.paymentIntents.create(charge, { idempotencyKey: 'kept' });
  assert.equal(replayed.id, paid.id);
  assert.equal(kit.control.endpoints().length, 1);
  await kit.control.advance(5_000);
  assert.equal((await kit.stripe.refunds.retrieve(refund.id)).status, 'failed');
  await kit.control.advance(1_800_000);
  assert.equal((await kit.stripe.checkout.sessions.retrieve(id)).status, 'expired');
});

test('the same seed gives the same ids, and a reset forgets everything but endpoints', async (context) => {
  const run = async () => {
    const kit = await startPaymentKit(context, { seed: 'p' });
    const { id } = await kit.stripe.customers.create({});
    return { kit, id };
  };
  const { kit, id } = await run();
  assert.equal((await run()).id, id);
  kit.control.addEndpoint({ url: 'http://127.0.0.1:9/', secrets: ['s'] });
  await kit.tell('POST', 'reset', { everything: true });
  assert.equal((await refusalOf(kit.stripe.customers.retrieve(id))).statusCode, 404);
  assert.equal(kit.control.endpoints().length, 1);
});

test('a key of live mode makes everything live', async (context) => {
  const kit = await startPaymentKit(context, { apiKeys: ['sk_live_simulated_0001'] });
  const stripe = clientOf(kit.simulator.url, 'sk_live_simulated_0001');
  const customer = await stripe.customers.create({});
  assert.equal(customer.livemode, true);
  assert.equal((await refusalOf(clientOf(kit.simulator.url, apiKey).customers.create({}))).statusCode, 401);
});

test('settings and endpoints are changed by the control API, and mistakes are told in words', async (context) => {
  const kit = await startPaymentKit(context);
  assert.equal((await kit.tell('PATCH', 'settings', { feeFixed: 25 })).body.feeFixed, 25);
  const { body: endpoint } = await kit.tell('POST', 'webhooks', { url: kit.receiver.url, secrets: ['a'] });
  assert.deepEqual(
    (await kit.tell('PATCH', `webhooks/${endpoint.id}`, { secrets: ['b', 'a'] })).body.secrets,
    ['b', 'a'],
  );
  assert.equal((await kit.tell('DELETE', `webhooks/${endpoint.id}`)).status, 200);
  assert.deepEqual((await kit.tell('GET', 'webhooks')).body.data, []);
  for (const [method, path, body] of [
    ['PATCH', 'settings', { feeFixed: -1 }],
    ['PATCH', 'settings', { constructor: 1 }],
    ['POST', 'webhooks', { url: 'x', secrets: ['a'] }],
    ['POST', 'webhooks', { url: 'http://a.example' }],
    ['PATCH', `webhooks/${endpoint.id}`, { enabled: false }],
    ['POST', 'disputes', { charge: 'ch_none' }],
    ['POST', 'sessions/cs_none/pay', { number: '4242424242424242' }],
    ['POST', 'refunds/re_none', { status: 'failed' }],
    ['POST', 'advance', { ms: 'x' }],
  ] as const) {
    const { status, body: answer } = await kit.tell(method, path, body);
    assert.equal(status, 400, path);
    assert.match((answer as Wire).error.message, /"|needs/);
  }
  const home = await kit.call('GET', '/');
  assert.match(await home.text(), /4000000000000259/);
});
