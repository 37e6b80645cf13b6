// Collecting an invoice from the saved card: tried when it is issued, and again after each failure as its delays say. The first
// failure makes it past due, and sending goes on; when no try is left, the wallet is suspended until it is paid.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import {
  cancelIntent,
  chargeSavedCard,
  isOpen,
  leastPayment,
  savedCardOf,
  startIntent,
} from '../../payments/index.ts';
import { invoiceEvents } from '../invoices/events.ts';
import {
  changeInvoice,
  type InvoiceRow,
  linkContext,
  lockInvoice,
  moveInvoice,
  outstandingOf,
  tell,
} from '../invoices/invoices.ts';
import { mayMove } from '../invoices/states.ts';
import { tellWallet } from '../settling/dunning-state.ts';
import { nextStep, type Retry } from './dunning.ts';
import { lockWithIntents } from './lock-with-payments.ts';

/** Live payments need keys of the operator's. */
const takesPayments = ({ livemode, site }: TenantTx) => !livemode || site.payments.live !== null;

// Somebody else pays at this moment: an open page, or a try whose outcome is not known yet.
const busyMs = 10 * 60_000;

/** Tries the card, if a try is due. What becomes of it is heard later. */
export async function collect(t: TenantTx, invoiceSid: string): Promise<void> {
  const row = await lockInvoice(t, invoiceSid);
  const due = row.nextAttemptAt !== null && new Date(row.nextAttemptAt) <= t.now;
  if (!due || row.cardIntentId === null || !mayMove(row.state, 'pay') || outstandingOf(row) === 0n) return;
  // Credit or a part that was paid left less than a card can be charged.
  if (outstandingOf(row) < leastPayment(row.currency))
    return noteFailure(t, row, 'below_minimum', 'another_way');
  if (!(await savedCardOf(t, row.cardIntentId))) return noteFailure(t, row, 'no_saved_card', 'never');
  const intent = takesPayments(t)
    ? await chargeSavedCard(t, { ...askedOf(row), paymentIntentId: row.cardIntentId })
    : null;
  await changeInvoice(
    t,
    row,
    intent
      ? sql`next_attempt_at = null, collect_attempts = collect_attempts + 1, attempt_intent_id = ${intent.id}`
      : sql`next_attempt_at = ${new Date(t.now.getTime() + busyMs)}`,
  );
}

/** What is asked of whoever pays: all that is outstanding. It was taxed when it was invoiced. */
function askedOf(row: InvoiceRow) {
  return {
    purpose: 'invoice' as const,
    invoiceSid: row.sid,
    walletId: row.walletId,
    currency: row.currency,
    netMinor: outstandingOf(row),
    taxMinor: 0n,
    taxLines: [],
    description: `Invoice ${row.number}`,
  };
}

/**
 * A link on which the invoice can be paid by card, for what is outstanding. None where the platform takes no cards, or none over
 * so little.
 */
export async function openLink(t: TenantTx, row: InvoiceRow): Promise<InvoiceRow> {
  if (!takesPayments(t) || outstandingOf(row) < leastPayment(row.currency)) return row;
  const { hostedUrl } = await startIntent(t, askedOf(row));
  return changeInvoice(t, row, sql`sealed_hosted_url = ${t.sealer.seal(hostedUrl, linkContext(t, row.sid))}`);
}

const owedOf = (row: InvoiceRow): bigint => (mayMove(row.state, 'pay') ? outstandingOf(row) : 0n);

/** The amount of an invoice has changed, and its link was ended with it. */
export async function renewLink(t: TenantTx, row: InvoiceRow): Promise<InvoiceRow> {
  if (row.sealedHostedUrl === null) return row;
  const ended = await changeInvoice(t, row, sql`sealed_hosted_url = null`);
  return owedOf(ended) > 0n ? openLink(t, ended) : ended;
}

/**
 * An invoice was paid, or a bank took a payment back: a link that asks for anything but what is owed by now is ended, and whoever had
 * one has another for that. Whoever pays on the old one before it is closed has paid too much, which is credit.
 */
export async function keepLink(t: TenantTx, invoiceSid: string): Promise<void> {
  const { row, intents } = await lockWithIntents(t, invoiceSid);
  const owed = owedOf(row);
  const open = intents.filter(
    ({ state, sealedToken, cancelAskedAt }) =>
      isOpen(state) && sealedToken !== null && cancelAskedAt === null,
  );
  const outdated = open.filter(({ amountMinor }) => amountMinor !== owed);
  for (const { id } of outdated) await cancelIntent(t, id);
  if (open.length > outdated.length) return;
  if (outdated.length > 0) await renewLink(t, row);
  else if (owed > 0n && intents.some(({ sealedToken }) => sealedToken !== null)) await openLink(t, row);
}

/** The card was not charged: what follows depends on why, and on how many tries are left. */
export async function noteFailure(t: TenantTx, row: InvoiceRow, why: string, retry: Retry): Promise<void> {
  const step = nextStep(row.collectAttempts, row.retryDelaysHours, retry, t.now);
  const changes = sql`dunning = ${step.state}, next_attempt_at = ${step.at}, last_failure = ${why}, attempt_intent_id = null`;
  const first = row.state === 'open';
  let changed = first ? await moveInvoice(t, row, 'fallDue', changes) : await changeInvoice(t, row, changes);
  const needsLink = step.state !== 'retrying' && retry !== 'another_way' && changed.sealedHostedUrl === null;
  if (needsLink) changed = await openLink(t, changed);
  if (first) tell(t, invoiceEvents.past_due, changed);
  await tellWallet(t, row.walletId);
}

/** Not paid in time, and no card to be charged. */
export async function fallDue(t: TenantTx, invoiceSid: string): Promise<void> {
  const row = await lockInvoice(t, invoiceSid);
  if (row.state !== 'open' || row.dueAt === null || new Date(row.dueAt) > t.now) return;
  if (row.nextAttemptAt !== null || row.attemptIntentId !== null) return;
  const due = await moveInvoice(t, row, 'fallDue', sql`dunning = 'action_required'`);
  tell(t, invoiceEvents.past_due, due);
  await tellWallet(t, row.walletId);
}
