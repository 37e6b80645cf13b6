// What each test card does: paid by its holder, and charged again while they are away.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { sharedLifetime } from '../../../server/test/harness/lifetime.ts';
import { testCards } from '../../src/payments/index.ts';
import { refusalOf, startPaymentKit } from './harness.ts';

const lifetime = sharedLifetime();
const kit = await startPaymentKit(lifetime);

suite('a test card', () => {
  const { stripe, control } = kit;

  const attached = async (name: string) => {
    const { id: customer } = await stripe.customers.create({});
    const method = await stripe.paymentMethods.attach(`pm_card_${name}`, { customer });
    return { customer, method: method.id };
  };
  const chargeAway = ({ customer, method }: { customer: string; method: string }) =>
    stripe.paymentIntents.create({
      amount: 900,
      currency: 'usd',
      customer,
      payment_method: method,
      off_session: true,
      confirm: true,
    });

  const declined: Record<string, [code: string, decline: string]> = {
    '4000000000000002': ['card_declined', 'generic_decline'],
    '4000000000009995': ['card_declined', 'insufficient_funds'],
    '4000000000009987': ['card_declined', 'lost_card'],
    '4000000000009979': ['card_declined', 'stolen_card'],
    '4000000000000069': ['expired_card', 'expired_card'],
    '4000000000000127': ['incorrect_cvc', 'incorrect_cvc'],
    '4000000000000119': ['processing_error', 'processing_error'],
    '4000008260003178': ['card_declined', 'insufficient_funds'],
    // A card that nobody issued for tests.
    '4111111111111111': ['card_declined', 'test_mode_live_card'],
  };
  for (const { number, name } of [...testCards, { number: '4111111111111111', name: '' }]) {
    test(`${number} ${name} ${declined[number] ? 'is declined' : 'pays'} when its holder is present`, async () => {
      const { id } = await kit.session();
      const intent = control.pay(id, { number });
      const session = await stripe.checkout.sessions.retrieve(id);
      const wanted = declined[number];
      if (!wanted) {
        assert.deepEqual([intent.status, session.payment_status], ['succeeded', 'paid']);
        return;
      }
      const { code, decline_code: decline, type } = intent.last_payment_error!;
      assert.deepEqual([code, decline, type], [...wanted, 'card_error']);
      assert.deepEqual([intent.status, session.status], ['requires_payment_method', 'open']);
      assert.equal(session.payment_intent, intent.id);
    });
  }

  test('that is declined away from its holder is answered 402, with the payment as it is', async () => {
    const error = await refusalOf(chargeAway(await attached('chargeDeclinedLostCard')));
    assert.deepEqual([error.statusCode, error.type, error.code], [402, 'StripeCardError', 'card_declined']);
    assert.deepEqual([error.decline_code, error.advice_code], ['lost_card', 'do_not_try_again']);
    const intent = error.payment_intent!;
    assert.deepEqual(
      [intent.status, intent.last_payment_error!.charge],
      ['requires_payment_method', error.charge],
    );
    assert.equal((await stripe.paymentIntents.retrieve(intent.id)).status, 'requires_payment_method');
    assert.equal((await stripe.charges.retrieve(error.charge!)).status, 'failed');
  });

  for (const [number, away] of [
    ['4000002500003155', 'succeeded'],
    ['4000000000003220', 'authentication_required'],
    ['4000002760003184', 'authentication_required'],
    ['4000003800000446', 'succeeded'],
    ['4000000000000341', 'card_declined'],
  ] as const) {
    test(`${number} that was saved is answered ${away} later`, async () => {
      const saved = await kit.saved(number);
      const outcome = await chargeAway(saved).then(
        ({ status }) => status,
        ({ code }) => code,
      );
      assert.equal(outcome, away);
    });
  }

  test('4000002500003155 asks again when it was never authenticated', async () => {
    const error = await refusalOf(chargeAway(await attached('authenticationRequiredOnSetup')));
    assert.deepEqual(
      [error.code, error.decline_code],
      ['authentication_required', 'authentication_required'],
    );
  });

  test('sends its holder to 3-D Secure, and back with the outcome', async () => {
    for (const [outcome, status] of [
      ['complete', 'succeeded'],
      ['fail', 'requires_payment_method'],
    ] as const) {
      const intent = await stripe.paymentIntents.create({
        amount: 700,
        currency: 'eur',
        payment_method: 'pm_card_threeDSecure2Required',
        confirm: true,
        return_url: 'https://console.example/back',
      });
      assert.equal(intent.status, 'requires_action');
      const { url } = intent.next_action!.redirect_to_url!;
      const path = new URL(url!).pathname;
      const answer = await kit.call('POST', path, `outcome=${outcome}`);
      const back = new URL(answer.headers.get('location')!);
      assert.deepEqual(
        [back.searchParams.get('payment_intent'), back.searchParams.get('redirect_status')],
        [intent.id, outcome === 'complete' ? 'succeeded' : 'failed'],
      );
      const after = await stripe.paymentIntents.retrieve(intent.id);
      assert.equal(after.status, status);
      if (outcome === 'fail')
        assert.equal(after.last_payment_error!.code, 'payment_intent_authentication_failure');
      // The answer counts once.
      assert.equal((await kit.call('POST', path, 'outcome=complete')).status, 200);
      assert.equal((await stripe.paymentIntents.retrieve(intent.id)).status, status);
    }
  });

  test('saves whoever pays with it as a customer, when the card is to be kept', async () => {
    const { id } = await kit.session({ payment_intent_data: { setup_future_usage: 'off_session' } });
    const intent = control.pay(id, { number: '4242424242424242', name: 'Ines' });
    const { customer } = await stripe.checkout.sessions.retrieve(id, { expand: ['customer'] });
    assert.equal((customer as { name: string }).name, 'Ines');
    assert.equal(intent.customer, (customer as { id: string }).id);
    assert.equal((await stripe.paymentMethods.retrieve(intent.payment_method!)).customer, intent.customer);
  });
});
