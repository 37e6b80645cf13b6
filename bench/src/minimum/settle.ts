// Settling as it was before charges were written with it: the least that moves the same money.

import { transfers } from '../../../server/src/modules/billing/ledger/transfers.ts';
import { lockWallets } from '../../../server/src/modules/billing/wallets/wallets.ts';
import type { TenantTx } from '../../../server/src/platform/db/database.ts';
import { sql } from '../../../server/src/platform/db/query.ts';

export async function settleWithoutCharges(
  t: TenantTx,
  finals: { messageSid: string; amountMinor: bigint }[],
): Promise<number> {
  const prices = new Map(finals.map(({ messageSid, amountMinor }) => [messageSid, amountMinor.toString()]));
  const priceBySid = JSON.stringify(Object.fromEntries(prices));
  const [, closed] = await Promise.all([
    lockWallets(t),
    t.many(sql`
      with closed as (
        update message_holds h
           set state = 'settled', final_minor = (${priceBySid}::jsonb ->> h.message_sid)::bigint, closed_at = ${t.now}
         where h.account_sid = ${t.accountSid} and h.livemode = ${t.livemode} and h.message_sid = any (${[...prices.keys()]})
           and h.state = 'held'
        returning h.account_sid, h.message_sid as reference, h.wallet_id, h.amount_minor as held_minor, h.final_minor,
          null::timestamptz as closed_until),
      moved as (${transfers(t, {
        of: sql`closed`,
        amounts: {
          capture: sql`least(held_minor, final_minor)`,
          release: sql`greatest(held_minor - final_minor, 0)`,
          overage: sql`greatest(final_minor - held_minor, 0)`,
        },
      })})
      select reference as "messageSid" from closed`),
  ]);
  return closed.length;
}
