// What was charged for a message in all, and how that is put right.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import {
  addAdjustment,
  adjustmentsOf,
  chargeOf,
  lockWalletOf,
  type PricedAs,
  releasedAmong,
  walletOf,
} from '../../billing/index.ts';
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

/**
 * The same under the lock of the wallets they are paid from, taken after that of the case: a message may stand in several cases, and
 * what one of them puts right must be known to the next.
 */
export async function lockCharged(t: TenantTx, messages: BilledMessage[]): Promise<Map<string, Charged>> {
  for (const currency of [...new Set(messages.map((message) => message.currency!))].sort())
    await lockWalletOf(t, currency);
  return chargedFor(t, messages);
}

export type Adjustment = {
  message: BilledMessage;
  wabaSid: string | null;
  caseSid: string;
  /** Above zero it is charged, below it is credited. */
  amountMinor: bigint;
  /** How it should have been charged, and how much of that price is the provider's. */
  as: PricedAs;
  passThroughMinor: bigint;
};

/** Charges or credits the difference of a message, once for a case. The case is locked before. */
export async function adjustCharge(t: TenantTx, adjustment: Adjustment): Promise<void> {
  const { message, wabaSid, caseSid, amountMinor, as, passThroughMinor } = adjustment;
  const { sid: messageSid, senderSid, campaignSid, market, rateCardVersion } = message;
  const noted = await t.run(sql`
    update reconciliation_case_messages set adjusted_minor = ${amountMinor.toString()}::bigint
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and case_sid = ${caseSid} and message_sid = ${messageSid}
       and adjusted_minor is null`);
  if (noted !== 1) throw new Error(`message ${messageSid} of case ${caseSid} was adjusted before`);
  const wallet = await walletOf(t, message.currency!);
  if (!wallet) throw new Error(`there is no wallet in ${message.currency}`);
  await addAdjustment(t, {
    walletId: wallet.id,
    caseSid,
    messageSid,
    amountMinor,
    passThroughMinor: passThroughMinor - (await passedOn(t, message)),
    as: { ...as, senderSid, campaignSid, wabaSid, market, rateCardVersion },
  });
}

/** What the provider got of everything that was charged for a message so far. */
async function passedOn(t: TenantTx, { sid, partnerBilled }: BilledMessage): Promise<bigint> {
  if (!partnerBilled) return 0n;
  const [charge, adjustments] = [await chargeOf(t, sid), await adjustmentsOf(t, sid)];
  return adjustments.reduce((sum, one) => sum + one.passThroughMinor, charge?.passThroughMinor ?? 0n);
}
