// Business messaging accounts and the connection to each. CONNECTED has a token; DISCONNECTED has none to be used, however
// long the row is kept. What the provider restricts is written beside the connection and does not end it.
import type { SystemTx, Tenant, TenantTx } from '../../platform/db/database.ts';
import { isUniqueViolation } from '../../platform/db/failures.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import type { Pager } from '../../platform/http/operations/pagination.ts';
import { newSid } from '../../platform/ids.ts';
import { declareFact, factsOf, inOrder } from '../../platform/kept-facts.ts';
import type { Connection, Restriction } from '../provider/index.ts';

export type BillingMode = 'direct' | 'partner';

export type Waba = {
  sid: string;
  portfolioId: string;
  providerWabaId: string;
  name: string;
  connectionState: 'CONNECTED' | 'DISCONNECTED';
  connectedAt: string;
  disconnectedAt: string | null;
  disconnectReason: string | null;
  banState: 'NONE' | 'SCHEDULED' | 'DISABLED';
  reviewStatus: string | null;
  restrictions: Restriction[];
  templateCap: number;
  /** How far the provider says it came with the marketing messages transport; null when nobody has asked. */
  marketingMessages: string | null;
  /** The catalogs connected to it; null when nobody has asked, or may not know. */
  catalogIds: string[] | null;
  /** Who pays the provider for its messages: the business itself, or the operator, who charges the account for it. */
  billingMode: BillingMode;
  /** Null when it was never in another. */
  billingModeSince: string | null;
  createdAt: string;
  updatedAt: string;
};

const columns = sql`sid, portfolio_id as "portfolioId", provider_waba_id as "providerWabaId", name,
  connection_state as "connectionState", connected_at as "connectedAt", disconnected_at as "disconnectedAt",
  disconnect_reason as "disconnectReason", ban_state as "banState", review_status as "reviewStatus", restrictions,
  template_cap as "templateCap", marketing_messages as "marketingMessages", catalog_ids as "catalogIds",
  billing_mode as "billingMode", billing_mode_since as "billingModeSince",
  created_at as "createdAt", updated_at as "updatedAt"`;

const tokenContext = (accountSid: string, wabaSid: string) => `waba token/${accountSid}/${wabaSid}`;

export const sealToken = (t: TenantTx, wabaSid: string, token: string) =>
  t.sealer.seal(token, tokenContext(t.accountSid, wabaSid));
export const openToken = (t: TenantTx, wabaSid: string, sealed: Buffer) =>
  t.sealer.open(sealed, tokenContext(t.accountSid, wabaSid)).toString('utf8');

/** What the provider lets an account send, as far as it is known. */
export type WabaFacts = Pick<Waba, 'marketingMessages' | 'catalogIds'>;
const nothingKnown: WabaFacts = { marketingMessages: null, catalogIds: null };

export type NewWaba = {
  portfolioId: string;
  providerWabaId: string;
  name: string;
  accessToken: string;
  facts?: WabaFacts;
};

export async function insertWaba(t: TenantTx, waba: NewWaba): Promise<Waba> {
  const sid = newSid('WB', t.now);
  const { marketingMessages, catalogIds } = waba.facts ?? nothingKnown;
  try {
    return await t.one<Waba>(sql`
      insert into wabas (account_sid, livemode, sid, portfolio_id, provider_waba_id, name, connection_state, access_token,
        marketing_messages, catalog_ids, connected_at, created_at, updated_at, read_due_at)
      values (${t.accountSid}, ${t.livemode}, ${sid}, ${waba.portfolioId}, ${waba.providerWabaId}, ${waba.name},
        'CONNECTED', ${sealToken(t, sid, waba.accessToken)}, ${marketingMessages}, ${catalogIds}::text[], ${t.now},
        ${t.now}, ${t.now},
        -- Spread, so that those connected together are not read together.
        ${t.now}::timestamptz + random() * interval '50 minutes')
      returning ${columns}`);
  } catch (error) {
    // Whoever holds a token of the account may know that it is connected.
    if (!isUniqueViolation(error, 'wabas_by_provider_id')) throw error;
    throw alreadyConnected();
  }
}

