import type Stripe from 'stripe';
import { type DeclineCode, declineOf } from './cards.ts';
import { newId, nowS, type Payments } from './payments.ts';
import type { ChargeRow, IntentRow, MethodRow } from './rows.ts';

type Attempt = {
  decline: DeclineCode | null;
  /** Processing: neither succeeded nor failed yet. */
  pending: boolean;
  authenticated: boolean;
};

export function makeCharge(
  payments: Payments,
  intent: IntentRow,
  method: MethodRow,
  { decline, pending, authenticated }: Attempt,
): ChargeRow {
  const id = newId(payments, 'ch');
  const succeeded = decline === null && !pending;
  const charge = {
    id,
    object: 'charge',
    amount: intent.amount,
    amount_captured: decline === null ? intent.amount : 0,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: null,
    billing_details: method.billing_details,
    calculated_statement_descriptor: intent.statement_descriptor,
    captured: decline === null,
    created: nowS(payments),
    currency: intent.currency,
    customer: intent.customer,
    description: intent.description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: decline && declineOf(decline).code,
    failure_message: decline && declineOf(decline).message,
    fraud_details: {},
    livemode: payments.livemode,
    metadata: { ...intent.metadata },
    on_behalf_of: null,
    outcome: outcomeOf(decline),
    paid: succeeded,
    payment_intent: intent.id,
    payment_method: method.id,
    payment_method_details: { card: cardDetails(intent, method, authenticated), type: 'card' },
    receipt_email: intent.receipt_email,
    receipt_number: null,
    receipt_url: succeeded ? `${payments.url()}/receipts/${id}` : null,
    refunded: false,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: intent.statement_descriptor,
    statement_descriptor_suffix: intent.statement_descriptor_suffix,
    status: decline ? 'failed' : pending ? 'pending' : 'succeeded',
    transfer_data: null,
    transfer_group: null,
  } satisfies Stripe.Charge;
  payments.tables.charges.set(id, charge);
  intent.latest_charge = id;
  payments.changed();
  return charge;
}

export function outcomeOf(decline: DeclineCode | null): Stripe.Charge.Outcome {
  const { networkCode = null, advice = null } = decline ? declineOf(decline) : {};
  return {
    advice_code: advice,
    network_advice_code: null,
    network_decline_code: networkCode,
    network_status: decline ? 'declined_by_network' : 'approved_by_network',
    reason: decline,
    risk_level: 'normal',
    risk_score: 12,
    seller_message: decline ? 'The bank did not accept the payment.' : 'Payment complete.',
    type: decline ? 'issuer_declined' : 'authorized',
  };
}

function cardDetails(intent: IntentRow, method: MethodRow, authenticated: boolean) {
  const card = method.card!;
  return {
    amount_authorized: intent.amount,
    authorization_code: null,
    brand: card.brand,
    checks: card.checks,
    country: card.country,
    electronic_commerce_indicator: authenticated ? '05' : null,
    exp_month: card.exp_month,
    exp_year: card.exp_year,
    extended_authorization: { status: 'disabled' },
    fingerprint: card.fingerprint,
    funding: card.funding,
    incremental_authorization: { status: 'unavailable' },
    installments: null,
    last4: card.last4,
    mandate: null,
    multicapture: { status: 'unavailable' },
    network: card.brand,
    network_token: { used: false },
    network_transaction_id: null,
    overcapture: { maximum_amount_capturable: intent.amount, status: 'unavailable' },
    regulated_status: card.regulated_status,
    three_d_secure: authenticated
      ? {
          authentication_flow: 'challenge',
          electronic_commerce_indicator: '05',
          exemption_indicator: null,
          result: 'authenticated',
          result_reason: null,
          transaction_id: null,
          version: '2.2.0',
        }
      : null,
    transaction_link_id: null,
    wallet: null,
  } satisfies Stripe.Charge.PaymentMethodDetails.Card;
}
