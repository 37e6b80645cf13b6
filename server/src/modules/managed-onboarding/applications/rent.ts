// The rent of a number: the first month is part of the fee, each further one is charged when it begins, as long as the number is there.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { audit } from '../../audit/index.ts';
import { moveMoney } from '../../billing/index.ts';
import { loadSender } from '../../senders/index.ts';
import { rentMinor } from '../quotes/fingerprint.ts';
import { lockApplication } from './applications.ts';
import { cronOfDue } from './due.ts';

const here = (t: TenantTx, sid: string) =>
  sql`account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid}`;

/** From now on, by the month; the first was paid with the fee. */
export const beginRent = (t: TenantTx, sid: string): Promise<number> =>
  t.run(sql`
    update managed_applications set rent_months = 1, rent_from = ${t.now}, rent_due_at = ${t.now}::timestamptz + interval '1 month'
     where ${here(t, sid)}`);

const gone = ['DISCONNECTED', 'DELETED', 'MIGRATED'];
export const chargeRents = cronOfDue('managed-onboarding.rents', '23 * * * *', 'rent_due_at', chargeRent);

/** One month. A number that is not there any more costs nothing more. */
export async function chargeRent(t: TenantTx, sid: string): Promise<void> {
  const row = await lockApplication(t, sid);
  const { months, due } = await t.one<{ months: number; due: boolean | null }>(sql`
    select rent_months as months, rent_due_at <= ${t.now} as due from managed_applications where ${here(t, sid)}`);
  if (!due) return;
  const sender = row.senderSid === null ? null : await loadSender(t, row.senderSid);
  if (!sender || gone.includes(sender.status)) {
    await t.run(sql`update managed_applications set rent_due_at = null where ${here(t, sid)}`);
    audit(t, { action: 'managed_application.rent_ended', resource: sid, facts: { months } });
    return;
  }
  const amount = rentMinor(row.accepted);
  const reference = `${sid}/rent/${months + 1}`;
  await moveMoney(t, { walletId: row.feeWalletId!, reference, moves: { number_rent: amount } });
  await t.run(sql`
    update managed_applications set rent_months = rent_months + 1,
      -- Counted from the first: the 31st stays the 31st after a month that has none.
      rent_due_at = rent_from + (rent_months + 1) * interval '1 month'
     where ${here(t, sid)}`);
  const facts = { month: months + 1, amountMinor: amount.toString() };
  audit(t, { action: 'managed_application.rent_charged', resource: sid, facts });
}