export const alreadyConnected = () =>
  new ApiError('CONFLICT', { message: 'This business messaging account is already connected.' });

const wabaFacts = declareFact<string, Waba>({
  name: 'waba',
  of: 'account',
  key: (sid) => sid,
  async load(t, sids) {
    const rows = await t.many<Waba>(sql`
      select ${columns} from wabas
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = any(${[...sids]}::text[])`);
    return inOrder(sids, rows, ({ sid }) => sid);
  },
});

/** Many at once, for whoever judges many messages. */
export async function loadWabas(t: TenantTx, sids: readonly string[]): Promise<Map<string, Waba>> {
  const found = await factsOf(t, wabaFacts, sids);
  return new Map(found.flatMap((waba) => (waba ? [[waba.sid, waba]] : [])));
}

/** The portfolios of these accounts: whose ids the provider's names of people are. */
export async function portfoliosOf(
  t: TenantTx,
  wabaSids: readonly (string | null)[],
): Promise<ReadonlyMap<string | null, string>> {
  const sids = [...new Set(wabaSids.filter((sid) => sid !== null))];
  const wabas = sids.length === 0 ? new Map<string, Waba>() : await loadWabas(t, sids);
  return new Map([...wabas].map(([sid, { portfolioId }]) => [sid, portfolioId]));
}

/** The account, or NOT_FOUND; `path` names the field it came from when that is not the path of the request. */
export async function requireWaba(t: TenantTx, sid: string, path?: string): Promise<Waba> {
  const waba = (await loadWabas(t, [sid])).get(sid);
  if (waba) return waba;
  const issue = 'is no business messaging account of this account and environment';
  throw new ApiError('NOT_FOUND', path === undefined ? {} : { details: [{ path, issue }] });
}

/** Locks the account, so that two changes to it follow one another. */
export async function lockWaba(t: TenantTx, sid: string, path?: string): Promise<Waba> {
  await t.run(sql`
    select 1 from wabas where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid} for update`);
  return requireWaba(t, sid, path);
}

export async function listWabaRows(t: TenantTx, pager: Pager): Promise<Waba[]> {
  const before = pager.after?.[0] ?? null;
  return t.many<Waba>(sql`
    select ${columns} from wabas
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and (${before}::text is null or sid < ${before})
     order by sid desc limit ${pager.fetch}`);
}

/** With when the provider was last read whole; null when it was not yet. */
export type ReadWaba = Waba & { readAt: string | null };

/** The newest first, from one of them on. */
export async function wabasFrom(
  t: TenantTx,
  { from, limit }: { from: string | null; limit: number },
): Promise<ReadWaba[]> {
  return t.many<ReadWaba>(sql`
    select ${columns}, read_at as "readAt" from wabas
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and (${from}::text is null or sid <= ${from})
     order by sid desc limit ${limit}`);
}

export async function wabasOfPortfolios(t: TenantTx, portfolioIds: readonly string[]): Promise<Waba[]> {
  return t.many<Waba>(sql`
    select ${columns} from wabas
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and portfolio_id = any(${[...portfolioIds]}::uuid[])
     order by sid`);
}

/** From now on messages are admitted in this mode. */
export async function setBillingMode(t: TenantTx, sid: string, mode: BillingMode): Promise<void> {
  await t.run(sql`
    update wabas set billing_mode = ${mode}, billing_mode_since = ${t.now}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid} and billing_mode <> ${mode}`);
}

/** Whether the operator pays the provider for any account here. */
export async function hasPartnerBilled(t: TenantTx): Promise<boolean> {
  const row = await t.maybe(sql`
    select from wabas where account_sid = ${t.accountSid} and livemode = ${t.livemode} and billing_mode = 'partner' limit 1`);
  return row !== undefined;
}

