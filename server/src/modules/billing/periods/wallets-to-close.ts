// Wallets whose time may have come: what is closed by calendar months is looked for here, across accounts.
import type { SystemTx, Tenant } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';

export type WalletToClose = Tenant & { walletId: string };

/** Wallets that were there before an instant and whose time is not closed until then, in the order of their ids. */
export function walletsToClose(
  s: SystemTx,
  { before, after, limit }: { before: Date; after: string | null; limit: number },
): Promise<WalletToClose[]> {
  return s.many<WalletToClose>(sql`
    select account_sid as "accountSid", livemode, id as "walletId" from wallets
     where coalesce(closed_until, created_at) < ${before} and (${after}::uuid is null or id > ${after}::uuid)
     order by id limit ${limit}`);
}

/** Since when the time of a wallet is open that was to be closed until then; of all but some. Null when there is none. */
export async function openSince(
  s: SystemTx,
  { before, except }: { before: Date; except: string[] },
): Promise<Date | null> {
  const { since } = await s.one<{ since: string | null }>(sql`
    select min(coalesce(closed_until, created_at)) as since from wallets
     where coalesce(closed_until, created_at) < ${before} and id <> all (${except}::uuid[])`);
  return since === null ? null : new Date(since);
}
