// Two contacts turn out to be one person. What the merged one holds moves to the survivor, and for 30 days it can be
// taken back: exactly what moved returns, what the survivor gained since stays.
//   merged → reverted, within 30 days and while the survivor is itself live
// A contact that was merged cannot be merged again or receive another: whoever tries is told the survivor. When a
// survivor is merged in its turn, those merged into it before point at the new survivor, and its own merge must be
// reverted before theirs can be.
import type { TenantTx } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/query.ts';
import { lockName, lockNumber } from '../../../platform/db/tenant-lock.ts';
import { ApiError, invalid } from '../../../platform/errors/errors.ts';
import { emit } from '../../../platform/events.ts';
import { newUuid } from '../../../platform/ids.ts';
import { principalName } from '../../../platform/principal.ts';
import { audit } from '../../audit/index.ts';
import { changedHands, mergedConflict, refreshSearch, survivorOf, touched } from '../contacts.ts';
import { contactEvents } from '../events.ts';
import type { ContactHooks, MergedPair, MergeFollower } from '../hooks.ts';
import { refuseRestricted } from '../restrictions.ts';
import type { ContactConflict, ContactMerge, MergeRequest } from '../schema.ts';
import { closeConflict, closeConflictOfPair, findConflict } from './conflicts.ts';
import { getMerge, type RevertReport, type Snapshot } from './merges.ts';

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
  await lockMerges(t);
  await lockPair(t, survivorSid, mergedSid);
  await refuseRestricted(t, [survivorSid, mergedSid]);
  const redirected = await pointAtSurvivor(t, survivorSid, mergedSid);
  const merge: MergedPair = {
    mergeId: newUuid(t.now),
    survivorSid,
    mergedSid,
    mergedIdentities: [mergedSid, ...redirected],
  };
  await hooks.merging(t, survivorSid);
  // Each looks after tables of its own, so their statements may leave together.
  const moves = [identifiers, ...hooks.followers].map(async (follower) => [
    follower.name,
    await follower.move(t, merge),
  ]);
  const belongings: Snapshot['belongings'] = Object.fromEntries(await Promise.all(moves));
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
  const facts = { survivorSid, mergedSid, reason };
  audit(t, { action: 'contact.merged', resource: merge.mergeId, facts, words: ['reason'] });
  emit(t, contactEvents.merged, resource);
  return resource;
}

/**
 * Merges and reverts of an account and environment follow one another. They lock whole families of contacts, and which
 * those are depends on the merges before; with one at a time no two can wait for each other.
 */
export async function lockMerges(t: TenantTx): Promise<void> {
  await t.run(sql`select pg_advisory_xact_lock(${lockNumber(lockName(t, 'contact merges'))})`);
}

/** Locks both, and with them whoever was merged into the one that now goes. */
async function lockPair(t: TenantTx, survivorSid: string, mergedSid: string): Promise<void> {
  const pair = [survivorSid, mergedSid];
  const held = await lockContacts(
    t,
    sql`(sid = any (${pair}) and merged_into is null) or merged_into = ${mergedSid}`,
  );
  const live = held.filter(({ mergedInto }) => mergedInto === null).map(({ sid }) => sid);
  const missing = pair.find((sid) => !live.includes(sid));
  if (missing === undefined) return;
  const survivor = await survivorOf(t, missing).catch((error) => {
    throw missing === mergedSid && error instanceof ApiError ? unknownOther() : error;
  });
  throw survivor === missing ? changedHands() : mergedConflict(missing, survivor);
}

function lockContacts(t: TenantTx, which: Sql) {
  return t.many<{ sid: string; mergedInto: string | null }>(sql`
    select sid, merged_into as "mergedInto" from contacts
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and (${which})
     order by sid for no key update`);
}

