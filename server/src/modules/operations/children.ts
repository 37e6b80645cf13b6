// The results of the single items of an operation.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import type { Pager } from '../../platform/http/operations/pagination.ts';
import { getOperation } from './operations.ts';
import type { OperationChild } from './schema.ts';
import type { ChildResult } from './work.ts';

const columns = sql`'operation_child' as object, operation_sid as "operationSid", account_sid as "accountSid", livemode,
  position::double precision as position, ref, state, result, error, created_at as "createdAt", updated_at as "updatedAt"`;

/** In the order of the items. */
export async function listChildren(t: TenantTx, operationSid: string, pager: Pager) {
  await getOperation(t, operationSid);
  const after = pager.after?.[0] ?? -1;
  const rows = await t.many<OperationChild>(sql`
    select ${columns} from operation_children
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and operation_sid = ${operationSid}
       and position > ${after}
     order by position limit ${pager.fetch}`);
  return pager.page(
    rows,
    ({ position }) => [position],
    (row) => row,
  );
}

export async function storeChildren(
  t: TenantTx,
  operationSid: string,
  children: ChildResult[],
): Promise<void> {
  if (children.length === 0) return;
  const json = (value: object | null | undefined) => (value ? JSON.stringify(value) : null);
  await t.run(sql`
    insert into operation_children (account_sid, livemode, operation_sid, position, ref, state, result, error, created_at,
      updated_at)
    select ${t.accountSid}, ${t.livemode}, ${operationSid}, child.position, child.ref, child.state, child.result::json,
      child.error::json, ${t.now}, ${t.now}
      from unnest(${children.map(({ position }) => position)}::bigint[],
        ${children.map(({ ref }) => ref ?? null)}::text[], ${children.map(({ state }) => state)}::text[],
        ${children.map(({ result }) => json(result))}::text[], ${children.map(({ error }) => json(error))}::text[])
        as child (position, ref, state, result, error)`);
}

/** For work that begins anew: what an earlier run found is found again. */
export async function forgetChildren(t: TenantTx, operationSid: string): Promise<void> {
  await t.run(sql`
    delete from operation_children where account_sid = ${t.accountSid} and operation_sid = ${operationSid}`);
}
