import { createHash } from 'node:crypto';
import type Stripe from 'stripe';
import { cardWith } from './cards.ts';
import { emptyAddress } from './new-customer.ts';
import { newId, nowS, type Payments } from './payments.ts';
import type { MethodRow } from './rows.ts';

export type CardInput = { number: string; expMonth: number; expYear: number; name: string | null };

export function makeMethod(payments: Payments, input: CardInput): MethodRow {
  const { brand } = cardWith(input.number);
  const method = {
    id: newId(payments, 'pm'),
    object: 'payment_method',
    allow_redisplay: 'unspecified',
    billing_details: { address: emptyAddress, email: null, name: input.name, phone: null, tax_id: null },
    card: {
      brand,
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
      country: 'US',
      display_brand: brand,
      exp_month: input.expMonth,
      exp_year: input.expYear,
      // The same card has the same fingerprint, whoever saved it.
      fingerprint: createHash('sha256').update(input.number).digest('base64url').slice(0, 16),
      funding: 'credit',
      generated_from: null,
      last4: input.number.slice(-4),
      networks: { available: [brand], preferred: null },
      regulated_status: 'unregulated',
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
    created: nowS(payments),
    customer: null,
    customer_account: null,
    livemode: payments.livemode,
    metadata: {},
    type: 'card',
  } satisfies Stripe.PaymentMethod;
  payments.tables.methods.set(method.id, method);
  payments.tables.cardSecrets.set(method.id, { number: input.number, setUp: false });
  payments.changed();
  return method;
}
