// What a message costs, by the rate card in force. A card never changes once it is published, so a process reads each
// one once.
import type { Queries, TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { declareFact, factOf } from '../../../platform/kept-facts.ts';
import type { BillingMode } from '../../wabas/index.ts';

export const categories = [
  'authentication',
  'authentication_international',
  'marketing',
  'utility',
  'service',
] as const;
export type Category = (typeof categories)[number];

export const pricingTypes = ['REGULAR', 'FREE_CUSTOMER_SERVICE', 'FREE_ENTRY_POINT'] as const;
export type PricingType = (typeof pricingTypes)[number];

export const transports = ['cloud_api', 'marketing_messages'] as const;
export type Transport = (typeof transports)[number];

/** The market of a recipient whose country is unknown, or has no market of its own on the card. */
export const defaultMarket = 'OTHER';

/** What an account can be charged for. */
export const chargedKinds = ['platform_fee', 'provider_pass_through'] as const;
export type ChargedKind = (typeof chargedKinds)[number];
type RateKind = ChargedKind | 'provider_cost';

export type Rate = {
  kind: RateKind;
  category: Category;
  pricingType: PricingType;
  transport: Transport;
  market: string;
  amountMinor: bigint;
};

/** A rate card in one currency. */
export type RateCard = {
  version: number;
  effectiveFrom: string;
  currency: string;
  scale: number;
  rates: readonly Rate[];
  /** By kind, category, pricing type, transport and market. */
  amounts: ReadonlyMap<string, bigint>;
  marketOfCountry: ReadonlyMap<string, string>;
  markets: ReadonlySet<string>;
};

export type Priced = {
  category: Category;
  pricingType: PricingType;
  transport: Transport;
  /** A market of the card, or the country of the recipient, which the card puts into one. */
  market: string;
};

export type Quote = {
  rateCardVersion: number;
  category: Category;
  pricingType: PricingType;
  market: string;
  transport: Transport;
  currency: string;
  scale: number;
  lines: { kind: ChargedKind; amountMinor: bigint }[];
  totalMinor: bigint;
  mode: BillingMode;
  /** How much of it goes on to the provider. */
  passThroughMinor: bigint;
};

/**
 * What an account is charged. In the mode `direct` the provider bills the business itself for the message; in `partner` it bills
 * the operator, who passes that on.
 */
export function priceOf(rates: RateCard, priced: Priced, mode: BillingMode = 'direct'): Quote {
  const { category, pricingType, transport } = priced;
  const market = marketOn(rates, priced.market);
  const price = (kind: ChargedKind) => ({
    kind,
    amountMinor: amountOf(rates, kind, { category, pricingType, transport, market }),
  });
  const fee = price('platform_fee');
  const passed = mode === 'partner' ? price('provider_pass_through') : null;
  const passThroughMinor = passed?.amountMinor ?? 0n;
  return {
    rateCardVersion: rates.version,
    category,
    pricingType,
    market,
    transport,
    currency: rates.currency,
    scale: rates.scale,
    lines: passed ? [fee, passed] : [fee],
    totalMinor: fee.amountMinor + passThroughMinor,
    mode,
    passThroughMinor,
  };
}

/** The most a message to a market can cost in the end, whatever the provider says it was. */
export function highestPriceOf(rates: RateCard, market: string, mode: BillingMode): bigint {
  const known = highest.get(rates) ?? new Map<string, bigint>();
  highest.set(rates, known);
  const found = known.get(`${mode} ${market}`);
  if (found !== undefined) return found;
  let most = 0n;
  for (const rate of rates.rates) {
    if (rate.kind !== 'platform_fee') continue;
    const { totalMinor } = priceOf(rates, { ...rate, market }, mode);
    if (totalMinor > most) most = totalMinor;
  }
  known.set(`${mode} ${market}`, most);
  return most;
}

// Cards never change, and this is asked for every message.
const highest = new WeakMap<RateCard, Map<string, bigint>>();

/** Whether the card says what an account pays that the operator pays the provider for. */
export const hasPassThrough = ({ rates }: RateCard): boolean =>
  rates.some(({ kind }) => kind === 'provider_pass_through');

/** What the provider is expected to bill for the message; an estimate, never charged itself. */
export function providerCostOf(rates: RateCard, priced: Priced): bigint {
  return amountOf(rates, 'provider_cost', { ...priced, market: marketOn(rates, priced.market) });
}

function marketOn(rates: RateCard, place: string): string {
  return rates.marketOfCountry.get(place) ?? (rates.markets.has(place) ? place : defaultMarket);
}

function amountOf(rates: RateCard, kind: RateKind, priced: Priced): bigint {
  const amount =
    rates.amounts.get(rateKey(kind, priced)) ??
    rates.amounts.get(rateKey(kind, { ...priced, market: defaultMarket }));
  // Publication refuses a card with a gap; what is left is a combination no card knows.
  if (amount === undefined)
    throw new RangeError(`There is no price for ${priced.category} by ${priced.transport}.`);
  return amount;
}

const rateKey = (kind: RateKind, { category, pricingType, transport, market }: Priced) =>
  `${kind} ${category} ${pricingType} ${transport} ${market}`;

type Card = { version: number; scale: number; effectiveFrom: string; fingerprint: string };
type Paying = { currency: string; scale: number };

const payingFact = declareFact<null, Paying>({
  name: 'paying_wallet',
  of: 'account',
  key: () => '',
  load: async (t) => [
    await t.one<Paying>(sql`
      select currency, scale from wallets
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and pays`),
  ],
});

// All of them, since which one is in force is a matter of time and not of a change.
const cardsFact = declareFact<null, readonly Card[]>({
  name: 'rate_cards',
  of: 'everybody',
  key: () => '',
  load: async (t) => [await t.many<Card>(publishedCards)],
});

/** The card in force, in the currency of the wallet the account pays from. */
export async function loadRates(t: TenantTx): Promise<RateCard> {
  const [cards, paying] = await Promise.all([factOf(t, cardsFact), factOf(t, payingFact)]);
  const card = inForce(cards!, t.now);
  const { currency, scale } = paying!;
  const rates = (await ratesOf(t, card)).get(currency);
  // Amounts of another scale are never rescaled on the quiet.
  if (!rates || rates.scale !== scale) {
    throw new Error(`rate card ${card.version} has no prices in ${currency} at scale ${scale}`);
  }
  return rates;
}

/** The cards of these versions by currency: what was promised on one holds, whatever is in force by now. */
export async function loadRateCards(
  q: Queries,
  versions: readonly number[],
): Promise<ReadonlyMap<number, ReadonlyMap<string, RateCard>>> {
  const cards = await q.many<Card>(sql`
    select version, scale, effective_from as "effectiveFrom", fingerprint from rate_cards
     where version = any (${[...new Set(versions)]}::integer[]) and fingerprint is not null`);
  const read = cards.map(async (card) => [card.version, await ratesOf(q, card)] as const);
  return new Map(await Promise.all(read));
}

/** The card in force in every currency it knows. */
export async function loadAllRates(q: Queries, now: Date): Promise<RateCard[]> {
  return [...(await ratesOf(q, inForce(await q.many<Card>(publishedCards), now))).values()];
}

/** The newest first. */
const publishedCards = sql`
  select version, scale, effective_from as "effectiveFrom", fingerprint from rate_cards
   where published_at is not null and fingerprint is not null
   order by effective_from desc, version desc`;

function inForce(cards: readonly Card[], now: Date): Card {
  const card = cards.find(({ effectiveFrom }) => Date.parse(effectiveFrom) <= now.getTime());
  if (!card) throw new Error('no rate card is in force');
  return card;
}

// By what a card says and not by its number: two databases in one process may number different cards alike.
const known = new Map<string, ReadonlyMap<string, RateCard>>();
const mostKnown = 16;

async function ratesOf(q: Queries, card: Card): Promise<ReadonlyMap<string, RateCard>> {
  const found = known.get(card.fingerprint);
  if (found) return found;
  const read = await readRates(q, card);
  if (known.size >= mostKnown) known.clear();
  known.set(card.fingerprint, read);
  return read;
}

type RateRow = Omit<Rate, 'amountMinor'> & { currency: string; amountMinor: string };

async function readRates(
  q: Queries,
  { version, scale, effectiveFrom }: Card,
): Promise<ReadonlyMap<string, RateCard>> {
  const [rows, markets] = await Promise.all([
    q.many<RateRow>(sql`
      select currency, kind, category, pricing_type as "pricingType", transport, market, amount_minor as "amountMinor"
        from rates where version = ${version}
       order by currency, category, pricing_type desc, transport, market = ${defaultMarket} desc, market, kind`),
    q.many<{ country: string; market: string }>(sql`
      select country, market from rate_markets where version = ${version} order by market, country`),
  ]);
  const marketOfCountry = new Map(markets.map(({ country, market }) => [country, market]));
  const currencies = [...new Set(rows.map(({ currency }) => currency))];
  return new Map(
    currencies.map((currency) => {
      const rates = rows
        .filter((row) => row.currency === currency)
        .map(({ currency: _, ...row }) => ({ ...row, amountMinor: BigInt(row.amountMinor) }));
      const amounts = new Map(rates.map((rate) => [rateKey(rate.kind, rate), rate.amountMinor]));
      const card = { version, effectiveFrom, currency, scale, rates, amounts, marketOfCountry };
      return [currency, { ...card, markets: new Set(marketOfCountry.values()) }];
    }),
  );
}
