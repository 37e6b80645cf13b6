// Billing's words on the wire are upper case: categories, pricing types, transports, as quotes are asked for in them.
import { type Static, Type } from 'typebox';
import { Closed, DateTime, Money, Sid, Text, Word } from '../../../platform/http/input/schema.ts';
import { categories, pricingTypes, transports } from './rates.ts';

const upper = <const W extends string>(words: readonly W[]) =>
  words.map((word) => word.toUpperCase() as Uppercase<W>);

const category = Word(...upper(categories));
const pricingType = Word(...pricingTypes);
const transport = Word(...upper(transports));
const { currency } = Money.properties;
const market = Type.String({ maxLength: 16 });

const rate = { category, pricingType, transport, market, price: Money };
const markets = Type.Array(Closed({ market, countries: Type.Array(Type.String()) }));

export const PublicPricing = Closed({
  object: Word('pricing'),
  rateCardVersion: Type.Integer(),
  effectiveFrom: DateTime,
  defaultMarket: market,
  markets,
  rates: Type.Array(Closed(rate)),
});
export type PublicPricing = Static<typeof PublicPricing>;

export const RateCardResource = Closed({
  object: Word('rate_card'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  version: Type.Integer(),
  effectiveFrom: DateTime,
  currency,
  defaultMarket: market,
  markets,
  rates: Type.Array(Closed(rate)),
});
export type RateCardResource = Static<typeof RateCardResource>;

export const QuoteRequest = Closed({
  category: Type.String({ pattern: '^[A-Z][A-Z0-9_]{0,63}$' }),
  identifierType: Word('PHONE_E164', 'BSUID', 'USERNAME'),
  recipient: Text(512),
  senderSid: Sid('WA'),
  transport: Type.Optional(transport),
});
export type QuoteRequest = Static<typeof QuoteRequest>;

export const MessageQuote = Closed({
  object: Word('message_quote'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  senderSid: Sid('WA'),
  recipient: Closed({ identifierType: Word('PHONE_E164', 'BSUID', 'USERNAME'), value: Type.String() }),
  category,
  pricingType,
  transport,
  market,
  rateCardVersion: Type.Integer(),
  lines: Type.Array(Closed({ kind: Word('platform_fee'), price: Money })),
  total: Money,
  createdAt: DateTime,
});
export type MessageQuote = Static<typeof MessageQuote>;
