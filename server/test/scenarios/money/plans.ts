// What each act asks of the service, whether that must be refused, and what it changes in the books.
import { paymentHooks } from '../../../src/main/hooks.ts';
import { fallDue } from '../../../src/modules/invoices/collection/collect.ts';
import { intentsOfInvoice, recordTransfer } from '../../../src/modules/payments/index.ts';
import type { ReconciliationCase } from '../../../src/modules/reconciliation/cases/schema.ts';
import { remediatePricing } from '../../../src/modules/reconciliation/remediation/remediate-pricing.ts';
import {
  remediationKeys,
  signRemediation,
} from '../../../src/modules/reconciliation/remediation/signature.ts';
import { requestRefund } from '../../../src/modules/refunds/consents.ts';
import { createRefund } from '../../../src/modules/refunds/create-refund.ts';
import { setBillingMode } from '../../../src/modules/wabas/index.ts';
import type { Reply } from '../../harness/app.ts';
import { type Acts, type PricedAs, passedOn, prices } from './acts.ts';
import {
  type Books,
  isPayable,
  type KnownInvoice,
  type KnownMessage,
  type KnownPayment,
  least,
  most,
  type Price,
  refundableOf,
  share,
  taxOfRefund,
  totalOf,
  wide,
} from './books.ts';
import { closePlan } from './closing.ts';
import { cardVersion, type Life } from './life.ts';
import { fresh, key, type Plan, topUpPlan, type World } from './paying.ts';
import { retryPlan, saveCardPlan } from './saved-cards.ts';

type Plans = { [K in keyof Acts]: (world: World, act: Acts[K]) => Promise<Plan | null> | Plan | null };

const pick = <T>(items: T[], which: number): T | undefined => items[which % Math.max(1, items.length)];
/** Mostly one with which it can be done, now and then any. */
const pickFit = <T>(items: T[], which: number, fits: (item: T) => boolean): T | undefined =>
  pick(which % 4 === 0 ? items : items.filter(fits), which) ?? pick(items, which);
const partOf = (amount: bigint, percent: number) => (amount * BigInt(percent)) / 100n;
const ending = () => ({ evidence: {}, idempotencyKey: key(), reason: 'test' });

/** The code of a refusal over HTTP, thrown as the functions throw it. */
function answered({ status, body, text }: Reply): void {
  if (status >= 400) throw Object.assign(new Error(text), { code: body.error.code });
}

const pricingOf = (as: PricedAs) => ({
  billable: as !== 'free',
  model: 'PMP',
  type: as === 'free' ? 'free_customer_service' : 'regular',
  category: as === 'free' ? 'service' : as,
});
/** What a message costs that is called so. */
const priceOf = ({ isPartner }: KnownMessage, as: PricedAs): Price => {
  const passedMinor = isPartner ? passedOn[as] : 0n;
  return { totalMinor: prices[as] + passedMinor, passedMinor };
};
const nothing: Price = { totalMinor: 0n, passedMinor: 0n };
const unreachable = {
  code: 'RECIPIENT_UNREACHABLE' as const,
  retryable: false,
  providerCode: 131_026,
  providerSubcode: null,
  reason: 'Message undeliverable',
  retryAfterMs: null,
};

const cards = {
  pays: '4242424242424242',
  refundsFail: '4000000000005126',
  declines: '4000000000000002',
};

const isCreditable = ({ state }: KnownInvoice) => ['open', 'past_due', 'paid'].includes(state);

const isVoidable = ({ state, paid, creditedNet }: KnownInvoice) =>
  ['open', 'past_due'].includes(state) && paid === 0n && creditedNet === 0n;

/** Those that came by card and can be refunded or disputed. */
const byCard = ({ payments }: Books, of: (payment: KnownPayment) => boolean = () => true) =>
  payments.filter((payment) => payment.byCard && of(payment));

