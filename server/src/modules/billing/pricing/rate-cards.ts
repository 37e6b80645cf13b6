// Rate cards as people read them. What the provider costs, and so the margin, stays out.
import type { Queries, TenantTx } from '../../../platform/db/database.ts';
import { money, toWire } from '../../../platform/money.ts';
import { hasPartnerBilled } from '../../wabas/index.ts';
import { type ChargedKind, defaultMarket, loadAllRates, loadRates, type RateCard } from './rates.ts';
import type { PublicPricing, RateCardResource } from './schema.ts';

export async function getPublicPricing(q: Queries, now: Date): Promise<PublicPricing> {
  const cards = await loadAllRates(q, now);
  const { version, effectiveFrom } = cards[0]!;
  return {
    object: 'pricing',
    rateCardVersion: version,
    effectiveFrom,
    defaultMarket,
    markets: marketsOf(cards[0]!),
    rates: cards.flatMap((card) => pricesOf(card, 'platform_fee')),
  };
}

export async function getRateCard(t: TenantTx): Promise<RateCardResource> {
  const card = await loadRates(t);
  return {
    object: 'rate_card',
    accountSid: t.accountSid,
    livemode: t.livemode,
    version: card.version,
    effectiveFrom: card.effectiveFrom,
    currency: card.currency,
    defaultMarket,
    markets: marketsOf(card),
    rates: pricesOf(card, 'platform_fee'),
    passThroughRates: (await hasPartnerBilled(t)) ? pricesOf(card, 'provider_pass_through') : [],
  };
}

/** The prices of a kind on the card. */
function pricesOf(card: RateCard, wanted: ChargedKind): PublicPricing['rates'] {
  return card.rates
    .filter(({ kind }) => kind === wanted)
    .map(({ category, pricingType, transport, market, amountMinor }) => ({
      category: upper(category),
      pricingType,
      transport: upper(transport),
      market,
      price: toWire(money(amountMinor, card.currency, card.scale)),
    }));
}

function marketsOf({ marketOfCountry }: RateCard): PublicPricing['markets'] {
  const byMarket = Map.groupBy(marketOfCountry, ([, market]) => market);
  return [...byMarket].map(([market, pairs]) => ({ market, countries: pairs.map(([country]) => country) }));
}

export const upper = <W extends string>(word: W) => word.toUpperCase() as Uppercase<W>;
