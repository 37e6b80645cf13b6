// Webhooks as a receiver gets them: verified by the public client, every one.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type Stripe from 'stripe';
import { sharedLifetime } from '../../../server/test/harness/lifetime.ts';
import type { Received } from '../harness.ts';
import { type PaymentKit, secret, startPaymentKit } from './harness.ts';

const verified = ({ stripe, nowS }: PaymentKit, { text, headers }: Received, by = secret): Stripe.Event =>
  stripe.webhooks.constructEvent(
    Buffer.from(text, 'latin1'),
    headers['stripe-signature']!,
    by,
    300,
    undefined,
    nowS() * 1000,
  );

const lifetime = sharedLifetime();
const firstKit = await startPaymentKit(lifetime);
const secondKit = await startPaymentKit(lifetime);

suite('a webhook', () => {
  const kit = firstKit;
  const { stripe, control, receiver } = kit;

  test('comes for everything that happens, in order, and each proves where it is from', async () => {
    const { id: customer } = await stripe.customers.create({ name: 'Zoë' });
    const { id } = await kit.session({
      customer,
      payment_intent_data: { setup_future_usage: 'off_session', metadata: { intent: 'PI1' } },
    });
    control.pay(id, { number: '4000000000000002' });
    const intent = control.pay(id, { number: '4000002500003155' });
    await stripe.refunds.create({ payment_intent: intent.id, amount: 100 }, { idempotencyKey: 'refund-1' });
    await control.settle();
    const events = receiver.received.splice(0).map((one) => verified(kit, one));
    assert.deepEqual(
      events.map(({ type }) => type),
      [
        'customer.created',
        'payment_intent.created',
        'charge.failed',
        'payment_intent.payment_failed',
        'payment_intent.requires_action',
        'payment_method.attached',
        'charge.succeeded',
        'payment_intent.succeeded',
        'checkout.session.completed',
        'charge.updated',
        'refund.created',
        'charge.refunded',
      ],
    );
    const completed = events.find(({ type }) => type === 'checkout.session.completed')!;
    assert.partialDeepStrictEqual(completed.data.object, {
      id,
      payment_status: 'paid',
      payment_intent: intent.id,
      metadata: { intent: 'PI1' },
      client_reference_id: 'AC1',
    });
    const succeeded = events.find(({ type }) => type === 'charge.succeeded')!;
    assert.equal((succeeded.data.object as Stripe.Charge).balance_transaction, null);
    const refunded = events.at(-1)!;
    assert.equal(refunded.request!.idempotency_key, 'refund-1');
    assert.deepEqual(refunded.data.previous_attributes, { amount_refunded: 0, refunded: false });
    const { data } = await stripe.events.list({ limit: 100 });
    assert.deepEqual(
      data.map((event) => event.id),
      events.map((event) => event.id).reverse(),
    );
    assert.ok(data.every(({ pending_webhooks: pending }) => pending === 0));
  });

  test('shows the object as it was, whatever became of it since', async () => {
    const { intent } = await kit.saved('4242424242424242');
    await stripe.refunds.create({ payment_intent: intent });
    const [event] = (await stripe.events.list({ type: 'charge.succeeded' })).data;
    assert.equal((event!.data.object as Stripe.Charge).refunded, false);
  });

  test('is signed by both secrets while one is rolled', async () => {
    const other = control.addEndpoint({
      url: receiver.url,
      secrets: ['whsec_b', 'whsec_a'],
      events: ['customer.created'],
    });
    await kit.told();
    await stripe.customers.create({});
    await control.settle();
    const [, second] = receiver.received.splice(0);
    assert.equal(verified(kit, second!, 'whsec_a').type, 'customer.created');
    assert.equal(verified(kit, second!, 'whsec_b').type, 'customer.created');
    assert.throws(() => verified(kit, second!, secret));
    control.removeEndpoint(other.id);
  });

  test('of a type nobody asked for is not sent', async () => {
    const other = control.addEndpoint({ url: receiver.url, secrets: ['x'], events: ['refund.failed'] });
    await kit.told();
    await stripe.customers.create({});
    assert.deepEqual(await kit.told(), ['customer.created']);
    control.removeEndpoint(other.id);
  });

  test('that is not taken comes again, ever more rarely, with a new signature, and keeps no other back', async () => {
    await kit.told();
    receiver.state.refusals = 2;
    const { id } = await stripe.customers.create({});
    await control.settle();
    const own = () => receiver.received.filter(({ body }) => body.data.object.id === id);
    assert.equal(own().length, 0);
    const [pending] = (await stripe.events.list({ type: 'customer.created', limit: 1 })).data;
    assert.equal(pending!.pending_webhooks, 1);
    await control.advance(5 * 60_000);
    await stripe.customers.create({});
    await control.settle();
    assert.deepEqual([own().length, receiver.received.length], [0, 1]);
    await control.advance(30 * 60_000);
    assert.equal(own().length, 1);
    assert.equal(verified(kit, own()[0]!).id, pending!.id);
    assert.equal((await stripe.events.retrieve(pending!.id)).pending_webhooks, 0);
    const attempts = control
      .callbacks(0, 10_000)
      .data.filter(({ event }) => event === pending!.id)
      .map(({ attempt, status }) => [attempt, status]);
    assert.deepEqual(attempts, [
      [1, 503],
      [2, 503],
      [3, 200],
    ]);
  });

  test('is sent once more by hand', async () => {
    await kit.told();
    const [event] = (await stripe.events.list({ limit: 1 })).data;
    await kit.tell('POST', `events/${event!.id}/resend`);
    assert.deepEqual(await kit.told(), [event!.type]);
  });
});

suite('a rule has webhooks', () => {
  const kit = secondKit;
  const { control } = kit;
  const inOrder = [
    'payment_intent.created',
    'charge.succeeded',
    'payment_intent.succeeded',
    'checkout.session.completed',
  ];
  const paid = async (behaviour: object, type?: string) => {
    const { id } = await kit.session();
    await kit.told();
    await kit.tell('POST', 'rules', { match: { ...(type && { type }) }, behaviour });
    control.pay(id, { number: '4242424242424242' });
    const told = await kit.told();
    await kit.tell('DELETE', 'rules');
    return told.filter((each) => each !== 'charge.updated');
  };

  test('twice', async () => {
    assert.deepEqual(
      await paid({ copies: 2 }),
      inOrder.flatMap((type) => [type, type]),
    );
  });
  test('in the opposite order', async () => {
    assert.deepEqual(await paid({ reversed: true }), inOrder.toReversed());
  });
  test('never', async () => {
    assert.deepEqual(await paid({ lost: true }, 'checkout.session.completed'), inOrder.slice(0, 3));
  });
  test('late by the clock', async () => {
    assert.deepEqual(await paid({ delayMs: 3_600_000 }, 'charge.succeeded'), [
      inOrder[0],
      inOrder[2],
      inOrder[3],
    ]);
    await control.advance(3_600_000);
    assert.deepEqual(await kit.told(), ['charge.succeeded']);
  });
});

test('by themselves a few come twice or late, the same ones for the same seed, and none is lost', async (context) => {
  const run = async () => {
    const kit = await startPaymentKit(context, {
      settings: { duplicateCallbacks: 0.2, reorderCallbacks: 0.2 },
    });
    for (let i = 0; i < 40; i += 1) await kit.stripe.customers.create({});
    await kit.control.settle();
    return kit.receiver.received.map(({ body }) => body.id);
  };
  const first = await run();
  assert.equal(new Set(first).size, 40);
  assert.ok(first.length > 40, String(first.length));
  assert.deepEqual(await run(), first);
});
