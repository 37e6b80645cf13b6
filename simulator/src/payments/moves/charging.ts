// A card is charged: at once, after 3-D Secure, or not at all.
import type Stripe from 'stripe';
import { cardWith, type DeclineCode, declineOf } from '../objects/cards.ts';
import { docUrl } from '../objects/doc-url.ts';
import { book } from '../objects/new-balance.ts';
import { makeCharge, outcomeOf } from '../objects/new-charge.ts';
import { later, type Payments } from '../objects/payments.ts';
import type { ChargeRow, IntentRow, MethodRow } from '../objects/rows.ts';
import { completeSession, giveCustomer, settleSession } from './completion.ts';

/** Whether the cardholder is there to answer their bank. */
type Confirmation = { present: boolean; returnUrl: string | null };

/** Tries to pay. What became of it is the intent's status; a refusal stands in its `last_payment_error`. */
export function confirmIntent(
  payments: Payments,
  intent: IntentRow,
  method: MethodRow,
  { present, returnUrl }: Confirmation,
): void {
  intent.payment_method = method.id;
  intent.last_payment_error = null;
  payments.tables.challenges.delete(intent.id);
  if (!mustAuthenticate(payments, method, present)) charge(payments, intent, method, present, false);
  else if (!present) declined(payments, intent, method, 'authentication_required', false);
  else challenge(payments, intent, method, returnUrl);
}

/** Sends the cardholder to the 3-D Secure page. */
function challenge(payments: Payments, intent: IntentRow, method: MethodRow, returnUrl: string | null): void {
  const token = payments.random.word(24);
  payments.tables.challenges.set(intent.id, { token, method: method.id });
  intent.status = 'requires_action';
  intent.next_action = {
    type: 'redirect_to_url',
    redirect_to_url: { url: `${payments.url()}/3ds/${intent.id}/${token}`, return_url: returnUrl },
  };
  payments.changed();
  payments.emit('payment_intent.requires_action', intent);
}

function mustAuthenticate({ tables }: Payments, method: MethodRow, present: boolean): boolean {
  const { number, setUp } = tables.cardSecrets.get(method.id)!;
  const { authenticate } = cardWith(number);
  if (authenticate === undefined) return false;
  return present || authenticate === 'always' || (authenticate === 'until-set-up' && !setUp);
}

/** The answer of the 3-D Secure page. False: nobody waits for it any more. */
export function answerChallenge(
  payments: Payments,
  intent: IntentRow,
  token: string,
  passed: boolean,
): boolean {
  const open = payments.tables.challenges.get(intent.id);
  if (open?.token !== token || intent.status !== 'requires_action') return false;
  payments.tables.challenges.delete(intent.id);
  intent.next_action = null;
  const method = payments.tables.methods.get(open.method)!;
  if (passed) charge(payments, intent, method, true, true);
  else {
    failIntent(payments, intent, method, {
      code: 'payment_intent_authentication_failure',
      message:
        'We are unable to authenticate your payment method. Please choose a different payment method and try again.',
      type: 'invalid_request_error',
    });
  }
  return true;
}

function charge(
  payments: Payments,
  intent: IntentRow,
  method: MethodRow,
  present: boolean,
  authenticated: boolean,
): void {
  const { number } = payments.tables.cardSecrets.get(method.id)!;
  const card = cardWith(number);
  const rule = payments.rules.pick({
    about: 'card',
    path: 'card',
    card: number,
    customer: intent.customer,
    metadata: intent.metadata,
  });
  const decline = rule?.decline ?? card.decline ?? (present ? undefined : card.declineAway);
  if (decline) {
    declined(payments, intent, method, decline, authenticated);
    return;
  }
  giveCustomer(payments, intent, method);
  save(payments, intent, method, authenticated);
  const outcome = rule?.settles;
  const pending = outcome !== undefined;
  const made = makeCharge(payments, intent, method, { decline: null, pending, authenticated });
  intent.next_action = null;
  if (pending) process(payments, intent, made, outcome);
  else succeed(payments, intent, made);
  completeSession(payments, intent, pending ? 'unpaid' : 'paid');
}

