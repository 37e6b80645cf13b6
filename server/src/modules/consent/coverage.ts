// How much of the audience may be written to: contacts by purpose and status, and how many are suppressed.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { type ConsentPurpose, consentPurposes, consentStatuses, countContacts } from '../contacts/index.ts';
import { statusNow } from './consents.ts';
import type { ConsentCoverage } from './schema.ts';

type Group = { purpose: ConsentPurpose; status: (typeof consentStatuses)[number]; count: number };

export async function getConsentCoverage(t: TenantTx): Promise<ConsentCoverage> {
  const [contacts, groups, suppressed] = await Promise.all([
    countContacts(t),
    t.many<Group>(sql`
      select purpose, ${statusNow(t.now)} as status, count(*)::integer as count from consent_states
       where account_sid = ${t.accountSid} and livemode = ${t.livemode}
       group by 1, 2`),
    t.one<ConsentCoverage['suppressed']>(sql`
      select count(*)::integer as contacts, count(*) filter (where everything)::integer as "ALL",
        count(*) filter (where marketing)::integer as "MARKETING"
        from (select bool_or(scope = 'ALL') as everything, bool_or(scope = 'MARKETING') as marketing
                from suppressions
               where account_sid = ${t.accountSid} and livemode = ${t.livemode} and lifted_at is null
                 and (expires_at is null or expires_at > ${t.now})
               group by contact_sid) by_contact`),
  ]);
  return {
    object: 'consent_coverage',
    accountSid: t.accountSid,
    livemode: t.livemode,
    contacts,
    purposes: Object.fromEntries(
      consentPurposes.map((purpose) => [purpose, countsOf(purpose, groups, contacts)]),
    ) as ConsentCoverage['purposes'],
    suppressed,
    asOf: t.now.toISOString(),
  };
}

/** Nobody has asked a contact without a record, so its status is unknown. */
function countsOf(purpose: ConsentPurpose, groups: Group[], contacts: number) {
  const own = groups.filter((group) => group.purpose === purpose);
  const counts = Object.fromEntries(
    consentStatuses.map((status) => [status, own.find((group) => group.status === status)?.count ?? 0]),
  ) as ConsentCoverage['purposes']['MARKETING'];
  const recorded = own.reduce((sum, { count }) => sum + count, 0);
  // The statements see different moments, and a contact may have come or gone between them.
  return { ...counts, UNKNOWN: counts.UNKNOWN + Math.max(0, contacts - recorded) };
}
