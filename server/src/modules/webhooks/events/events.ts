// The event log as its account reads it, and the sample events of a sandbox.
import type { Tenant, TenantTx } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/query.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { emit } from '../../../platform/events.ts';
import type { Pager } from '../../../platform/http/operations/pagination.ts';
import { sampleIn } from '../../../platform/samples.ts';
import { subaccountSidOf } from '../../accounts/index.ts';
import { eventTypes, requireEventType } from './catalogue.ts';
import { refuseForgotten } from './history.ts';
import type { Event, EventQuery, Trigger } from './schema.ts';

const columns = sql`'event' as object, sid as id, type, api_version as "apiVersion", occurred_at as "occurredAt",
  created_at as "createdAt", sequence, livemode, account_sid as "accountSid",
  ${subaccountSidOf(sql`events.account_sid`)} as "subaccountSid", data`;

type Row = Omit<Event, 'sequence'> & { sequence: string };
const toEvent = (row: Row): Event => ({ ...row, sequence: Number(row.sequence) });

const own = (t: TenantTx): Sql => sql`account_sid = ${t.accountSid} and livemode = ${t.livemode}`;

/** A page looks through at most so many events for those of a type: a rare one takes several pages, and none takes long. */
const mostLookedThrough = 20_000;

/**
 * Newest first; oldest first with `sort=sequence`, which is how to follow the log from a number on. A page of a type may have
 * fewer events than asked for, or none, and still be followed by others.
 */
export async function listEvents(t: TenantTx, query: EventQuery, pager: Pager) {
  const { type, resourceSid, sort } = query;
  const oldestFirst = sort === 'sequence';
  const { above, upTo, lookedTo } = await spanOf(t, query, pager);
  const rows = await t.many<Row>(sql`
    select ${columns} from events
     where ${own(t)} and sequence > ${above} and sequence <= ${upTo}
       ${type === undefined ? sql`` : sql`and webhook_subscribes(${[type]}::text[], type)`}
       ${resourceSid === undefined ? sql`` : sql`and resource_sid = ${resourceSid}`}
     order by sequence ${oldestFirst ? sql`asc` : sql`desc`} limit ${pager.fetch}`);
  return pager.page(rows, ({ sequence }) => [sequence], toEvent, lookedTo);
}

/** What of the log a page looks at, and the event it ends with when that is not all there is. */
async function spanOf(t: TenantTx, { type, resourceSid, afterSequence, sort }: EventQuery, pager: Pager) {
  const after = Number(afterSequence ?? 0);
  // From nothing on is from the beginning, wherever that is by now; any other number was the last that somebody has seen.
  const start = await refuseForgotten(t, 'afterSequence', after === 0 ? Infinity : after + 1);
  const head = await t.maybe<{ sequence: string }>(sql`select sequence from event_heads where ${own(t)}`);
  const last = pager.after === null ? null : Number(pager.after[0]);
  const oldestFirst = sort === 'sequence';
  const above = Math.max(after, start - 1, oldestFirst ? (last ?? 0) : 0);
  const upTo = Math.min(Number(head?.sequence ?? 0), oldestFirst || last === null ? Infinity : last - 1);
  // Those of one resource are found by it.
  if (type === undefined || resourceSid !== undefined || upTo - above <= mostLookedThrough)
    return { above, upTo, lookedTo: null };
  return oldestFirst
    ? { above, upTo: above + mostLookedThrough, lookedTo: [above + mostLookedThrough] }
    : { above: upTo - mostLookedThrough, upTo, lookedTo: [upTo - mostLookedThrough + 1] };
}

export async function getEvent(t: TenantTx, sid: string): Promise<Event> {
  const row = await t.maybe<Row>(sql`select ${columns} from events where ${own(t)} and sid = ${sid}`);
  if (!row) throw new ApiError('NOT_FOUND');
  return toEvent(row);
}

export function listEventTypes(tenant: Tenant) {
  const data = eventTypes().map(({ name, since, description, sample }) => ({
    object: 'webhook_event_type',
    name,
    since,
    description,
    sample: sampleIn(tenant, sample),
  }));
  return { object: 'list', data, hasMore: false, nextCursor: null };
}

/** Emits a sample of a type, for those who try their receiver. Only in a sandbox: it did not happen. */
export function triggerEvent(t: TenantTx, { type }: Trigger) {
  const known = requireEventType('type', type);
  const { accountSid, livemode } = t;
  if (livemode)
    throw new ApiError('CAPABILITY_UNAVAILABLE', { message: 'Sample events are emitted in a sandbox only.' });
  const createdAt = t.now.toISOString();
  emit(t, known, sampleIn(t, known.sample));
  return { object: 'triggered_event', accountSid, livemode, type, createdAt };
}
