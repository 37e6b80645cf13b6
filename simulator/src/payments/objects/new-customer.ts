import type Stripe from 'stripe';
import { newId, nowS, type Payments } from './payments.ts';
import type { CustomerRow } from './rows.ts';

export type CustomerInput = {
  name?: string;
  email?: string;
  phone?: string;
  description?: string;
  preferredLocales?: string[];
  address?: Partial<Stripe.Address>;
  metadata?: Record<string, string>;
};

export const emptyAddress: Stripe.Address = {
  city: null,
  country: null,
  line1: null,
  line2: null,
  postal_code: null,
  state: null,
};

export function makeCustomer(payments: Payments, input: CustomerInput): CustomerRow {
  const customer = {
    id: newId(payments, 'cus', 14),
    object: 'customer',
    address: input.address ? { ...emptyAddress, ...input.address } : null,
    balance: 0,
    created: nowS(payments),
    currency: null,
    customer_account: null,
    default_source: null,
    delinquent: false,
    description: input.description ?? null,
    discount: null,
    email: input.email ?? null,
    invoice_prefix: payments.random.word(8).toUpperCase(),
    invoice_settings: {
      custom_fields: null,
      default_payment_method: null,
      footer: null,
      rendering_options: null,
    },
    livemode: payments.livemode,
    metadata: input.metadata ?? {},
    name: input.name ?? null,
    next_invoice_sequence: 1,
    phone: input.phone ?? null,
    preferred_locales: input.preferredLocales ?? [],
    shipping: null,
    tax_exempt: 'none',
    test_clock: null,
  } satisfies Stripe.Customer;
  payments.tables.customers.set(customer.id, customer);
  payments.changed();
  payments.emit('customer.created', customer);
  return customer;
}
