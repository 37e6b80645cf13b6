// Conditions on consent and suppression, for whoever cuts an audience out of the contacts. `c` is the contact.
import { type Sql, sql } from '../../platform/db/query.ts';
import type { ConsentPurpose, consentStatuses } from '../contacts/index.ts';
import { statusNow } from './consents.ts';

type Status = (typeof consentStatuses)[number];

const stateOf = (purpose: ConsentPurpose) => sql`
  from consent_states where account_sid = c.account_sid and contact_sid = c.sid and purpose = ${purpose}`;

/** Who was never asked has no record, and counts as UNKNOWN. */
export function consentIs(purpose: ConsentPurpose, status: Status, now: Date): Sql {
  const recorded = sql`exists (select 1 ${stateOf(purpose)} and ${statusNow(now)} = ${status})`;
  return status === 'UNKNOWN' ? sql`(${recorded} or not exists (select 1 ${stateOf(purpose)}))` : recorded;
}

/** The record that says so. */
export const consentSidFor = (purpose: ConsentPurpose): Sql => sql`(select consent_sid ${stateOf(purpose)})`;

/** Suppressed for every sender: a suppression of one sender alone does not take a contact out of an audience. */
export const isSuppressed = (now: Date): Sql => sql`exists (
  select 1 from suppressions where account_sid = c.account_sid and livemode = c.livemode and contact_sid = c.sid
     and lifted_at is null and sender_sid is null and (expires_at is null or expires_at > ${now}))`;
