// What accounts were charged for the provider's bill, message by message: by the card each was accepted under, with what was put right
// since.
import type { TenantTx } from '../../../platform/db/database.ts';
import { adjustedPassThrough, type PricedAs, pricedAs } from '../../billing/index.ts';
import type { BilledMessage } from '../../messages/index.ts';
import { pricesOf } from '../cases/reprice.ts';
import type { PlacePassedOn } from './compare-costs.ts';
import type { Place } from './compare-counts.ts';

export type Delivered = { place: Place; message: BilledMessage };

type Read = <T>(work: (t: TenantTx) => Promise<T>) => Promise<T>;

/** One for each message. Nothing is asked for where the businesses pay the provider themselves. */
export async function passedOnFor(read: Read, delivered: Delivered[]): Promise<PlacePassedOn[]> {
  const ofPartner = delivered.map(({ message }) => message).filter(({ partnerBilled }) => partnerBilled);
  if (ofPartner.length === 0) return delivered.map(({ place }) => ofOthers(place));
  const sids = ofPartner.map(({ sid }) => sid);
  const { priceAs, adjusted } = await read(async (t) => ({
    priceAs: await pricesOf(t, ofPartner),
    adjusted: await adjustedPassThrough(t, sids),
  }));
  return delivered.map(({ place, message }) => {
    if (!message.partnerBilled) return ofOthers(place);
    const taken = BigInt(message.finalMinor ?? 0) > 0n ? priceAs(message, chargedAs(message)) : null;
    const minor = (taken?.passThroughMinor ?? 0n) + (adjusted.get(message.sid) ?? 0n);
    const { currency, scale } = message;
    return { ...place, volume: 1, minor, currency: currency!, scale: scale!, comparable: true };
  });
}

/** The provider's cost of a place tells nothing where somebody else pays a part of it. */
const ofOthers = (place: Place): PlacePassedOn => ({
  ...place,
  volume: 1,
  minor: 0n,
  currency: '',
  scale: 0,
  comparable: false,
});

/** As the provider said, or as it was admitted. */
function chargedAs({ category, transport, pricingType, reported }: BilledMessage): PricedAs {
  const admitted = {
    category: category as PricedAs['category'],
    pricingType: (pricingType ?? 'REGULAR') as PricedAs['pricingType'],
    transport: transport as PricedAs['transport'],
  };
  return (reported && pricedAs({ type: reported[0], category: reported[1] }, admitted)) ?? admitted;
}
