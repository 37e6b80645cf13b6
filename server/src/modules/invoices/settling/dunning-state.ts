// A wallet shows the worst of what its invoices have come to, and is suspended while one of them was given up.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { type DunningState, setBillingStatus, setDunningState } from '../../billing/index.ts';

const worstFirst: DunningState[] = ['exhausted', 'action_required', 'retrying', 'written_off', 'none'];
const suspends: DunningState[] = ['exhausted', 'written_off'];

/** After the invoices of a wallet have changed; takes the wallet's lock. */
export async function tellWallet(t: TenantTx, walletId: string): Promise<void> {
  const rows = await t.many<{ dunning: DunningState }>(sql`
    select distinct dunning from invoices
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and wallet_id = ${walletId} and dunning <> 'none'`);
  const found = rows.map(({ dunning }) => dunning);
  await setDunningState(t, walletId, worstFirst.find((state) => found.includes(state)) ?? 'none');
  const suspended = suspends.some((state) => found.includes(state));
  await setBillingStatus(t, walletId, suspended ? 'suspended' : 'active');
}
