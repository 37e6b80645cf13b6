// What messages cost in the end is taken from what was held for them, and written down as a charge by the same statement: no
// money is taken without one, and a message that was free has its own too.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { newUuids } from '../../../platform/ids.ts';
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

/** Messages of one batch are much alike: what some are charged as stands once, and each tells at which place, counted from one. */
function alike(finals: FinalPrice[]) {
  const kinds: FinalPrice[] = [];
  const known = new Map<string, number>();
  const places = finals.map((final) => {
    const { senderSid, campaignSid, category, pricingType, transport, market, rateCardVersion } = final;
    const said = JSON.stringify(final.reported);
    // In one text and not as JSON: this is done for every message.
    const as = `${senderSid} ${campaignSid} ${category} ${pricingType} ${transport} ${market} ${rateCardVersion} ${said}`;
    const place = known.get(as) ?? kinds.push(final);
    known.set(as, place);
    return place;
  });
  return { kinds, places };
}

const listed = (elements: (string | number | bigint)[]) => `{${elements.join(',')}}`;

/**
 * Takes the final price of messages, and gives back what was held beyond it. A price above what was held takes the
 * difference from what is available, below zero if need be: the message was delivered. Tells what it took for which; a
 * message that is settled or released already, or was never held, is left as it is.
 */
export async function settle(t: TenantTx, finals: FinalPrice[]): Promise<MessageAmount[]> {
  // Of several prices for one message the first counts.
  const prices = new Map(finals.toReversed().map((final) => [final.messageSid, final]));
  if (prices.size === 0) return [];
  // In the order they are found in, so that the ids of their charges follow each other: indexes then grow at one place.
  const sids = [...prices.keys()].sort();
  const given = sids.map((sid) => prices.get(sid)!);
  const { kinds, places } = alike(given);
  const [{ alertArmed }, taken] = await Promise.all([
    lockWalletsToCharge(t),
    // Looked up in an object and not joined: a planner that misjudges the join compares every hold with every price. It holds
    // only places in arrays: an element of one costs a fraction of what it costs to take out of JSON.
    t.many<{ messageSid: string; amountMinor: string; beyondHold: boolean }>(sql`
      with fences as materialized (
        select id, closed_until from wallets where account_sid = ${t.accountSid} and livemode = ${t.livemode}),
      closed as (
        update message_holds h
           set state = 'settled', final_minor = given.finals[(given.places ->> h.message_sid)::integer],
             closed_at = greatest(${t.now}, (select closed_until from fences f where f.id = h.wallet_id))
          from (select ${`{${sids.map((sid, at) => `"${sid}":${at + 1}`).join(',')}}`}::jsonb as places,
                  ${listed(given.map(({ amountMinor }) => amountMinor))}::bigint[] as finals,
                  ${listed(given.map(({ passThroughMinor = 0n }) => passThroughMinor))}::bigint[] as passes offset 0) as given
         where h.account_sid = ${t.accountSid} and h.livemode = ${t.livemode} and h.message_sid = any (${listed(sids)}::text[])
           and h.state = 'held'
        returning h.account_sid, h.message_sid as reference, h.wallet_id, h.waba_sid, h.amount_minor as held_minor,
          h.final_minor, given.passes[(given.places ->> h.message_sid)::integer] as pass_minor, h.closed_at as closed_until,
          (given.places ->> h.message_sid)::integer as place),
      charged as (
        insert into charges (account_sid, livemode, id, wallet_id, kind, message_sid, sender_sid, campaign_sid, waba_sid, category,
          pricing_type, transport, market, rate_card_version, basis, fee_minor, pass_through_minor, reported, charged_at)
        select account_sid, ${t.livemode}, case when closed_until = ${t.now} then ids[place] else charge_id(closed_until) end,
          wallet_id, 'MESSAGE', reference, senders[kind], campaigns[kind], waba_sid, categories[kind], pricing_types[kind],
          transports[kind], markets[kind], cards[kind], case when reports[kind] is null then 'ESTIMATE' else 'PROVIDER_REPORT' end,
          final_minor - pass_minor, pass_minor, reports[kind]::json, closed_until
          from closed
         cross join (
           select ${listed(newUuids(t.now, sids.length))}::uuid[] as ids, ${listed(places)}::integer[] as kinds,
             ${kinds.map(({ senderSid }) => senderSid)}::text[] as senders,
             ${kinds.map(({ campaignSid }) => campaignSid)}::text[] as campaigns,
             ${kinds.map(({ category }) => category)}::text[] as categories,
             ${kinds.map(({ pricingType }) => pricingType)}::text[] as pricing_types,
             ${kinds.map(({ transport }) => transport)}::text[] as transports,
             ${kinds.map(({ market }) => market)}::text[] as markets,
             ${kinds.map(({ rateCardVersion }) => rateCardVersion)}::integer[] as cards,
             ${kinds.map(({ reported }) => reported && JSON.stringify(reported))}::text[] as reports offset 0) as given
         cross join lateral (select kinds[place] as kind offset 0) as alike),
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
