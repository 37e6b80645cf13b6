// What a message costs, as its statuses tell it.

export type Category = 'service' | 'utility' | 'marketing' | 'marketing_lite' | 'authentication';
export type Pricing = { billable: boolean; pricing_model: 'PMP'; type: string; category: string };

/** From here on free-form messages are charged after the first thousand, and utility templates inside a window too. */
const chargedServiceFromMs = Date.UTC(2026, 9, 1);
const freeServiceMessages = 1_000;

type RequestContext = {
  category: Category;
  windowOpen: boolean;
  entryPointOpen: boolean;
  /** Service messages of this number in this month, without this one. */
  serviceMessages: number;
  nowMs: number;
};

export function pricingOf({
  category,
  windowOpen,
  entryPointOpen,
  serviceMessages,
  nowMs,
}: RequestContext): Pricing {
  const price = (billable: boolean, type: string, shown: string = category): Pricing => ({
    billable,
    pricing_model: 'PMP',
    type,
    category: shown,
  });
  if (entryPointOpen) return price(false, 'free_entry_point', 'referral_conversion');
  const charged = nowMs >= chargedServiceFromMs;
  if (category === 'service') {
    const free = !charged || serviceMessages < freeServiceMessages;
    return free ? price(false, 'free_customer_service') : price(true, 'regular');
  }
  if (category === 'utility' && windowOpen && !charged) return price(false, 'free_customer_service');
  return price(true, 'regular');
}
