// What came of a campaign, counted from its messages when somebody asks: there is no second account of it that could differ.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { money, toWire } from '../../../platform/money.ts';
import { readWallet } from '../../billing/index.ts';
import { outcomesOf } from '../../messages/index.ts';
import { findCampaign } from '../resource/rows.ts';
import { type CampaignOutcome, type CampaignResults, rateOf } from './schema.ts';

const counted = [
  'messages',
  'queued',
  'sent',
  'delivered',
  'read',
  'replied',
  'optedOut',
  'failed',
  'canceled',
  'expired',
] as const;
type Counted = Record<(typeof counted)[number], number>;
type Counts = Counted & { variant: number | null; chargedMinor: string; heldMinor: string };
type Coded = { variant: number | null; code: string; count: number };
type Found = { counts: Counts[]; failures: Coded[]; refusals: Coded[] };

export async function resultsOf(t: TenantTx, sid: string): Promise<CampaignResults> {
  const { recipients, admitted, refused, definition } = await findCampaign(t, sid);
  const { currency, scale } = await readWallet(t);
  const found = await count(t, sid);
  const outcome = (of: (variant: number | null) => boolean) =>
    summed(found, of, (minor) => toWire(money(minor, currency, scale)));
  return {
    object: 'campaign_results',
    campaignSid: sid,
    accountSid: t.accountSid,
    livemode: t.livemode,
    recipients,
    pending: recipients - admitted - refused,
    total: outcome(() => true),
    variants: (definition.variants ?? []).map(({ weight }, at) => ({
      variant: at,
      weight,
      ...outcome((variant) => variant === at),
    })),
    createdAt: t.now.toISOString(),
  };
}

async function count(t: TenantTx, sid: string): Promise<Found> {
  // A million messages take longer than a statement usually may.
  await t.takesUpTo(60);
  const here = sql`r.account_sid = ${t.accountSid} and r.livemode = ${t.livemode} and r.campaign_sid = ${sid}`;
  const told = sql`campaign_recipients r join (${outcomesOf(t, sid)}) as m on m.message_sid = r.message_sid where ${here}`;
  const [counts, failures, refusals] = await Promise.all([
    t.many<Counts>(sql`
      select r.variant, count(*)::integer as messages,
        count(*) filter (where m.status in ('queued', 'scheduled', 'deferred', 'sending', 'unknown'))::integer as queued,
        count(*) filter (where m.sent)::integer as sent, count(*) filter (where m.delivered)::integer as delivered,
        count(*) filter (where m.read)::integer as read, count(*) filter (where m.replied)::integer as replied,
        count(*) filter (where m.opted_out)::integer as "optedOut",
        count(*) filter (where m.status = 'failed')::integer as failed,
        count(*) filter (where m.status = 'canceled')::integer as canceled,
        count(*) filter (where m.status = 'expired')::integer as expired,
        coalesce(sum(m.charged_minor), 0)::bigint as "chargedMinor", coalesce(sum(m.held_minor), 0)::bigint as "heldMinor"
        from ${told} group by r.variant`),
    t.many<Coded>(sql`
      select r.variant, m.code, count(*)::integer as count from ${told} and m.status = 'failed' and m.code is not null
       group by r.variant, m.code`),
    t.many<Coded>(sql`
      select r.variant, r.code, count(*)::integer as count from campaign_recipients r
       where ${here} and r.state = 'REFUSED' and r.code is not null group by r.variant, r.code`),
  ]);
  return { counts, failures, refusals };
}

type Wire = ReturnType<typeof toWire>;

function summed(
  { counts, failures, refusals }: Found,
  of: (variant: number | null) => boolean,
  wire: (minor: bigint) => Wire,
): CampaignOutcome {
  const own = counts.filter(({ variant }) => of(variant));
  const sum = Object.fromEntries(
    counted.map((name) => [name, own.reduce((all, row) => all + row[name], 0)]),
  ) as Counted;
  const minor = (column: 'chargedMinor' | 'heldMinor') =>
    wire(own.reduce((all, row) => all + BigInt(row[column]), 0n));
  const refused = byCode(refusals, of);
  return {
    ...sum,
    failures: byCode(failures, of),
    refused: refused.reduce((all, { count }) => all + count, 0),
    refusals: refused,
    cost: minor('chargedMinor'),
    held: minor('heldMinor'),
    rates: {
      delivered: rateOf(sum.delivered, sum.sent),
      read: rateOf(sum.read, sum.delivered),
      replied: rateOf(sum.replied, sum.delivered),
      optedOut: rateOf(sum.optedOut, sum.delivered),
    },
  };
}

/** The most frequent first. */
function byCode(coded: readonly Coded[], of: (variant: number | null) => boolean) {
  const groups = Map.groupBy(
    coded.filter(({ variant }) => of(variant)),
    ({ code }) => code,
  );
  return [...groups]
    .map(([code, rows]) => ({ code, count: rows.reduce((all, { count }) => all + count, 0) }))
    .sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1));
}
