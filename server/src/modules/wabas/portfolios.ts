// Business portfolios: the messaging limit, the number of phone numbers, and how much of each is used. The messaging limit
// counts the people a business wrote to outside a service window in the last 24 hours, over all its numbers together.
import type { Asked, MergedQueries, TenantTx } from '../../platform/db/database.ts';
import { accountsOf } from '../../platform/db/merge.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { newUuid } from '../../platform/ids.ts';
import { declareFact, factsOf, inOrder } from '../../platform/kept-facts.ts';
import { requireWaba, wabasOfPortfolios } from './wabas.ts';

/** People in a rolling day; null for no limit. */
export const messagingLimits = {
  TIER_50: 50,
  TIER_250: 250,
  TIER_2K: 2_000,
  TIER_10K: 10_000,
  TIER_100K: 100_000,
  TIER_UNLIMITED: null,
} as const;
export type MessagingLimit = keyof typeof messagingLimits;

/** The provider writes a tier by its name, or as the number of people. Null for what says nothing. */
export function readMessagingLimit(said: string | number | null | undefined): MessagingLimit | null {
  const text = String(said ?? '');
  if (Object.hasOwn(messagingLimits, text)) return text as MessagingLimit;
  const tiers = Object.entries(messagingLimits) as [MessagingLimit, number | null][];
  return tiers.find(([, people]) => people !== null && String(people) === text)?.[0] ?? null;
}

/** The instant before which a first message to somebody no longer counts. */
export const countedSince = (now: Date) => new Date(now.getTime() - 24 * 3_600_000);

export type NewPortfolio = {
  providerBusinessId: string;
  name: string;
  messagingLimit: MessagingLimit;
  phoneNumberCap: number;
};

/** The portfolio of that provider id, made when it is not there yet. */
export async function findOrCreatePortfolio(t: TenantTx, portfolio: NewPortfolio): Promise<string> {
  const { id } = await t.one<{ id: string }>(sql`
    insert into portfolios as p (account_sid, livemode, id, provider_business_id, name, messaging_limit, phone_number_cap,
      limits_updated_at, created_at, updated_at)
    values (${t.accountSid}, ${t.livemode}, ${newUuid(t.now)}, ${portfolio.providerBusinessId}, ${portfolio.name},
      ${portfolio.messagingLimit}, ${portfolio.phoneNumberCap}, ${t.now}, ${t.now}, ${t.now})
    on conflict (account_sid, livemode, provider_business_id) do update set name = p.name
    returning id`);
  return id;
}

export type PortfolioFacts = {
  id: string;
  providerBusinessId: string;
  messagingLimit: MessagingLimit;
  phoneNumberCap: number;
};

/** The portfolio, or NOT_FOUND at `portfolioId`. Locked, so that a cap counts everybody who comes at once. */
export async function requirePortfolio(t: TenantTx, id: string): Promise<PortfolioFacts> {
  const found = await t.maybe<PortfolioFacts>(sql`
    select id, provider_business_id as "providerBusinessId", messaging_limit as "messagingLimit",
      phone_number_cap as "phoneNumberCap"
      from portfolios where account_sid = ${t.accountSid} and livemode = ${t.livemode} and id = ${id} for update`);
  if (found) return found;
  const issue = 'is no portfolio of this account and environment';
  throw new ApiError('NOT_FOUND', { details: [{ path: 'portfolioId', issue }] });
}

/** The portfolio of a business account, locked, and the business accounts that share it. */
export async function lockPortfolioOf(
  t: TenantTx,
  wabaSid: string,
): Promise<PortfolioFacts & { wabaSids: string[] }> {
  const { portfolioId } = await requireWaba(t, wabaSid, 'wabaSid');
  const portfolio = await requirePortfolio(t, portfolioId);
  const wabas = await wabasOfPortfolios(t, [portfolioId]);
  return { ...portfolio, wabaSids: wabas.map(({ sid }) => sid) };
}

export type PortfolioRoom = {
  id: string;
  messagingLimit: MessagingLimit;
  /** People per rolling day; null for no limit. */
  limit: number | null;
  used: number;
};

type Limit = { wabaSid: string; id: string; messagingLimit: MessagingLimit };

const limitFacts = declareFact<string, Limit>({
  name: 'portfolio_limit',
  of: 'account',
  key: (wabaSid) => wabaSid,
  async load(t, wabaSids) {
    const rows = await t.many<Limit>(sql`
      select w.sid as "wabaSid", p.id, p.messaging_limit as "messagingLimit"
        from wabas w join portfolios p on p.account_sid = w.account_sid and p.id = w.portfolio_id
       where w.account_sid = ${t.accountSid} and w.livemode = ${t.livemode} and w.sid = any(${[...wabaSids]}::text[])`);
    return inOrder(wabaSids, rows, ({ wabaSid }) => wabaSid);
  },
});

/**
 * How much of the messaging limit of each business account's portfolio is used, by the business account. `limitedOnly` counts
 * nobody where there is no limit.
 */
