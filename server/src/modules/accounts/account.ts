// An account as it is told.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import type { Account } from './schema.ts';

export type AccountRow = Omit<Account, 'object'>;

export const accountColumns = sql`sid, parent_account_sid as "parentAccountSid", name, status, suspended_at as "suspendedAt",
  suspension_reason as "suspensionReason", region, created_at as "createdAt", updated_at as "updatedAt"`;

export const toAccount = (row: AccountRow): Account => ({ object: 'account', ...row });

export async function getAccount(t: TenantTx): Promise<Account> {
  return toAccount(
    await t.one<AccountRow>(sql`select ${accountColumns} from accounts where sid = ${t.accountSid}`),
  );
}
