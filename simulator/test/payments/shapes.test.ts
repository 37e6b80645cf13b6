// What the simulator answers has the members that the service's own samples have.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { sharedLifetime } from '../../../server/test/harness/lifetime.ts';
import { startPaymentKit } from './harness.ts';
import samples from './sample-objects.json' with { type: 'json' };

type Item = Record<string, unknown>;
const isItem = (value: unknown): value is Item =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Members of the sample that are missing, as paths; where one side has null there is nothing to compare. */
function missingIn(made: Item, sample: Item, at = ''): string[] {
  return Object.entries(sample).flatMap(([name, value]) => {
    const path = `${at}${name}`;
    if (!Object.hasOwn(made, name)) return [path];
    return isItem(value) && isItem(made[name]) ? missingIn(made[name], value, `${path}.`) : [];
  });
}

// Members that the samples show and the service leaves out: refunds come only when they are expanded.
const absent: Record<string, string[]> = { charge: ['refunds'] };

const lifetime = sharedLifetime();
const kit = await startPaymentKit(lifetime);

const { stripe, control } = kit;
const { customer, method, intent, session } = await kit.saved('4000000000000259');
await control.settle();
const refunded = await kit.saved('4242424242424242');
const refund = await stripe.refunds.create({ payment_intent: refunded.intent });
const [dispute] = (await stripe.disputes.list({ payment_intent: intent })).data;
const [event] = (await stripe.events.list({ type: 'charge.succeeded' })).data;
const [balance] = (await stripe.balanceTransactions.list({ type: 'charge' })).data;
const made: Record<keyof typeof samples, object> = {
  customer: await stripe.customers.retrieve(customer),
  payment_method: await stripe.paymentMethods.retrieve(method),
  payment_intent: await stripe.paymentIntents.retrieve(intent),
  charge: await stripe.charges.retrieve(dispute!.charge as string),
  'checkout.session': await stripe.checkout.sessions.retrieve(session),
  refund,
  dispute: dispute!,
  event: event!,
  balance_transaction: balance!,
};

suite('an object has every member of its sample', () => {
  for (const [name, sample] of Object.entries(samples)) {
    test(name, () => {
      const object = made[name as keyof typeof samples] as Item;
      assert.equal(object.object, name);
      assert.deepEqual(missingIn(object, sample), absent[name] ?? []);
    });
  }
});
