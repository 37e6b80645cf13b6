// A no that outlives the person: kept when they are erased, and given back to whoever turns out to be them.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import {
  detachIdentifiers,
  type KeptConsent,
  type KeptSuppression,
  keepOptOut,
  type OptOut,
  type Returning,
} from '../contacts/index.ts';
import { type ConsentStanding, recordConsents, statusNow } from './consents.ts';
import { inForce } from './in-force.ts';
import { knowBlocked } from './mirror-suppressions.ts';
import type { SuppressionTerms } from './schema.ts';
import type { Standing } from './standing.ts';
import { suppressLocked } from './suppressions.ts';

const source = 'erased opt-out';

/**
 * For the erasure of one person, all of whose contacts these are: what stands against writing to them is kept under hashes of what
 * they were known by, which the contacts lose with it. The rows themselves stay for whoever erases them: until then they hold
 * back what is still in line.
 */
export async function keepOptOuts(t: TenantTx, contactSids: readonly string[]): Promise<void> {
  const standing = await standingOptOut(t, contactSids);
  await keepOptOut(t, await detachIdentifiers(t, contactSids), standing);
}

/** What stands against writing to one person, all of whose contacts these are. */
export async function standingOptOut(t: TenantTx, contactSids: readonly string[]): Promise<OptOut> {
  const whose = sql`account_sid = ${t.accountSid} and livemode = ${t.livemode}
    and contact_sid = any (${[...contactSids]}::text[])`;
  const suppressions = await t.many<KeptSuppression>(sql`
    select reason, scope, sender_sid as "senderSid", expires_at as "expiresAt", mirror_to_provider as "mirrorToProvider"
      from suppressions where ${whose} and ${inForce(t.now)} order by sid`);
  const consents = await t.many<KeptConsent>(sql`
    select purpose, status from (
      select distinct on (purpose) purpose, ${statusNow(t.now)} as status from consent_states
       where ${whose} order by purpose, sequence desc) as latest
     where status in ('OPTED_OUT', 'REVOKED')`);
  const blocks = await t.many<{ senderSid: string }>(sql`
    select distinct sender_sid as "senderSid" from provider_blocks where ${whose} order by 1`);
  return { suppressions, consents, blockedSenderSids: blocks.map(({ senderSid }) => senderSid) };
}

/** The contacts are new, or held because they gained what they are known by. */
export async function giveOptOutsBack(t: TenantTx, returning: readonly Returning[]): Promise<void> {
  for (const { contactSid, suppressions, consents, blockedSenderSids } of returning) {
    if (blockedSenderSids.length > 0) await knowBlocked(t, contactSid, blockedSenderSids);
    for (const { expiresAt, senderSid, ...kept } of suppressions) {
      const terms = {
        ...kept,
        source,
        ...(senderSid !== null && { senderSid }),
        ...(expiresAt !== null && { expiresAt }),
      } as SuppressionTerms;
      await suppressLocked(t, [{ contactSid, terms }]);
    }
    const input = { source: 'API' as const, evidence: { reason: 'Said before their data was erased.' } };
    await recordConsents(
      t,
      consents.map((kept) => ({ contactSid, input: { ...input, ...kept } })),
    );
  }
}

/** What is kept, as the gates judge by it: nobody has a record of it. */
export const standingOf = (suppressions: readonly KeptSuppression[]): Standing[] =>
  suppressions.map(({ reason, scope, senderSid }) => ({
    sid: null,
    contactSid: '',
    reason,
    scope,
    senderSid,
  }));

export const consentStandingOf = (consents: readonly KeptConsent[]): ConsentStanding =>
  Object.fromEntries(consents.map(({ purpose, status }) => [purpose, { status, consentSid: null }]));
