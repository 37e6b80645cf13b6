// What consents and suppressions do when contacts are merged.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { followMerges, identitiesOf } from '../contacts/index.ts';
import { consentSidsOf, rebuildStates } from './consents.ts';
import { mirrorBoth } from './mirror-suppressions.ts';

/**
 * Records of the ledger cannot move, and need not: each stays with the contact it was made for, and the survivor
 * answers for that contact now. Only what counts per purpose is made anew.
 */
export const consentsFollow = followMerges<{ kept: string[] }>({
  name: 'consents',
  async move(t, { survivorSid, mergedSid, mergedIdentities }) {
    // What one of them was told to be left alone with now holds for both.
    t.outwait(survivorSid);
    const identities = await identitiesOf(t, survivorSid);
    const [moved, all] = await Promise.all([
      consentSidsOf(t, mergedIdentities),
      consentSidsOf(t, identities),
      rebuildStates(t, survivorSid, identities),
      rebuildStates(t, mergedSid, []),
    ]);
    const isMoved = new Set(moved);
    return { moved, snapshot: { kept: all.filter((sid) => !isMoved.has(sid)) } };
  },
  async moveBack(t, { survivorSid, mergedSid, mergedIdentities }, { kept }) {
    const identities = await identitiesOf(t, survivorSid);
    const [movedBack, held] = await Promise.all([
      consentSidsOf(t, mergedIdentities),
      consentSidsOf(t, identities),
      rebuildStates(t, survivorSid, identities),
      rebuildStates(t, mergedSid, mergedIdentities),
    ]);
    const before = new Set(kept);
    return { movedBack, stayed: held.filter((sid) => !before.has(sid)) };
  },
});

export const suppressionsFollow = followMerges<{ moved: string[]; kept: string[] }>({
  name: 'suppressions',
  async move(t, { survivorSid, mergedSid }) {
    const [kept, moved] = await Promise.all([
      suppressionSidsOf(t, survivorSid),
      handOver(t, mergedSid, survivorSid, null),
    ]);
    return { moved, snapshot: { moved, kept } };
  },
  async moveBack(t, { survivorSid, mergedSid }, { moved, kept }) {
    const [movedBack, held] = await Promise.all([
      handOver(t, survivorSid, mergedSid, moved),
      suppressionSidsOf(t, survivorSid),
    ]);
    return { movedBack, stayed: held.filter((sid) => !kept.includes(sid)) };
  },
});

async function handOver(t: TenantTx, from: string, to: string, only: string[] | null): Promise<string[]> {
  const rows = await t.many<{ sid: string }>(sql`
    update suppressions set contact_sid = ${to}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = ${from}
       and (${only}::text[] is null or sid = any (${only}::text[]))
    returning sid`);
  await mirrorBoth(t, from, to);
  return rows.map(({ sid }) => sid).sort();
}

async function suppressionSidsOf(t: TenantTx, contactSid: string): Promise<string[]> {
  const rows = await t.many<{ sid: string }>(sql`
    select sid from suppressions
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = ${contactSid}
     order by sid`);
  return rows.map(({ sid }) => sid);
}
