// Getting events back: a delivery that failed is tried again, an acknowledged one is sent once more, and an event that
// never was for an endpoint becomes a delivery to it. The schedule starts anew; the history stays.
import type { TenantTx } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/query.ts';
import { ApiError, invalid } from '../../../platform/errors/errors.ts';
import { newSid } from '../../../platform/ids.ts';
import { audit } from '../../audit/index.ts';
import { loadEndpoint, refuseDisabled } from '../endpoints/endpoints.ts';
import { lockHistory, refuseForgotten } from '../events/history.ts';
import { shapedFor } from '../events/versions.ts';
import { announceDue } from '../sending/lanes.ts';
import { isForOne, isMeantFor, isOwnPing } from './meant-for.ts';
import type { EventsRedelivery, Redelivery, Replay, Retry } from './schema.ts';

const mostNamed = 1_000;
const mostAtOnce = 10_000;
const shown = 100;

/** Tries deliveries of an endpoint again: those named, or those in a state; the oldest first. */
export async function retryDeliveries(t: TenantTx, endpointSid: string, retry: Retry): Promise<Redelivery> {
  const { deliverySids, state } = retry;
  if (deliverySids === undefined && state === undefined)
    throw invalid({ path: 'deliverySids', issue: 'must be given, or state' });
  refuseTooMany('deliverySids', deliverySids);
  await lockHistory(t);
  await requireOpen(t, endpointSid);
  const named =
    deliverySids === undefined
      ? sql``
      : sql`and d.sid = any (${await requireAll(t, endpointSid, deliverySids)}::text[])`;
  const inState =
    state === undefined
      ? sql``
      : state === 'failed'
        ? sql`and u.gave_up is not null`
        : sql`and u.due_at is not null`;
  // By state only what is undelivered is looked through; by name also what was acknowledged.
  const from = state === undefined ? sql`left join` : sql`join`;
  const found = await t.many<{ endpointSid: string; sid: string }>(sql`
    select d.endpoint_sid as "endpointSid", d.sid
      from webhook_deliveries d ${from} webhook_undelivered u
        on u.account_sid = d.account_sid and u.delivery_sid = d.sid
     where d.account_sid = ${t.accountSid} and d.endpoint_sid = ${endpointSid} ${named} ${inState}
     order by d.sid limit ${mostAtOnce + 1}`);
  return requeue(t, found);
}

/**
 * Sends events again: to one endpoint, whatever it subscribes to, or to every endpoint they are for. A ping goes to no
 * endpoint but the one it was made for: its challenge is nobody else's.
 */
export async function redeliverEvents(
  t: TenantTx,
  { eventSids, endpointSid }: EventsRedelivery,
): Promise<Redelivery> {
  refuseTooMany('eventSids', eventSids);
  const sids = [...new Set(eventSids)];
  await lockHistory(t);
  const events = await t.many<{ sid: string; type: string; meant: string | null }>(sql`
    select ev.sid, ev.type, case when ${isForOne} then ev.data ->> 'endpointSid' end as meant from events ev
     where ev.account_sid = ${t.accountSid} and ev.livemode = ${t.livemode} and ev.sid = any (${sids}::text[])`);
  if (events.length < sids.length) throw new ApiError('NOT_FOUND');
  if (endpointSid !== undefined) {
    await requireSubscriber(t, endpointSid);
    const foreign = events.find(({ meant }) => meant !== null && meant !== endpointSid);
    if (foreign)
      throw new ApiError('CONFLICT', { message: `${foreign.sid} is a ${foreign.type} of another endpoint.` });
  }
  const whom =
    endpointSid === undefined
      ? sql`and e.disabled_at is null and e.subscribed_after is not null
          and case when ${isOwnPing} then ev.data ->> 'endpointSid' = e.sid else ${isMeantFor} end`
      : sql`and e.sid = ${endpointSid}`;
  return send(t, sql`ev.sid = any (${sids}::text[]) ${whom}`);
}

/** Sends an endpoint the events of a range that are for it, or of them its gaps. */
export async function replay(t: TenantTx, input: Replay): Promise<Redelivery> {
  const { endpointSid, fromSequence, toSequence, unacknowledgedOnly = false } = input;
  if (toSequence < fromSequence)
    throw invalid({ path: 'toSequence', issue: 'must not be below fromSequence' });
  await lockHistory(t);
  await refuseForgotten(t, 'fromSequence', fromSequence);
  await requireSubscriber(t, endpointSid);
  const wanted = unacknowledgedOnly ? isGap : sql`${isMeantFor} and not ${isOwnPing}`;
  return send(
    t,
    sql`ev.sequence between ${fromSequence} and ${toSequence} and e.sid = ${endpointSid} and ${wanted}`,
  );
}

/** Of an event `ev` and an endpoint `e`: no delivery, or one that was never acknowledged. */
const isUnacknowledged = sql`(d.sid is null or (u.delivery_sid is not null and not u.acknowledged_before)
  or (u.delivery_sid is null and not exists (
    select from webhook_attempts a
     where a.account_sid = d.account_sid and a.delivery_sid = d.sid and a.failure is null)))`;

/** What was for the endpoint, or was to be sent to it all the same, and was never acknowledged. A ping is tried once. */
export const isGap = sql`((d.sid is not null or ${isMeantFor}) and not ${isOwnPing} and ${isUnacknowledged})`;

