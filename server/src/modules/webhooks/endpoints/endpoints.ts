// The life of an endpoint. It is created unverified and gets nothing until it answered its challenge. Then it is active;
// paused by its owner or suspended because it kept failing, and resumed from either; a new URL must be verified anew;
// disabled for good. Events that happen between its first verification and its end are never dropped: what cannot be sent
// now waits, and what was missed while suspended stands in its log as failed, to be retried.
import type { TenantTx } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/query.ts';
import { ApiError, invalid } from '../../../platform/errors/errors.ts';
import { hearEvents } from '../../../platform/event-consumers/cursors.ts';
import { apiVersions, apiVersion as currentVersion } from '../../../platform/events.ts';
import type { Pager } from '../../../platform/http/operations/pagination.ts';
import { newSid } from '../../../platform/ids.ts';
import { enqueue } from '../../../platform/jobs/jobs.ts';
import { judgeUrl } from '../../../platform/outbound/reachable.ts';
import { audit } from '../../audit/index.ts';
import { filterWarnings } from '../events/filters.ts';
import { isApiVersion } from '../events/versions.ts';
import { closeDeliveries } from './jobs.ts';
import {
  type Endpoint,
  type EndpointChange,
  type EndpointWithSecret,
  mask,
  type NewEndpoint,
} from './schema.ts';
import { newSecret, sealSecret } from './signing-secret.ts';

/** The consumer that hands events to endpoints. */
export const fanOutName = 'webhooks';

const defaultTimeoutMs = 10_000;
const defaultConcurrency = 32;
const mostEndpoints = 100;
const mostFilters = 100;

const status = sql`case
  when disabled_at is not null then 'disabled' when verified_at is null then 'unverified'
  when suspended_at is not null then 'suspended' when paused_at is not null then 'paused' else 'active' end`;

const columns = sql`'webhook_endpoint' as object, sid, account_sid as "accountSid", livemode, url, ${status} as status,
  event_filters as "eventFilters", api_version as "apiVersion", timeout_ms as "timeoutMs",
  concurrency_cap as "concurrencyCap",
  array(select json_build_object('name', name, 'value', ${mask}::text) from unnest(header_names) as name) as headers, verified_at as "verifiedAt", paused_at as "pausedAt",
  suspended_at as "suspendedAt", disabled_at as "disabledAt", previous_secret_expires_at as "previousSecretExpiresAt",
  failing_since as "failingSince", failures, created_at as "createdAt", updated_at as "updatedAt"`;

type Row = Omit<Endpoint, 'warnings'>;
const toEndpoint = (row: Row): Endpoint => ({ ...row, warnings: filterWarnings(row.eventFilters) });

export async function createEndpoint(t: TenantTx, input: NewEndpoint): Promise<EndpointWithSecret> {
  // From the first endpoint on, somebody follows the events. This also lets creations follow one another.
  await hearEvents(t, fanOutName);
  await refuseTooMany(t);
  const sid = newSid('WH', t.now);
  const secret = newSecret();
  await t.run(sql`
    insert into webhook_endpoints (account_sid, livemode, sid, url, event_filters, api_version, timeout_ms,
      concurrency_cap, sealed_secret, created_at, updated_at)
    values (${t.accountSid}, ${t.livemode}, ${sid}, ${input.url}, ${input.eventFilters ?? []}::text[],
      ${input.apiVersion ?? currentVersion}, ${input.timeoutMs ?? defaultTimeoutMs},
      ${input.concurrencyCap ?? defaultConcurrency}, ${sealSecret(t.sealer, sid, secret)}, ${t.now}, ${t.now})`);
  await t.run(sql`
    insert into webhook_lanes (account_sid, livemode, endpoint_sid, open)
    values (${t.accountSid}, ${t.livemode}, ${sid}, false)`);
  audit(t, { action: 'webhook.created', resource: sid, facts: { origin: originOf(input.url) } });
  return { ...(await loadEndpoint(t, sid)), secret };
}

