// Billing's words on the wire are upper case: categories, pricing types, transports, as quotes are asked for in them.
import { type Static, Type } from 'typebox';
import {
  Closed,
  DateTime,
  Money,
  NamedObject,
  named,
  Sid,
  sample,
  Text,
  Word,
} from '../../../platform/http/input/schema.ts';
import { sampleOwner, sampleSid, sampleTime } from '../../../platform/samples.ts';
import { categories, chargedKinds, pricingTypes, transports } from './rates.ts';

const upper = <const W extends string>(words: readonly W[]) =>
  words.map((word) => word.toUpperCase() as Uppercase<W>);

export const category = named('BillingCategory', Word(...upper(categories)));
export const pricingType = named('PricingType', Word(...pricingTypes));
export const transport = named('BillingTransport', Word(...upper(transports)));
const identifierType = named('QuoteIdentifierType', Word('PHONE_E164', 'BSUID', 'USERNAME'));
const { currency } = Money.properties;
export const market = Type.String({ maxLength: 16 });

const Rate = NamedObject('Rate', { category, pricingType, transport, market, price: Money });
const Market = NamedObject('Market', { market, countries: Type.Array(Type.String()) });

export const PublicPricing = NamedObject('PublicPricing', {
  object: Word('pricing'),
  rateCardVersion: Type.Integer(),
  effectiveFrom: DateTime,
  defaultMarket: market,
  markets: Type.Array(Market),
  rates: Type.Array(Rate),
});
export type PublicPricing = Static<typeof PublicPricing>;

export const RateCardResource = NamedObject('RateCard', {
  object: Word('rate_card'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  version: Type.Integer(),
  effectiveFrom: DateTime,
  currency,
  defaultMarket: market,
  markets: Type.Array(Market),
  rates: Type.Array(Rate),
  /** Charged on top for what is sent from business accounts in the billing mode `partner`; empty while none is. */
  passThroughRates: Type.Array(Rate),
});
export type RateCardResource = Static<typeof RateCardResource>;

export const QuoteRequest = NamedObject('QuoteMessageRequest', {
  category: Type.String({ pattern: '^[A-Z][A-Z0-9_]{0,63}$' }),
  identifierType,
  recipient: Text(512),
  senderSid: Sid('WA'),
  transport: Type.Optional(transport),
});
export type QuoteRequest = Static<typeof QuoteRequest>;

export const MessageQuote = NamedObject('MessageQuote', {
  object: Word('message_quote'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  senderSid: Sid('WA'),
  recipient: Closed({ identifierType, value: Type.String() }),
  category,
  pricingType,
  transport,
  market,
  rateCardVersion: Type.Integer(),
  lines: Type.Array(Closed({ kind: Word(...chargedKinds), price: Money })),
  total: Money,
  createdAt: DateTime,
});
export type MessageQuote = Static<typeof MessageQuote>;

const price = { amountMinor: '300', currency: 'EUR', scale: 4 };
const card = {
  effectiveFrom: '2026-05-04T00:00:00.000Z',
  defaultMarket: 'REST',
  markets: [{ market: 'FR', countries: ['FR'] }],
  rates: [
    { category: 'UTILITY', pricingType: 'REGULAR', transport: 'CLOUD_API', market: 'FR', price },
  ] satisfies Static<typeof Rate>[],
};

sample(PublicPricing, { object: 'pricing', rateCardVersion: 1, ...card });
sample(RateCardResource, {
  object: 'rate_card',
  ...sampleOwner,
  version: 1,
  currency: 'EUR',
  ...card,
  passThroughRates: [],
});

sample(MessageQuote, {
  object: 'message_quote',
  ...sampleOwner,
  senderSid: sampleSid('WA'),
  recipient: { identifierType: 'PHONE_E164', value: '+33612345678' },
  category: 'UTILITY',
  pricingType: 'REGULAR',
  transport: 'CLOUD_API',
  market: 'FR',
  rateCardVersion: 1,
  lines: [{ kind: 'platform_fee', price }],
  total: price,
  createdAt: sampleTime,
});
