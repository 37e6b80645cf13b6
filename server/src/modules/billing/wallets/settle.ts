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

/** Its time and what tells the message from others: as random as its SID, and made without asking for more. */
const idOf = sql`(lpad(to_hex((date_part('epoch', closed_until) * 1000)::bigint), 12, '0') || '7'
  || substr(md5(reference), 1, 3) || 'a' || substr(md5(reference), 4, 15))::uuid`;

/** Messages of one batch are much alike: what they are charged as is written once, and each names its price and that. */
function packed(finals: FinalPrice[]) {
  const kinds = new Map<string, number>();
  const bySid: Record<string, [amount: string, passThrough: string, kind: number]> = {};
  for (const final of finals) {
    const { senderSid, campaignSid, category, pricingType, transport, market, rateCardVersion, reported } =
      final;
    const as = [senderSid, campaignSid, category, pricingType, transport, market, rateCardVersion, reported];
    const kind = JSON.stringify(as);
    const at = kinds.get(kind) ?? kinds.size;
    kinds.set(kind, at);
    bySid[final.messageSid] = [final.amountMinor.toString(), (final.passThroughMinor ?? 0n).toString(), at];
  }
  return { bySid: JSON.stringify(bySid), kinds: `[${[...kinds.keys()].join(',')}]` };
}

/**
 * Takes the final price of messages, and gives back what was held beyond it. A price above what was held takes the
 * difference from what is available, below zero if need be: the message was delivered. Tells what it took for which; a
 * message that is settled or released already, or was never held, is left as it is.
 */
export async function settle(t: TenantTx, finals: FinalPrice[]): Promise<MessageAmount[]> {
  // Of several prices for one message the first counts.
  const prices = new Map(finals.toReversed().map((final) => [final.messageSid, final]));
  if (prices.size === 0) return [];
  const { bySid, kinds } = packed([...prices.values()]);
  const [{ alertArmed }, taken] = await Promise.all([
    lockWalletsToCharge(t),
    // Looked up in objects and not joined: a planner that misjudges the join compares every hold with every price.
    t.many<{ messageSid: string; amountMinor: string; beyondHold: boolean }>(sql`
      with fences as materialized (
        select id, closed_until from wallets where account_sid = ${t.accountSid} and livemode = ${t.livemode}),
      closed as (
        update message_holds h
           set state = 'settled', final_minor = (given.by_sid -> h.message_sid ->> 0)::bigint,
             closed_at = greatest(${t.now}, (select closed_until from fences f where f.id = h.wallet_id))
          from (select ${bySid}::jsonb as by_sid, ${kinds}::jsonb as kinds offset 0) as given
         where h.account_sid = ${t.accountSid} and h.livemode = ${t.livemode} and h.message_sid = any (${[...prices.keys()]})
           and h.state = 'held'
        returning h.account_sid, h.message_sid as reference, h.wallet_id, h.waba_sid, h.amount_minor as held_minor,
          h.final_minor, (given.by_sid -> h.message_sid ->> 1)::bigint as pass_minor, h.closed_at as closed_until,
          given.kinds -> (given.by_sid -> h.message_sid ->> 2)::integer as kind),
      charged as (
        insert into charges (account_sid, livemode, id, wallet_id, kind, message_sid, sender_sid, campaign_sid, waba_sid, category,
          pricing_type, transport, market, rate_card_version, basis, fee_minor, pass_through_minor, reported, charged_at)
        select account_sid, ${t.livemode}, ${idOf}, wallet_id, 'MESSAGE', reference, kind ->> 0, kind ->> 1, waba_sid, kind ->> 2,
          kind ->> 3, kind ->> 4, kind ->> 5, (kind ->> 6)::integer,
          case when kind ->> 7 is null then 'ESTIMATE' else 'PROVIDER_REPORT' end, final_minor - pass_minor, pass_minor,
          (kind ->> 7)::json, closed_until
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
