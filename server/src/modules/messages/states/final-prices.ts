// What a message costs in the end. The provider charges for delivery and says how it charged, on one report or another: the
// price is final once both are known, and taken then.
import type { TenantTx } from '../../../platform/db/database.ts';
import {
  type Category,
  loadRateCards,
  type PricedAs,
  pricedAs,
  priceOf,
  settle,
  type Transport,
} from '../../billing/index.ts';
import type { ProviderStatus } from '../../provider/index.ts';
import { type DoubtedPrice, doubtPrices } from '../doubts.ts';
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
type Told = { message: LiveMessage; as: PricedAs };

/** What each costs as the provider says. The price is the one that was quoted, on the card of the day the message was accepted. */
async function priced(t: TenantTx, told: Told[]): Promise<(Told & { amountMinor: bigint })[]> {
  if (told.length === 0) return [];
  const cards = await loadRateCards(
    t,
    told.map(({ message }) => message.rateCardVersion!),
  );
  return told.map(({ message, as }) => {
    const rates = cards.get(message.rateCardVersion!)?.get(message.currency!);
    if (!rates) throw new Error(`rate card ${message.rateCardVersion} has no prices in ${message.currency}`);
    const mode = message.partnerBilled ? 'partner' : 'direct';
    return { message, as, amountMinor: priceOf(rates, { ...as, market: message.market! }, mode).totalMinor };
  });
}

/** Writes into messages what the provider says they cost, and takes it for those that were delivered. */
export async function finalisePrices(t: TenantTx, items: ToPrice[]): Promise<void> {
  const told = items.flatMap(({ message, pricing }) => {
    const as = message.finalMinor === null ? pricedBy(message, pricing) : null;
    return as ? [{ message, as }] : [];
  });
  for (const { message, as, amountMinor } of await priced(t, told)) {
    message.pricingType = as.pricingType;
    message.pricedMinor = amountMinor.toString();
  }
  const due = items.map(({ message }) => message).filter(awaitsPrice);
  const untaken = await take(
    t,
    due.flatMap((message) => {
      const pricedMinor = message.pricedMinor ?? (isReaction(message) ? '0' : null);
      return pricedMinor === null ? [] : [{ message, amountMinor: BigInt(pricedMinor) }];
    }),
  );
  doubtPrices(
    t,
    untaken
      .filter(({ amountMinor }) => amountMinor > 0n)
      .map(({ message, amountMinor }) =>
        doubtOf(message, amountMinor, { category: message.category!, pricingType: message.pricingType! }),
      ),
  );
}

const doubtOf = (
  { sid }: LiveMessage,
  reportedMinor: bigint,
  { category, pricingType }: Record<'category' | 'pricingType', string>,
): DoubtedPrice => ({ messageSid: sid, reportedMinor: reportedMinor.toString(), category, pricingType });

/** As the message was quoted, and so it was taken: known without a look at the card. */
const isAsTaken = ({ message, as }: Told) =>
  as.category === message.category &&
  as.transport === message.transport &&
  as.pricingType === message.estimatePricingType &&
  message.finalMinor === message.estimateMinor;

/** Prices told of messages that are settled. One that is not what was taken is looked into; nothing moves here. */
export async function comparePrices(t: TenantTx, late: ToPrice[]): Promise<void> {
  const told = late.flatMap(({ message, pricing }) => {
    const as = message.estimateMinor === null ? null : pricedBy(message, pricing);
    return as && !isAsTaken({ message, as }) ? [{ message, as }] : [];
  });
  doubtPrices(
    t,
    (await priced(t, told))
      .filter(({ message, amountMinor }) => message.finalMinor !== amountMinor.toString())
      .map(({ message, as, amountMinor }) => doubtOf(message, amountMinor, as)),
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

type Final = { message: LiveMessage; amountMinor: bigint };

/** Tells those for which nothing could be taken: their money went back before. */
async function take(t: TenantTx, finals: Final[]): Promise<Final[]> {
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
  return finals.filter(({ message }) => !settled.has(message.sid));
}