async function agreed({ life }: World, target: object): Promise<{ approvalSid: string }> {
  const asked = { reason: 'requested_by_customer', ...target } as Parameters<typeof requestRefund>[1];
  const { body } = await life.write((t) => requestRefund(t, asked));
  return { approvalSid: body.sid };
}

type Refunding = { payment: KnownPayment | undefined; target: object; cents: bigint; leftCents: bigint };

/** Refused beyond what is left, and where a top-up was spent; sent back by some banks, and of what is disputed by all. */
async function refundPlan(world: World, refunding: Refunding): Promise<Plan> {
  const { life, books } = world;
  const { payment, cents, leftCents } = refunding;
  const target = { ...refunding.target, amountMinor: cents.toString(), currency: 'USD', scale: 2 };
  if (!payment || cents > leftCents || leftCents === 0n)
    return { refusal: 'CONFLICT', run: () => agreed(world, target) };
  const taxCents = payment.invoice ? 0n : taxOfRefund(payment, cents);
  const spent = !payment.invoice && wide(cents - taxCents) > most(0n, books.balances.available);
  const consent = await agreed(world, target);
  const asked = { reason: 'requested_by_customer', stepUpToken: '', idempotencyKey: key(), ...consent };
  const isDisputed = payment.disputes.some(({ state }) => state !== 'won');
  return {
    refusal: spent ? 'INSUFFICIENT_FUNDS' : null,
    run: () =>
      life.write((t) => createRefund(t, { ...asked, ...target } as Parameters<typeof createRefund>[1])),
    async effect() {
      await life.work();
      await life.look(payment.id);
      if (isDisputed || payment.refundsFail) books.refundFailed(payment, cents);
      else books.refunded(payment, cents, taxCents);
    },
  };
}

/** Pays on the page that the link leads to; nothing where it leads nowhere any more. */
async function payByLink({ life, books }: World, invoice: KnownInvoice): Promise<void> {
  const { body } = await life.get(`invoices/${invoice.sid}`);
  if (!body.hostedUrl) return;
  const { status } = await life.app.get(new URL(body.hostedUrl).pathname);
  if (status !== 303) return;
  const intents = await life.write((t) => intentsOfInvoice(t, invoice.sid));
  const { id, amountMinor } = intents.findLast(({ state }) =>
    ['created', 'requires_action'].includes(state),
  )!;
  life.control.pay(await life.sessionOf(id), { number: cards.pays });
  await life.look(id);
  books.payments.push({ ...fresh(), id, invoice, byCard: true, cents: amountMinor });
  books.receive(invoice, amountMinor);
  books.feeTaken((await life.intent(id)).fee);
}

