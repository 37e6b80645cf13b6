// What the books of a wallet must say, worked out the plain way: from what was asked for, without looking at the service. Amounts
// of payments and invoices are in cents, those of accounts and messages in the wallet's millionths.
import type { AccountType } from '../../../src/modules/billing/index.ts';
import { accountTypes } from '../../../src/modules/billing/ledger/kinds.ts';
import type { BillingMode } from '../../../src/modules/wabas/index.ts';
import type { SavedCard } from './acts.ts';

export const wide = (cents: bigint): bigint => cents * 10_000n;
export const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
export const most = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** Half to even, of an amount that is not negative. */
export function share(amount: bigint, part: bigint, whole: bigint): bigint {
  const twice = 2n * amount * part;
  const down = (amount * part) / whole;
  const rest = twice - 2n * down * whole;
  if (rest === whole) return down + (down % 2n);
  return rest > whole ? down + 1n : down;
}

export type KnownMessage = {
  sid: string;
  heldMinor: bigint;
  state: 'open' | 'settled' | 'released';
  /** Of a business account for which the operator pays the provider, when it was sent. */
  isPartner: boolean;
  /** With corrections, and how much of it is the provider's. */
  chargedMinor: bigint;
  passedMinor: bigint;
  /** How the provider called it; null until it did. */
  pricedAs: string | null;
  doubted: boolean;
};

export type KnownDispute = {
  id: string;
  cents: bigint;
  state: 'open' | 'won' | 'lost';
  /** Where the money was taken from. */
  walletMinor: bigint;
  taxMinor: bigint;
  invoiceCents: bigint;
};

export type KnownPayment = {
  id: string;
  invoice: KnownInvoice | null;
  byCard: boolean;
  /** Its bank sends refunds back. */
  refundsFail: boolean;
  cents: bigint;
  taxCents: bigint;
  refundedCents: bigint;
  refundedTaxCents: bigint;
  disputes: KnownDispute[];
};

export type KnownInvoice = {
  sid: string;
  state: 'open' | 'past_due' | 'paid' | 'void' | 'uncollectible';
  dueMinor: bigint;
  net: bigint;
  tax: bigint;
  paid: bigint;
  creditedNet: bigint;
  creditedTax: bigint;
  creditedOpen: bigint;
  writtenOff: bigint;
  dunning: Dunning;
  /** The card it is collected from, if any, how often it was tried and may be tried again, and when that is. */
  card: SavedCard | null;
  tries: number;
  retries: number;
  retryAt: Date | null;
};

const dunnings = ['exhausted', 'action_required', 'retrying', 'written_off', 'none'] as const;
export type Dunning = (typeof dunnings)[number];

export type Price = { totalMinor: bigint; passedMinor: bigint };

export type Credit = { invoice: KnownInvoice; cents: bigint; used: bigint };

export const totalOf = ({ net, tax }: KnownInvoice): bigint => net + tax;
export const outstandingOf = (of: KnownInvoice): bigint =>
  of.state === 'void' ? 0n : totalOf(of) - of.paid - of.creditedOpen - of.writtenOff;
export const isPayable = ({ state }: KnownInvoice): boolean =>
  ['open', 'past_due', 'uncollectible'].includes(state);

export type Books = ReturnType<typeof newBooks>;

