// Telling that little is left: once, in the transaction in which what can be spent falls below the threshold, and again only after
// money came in or another threshold was set. What is given back for messages arms nothing: it comes and goes with every send.
import type { TenantTx } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/query.ts';
import { emit } from '../../../platform/events.ts';
import { walletEvents } from './events.ts';
import { getWallet } from './wallets.ts';

const spendableOf = (wallet: Sql) => sql`${wallet}.credit_minor + (
  select a.balance_minor from ledger_accounts a
   where a.account_sid = ${wallet}.account_sid and a.wallet_id = ${wallet}.id and a.account = 'available')`;

/** Tells of the wallets that fell below their threshold. Their locks are held. */
export async function tellIfLow(t: TenantTx): Promise<void> {
  const low = await t.many<{ id: string }>(sql`
    update wallets w set alert_armed = false, alert_fired_at = ${t.now}
     where w.account_sid = ${t.accountSid} and w.livemode = ${t.livemode} and w.alert_armed
       and ${spendableOf(sql`w`)} < w.alert_minor
    returning w.id`);
  for (const { id } of low) emit(t, walletEvents.low_balance, await getWallet(t, id));
}

/** Money came in: where it lifted a wallet to its threshold, people are told again should it fall below. */
export async function armAgain(t: TenantTx): Promise<void> {
  await t.run(sql`
    update wallets w set alert_armed = true
     where w.account_sid = ${t.accountSid} and w.livemode = ${t.livemode} and w.alert_minor is not null and not w.alert_armed
       and ${spendableOf(sql`w`)} >= w.alert_minor`);
}
