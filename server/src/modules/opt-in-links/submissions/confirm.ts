// The code of an answer, sent from the person's own phone: proof that whoever filled in the form has that phone.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { sha256 } from '../../../platform/hashing.ts';
import { identitiesOf } from '../../contacts/index.ts';
import type { OptInLink } from '../schema.ts';

export const keptMs = 30 * 86_400_000;

const form = /^\s*start\s+([0-9a-z]{8})\s*$/i;

/** The code in a message that is such a confirmation and nothing else. */
export const confirmationCode = (text: string): string | null =>
  text.length > 64 ? null : (form.exec(text)?.[1]?.toUpperCase() ?? null);

export type ConfirmedOptIn = Pick<OptInLink, 'purpose' | 'consentText' | 'wordingVersion'> & {
  proofRef: string;
};

/** What this person confirms by this code; null when it is not theirs, was used before or is older than 30 days. */
export async function confirmOptIn(
  t: TenantTx,
  contactSid: string,
  code: string,
): Promise<ConfirmedOptIn | null> {
  const confirmed = await t.maybe<ConfirmedOptIn>(sql`
    update opt_in_submissions s set confirmed_at = ${t.now}
      from opt_in_links l
     where s.account_sid = ${t.accountSid} and s.livemode = ${t.livemode}
       and s.contact_sid = any (${await identitiesOf(t, contactSid)}) and s.code_hash = ${sha256(code)}
       and s.confirmed_at is null and s.created_at > ${new Date(t.now.getTime() - keptMs)}
       and l.account_sid = s.account_sid and l.livemode = s.livemode and l.sid = s.link_sid
    returning l.purpose, l.consent_text as "consentText", s.wording_version as "wordingVersion", s.id as "proofRef"`);
  return confirmed ?? null;
}
