// What becomes of payments afterwards: saved cards that are charged, refunds, disputes, transfers, and the proof of the cash.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { taxedBy } from '../../../test/harness/invoices.ts';
import { write } from '../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { until } from '../../../test/harness/until.ts';
import { paymentHooks } from '../../main/hooks.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { newSid, newUuid, randomToken } from '../../platform/ids.ts';
import { systemPrincipal } from '../../platform/principal.ts';
import { moveMoney } from '../billing/index.ts';
import { requestRefund } from '../refunds/consents.ts';
import { createRefund } from '../refunds/create-refund.ts';
import { enqueueLook } from './attempts/jobs.ts';
import {
  cancelIntent,
  chargeSavedCard,
  hasUnresolvedAttempt,
  type Intent,
  lockIntent,
  recordTransfer,
  refundableOf,
  retryOf,
  savedCardOf,
  serviceOf,
  startIntent,
  submitRefund,
  verifyCash,
} from './index.ts';
import { applySeen } from './look/apply.ts';
import { type PayApp, startPayApp } from './payments.test-data.ts';

let app: PayApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startPayApp(lifetime);
});

/** One that was voided: whatever is paid for it becomes credit, and nothing else follows. */
async function newInvoice(): Promise<string> {
  const now = app.clock.now();
  const sid = newSid('IN', now);
  await app.sql(
    `insert into invoices (account_sid, livemode, sid, wallet_id, state, currency, scale, periods, lines, tax_lines, due_minor,
       net_minor, tax_minor, booked_at, submission_provider, created_at, updated_at)
     values ($1, false, $2, $3, 'void', 'USD', 2, '[]', '[]', '[]', 9900000, 990, 0, $4, 'godwit', $4, $4)`,
    [app.accountSid, sid, (await app.wallet.wallet()).id, now],
  );
  return sid;
}
const paid = async (number?: string, more: object = {}) => {
  const { paymentIntentId: id } = await app.topUp({ saveCardForInvoices: true, ...more });
  await app.pay(id, number);
  await app.becomes(id, 'succeeded');
  await app.feeIsKnown(id);
  return id;
};
const amounts = async (netMinor = 990n) => ({
  walletId: (await app.wallet.wallet()).id,
  currency: 'USD',
  netMinor,
  taxMinor: 0n,
  taxLines: [],
  description: 'Invoice',
});
const charge = async (paymentIntentId: string, invoice?: string) => {
  const invoiceSid = invoice ?? (await newInvoice());
  const asked = { ...(await amounts()), invoiceSid, paymentIntentId };
  return write({ app }, (t) => chargeSavedCard(t, asked));
};
const intent = (id: string): Promise<Intent> => write({ app }, (t) => lockIntent(t, id));

suite('a saved card', () => {
  test('is charged once for an invoice, while its holder is away', async () => {
    const saved = await paid();
    assert.equal((await write({ app }, (t) => savedCardOf(t, saved)))!.last4, '4242');
    const invoiceSid = await newInvoice();
    const made = await charge(saved, invoiceSid);
    const done = await app.becomes(made!.id, 'succeeded');
    assert.deepEqual([done.purpose, done.invoiceSid, done.receiptSid], ['invoice', invoiceSid, null]);
    assert.equal(app.control.charges(made!.id).length, 1);
    assert.equal(await write({ app }, (t) => hasUnresolvedAttempt(t, invoiceSid)), false);
  });
  test('that fails says whether it may be tried again', async () => {
    for (const [number, retry] of [
      ['4000000000000341', 'later'],
      ['4000002760003184', 'authenticate'],
    ] as const) {
      const made = await charge(await paid(number));
      await app.becomes(made!.id, 'failed');
      assert.equal(retryOf((await intent(made!.id)).failure!), retry);
    }
    const stolen = { code: 'card_declined', declineCode: 'stolen_card', message: '' };
    assert.equal(retryOf(stolen), 'never');
  });
  test('is none where the payment saved none, is not paid or is not there', async () => {
    const { paymentIntentId: unsaved } = await app.topUp();
    for (const id of [unsaved, newUuid(app.clock.now())])
      assert.equal(await write({ app }, (t) => savedCardOf(t, id)), null);
    await assert.rejects(charge(unsaved), (error) => error instanceof ApiError && error.code === 'CONFLICT');
  });
  test('is not charged while a page for the same invoice is open, nor twice at once', async () => {
    const saved = await paid();
    const invoiceSid = await newInvoice();
    const terms = await amounts();
    const { hostedUrl } = await write({ app }, (t) =>
      startIntent(t, { ...terms, purpose: 'invoice', invoiceSid }),
    );
    const page = await app.get(new URL(hostedUrl).pathname);
    assert.equal(page.status, 303);
    assert.equal(await write({ app }, (t) => hasUnresolvedAttempt(t, invoiceSid)), true);
    assert.equal(await charge(saved, invoiceSid), null);
    await until(
      'the page is closed',
      async () => !(await write({ app }, (t) => hasUnresolvedAttempt(t, invoiceSid))),
    );
    const both = await Promise.allSettled([charge(saved, invoiceSid), charge(saved, invoiceSid)]);
    const made = both.flatMap((one) => (one.status === 'fulfilled' && one.value ? [one.value.id] : []));
    assert.equal(made.length, 1);
    await app.becomes(made[0]!, 'succeeded');
  });
});

