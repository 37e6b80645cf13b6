// Invoices that are collected from a saved card: when they are issued, and again a day after each decline.
import assert from 'node:assert/strict';
import { paymentHooks } from '../../../src/main/hooks.ts';
import { setAutomation } from '../../../src/modules/invoices/automation/automations.ts';
import { collect } from '../../../src/modules/invoices/collection/collect.ts';
import { recordTransfer } from '../../../src/modules/payments/index.ts';
import type { Acts, SavedCard } from './acts.ts';
import { type KnownInvoice, outstandingOf } from './books.ts';
import type { Life } from './life.ts';
import { fresh, key, type Plan, topUpPlan, type World } from './paying.ts';

const numbers: Record<SavedCard, string> = {
  pays: '4242424242424242',
  declines: '4000000000000341',
  asks: '4000002760003184',
};

export function saveCardPlan(world: World, { cents, card, retries }: Acts['saveCard']): Plan {
  const { life, books } = world;
  const payment = { number: numbers[card], isSaved: true };
  const plan = topUpPlan(world, cents, payment, (id) => automate(life, id, retries));
  return {
    ...plan,
    async effect() {
      await plan.effect?.();
      books.collection = { card, retries };
    },
  };
}

/** Calendar months go on as they did without an automation. */
async function automate(life: Life, paymentIntentId: string, retries: number): Promise<void> {
  const [last] = await life.app.sql<{ end: Date }>(
    'select max(ends_at) as end from billing_periods where wallet_id = $1',
    [life.walletId],
  );
  const start = last!.end;
  const end = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1));
  await life.write((t) =>
    setAutomation(t, {
      currency: 'USD',
      nextPeriodStart: start.toISOString(),
      nextPeriodEnd: end.toISOString(),
      collection: { paymentIntentId, retryDelaysHours: Array(retries).fill(24), stepUpToken: '' },
    }),
  );
}

/** The payment service takes no less by card. */
export const isChargeable = (cents: bigint): boolean => cents >= 50n;

/** What became of the try that was just made for so much. */
export async function noteTry({ life, books }: World, invoice: KnownInvoice, cents: bigint): Promise<void> {
  const id = await life.chargeFor(invoice.sid);
  await life.look(id);
  const { state, cents: asked, fee } = await life.intent(id);
  const isPaid = invoice.card === 'pays';
  assert.deepEqual([asked, state], [cents, isPaid ? 'succeeded' : 'failed']);
  invoice.tries += 1;
  invoice.retryAt = null;
  if (!isPaid) return books.declined(invoice, life.app.clock.now());
  books.payments.push({ ...fresh(), id, invoice, byCard: true, cents });
  books.receive(invoice, cents);
  return books.feeTaken(fee);
}

export function retryPlan(world: World, { which, paidMeanwhile }: Acts['retry']): Plan | null {
  const { life, books } = world;
  const due = books.invoices.filter(({ retryAt }) => retryAt !== null);
  const invoice = due[which % Math.max(1, due.length)];
  if (!invoice) return null;
  const cents = outstandingOf(invoice);
  const { app, walletId } = life;
  let transferId = '';
  return {
    refusal: null,
    async run() {
      if (app.clock.now() < invoice.retryAt!) app.clock.set(invoice.retryAt!);
      await life.write((t) => collect(t, invoice.sid));
      const transfer = { invoiceSid: invoice.sid, walletId, currency: 'USD', amountMinor: cents };
      if (paidMeanwhile) {
        const recorded = { ...transfer, reference: key() };
        transferId = (await life.write((t) => recordTransfer(paymentHooks)(t, recorded))).id;
      }
      await life.work();
    },
    async effect() {
      if (!isChargeable(cents)) books.left(invoice);
      if (paidMeanwhile) {
        books.payments.push({ ...fresh(), id: transferId, invoice, byCard: false, cents });
        books.receive(invoice, cents);
      }
      if (isChargeable(cents)) await noteTry(world, invoice, cents);
    },
  };
}