/** What the audit may keep for ever: paths and queries sometimes carry secrets. */
const originOf = (url: string) => new URL(url).origin;

async function refuseTooMany(t: TenantTx): Promise<void> {
  const { count } = await t.one<{ count: number }>(sql`
    select count(*)::integer as count from webhook_endpoints
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and disabled_at is null`);
  if (count < mostEndpoints) return;
  throw new ApiError('CONFLICT', { message: `An account has at most ${mostEndpoints} webhook endpoints.` });
}

export function judgeSettings(t: TenantTx, { url, apiVersion, eventFilters = [] }: EndpointChange): void {
  const refusal = url === undefined ? null : judgeUrl(url, t);
  const details = [
    ...(refusal ? [{ path: 'url', issue: refusal }] : []),
    ...(apiVersion !== undefined && !isApiVersion(apiVersion)
      ? [{ path: 'apiVersion', issue: `must be one of ${apiVersions.join(', ')}` }]
      : []),
    ...(eventFilters.length > mostFilters
      ? [{ path: 'eventFilters', issue: `must have at most ${mostFilters} items` }]
      : []),
  ];
  if (details.length > 0) throw invalid(...details);
}

/** Changes an endpoint. `stepUp` is asked where a URL is given: whoever may set it decides where events go. */
export async function changeEndpoint(
  t: TenantTx,
  sid: string,
  change: EndpointChange,
  stepUp: () => Promise<void>,
): Promise<Endpoint> {
  const current = await lockEndpoint(t, sid);
  refuseDisabled(current);
  const { url = current.url, eventFilters, apiVersion, timeoutMs, concurrencyCap } = change;
  const moves = url !== current.url;
  // Whoever moves it elsewhere would otherwise be told the values, which nobody is.
  const keepsHeaders = originOf(url) === originOf(current.url);
  if (change.url !== undefined) await stepUp();
  await t.run(sql`
    update webhook_endpoints
       set url = ${url}, event_filters = ${eventFilters ?? current.eventFilters}::text[],
           api_version = ${apiVersion ?? current.apiVersion}, timeout_ms = ${timeoutMs ?? current.timeoutMs},
           concurrency_cap = ${concurrencyCap ?? current.concurrencyCap},
           verified_at = case when ${moves} then null else verified_at end,
           header_names = case when ${keepsHeaders} then header_names else '{}' end,
           sealed_headers = case when ${keepsHeaders} then sealed_headers end, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and sid = ${sid}`);
  await openOrCloseLane(t, sid);
  const { stepUpToken: _, url: _url, ...facts } = change;
  const moved = moves && { origin: originOf(url) };
  audit(t, {
    action: moves ? 'webhook.url_changed' : 'webhook.updated',
    resource: sid,
    facts: { ...facts, ...moved },
  });
  return loadEndpoint(t, sid);
}

export async function pauseEndpoint(t: TenantTx, sid: string): Promise<Endpoint> {
  const current = await lockEndpoint(t, sid);
  refuseDisabled(current);
  if (current.pausedAt !== null) return current;
  return move(t, sid, 'webhook.paused', sql`paused_at = ${t.now}`);
}

/**
 * From a pause or a suspension. What waited flows; what was missed while suspended waits to be asked for. `stepUp` is
 * asked only of a suspended one: the service stopped that, while its owner paused the other.
 */
export async function resumeEndpoint(
  t: TenantTx,
  sid: string,
  stepUp: () => Promise<void>,
): Promise<Endpoint> {
  const current = await lockEndpoint(t, sid);
  refuseDisabled(current);
  if (current.suspendedAt !== null) await stepUp();
  if (current.pausedAt === null && current.suspendedAt === null) return current;
  return move(t, sid, 'webhook.resumed', sql`paused_at = null, suspended_at = null, ${healthy}`);
}

const healthy = sql`failing_since = null, failures = 0, exhausted = 0`;

