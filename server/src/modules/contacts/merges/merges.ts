// The record of a merge: what moved, until when it can be reverted, and what a revert gave back.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import type { Pager } from '../../../platform/http/operations/pagination.ts';
import type { ContactMerge, Identifier } from '../schema.ts';
import { identifiersById } from './conflicts.ts';

/** What a revert needs to know: who pointed at the merged contact, and by follower what moved. */
export type Snapshot = {
  redirected: string[];
  belongings: Record<string, { moved: string[]; snapshot: unknown }>;
};
export type RevertReport = { movedBack: Record<string, string[]>; stayed: Record<string, string[]> };

type Row = Omit<ContactMerge, 'moved' | 'movedBack' | 'stayed'> & {
  snapshot: Snapshot;
  report: RevertReport | null;
};

const columns = sql`'contact_merge' as object, id, account_sid as "accountSid", livemode,
  case when reverted_at is null then 'MERGED' else 'REVERTED' end as status, survivor_sid as "survivorContactSid",
  merged_sid as "mergedContactSid", reason, snapshot, merged_by as "mergedBy",
  revertible_until as "revertibleUntil", reverted_at as "revertedAt", reverted_by as "revertedBy",
  revert_report as report, created_at as "createdAt", updated_at as "updatedAt"`;

const movedOf = ({ belongings }: Snapshot) =>
  Object.fromEntries(Object.entries(belongings).map(([name, { moved }]) => [name, moved]));

async function toMerges(t: TenantTx, rows: Row[]): Promise<ContactMerge[]> {
  const lists = (row: Row) => [movedOf(row.snapshot), row.report?.movedBack, row.report?.stayed];
  const ids = rows.flatMap((row) => lists(row).flatMap((list) => list?.identifiers ?? []));
  const known = await identifiersById(t, [...new Set(ids)]);
  return rows.map((row) => {
    const [moved, movedBack, stayed] = lists(row).map((list) => list && present(list, known));
    const { snapshot: _, report: __, ...rest } = row;
    return { ...rest, moved: moved!, movedBack: movedBack ?? null, stayed: stayed ?? null };
  });
}

/** Identifiers are shown in full, as far as they still exist. */
function present(list: Record<string, string[]>, known: Map<string, Identifier>): ContactMerge['moved'] {
  const { identifiers = [], ...others } = list;
  return { identifiers: identifiers.flatMap((id) => known.get(id) ?? []), ...others };
}

export async function getMerge(t: TenantTx, id: string): Promise<ContactMerge> {
  const row = await t.maybe<Row>(sql`
    select ${columns} from contact_merges
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and id = ${id}`);
  if (!row) throw new ApiError('NOT_FOUND');
  return (await toMerges(t, [row]))[0]!;
}

export async function listMerges(t: TenantTx, pager: Pager) {
  const [createdAt, id] = pager.after ?? [null, null];
  const rows = await t.many<Row>(sql`
    select ${columns} from contact_merges
     where account_sid = ${t.accountSid} and livemode = ${t.livemode}
       ${pager.after ? sql`and (created_at, id) < (${createdAt}, ${id}::uuid)` : sql``}
     order by created_at desc, id desc limit ${pager.fetch}`);
  const merges = new Map((await toMerges(t, rows)).map((merge) => [merge.id, merge]));
  return pager.page(
    rows,
    (row) => [row.createdAt, row.id],
    (row) => merges.get(row.id)!,
  );
}
