// Whether a wallet may spend on credit, and how far collecting what it owes has come.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { emit } from '../../../platform/events.ts';
import { audit } from '../../audit/index.ts';
import { tellIfLow } from './alerts.ts';
import { walletEvents } from './events.ts';
import type { BillingStatus, DunningState } from './schema.ts';
import { getWallet, lockWallets } from './wallets.ts';

/** Suspended, a wallet spends what it holds and nothing on credit. Tells whether that changed anything. */
export const setBillingStatus = (t: TenantTx, walletId: string, status: BillingStatus) =>
  change(t, walletId, 'billing_status', status);

export const setDunningState = (t: TenantTx, walletId: string, state: DunningState) =>
  change(t, walletId, 'dunning_state', state);

async function change(
  t: TenantTx,
  walletId: string,
  column: 'billing_status' | 'dunning_state',
  value: string,
): Promise<boolean> {
  const [, changed] = await Promise.all([
    lockWallets(t),
    t.run(sql`
      update wallets set ${sql.id(column)} = ${value}, updated_at = ${t.now}
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and id = ${walletId}
         and ${sql.id(column)} <> ${value}`),
  ]);
  if (changed === 0) return false;
  const wallet = await getWallet(t, walletId);
  const { billingStatus, dunningState } = wallet;
  audit(t, { action: 'wallet.status_changed', resource: walletId, facts: { billingStatus, dunningState } });
  emit(t, walletEvents.status_changed, wallet);
  await tellIfLow(t);
  return true;
}
