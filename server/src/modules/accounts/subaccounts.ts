// Accounts below an account. They belong to the same organization, and none stands below them.
import type { TenantTx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/query.ts';
import type { Pager } from '../../platform/http/operations/pagination.ts';
import { newSid } from '../../platform/ids.ts';
import { type AccountRow, accountColumns, toAccount } from './account.ts';
import type { Account } from './schema.ts';

/** A new account below this one, counted with it; null where this one stands below another itself. */
export async function insertSubaccount(t: TenantTx, name: string): Promise<Account | null> {
  const row = await t.maybe<AccountRow>(sql`
    insert into accounts (sid, organization_id, parent_account_sid, name, region, plan, counted_with, created_at, updated_at)
    select ${newSid('AC', t.now)}, organization_id, sid, ${name}, region, plan, sid, ${t.now}, ${t.now} from accounts
     where sid = ${t.accountSid} and parent_account_sid is null
    returning ${accountColumns}`);
  if (!row) return null;
  // From now on it is counted in the same row as those below it, by whoever sends.
  await t.run(sql`
    update accounts set counted_with = sid where sid = ${t.accountSid} and counted_with is null`);
  return toAccount(row);
}

export async function countSubaccounts(t: TenantTx): Promise<number> {
  const { count } = await t.one<{ count: number }>(sql`
    select count(*)::integer as count from accounts where parent_account_sid = ${t.accountSid}`);
  return count;
}

/** The newest first. */
export async function listSubaccounts(t: TenantTx, pager: Pager) {
  const [before] = pager.after ?? [null];
  const rows = await t.many<AccountRow>(sql`
    select ${accountColumns} from accounts
     where parent_account_sid = ${t.accountSid} and (${before}::text is null or sid < ${before})
     order by sid desc limit ${pager.fetch}`);
  return pager.page(rows, ({ sid }) => [sid], toAccount);
}

/** The SID of an account where it stands below another, and null otherwise: for statements about what is in it. */
export const subaccountSidOf = (accountSid: Sql): Sql =>
  sql`(select a.sid from accounts a where a.sid = ${accountSid} and a.parent_account_sid is not null)`;
