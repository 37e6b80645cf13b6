// Two contacts turn out to be one person. What the merged one holds moves to the survivor, and for 30 days it can be
// taken back: exactly what moved returns, what the survivor gained since stays.
//   merged → reverted, within 30 days and while the survivor is itself live
// A contact that was merged cannot be merged again or receive another: whoever tries is told the survivor. When a
// survivor is merged in its turn, those merged into it before point at the new survivor, and its own merge must be
// reverted before theirs can be.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError, invalid } from '../../platform/errors.ts';
import { emit } from '../../platform/events.ts';
import { newUuid } from '../../platform/ids.ts';
import { principalName } from '../../platform/principal.ts';
import { audit } from '../audit/index.ts';
import { closeConflict, closeConflictOfPair, findConflict } from './conflicts.ts';
import { lockContacts, mergedConflict, refreshSearch, survivorOf, touched } from './contacts.ts';
import type { ContactHooks, MergedPair, MergeFollower } from './hooks.ts';
import { getMerge, type RevertReport, type Snapshot } from './merges.ts';
import type { ContactConflict, ContactMerge, MergeRequest } from './schema.ts';

const revertibleMs = 30 * 24 * 60 * 60 * 1000;

export async function mergeContacts(
  t: TenantTx,
  hooks: ContactHooks,
  survivorSid: string,
  { mergeContactSid: mergedSid, reason }: MergeRequest,
): Promise<ContactMerge> {
  if (reason.trim() === '') throw invalid({ path: 'reason', issue: 'must not be blank' });
  if (survivorSid === mergedSid) {
    throw invalid({ path: 'mergeContactSid', issue: 'must be another contact than the one in the path' });
  }
  await holdPair(t, survivorSid, mergedSid);
  const redirected = await pointAtSurvivor(t, survivorSid, mergedSid);
  const merge: MergedPair = {
    mergeId: newUuid(t.now),
    survivorSid,
    mergedSid,
    mergedIdentities: [mergedSid, ...redirected],
  };
  const belongings: Snapshot['belongings'] = {};
  for (const follower of [identifiers, ...hooks.followers]) {
    belongings[follower.name] = await follower.move(t, merge);
  }
  await refreshSearch(t, [survivorSid, mergedSid]);
  const snapshot: Snapshot = { redirected, belongings };
  await t.run(sql`
    insert into contact_merges (account_sid, livemode, id, survivor_sid, merged_sid, reason, merged_by, snapshot,
      revertible_until, created_at, updated_at)
    values (${t.accountSid}, ${t.livemode}, ${merge.mergeId}, ${survivorSid}, ${mergedSid}, ${reason},
      ${principalName(t.principal)}, ${JSON.stringify(snapshot)}::json,
      ${new Date(t.now.getTime() + revertibleMs)}, ${t.now}, ${t.now})`);
  await closeConflictOfPair(t, merge);
  const resource = await getMerge(t, merge.mergeId);
  audit(t, { action: 'contact.merged', resource: merge.mergeId, facts: { survivorSid, mergedSid, reason } });
  emit(t, 'contact.merged', resource);
  return resource;
}

async function holdPair(t: TenantTx, survivorSid: string, mergedSid: string): Promise<void> {
  const held = new Map((await lockContacts(t, [survivorSid, mergedSid])).map((one) => [one.sid, one]));
  const survivor = held.get(survivorSid);
  const merged = held.get(mergedSid);
  if (!survivor) throw new ApiError('NOT_FOUND');
  if (!merged) {
    const issue = 'is no contact of this account and environment';
    throw new ApiError('NOT_FOUND', { details: [{ path: 'mergeContactSid', issue }] });
  }
  for (const { sid, mergedInto } of [survivor, merged]) {
    if (mergedInto !== null) throw mergedConflict(sid, mergedInto);
  }
}

async function pointAtSurvivor(t: TenantTx, survivorSid: string, mergedSid: string): Promise<string[]> {
  const rows = await t.many<{ sid: string }>(sql`
    update contacts set merged_into = ${survivorSid}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and merged_into = ${mergedSid}
    returning sid`);
  await t.run(sql`
    update contacts set merged_into = case when sid = ${mergedSid} then ${survivorSid} end, updated_at = ${touched(t)}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid in (${survivorSid}, ${mergedSid})`);
  return rows.map(({ sid }) => sid);
}

