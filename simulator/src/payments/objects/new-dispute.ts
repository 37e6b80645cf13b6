import type Stripe from 'stripe';
import { newId, nowS, type Payments } from './payments.ts';
import type { ChargeRow, DisputeRow } from './rows.ts';

export type DisputeInput = { amount: number; reason: string; inquiry: boolean };

const networkReasons: Record<string, string> = { fraudulent: '10.4', product_not_received: '13.1' };
const answerWithinS = 9 * 86_400;

export function makeDispute(payments: Payments, charge: ChargeRow, input: DisputeInput): DisputeRow {
  const { amount, reason, inquiry } = input;
  const brand = charge.payment_method_details?.card?.brand ?? 'visa';
  const networkReason = networkReasons[reason] ?? '13.7';
  const dispute = {
    id: newId(payments, 'dp'),
    object: 'dispute',
    amount,
    balance_transactions: [],
    charge: charge.id,
    created: nowS(payments),
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: {
      access_activity_log: null,
      billing_address: null,
      cancellation_policy: null,
      cancellation_policy_disclosure: null,
      cancellation_rebuttal: null,
      customer_communication: null,
      customer_email_address: charge.billing_details.email,
      customer_name: charge.billing_details.name,
      customer_purchase_ip: null,
      customer_signature: null,
      duplicate_charge_documentation: null,
      duplicate_charge_explanation: null,
      duplicate_charge_id: null,
      enhanced_evidence: {},
      product_description: null,
      receipt: null,
      refund_policy: null,
      refund_policy_disclosure: null,
      refund_refusal_explanation: null,
      service_date: null,
      service_documentation: null,
      shipping_address: null,
      shipping_carrier: null,
      shipping_date: null,
      shipping_documentation: null,
      shipping_tracking_number: null,
      uncategorized_file: null,
      uncategorized_text: null,
    },
    evidence_details: {
      due_by: nowS(payments) + answerWithinS,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'manual',
    },
    intended_submission_method: null,
    is_charge_refundable: inquiry,
    livemode: payments.livemode,
    metadata: {},
    network_reason_code: networkReason,
    payment_intent: charge.payment_intent,
    payment_method_details: {
      card: {
        brand,
        case_type: inquiry ? 'inquiry' : 'chargeback',
        network: brand,
        network_reason_code: networkReason,
      },
      type: 'card',
    },
    reason,
    status: inquiry ? 'warning_needs_response' : 'needs_response',
  } satisfies Stripe.Dispute;
  payments.tables.disputes.set(dispute.id, dispute);
  payments.changed();
  return dispute;
}