suite('the link of an invoice', () => {
  test('leads to one page after the other until it is paid, and to none once it is called off', async () => {
    const invoiceSid = await newInvoice();
    const terms = await amounts();
    const start = () => write({ app }, (t) => startIntent(t, { ...terms, purpose: 'invoice', invoiceSid }));
    const { intent: made, hostedUrl } = await start();
    const visit = () => app.get(new URL(hostedUrl).pathname);
    const first = (await visit()).headers.get('location');
    assert.equal((await visit()).headers.get('location'), first);
    app.control.expire(await app.sessionOf(made.id));
    await app.control.settle();
    await until('a new page is there', async () => {
      const next = (await visit()).headers.get('location');
      return next !== null && next !== first;
    });
    await app.pay(made.id);
    await app.becomes(made.id, 'succeeded');
    assert.equal((await visit()).body.state, 'paid');
    const other = await start();
    await write({ app }, (t) => cancelIntent(t, other.intent.id));
    await app.becomes(other.intent.id, 'canceled');
    assert.equal((await app.get(new URL(other.hostedUrl).pathname)).body.state, 'canceled');
  });
});

suite('a refund', () => {
  const reason = 'requested_by_customer';
  const refund = (paymentIntentId: string, amountMinor: bigint) =>
    write({ app }, async (t) => {
      const asked = {
        reason,
        paymentIntentId,
        amountMinor: `${amountMinor}`,
        currency: 'USD',
        scale: 2,
      } as const;
      const { body } = await requestRefund(t, asked);
      const keys = { approvalSid: body.sid, idempotencyKey: body.sid, stepUpToken: '' };
      return createRefund(t, { ...asked, ...keys });
    });
  const submit = (paymentIntentId: string, amountMinor: bigint) =>
    write({ app }, (t) =>
      submitRefund(t, { refundId: newUuid(t.now), paymentIntentId, amountMinor, reason }),
    );
  test('goes back in parts, and never beyond what is left', async () => {
    const id = await paid();
    await refund(id, 2000n);
    assert.equal((await app.becomes(id, 'partially_refunded')).refunded.amountMinor, '2000');
    await assert.rejects(submit(id, 3001n), /30\.00 USD can be refunded/);
    await refund(id, 3000n);
    await app.becomes(id, 'refunded');
    assert.equal(refundableOf(await intent(id)), 0n);
  });
  test('that fails after it had gone through is taken back', async () => {
    const id = await paid('4000000000005126');
    await refund(id, 5000n);
    await app.becomes(id, 'refunded');
    await app.control.settle();
    await app.becomes(id, 'succeeded');
    const after = await intent(id);
    assert.deepEqual([after.refundedMinor, after.refundingMinor, refundableOf(after)], [0n, 0n, 5000n]);
  });
  test('asked for fifty times at once beside a dispute gives back no more than was paid', async () => {
    const id = await paid();
    const { chargeId } = await intent(id);
    const many = Promise.allSettled(Array.from({ length: 50 }, () => refund(id, 500n)));
    app.control.dispute(chargeId!, {});
    await Promise.all([many, app.control.settle()]);
    await until('all is decided', async () => (await intent(id)).refundingMinor === 0n);
    const after = await intent(id);
    assert.ok(after.refundedMinor <= 5000n);
    const [made] = app.control.charges(id);
    assert.equal(BigInt(made!.amount_refunded), after.refundedMinor);
  });
});

