import { accountPath, Closed } from '../../../platform/http/input/schema.ts';
import { operation } from '../../../platform/http/operations/operation.ts';
import { issuesOfRange, listCharges } from './charges.ts';
import { ChargeList, ChargeQuery } from './schema.ts';

export const operations = [
  operation({
    id: 'listCharges',
    method: 'GET',
    path: '/v1/accounts/{accountSid}/billing/charges',
    summary: 'List what messages cost',
    description:
      'One charge for every message whose final price is known, free ones included, and one for every correction made later. ' +
      '`from` is inclusive, `to` is exclusive. A charge names the rate card the message was accepted under, and whether the ' +
      'price follows the provider’s report or our estimate. `invoiceSid` and `statementSid` are set once its period is closed.',
    tag: 'Billing',
    access: ['billing:read'],
    params: Closed(accountPath),
    query: ChargeQuery,
    responses: { 200: ChargeList },
    issues: (_t, { query }) => issuesOfRange(query),
    handler: (t, { query, pager }) => listCharges(t, query, pager),
  }),
];
