// What messages cost as the provider says it charged them: each on the card it was accepted under, in the mode it was accepted in.
import type { TenantTx } from '../../../platform/db/database.ts';
import { loadRateCards, type PricedAs, priceOf, type Quote } from '../../billing/index.ts';
import type { BilledMessage } from '../../messages/index.ts';

export async function pricesOf(
  t: TenantTx,
  messages: readonly BilledMessage[],
): Promise<(message: BilledMessage, as: PricedAs) => Quote> {
  const versions = [...new Set(messages.map(({ rateCardVersion }) => rateCardVersion!))];
  const cards = versions.length === 0 ? new Map() : await loadRateCards(t, versions);
  return (message, as) => {
    const { rateCardVersion, currency, market, partnerBilled } = message;
    const rates = cards.get(rateCardVersion!)?.get(currency!);
    if (!rates) throw new Error(`rate card ${rateCardVersion} has no prices in ${currency}`);
    return priceOf(rates, { ...as, market: market! }, partnerBilled ? 'partner' : 'direct');
  };
}
