// What it costs to be set up, on which terms. A quote follows from the operator's price list, the wallet's currency and, once an
// application says so, the country; nothing of it is stored before somebody agrees.
import type { TenantTx } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { sha256Hex } from '../../../platform/hashing.ts';
import { readWallet } from '../../billing/index.ts';
import type { OnboardingOffer, Prices } from '../settings.ts';
import type { QuoteContent, QuoteLine } from './fingerprint.ts';

export type NumberSource = QuoteContent['numberSource'];
export type Offered = { content: QuoteContent; termsText: string };
export type Permission = { permitted: boolean; reason: 'CLOSED' | 'CURRENCY_NOT_OFFERED' | null };

const offerOf = (t: TenantTx): OnboardingOffer | null =>
  t.site.managedOnboarding[t.livemode ? 'live' : 'sandbox'];

/** Whether the account can apply here at all. */
export async function permissionOf(t: TenantTx): Promise<Permission> {
  const offer = offerOf(t);
  if (!offer) return { permitted: false, reason: 'CLOSED' };
  const { currency } = await readWallet(t);
  const offered = offer.prices.currency ?? currency;
  return offered === currency
    ? { permitted: true, reason: null }
    : { permitted: false, reason: 'CURRENCY_NOT_OFFERED' };
}

export async function requirePermission(t: TenantTx): Promise<OnboardingOffer> {
  const { permitted } = await permissionOf(t);
  if (!permitted) throw new ApiError('ONBOARDING_NOT_PERMITTED');
  return offerOf(t)!;
}

export type Wanted = {
  numberSource: NumberSource;
  applicationSid: string | null;
  /** Known by an application only. */
  country: string | null;
};

/** The offer of this moment. */
export async function quoteFor(t: TenantTx, wanted: Wanted): Promise<Offered> {
  const { prices } = await requirePermission(t);
  const { scale } = await readWallet(t);
  const own = (wanted.country !== null && prices.countries[wanted.country]) || {};
  return quoteWith(t, wanted, linesOf({ ...prices, ...own }, wanted.numberSource, scale));
}

/** The same terms with lines that somebody of the operator has written. */
export async function quoteWith(t: TenantTx, wanted: Wanted, lines: QuoteLine[]): Promise<Offered> {
  const { terms } = await requirePermission(t);
  const { currency } = await readWallet(t);
  const { numberSource, applicationSid } = wanted;
  return {
    termsText: terms.text,
    content: {
      accountSid: t.accountSid,
      environment: t.livemode ? 'live' : 'sandbox',
      applicationSid,
      numberSource,
      lines,
      currency,
      termsVersion: terms.version,
      termsHash: sha256Hex(terms.text),
    },
  };
}

export type LinePrices = { setup: string; number: string; rent: string };

function linesOf(prices: Prices, source: NumberSource, scale: number): QuoteLine[] {
  const once = source === 'PORT' ? prices.porting : prices.number;
  const minor = (units: string) => minorOf(units, scale).toString();
  return toLines(source, scale, {
    setup: minor(prices.setup),
    number: minor(once),
    rent: minor(prices.rent),
  });
}

/** From amounts in minor units of the wallet. */
export const toLines = (source: NumberSource, scale: number, minor: LinePrices): QuoteLine[] => [
  { kind: 'SETUP', recurrence: 'ONCE', amountMinor: minor.setup, scale },
  {
    kind: source === 'PORT' ? 'PORTING' : 'NUMBER',
    recurrence: 'ONCE',
    amountMinor: minor.number,
    scale,
  },
  { kind: 'NUMBER_RENT', recurrence: 'MONTHLY', amountMinor: minor.rent, scale },
];

/** Units as text in minor units. Wallets have six decimals, prices at most four. */
function minorOf(units: string, scale: number): bigint {
  const [whole, decimals = ''] = units.split('.');
  return BigInt(whole! + decimals.padEnd(scale, '0').slice(0, scale));
}
