// What a message costs in the end. The provider charges for delivery and says how it charged, on one report or another: the
// price is final once both are known, and taken then.
import type { TenantTx } from '../../../platform/db/database.ts';
import {
  type Category,
  loadRateCards,
  type PricedAs,
  type PricingType,
  pricedAs,
  priceOf,
  type Reported,
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

/** What a message was admitted as, and is charged as unless the provider says otherwise. */
const admittedAs = (message: LiveMessage): PricedAs => ({
  category: message.category as Category,
  pricingType: message.estimatePricingType as PricingType,
  transport: message.transport as Transport,
});

/** The provider's words, kept with the message until it is delivered; null when it did not say how it charges. */
const reportedIn = (pricing: Pricing): Reported | null =>
  pricing?.type && pricing.category
    ? [pricing.type, pricing.category, pricing.model, pricing.billable]
    : null;

/** How the provider charged, in our words; null when it did not say, or in words nobody knows. */
function pricedBy(message: LiveMessage, reported: Reported | null): PricedAs | null {
  if (!reported) return null;
  const [type, category] = reported;
  return pricedAs({ type, category }, admittedAs(message));
}

export type ToPrice = { message: LiveMessage; pricing: Pricing };
type Told = { message: LiveMessage; as: PricedAs };

/** What each costs as the provider says. The price is the one that was quoted, on the card of the day the message was accepted. */
async function priced(t: TenantTx, told: Told[]) {
  if (told.length === 0) return [];
  const cards = await loadRateCards(
    t,
    told.map(({ message }) => message.rateCardVersion!),
  );
  return told.map(({ message, as }) => {
    const rates = cards.get(message.rateCardVersion!)?.get(message.currency!);
    if (!rates) throw new Error(`rate card ${message.rateCardVersion} has no prices in ${message.currency}`);
    const mode = message.partnerBilled ? 'partner' : 'direct';
    const { totalMinor: amountMinor, passThroughMinor } = priceOf(
      rates,
      { ...as, market: message.market! },
      mode,
    );
    return { message, as, amountMinor, passThroughMinor };
  });
}

/** Writes into messages what the provider says they cost, and takes it for those that were delivered. */
export async function finalisePrices(t: TenantTx, items: ToPrice[]): Promise<void> {
  const told = items.flatMap(({ message, pricing }) => {
    const reported = message.finalMinor === null ? reportedIn(pricing) : null;
    const as = pricedBy(message, reported);
    if (!as) return [];
    message.reported = reported;
    return [{ message, as }];
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
        doubtOf(message, amountMinor, pricedBy(message, message.reported) ?? admittedAs(message)),
      ),
  );
}

const doubtOf = (
  { sid }: LiveMessage,
  reportedMinor: bigint,
  { category, pricingType, transport }: PricedAs,
): DoubtedPrice => ({
  messageSid: sid,
  reportedMinor: reportedMinor.toString(),
  category,
  pricingType,
  transport,
});

/** The words by which it was priced before: so it was taken, or doubted then. */
const isRepeated = (before: Reported | null, now: Reported | null) =>
  before !== null && before[0] === now?.[0] && before[1] === now[1];

/** Prices told of messages that are settled. One that is not what was taken is looked into; nothing moves here. */
export async function comparePrices(t: TenantTx, late: ToPrice[]): Promise<void> {
  const told = late.flatMap(({ message, pricing }) => {
    const reported = reportedIn(pricing);
    if (message.estimateMinor === null || isRepeated(message.reported, reported)) return [];
    const as = pricedBy(message, reported);
    return as ? [{ message, as }] : [];
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

/** How a message is charged: as the provider said, or as it was admitted. */
const chargedAs = (message: LiveMessage) => pricedBy(message, message.reported) ?? admittedAs(message);

/** What the provider gets of each, where the platform pays the provider. */
async function passThroughOf(t: TenantTx, finals: Final[]): Promise<Map<string, bigint>> {
  const ofPartner = finals.filter(({ message, amountMinor }) => message.partnerBilled && amountMinor > 0n);
  const quoted = await priced(
    t,
    ofPartner.map(({ message }) => ({ message, as: chargedAs(message) })),
  );
  return new Map(quoted.map(({ message, passThroughMinor }) => [message.sid, passThroughMinor]));
}

/** Tells those for which nothing could be taken: their money went back before. */
async function take(t: TenantTx, finals: Final[]): Promise<Final[]> {
  const passThrough = await passThroughOf(t, finals);
  const settled = await settle(
    t,
    finals.map(({ message, amountMinor }) => ({
      messageSid: message.sid,
      amountMinor,
      passThroughMinor: passThrough.get(message.sid) ?? 0n,
      ...chargedAs(message),
      senderSid: message.senderSid,
      campaignSid: message.campaignSid,
      market: message.market!,
      rateCardVersion: message.rateCardVersion!,
      reported: message.reported,
    })),
  );
  const taken = new Map(settled.map(({ messageSid, amountMinor }) => [messageSid, amountMinor]));
  // One whose money went back when it was called failed stays free: nobody is charged for our having believed that.
  for (const { message } of finals) message.finalMinor = (taken.get(message.sid) ?? 0n).toString();
  return finals.filter(({ message }) => !taken.has(message.sid));
}
