// What is charged or given back after a message was settled, because it turned out to cost something else.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { transfers } from '../ledger/transfers.ts';
import { tellIfLow } from '../wallets/alerts.ts';
import { refuseBeyondLimits } from '../wallets/move-money.ts';
import { lockWalletsToCharge } from '../wallets/wallets.ts';
import { type Charge, chargeOf } from './charges.ts';

export type Adjustment = {
  walletId: string;
  caseSid: string;
  /** The difference: above zero it is charged, below it is given back. */
  amountMinor: bigint;
  /** How much of that is the provider's. */
  passThroughMinor?: bigint;
  /** The message it is about, where it is about one. */
  messageSid?: string;
  /** How that message should have been charged; as it was, unless told. */
  as?: Partial<ChargedAs>;
};

type ChargedAs = Pick<
  Charge,
  | 'senderSid'
  | 'campaignSid'
  | 'wabaSid'
  | 'category'
  | 'pricingType'
  | 'transport'
  | 'market'
  | 'rateCardVersion'
>;

/**
 * Writes an adjustment and moves its money, the charge's id being the reference of the transfers. What is charged is taken whatever
 * is left. Tells the id. That it happens once is for the caller to see to.
 */
export async function addAdjustment(
  t: TenantTx,
  { walletId, caseSid, amountMinor, passThroughMinor = 0n, messageSid, as }: Adjustment,
): Promise<string> {
  const message: Partial<ChargedAs> = { ...(messageSid && (await chargeOf(t, messageSid))), ...as };
  const [, written] = await Promise.all([
    lockWalletsToCharge(t),
    t
      .maybe<{ id: string }>(sql`
        with charged as (
          insert into charges (account_sid, livemode, id, wallet_id, kind, message_sid, sender_sid, campaign_sid, waba_sid,
            category, pricing_type, transport, market, rate_card_version, basis, fee_minor, pass_through_minor, case_sid,
            charged_at)
          select w.account_sid, w.livemode, charge_id(greatest(${t.now}, w.closed_until)), w.id, 'ADJUSTMENT',
            ${messageSid ?? null}, ${message.senderSid ?? null}, ${message.campaignSid ?? null},
            ${message.wabaSid ?? null}, ${message.category ?? null}, ${message.pricingType ?? null},
            ${message.transport ?? null}, ${message.market ?? null}, ${message.rateCardVersion ?? null}, 'REMEDIATION',
            ${amountMinor - passThroughMinor}, ${passThroughMinor}, ${caseSid}, greatest(${t.now}, w.closed_until)
            from wallets w
           where w.account_sid = ${t.accountSid} and w.livemode = ${t.livemode} and w.id = ${walletId}
          returning account_sid, wallet_id, id::text as reference, id, charged_at as closed_until, fee_minor, pass_through_minor),
        moved as (${transfers(t, {
          of: sql`charged`,
          amounts: {
            adjust_charge: sql`greatest(fee_minor, 0)`,
            adjust_credit: sql`greatest(-fee_minor, 0)`,
            adjust_charge_provider: sql`greatest(pass_through_minor, 0)`,
            adjust_credit_provider: sql`greatest(-pass_through_minor, 0)`,
          },
        })})
        select id from charged`)
      .catch(refuseBeyondLimits),
  ]);
  if (!written) throw new Error('an adjustment names a wallet that is not there');
  await tellIfLow(t);
  return written.id;
}
