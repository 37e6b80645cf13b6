import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { exactWebhooks, startPaymentSimulator } from '@godwit/simulator/payments';
import Stripe from 'stripe';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { PaymentCallFailed } from '../../modules/payments/index.ts';
import { manualClock } from '../../platform/clock.ts';
import { newUuid } from '../../platform/ids.ts';
import { createPayments } from './payments.ts';

const lifetime = sharedLifetime();
const clock = manualClock('2026-08-21T10:00:00.000Z');
const simulator = await startPaymentSimulator({
  port: 0,
  apiKeys: ['sk_test_right'],
  webhooks: [{ url: null, secrets: ['whsec_one'] }],
  clock,
  instant: true,
  seed: 'test',
  settings: exactWebhooks,
});
const none = { secretKey: null, webhookSecrets: [] };
const payments = createPayments({
  live: none,
  sandbox: { secretKey: 'sk_test_right', webhookSecrets: ['whsec_new', 'whsec_old'] },
});
lifetime.after(async () => {
  await payments.close();
  await simulator.stop();
});
const service = payments.service(false, simulator.url)!;
const { control } = simulator;
const accountSid = 'AC01K3SAMP1E0000000000000000';
const customerId = await service.createCustomer('customer', accountSid);

const someSession = () => ({
  accountSid,
  intentId: newUuid(clock.now()),
  customerId,
  amountMinor: 5950n,
  currency: 'USD',
  lines: [
    { name: 'Top-up', amountMinor: 5000n },
    { name: 'VAT', amountMinor: 950n },
  ],
  saveCard: true,
  expiresAt: new Date(clock.now().getTime() + 3_600_000),
  returnUrl: 'http://127.0.0.1/pay/x',
});

/** Somebody has paid on a page, and their card is saved. */
async function paid(number = '4242424242424242') {
  const asked = someSession();
  const opened = await service.openSession(asked.intentId, asked);
  control.pay(opened.id, { number });
  await control.settle();
  const session = await service.readSession(opened.id);
  return { ...asked, session, payment: session.payment! };
}
const failing = (work: Promise<unknown>): Promise<PaymentCallFailed> =>
  work.then(
    () => assert.fail('it succeeded'),
    (error) => {
      assert.ok(error instanceof PaymentCallFailed, String(error));
      return error;
    },
  );

suite('a page to pay on', () => {
  test('is read back with its payment, card, fee and our own ids', async () => {
    const { intentId, session, payment } = await paid();
    assert.deepEqual([session.status, session.intentId, session.url], ['complete', intentId, null]);
    assert.deepEqual(
      [payment.status, payment.amountMinor, payment.currency, payment.intentId, payment.customerId],
      ['succeeded', 5950n, 'USD', intentId, customerId],
    );
    assert.deepEqual(payment.card, { brand: 'visa', last4: '4242', expMonth: 12, expYear: 2028 });
    assert.deepEqual([payment.charge!.move!.amountMinor, payment.charge!.move!.feeMinor], [5950n, 203n]);
    assert.deepEqual(await service.readPayment(payment.id), payment);
  });
  test('tells of the last card that was declined', async () => {
    const asked = someSession();
    const { id } = await service.openSession(asked.intentId, asked);
    control.pay(id, { number: '4000000000009995' });
    const { status, payment } = await service.readSession(id);
    assert.deepEqual(
      [status, payment!.status, payment!.failure!.declineCode],
      ['open', 'waiting', 'insufficient_funds'],
    );
  });
  test('is found by our own id when its answer was lost', async () => {
    const asked = someSession();
    assert.equal(await service.findSession(customerId, asked.intentId, clock.now()), null);
    const { id } = await service.openSession(asked.intentId, asked);
    assert.equal((await service.findSession(customerId, asked.intentId, clock.now()))!.id, id);
  });
  test('is closed once, and stays paid where it was', async () => {
    const asked = someSession();
    const { id } = await service.openSession(asked.intentId, asked);
    assert.equal((await service.closeSession(id)).status, 'expired');
    assert.equal((await service.closeSession(id)).status, 'expired');
    assert.equal((await service.closeSession((await paid()).session.id)).status, 'complete');
  });
});

suite('a saved card', () => {
  const charge = (of: { payment: { methodId: string | null } }, amountMinor = 990n) => ({
    accountSid,
    intentId: newUuid(clock.now()),
    customerId,
    methodId: of.payment.methodId!,
    amountMinor,
    currency: 'USD',
    description: 'Invoice',
  });
  test('is charged once for a key, and found by our own id', async () => {
    const asked = charge(await paid());
    const first = await service.charge(asked.intentId, asked);
    assert.deepEqual(await service.charge(asked.intentId, asked), first);
    assert.deepEqual([first.status, first.amountMinor, first.failure], ['succeeded', 990n, null]);
    assert.equal((await service.findPayment(customerId, asked.intentId, clock.now()))!.id, first.id);
    assert.equal(control.charges(asked.intentId).length, 1);
  });
  test('that is declined, or asks for its holder, answers why', async () => {
    const declined = charge(await paid('4000000000000341'));
    assert.equal((await service.charge(declined.intentId, declined)).failure!.code, 'card_declined');
    const asking = charge(await paid('4000002760003184'));
    assert.equal((await service.charge(asking.intentId, asking)).failure!.code, 'authentication_required');
  });
});

