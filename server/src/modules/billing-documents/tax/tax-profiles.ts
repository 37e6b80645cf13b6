// How an account is taxed, by currency. Only the operator's staff says so: a customer cannot exempt itself.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import type { ErrorDetail } from '../../../platform/errors/errors.ts';
import { emit } from '../../../platform/events.ts';
import type { Part } from '../../../platform/http/operations/operation.ts';
import { audit } from '../../audit/index.ts';
import { walletOf } from '../../billing/index.ts';
import { invoiceProviders, isSandboxFault } from '../submission/invoice-provider.ts';
import { taxProfileEvents } from './events.ts';
import { taxProviders } from './providers.ts';
import type { TaxProfile, TaxProfileRequest } from './schema.ts';

const columns = sql`'tax_profile' as object, account_sid as "accountSid", livemode, currency,
  invoice_provider as "invoiceProvider", tax_code as "taxCode", tax_jurisdiction as "taxJurisdiction",
  tax_provider as "taxProvider", reason, version, created_at as "createdAt", updated_at as "updatedAt"`;

/** Null for an account that is not taxed in the currency. */
export async function taxProfileOf(t: TenantTx, currency: string): Promise<TaxProfile | null> {
  const found = await t.maybe<TaxProfile>(sql`
    select ${columns} from tax_profiles
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and currency = ${currency}`);
  return found ?? null;
}

export type TaxProfileContent = Omit<TaxProfileRequest, 'stepUpToken'>;

/** Everything that is wrong with it, at once. */
export async function issuesOfTaxProfile(
  t: TenantTx,
  profile: Part<TaxProfileContent>,
): Promise<ErrorDetail[]> {
  return [
    ...(await issuesOfCurrency(t, profile)),
    ...issuesOfInvoices(profile),
    ...(profile.reason?.trim() === '' ? [{ path: 'reason', issue: 'must say why' }] : []),
    ...(await issuesOfTax(t, profile)),
  ];
}

async function issuesOfCurrency(t: TenantTx, { currency }: Part<TaxProfileContent>): Promise<ErrorDetail[]> {
  const known = currency === undefined || (await walletOf(t, currency));
  return known ? [] : [{ path: 'currency', issue: 'the account has no wallet in it' }];
}

function issuesOfInvoices({ invoiceProvider }: Part<TaxProfileContent>): ErrorDetail[] {
  const names = Object.keys(invoiceProviders);
  return invoiceProvider === undefined || names.includes(invoiceProvider)
    ? []
    : [{ path: 'invoiceProvider', issue: `must be ${names.join(' or ')}` }];
}

async function issuesOfTax(t: TenantTx, profile: Part<TaxProfileContent>): Promise<ErrorDetail[]> {
  const names = Object.keys(taxProviders);
  const { taxProvider, taxJurisdiction: jurisdiction, taxCode: code } = profile;
  if (taxProvider === undefined) return [];
  if (!names.includes(taxProvider)) return [{ path: 'taxProvider', issue: `must be ${names.join(' or ')}` }];
  const { livemode } = t;
  if (jurisdiction === undefined) return [];
  const wrong = await taxProviders[taxProvider]!.judge(t, { jurisdiction, code: code ?? '', livemode });
  if (wrong.includes('jurisdiction'))
    return [{ path: 'taxJurisdiction', issue: `is not one that ${taxProvider} has rates of` }];
  if (code !== undefined && wrong.includes('code') && (livemode || !isSandboxFault(code)))
    return [{ path: 'taxCode', issue: `is not one that ${taxProvider} has rates of in ${jurisdiction}` }];
  return [];
}

/** Judged before. Every time it is set is a version of its own. */
export async function setTaxProfile(t: TenantTx, profile: TaxProfileContent): Promise<TaxProfile> {
  const { currency, invoiceProvider, taxCode, taxJurisdiction, taxProvider, reason } = profile;
  const before = await taxProfileOf(t, currency);
  const set = await t.one<TaxProfile>(sql`
    insert into tax_profiles as p (account_sid, livemode, currency, tax_provider, tax_jurisdiction, tax_code,
      invoice_provider, reason, version, created_at, updated_at)
    values (${t.accountSid}, ${t.livemode}, ${currency}, ${taxProvider}, ${taxJurisdiction}, ${taxCode},
      ${invoiceProvider}, ${reason}, 1, ${t.now}, ${t.now})
    on conflict (account_sid, livemode, currency) do update set tax_provider = excluded.tax_provider,
      tax_jurisdiction = excluded.tax_jurisdiction, tax_code = excluded.tax_code,
      invoice_provider = excluded.invoice_provider, reason = excluded.reason, version = p.version + 1,
      updated_at = excluded.updated_at
    returning ${columns}`);
  audit(t, {
    action: 'tax_profile.updated',
    resource: currency,
    facts: { ...profile, version: set.version, before: before && contentOf(before) },
  });
  emit(t, taxProfileEvents.updated, set);
  return set;
}

const contentOf = ({ invoiceProvider, taxCode, taxJurisdiction, taxProvider, version }: TaxProfile) => ({
  invoiceProvider,
  taxCode,
  taxJurisdiction,
  taxProvider,
  version,
});