/** The money is on its way, as with a bank debit. */
function process(payments: Payments, intent: IntentRow, made: ChargeRow, outcome: 'later' | 'never'): void {
  intent.status = 'processing';
  payments.emit('charge.pending', made);
  payments.emit('payment_intent.processing', intent);
  later(payments, 'finish-processing', intent.id, payments.settings.processingMs, { more: { outcome } });
}

/** Keeps the card for later payments, where that was asked for. */
function save(payments: Payments, intent: IntentRow, method: MethodRow, authenticated: boolean): void {
  if (intent.setup_future_usage === null || intent.customer === null) return;
  const secret = payments.tables.cardSecrets.get(method.id)!;
  if (intent.setup_future_usage === 'off_session' && authenticated) secret.setUp = true;
  if (method.customer === null) attach(payments, method, intent.customer);
}

export function attach(payments: Payments, method: MethodRow, customer: string): void {
  method.customer = customer;
  payments.changed();
  payments.emit('payment_method.attached', method);
}

function succeed(payments: Payments, intent: IntentRow, made: ChargeRow): void {
  intent.status = 'succeeded';
  intent.amount_received = intent.amount;
  payments.changed();
  payments.emit('charge.succeeded', made);
  payments.emit('payment_intent.succeeded', intent);
  later(payments, 'book', made.id, payments.settings.balanceMs);
  const { number } = payments.tables.cardSecrets.get(made.payment_method!)!;
  if (cardWith(number).dispute) later(payments, 'dispute', made.id, payments.settings.disputeMs);
}

function declined(
  payments: Payments,
  intent: IntentRow,
  method: MethodRow,
  decline: DeclineCode,
  authenticated: boolean,
): void {
  const made = makeCharge(payments, intent, method, { decline, pending: false, authenticated });
  payments.emit('charge.failed', made);
  failIntent(payments, intent, method, declineError(made, decline));
}

function declineError(made: ChargeRow, decline: DeclineCode): Stripe.PaymentIntent.LastPaymentError {
  const { code, message, networkCode, advice } = declineOf(decline);
  return {
    ...(advice && { advice_code: advice }),
    charge: made.id,
    code,
    decline_code: decline,
    doc_url: docUrl(code),
    message,
    ...(networkCode && { network_decline_code: networkCode }),
    type: 'card_error',
  };
}

function failIntent(
  payments: Payments,
  intent: IntentRow,
  method: MethodRow,
  error: Stripe.PaymentIntent.LastPaymentError,
): void {
  intent.status = 'requires_payment_method';
  intent.payment_method = null;
  intent.next_action = null;
  intent.last_payment_error = { ...error, payment_method: { ...method } };
  payments.changed();
  payments.emit('payment_intent.payment_failed', intent);
}

/** A payment that was processing has come to its end. */
export function finishProcessing(payments: Payments, intent: IntentRow, succeeds: boolean): void {
  if (intent.status !== 'processing') return;
  const made = payments.tables.charges.get(intent.latest_charge!)!;
  if (succeeds) {
    Object.assign(made, {
      status: 'succeeded',
      paid: true,
      receipt_url: `${payments.url()}/receipts/${made.id}`,
    });
    succeed(payments, intent, made);
  } else {
    const { code, message } = declineOf('generic_decline');
    Object.assign(made, {
      status: 'failed',
      captured: false,
      amount_captured: 0,
      failure_code: code,
      failure_message: message,
      outcome: outcomeOf('generic_decline'),
    });
    payments.emit('charge.failed', made);
    const method = payments.tables.methods.get(intent.payment_method!)!;
    failIntent(payments, intent, method, declineError(made, 'generic_decline'));
  }
  settleSession(payments, intent, succeeds);
}

/** Puts a charge on the balance, once. It is told a moment after the charge, as the service does. */
export function bookCharge(payments: Payments, made: ChargeRow): void {
  if (made.balance_transaction !== null) return;
  const { feePpm, feeFixed } = payments.settings;
  const row = book(payments, {
    type: 'charge',
    category: 'charge',
    amount: made.amount,
    fee: Math.min(Math.round((made.amount * feePpm) / 1_000_000) + feeFixed, made.amount),
    feeText: 'Stripe processing fees',
    currency: made.currency,
    source: made.id,
    description: made.description,
  });
  made.balance_transaction = row.id;
  payments.emit('charge.updated', made, { balance_transaction: null });
}