export async function revertMerge(t: TenantTx, hooks: ContactHooks, id: string): Promise<ContactMerge> {
  const { survivorContactSid: survivorSid, mergedContactSid: mergedSid } = await getMerge(t, id);
  const held = await lockContacts(t, [survivorSid, mergedSid]);
  const { snapshot, ...row } = await t.one<MergeRow>(sql`
    select snapshot, reverted_at as "revertedAt", revertible_until as "revertibleUntil" from contact_merges
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and id = ${id}`);
  const survivor = held.find(({ sid }) => sid === survivorSid);
  await refuseRevert(t, row, survivor?.mergedInto ?? null, survivorSid);
  const mergedIdentities = [mergedSid, ...snapshot.redirected];
  const merge: MergedPair = { mergeId: id, survivorSid, mergedSid, mergedIdentities };
  await pointBack(t, merge, snapshot.redirected);
  const report: RevertReport = { movedBack: {}, stayed: {} };
  for (const follower of [identifiers, ...hooks.followers]) {
    const found = snapshot.belongings[follower.name];
    if (!found) continue; // the merge is older than what this follower looks after
    const { movedBack, stayed } = await follower.moveBack(t, merge, found.snapshot);
    report.movedBack[follower.name] = movedBack;
    report.stayed[follower.name] = stayed;
  }
  await refreshSearch(t, [survivorSid, mergedSid]);
  await t.run(sql`
    update contact_merges set reverted_at = ${t.now}, reverted_by = ${principalName(t.principal)},
      revert_report = ${JSON.stringify(report)}::json, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and id = ${id} and reverted_at is null`);
  const resource = await getMerge(t, id);
  audit(t, { action: 'contact.merge_reverted', resource: id, facts: { survivorSid, mergedSid } });
  emit(t, 'contact.merge_reverted', resource);
  return resource;
}

type MergeRow = { snapshot: Snapshot; revertedAt: string | null; revertibleUntil: string };

async function refuseRevert(
  t: TenantTx,
  { revertedAt, revertibleUntil }: Omit<MergeRow, 'snapshot'>,
  survivorMergedInto: string | null,
  survivorSid: string,
): Promise<void> {
  if (revertedAt !== null) {
    throw new ApiError('CONFLICT', { message: `The merge was reverted at ${revertedAt}.` });
  }
  if (t.now >= new Date(revertibleUntil)) {
    throw new ApiError('CONFLICT', { message: `The merge could be reverted until ${revertibleUntil}.` });
  }
  if (survivorMergedInto === null) return;
  const { id } = await t.one<{ id: string }>(sql`
    select id from contact_merges
     where account_sid = ${t.accountSid} and merged_sid = ${survivorSid} and reverted_at is null`);
  throw new ApiError('CONFLICT', {
    message: `The survivor was itself merged into ${survivorMergedInto}. Revert merge ${id} first.`,
    details: [{ path: 'mergeId', issue: `merge ${id} must be reverted first` }],
  });
}

async function pointBack(t: TenantTx, { survivorSid, mergedSid }: MergedPair, redirected: string[]) {
  await t.run(sql`
    update contacts set merged_into = null, updated_at = ${touched(t)}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid in (${survivorSid}, ${mergedSid})`);
  await t.run(sql`
    update contacts set merged_into = ${mergedSid}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = any (${redirected})
       and merged_into = ${survivorSid}`);
}

type Ids = { moved: string[]; kept: string[] };

/** Identifiers follow like everything else; they are named by their ids. */
const identifiers: MergeFollower = {
  name: 'identifiers',
  async move(t, { survivorSid, mergedSid }) {
    const kept = await identifierIds(t, survivorSid);
    const rows = await t.many<{ id: string }>(sql`
      update contact_identifiers set contact_sid = ${survivorSid}
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = ${mergedSid}
      returning id`);
    const moved = rows.map(({ id }) => id).sort();
    return { moved, snapshot: { moved, kept } satisfies Ids };
  },
  async moveBack(t, { survivorSid, mergedSid }, snapshot) {
    const { moved, kept } = snapshot as Ids;
    const rows = await t.many<{ id: string }>(sql`
      update contact_identifiers set contact_sid = ${mergedSid}
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = ${survivorSid}
         and id = any (${moved}::uuid[])
      returning id`);
    const stayed = (await identifierIds(t, survivorSid)).filter((id) => !kept.includes(id));
    return { movedBack: rows.map(({ id }) => id).sort(), stayed };
  },
};

async function identifierIds(t: TenantTx, contactSid: string): Promise<string[]> {
  const rows = await t.many<{ id: string }>(sql`
    select id from contact_identifiers
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = ${contactSid}
     order by id`);
  return rows.map(({ id }) => id);
}

/** Settles a conflict. A merge keeps the older contact; contacts merged meanwhile stand for their survivors. */
export async function resolveConflict(
  t: TenantTx,
  hooks: ContactHooks,
  id: string,
  action: 'merge' | 'dismiss',
): Promise<ContactConflict> {
  const conflict = await findConflict(t, id);
  if (conflict.status !== 'open' || action === 'dismiss') {
    return closeConflict(t, id, { resolution: action, mergeId: null });
  }
  const [first, second] = [
    await survivorOf(t, conflict.contactSid),
    await survivorOf(t, conflict.otherContactSid),
  ];
  if (first === second) return closeConflict(t, id, { resolution: 'merge', mergeId: null });
  const [older, newer] = [first, second].sort() as [string, string];
  const merge = await mergeContacts(t, hooks, older, {
    mergeContactSid: newer,
    reason: `Identity conflict ${id}`,
  });
  // Merging closes the conflict of its own pair; this one may be of contacts that were merged into them before.
  const after = await findConflict(t, id);
  return after.status === 'resolved'
    ? after
    : closeConflict(t, id, { resolution: 'merge', mergeId: merge.id });
}
