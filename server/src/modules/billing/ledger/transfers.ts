// Every movement of money.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import type { MoneyWire } from '../../../platform/money.ts';

export type Movement = { kind: 'hold' | 'capture' | 'overage' | 'release'; amount: MoneyWire; at: string };

/** The money that was moved for a message, the earliest first. */
export async function movementsOf(t: TenantTx, messageSid: string): Promise<Movement[]> {
  const rows = await t.many<Omit<Movement, 'amount'> & MoneyWire>(sql`
    select l.kind, l.created_at as at, l.amount_minor as "amountMinor", w.currency, w.scale
      from ledger_transfers l join wallets w on w.account_sid = l.account_sid and w.id = l.wallet_id
     where l.account_sid = ${t.accountSid} and l.livemode = ${t.livemode} and l.reference = ${messageSid}
     order by l.created_at, l.kind`);
  return rows.map(({ kind, at, ...amount }) => ({ kind, at, amount }));
}
