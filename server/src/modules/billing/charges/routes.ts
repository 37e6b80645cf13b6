import { accountPath, Closed, Uuid } from '../../../platform/http/input/schema.ts';
import { operation } from '../../../platform/http/operations/operation.ts';
import { issuesOfRange, listCharges } from './charges.ts';
import { explainCharge } from './explain.ts';
import { ChargeExplanation, ChargeList, ChargeQuery } from './schema.ts';

const tag = 'Billing';
const all = '/v1/accounts/{accountSid}/billing/charges';

export const operations = [
  operation({
    id: 'listCharges',
    method: 'GET',
    path: all,
    summary: 'List what messages cost',
    description:
      'One charge for every message whose final price is known, free ones included, and one for every correction made later. ' +
      '`from` is inclusive, `to` is exclusive. A charge names the rate card the message was accepted under, and whether the ' +
      'price follows the provider’s report or our estimate. `invoiceSid` and `statementSid` are set once its period is closed.',
    tag,
    access: ['billing:read'],
    params: Closed(accountPath),
    query: ChargeQuery,
    responses: { 200: ChargeList },
    issues: (_t, { query }) => issuesOfRange(query),
    handler: (t, { query, pager }) => listCharges(t, query, pager),
  }),
  operation({
    id: 'explainCharge',
    method: 'GET',
    path: `${all}/{chargeId}`,
    summary: 'Explain a charge',
    description:
      'Why it is this amount: the row of the rate card, how the provider said it charged, what was held for the message, ' +
      'what was moved, and the period and documents it stands on.',
    tag,
    access: ['billing:read'],
    params: Closed({ ...accountPath, chargeId: Uuid }),
    responses: { 200: ChargeExplanation },
    handler: (t, { params }) => explainCharge(t, params.chargeId),
  }),
];
