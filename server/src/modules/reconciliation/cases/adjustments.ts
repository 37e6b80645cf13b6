// What was charged for a message in all, and how that is put right.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { addAdjustment, readWallet, releasedAmong } from '../../billing/index.ts';
import type { BilledMessage } from '../../messages/index.ts';

export type Charged = {
  /** What the account paid for it, corrections included. */
  minor: bigint;
  /** Its money was given back, and nothing was taken. */
  released: boolean;
};

export async function chargedFor(t: TenantTx, messages: BilledMessage[]): Promise<Map<string, Charged>> {
  const sids = messages.map(({ sid }) => sid);
  const [released, rows] = await Promise.all([
    releasedAmong(t, sids),
    t.many<{ sid: string; minor: string }>(sql`
      select message_sid as sid, sum(adjusted_minor) as minor from reconciliation_case_messages
       where account_sid = ${t.accountSid} and message_sid = any(${sids}::text[]) and adjusted_minor is not null
       group by message_sid`),
  ]);
  const adjusted = new Map(rows.map(({ sid, minor }) => [sid, BigInt(minor)]));
  return new Map(
    messages.map(({ sid, finalMinor }) => [
      sid,
      { minor: BigInt(finalMinor ?? 0) + (adjusted.get(sid) ?? 0n), released: released.has(sid) },
    ]),
  );
}

export type Adjustment = {
  messageSid: string;
  caseSid: string;
  /** Above zero it is charged, below it is credited. */
  amountMinor: bigint;
};

/** Charges or credits the difference of a message, once for a case. The case is locked before. */
export async function adjustCharge(
  t: TenantTx,
  { messageSid, caseSid, amountMinor }: Adjustment,
): Promise<void> {
  const noted = await t.run(sql`
    update reconciliation_case_messages set adjusted_minor = ${amountMinor.toString()}::bigint
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and case_sid = ${caseSid} and message_sid = ${messageSid}
       and adjusted_minor is null`);
  if (noted !== 1) throw new Error(`message ${messageSid} of case ${caseSid} was adjusted before`);
  const { id: walletId } = await readWallet(t);
  await addAdjustment(t, { walletId, caseSid, messageSid, amountMinor });
}
