// What the plans of acts have in common, and how somebody tops up.
import assert from 'node:assert/strict';
import { createTopUp } from '../../../src/modules/payments/top-ups/top-ups.ts';
import { type Books, share } from './books.ts';
import { type Life, type TaxCode, taxRates } from './life.ts';

export type World = { life: Life; books: Books; taxCode: TaxCode };
export type Plan = {
  /** With which code it must be refused; null where it must be done. */
  refusal: string | null;
  run(): Promise<unknown>;
  /** What it does to the books, once it was done. */
  effect?(): void | Promise<void>;
};

export const key = () => crypto.randomUUID();

export const taxOn = (net: bigint, taxCode: TaxCode): bigint =>
  taxRates[taxCode].reduce((sum, ppm) => sum + share(net, ppm, 1_000_000n), 0n);

/** What is known of a payment that has just come. */
export const fresh = () => ({
  refundsFail: false,
  taxCents: 0n,
  refundedCents: 0n,
  refundedTaxCents: 0n,
  disputes: [],
});

type Card = { number: string; declines?: boolean; refundsFail?: boolean; isSaved?: boolean };

/** Somebody pays on the page of a top-up. `then` is told which payment it was. */
export function topUpPlan(
  { life, books, taxCode }: World,
  cents: number,
  { number, declines = false, refundsFail = false, isSaved = false }: Card,
  then: (id: string) => Promise<unknown> = async () => {},
): Plan {
  const asked = {
    amountMinor: String(cents),
    currency: 'USD',
    idempotencyKey: key(),
    stepUpToken: '',
    ...(isSaved && { saveCardForInvoices: true }),
  };
  const taxCents = taxOn(BigInt(cents), taxCode);
  let id = '';
  return {
    refusal: null,
    async run() {
      const { body } = await life.write((t) => createTopUp(t, asked));
      id = (body.result as { paymentIntentId: string }).paymentIntentId;
      await life.work();
      life.control.pay(await life.sessionOf(id), { number });
      await life.look(id);
      await then(id);
    },
    async effect() {
      const { state, cents: paid, tax, fee } = await life.intent(id);
      assert.deepEqual([paid, tax], [BigInt(cents) + taxCents, taxCents]);
      assert.equal(state, declines ? 'requires_action' : 'succeeded');
      if (declines) return;
      books.toppedUp({ ...fresh(), id, invoice: null, byCard: true, refundsFail, cents: paid, taxCents });
      books.feeTaken(fee);
    },
  };
}
