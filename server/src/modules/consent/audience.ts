// Conditions on consent and suppression, for whoever cuts an audience out of the contacts. `c` is the contact, and
// `consent` the record that counts for the purpose asked after.
import { type Sql, sql } from '../../platform/db/query.ts';
import type { ConsentPurpose, consentStatuses } from '../contacts/index.ts';

type Status = (typeof consentStatuses)[number];
export type ConsentFilter = { purpose: ConsentPurpose; status: Status };
export type ConsentMatch = { join: Sql; condition: Sql; consentSid: Sql };

/**
 * Contacts whose consent for a purpose has a status now. One join serves the condition and tells the record; written as
 * plain comparisons, from which PostgreSQL can estimate how many there will be.
 */
export function matchConsent({ purpose, status }: ConsentFilter, now: Date): ConsentMatch {
  const current = sql`(consent.expires_at is null or consent.expires_at > ${now})`;
  const holds =
    status === 'EXPIRED'
      ? sql`(consent.status = 'EXPIRED' or consent.expires_at <= ${now})`
      : sql`(consent.status = ${status} and ${current})`;
  // Who was never asked has no record, and counts as UNKNOWN.
  const unasked = status === 'UNKNOWN';
  return {
    join: sql`${unasked ? sql`left join` : sql`join`} consent_states consent on consent.account_sid = c.account_sid
      and consent.livemode = c.livemode and consent.contact_sid = c.sid and consent.purpose = ${purpose}`,
    condition: unasked ? sql`(consent.contact_sid is null or ${holds})` : holds,
    consentSid: sql`consent.consent_sid`,
  };
}

/** Suppressed for every sender: a suppression of one sender alone does not take a contact out of an audience. */
export const isSuppressed = (now: Date): Sql => sql`exists (
  select 1 from suppressions where account_sid = c.account_sid and livemode = c.livemode and contact_sid = c.sid
     and lifted_at is null and sender_sid is null and (expires_at is null or expires_at > ${now}))`;

/** Whether the contact of rows `m` was suppressed for one of these reasons in a stretch of time, whatever became of it since. */
export const optedOutBetween = (reasons: string[], from: Sql, to: Sql): Sql => sql`exists (
  select from suppressions o
   where o.account_sid = m.account_sid and o.livemode = m.livemode and o.contact_sid = m.contact_sid
     and o.reason = any (${reasons}::text[]) and o.created_at between ${from} and ${to})`;
