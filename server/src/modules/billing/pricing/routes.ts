import { accountPath, Closed } from '../../../platform/http/input/schema.ts';
import { operation } from '../../../platform/http/operations/operation.ts';
import { issuesOfQuote, quoteMessage } from './quotes.ts';
import { getPublicPricing, getRateCard } from './rate-cards.ts';
import { MessageQuote, PublicPricing, QuoteRequest, RateCardResource } from './schema.ts';

const tag = 'Billing';
const billing = '/v1/accounts/{accountSid}/billing';

export const operations = [
  operation({
    id: 'getPublicPricing',
    method: 'GET',
    path: '/v1/pricing',
    summary: 'The public rate card',
    description:
      'The platform fee by category, pricing type, transport, market and currency. A market without a row of its own has ' +
      'the price of `defaultMarket`, and so has a country that stands in no market. The provider bills the business itself ' +
      'for the message, unless its business account is in the billing mode `partner`.',
    tag,
    access: 'public',
    responses: { 200: PublicPricing },
    open: ({ database, now }) => database.system((s) => getPublicPricing(s, now)),
  }),
  operation({
    id: 'getRateCard',
    method: 'GET',
    path: `${billing}/rate-card`,
    summary: 'What the account is charged per message',
    description:
      'The prices that hold for the account now, by category, kind of pricing, transport and market. `passThroughRates` are ' +
      'charged on top for business accounts in the billing mode `partner`. A message keeps the version of the rate card ' +
      'it was priced by.',
    tag,
    access: ['billing:read'],
    params: Closed(accountPath),
    responses: { 200: RateCardResource },
    handler: getRateCard,
  }),
  operation({
    id: 'quoteMessage',
    method: 'POST',
    path: `${billing}/message-quote`,
    summary: 'What one message would cost now',
    description:
      'The most the message can cost: one that the provider turns out to carry for free is charged less when it is settled.',
    tag,
    access: ['billing:write'],
    whileSuspended: true,
    idempotency: 'required',
    params: Closed(accountPath),
    body: QuoteRequest,
    responses: { 200: MessageQuote },
    example: {
      category: 'UTILITY',
      identifierType: 'PHONE_E164',
      recipient: '+33612345678',
      senderSid: 'WA01K3B0000000000000000000PA',
    },
    issues: (_t, { body }) => issuesOfQuote(body),
    handler: (t, { body }) => quoteMessage(t, body),
  }),
];