function unknownOther(): ApiError {
  const issue = 'is no contact of this account and environment';
  return new ApiError('NOT_FOUND', { details: [{ path: 'mergeContactSid', issue }] });
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
  await lockMerges(t);
  const { snapshot, ...row } = await readMerge(t, id);
  const { survivorSid, mergedSid } = row;
  await refuseRevert(t, row);
  await lockContacts(t, sql`sid = any (${[survivorSid, mergedSid, ...snapshot.redirected]})`);
  await refuseRestricted(t, [survivorSid]);
  const mergedIdentities = [mergedSid, ...snapshot.redirected];
  const merge: MergedPair = { mergeId: id, survivorSid, mergedSid, mergedIdentities };
  await pointBack(t, merge, snapshot.redirected);
  const report: RevertReport = { movedBack: {}, stayed: {} };
  const moves = [identifiers, ...hooks.followers].map(async ({ name, moveBack }) => {
    const found = snapshot.belongings[name];
    if (!found) return; // the merge is older than what this follower looks after
    const { movedBack, stayed } = await moveBack(t, merge, found.snapshot);
    report.movedBack[name] = movedBack;
    report.stayed[name] = stayed;
  });
  await Promise.all(moves);
  await refreshSearch(t, [survivorSid, mergedSid]);
  await t.run(sql`
    update contact_merges set reverted_at = ${t.now}, reverted_by = ${principalName(t.principal)},
      revert_report = ${JSON.stringify(report)}::json, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and id = ${id} and reverted_at is null`);
  const resource = await getMerge(t, id);
  audit(t, { action: 'contact.merge_reverted', resource: id, facts: { survivorSid, mergedSid } });
  emit(t, contactEvents.merge_reverted, resource);
  return resource;
}

type MergeRow = {
  survivorSid: string;
  mergedSid: string;
  snapshot: Snapshot;
  revertedAt: string | null;
  revertibleUntil: string;
};

async function readMerge(t: TenantTx, id: string): Promise<MergeRow> {
  const row = await t.maybe<MergeRow>(sql`
    select survivor_sid as "survivorSid", merged_sid as "mergedSid", snapshot, reverted_at as "revertedAt",
      revertible_until as "revertibleUntil"
      from contact_merges
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and id = ${id}`);
  if (!row) throw new ApiError('NOT_FOUND');
  return row;
}

async function refuseRevert(
  t: TenantTx,
  { survivorSid, revertedAt, revertibleUntil }: Omit<MergeRow, 'snapshot'>,
): Promise<void> {
  if (revertedAt !== null) {
    throw new ApiError('CONFLICT', { message: `The merge was reverted at ${revertedAt}.` });
  }
  if (t.now >= new Date(revertibleUntil)) {
    throw new ApiError('CONFLICT', { message: `The merge could be reverted until ${revertibleUntil}.` });
  }
  const later = await t.maybe<{ id: string; survivorSid: string }>(sql`
    select id, survivor_sid as "survivorSid" from contact_merges
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and merged_sid = ${survivorSid}
       and reverted_at is null`);
  if (!later) return;
  throw new ApiError('CONFLICT', {
    message: `The survivor was itself merged into ${later.survivorSid}. Revert merge ${later.id} first.`,
    details: [{ path: 'mergeId', issue: `merge ${later.id} must be reverted first` }],
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
    const [kept, rows] = await Promise.all([
      identifierIds(t, survivorSid),
      t.many<{ id: string }>(sql`
        update contact_identifiers set contact_sid = ${survivorSid}
         where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = ${mergedSid}
        returning id`),
    ]);
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
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = ${contactSid}`);
  return rows.map(({ id }) => id).sort();
}

/** Settles a conflict. A merge keeps the older contact; contacts merged meanwhile stand for their survivors. */
export async function resolveConflict(
  t: TenantTx,
  hooks: ContactHooks,
  id: string,
  action: 'merge' | 'dismiss',
): Promise<ContactConflict> {
  if (action === 'merge') await lockMerges(t);
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