/** The URL answered its challenge. It counts only for the URL that was asked, which may have changed meanwhile. */
export async function markVerified(t: TenantTx, sid: string, url: string): Promise<Endpoint> {
  const current = await lockEndpoint(t, sid);
  refuseDisabled(current);
  if (current.url !== url)
    throw new ApiError('CONFLICT', { message: 'The URL was changed during its verification.' });
  if (current.verifiedAt !== null) return current;
  // Held until the commit: an event handed on meanwhile would find no subscriber, and be above the number at which it begins.
  const heard = await hearEvents(t, fanOutName);
  return move(
    t,
    sid,
    'webhook.verified',
    sql`verified_at = ${t.now}, suspended_at = null, ${healthy},
        subscribed_after = coalesce(subscribed_after, ${heard}::bigint)`,
  );
}

/** For good. A second time is no error: the caller has what it asked for. */
export async function disableEndpoint(t: TenantTx, sid: string): Promise<void> {
  // What is being handed on to it is there before its deliveries are closed; what is handed on later finds it disabled.
  await hearEvents(t, fanOutName);
  const current = await lockEndpoint(t, sid);
  if (current.disabledAt !== null) return;
  await move(t, sid, 'webhook.disabled', sql`disabled_at = ${t.now}`);
  enqueue(t, closeDeliveries, { endpointSid: sid });
}

async function move(t: TenantTx, sid: string, action: string, change: Sql): Promise<Endpoint> {
  await t.run(sql`
    update webhook_endpoints set ${change}, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and sid = ${sid}`);
  await openOrCloseLane(t, sid);
  audit(t, { action, resource: sid });
  return loadEndpoint(t, sid);
}

/** A lane is open while its endpoint is active. One that opens is looked at once, for what waited meanwhile. */
export async function openOrCloseLane(t: TenantTx, sid: string): Promise<void> {
  await t.run(sql`
    update webhook_lanes l
       set open = e.open, due_at = case when e.open and not l.open then ${t.now} else l.due_at end
      from (select ${status} = 'active' as open from webhook_endpoints
             where account_sid = ${t.accountSid} and sid = ${sid}) e
     where l.account_sid = ${t.accountSid} and l.endpoint_sid = ${sid} and l.open <> e.open`);
}

export function refuseDisabled({ disabledAt }: Pick<Endpoint, 'disabledAt'>): void {
  if (disabledAt !== null) throw new ApiError('CONFLICT', { message: 'The endpoint is disabled.' });
}

const find = (t: TenantTx, sid: string, lock: Sql) =>
  t.maybe<Row>(sql`
    select ${columns} from webhook_endpoints
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid} ${lock}`);

export async function loadEndpoint(t: TenantTx, sid: string): Promise<Endpoint> {
  const row = await find(t, sid, sql``);
  if (!row) throw new ApiError('NOT_FOUND');
  return toEndpoint(row);
}

/** Locks the endpoint, so that changes follow one another. */
export async function lockEndpoint(t: TenantTx, sid: string): Promise<Endpoint> {
  const row = await find(t, sid, sql`for update`);
  if (!row) throw new ApiError('NOT_FOUND');
  return toEndpoint(row);
}

export async function listEndpoints(t: TenantTx, pager: Pager) {
  const before = pager.after?.[0] ?? null;
  const rows = await t.many<Row>(sql`
    select ${columns} from webhook_endpoints
     where account_sid = ${t.accountSid} and livemode = ${t.livemode}
       and (${before}::text is null or sid < ${before})
     order by sid desc limit ${pager.fetch}`);
  return pager.page(rows, ({ sid }) => [sid], toEndpoint);
}

/** Who is told of what happens: the hosts of all endpoints that were verified and not disabled, by name. */
export async function endpointOrigins(t: TenantTx): Promise<string[]> {
  const rows = await t.many<{ url: string }>(sql`
    select url from webhook_endpoints
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and verified_at is not null and disabled_at is null`);
  return [...new Set(rows.map(({ url }) => new URL(url).origin))].sort();
}
