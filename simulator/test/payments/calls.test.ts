// The public client against the simulator: every call, its errors, expansion and pages.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type Stripe from 'stripe';
import { sharedLifetime } from '../../../server/test/harness/lifetime.ts';
import type { Wire } from '../../src/http/shape.ts';
import { apiKey, clientOf, refusalOf, startPaymentKit, topUp } from './harness.ts';

const lifetime = sharedLifetime();
const kit = await startPaymentKit(lifetime);

suite('the public client', () => {
  const { stripe, control } = kit;

  test('creates, reads and lists customers', async () => {
    const made = await stripe.customers.create({
      name: 'Ünal <b>Depot</b>',
      email: 'depot@example.com',
      address: { city: 'Lyon', country: 'FR' },
      metadata: { account: 'AC1', 0: 'zero', __proto__x: 'kept' },
    });
    assert.match(made.id, /^cus_\w{14}$/);
    assert.deepEqual(await stripe.customers.retrieve(made.id), made);
    assert.deepEqual(made.metadata, { account: 'AC1', 0: 'zero', __proto__x: 'kept' });
    assert.equal(made.address!.city, 'Lyon');
    const { data } = await stripe.customers.list({ email: 'depot@example.com' });
    assert.deepEqual(
      data.map(({ id }) => id),
      [made.id],
    );
  });

  test('creates a checkout session that has no payment intent until somebody tries to pay', async () => {
    const customer = await stripe.customers.create({ email: 'payer@example.com' });
    const session = await kit.session({ customer: customer.id, expires_at: kit.nowS() + 3600 });
    assert.match(session.id, /^cs_test_/);
    assert.deepEqual(
      [
        session.amount_total,
        session.currency,
        session.status,
        session.payment_status,
        session.payment_intent,
      ],
      [2500, 'eur', 'open', 'unpaid', null],
    );
    assert.deepEqual([session.client_reference_id, session.metadata], ['AC1', { intent: 'PI1' }]);
    assert.equal(session.url, `${kit.simulator.url}/c/pay/${session.id}`);
    control.pay(session.id, { number: '4242424242424242' });
    const paid = await stripe.checkout.sessions.retrieve(session.id, {
      expand: ['line_items', 'customer', 'payment_intent.latest_charge', 'payment_intent.payment_method'],
    });
    assert.deepEqual([paid.status, paid.payment_status, paid.url], ['complete', 'paid', null]);
    assert.equal(paid.line_items!.data[0]!.description, 'Top-up');
    assert.equal(paid.line_items!.data[0]!.price!.unit_amount, 1250);
    const intent = paid.payment_intent as Stripe.PaymentIntent;
    const charge = intent.latest_charge as Stripe.Charge;
    assert.deepEqual(
      [intent.status, intent.amount_received, intent.metadata],
      ['succeeded', 2500, { intent: 'PI1' }],
    );
    assert.deepEqual([charge.paid, charge.amount, charge.metadata], [true, 2500, { intent: 'PI1' }]);
    assert.equal((intent.payment_method as { card: { last4: string } }).card.last4, '4242');
    assert.equal((paid.customer as { email: string }).email, 'payer@example.com');
    const items = await stripe.checkout.sessions.listLineItems(session.id);
    assert.equal(items.data[0]!.quantity, 2);
  });

  test('expires a session that is open, and no other', async () => {
    const { id } = await kit.session();
    assert.equal((await stripe.checkout.sessions.expire(id)).status, 'expired');
    const refused = await refusalOf(stripe.checkout.sessions.expire(id));
    assert.match(refused.message, /has a status of `expired`/);
    const own = await stripe.checkout.sessions.list({ status: 'expired' });
    assert.ok(own.data.some((session) => session.id === id));
  });

  test('charges a saved card while its holder is away', async () => {
    const { customer, method } = await kit.saved('4242424242424242');
    const intent = await stripe.paymentIntents.create({
      amount: 990,
      currency: 'usd',
      customer,
      payment_method: method,
      off_session: true,
      confirm: true,
      metadata: { invoice: 'IN1' },
    });
    assert.deepEqual([intent.status, intent.amount_received, intent.customer], ['succeeded', 990, customer]);
    assert.deepEqual(await stripe.paymentIntents.retrieve(intent.id), { ...intent });
    assert.equal(control.charges('IN1').length, 1);
    const cards = await stripe.paymentMethods.list({ customer, type: 'card' });
    assert.deepEqual(
      cards.data.map(({ id }) => id),
      [method],
    );
    assert.equal((await stripe.paymentMethods.retrieve(method)).card!.brand, 'visa');
    assert.equal((await stripe.customers.listPaymentMethods(customer)).data.length, 1);
    assert.equal((await stripe.customers.retrievePaymentMethod(customer, method)).id, method);
    const { data } = await stripe.paymentIntents.list({ customer });
    assert.equal(data[0]!.id, intent.id);
  });

  test('attaches and detaches a card', async () => {
    const { id: customer } = await stripe.customers.create({});
    const method = await stripe.paymentMethods.attach('pm_card_mastercard', { customer });
    assert.deepEqual([method.customer, method.card!.brand], [customer, 'mastercard']);
    const other = await stripe.customers.create({});
    assert.match(
      (await refusalOf(stripe.paymentMethods.attach(method.id, { customer: other.id }))).message,
      /already been attached/,
    );
    assert.equal((await stripe.paymentMethods.detach(method.id)).customer, null);
  });

  test('does not charge a card of another customer', async () => {
    const { method } = await kit.saved('4242424242424242');
    const { id: customer } = await stripe.customers.create({});
    const create = (more: object) =>
      refusalOf(
        stripe.paymentIntents.create({
          amount: 500,
          currency: 'usd',
          payment_method: method,
          confirm: true,
          ...more,
        }),
      );
    assert.equal((await create({ customer })).code, 'resource_missing');
    assert.match((await create({})).message, /belongs to a Customer/);
  });

  test('refunds in parts, reads and lists refunds', async () => {
    const { intent } = await kit.saved('4242424242424242');
    const first = await stripe.refunds.create({
      payment_intent: intent,
      amount: 1000,
      metadata: { refund: 'RF1' },
    });
    const second = await stripe.refunds.create({ payment_intent: intent });
    assert.deepEqual([first.status, first.amount, second.amount], ['succeeded', 1000, 1500]);
    assert.deepEqual(await stripe.refunds.retrieve(first.id), { ...first });
    const { data } = await stripe.refunds.list({ payment_intent: intent });
    assert.deepEqual(
      data.map(({ id }) => id),
      [second.id, first.id],
    );
    const charge = await stripe.charges.retrieve(first.charge as string, {
      expand: ['refunds', 'payment_intent'],
    });
    assert.deepEqual([charge.amount_refunded, charge.refunded, charge.refunds!.data.length], [2500, true, 2]);
    const again = await refusalOf(stripe.refunds.create({ payment_intent: intent }));
    assert.equal(again.code, 'charge_already_refunded');
  });

  test('reads events and balance transactions, also by type and time', async () => {
    const { intent } = await kit.saved('4242424242424242');
    await control.settle();
    const { latest_charge: charge } = await stripe.paymentIntents.retrieve(intent, {
      expand: ['latest_charge'],
    });
    const events = await stripe.events.list({
      type: 'payment_intent.succeeded',
      created: { gte: kit.nowS() },
    });
    assert.ok(events.data.every(({ type }) => type === 'payment_intent.succeeded'));
    const [event] = events.data;
    assert.equal((event!.data.object as { id: string }).id, intent);
    assert.deepEqual((await stripe.events.retrieve(event!.id)).data, event!.data);
    assert.equal((await stripe.events.list({ created: { gt: kit.nowS() } })).data.length, 0);
    assert.ok((await stripe.events.list({ types: ['charge.succeeded', 'charge.updated'] })).data.length >= 2);
    const balance = await stripe.balanceTransactions.list({
      source: (charge as { id: string }).id,
      type: 'charge',
      expand: ['data.source'],
    });
    assert.equal(balance.data.length, 1);
    assert.equal((balance.data[0]!.source as { id: string }).id, (charge as { id: string }).id);
    const [row] = balance.data;
    assert.deepEqual([row!.amount, row!.fee, row!.net], [2500, 103, 2397]);
    assert.equal((await stripe.balanceTransactions.retrieve(row!.id)).status, 'pending');
  });

  test('walks through every page in both directions', async () => {
    const { id: customer } = await stripe.customers.create({});
    const ids: string[] = [];
    for (let i = 0; i < 7; i += 1) ids.unshift((await kit.session({ customer })).id);
    const seen: string[] = [];
    for await (const { id } of stripe.checkout.sessions.list({ customer, limit: 3 })) seen.push(id);
    assert.deepEqual(seen, ids);
    const page = await stripe.checkout.sessions.list({ customer, limit: 3, ending_before: ids[5]! });
    assert.deepEqual([page.data.map(({ id }) => id), page.has_more], [ids.slice(2, 5), true]);
    const backwards: string[] = [];
    for await (const { id } of stripe.checkout.sessions.list({ customer, limit: 2, ending_before: ids[6]! }))
      backwards.push(id);
    assert.deepEqual(backwards, ids.slice(0, 6).reverse());
  });

  test('is let in with Basic too, and with no other key', async () => {
    const asked = (authorization?: string) =>
      fetch(`${kit.simulator.url}/v1/events`, { headers: authorization ? { authorization } : {} });
    const basic = `Basic ${Buffer.from(`${apiKey}:`).toString('base64')}`;
    assert.equal((await asked(basic)).status, 200);
    const without = await asked();
    assert.deepEqual(
      [without.status, without.headers.get('www-authenticate')],
      [401, 'Basic realm="Stripe"'],
    );
    assert.match(((await without.json()) as Wire).error.message, /did not provide an API key/);
    const wrong = await refusalOf(
      clientOf(kit.simulator.url, 'sk_test_somebody_elses_0002').customers.create({}),
    );
    assert.deepEqual([wrong.statusCode, wrong.type], [401, 'StripeAuthenticationError']);
    assert.equal(wrong.message, 'Invalid API Key provided: sk_test_********0002');
  });

  suite('is refused', () => {
    const money = { amount: 500, currency: 'usd' };
    const line = topUp.line_items[0]!;
    const post = (path: string, body: string) => async () => {
      const answer = await kit.call('POST', path, body);
      return { status: answer.status, ...((await answer.json()) as Wire).error };
    };
    const client = (work: () => Promise<unknown>) => async () => {
      const { statusCode, raw } = await refusalOf(work());
      return { status: statusCode, ...(raw as object) };
    };
    for (const [what, ask, wanted] of [
      [
        'an unknown parameter',
        post('/v1/customers', 'colour=red'),
        { status: 400, code: 'parameter_unknown', param: 'colour', type: 'invalid_request_error' },
      ],
      [
        'an unknown parameter deep inside',
        post(
          '/v1/payment_intents',
          'amount=500&currency=usd&automatic_payment_methods[enabled]=true&automatic_payment_methods[x][y]=1',
        ),
        { code: 'parameter_unknown', param: 'automatic_payment_methods[x]' },
      ],
      [
        'a missing one',
        post('/v1/payment_intents', 'currency=usd'),
        { code: 'parameter_missing', param: 'amount' },
      ],
      [
        'a missing one deep inside',
        post(
          '/v1/checkout/sessions',
          'mode=payment&success_url=https://a.example&line_items[0][quantity]=1&line_items[0][price_data][currency]=eur&line_items[0][price_data][unit_amount]=500',
        ),
        { code: 'parameter_missing', param: 'line_items[0][price_data][product_data]' },
      ],
      [
        'text for a number',
        post('/v1/payment_intents', 'amount=5.5&currency=usd'),
        { code: 'parameter_invalid_integer', param: 'amount' },
      ],
      ['an empty text', post('/v1/customers', 'name='), { code: 'parameter_invalid_empty', param: 'name' }],
      [
        'an unknown word',
        post('/v1/checkout/sessions', 'mode=setup&success_url=https://a.example'),
        { param: 'mode', type: 'invalid_request_error' },
      ],
      ['a text for a list', post('/v1/customers', 'expand=x'), { message: 'Invalid array', param: 'expand' }],
      ['a name that is no name', post('/v1/customers', 'a]b[=1'), { type: 'invalid_request_error' }],
      ['an object that is a text too', post('/v1/customers', 'address=x&address[city]=y'), { status: 400 }],
      [
        'a bad URL',
        client(() => kit.session({ success_url: 'javascript:alert(1)' })),
        { code: 'url_invalid', param: 'success_url' },
      ],
      [
        'too little money',
        client(() => stripe.paymentIntents.create({ ...money, amount: 49 })),
        { code: 'amount_too_small', param: 'amount' },
      ],
      [
        'too much',
        client(() => stripe.paymentIntents.create({ ...money, amount: 100_000_000 })),
        { code: 'amount_too_large' },
      ],
      [
        'too little in a session',
        client(() =>
          kit.session({
            line_items: [{ ...line, quantity: 1, price_data: { ...line.price_data, unit_amount: 49 } }],
          }),
        ),
        { code: 'amount_too_small' },
      ],
      ['a session of nothing', client(() => kit.session({ line_items: [] })), { param: 'line_items' }],
      [
        'a session that expires too soon',
        client(() => kit.session({ expires_at: kit.nowS() + 60 })),
        { param: 'expires_at' },
      ],
      [
        'a session that expires too late',
        client(() => kit.session({ expires_at: kit.nowS() + 90_000 })),
        { param: 'expires_at' },
      ],
      [
        'a customer who is not there',
        client(() => kit.session({ customer: 'cus_nobody' })),
        { status: 400, code: 'resource_missing', param: 'customer' },
      ],
      [
        'an object that is not there',
        client(() => stripe.paymentIntents.retrieve('pi_nothing')),
        { status: 404, code: 'resource_missing', message: "No such payment_intent: 'pi_nothing'" },
      ],
      ['no such session', client(() => stripe.checkout.sessions.retrieve('cs_no')), { status: 404 }],
      [
        'no such refund',
        client(() => stripe.refunds.retrieve('re_no')),
        { status: 404, code: 'resource_missing' },
      ],
      [
        'a refund of nothing',
        client(() => stripe.refunds.create({})),
        { status: 400, type: 'invalid_request_error' },
      ],
      [
        'what cannot be expanded',
        client(() => stripe.customers.create({ expand: ['mother'] })),
        { message: 'This property cannot be expanded (mother).' },
      ],
      [
        'a page from nowhere',
        client(() => stripe.refunds.list({ starting_after: 're_no' })),
        { code: 'resource_missing', param: 'starting_after' },
      ],
      ['a page that is too long', client(() => stripe.events.list({ limit: 101 })), { param: 'limit' }],
      [
        'off_session without confirm',
        client(() => stripe.paymentIntents.create({ ...money, off_session: true })),
        { param: 'off_session' },
      ],
      [
        'a path that is not there',
        client(() => stripe.products.list()),
        { status: 404, type: 'invalid_request_error' },
      ],
    ] as const) {
      test(what, async () => {
        const refused = await ask();
        assert.partialDeepStrictEqual(refused, wanted);
      });
    }
  });
});
