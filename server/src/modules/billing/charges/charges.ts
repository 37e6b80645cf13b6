// What each message cost, as it was charged. Which invoice and statement a charge stands on follows from the closed period its
// time falls into, so that closing a period of millions of charges changes none of them.
import type { SystemTx, TenantTx } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/query.ts';
import { ApiError, type ErrorDetail } from '../../../platform/errors/errors.ts';
import type { PageOf, Pager } from '../../../platform/http/operations/pagination.ts';
import { money, toWire } from '../../../platform/money.ts';
import { upper } from '../pricing/rate-cards.ts';
import type { Category, PricingType, Transport } from '../pricing/rates.ts';
import type { Reported } from '../wallets/settle.ts';
import type { ChargeQuery, ChargeResource } from './schema.ts';

export type Charge = {
  id: string;
  walletId: string;
  currency: string;
  scale: number;
  kind: ChargeResource['kind'];
  messageSid: string | null;
  senderSid: string | null;
  campaignSid: string | null;
  wabaSid: string | null;
  category: Category | null;
  pricingType: PricingType | null;
  transport: Transport | null;
  market: string | null;
  rateCardVersion: number | null;
  basis: ChargeResource['basis'];
  feeMinor: bigint;
  passThroughMinor: bigint;
  reported: Reported | null;
  caseSid: string | null;
  chargedAt: string;
  invoiceSid: string | null;
  statementSid: string | null;
};
type ChargeRow = Omit<Charge, 'feeMinor' | 'passThroughMinor'> & {
  feeMinor: string;
  passThroughMinor: string;
};

const byTime = sql`charged_at desc, id desc`;
/** The same order: an id begins with its time. It is the one the indexes by sender and by campaign have. */
const byId = sql`id desc`;

// The planner must know how few rows are asked for: otherwise it reckons with a tenth of them all, finds that a plan made for each page is
// worth its cost, and plans a statement over all months anew each time. A few sizes are a few statements; what is too much is cut off.
function atLeast(limit: number): Sql {
  if (limit <= 1) return sql`1`;
  if (limit <= 26) return sql`26`;
  return limit <= 51 ? sql`51` : sql`101`;
}

/** Charges with their documents, the newest first, as many as the limit or a few more; `found` says which. The limit comes first: the rest is looked up for a page. */
const newestFirst = (found: Sql, limit: number, order = byTime) => sql`
  select c.id, c.wallet_id as "walletId", w.currency, w.scale, c.kind, c.message_sid as "messageSid",
    c.sender_sid as "senderSid", c.campaign_sid as "campaignSid", c.waba_sid as "wabaSid", c.category,
    c.pricing_type as "pricingType", c.transport, c.market, c.rate_card_version as "rateCardVersion", c.basis,
    c.fee_minor as "feeMinor", c.pass_through_minor as "passThroughMinor", c.reported, c.case_sid as "caseSid",
    c.charged_at as "chargedAt", p.invoice_sid as "invoiceSid", p.statement_sid as "statementSid"
    from (select * from charges ${found} order by ${order} limit ${atLeast(limit)}) as c
    join wallets w on w.account_sid = c.account_sid and w.id = c.wallet_id
    left join lateral (
      select invoice_sid, statement_sid from billing_periods b
       where b.account_sid = c.account_sid and b.wallet_id = c.wallet_id and b.ends_at > c.charged_at
       order by b.ends_at limit 1) as p on true
   order by c.charged_at desc, c.id desc`;

const toCharge = (row: ChargeRow): Charge => ({
  ...row,
  feeMinor: BigInt(row.feeMinor),
  passThroughMinor: BigInt(row.passThroughMinor),
});

export async function listCharges(
  t: TenantTx,
  query: ChargeQuery,
  pager: Pager,
): Promise<PageOf<ChargeResource>> {
  const narrowed = query.senderSid !== undefined || query.campaignSid !== undefined;
  const rest = narrowed ? beyondId(pager) : beyond(pager);
  const found = sql`where account_sid = ${t.accountSid} and livemode = ${t.livemode} ${filtersOf(query)} ${rest}`;
  const rows = await t.many<ChargeRow>(newestFirst(found, pager.fetch, narrowed ? byId : byTime));
  return pageOf(t, rows, pager);
}

export function issuesOfRange({ from, to }: Pick<ChargeQuery, 'from' | 'to'>): ErrorDetail[] {
  const isEmpty = from !== undefined && to !== undefined && new Date(from) >= new Date(to);
  return isEmpty ? [{ path: 'to', issue: 'must be after from' }] : [];
}

