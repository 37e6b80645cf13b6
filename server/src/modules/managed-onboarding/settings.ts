// On which terms and for which prices the operator sets businesses up. Live it is closed until the operator opens it.
import { optional, type Variable, words } from '../../platform/config.ts';

/** Amounts in units of the currency, as text with up to four decimals. */
export type Prices = { setup: string; number: string; porting: string; rent: string };
export type PriceList = Prices & {
  /** Null: the same figures in whatever currency the wallet has. */
  currency: string | null;
  /** Where it costs something else. */
  countries: Record<string, Partial<Prices>>;
};

export type OnboardingOffer = { terms: { version: string; text: string }; prices: PriceList };

/** What the sandbox offers: figures and terms of its own, so that anybody can try. */
export const sandboxOffer: OnboardingOffer = {
  terms: {
    version: 'sandbox-2026-11',
    text: [
      'These are the terms of the sandbox. The operator opens a simulated business account in its own portfolio, obtains or takes',
      'over a simulated number, and registers it. The fee is play money: set aside when the application is approved, taken when',
      'the number is connected, and given back when it is not.',
    ].join(' '),
  },
  prices: {
    currency: null,
    setup: '25.00',
    number: '5.00',
    porting: '15.00',
    rent: '3.50',
    countries: { FR: { number: '8.00', rent: '5.00' } },
  },
};

const priceNames = ['setup', 'number', 'porting', 'rent'] as const;
const amount = /^(0|[1-9]\d{0,8})(\.\d{1,4})?$/;
const arePrices = (given: unknown, names: readonly string[]): boolean =>
  typeof given === 'object' &&
  given !== null &&
  Object.entries(given).every(
    ([name, value]) => names.includes(name) && typeof value === 'string' && amount.test(value),
  );

export function readPriceList(text: string): PriceList | null {
  if (text === '') return null;
  const wrong = new Error(
    'must be JSON such as {"currency":"USD","setup":"50","number":"10","porting":"20","rent":"5","countries":{"FR":{"rent":"6"}}}',
  );
  let given: Record<string, unknown>;
  try {
    given = JSON.parse(text);
  } catch {
    throw wrong;
  }
  const { currency, countries = {}, ...prices } = given ?? {};
  const sound =
    typeof currency === 'string' &&
    /^[A-Z]{3}$/.test(currency) &&
    arePrices(prices, priceNames) &&
    priceNames.every((name) => name in prices) &&
    typeof countries === 'object' &&
    countries !== null &&
    Object.entries(countries).every(([name, own]) => /^[A-Z]{2}$/.test(name) && arePrices(own, priceNames));
  if (!sound) throw wrong;
  return { currency, countries, ...prices } as PriceList;
}

export const managedOnboardingVariables = {
  managedOnboarding: {
    name: 'MANAGED_ONBOARDING',
    fallback: 'closed',
    means:
      'open lets live accounts apply to be set up by the operator, which also needs the terms, the prices and PARTNER_BUSINESS_ID; closed does not',
    read: words('closed', 'open'),
  },
  managedOnboardingTermsVersion: {
    name: 'MANAGED_ONBOARDING_TERMS_VERSION',
    fallback: '',
    means: 'The version of the terms a live application accepts',
    read: (text) => {
      if (text.length > 128) throw new Error('must have at most 128 characters');
      return text || null;
    },
  },
  managedOnboardingTerms: {
    name: 'MANAGED_ONBOARDING_TERMS',
    fallback: '',
    means: 'The words of those terms, as people are shown them',
    read: optional,
  },
  managedOnboardingPrices: {
    name: 'MANAGED_ONBOARDING_PRICES',
    fallback: '',
    means:
      'What it costs: JSON with currency, setup, number, porting and rent (a month), and countries where they differ',
    read: readPriceList,
  },
} satisfies Record<string, Variable<unknown>>;

type Read = {
  managedOnboarding: 'closed' | 'open';
  managedOnboardingTermsVersion: string | null;
  managedOnboardingTerms: string | null;
  managedOnboardingPrices: PriceList | null;
};

/** What live accounts are offered: nothing before everything of it is said. */
export function liveOffer(config: Read): OnboardingOffer | null {
  const { managedOnboardingTermsVersion: version, managedOnboardingTerms: text } = config;
  const { managedOnboardingPrices: prices } = config;
  if (config.managedOnboarding === 'closed' || version === null || text === null || prices === null)
    return null;
  return { terms: { version, text }, prices };
}
