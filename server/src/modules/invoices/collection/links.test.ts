// The link of an invoice that is paid another way, at the payment service's simulator.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, beforeEach, suite, test } from 'node:test';
import { invoiced } from '../../../../test/harness/invoices.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { until } from '../../../../test/harness/until.ts';
import { paymentHooks } from '../../../main/hooks.ts';
import { recordTransfer } from '../../payments/index.ts';
import { applySeen } from '../../payments/look/apply.ts';
import { type PayApp, startPayApp } from '../../payments/payments.test-data.ts';

let app: PayApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startPayApp(lifetime);
});
beforeEach(() => app.control.clearRules());

/** An invoice over 12.00, and somebody who has opened the page on which it can be paid. */
async function opened() {
  const given = await invoiced(app, 1000);
  const intents = async () => (await given.get('payments?limit=100')).body.data;
  const invoice = async () => (await given.get(`invoices/${given.sid}`)).body;
  const visit = (url: string) => app.get(new URL(url).pathname);
  const hostedUrl: string = await until('there is a link', async () => (await invoice()).hostedUrl);
  assert.equal((await visit(hostedUrl)).status, 303);
  const [{ id }] = await intents();
  return {
    ...given,
    id: id as string,
    hostedUrl,
    session: await app.sessionOf(id),
    invoice,
    visit,
    intents,
    becomes: (state: string) =>
      until(`the payment is ${state}`, async () => {
        const found = (await intents()).find((one: { id: string }) => one.id === id);
        return found.state === state ? found : null;
      }),
    transfer: (amountMinor: bigint) =>
      given.write((t) =>
        recordTransfer(paymentHooks)(t, {
          invoiceSid: given.sid,
          walletId: given.walletId,
          currency: 'USD',
          amountMinor,
          reference: randomUUID(),
        }),
      ),
  };
}

suite('an invoice that is paid by transfer', () => {
  test('ends its link: the open page can be paid on no more, and whoever comes is told so', async () => {
    const given = await opened();
    await given.transfer(1200n);
    assert.equal((await given.becomes('canceled')).hostedUrl, null);
    assert.throws(() => app.control.pay(given.session, { number: '4242424242424242' }), /is expired/);
    const { state, outstanding, hostedUrl } = await given.invoice();
    assert.deepEqual([state, outstanding.amountMinor, hostedUrl], ['paid', '0', null]);
    assert.equal((await given.visit(given.hostedUrl)).body.state, 'canceled');
    assert.equal(
      await app.count(`payment_attempts where intent_id = '${given.id}' and resolved_at is null`),
      0,
    );
  });

  test('while somebody pays it leaves what they paid as credit, which can be refunded', async () => {
    const given = await opened();
    // Nobody tells of it: it is found when the page is closed.
    app.control.addRule({ behaviour: { lost: true } });
    app.control.pay(given.session, { number: '4242424242424242' });
    await given.transfer(1200n);
    await given.becomes('succeeded');
    const { state, paid } = await given.invoice();
    assert.deepEqual([state, paid.amountMinor], ['paid', '1200']);
    assert.equal((await given.balances()).credit_balance, 12_000_000n);
    assert.equal((await app.moves(given.id)).invoice_overpayment, '12000000');
    const asked = await given.post('refund-requests', { paymentIntentId: given.id, reason: 'duplicate' });
    assert.equal(asked.status, 201, asked.text);
    assert.match(asked.body.summary, /12\.00 USD/);
  });

  test('takes what is heard of after its link was ended as credit, once', async () => {
    const given = await opened();
    await given.transfer(1200n);
    await given.becomes('canceled');
    const payment = {
      id: 'pi_late',
      status: 'succeeded' as const,
      amountMinor: 1200n,
      currency: 'USD',
      intentId: given.id,
      customerId: null,
      methodId: null,
      card: null,
      failure: null,
      charge: null,
    };
    for (const _ of [1, 2]) await given.write((t) => applySeen(t, paymentHooks, given.id, { payment }));
    assert.equal((await given.balances()).credit_balance, 12_000_000n);
    assert.equal((await given.invoice()).state, 'paid');
  });

  test('in part has a link for the rest, and the old one asks nobody for all of it', async () => {
    const given = await opened();
    await given.transfer(500n);
    await given.becomes('canceled');
    const { state, outstanding, hostedUrl } = await given.invoice();
    assert.deepEqual([state, outstanding.amountMinor], ['open', '700']);
    assert.notEqual(hostedUrl, given.hostedUrl);
    assert.equal((await given.visit(hostedUrl)).status, 303);
    const rest = (await given.intents()).find((one: { state: string }) => one.state === 'requires_action');
    assert.equal(rest.amount.amountMinor, '700');
    await app.pay(rest.id);
    await until('the invoice is paid', async () => (await given.invoice()).state === 'paid');
    assert.equal((await given.balances()).credit_balance, 0n);
  });

  test('but for less than a card can pay has no link', async () => {
    const given = await opened();
    await given.transfer(1151n);
    await given.becomes('canceled');
    const { state, outstanding, hostedUrl } = await given.invoice();
    assert.deepEqual([state, outstanding.amountMinor, hostedUrl], ['open', '49', null]);
  });
});

test('an invoice whose payment a bank takes back has a link for it', async () => {
  const given = await opened();
  await app.pay(given.id);
  await until('the invoice is paid', async () => (await given.invoice()).state === 'paid');
  assert.equal((await given.invoice()).hostedUrl, given.hostedUrl);
  app.control.dispute(app.control.charges(given.id)[0]!.id);
  await app.control.settle();
  const owed = await until('there is another link', async () => {
    const found = await given.invoice();
    return found.state === 'past_due' && found.hostedUrl !== given.hostedUrl ? found : null;
  });
  assert.equal(owed.outstanding.amountMinor, '1200');
  assert.equal((await given.visit(owed.hostedUrl)).status, 303);
});