function filtersOf({ from, to, senderSid, campaignSid }: ChargeQuery): Sql {
  const parts: Sql[] = [];
  if (from !== undefined) parts.push(sql`and charged_at >= ${new Date(from)}`);
  if (to !== undefined) parts.push(sql`and charged_at < ${new Date(to)}`);
  if (senderSid !== undefined) parts.push(sql`and sender_sid = ${senderSid}`);
  if (campaignSid !== undefined) parts.push(sql`and campaign_sid = ${campaignSid}`);
  return sql.join(parts, sql` `);
}

/** What the caller has not seen. The first condition alone says which months to look into. */
function beyond({ after }: Pager): Sql {
  if (!after) return sql``;
  const [chargedAt, id] = after;
  return sql`and charged_at <= ${chargedAt}::timestamptz and (charged_at, id) < (${chargedAt}::timestamptz, ${id}::uuid)`;
}

/** The same, where the order is that of ids. */
function beyondId({ after }: Pager): Sql {
  if (!after) return sql``;
  const [chargedAt, id] = after;
  return sql`and charged_at <= ${chargedAt}::timestamptz and id < ${id}::uuid`;
}

/** What a message was charged when it was settled; null where nothing was. */
export async function chargeOf(t: TenantTx, messageSid: string): Promise<Charge | null> {
  const found = sql`
    where account_sid = ${t.accountSid} and livemode = ${t.livemode} and message_sid = ${messageSid} and kind = 'MESSAGE'
      and charged_at = (select closed_at from message_holds
        where account_sid = ${t.accountSid} and livemode = ${t.livemode} and message_sid = ${messageSid})`;
  const row = await t.maybe<ChargeRow>(newestFirst(found, 1));
  return row ? toCharge(row) : null;
}

/** What a message was charged or given back afterwards. */
export async function adjustmentsOf(t: TenantTx, messageSid: string): Promise<Charge[]> {
  const found = sql`
    where account_sid = ${t.accountSid} and livemode = ${t.livemode} and message_sid = ${messageSid} and kind = 'ADJUSTMENT'`;
  return (await t.many<ChargeRow>(newestFirst(found, 100))).map(toCharge);
}

/** What was charged or given back afterwards for the provider's bill, by message; those without are missing. */
export async function adjustedPassThrough(t: TenantTx, messageSids: string[]): Promise<Map<string, bigint>> {
  const rows = await t.many<{ sid: string; minor: string }>(sql`
    select message_sid as sid, sum(pass_through_minor) as minor from charges
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and kind = 'ADJUSTMENT'
       and message_sid = any(${messageSids}::text[])
     group by message_sid`);
  return new Map(rows.map(({ sid, minor }) => [sid, BigInt(minor)]));
}

export type PassedOn = { currency: string; scale: number; amountMinor: bigint };

/** What all accounts of an environment were charged for the provider's bill in a time, by currency. */
export async function passedOnBetween(
  s: SystemTx,
  { livemode, from, to }: { livemode: boolean; from: Date; to: Date },
): Promise<PassedOn[]> {
  const rows = await s.many<Omit<PassedOn, 'amountMinor'> & { amountMinor: string }>(sql`
    select w.currency, w.scale, sum(c.pass_through_minor) as "amountMinor"
      from charges c join wallets w on w.account_sid = c.account_sid and w.id = c.wallet_id
     where c.livemode = ${livemode} and c.charged_at >= ${from} and c.charged_at < ${to} and c.pass_through_minor <> 0
     group by w.currency, w.scale order by w.currency`);
  return rows.map((row) => ({ ...row, amountMinor: BigInt(row.amountMinor) }));
}

/** Its id tells when it was charged, which is where it stands. */
export async function requireCharge(t: TenantTx, id: string): Promise<Charge> {
  const chargedAt = new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16));
  const found = sql`
    where account_sid = ${t.accountSid} and livemode = ${t.livemode} and charged_at = ${chargedAt} and id = ${id}`;
  const row = isTime(chargedAt) ? await t.maybe<ChargeRow>(newestFirst(found, 1)) : undefined;
  if (!row) throw new ApiError('NOT_FOUND');
  return toCharge(row);
}

/** 48 bits of milliseconds reach beyond what a timestamp can say. */
const isTime = (at: Date) => at.getTime() < Date.UTC(10_000, 0);

export function toResource(t: TenantTx, charge: Charge): ChargeResource {
  const { feeMinor, passThroughMinor, category, transport } = charge;
  const wire = (amountMinor: bigint) => toWire(money(amountMinor, charge.currency, charge.scale));
  const passedOn = { kind: 'provider_pass_through', price: wire(passThroughMinor) } as const;
  return {
    object: 'charge',
    id: charge.id,
    accountSid: t.accountSid,
    livemode: t.livemode,
    walletId: charge.walletId,
    kind: charge.kind,
    messageSid: charge.messageSid,
    senderSid: charge.senderSid,
    campaignSid: charge.campaignSid,
    wabaSid: charge.wabaSid,
    category: category && upper(category),
    pricingType: charge.pricingType,
    transport: transport && upper(transport),
    market: charge.market,
    rateCardVersion: charge.rateCardVersion,
    basis: charge.basis,
    lines: [{ kind: 'platform_fee', price: wire(feeMinor) }, ...(passThroughMinor === 0n ? [] : [passedOn])],
    amount: wire(feeMinor + passThroughMinor),
    invoiceSid: charge.invoiceSid,
    statementSid: charge.statementSid,
    caseSid: charge.caseSid,
    chargedAt: charge.chargedAt,
  };
}

