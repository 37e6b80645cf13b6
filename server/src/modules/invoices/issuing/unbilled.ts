// Closed periods whose debt no invoice has: it was below what can be paid, or its invoice was voided.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';

/** They wait for the next invoice. `since` is when the debt became the wallet's. */
export async function leaveUnbilled(
  t: TenantTx,
  walletId: string,
  numbers: number[],
  since: Date,
): Promise<void> {
  await t.run(sql`
    insert into unbilled_periods (account_sid, livemode, wallet_id, n, since)
    select ${t.accountSid}, ${t.livemode}, ${walletId}, n, ${since} from unnest(${numbers}::integer[]) as n`);
}

/** An invoice has taken them, or the balance has paid them. */
export async function forgetUnbilled(t: TenantTx, walletId: string, numbers: number[]): Promise<void> {
  if (numbers.length === 0) return;
  await t.run(sql`
    delete from unbilled_periods
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and wallet_id = ${walletId}
       and n = any (${numbers}::integer[])`);
}
