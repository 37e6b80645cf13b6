// What messages cost in the end is taken from what was held for them, and written down as a charge by the same statement: no
// money is taken without one, and a message that was free has its own too.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { transfers } from '../ledger/transfers.ts';
import type { PricedAs } from '../pricing/pricing-rules.ts';
import { tellIfLow } from './alerts.ts';
import type { MessageAmount } from './holds.ts';
import { lockWalletsToCharge } from './wallets.ts';

/** How the provider said it charged, in its own words: type, category, model, and whether it charged at all. */
export type Reported = [type: string, category: string, model: string | null, billable: boolean | null];

/** What a message costs, and by what: the row of a rate card, and the provider's word or our own estimate. */
export type FinalPrice = MessageAmount &
  PricedAs & {
    /** What the provider gets of it, where the platform pays the provider. */
    passThroughMinor?: bigint;
    senderSid: string;
    campaignSid: string | null;
    market: string;
    rateCardVersion: number;
    /** Null where it is our estimate. */
    reported: Reported | null;
  };

/**
 * Takes the final price of messages, and gives back what was held beyond it. A price above what was held takes the
 * difference from what is available, below zero if need be: the message was delivered. Tells what it took for which; a
 * message that is settled or released already, or was never held, is left as it is.
 */
export async function settle(t: TenantTx, finals: FinalPrice[]): Promise<MessageAmount[]> {
  // Of several prices for one message the first counts.
  const prices = new Map(finals.toReversed().map((final) => [final.messageSid, final]));
  if (prices.size === 0) return [];
  const given = JSON.stringify([...prices.values()], (_, value) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
  const [{ alertArmed }, taken] = await Promise.all([
    lockWalletsToCharge(t),
    t.many<{ messageSid: string; amountMinor: string; beyondHold: boolean }>(sql`
      with found as materialized (
        select given."messageSid" as reference, given."amountMinor" as final_minor,
          coalesce(given."passThroughMinor", 0) as pass_minor,
          given."senderSid", given."campaignSid", given.category, given."pricingType", given.transport, given.market,
          given."rateCardVersion", given.reported, h.*, w.closed_until, greatest(${t.now}, w.closed_until) as at
          from json_to_recordset(${given}::json) as given ("messageSid" text, "amountMinor" bigint, "passThroughMinor" bigint,
            "senderSid" text, "campaignSid" text, category text, "pricingType" text, transport text, market text,
            "rateCardVersion" integer, reported json)
         cross join lateral (
           select ctid as place, wallet_id, waba_sid, amount_minor as held_minor from message_holds
            where account_sid = ${t.accountSid} and livemode = ${t.livemode} and message_sid = given."messageSid"
              and state = 'held' limit 1) as h
         cross join lateral (
           select closed_until from wallets where account_sid = ${t.accountSid} and id = h.wallet_id limit 1) as w),
      closed as (
        update message_holds h
           set state = 'settled', final_minor = found.final_minor, closed_at = found.at
          from found where h.ctid = found.place
        returning h.account_sid, found.*),
      charged as (
        insert into charges (account_sid, livemode, id, wallet_id, kind, message_sid, sender_sid, campaign_sid, waba_sid, category,
          pricing_type, transport, market, rate_card_version, basis, fee_minor, pass_through_minor, reported, charged_at)
        select account_sid, ${t.livemode}, charge_id(at), wallet_id, 'MESSAGE', reference, "senderSid", "campaignSid", waba_sid,
          category, "pricingType", transport, market, "rateCardVersion",
          case when reported is null then 'ESTIMATE' else 'PROVIDER_REPORT' end, final_minor - pass_minor, pass_minor, reported, at
          from closed),
      moved as (${transfers(t, {
        of: sql`closed`,
        // The provider's part comes first: the platform has paid it.
        amounts: {
          capture_provider: sql`least(held_minor, pass_minor)`,
          overage_provider: sql`greatest(pass_minor - held_minor, 0)`,
          capture: sql`greatest(least(held_minor, final_minor) - pass_minor, 0)`,
          overage: sql`greatest(final_minor - greatest(held_minor, pass_minor), 0)`,
          release: sql`greatest(held_minor - final_minor, 0)`,
        },
      })})
      select reference as "messageSid", final_minor as "amountMinor", final_minor > held_minor as "beyondHold"
        from closed`),
  ]);
  // Only then is there less to spend than before.
  if (alertArmed && taken.some(({ beyondHold }) => beyondHold)) await tellIfLow(t);
  return taken.map(({ messageSid, amountMinor }) => ({ messageSid, amountMinor: BigInt(amountMinor) }));
}
