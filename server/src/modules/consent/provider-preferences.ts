// A person who tells the provider to stop our marketing, or to let it through again. The provider withholds our messages
// either way; here it becomes a suppression and a record of the ledger, so that nothing is sent in vain and the change can
// be shown later.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { identitiesOf, personIdentifiers, requireFound, resolveContacts } from '../contacts/index.ts';
import type { Routed, UserPreference } from '../provider/index.ts';
import { portfoliosOf } from '../wabas/index.ts';
import { consentsOf, recordConsent } from './consents.ts';
import { liftSuppression } from './lift-suppressions.ts';
import type { ConsentRecord } from './schema.ts';
import { suppressContact } from './suppressions.ts';

type Preference = Routed<UserPreference>;

const reason = 'PROVIDER_MARKETING_OPT_OUT';

export async function applyUserPreferences(t: TenantTx, items: Preference[]): Promise<void> {
  const marketing = items.filter(({ category }) => category === 'marketing_messages');
  const inOrder = marketing.toSorted((a, b) => a.occurredAt.getTime() - b.occurredAt.getTime());
  const portfolios = await portfoliosOf(
    t,
    inOrder.map(({ wabaSid }) => wabaSid),
  );
  const told = inOrder
    .map((item) => ({
      item,
      identifiers: personIdentifiers(item.user, portfolios.get(item.wabaSid) ?? null),
    }))
    .filter(({ identifiers }) => identifiers.length > 0);
  const resolved = await resolveContacts(
    t,
    { consentsOf },
    told.map(({ item: { profileName }, identifiers }) => ({
      identifiers,
      profile: profileName === null ? {} : { displayName: profileName },
    })),
    { lock: true },
  );
  for (const [i, { item }] of told.entries()) await apply(t, requireFound(resolved[i]!).contactSid, item);
}

async function apply(t: TenantTx, contactSid: string, item: Preference): Promise<void> {
  if (await isOutdated(t, contactSid, item)) return;
  if (item.value === 'stop') await stop(t, contactSid, item);
  else await resume(t, contactSid, item);
}

async function stop(t: TenantTx, contactSid: string, item: Preference): Promise<void> {
  const terms = { reason, scope: 'MARKETING', source: 'PROVIDER' } as const;
  await suppressContact(t, contactSid, terms, item.occurredAt);
  await record(t, contactSid, item, 'OPTED_OUT', { withdrawnAt: told(t, item) });
}

async function resume(t: TenantTx, contactSid: string, item: Preference): Promise<void> {
  const standing = await t.many<{ sid: string }>(sql`
    select sid from suppressions
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = ${contactSid}
       and reason = ${reason} and lifted_at is null order by sid`);
  for (const { sid } of standing) {
    await liftSuppression(
      t,
      { contactSid, suppressionSid: sid },
      'The recipient resumed marketing messages.',
      item.occurredAt,
    );
  }
  await record(t, contactSid, item, 'OPTED_IN', { capturedAt: told(t, item), reOptIn: true });
}

function record(
  t: TenantTx,
  contactSid: string,
  { detail, occurredAt }: Preference,
  status: 'OPTED_IN' | 'OPTED_OUT',
  evidence: { capturedAt?: string; withdrawnAt?: string; reOptIn?: boolean },
) {
  const reasoned = { ...evidence, ...(detail !== null && { reason: detail.slice(0, 1_000) }) };
  const consent = { purpose: 'MARKETING', source: 'PROVIDER', status, evidence: reasoned } as const;
  return recordConsent(t, contactSid, consent, occurredAt);
}

/** The provider's clock may run ahead of ours; a record of the future would be refused. */
const told = (t: TenantTx, { occurredAt }: Preference) =>
  new Date(Math.min(occurredAt.getTime(), t.now.getTime())).toISOString();

/**
 * Callbacks overtake one another. What the provider told later stands; and a late "resume" takes back no decision that
 * the person made meanwhile, wherever they made it.
 */
async function isOutdated(t: TenantTx, contactSid: string, item: Preference): Promise<boolean> {
  const rows = await t.many<{ payload: string }>(sql`
    select payload from consents
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and purpose = 'MARKETING'
       and contact_sid = any (${await identitiesOf(t, contactSid)}) order by sequence desc limit 50`);
  return rows
    .map(({ payload }) => JSON.parse(payload) as ConsentRecord)
    .filter(({ source }) => source === 'PROVIDER' || item.value === 'resume')
    .some((known) => decidedAt(known) > item.occurredAt.getTime());
}

function decidedAt({ evidence, createdAt }: ConsentRecord): number {
  return Date.parse(evidence?.withdrawnAt ?? evidence?.capturedAt ?? createdAt);
}