export const plans: Plans = {
  send({ life, books }, { amount }) {
    const expected = amount > 0n && amount > books.spendable() ? 'INSUFFICIENT_FUNDS' : null;
    const isPartner = books.mode === 'partner';
    let sid = '';
    return {
      refusal: expected,
      async run() {
        const given = { estimateMinor: amount, rateCardVersion: cardVersion, category: 'utility' } as const;
        sid = await life.messages.accepted({ ...given, status: 'sending', partnerBilled: isPartner });
      },
      effect: () =>
        books.held({
          sid,
          heldMinor: amount,
          state: 'open',
          isPartner,
          chargedMinor: 0n,
          passedMinor: 0n,
          pricedAs: null,
          doubted: false,
        }),
    };
  },

  settle({ life, books }, { which, as }) {
    const message = pick(
      books.messages.filter(({ state }) => state === 'open'),
      which,
    );
    if (!message) return null;
    const { messages } = life;
    return {
      refusal: null,
      run: () =>
        messages.apply(
          as === 'failed'
            ? messages.status(message.sid, 'failed', { failure: unreachable })
            : messages.status(message.sid, 'delivered', { pricing: pricingOf(as) }),
        ),
      effect() {
        if (as === 'failed') return books.released(message);
        message.pricedAs = as;
        return books.settled(message, priceOf(message, as));
      },
    };
  },

  priceLate({ life, books }, { which, as }) {
    const ended = books.messages.filter(({ state, doubted }) => state !== 'open' && !doubted);
    const message = pick(ended, which);
    if (!message) return null;
    const { messages } = life;
    const word = message.state === 'released' ? 'delivered' : 'read';
    return {
      refusal: null,
      async run() {
        await messages.apply(messages.status(message.sid, word, { pricing: pricingOf(as) }));
        await life.work();
      },
      effect() {
        message.doubted = true;
        // What was charged too much is given back at once; what was charged too little waits for a decision.
        const price = priceOf(message, as);
        if (price.totalMinor < message.chargedMinor) books.corrected(message, price);
      },
    };
  },

  async remediate({ life, books }, { which, as, forged }) {
    const found = pickFit(await life.cases.all(), which, ({ state }) => state !== 'resolved');
    const message = books.messages.find(({ sid }) => sid === found?.messageSids[0]);
    if (!found || !message) return null;
    const settled = found.state === 'resolved';
    return {
      refusal: forged ? 'AUTHORIZATION_ERROR' : settled ? 'CONFLICT' : null,
      run: () => life.write((t) => remediatePricing(t, signed(life, found, as, forged))),
      effect: () => books.corrected(message, as === 'free' ? nothing : priceOf(message, as)),
    };
  },

  topUp: (world, { cents, card }) =>
    topUpPlan(world, cents, {
      number: cards[card],
      declines: card === 'declines',
      refundsFail: card === 'refundsFail',
    }),

  mode({ life, books }, { mode }) {
    const { wabaSid } = life.messages;
    return {
      refusal: null,
      run: () => life.write((t) => setBillingMode(t, wabaSid, mode)),
      effect() {
        books.mode = mode;
      },
    };
  },

  saveCard: saveCardPlan,
  retry: retryPlan,
  close: closePlan,

  pay(world, { which, by, part }) {
    const { life, books } = world;
    const invoice = pickFit(books.invoices, which, isPayable);
    if (!invoice) return null;
    if (by === 'card') return { refusal: null, run: () => payByLink(world, invoice) };
    const amountMinor = partOf(totalOf(invoice), part) + 1n;
    const transfer = { invoiceSid: invoice.sid, walletId: life.walletId, currency: 'USD', amountMinor };
    let id = '';
    return {
      refusal: null,
      async run() {
        const paid = await life.write((t) =>
          recordTransfer(paymentHooks)(t, { ...transfer, reference: key() }),
        );
        id = paid.id;
        await life.work();
      },
      effect() {
        books.payments.push({ ...fresh(), id, invoice, byCard: false, cents: amountMinor });
        books.receive(invoice, amountMinor);
      },
    };
  },

  credit({ life, books }, { which, part }) {
    const invoice = pickFit(books.invoices, which, (one) => isCreditable(one) && one.creditedNet < one.net);
    if (!invoice) return null;
    const left = invoice.net - invoice.creditedNet;
    const net = part === 100 ? most(left, 1n) : partOf(invoice.net, part) + 1n;
    const tax = share(invoice.tax, invoice.creditedNet + net, invoice.net) - invoice.creditedTax;
    const money = { amountMinor: String(net), taxMinor: String(tax), currency: 'USD', scale: 2 };
    return {
      refusal: net > left || !isCreditable(invoice) ? 'CONFLICT' : null,
      run: async () =>
        answered(await life.post(`invoices/${invoice.sid}/credit-notes`, { ...money, ...ending() })),
      async effect() {
        await life.work();
        books.credited(invoice, net, tax);
      },
    };
  },

  void({ life, books }, { which }) {
    const invoice = pickFit(books.invoices, which, isVoidable);
    if (!invoice) return null;
    return {
      refusal: isVoidable(invoice) ? null : 'CONFLICT',
      run: async () => answered(await life.post(`invoices/${invoice.sid}/void`, ending())),
      async effect() {
        await life.work();
        books.voided(invoice);
      },
    };
  },

  fallDue({ life, books }, { which }) {
    const invoice = pickFit(books.invoices, which, ({ state }) => state === 'open');
    if (!invoice) return null;
    return {
      refusal: null,
      async run() {
        life.app.clock.advance(31 * 86_400_000);
        await life.write((t) => fallDue(t, invoice.sid));
      },
      effect() {
        if (invoice.state !== 'open') return;
        invoice.state = 'past_due';
        books.remind(invoice, 'action_required');
      },
    };
  },

  writeOff({ life, books }, { which }) {
    const invoice = pickFit(books.invoices, which, ({ state }) => state === 'past_due');
    if (!invoice) return null;
    return {
      refusal: invoice.state === 'past_due' ? null : 'CONFLICT',
      run: async () => answered(await life.post(`invoices/${invoice.sid}/write-off`, ending())),
      async effect() {
        await life.work();
        books.writtenOff(invoice);
      },
    };
  },

  refundTopUp(world, { which, part }) {
    const topUps = byCard(world.books, ({ invoice }) => invoice === null);
    const payment = pickFit(topUps, which, (one) => refundableOf(one) > 0n);
    if (!payment) return null;
    const cents = most(1n, partOf(refundableOf(payment), part));
    const target = { paymentIntentId: payment.id };
    return refundPlan(world, { payment, target, cents, leftCents: refundableOf(payment) });
  },

  refundInvoice(world, { which, part }) {
    const { books } = world;
    const invoice = pickFit(books.invoices, which, (one) => books.creditOf(one) > 0n);
    if (!invoice) return null;
    const credit = books.creditOf(invoice);
    const leftOf = (payment: KnownPayment) => least(credit, refundableOf(payment));
    // Of several payments the one of which most is left, the oldest first.
    const payments = books.payments.filter((payment) => payment.invoice === invoice);
    const payment = payments.toSorted((a, b) => Number(leftOf(b) - leftOf(a)))[0];
    const leftCents = payment ? leftOf(payment) : 0n;
    const cents = most(1n, partOf(leftCents, part));
    return refundPlan(world, { payment, target: { invoiceSid: invoice.sid }, cents, leftCents });
  },

  async dispute({ life, books }, { which, part }) {
    const payment = pick(byCard(books), which);
    if (!payment) return null;
    const cents = most(1n, partOf(payment.cents, part));
    const { charge } = await life.intent(payment.id);
    let id = '';
    return {
      refusal: null,
      async run() {
        id = life.control.dispute(charge, { amount: Number(cents) }).id;
        await life.look(payment.id);
      },
      effect() {
        books.disputed(payment, { id, cents });
        books.feeTaken(BigInt(life.control.settings.disputeFee));
      },
    };
  },

  decide({ life, books }, { which, outcome }) {
    const open = books.payments.flatMap((payment) =>
      payment.disputes.filter(({ state }) => state === 'open').map((dispute) => ({ payment, dispute })),
    );
    const found = pick(open, which);
    if (!found) return null;
    const { payment, dispute } = found;
    return {
      refusal: null,
      async run() {
        life.control.closeDispute(dispute.id, outcome);
        await life.look(payment.id);
      },
      effect() {
        if (outcome === 'won') books.won(payment, dispute);
        else dispute.state = 'lost';
      },
    };
  },
};

function signed({ app }: Life, found: ReconciliationCase, as: PricedAs, forged: boolean) {
  const pricing = {
    billable: as !== 'free',
    category: as === 'free' ? 'UTILITY' : as.toUpperCase(),
    customerCurrency: 'USD',
    market: 'FR',
    pricingModel: 'PMP',
    pricingType: 'REGULAR' as const,
    providerEvidence: {},
    transport: 'CLOUD_API',
  };
  const version = forged ? found.version + 1 : found.version;
  const signature = signRemediation(remediationKeys(app.sealer)[0]!, { ...found, version }, pricing);
  return { caseSid: found.sid, signature, pricing };
}
