// What a message costs in the end. The provider charges for delivery and says how it charged, on one report or another: the
// price is final once both are known, and taken then.
import type { TenantTx } from '../../../platform/db/database.ts';
import {
  type Category,
  loadRateCards,
  pricedAs,
  priceOf,
  settle,
  type Transport,
} from '../../billing/index.ts';
import type { ProviderStatus } from '../../provider/index.ts';
import { ranks } from '../statuses.ts';
import type { LiveMessage } from './live-messages.ts';

export type Pricing = ProviderStatus['pricing'];

/** Of a reaction the provider tells nothing once it was sent, neither a delivery nor a price. */
const isReaction = ({ type }: LiveMessage) => type === 'reaction';

/** The provider charges for it now, if it charges at all. */
export const isChargeable = (message: LiveMessage) =>
  message.rank === ranks.delivered ||
  message.rank === ranks.read ||
  (isReaction(message) && message.rank === ranks.sent);

/** Delivered, and nothing taken for it yet. */
export const awaitsPrice = (message: LiveMessage) =>
  message.estimateMinor !== null && message.finalMinor === null && isChargeable(message);

/** How the provider charged, in our words; null when it did not say, or in words nobody knows. */
function pricedBy(message: LiveMessage, pricing: Pricing) {
  if (!pricing?.type || !pricing.category) return null;
  return pricedAs(
    { type: pricing.type, category: pricing.category },
    {
      category: message.category as Category,
      pricingType: 'REGULAR',
      transport: message.transport as Transport,
    },
  );
}

export type ToPrice = { message: LiveMessage; pricing: Pricing };

/** Writes into messages what the provider says they cost, and takes it for those that were delivered. */
export async function finalisePrices(t: TenantTx, items: ToPrice[]): Promise<void> {
  const told = items.flatMap(({ message, pricing }) => {
    const as = message.finalMinor === null ? pricedBy(message, pricing) : null;
    return as ? [{ message, as }] : [];
  });
  if (told.length > 0) {
    // The price is the one that was quoted, on the card of the day the message was accepted.
    const cards = await loadRateCards(
      t,
      told.map(({ message }) => message.rateCardVersion!),
    );
    for (const { message, as } of told) {
      const rates = cards.get(message.rateCardVersion!)?.get(message.currency!);
      if (!rates)
        throw new Error(`rate card ${message.rateCardVersion} has no prices in ${message.currency}`);
      message.pricingType = as.pricingType;
      message.pricedMinor = priceOf(rates, { ...as, market: message.market! }).totalMinor.toString();
    }
  }
  const due = items.map(({ message }) => message).filter(awaitsPrice);
  await take(
    t,
    due.flatMap((message) => {
      const pricedMinor = message.pricedMinor ?? (isReaction(message) ? '0' : null);
      return pricedMinor === null ? [] : [{ message, amountMinor: BigInt(pricedMinor) }];
    }),
  );
}

/** Takes what was estimated, for delivered messages of which the provider never said how it charged. */
export async function settleEstimates(t: TenantTx, messages: LiveMessage[]): Promise<void> {
  await take(
    t,
    messages.filter(awaitsPrice).map((message) => ({
      message,
      amountMinor: isReaction(message) ? 0n : BigInt(message.estimateMinor!),
    })),
  );
}

async function take(t: TenantTx, finals: { message: LiveMessage; amountMinor: bigint }[]): Promise<void> {
  const settled = new Set(
    await settle(
      t,
      finals.map(({ message, amountMinor }) => ({ messageSid: message.sid, amountMinor })),
    ),
  );
  // One whose money went back when it was called failed stays free: nobody is charged for our having believed that.
  for (const { message, amountMinor } of finals) {
    message.finalMinor = (settled.has(message.sid) ? amountMinor : 0n).toString();
  }
}