suite('a dispute', () => {
  test('takes the money back and gives it again when it is won, however much it is about', async () => {
    const id = await paid();
    const before = (await app.wallet.balances()).available!;
    const dispute = app.control.dispute((await intent(id)).chargeId!, { amount: 7000 });
    await app.control.settle();
    const open = await app.becomes(id, 'disputed');
    assert.deepEqual([open.disputed.amountMinor, refundableOf(await intent(id))], ['7000', 0n]);
    assert.equal((await app.wallet.balances()).available, before - 70_000_000n);
    app.control.closeDispute(dispute.id, 'won');
    await app.control.settle();
    assert.equal((await app.becomes(id, 'succeeded')).disputed.amountMinor, '0');
    assert.equal((await app.wallet.balances()).available, before);
  });
  test('that is lost stays lost, and an inquiry takes nothing', async () => {
    const id = await paid();
    const { id: disputeId } = app.control.dispute((await intent(id)).chargeId!, {});
    await app.control.settle();
    await app.becomes(id, 'disputed');
    app.control.closeDispute(disputeId, 'lost');
    await app.control.settle();
    await app.becomes(id, 'charged_back');
    const asked = await paid();
    const before = (await app.wallet.balances()).available!;
    app.control.dispute((await intent(asked)).chargeId!, { inquiry: true });
    await app.control.settle();
    await until('the inquiry is known', () => app.count(`payment_disputes where state = 'inquiry'`));
    assert.equal((await intent(asked)).state, 'succeeded');
    assert.equal((await app.wallet.balances()).available, before);
  });
});

suite('the tax of a top-up', () => {
  const taxed = (taxCode: string) => taxedBy(app.wallet, taxCode);
  const balances = async () => {
    const { available, tax_payable: tax } = await app.wallet.balances();
    return [available!, tax!] as const;
  };
  const dispute = async (id: string, amount: number) => {
    const made = app.control.dispute((await intent(id)).chargeId!, { amount });
    await app.control.settle();
    await app.becomes(id, 'disputed');
    return made.id;
  };
  test('is taken back once, however much banks take of a payment', async () => {
    await taxed('standard');
    const id = await paid();
    const [available, tax] = await balances();
    const first = await dispute(id, 6000);
    assert.deepEqual(await balances(), [available - 50_000_000n, tax - 10_000_000n]);
    const second = await dispute(id, 3000);
    await until('both are known', async () => (await intent(id)).disputedMinor === 9000n);
    assert.deepEqual(await balances(), [available - 80_000_000n, tax - 10_000_000n]);
    // Each gives back what it took itself.
    app.control.closeDispute(second, 'won');
    await app.control.settle();
    await until('one is won', async () => (await intent(id)).disputedMinor === 6000n);
    assert.deepEqual(await balances(), [available - 50_000_000n, tax - 10_000_000n]);
    app.control.closeDispute(first, 'won');
    await app.control.settle();
    await app.becomes(id, 'succeeded');
    assert.deepEqual(await balances(), [available, tax]);
    await taxed('exempt');
  });
});

suite('a dispute that is opened again', () => {
  test('takes the money again, and what is given back in parts comes in parts', async () => {
    const id = await paid();
    const { available: before } = await app.wallet.balances();
    const disputeId = `du_${id}`;
    const move = (amountMinor: bigint) => ({
      id: randomToken(),
      sourceId: disputeId,
      type: 'adjustment',
      amountMinor,
      feeMinor: 0n,
      currency: 'USD',
      createdAt: app.clock.now(),
    });
    const moves = [-5000n, 5000n, -5000n, 2000n, 3000n].map(move);
    const states = ['open', 'won', 'open', 'open', 'won'] as const;
    const expected = [-50n, 0n, -50n, -30n, 0n];
    for (const [i, state] of states.entries()) {
      const seen = { id: disputeId, state, amountMinor: 5000n, currency: 'USD', reason: 'fraudulent' };
      const disputes = [{ ...seen, moves: moves.slice(0, i + 1) }];
      await write({ app }, (t) => applySeen(t, paymentHooks, id, { disputes }));
      const { available } = await app.wallet.balances();
      assert.equal(available! - before!, expected[i]! * 1_000_000n, `after ${i + 1} changes`);
    }
    // The service itself has never heard of it.
    await app.sql('delete from payment_disputes where dispute_id = $1', [disputeId]);
  });
});