suite('a refund', () => {
  test('is made once for a key, and listed by our own id', async () => {
    const { intentId, payment } = await paid();
    const refundId = newUuid(clock.now());
    const asked = {
      accountSid,
      intentId,
      refundId,
      paymentId: payment.id,
      amountMinor: 100n,
      currency: 'USD',
      reason: null,
    };
    const made = await service.refund(refundId, asked);
    await service.refund(refundId, asked);
    assert.deepEqual(await service.refundsOf(payment.id), [made]);
    assert.deepEqual([made.status, made.refundId, made.amountMinor], ['succeeded', refundId, 100n]);
  });
});

suite('a dispute', () => {
  test('is read with what it moved, also when it is about more than was paid', async () => {
    const { payment } = await paid();
    control.dispute(payment.charge!.id, { amount: 7000 });
    const [open] = await service.disputesOf(payment.id);
    assert.deepEqual([open!.state, open!.amountMinor, open!.moves[0]!.amountMinor], ['open', 7000n, -7000n]);
    control.closeDispute(open!.id, 'won');
    const [won] = await service.disputesOf(payment.id);
    assert.deepEqual([won!.state, won!.moves.length], ['won', 2]);
  });
});

suite('a call that brings no result', () => {
  const openBy = (key: string) => {
    const asked = { ...someSession(), intentId: '01990000-0000-7000-8000-00000000000a' };
    return service.openSession(key, asked);
  };
  const rule = (behaviour: object) =>
    control.addRule({ match: { path: 'checkout/sessions', method: 'POST' }, behaviour, count: 1 });
  test('was not taken when the service is too busy or the connection never came about', async () => {
    rule({ refuse: { http: 429 } });
    assert.equal((await failing(openBy('a'))).outcome, 'not_taken');
    const nobody = payments.service(false, 'http://127.0.0.1:1')!;
    assert.equal((await failing(nobody.readPayment('pi_x'))).outcome, 'not_taken');
  });
  test('is refused for good when it was understood and is wrong', async () => {
    assert.equal((await failing(service.readPayment('pi_unknown'))).outcome, 'refused');
  });
  test('is unknown when its answer is lost or unreadable, and the same key asks again', async () => {
    for (const [key, answer] of [
      ['b', 'garbage'],
      ['c', 'bad-gateway-accepted'],
      ['d', 'bad-gateway'],
    ] as const) {
      rule({ answer });
      assert.equal((await failing(openBy(key))).outcome, 'unknown');
      assert.equal((await openBy(key)).status, 'open');
    }
  });
  test('is kept when the service answers the key with its failure for ever', async () => {
    rule({ answer: 'error-accepted' });
    assert.equal((await failing(openBy('e'))).outcome, 'unknown');
    assert.equal((await failing(openBy('e'))).outcome, 'kept');
  });
});

suite('what happened', () => {
  test('is listed with what leads to our payment', async () => {
    const { intentId, payment } = await paid();
    const events = await Array.fromAsync(service.events(clock.now()));
    const own = events.filter((event) => event.paymentId === payment.id);
    assert.ok(own.some(({ type }) => type === 'payment_intent.succeeded'));
    assert.ok(own.every((event) => event.intentId === intentId && event.accountSid === accountSid));
    const moves = await Array.fromAsync(service.moves(clock.now()));
    assert.ok(moves.some(({ sourceId }) => sourceId === payment.charge!.id));
  });
});

suite('a webhook', () => {
  const event = {
    id: 'evt_1',
    object: 'event',
    type: 'payment_intent.succeeded',
    livemode: false,
    created: 1,
    data: { object: { id: 'pi_1', object: 'payment_intent', metadata: { godwit_account: accountSid } } },
  };
  const body = JSON.stringify(event);
  const signed = (secret: string, text = body, at = clock.now()) =>
    Stripe.webhooks.generateTestHeaderString({
      payload: text,
      secret,
      timestamp: Math.floor(at.getTime() / 1000),
    });
  const read = (header: string, text = body) =>
    payments.readCallback(false, Buffer.from(text), header, clock.now());

  test('is believed with either of two secrets, and says whose payment it is about', async () => {
    for (const secret of ['whsec_new', 'whsec_old']) {
      const seen = await read(signed(secret));
      assert.deepEqual([seen!.id, seen!.paymentId, seen!.accountSid], ['evt_1', 'pi_1', accountSid]);
    }
  });
  test('is not believed when it is forged, changed, old, of live mode, or no event at all', async () => {
    assert.equal(await read(signed('whsec_wrong')), null);
    assert.equal(await read(signed('whsec_new'), body.replace('pi_1', 'pi_2')), null);
    assert.equal(await read(signed('whsec_new', body, new Date(clock.now().getTime() - 301_000))), null);
    const live = body.replace('"livemode":false', '"livemode":true');
    assert.equal(await read(signed('whsec_new', live), live), null);
    for (const text of ['', '[]', '{}', 'null', '{"data":{}}'])
      assert.equal(await read(signed('whsec_new', text), text), null);
    for (const header of ['', 't=1', 'v1=abc', 'x'.repeat(9999)]) assert.equal(await read(header), null);
  });
  test('of live mode is not taken without secrets', async () => {
    assert.equal(payments.takesCallbacks(true), false);
    assert.equal(payments.service(true, simulator.url), null);
    assert.equal(
      await payments.readCallback(true, Buffer.from(body), signed('whsec_new'), clock.now()),
      null,
    );
  });
});
