// The log of deliveries: what was sent to whom, what they answered, and what happens next.
import type { TenantTx } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/query.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import type { Pager } from '../../../platform/http/operations/pagination.ts';
import { loadEndpoint } from '../endpoints/endpoints.ts';
import { eventBody, type StoredEvent } from '../events/event-body.ts';
import { type FailureClass, headersOf } from '../sending/attempt.ts';
import { eventColumns } from '../sending/load-due.ts';
import type { Attempt, Delivery, DeliveryError, DeliveryQuery, DeliveryWithHistory } from './schema.ts';

type Row = Omit<Delivery, 'error' | 'sequence'> & {
  sequence: string;
  gaveUp: 'exhausted' | 'suspended' | 'disabled' | null;
  failure: FailureClass | null;
  reason: string | null;
};

const columns = sql`'webhook_delivery' as object, d.sid, d.account_sid as "accountSid", d.livemode,
  d.endpoint_sid as "endpointSid", d.event_sid as "eventSid", d.event_type as "eventType", d.event_sequence as sequence,
  d.resource_sid as "resourceSid", d.api_version as "apiVersion",
  case when u.due_at is not null then 'pending' when u.gave_up is not null or a.number is null then 'failed'
    when a.failure is null or exists (
      select from webhook_attempts s
       where s.account_sid = d.account_sid and s.delivery_sid = d.sid and s.failure is null) then 'delivered'
    else 'failed' end as state,
  coalesce(a.number, 0) as "attemptCount", a.attempted_at as "lastAttemptAt", a.status as "lastStatus",
  u.due_at as "nextAttemptAt", u.gave_up as "gaveUp", a.failure, a.reason, d.created_at as "createdAt"`;

const withState = sql`webhook_deliveries d
  left join webhook_undelivered u on u.account_sid = d.account_sid and u.delivery_sid = d.sid
  left join lateral (
    select number, attempted_at, status, failure, reason from webhook_attempts a
     where a.account_sid = d.account_sid and a.delivery_sid = d.sid order by number desc limit 1) a on true`;

const untried = {
  suspended: 'The endpoint was suspended when the event happened. Resume it and retry.',
  disabled: 'The endpoint was disabled before the event could be delivered.',
};

function errorOf({ gaveUp, failure, reason, state }: Row): DeliveryError | null {
  if (state === 'delivered') return null;
  if (gaveUp === 'suspended' || gaveUp === 'disabled')
    return { code: 'WEBHOOK_DELIVERY_ERROR', failure, message: untried[gaveUp] };
  return failure === null ? null : failedWith(failure, reason);
}

const failedWith = (failure: FailureClass, reason: string | null): DeliveryError => ({
  code: 'WEBHOOK_DELIVERY_ERROR',
  failure,
  message: reason ?? 'The endpoint did not answer as required.',
});

function toDelivery(row: Row): Delivery {
  const { gaveUp: _, failure: _failure, reason: _reason, sequence, ...delivery } = row;
  return { ...delivery, sequence: Number(sequence), error: errorOf(row) };
}

const list = async (t: TenantTx, pager: Pager, condition: Sql, oldestFirst = false) => {
  const last = pager.after?.[0] ?? null;
  const beyond = oldestFirst ? sql`d.sid > ${last}` : sql`d.sid < ${last}`;
  const rows = await t.many<Row>(sql`
    select ${columns} from ${withState}
     where d.account_sid = ${t.accountSid} and d.livemode = ${t.livemode} and ${condition}
       and (${last}::text is null or ${beyond})
     order by d.sid ${oldestFirst ? sql`asc` : sql`desc`} limit ${pager.fetch}`);
  return pager.page(rows, ({ sid }) => [sid], toDelivery);
};

export async function listDeliveries(t: TenantTx, endpointSid: string, query: DeliveryQuery, pager: Pager) {
  await loadEndpoint(t, endpointSid);
  const { resourceSid, eventId, sort } = query;
  const condition = sql`d.endpoint_sid = ${endpointSid}
    ${resourceSid === undefined ? sql`` : sql`and d.resource_sid = ${resourceSid}`}
    ${eventId === undefined ? sql`` : sql`and d.event_sequence = ${sequenceOf(t, eventId)}`}`;
  return list(t, pager, condition, sort === 'createdAt');
}

const sequenceOf = (t: TenantTx, eventSid: string) => sql`(
  select sequence from events
   where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${eventSid})`;

/** All deliveries about one resource, such as a message, to whichever endpoint. */
export const listResourceDeliveries = (t: TenantTx, resourceSid: string, pager: Pager) =>
  list(t, pager, sql`d.resource_sid = ${resourceSid}`);

const mostAttempts = 100;

export async function getDelivery(
  t: TenantTx,
  endpointSid: string,
  sid: string,
): Promise<DeliveryWithHistory> {
  const row = await t.maybe<Row & { url: string }>(sql`
    select ${columns}, e.url from ${withState}
      join webhook_endpoints e on e.account_sid = d.account_sid and e.sid = d.endpoint_sid
     where d.account_sid = ${t.accountSid} and d.livemode = ${t.livemode} and d.endpoint_sid = ${endpointSid}
       and d.sid = ${sid}`);
  if (!row) throw new ApiError('NOT_FOUND');
  const { url, ...rest } = row;
  const [event, attempts] = await Promise.all([loadEvent(t, row.sequence), loadAttempts(t, sid)]);
  const parcel = { deliverySid: sid, eventSid: row.eventSid, version: row.apiVersion };
  const newest = attempts[0];
  return {
    ...toDelivery(rest),
    request: {
      method: 'POST',
      url: newest?.url ?? url,
      headers: headersOf(parcel, newest?.signature ?? ''),
      body: eventBody(event, row.apiVersion),
    },
    attempts,
  };
}

const loadEvent = (t: TenantTx, sequence: string) =>
  t.one<StoredEvent>(sql`
    select ${eventColumns} from events ev
     where ev.account_sid = ${t.accountSid} and ev.livemode = ${t.livemode} and ev.sequence = ${sequence}`);

type AttemptRow = Omit<Attempt, 'error'> & { failure: FailureClass | null; reason: string | null };

async function loadAttempts(t: TenantTx, deliverySid: string): Promise<Attempt[]> {
  const rows = await t.many<AttemptRow>(sql`
    select number, attempted_at as "attemptedAt", duration_ms as "durationMs", url, signature, status, failure, reason, answer
      from webhook_attempts
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and delivery_sid = ${deliverySid}
     order by number desc limit ${mostAttempts}`);
  return rows.map(({ failure, reason, ...attempt }) => ({
    ...attempt,
    error: failure === null ? null : failedWith(failure, reason),
  }));
}