export async function portfolioRooms(
  t: TenantTx,
  wabaSids: readonly string[],
  { limitedOnly = false } = {},
): Promise<Map<string, PortfolioRoom>> {
  const limits = (await factsOf(t, limitFacts, wabaSids)).filter((limit) => limit !== undefined);
  const counted = limits.filter(
    ({ messagingLimit }) => !limitedOnly || messagingLimits[messagingLimit] !== null,
  );
  const used = await countUsed(t, [...new Set(counted.map(({ id }) => id))]);
  return new Map(
    limits.map(({ wabaSid, id, messagingLimit }) => [
      wabaSid,
      { id, messagingLimit, limit: messagingLimits[messagingLimit], used: used.get(id) ?? 0 },
    ]),
  );
}

async function countUsed(t: TenantTx, portfolioIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await t.merged(findUsed, portfolioIds);
  return new Map(rows.map(({ id, used }) => [id, used]));
}

const findUsed = (q: MergedQueries, asked: readonly Asked<string>[]) =>
  q.many<{ accountSid: string; id: string; used: number }>(sql`
    select p.account_sid as "accountSid", p.id, (
        select count(*)::integer from portfolio_recipients r
         where r.account_sid = p.account_sid and r.portfolio_id = p.id and r.started_at > ${countedSince(q.now)}) as used
      from unnest(${accountsOf(asked)}::text[], ${asked.map(({ item }) => item)}::uuid[]) as p (account_sid, id)`);

type Person = { portfolioId: string; contactSid: string };

/** Which of these people already count, so that one more message to them takes no further room. */
export async function countedRecipients(
  t: TenantTx,
  portfolioId: string,
  contactSids: readonly string[],
): Promise<Set<string>> {
  const rows = await t.merged(
    findCounted,
    contactSids.map((contactSid) => ({ portfolioId, contactSid })),
  );
  return new Set(rows.map(({ contactSid }) => contactSid));
}

const findCounted = (q: MergedQueries, asked: readonly Asked<Person>[]) =>
  q.many<{ accountSid: string; contactSid: string }>(sql`
    select counted.account_sid as "accountSid", counted.contact_sid as "contactSid"
      from unnest(${accountsOf(asked)}::text[], ${asked.map(({ item }) => item.portfolioId)}::uuid[],
        ${asked.map(({ item }) => item.contactSid)}::text[]) as person (account_sid, portfolio_id, contact_sid)
     cross join lateral (
       select * from portfolio_recipients r
        where r.account_sid = person.account_sid and r.portfolio_id = person.portfolio_id
          and r.contact_sid = person.contact_sid and r.started_at > ${countedSince(q.now)} limit 1) as counted`);

/** Counts people written to outside a window, now. */
export async function countRecipients(
  t: TenantTx,
  portfolioId: string,
  contactSids: readonly string[],
): Promise<void> {
  await t.merged(
    storeCounted,
    [...new Set(contactSids)].map((contactSid) => ({ portfolioId, contactSid })),
  );
}

const storeCounted = async (q: MergedQueries, asked: readonly Asked<Person>[]) => {
  // In one order, so that two batches with the same people wait for each other instead of deadlocking.
  await q.run(sql`
    insert into portfolio_recipients as r (account_sid, livemode, portfolio_id, contact_sid, started_at)
    select person.account_sid, ${q.livemode}, person.portfolio_id, person.contact_sid, ${q.now}
      from unnest(${accountsOf(asked)}::text[], ${asked.map(({ item }) => item.portfolioId)}::uuid[],
        ${asked.map(({ item }) => item.contactSid)}::text[]) as person (account_sid, portfolio_id, contact_sid)
     order by 1, 3, 4
    on conflict (account_sid, portfolio_id, contact_sid) do update
      set started_at = greatest(r.started_at, excluded.started_at)`);
  return [];
};

export type LimitWord = {
  messagingLimit: MessagingLimit | null;
  phoneNumberCap: number | null;
  saidAt: Date;
};

/** What the provider says of the limits, unless something newer is known; tells whether it changed them. */
export async function updateLimits(t: TenantTx, portfolioId: string, word: LimitWord): Promise<boolean> {
  const row = await t.maybe<{ changed: boolean }>(sql`
    with told as (
      select account_sid, id, coalesce(${word.messagingLimit}, messaging_limit) as messaging_limit,
        coalesce(${word.phoneNumberCap}::integer, phone_number_cap) as phone_number_cap,
        (messaging_limit, phone_number_cap) is distinct from (coalesce(${word.messagingLimit}, messaging_limit),
          coalesce(${word.phoneNumberCap}::integer, phone_number_cap)) as changed
        from portfolios
       where account_sid = ${t.accountSid} and id = ${portfolioId} and limits_updated_at <= ${word.saidAt} for update)
    update portfolios p set messaging_limit = told.messaging_limit, phone_number_cap = told.phone_number_cap,
      limits_updated_at = ${word.saidAt},
      updated_at = case when told.changed then ${t.now}::timestamptz else p.updated_at end
      from told where p.account_sid = told.account_sid and p.id = told.id
    returning told.changed`);
  return row?.changed ?? false;
}