/** The business at the provider that an account belongs to there. */
export async function providerBusinessOf(t: TenantTx, sid: string): Promise<string> {
  const { id } = await t.one<{ id: string }>(sql`
    select p.provider_business_id as id from wabas w
      join portfolios p on p.account_sid = w.account_sid and p.id = w.portfolio_id
     where w.account_sid = ${t.accountSid} and w.livemode = ${t.livemode} and w.sid = ${sid}`);
  return id;
}

/** The only connected account, which need not be named where there is just one. */
export async function onlyConnectedWaba(t: TenantTx): Promise<Waba | null> {
  const rows = await t.many<Waba>(sql`
    select ${columns} from wabas
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and connection_state = 'CONNECTED' limit 2`);
  return rows.length === 1 ? rows[0]! : null;
}

/** Where and as whom to call for this account; null when it is not connected. */
export async function connectionOf(t: TenantTx, wabaSid: string): Promise<Connection | null> {
  const row = await t.maybe<{ token: Buffer }>(sql`
    select access_token as token from wabas
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${wabaSid}
       and connection_state = 'CONNECTED' and access_token is not null`);
  return row ? connectionWith(t, openToken(t, wabaSid, row.token)) : null;
}

/** A connection of the account that can be used where it does not matter whose, such as for a template's header. */
export async function anyConnection(t: TenantTx): Promise<Connection | null> {
  const row = await t.maybe<{ sid: string }>(sql`
    select sid from wabas
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and connection_state = 'CONNECTED'
     order by sid limit 1`);
  return row ? connectionOf(t, row.sid) : null;
}

export function connectionWith(t: Pick<TenantTx, 'livemode' | 'site'>, accessToken: string): Connection {
  return { ...t.site.provider[t.livemode ? 'live' : 'sandbox'], accessToken };
}

/** Whose account the provider speaks of. One that is connected wins; late words about one that left still find it. */
export async function wabaByProviderId(
  s: SystemTx,
  providerWabaId: string,
  livemode: boolean,
): Promise<{ accountSid: string; livemode: boolean; wabaSid: string } | null> {
  const found = await s.maybe<{ accountSid: string; livemode: boolean; wabaSid: string }>(sql`
    select account_sid as "accountSid", livemode, sid as "wabaSid" from wabas
     where provider_waba_id = ${providerWabaId} and livemode = ${livemode}
     order by connection_state = 'CONNECTED' desc, connected_at desc limit 1`);
  return found ?? null;
}

/** Whose live account this is. */
export async function findLiveWaba(s: SystemTx, sid: string): Promise<Tenant | null> {
  const found = await s.maybe<Tenant>(sql`
    select account_sid as "accountSid", livemode from wabas where sid = ${sid} and livemode`);
  return found ?? null;
}

export type ConnectedWaba = Tenant & { sid: string };

/** Connected accounts of everybody, in the order of their SIDs. */
export function connectedWabas(
  s: SystemTx,
  { after, limit }: { after: string; limit: number },
): Promise<ConnectedWaba[]> {
  return s.many<ConnectedWaba>(sql`
    select account_sid as "accountSid", livemode, sid from wabas
     where connection_state = 'CONNECTED' and sid > ${after} order by sid limit ${limit}`);
}

/** The connected accounts of a tenant. */
export function connectedWabasOf(t: TenantTx): Promise<Pick<Waba, 'sid'>[]> {
  return t.many<Pick<Waba, 'sid'>>(sql`
    select sid from wabas
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and connection_state = 'CONNECTED' order by sid`);
}

/** What the provider calls the accounts of a tenant, also those that were disconnected: what was said through them is there still. */
export async function providerWabaIds(t: TenantTx): Promise<string[]> {
  const rows = await t.many<{ id: string }>(sql`
    select distinct provider_waba_id as id from wabas where account_sid = ${t.accountSid} and livemode = ${t.livemode}`);
  return rows.map(({ id }) => id);
}
