// Business accounts and portfolios as people see them. The token is in none of it.
import type { TenantTx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/query.ts';
import type { Pager } from '../../platform/http/operations/pagination.ts';
import { inForce } from '../provider/index.ts';
import { connectionStates } from './connection-states.ts';
import type { WabaHooks } from './hooks.ts';
import { countedSince, type MessagingLimit, messagingLimits } from './portfolios.ts';
import type { Portfolio, WabaResource } from './schema.ts';
import { listWabaRows, requireWaba, type Waba, wabasOfPortfolios } from './wabas.ts';

type PortfolioRow = {
  id: string;
  name: string;
  providerBusinessId: string;
  messagingLimit: MessagingLimit;
  phoneNumberCap: number;
  used: number;
  limitsUpdatedAt: string;
  createdAt: string;
  updatedAt: string;
};

const portfolioColumns = sql`p.id, p.name, p.provider_business_id as "providerBusinessId",
  p.messaging_limit as "messagingLimit", p.phone_number_cap as "phoneNumberCap",
  p.limits_updated_at as "limitsUpdatedAt", p.created_at as "createdAt", p.updated_at as "updatedAt"`;

const gone = new Set(['DISCONNECTED', 'DELETED', 'MIGRATED']);

const portfolioRows = (t: TenantTx, which: Sql) =>
  t.many<PortfolioRow>(sql`
    select ${portfolioColumns},
      (select count(*)::integer from portfolio_recipients r
        where r.account_sid = p.account_sid and r.portfolio_id = p.id and r.started_at > ${countedSince(t.now)}) as used
      from portfolios p
     where p.account_sid = ${t.accountSid} and p.livemode = ${t.livemode} and ${which}`);

export async function listPortfolios(t: TenantTx, hooks: WabaHooks, pager: Pager) {
  const before = pager.after?.[0] ?? null;
  const rows = await portfolioRows(
    t,
    sql`(${before}::uuid is null or p.id < ${before}) order by p.id desc limit ${pager.fetch}`,
  );
  const portfolios = await toPortfolios(t, hooks, rows);
  return pager.page(
    portfolios,
    ({ id }) => [id],
    (portfolio) => portfolio,
  );
}

export async function getPortfolio(t: TenantTx, hooks: WabaHooks, id: string): Promise<Portfolio> {
  return (await toPortfolios(t, hooks, await portfolioRows(t, sql`p.id = ${id}`)))[0]!;
}

async function toPortfolios(t: TenantTx, hooks: WabaHooks, rows: PortfolioRow[]): Promise<Portfolio[]> {
  const wabas = await wabasOfPortfolios(
    t,
    rows.map(({ id }) => id),
  );
  const sids = wabas.map(({ sid }) => sid);
  const [senders, templates] = [await hooks.sendersOf(t, sids), await hooks.templateCounts(t, sids)];
  return rows.map((row) => {
    const own = wabas.filter(({ portfolioId }) => portfolioId === row.id);
    const numbers = senders.filter(
      ({ wabaSid, status }) => !gone.has(status) && own.some(({ sid }) => sid === wabaSid),
    );
    const { messagingLimit: tier, phoneNumberCap, used, ...facts } = row;
    return {
      object: 'portfolio',
      accountSid: t.accountSid,
      livemode: t.livemode,
      ...facts,
      limits: {
        messaging: { tier, limit: messagingLimits[tier], used, windowHours: 24 },
        phoneNumbers: { limit: phoneNumberCap, used: numbers.length },
        templates: own.map(({ sid, templateCap }) => ({
          wabaSid: sid,
          limit: templateCap,
          used: templates.get(sid) ?? 0,
        })),
      },
    };
  });
}

async function toResources(t: TenantTx, hooks: WabaHooks, wabas: Waba[]): Promise<WabaResource[]> {
  const portfolios = await t.many<Omit<PortfolioRow, 'used'>>(sql`
    select ${portfolioColumns} from portfolios p
     where p.account_sid = ${t.accountSid} and p.livemode = ${t.livemode}
       and p.id = any(${wabas.map(({ portfolioId }) => portfolioId)}::uuid[])`);
  const sids = wabas.map(({ sid }) => sid);
  const senders = await hooks.sendersOf(t, sids);
  const states = await connectionStates(t, sids);
  const { apiVersion, baseUrl } = t.site.provider[t.livemode ? 'live' : 'sandbox'];
  return wabas.map((waba) => {
    const { id, name, providerBusinessId } = portfolios.find((found) => found.id === waba.portfolioId)!;
    const restrictions = inForce(waba.restrictions, t.now);
    const { sid, portfolioId: _, connectionState, ...rest } = waba;
    const { connectedAt, disconnectedAt, disconnectReason, ...shown } = rest;
    // Told by GET …/billing-mode, to those who may read what is paid.
    const { billingMode: _mode, billingModeSince: _since, ...facts } = shown;
    return {
      object: 'waba',
      sid,
      accountSid: t.accountSid,
      livemode: t.livemode,
      ...facts,
      portfolio: { id, name, providerBusinessId },
      connection: {
        state: connectionState,
        ...states.get(sid)!,
        apiVersion,
        baseUrl,
        connectedAt,
        disconnectedAt,
        disconnectReason,
      },
      status: waba.banState === 'DISABLED' ? 'DISABLED' : restrictions.length > 0 ? 'RESTRICTED' : 'ACTIVE',
      restrictions,
      senders: senders
        .filter(({ wabaSid }) => wabaSid === sid)
        .map(({ sid: senderSid, phoneNumber, displayName, status, quality }) => ({
          sid: senderSid,
          phoneNumber,
          displayName,
          status,
          quality,
        })),
    };
  });
}

export async function getWaba(t: TenantTx, hooks: WabaHooks, sid: string): Promise<WabaResource> {
  return (await toResources(t, hooks, [await requireWaba(t, sid)]))[0]!;
}

export async function listWabas(t: TenantTx, hooks: WabaHooks, pager: Pager) {
  const resources = await toResources(t, hooks, await listWabaRows(t, pager));
  return pager.page(
    resources,
    ({ sid }) => [sid],
    (resource) => resource,
  );
}