/** What messages, or corrections, were charged as and for how much each. */
export type Group = {
  kind: Charge['kind'];
  category: Category | null;
  market: string | null;
  pricingType: PricingType | null;
  transport: Transport | null;
  unitPriceMinor: bigint;
};
export type Usage = Group & { quantity: number; amountMinor: bigint };
type UsageRow = Omit<Usage, 'unitPriceMinor' | 'amountMinor'> & {
  unitPriceMinor: string;
  amountMinor: string;
};

const within = (t: TenantTx, walletId: string, from: Date | null, to: Date) => sql`
  account_sid = ${t.accountSid} and livemode = ${t.livemode} and wallet_id = ${walletId}
    and charged_at >= coalesce(${from}::timestamptz, '-infinity') and charged_at < ${to}`;

/** Everything charged in a time, in groups; from the beginning where `from` is null, up to before `to`. */
export async function usageBetween(
  t: TenantTx,
  walletId: string,
  from: Date | null,
  to: Date,
): Promise<Usage[]> {
  const rows = await t.many<UsageRow>(sql`
    select kind, category, market, pricing_type as "pricingType", transport, fee_minor + pass_through_minor as "unitPriceMinor",
      count(*)::integer as quantity, sum(fee_minor + pass_through_minor) as "amountMinor"
      from charges
     where ${within(t, walletId, from, to)}
     group by kind, category, market, pricing_type, transport, fee_minor + pass_through_minor
     order by kind desc, category, market, pricing_type, transport, fee_minor + pass_through_minor`);
  return rows.map((row) => ({
    ...row,
    unitPriceMinor: BigInt(row.unitPriceMinor),
    amountMinor: BigInt(row.amountMinor),
  }));
}

export type GroupIn = Group & { walletId: string; from: Date | null; to: Date };

/** The charges of a group, as a page. */
export async function listChargesOf(
  t: TenantTx,
  group: GroupIn,
  pager: Pager,
): Promise<PageOf<ChargeResource>> {
  const found = sql`
    where ${within(t, group.walletId, group.from, group.to)} and kind = ${group.kind}
      and category is not distinct from ${group.category} and market is not distinct from ${group.market}
      and pricing_type is not distinct from ${group.pricingType} and transport is not distinct from ${group.transport}
      and fee_minor + pass_through_minor = ${group.unitPriceMinor} ${beyond(pager)}`;
  return pageOf(t, await t.many<ChargeRow>(newestFirst(found, pager.fetch)), pager);
}

export type StretchesOf = {
  walletId: string;
  kind: Charge['kind'];
  /** Only those of one group; null for all of the kind. */
  group: Omit<Group, 'kind'> | null;
  stretches: { from: Date | null; to: Date }[];
};

/** The charges of several stretches of time, as a page: what a line of an invoice is about. */
export async function listChargesIn(
  t: TenantTx,
  { walletId, kind, group, stretches }: StretchesOf,
  pager: Pager,
): Promise<PageOf<ChargeResource>> {
  const found = sql`
    where account_sid = ${t.accountSid} and livemode = ${t.livemode} and wallet_id = ${walletId} and kind = ${kind}
      and exists (
        select from unnest(${stretches.map(({ from }) => from)}::timestamptz[], ${stretches.map(({ to }) => to)}::timestamptz[])
            as stretch (starts_at, ends_at)
         where charged_at >= coalesce(stretch.starts_at, '-infinity') and charged_at < stretch.ends_at)
      and (${group === null} or category is not distinct from ${group?.category ?? null}
        and market is not distinct from ${group?.market ?? null}
        and pricing_type is not distinct from ${group?.pricingType ?? null}
        and transport is not distinct from ${group?.transport ?? null}
        and fee_minor + pass_through_minor = ${group?.unitPriceMinor ?? null}) ${beyond(pager)}`;
  return pageOf(t, await t.many<ChargeRow>(newestFirst(found, pager.fetch)), pager);
}

const pageOf = (t: TenantTx, rows: ChargeRow[], pager: Pager) =>
  pager.page(
    rows,
    ({ chargedAt, id }) => [chargedAt, id],
    (row) => toResource(t, toCharge(row)),
  );
