import { accountPath, Closed, ListOf, sample } from '../../platform/http/input/schema.ts';
import { operation } from '../../platform/http/operations/operation.ts';
import { listPayments } from './intents/intents.ts';
import { paymentSample } from './samples.ts';
import { PaymentIntentResource, PaymentQuery } from './schema.ts';

const tag = 'Payments';
const billing = '/v1/accounts/{accountSid}/billing';

sample(PaymentIntentResource, paymentSample);

export const operations = [
  operation({
    id: 'listPayments',
    method: 'GET',
    path: `${billing}/payments`,
    summary: 'List payments',
    description:
      'Top-ups and payments of invoices, the newest first, those included that nobody paid. `hostedUrl` is where one can be ' +
      'paid, while it can be.',
    tag,
    access: ['billing:read'],
    params: Closed(accountPath),
    query: PaymentQuery,
    responses: { 200: ListOf(PaymentIntentResource) },
    handler: (t, { query, pager }) => listPayments(t, query, pager),
  }),
];
