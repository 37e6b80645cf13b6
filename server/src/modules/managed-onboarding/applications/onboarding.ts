// What is shown of an account's onboarding: whether it may apply, its applications, and what is offered.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { invalid } from '../../../platform/errors/errors.ts';
import { dueMinor, fingerprintOf } from '../quotes/fingerprint.ts';
import { type NumberSource, type Offered, permissionOf, quoteFor } from '../quotes/quotes.ts';
import type { Onboarding, Quote } from '../schema.ts';
import { listApplications, openApplication, requireApplication, toApplication } from './applications.ts';
import { detailsShowerFor } from './details.ts';

type Query = { applicationSid?: string; wabaSid?: string };

export async function getOnboarding(t: TenantTx, { applicationSid, wabaSid }: Query): Promise<Onboarding> {
  if (applicationSid !== undefined) await requireApplication(t, applicationSid, 'applicationSid');
  const rows = await listApplications(t, { sid: applicationSid ?? null, wabaSid: wabaSid ?? null });
  const show = await detailsShowerFor(t);
  return {
    object: 'managed_onboarding',
    accountSid: t.accountSid,
    livemode: t.livemode,
    ...(await permissionOf(t)),
    open: await openApplication(t),
    applications: rows.map((row) => ({ ...toApplication(t, row), ...show(row.sid, row.details) })),
  };
}

/** What is offered now; of an application what it is offered, or else what it accepted. */
export async function getQuote(
  t: TenantTx,
  { numberSource, applicationSid }: { numberSource: NumberSource; applicationSid?: string },
): Promise<Quote> {
  if (applicationSid === undefined)
    return toQuote(t, await quoteFor(t, { numberSource, applicationSid: null, country: null }), false);
  const row = await requireApplication(t, applicationSid, 'applicationSid');
  if (row.numberSource !== numberSource)
    throw invalid({ path: 'numberSource', issue: `must be ${row.numberSource}, as the application says` });
  if (row.offer) return toQuote(t, row.offer, false);
  return toQuote(
    t,
    { content: row.accepted, termsText: await acceptedTerms(t, row.sid, row.accepted) },
    true,
  );
}

/** The words as they were accepted. */
async function acceptedTerms(t: TenantTx, sid: string, content: Offered['content']): Promise<string> {
  const { text } = await t.one<{ text: string }>(sql`
    select terms_text as text from managed_acceptances
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and application_sid = ${sid}
       and fingerprint = ${fingerprintOf(content)}`);
  return text;
}

function toQuote(t: TenantTx, { content, termsText }: Offered, accepted: boolean): Quote {
  const { applicationSid, numberSource, lines, currency, termsVersion, termsHash } = content;
  const scale = lines[0]!.scale;
  return {
    object: 'managed_onboarding_quote',
    accountSid: t.accountSid,
    livemode: t.livemode,
    applicationSid,
    numberSource,
    lines,
    currency,
    dueOnApproval: { amountMinor: dueMinor(content).toString(), currency, scale },
    terms: { version: termsVersion, hash: termsHash, text: termsText },
    fingerprint: fingerprintOf(content),
    accepted,
  };
}
