// Customers and the cards they saved.

import { createdParam, pageOf, pageParams, within } from '../http/listing.ts';
import { expand, list, maybe, metadata, params, text, words } from '../http/params.ts';
import { at, invalid, noSuch } from '../http/problems.ts';
import { operation } from '../http/serve.ts';
import { attach } from '../moves/charging.ts';
import { cardNamed } from '../objects/cards.ts';
import { makeCustomer } from '../objects/new-customer.ts';
import { makeMethod } from '../objects/new-method.ts';
import { nowS, type Payments } from '../objects/payments.ts';
import type { CustomerRow, MethodRow } from '../objects/rows.ts';

const address = params({
  city: maybe(text()),
  country: maybe(text(2)),
  line1: maybe(text()),
  line2: maybe(text()),
  postal_code: maybe(text()),
  state: maybe(text()),
});

export const requireCustomer = ({ tables }: Payments, id: string): CustomerRow => {
  const customer = tables.customers.get(id);
  if (!customer) throw noSuch('customer', id, 'customer');
  return customer;
};

const customerAt = ({ tables }: Payments, id: string): CustomerRow => at(tables.customers, id, 'customer');

const methodAt = ({ tables }: Payments, id: string): MethodRow =>
  at(tables.methods, id, 'PaymentMethod', 'payment_method');

/** A payment method by its id, or a new one with the test card of that name. */
export function requireMethod(payments: Payments, id: string): MethodRow {
  const known = payments.tables.methods.get(id);
  if (known) return known;
  const card = cardNamed(id);
  if (!card) throw noSuch('PaymentMethod', id, 'payment_method');
  const expYear = new Date(nowS(payments) * 1000).getUTCFullYear() + 1;
  return makeMethod(payments, { number: card.number, expMonth: 8, expYear, name: null });
}

const only = params({ expand });

const listMethods = (payments: Payments, url: string, customer: string, input: MethodPage) =>
  pageOf(
    payments.tables.methods,
    url,
    'PaymentMethod',
    input,
    (method) => method.customer === customer && (input.type === undefined || method.type === input.type),
  );
type MethodPage = { type?: string; limit?: number; starting_after?: string; ending_before?: string };

export const customerOperations = [
  operation({
    method: 'POST',
    path: '/v1/customers',
    rule: 'customers',
    params: params({
      name: maybe(text(256)),
      email: maybe(text(512)),
      phone: maybe(text(20)),
      description: maybe(text()),
      address: maybe(address),
      preferred_locales: maybe(list(text(10))),
      metadata,
      expand,
    }),
    run: (payments, { preferred_locales, ...input }) =>
      makeCustomer(payments, { ...input, preferredLocales: preferred_locales }),
  }),
  operation({
    method: 'GET',
    path: '/v1/customers',
    rule: 'customers',
    params: params({ ...pageParams, ...createdParam, email: maybe(text(512)) }),
    run: ({ tables }, input) =>
      pageOf(
        tables.customers,
        '/v1/customers',
        'customer',
        input,
        ({ created, email }) =>
          within(input.created, created) && (input.email === undefined || input.email === email),
      ),
  }),
  operation({
    method: 'GET',
    path: '/v1/customers/:id',
    rule: 'customers',
    params: only,
    run: (payments, _input, { id }) => customerAt(payments, id),
  }),
  operation({
    method: 'GET',
    path: '/v1/customers/:id/payment_methods',
    rule: 'payment_methods',
    params: params({ ...pageParams, type: maybe(words('card')) }),
    run: (payments, input, { id }) =>
      listMethods(payments, `/v1/customers/${id}/payment_methods`, customerAt(payments, id).id, input),
  }),
  operation({
    method: 'GET',
    path: '/v1/customers/:id/payment_methods/:part',
    rule: 'payment_methods',
    params: only,
    run(payments, _input, { id, part }) {
      const method = methodAt(payments, part);
      if (method.customer !== customerAt(payments, id).id)
        throw noSuch('PaymentMethod', part, 'payment_method', 404);
      return method;
    },
  }),
  operation({
    method: 'GET',
    path: '/v1/payment_methods',
    rule: 'payment_methods',
    params: params({ ...pageParams, customer: text(), type: maybe(words('card')) }),
    run: (payments, input) =>
      listMethods(payments, '/v1/payment_methods', requireCustomer(payments, input.customer).id, input),
  }),
  operation({
    method: 'GET',
    path: '/v1/payment_methods/:id',
    rule: 'payment_methods',
    params: only,
    run: (payments, _input, { id }) => methodAt(payments, id),
  }),
  operation({
    method: 'POST',
    path: '/v1/payment_methods/:id/attach',
    rule: 'payment_methods',
    params: params({ customer: text(), expand }),
    run(payments, input, { id }) {
      const customer = requireCustomer(payments, input.customer);
      const method = requireMethod(payments, id);
      if (method.customer !== null && method.customer !== customer.id)
        throw invalid('The payment method you provided has already been attached to a customer.');
      if (method.customer === null) attach(payments, method, customer.id);
      return method;
    },
  }),
  operation({
    method: 'POST',
    path: '/v1/payment_methods/:id/detach',
    rule: 'payment_methods',
    params: only,
    run(payments, _input, { id }) {
      const method = methodAt(payments, id);
      if (method.customer === null)
        throw invalid(
          'The payment method you provided is not attached to a customer so detachment is impossible.',
        );
      const before = method.customer;
      method.customer = null;
      payments.changed();
      payments.emit('payment_method.detached', method, { customer: before });
      return method;
    },
  }),
];