/** Events and endpoints with what is known of each pair. */
export const pairs = sql`events ev
  join webhook_endpoints e on e.account_sid = ev.account_sid and e.livemode = ev.livemode
  left join webhook_deliveries d on d.account_sid = e.account_sid and d.endpoint_sid = e.sid
    and d.event_sequence = ev.sequence
  left join webhook_undelivered u on u.account_sid = d.account_sid and u.delivery_sid = d.sid`;

type Pair = {
  endpointSid: string;
  sid: string | null;
  sequence: string;
  eventSid: string;
  type: string;
  resourceSid: string | null;
  pinned: string;
  made: string;
};

async function send(t: TenantTx, condition: Sql): Promise<Redelivery> {
  const found = await t.many<Pair>(sql`
    select e.sid as "endpointSid", d.sid, ev.sequence, ev.sid as "eventSid", ev.type, ev.resource_sid as "resourceSid",
      e.api_version as pinned, ev.api_version as made
      from ${pairs}
     where ev.account_sid = ${t.accountSid} and ev.livemode = ${t.livemode} and ${condition}
     order by ev.sequence, e.sid limit ${mostAtOnce + 1}`);
  const fresh = found.slice(0, mostAtOnce).filter(({ sid }) => sid === null);
  const made = await makeDeliveries(t, fresh);
  const known = found.filter((pair): pair is Pair & { sid: string } => pair.sid !== null);
  return requeue(t, [...known, ...made], found.length > mostAtOnce);
}

type Named = { endpointSid: string; sid: string };

/** What somebody else made at the same moment is theirs to send. */
async function makeDeliveries(t: TenantTx, fresh: Pair[]): Promise<Named[]> {
  if (fresh.length === 0) return [];
  const column = <K extends keyof Pair>(name: K) => fresh.map((pair) => pair[name]);
  return t.many<Named>(sql`
    insert into webhook_deliveries (account_sid, livemode, endpoint_sid, sid, event_sequence, event_sid, event_type,
      resource_sid, api_version, created_at)
    select ${t.accountSid}, ${t.livemode}, item.*, ${t.now}
      from unnest(${column('endpointSid')}::text[], ${fresh.map(() => newSid('WD', t.now))}::text[],
        ${column('sequence')}::bigint[], ${column('eventSid')}::text[], ${column('type')}::text[],
        ${column('resourceSid')}::text[], ${fresh.map(({ pinned, made }) => shapedFor(pinned, made))}::text[]) as item
    on conflict (account_sid, endpoint_sid, event_sequence) do nothing
    returning endpoint_sid as "endpointSid", sid`);
}

async function requeue(
  t: TenantTx,
  found: Named[],
  hasMore = found.length > mostAtOnce,
): Promise<Redelivery> {
  const taken = found.slice(0, mostAtOnce);
  await t.run(sql`
    insert into webhook_undelivered as u (account_sid, livemode, endpoint_sid, delivery_sid, event_sequence,
      api_version, due_at, acknowledged_before)
    select d.account_sid, d.livemode, d.endpoint_sid, d.sid, d.event_sequence, d.api_version, ${t.now}::timestamptz, exists (
        select from webhook_attempts a
         where a.account_sid = d.account_sid and a.delivery_sid = d.sid and a.failure is null)
      from unnest(${taken.map(({ endpointSid }) => endpointSid)}::text[], ${taken.map(({ sid }) => sid)}::text[])
        as item (endpoint_sid, sid)
      join webhook_deliveries d on d.account_sid = ${t.accountSid} and d.endpoint_sid = item.endpoint_sid
        and d.sid = item.sid
    on conflict (account_sid, delivery_sid) do update
      set due_at = excluded.due_at, gave_up = null, tries = 0, first_attempt_at = null`);
  const endpointSids = [...new Set(taken.map(({ endpointSid }) => endpointSid))];
  await announceDue(t, endpointSids, t.now);
  const accepted = taken.length;
  audit(t, { action: 'webhook.redelivery_requested', facts: { endpointSids, accepted } });
  return {
    object: 'webhook_redelivery',
    accountSid: t.accountSid,
    livemode: t.livemode,
    accepted,
    deliverySids: taken.slice(0, shown).map(({ sid }) => sid),
    hasMore,
  };
}

async function requireAll(t: TenantTx, endpointSid: string, deliverySids: string[]): Promise<string[]> {
  const sids = [...new Set(deliverySids)];
  const { known } = await t.one<{ known: number }>(sql`
    select count(*)::integer as known from webhook_deliveries
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and endpoint_sid = ${endpointSid}
       and sid = any (${sids}::text[])`);
  if (known < sids.length) throw new ApiError('NOT_FOUND');
  return sids;
}

async function requireOpen(t: TenantTx, endpointSid: string): Promise<void> {
  refuseDisabled(await loadEndpoint(t, endpointSid));
}

/** An endpoint that never passed its challenge receives nothing, however it is asked for. */
async function requireSubscriber(t: TenantTx, endpointSid: string): Promise<void> {
  await requireOpen(t, endpointSid);
  const { verified } = await t.one<{ verified: boolean }>(sql`
    select subscribed_after is not null as verified from webhook_endpoints
     where account_sid = ${t.accountSid} and sid = ${endpointSid}`);
  if (!verified) throw new ApiError('CONFLICT', { message: 'The endpoint was never verified.' });
}

function refuseTooMany(path: string, items: string[] | undefined): void {
  if (items && items.length > mostNamed)
    throw invalid({ path, issue: `must have at most ${mostNamed} items` });
}
