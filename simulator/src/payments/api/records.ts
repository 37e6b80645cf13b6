// What is only read: charges, disputes, events, the balance.
import { createdParam, pageOf, pageParams, within } from '../http/listing.ts';
import { expand, list, maybe, params, text } from '../http/params.ts';
import { at } from '../http/problems.ts';
import { operation } from '../http/serve.ts';
import { shownBalance } from '../objects/new-balance.ts';

const only = params({ expand });

/** `charge.*` names all types that begin so. */
const isOfType = (wanted: string, type: string) =>
  wanted.endsWith('*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted;

export const recordOperations = [
  operation({
    method: 'GET',
    path: '/v1/events',
    rule: 'events',
    params: params({
      ...pageParams,
      ...createdParam,
      type: maybe(text()),
      types: maybe(list(text(), 20)),
    }),
    run: ({ tables }, { type, types, ...input }) =>
      pageOf(
        tables.events,
        '/v1/events',
        'event',
        input,
        (event) =>
          within(input.created, event.created) &&
          (type === undefined || isOfType(type, event.type)) &&
          (types === undefined || types.some((one) => isOfType(one, event.type))),
      ),
  }),
  operation({
    method: 'GET',
    path: '/v1/events/:id',
    rule: 'events',
    params: only,
    run: ({ tables }, _input, { id }) => at(tables.events, id, 'event'),
  }),
  operation({
    method: 'GET',
    path: '/v1/balance_transactions',
    rule: 'balance_transactions',
    params: params({
      ...pageParams,
      ...createdParam,
      currency: maybe(text(3)),
      source: maybe(text()),
      type: maybe(text()),
    }),
    run(payments, input) {
      const { data, ...page } = pageOf(
        payments.tables.balance,
        '/v1/balance_transactions',
        'balance_transaction',
        input,
        (row) =>
          within(input.created, row.created) &&
          (input.currency === undefined || row.currency === input.currency) &&
          (input.source === undefined || row.source === input.source) &&
          (input.type === undefined || row.type === input.type),
      );
      return { ...page, data: data.map((row) => shownBalance(payments, row)) };
    },
  }),
  operation({
    method: 'GET',
    path: '/v1/balance_transactions/:id',
    rule: 'balance_transactions',
    params: only,
    run: (payments, _input, { id }) =>
      shownBalance(payments, at(payments.tables.balance, id, 'balance_transaction')),
  }),
  operation({
    method: 'GET',
    path: '/v1/charges',
    rule: 'charges',
    params: params({
      ...pageParams,
      ...createdParam,
      customer: maybe(text()),
      payment_intent: maybe(text()),
    }),
    run: ({ tables }, input) =>
      pageOf(
        tables.charges,
        '/v1/charges',
        'charge',
        input,
        (charge) =>
          within(input.created, charge.created) &&
          (input.customer === undefined || charge.customer === input.customer) &&
          (input.payment_intent === undefined || charge.payment_intent === input.payment_intent),
      ),
  }),
  operation({
    method: 'GET',
    path: '/v1/charges/:id',
    rule: 'charges',
    params: only,
    run: ({ tables }, _input, { id }) => at(tables.charges, id, 'charge'),
  }),
  operation({
    method: 'GET',
    path: '/v1/disputes',
    rule: 'disputes',
    params: params({
      ...pageParams,
      ...createdParam,
      charge: maybe(text()),
      payment_intent: maybe(text()),
    }),
    run: ({ tables }, input) =>
      pageOf(
        tables.disputes,
        '/v1/disputes',
        'dispute',
        input,
        (dispute) =>
          within(input.created, dispute.created) &&
          (input.charge === undefined || dispute.charge === input.charge) &&
          (input.payment_intent === undefined || dispute.payment_intent === input.payment_intent),
      ),
  }),
  operation({
    method: 'GET',
    path: '/v1/disputes/:id',
    rule: 'disputes',
    params: only,
    run: ({ tables }, _input, { id }) => at(tables.disputes, id, 'dispute'),
  }),
];
