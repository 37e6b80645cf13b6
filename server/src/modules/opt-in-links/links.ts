// Links to hosted forms. A link is made, and may be revoked or expire; nothing else about it ever changes.
//   ACTIVE → REVOKED | EXPIRED
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { lockName, lockNumber } from '../../platform/db/tenant-lock.ts';
import { ApiError, type ErrorDetail, invalid } from '../../platform/errors/errors.ts';
import { sha256, sha256Hex } from '../../platform/hashing.ts';
import { newSid, randomToken } from '../../platform/ids.ts';
import { principalName } from '../../platform/principal.ts';
import { organizationOf } from '../accounts/index.ts';
import { audit } from '../audit/index.ts';
import { readCountry } from '../contacts/index.ts';
import { forgetLink } from './find-link.ts';
import type { CreatedOptInLink, NewOptInLink, OptInLink } from './schema.ts';

const mostOpen = 500;
const mostListed = 1_000;
const dayMs = 86_400_000;

// What stands around the text on the form. A form that says something else is another one.
const formVersion = 'form-1';

/** A link counts until it is revoked or expires. */
const isOpen = (now: Date) => sql`revoked_at is null and (expires_at is null or expires_at > ${now})`;

const columns = (
  now: Date,
) => sql`'opt_in_link' as object, sid, account_sid as "accountSid", livemode, label, purpose,
  consent_text as "consentText", wording_version as "wordingVersion", default_country as "defaultCountry",
  case when revoked_at is not null then 'REVOKED' when expires_at <= ${now} then 'EXPIRED' else 'ACTIVE' end as state,
  expires_at as "expiresAt", revoked_at as "revokedAt", submissions::integer, last_submitted_at as "lastSubmittedAt",
  created_at as "createdAt"`;

export async function createLink(t: TenantTx, input: NewOptInLink): Promise<CreatedOptInLink> {
  const { consentText, label, purpose = 'MARKETING', expiresInDays } = input;
  const country = input.defaultCountry === undefined ? null : readCountry(input.defaultCountry);
  const details = [...judgeText('consentText', consentText), ...judgeText('label', label)];
  if (country?.issue !== undefined) details.push({ path: 'defaultCountry', issue: country.issue });
  if (details.length > 0) throw invalid(...details);
  await refuseTooMany(t);
  const sid = newSid('OL', t.now);
  const token = randomToken();
  const defaultCountry = country?.value ?? (await organizationOf(t, t.accountSid)).country;
  const expiresAt = expiresInDays === undefined ? null : new Date(t.now.getTime() + expiresInDays * dayMs);
  const wordingVersion = `${sid}:${sha256Hex(consentText).slice(0, 16)}:${formVersion}`;
  const link = await t.one<OptInLink>(sql`
    insert into opt_in_links (account_sid, livemode, sid, token_hash, label, purpose, consent_text, wording_version,
      default_country, expires_at, created_by, created_at)
    values (${t.accountSid}, ${t.livemode}, ${sid}, ${sha256(token)}, ${label}, ${purpose}, ${consentText},
      ${wordingVersion}, ${defaultCountry}, ${expiresAt}, ${principalName(t.principal)}, ${t.now})
    returning ${columns(t.now)}`);
  audit(t, { action: 'opt_in_link.created', resource: sid, facts: { purpose, wordingVersion } });
  return { ...link, token, url: `${t.site.publicUrl}/v1/opt-in/${token}` };
}

/** What people read must be there to be read, and must look on their screen as it is recorded. */
function judgeText(path: string, text: string): ErrorDetail[] {
  if (text.trim() === '') return [{ path, issue: 'must not be blank' }];
  return hasControls(text) ? [{ path, issue: controlIssue }] : [];
}

export const hasControls = (text: string) => /[\p{Cc}\u2028\u2029]/u.test(text);
export const controlIssue = 'must not hold line breaks or other control characters';

async function refuseTooMany(t: TenantTx): Promise<void> {
  // One after the other, so that two cannot both be the last.
  await t.run(sql`select pg_advisory_xact_lock(${lockNumber(lockName(t, 'opt-in-links'))})`);
  const { open } = await t.one<{ open: number }>(sql`
    select count(*)::integer as open from opt_in_links
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and ${isOpen(t.now)}`);
  if (open < mostOpen) return;
  const message = `There are ${mostOpen} open opt-in links, which is the most there can be. Revoke one first.`;
  throw new ApiError('CONFLICT', { message });
}

/** The newest; whoever has more than that keeps their list elsewhere. */
export async function listLinks(t: TenantTx) {
  const data = await t.many<OptInLink>(sql`
    select ${columns(t.now)} from opt_in_links
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} order by sid desc limit ${mostListed}`);
  return { object: 'list', data, hasMore: false, nextCursor: null };
}

/** Revoking again changes nothing, and tells when it was revoked. */
export async function revokeLink(t: TenantTx, sid: string): Promise<OptInLink> {
  const revoked = await t.maybe<OptInLink & { tokenHash: Buffer }>(sql`
    update opt_in_links set revoked_at = ${t.now}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid} and revoked_at is null
    returning ${columns(t.now)}, token_hash as "tokenHash"`);
  if (revoked) {
    const { tokenHash, ...link } = revoked;
    audit(t, { action: 'opt_in_link.revoked', resource: sid });
    forgetLink(t, tokenHash);
    return link;
  }
  const known = await t.maybe<OptInLink>(sql`
    select ${columns(t.now)} from opt_in_links
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid}`);
  if (!known) throw new ApiError('NOT_FOUND');
  return known;
}

export type HourCount = { hourStartedAt: Date | null; hourSubmissions: number };

/** Holds the link for a submission, if it still takes any: what is found after that is so until the commit. */
export async function lockOpenLink(t: TenantTx, sid: string): Promise<HourCount> {
  const link = await t.maybe<{ hourStartedAt: string | null; hourSubmissions: number }>(sql`
    select hour_started_at as "hourStartedAt", hour_submissions as "hourSubmissions" from opt_in_links
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid} and ${isOpen(t.now)}
       for no key update`);
  if (!link) throw new ApiError('NOT_FOUND');
  const { hourStartedAt, hourSubmissions } = link;
  return { hourStartedAt: hourStartedAt === null ? null : new Date(hourStartedAt), hourSubmissions };
}

export async function countSubmission(t: TenantTx, sid: string, hour: HourCount): Promise<void> {
  await t.run(sql`
    update opt_in_links set submissions = submissions + 1, last_submitted_at = ${t.now},
      hour_started_at = ${hour.hourStartedAt}, hour_submissions = ${hour.hourSubmissions}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid}`);
}