suite('the proof of the cash', () => {
  const prove = async () => {
    const principal = systemPrincipal('test', false);
    // By then both sides know of everything.
    const now = new Date(app.clock.now().getTime() + 2 * 3_600_000);
    const context = { principal, now, requestId: 'test', log: app.log };
    const service = serviceOf({ ports: app.ports, site: app.site() }, false);
    return verifyCash({ database: app.database, service, livemode: false, context });
  };
  /** A card that was charged while its holder was away may have been looked at before the service knew its fee. */
  const settled = async () => {
    await app.control.settle();
    const unknown = 'payment_intents where succeeded_at is not null and fee_minor is null';
    for (const { id } of await app.sql<{ id: string }>(`select id from ${unknown}`))
      await write({ app }, async (t) => enqueueLook(t, id));
    await until('every fee is known', async () => (await app.count(unknown)) === 0);
  };
  test('holds after everything above, and names what was planted', async () => {
    await settled();
    const fine = await prove();
    assert.deepEqual(fine.differences, []);
    assert.ok(fine.moves > 10);
    const id = await paid();
    await app.sql('update payment_intents set net_minor = net_minor + 1 where id = $1', [id]);
    const { chargeId } = await intent(id);
    const planted = await prove();
    assert.deepEqual(
      planted.differences.map(({ what }) => what.replace(/^AC\w+ /, '')),
      [chargeId, 'ledger: top-ups'],
    );
    await app.sql('update payment_intents set net_minor = net_minor - 1 where id = $1', [id]);
    await app.sql(`update payment_intents set charge_id = 'ch_other' where id = $1`, [id]);
    assert.deepEqual(
      (await prove()).differences.map(({ what }) => what).sort(),
      ['ch_other', chargeId].sort(),
    );
    await app.sql('update payment_intents set charge_id = $2 where id = $1', [id, chargeId]);
  });
  test('finds a refund that the ledger has not paid, and one that it has and nobody asked for', async () => {
    const id = await paid();
    const change = (by: string) =>
      app.sql(`update payment_intents set refunded_minor = refunded_minor ${by} where id = $1`, [id]);
    const found = async () => (await prove()).differences.map(({ what }) => what.replace(/^AC\w+ /, ''));
    await change('+ 700');
    assert.deepEqual(await found(), ['ledger: refunds']);
    await change('- 700');
    assert.deepEqual(await found(), []);
    const walletId = (await app.wallet.wallet()).id;
    const move = (moves: object) =>
      app.wallet.write((t) => moveMoney(t, { walletId, reference: newUuid(t.now), moves }));
    await move({ refund_hold: 7_000_000n });
    assert.deepEqual(await found(), []);
    await move({ refund_paid: 7_000_000n });
    assert.deepEqual(await found(), ['ledger: refunds']);
    await move({ refund_returned: 7_000_000n, refund_failed: 7_000_000n });
    assert.deepEqual(await found(), []);
  });
  test('counts a transfer that was recorded, once for its reference', async () => {
    const transfer = {
      invoiceSid: await newInvoice(),
      walletId: (await app.wallet.wallet()).id,
      currency: 'USD',
      amountMinor: 700n,
    };
    const record = () =>
      write({ app }, (t) => recordTransfer(paymentHooks)(t, { ...transfer, reference: 'bank 1' }));
    const { id } = await record();
    await assert.rejects(record(), /reference bank 1 already/);
    const { provider, state, amount } = await app.payment(id);
    assert.deepEqual([provider, state, amount.amountMinor], ['transfer', 'succeeded', '700']);
    assert.deepEqual(await app.moves(id), { invoice_overpayment: '7000000' });
    assert.deepEqual((await prove()).differences, []);
  });
});
