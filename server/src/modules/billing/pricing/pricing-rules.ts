// The provider's rules about what is charged and what is free, as far as they can be known before it says so itself.
import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js';
import type { Identifier } from '../../contacts/index.ts';
import { type Category, categories, defaultMarket, type PricingType, type Transport } from './rates.ts';

// Until this day everything but marketing and login codes was free inside an open service window.
const windowsChargedFrom = new Date('2026-10-01T00:00:00Z');

export type Occasion = {
  category: Category;
  /** The recipient wrote to the sender within the last 24 hours. */
  windowOpen: boolean;
  /** The recipient came from an advertisement or a page's button, and everything to them is free at that moment. */
  entryPointOpen: boolean;
  at: Date;
};

/** Whether a message that leaves then is inside a free entry point that ends as given. */
export const isFreeAt = (freeUntil: string | null, leavesAt: Date): boolean =>
  freeUntil !== null && leavesAt < new Date(freeUntil);

/**
 * What will be charged at most. Since October 2026 a sender's first thousand service messages of a month are free; how
 * many were counted only the provider knows, so the price is held and given back when it turns out free.
 */
export function expectedPricingType({ category, windowOpen, entryPointOpen, at }: Occasion): PricingType {
  if (entryPointOpen) return 'FREE_ENTRY_POINT';
  const freeInWindow = category === 'service' || category === 'utility';
  return windowOpen && freeInWindow && at < windowsChargedFrom ? 'FREE_CUSTOMER_SERVICE' : 'REGULAR';
}

export type PricedAs = { category: Category; pricingType: PricingType; transport: Transport };

const reportedTypes = new Map<string, PricingType>([
  ['regular', 'REGULAR'],
  ['free_customer_service', 'FREE_CUSTOMER_SERVICE'],
  ['free_group_customer_service', 'FREE_CUSTOMER_SERVICE'],
  ['free_entry_point', 'FREE_ENTRY_POINT'],
]);

/**
 * What the provider says it charges, in our words, for a message that was admitted as something; null for a type nobody
 * knows, which must not be guessed at. A category of its own making, such as `referral_conversion`, leaves the message's.
 */
export function pricedAs(reported: { type: string; category: string }, admitted: PricedAs): PricedAs | null {
  const pricingType = reportedTypes.get(reported.type.toLowerCase());
  if (!pricingType) return null;
  const word = reported.category.toLowerCase().replaceAll('-', '_');
  if (word === 'marketing_lite')
    return { pricingType, category: 'marketing', transport: 'marketing_messages' };
  const category = categories.find((known) => known === word) ?? admitted.category;
  // One asked for as a marketing message and sent as a plain one is charged as what it was.
  return { pricingType, category, transport: 'cloud_api' };
}

/** The country whose price counts: that of the number, or the one a BSUID begins with; OTHER when neither tells. */
export function marketOf({ identifierType, value }: Pick<Identifier, 'identifierType' | 'value'>): string {
  const country: CountryCode | string | undefined =
    identifierType === 'phone_e164'
      ? parsePhoneNumberFromString(value)?.country
      : identifierType === 'bsuid'
        ? /^([A-Z]{2})\./.exec(value)?.[1]
        : undefined;
  return country !== undefined && isSupportedCountry(country) ? country : defaultMarket;
}
