import type Stripe from 'stripe';
import { newId, nowS, type Payments } from './payments.ts';
import type { CustomerRow, SessionPlan, SessionRow } from './rows.ts';

export type LineInput = {
  name: string;
  description: string | null;
  currency: string;
  unitAmount: number;
  quantity: number;
  taxBehavior: 'exclusive' | 'inclusive' | 'unspecified' | null;
};

export type SessionInput = {
  customer: CustomerRow | null;
  customerEmail: string | null;
  customerCreation: 'always' | 'if_required';
  clientReferenceId: string | null;
  successUrl: string;
  cancelUrl: string | null;
  expiresAt: number;
  locale: string | null;
  metadata: Record<string, string>;
  submitType: string | null;
  allowedTypes: string[] | null;
  lines: LineInput[];
  plan: Omit<SessionPlan, 'lineItems'>;
};

export function makeSession(payments: Payments, input: SessionInput): SessionRow {
  const id = newId(payments, payments.livemode ? 'cs_live' : 'cs_test', 58);
  const lineItems = input.lines.map((line) => lineItem(payments, line));
  const total = lineItems.reduce((sum, { amount_total }) => sum + amount_total, 0);
  const session = {
    id,
    object: 'checkout.session',
    adaptive_pricing: { enabled: false },
    after_expiration: null,
    allow_promotion_codes: null,
    allowed_payment_method_types: input.allowedTypes,
    amount_subtotal: total,
    amount_total: total,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    billing_address_collection: null,
    cancel_url: input.cancelUrl,
    client_reference_id: input.clientReferenceId,
    client_secret: null,
    collected_information: null,
    consent: null,
    consent_collection: null,
    created: nowS(payments),
    currency: input.lines[0]!.currency,
    currency_conversion: null,
    custom_fields: [],
    custom_text: {
      after_submit: null,
      shipping_address: null,
      submit: null,
      terms_of_service_acceptance: null,
    },
    customer: input.customer?.id ?? null,
    customer_account: null,
    customer_creation: input.customer ? null : input.customerCreation,
    customer_details:
      input.customer || input.customerEmail
        ? customerDetails(input.customer?.email ?? input.customerEmail, input.customer?.name ?? null)
        : null,
    customer_email: input.customerEmail,
    discounts: [],
    expires_at: input.expiresAt,
    integration_identifier: null,
    invoice: null,
    invoice_creation: {
      enabled: false,
      invoice_data: {
        account_tax_ids: null,
        custom_fields: null,
        description: null,
        footer: null,
        issuer: null,
        metadata: {},
        rendering_options: null,
      },
    },
    livemode: payments.livemode,
    locale: input.locale,
    managed_payments: { enabled: false },
    metadata: input.metadata,
    mode: 'payment',
    origin_context: null,
    // The service makes the payment intent when somebody tries to pay, not before.
    payment_intent: null,
    payment_link: null,
    payment_method_collection: 'if_required',
    payment_method_configuration_details: null,
    payment_method_options: { card: { request_three_d_secure: 'automatic' } },
    payment_method_types: ['card'],
    payment_status: 'unpaid',
    permissions: null,
    phone_number_collection: { enabled: false },
    recovered_from: null,
    saved_payment_method_options: null,
    setup_intent: null,
    shipping_address_collection: null,
    shipping_cost: null,
    shipping_options: [],
    status: 'open',
    submit_type: input.submitType,
    subscription: null,
    success_url: input.successUrl,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: 'hosted_page',
    url: `${payments.url()}/c/pay/${id}`,
    wallet_options: null,
  } satisfies Stripe.Checkout.Session;
  payments.tables.sessions.set(id, session);
  payments.tables.plans.set(id, { ...input.plan, lineItems });
  payments.changed();
  return session;
}

export const customerDetails = (
  email: string | null,
  name: string | null,
): Stripe.Checkout.Session.CustomerDetails => ({
  address: null,
  business_name: null,
  email,
  individual_name: null,
  name,
  phone: null,
  tax_exempt: 'none',
  tax_ids: [],
});

function lineItem(payments: Payments, line: LineInput): Stripe.LineItem {
  const total = line.unitAmount * line.quantity;
  return {
    id: newId(payments, 'li'),
    object: 'item',
    adjustable_quantity: null,
    amount_discount: 0,
    amount_subtotal: total,
    amount_tax: 0,
    amount_total: total,
    currency: line.currency,
    description: line.name,
    metadata: {},
    price: {
      id: newId(payments, 'price'),
      object: 'price',
      active: false,
      billing_scheme: 'per_unit',
      created: nowS(payments),
      currency: line.currency,
      custom_unit_amount: null,
      livemode: payments.livemode,
      lookup_key: null,
      metadata: {},
      nickname: null,
      product: newId(payments, 'prod', 14),
      recurring: null,
      tax_behavior: line.taxBehavior ?? 'unspecified',
      tiers_mode: null,
      transform_quantity: null,
      type: 'one_time',
      unit_amount: line.unitAmount,
      // On the wire it is text; the package makes a number with a decimal point of it.
      unit_amount_decimal: String(line.unitAmount) as never,
    },
    quantity: line.quantity,
  };
}
