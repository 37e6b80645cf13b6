// Refunds, disputes, payments that take their time, and what they do to the balance.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { sharedLifetime } from '../../../server/test/harness/lifetime.ts';
import { refusalOf, startPaymentKit } from './harness.ts';

const lifetime = sharedLifetime();
const kit = await startPaymentKit(lifetime, { instant: false });

suite('money', () => {
  const { stripe, control } = kit;
  const paid = async (number: string) => {
    const { id } = await kit.session();
    const intent = control.pay(id, { number });
    return { session: id, intent: intent.id, charge: intent.latest_charge! };
  };
  const balanceOf = async (source: string) =>
    (await stripe.balanceTransactions.list({ source })).data.map(
      ({ type, reporting_category: category, amount, fee }) => [type, category, amount, fee],
    );

  test('of a charge is on the balance a moment later, and available after two days', async () => {
    const { charge } = await paid('4242424242424242');
    assert.equal((await stripe.charges.retrieve(charge)).balance_transaction, null);
    assert.deepEqual(await balanceOf(charge), []);
    await control.advance(1_000);
    assert.deepEqual(await balanceOf(charge), [['charge', 'charge', 2500, 103]]);
    const { balance_transaction: row } = await stripe.charges.retrieve(charge, {
      expand: ['balance_transaction'],
    });
    assert.equal((row as { status: string }).status, 'pending');
    await control.advance(2 * 86_400_000);
    assert.equal((await stripe.balanceTransactions.retrieve((row as { id: string }).id)).status, 'available');
  });

  test('goes back pending at first with 4000000000007726', async () => {
    const { intent } = await paid('4000000000007726');
    const refund = await stripe.refunds.create({ payment_intent: intent });
    assert.deepEqual([refund.status, refund.pending_reason], ['pending', 'processing']);
    await kit.told();
    await control.advance(5_000);
    const after = await stripe.refunds.retrieve(refund.id);
    assert.deepEqual([after.status, after.pending_reason], ['succeeded', undefined]);
    assert.deepEqual(await kit.told(), ['charge.refund.updated', 'refund.updated']);
  });

  test('comes back to us when a refund with 4000000000005126 fails', async () => {
    const { intent, charge } = await paid('4000000000005126');
    const refund = await stripe.refunds.create({ payment_intent: intent, amount: 600 });
    assert.equal(refund.status, 'succeeded');
    assert.equal((await stripe.charges.retrieve(charge)).amount_refunded, 600);
    await kit.told();
    await control.advance(5_000);
    assert.deepEqual(await kit.told(), ['charge.refund.updated', 'refund.updated', 'refund.failed']);
    const after = await stripe.refunds.retrieve(refund.id, { expand: ['failure_balance_transaction'] });
    assert.deepEqual([after.status, after.failure_reason], ['failed', 'expired_or_canceled_card']);
    assert.equal((after.failure_balance_transaction as { amount: number }).amount, 600);
    assert.equal((await stripe.charges.retrieve(charge)).amount_refunded, 0);
    assert.deepEqual(await balanceOf(refund.id), [
      ['refund_failure', 'refund_failure', 600, 0],
      ['refund', 'refund', -600, 0],
    ]);
  });

  test('refunded by hand can be made to fail', async () => {
    const { intent } = await paid('4242424242424242');
    const refund = await stripe.refunds.create({ payment_intent: intent });
    await kit.tell('POST', `refunds/${refund.id}`, { status: 'failed', reason: 'unknown' });
    assert.equal((await stripe.refunds.retrieve(refund.id)).failure_reason, 'unknown');
  });

  test('is never refunded beyond what was paid', async () => {
    const { intent } = await paid('4242424242424242');
    await stripe.refunds.create({ payment_intent: intent, amount: 2000 });
    const error = await refusalOf(stripe.refunds.create({ payment_intent: intent, amount: 501 }));
    assert.deepEqual([error.statusCode, error.param], [400, 'amount']);
  });

  test('is withdrawn by a dispute with 4000000000000259, keeps refunds away, and returns when it is won', async () => {
    const { intent, charge } = await paid('4000000000000259');
    await kit.told();
    await control.advance(2_000);
    assert.deepEqual(
      (await kit.told()).filter((type) => type.includes('dispute')),
      ['charge.dispute.created', 'charge.dispute.funds_withdrawn'],
    );
    const [dispute] = (await stripe.disputes.list({ payment_intent: intent })).data;
    assert.deepEqual(
      [dispute!.reason, dispute!.status, dispute!.amount],
      ['fraudulent', 'needs_response', 2500],
    );
    assert.equal((await stripe.charges.retrieve(charge)).disputed, true);
    const refused = await refusalOf(stripe.refunds.create({ payment_intent: intent }));
    assert.equal(refused.code, 'charge_disputed');
    await kit.tell('POST', `disputes/${dispute!.id}/close`, { outcome: 'won' });
    assert.deepEqual(await kit.told(), ['charge.dispute.funds_reinstated', 'charge.dispute.closed']);
    assert.equal((await stripe.disputes.retrieve(dispute!.id)).status, 'won');
    assert.deepEqual(await balanceOf(dispute!.id), [
      ['adjustment', 'dispute_reversal', 2500, 0],
      ['adjustment', 'dispute', -2500, 1500],
    ]);
    assert.equal((await stripe.refunds.create({ payment_intent: intent })).status, 'succeeded');
    const again = await kit.tell('POST', `disputes/${dispute!.id}/close`, { outcome: 'lost' });
    assert.deepEqual([again.status, again.body.error.message], [400, 'The dispute is won.']);
  });

  test('stays away when a dispute is lost, and can be disputed beyond what was paid', async () => {
    const { charge } = await paid('4242424242424242');
    await control.advance(1_000);
    const { body: dispute } = await kit.tell('POST', 'disputes', {
      charge,
      amount: 3000,
      reason: 'duplicate',
    });
    await kit.told();
    await kit.tell('POST', `disputes/${dispute.id}/close`, { outcome: 'lost' });
    assert.deepEqual(await kit.told(), ['charge.dispute.closed']);
    assert.deepEqual(await balanceOf(dispute.id), [['adjustment', 'dispute', -3000, 1500]]);
  });

  test('stays where it is while a bank only inquires', async () => {
    const { intent } = await paid('4000000000001976');
    await control.advance(2_000);
    await kit.told();
    const [dispute] = (await stripe.disputes.list({ payment_intent: intent })).data;
    assert.equal(dispute!.status, 'warning_needs_response');
    assert.deepEqual(await balanceOf(dispute!.id), []);
    assert.equal(control.closeDispute(dispute!.id, 'won').status, 'warning_closed');
    assert.deepEqual(await kit.told(), ['charge.dispute.closed']);
  });

  for (const [settles, status, payment, told] of [
    ['later', 'succeeded', 'paid', 'checkout.session.async_payment_succeeded'],
    ['never', 'requires_payment_method', 'unpaid', 'checkout.session.async_payment_failed'],
  ] as const) {
    test(`of a payment that settles ${settles} leaves the session complete and unpaid until then`, async () => {
      await kit.tell('POST', 'rules', { behaviour: { settles }, count: 1 });
      const { session, intent } = await paid('4242424242424242');
      const first = await stripe.checkout.sessions.retrieve(session, { expand: ['payment_intent'] });
      assert.deepEqual([first.status, first.payment_status], ['complete', 'unpaid']);
      assert.equal((first.payment_intent as { status: string }).status, 'processing');
      await control.advance(5_000);
      assert.equal((await stripe.checkout.sessions.retrieve(session)).payment_status, payment);
      assert.equal((await stripe.paymentIntents.retrieve(intent)).status, status);
      assert.ok((await kit.told()).includes(told));
    });
  }
});

test('a session expires by the clock, and gives up the payment that was begun', async (context) => {
  const kit = await startPaymentKit(context);
  const { id } = await kit.session({ expires_at: kit.nowS() + 1800 });
  const intent = kit.control.pay(id, { number: '4000000000000002' });
  await kit.told();
  await kit.control.advance(1_799_000);
  assert.equal((await kit.stripe.checkout.sessions.retrieve(id)).status, 'open');
  await kit.control.advance(1_000);
  assert.deepEqual(await kit.told(), ['payment_intent.canceled', 'checkout.session.expired']);
  assert.equal((await kit.stripe.checkout.sessions.retrieve(id)).status, 'expired');
  assert.equal((await kit.stripe.paymentIntents.retrieve(intent.id)).status, 'canceled');
});