export function newBooks(limitMinor: bigint) {
  const balances = Object.fromEntries(accountTypes.map((name) => [name, 0n])) as Record<AccountType, bigint>;
  const messages: KnownMessage[] = [];
  const payments: KnownPayment[] = [];
  const invoices: KnownInvoice[] = [];
  const credits: Credit[] = [];
  /** What was available and held together, after everything that changed it. */
  const positions: { at: number; minor: bigint }[] = [];

  const move = (debit: AccountType, credit: AccountType, amount: bigint): void => {
    balances[debit] -= amount;
    balances[credit] += amount;
  };
  const position = () => balances.available + balances.held;
  const isSuspended = () =>
    invoices.some(({ dunning }) => dunning === 'written_off' || dunning === 'exhausted');

  const addCredit = (invoice: KnownInvoice, cents: bigint): void => {
    if (cents > 0n) credits.push({ invoice, cents, used: 0n });
  };
  const creditOf = (invoice: KnownInvoice): bigint =>
    credits.filter((one) => one.invoice === invoice).reduce((sum, one) => sum + one.cents - one.used, 0n);

  /** Takes from the oldest first and tells how much there was. */
  const takeCredit = (cents: bigint, of: (one: Credit) => boolean): bigint => {
    let rest = cents;
    for (const one of credits.filter(of)) {
      const taken = least(rest, one.cents - one.used);
      one.used += taken;
      rest -= taken;
    }
    return cents - rest;
  };
  const returnCredit = (invoice: KnownInvoice, cents: bigint): void => {
    let rest = cents;
    for (const one of credits.filter((each) => each.invoice === invoice).toReversed()) {
      const back = least(rest, one.used);
      one.used -= back;
      rest -= back;
    }
  };
  const remind = (invoice: KnownInvoice, dunning: Dunning, retryAt: Date | null = null): void => {
    invoice.dunning = dunning;
    invoice.retryAt = retryAt;
  };
  const settleInvoice = (invoice: KnownInvoice): void => {
    if (isPayable(invoice) && outstandingOf(invoice) === 0n && invoice.writtenOff === 0n) {
      invoice.state = 'paid';
      remind(invoice, 'none');
    }
  };
  const receive = (invoice: KnownInvoice, cents: bigint): void => {
    const recovered = isPayable(invoice) ? least(cents, invoice.writtenOff) : 0n;
    const paid = isPayable(invoice) ? least(cents, outstandingOf(invoice) + recovered) : 0n;
    invoice.writtenOff -= recovered;
    invoice.paid += paid;
    move('receivable', 'bad_debt', wide(recovered));
    move('funding', 'receivable', wide(paid));
    move('funding', 'credit_balance', wide(cents - paid));
    addCredit(invoice, cents - paid);
    settleInvoice(invoice);
  };

  /** Takes what is missing of a price, or gives back what is too much. */
  const charge = (message: KnownMessage, { totalMinor, passedMinor }: Price): void => {
    const passed = passedMinor - message.passedMinor;
    move('available', 'provider_cost', passed);
    move('available', 'revenue', totalMinor - message.chargedMinor - passed);
    message.chargedMinor = totalMinor;
    message.passedMinor = passedMinor;
  };

  return {
    balances,
    messages,
    payments,
    invoices,
    credits,
    creditOf,
    receive,
    isSuspended,
    remind,
    /** Who pays the provider for what is sent from now on. */
    mode: 'direct' as BillingMode,
    /** The card from which invoices are collected that are issued from now on. */
    collection: null as { card: SavedCard; retries: number } | null,
    spendable: () => most(0n, balances.available + (isSuspended() ? 0n : limitMinor)),
    note(at: Date): void {
      positions.push({ at: at.getTime(), minor: position() });
    },
    positionAt: (at: Date): bigint => positions.findLast((one) => one.at < at.getTime())?.minor ?? 0n,
    /** The worst of any invoice. */
    dunningState: (): Dunning =>
      dunnings.find((state) => invoices.some(({ dunning }) => dunning === state)) ?? 'none',

    toppedUp(payment: KnownPayment): void {
      payments.push(payment);
      move('funding', 'available', wide(payment.cents - payment.taxCents));
      move('funding', 'tax_payable', wide(payment.taxCents));
    },
    feeTaken: (cents: bigint) => move('processor_fees', 'funding', wide(cents)),

    held(message: KnownMessage): void {
      messages.push(message);
      move('available', 'held', message.heldMinor);
    },
    released(message: KnownMessage): void {
      message.state = 'released';
      move('held', 'available', message.heldMinor);
    },
    settled(message: KnownMessage, price: Price): void {
      message.state = 'settled';
      move('held', 'available', message.heldMinor);
      charge(message, price);
    },
    corrected: charge,

    invoiced(invoice: KnownInvoice): void {
      invoices.push(invoice);
      move('receivable', 'available', invoice.dueMinor);
      move('receivable', 'rounding', wide(invoice.net) - invoice.dueMinor);
      move('receivable', 'tax_payable', wide(invoice.tax));
      const applied = takeCredit(totalOf(invoice), () => true);
      invoice.paid = applied;
      move('credit_balance', 'receivable', wide(applied));
      settleInvoice(invoice);
    },
    voided(invoice: KnownInvoice): void {
      invoice.state = 'void';
      remind(invoice, 'none');
      move('available', 'receivable', invoice.dueMinor);
      move('rounding', 'receivable', wide(invoice.net) - invoice.dueMinor);
      move('tax_payable', 'receivable', wide(invoice.tax));
    },
    credited(invoice: KnownInvoice, net: bigint, tax: bigint): void {
      const openNet = least(net, outstandingOf(invoice));
      const openTax = least(tax, outstandingOf(invoice) - openNet);
      invoice.creditedNet += net;
      invoice.creditedTax += tax;
      invoice.creditedOpen += openNet + openTax;
      move('revenue', 'receivable', wide(openNet));
      move('tax_payable', 'receivable', wide(openTax));
      move('revenue', 'credit_balance', wide(net - openNet));
      move('tax_payable', 'credit_balance', wide(tax - openTax));
      addCredit(invoice, net + tax - openNet - openTax);
      settleInvoice(invoice);
    },
    writtenOff(invoice: KnownInvoice): void {
      const amount = outstandingOf(invoice);
      invoice.writtenOff = amount;
      invoice.state = 'uncollectible';
      remind(invoice, 'written_off');
      move('bad_debt', 'receivable', wide(amount));
    },

    /** The saved card was declined: it is tried again a day later, as often as it may be. */
    declined(invoice: KnownInvoice, at: Date): void {
      // It was paid another way meanwhile.
      if (!isPayable(invoice)) return;
      invoice.state = 'past_due';
      const isLast = invoice.tries > invoice.retries;
      const next = invoice.card === 'asks' ? 'action_required' : 'retrying';
      const dayLater = new Date(at.getTime() + 24 * 3_600_000);
      remind(invoice, isLast ? 'exhausted' : next, isLast ? null : dayLater);
    },

    /** Less is left than a card can be charged: it is not tried, and whoever owes it has to act. */
    left(invoice: KnownInvoice): void {
      invoice.state = 'past_due';
      remind(invoice, 'action_required');
    },

    /** Paid back to the card; what of it is tax is the caller's to say, and nothing of it where it comes from credit. */
    refunded(payment: KnownPayment, cents: bigint, taxCents: bigint): void {
      payment.refundedCents += cents;
      payment.refundedTaxCents += taxCents;
      if (payment.invoice) {
        takeCredit(cents, ({ invoice }) => invoice === payment.invoice);
        move('credit_balance', 'funding', wide(cents));
      } else {
        move('available', 'funding', wide(cents - taxCents));
        move('tax_payable', 'funding', wide(taxCents));
      }
    },
    /** Credit that was taken for a refund and given back: another row of it may have it now. */
    refundFailed(payment: KnownPayment, cents: bigint): void {
      if (!payment.invoice) return;
      takeCredit(cents, ({ invoice }) => invoice === payment.invoice);
      returnCredit(payment.invoice, cents);
    },

    disputed(payment: KnownPayment, { id, cents }: { id: string; cents: bigint }): void {
      const { invoice } = payment;
      const owed = invoice ? least(cents, invoice.paid) : 0n;
      const tax = invoice ? 0n : taxTakenBy(payment, cents);
      const dispute = { id, cents, state: 'open' as const, invoiceCents: owed, taxMinor: wide(tax) };
      const walletMinor = wide(cents - owed - tax);
      payment.disputes.push({ ...dispute, walletMinor });
      move('receivable', 'funding', wide(owed));
      move('tax_payable', 'funding', wide(tax));
      move('available', 'funding', walletMinor);
      if (!invoice) return;
      invoice.paid -= owed;
      if (invoice.state !== 'paid' || outstandingOf(invoice) === 0n) return;
      invoice.state = 'past_due';
      remind(invoice, 'action_required');
    },
    won(payment: KnownPayment, dispute: KnownDispute): void {
      dispute.state = 'won';
      move('funding', 'available', dispute.walletMinor);
      move('funding', 'tax_payable', dispute.taxMinor);
      if (payment.invoice) receive(payment.invoice, dispute.invoiceCents);
    },
  };
}

export const disputedOf = ({ disputes }: KnownPayment): bigint =>
  disputes.filter(({ state }) => state !== 'won').reduce((sum, { cents }) => sum + cents, 0n);

export const refundableOf = (payment: KnownPayment): bigint =>
  payment.byCard ? most(0n, payment.cents - payment.refundedCents - disputedOf(payment)) : 0n;

/** A refund's part of the tax: of everything refunded so far its share, less what was given back before. */
export const taxOfRefund = (payment: KnownPayment, cents: bigint): bigint => {
  const due =
    share(payment.taxCents, payment.refundedCents + cents, payment.cents) - payment.refundedTaxCents;
  return least(most(0n, due), cents);
};

/** A dispute's part of the tax: never more than of the payment is left, whatever else was given back or taken. */
export function taxTakenBy(payment: KnownPayment, cents: bigint): bigint {
  const taken = payment.disputes.filter(({ state }) => state !== 'won');
  const before = taken.reduce((sum, { taxMinor }) => sum + taxMinor / 10_000n, payment.refundedTaxCents);
  const part = share(payment.taxCents, least(cents, payment.cents), payment.cents);
  return least(part, most(0n, payment.taxCents - before));
}
