// Privacy requests as they are stored, shown and moved from state to state.
import type { TenantTx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/query.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { emit } from '../../platform/events.ts';
import type { Pager } from '../../platform/http/operations/pagination.ts';
import { newSid } from '../../platform/ids.ts';
import { principalName } from '../../platform/principal.ts';
import { audit } from '../audit/index.ts';
import type { RequestEvent } from './events.ts';
import type { PrivacyRequest } from './schema.ts';
import {
  isUnfinished,
  mayMove,
  openStates,
  type RequestKind,
  type RequestMove,
  type RequestState,
  requestMoves,
} from './states.ts';

const dueDays = 30;
const dayMs = 24 * 60 * 60 * 1000;
/** Somebody is reminded so long before it is due, and when it is. */
export const remindersMs = [7 * dayMs, dayMs, 0] as const;

export const requestColumns = ({
  now,
}: Pick<TenantTx, 'now'>) => sql`'privacy_request' as object, sid, account_sid as "accountSid",
  livemode, kind, state, found, json_build_object('contactSid', contact_sid) as subject, reason,
  changed_fields as "changedFields", operation_sid as "operationSid", due_at as "dueAt",
  (state in ('PENDING', 'IN_PROGRESS', 'PARKED', 'SETTLING') and due_at < ${now}) as overdue,
  starts_at as "startsAt", parked_by as "parkedBy", counts, mentions, certificate,
  case when export_expires_at > ${now} then json_build_object(
    'url', '/v1/accounts/' || account_sid || '/privacy/requests/' || sid || '/export', 'expiresAt', ${instant(sql`export_expires_at`)}) end as export,
  case when kind = 'RESTRICTION' then json_build_object(
    'active', state = 'ACTIVE', 'liftedAt', ${instant(sql`lifted_at`)}, 'liftedBy', lifted_by) end as restriction,
  created_by as "createdBy", completed_at as "completedAt", created_at as "createdAt", updated_at as "updatedAt"`;

/** As columns are told. */
function instant(column: Sql): Sql {
  return sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

export const here = (t: TenantTx, sid: string): Sql =>
  sql`account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid}`;

export async function getRequest(t: TenantTx, sid: string, lock: Sql = sql``): Promise<PrivacyRequest> {
  const row = await t.maybe<PrivacyRequest>(sql`
    select ${requestColumns(t)} from privacy_requests where ${here(t, sid)} ${lock}`);
  if (!row) throw new ApiError('NOT_FOUND');
  return row;
}

export async function listRequests(t: TenantTx, pager: Pager) {
  const before = pager.after?.[0] ?? null;
  const rows = await t.many<PrivacyRequest>(sql`
    select ${requestColumns(t)} from privacy_requests
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and (${before}::text is null or sid < ${before})
     order by sid desc limit ${pager.fetch}`);
  return pager.page(
    rows,
    ({ sid }) => [sid],
    (row) => row,
  );
}

type NewRow = {
  kind: RequestKind;
  state: RequestState;
  contactSid: string | null;
  found: boolean;
  reason: string;
  changedFields?: string[];
};

export async function insertRequest(t: TenantTx, row: NewRow): Promise<PrivacyRequest> {
  const dueAt = new Date(t.now.getTime() + dueDays * dayMs);
  const remindAt = isUnfinished(row.state) ? new Date(dueAt.getTime() - remindersMs[0]) : null;
  return t.one<PrivacyRequest>(sql`
    insert into privacy_requests (account_sid, livemode, sid, kind, state, contact_sid, found, reason, changed_fields, created_by, due_at,
      remind_at, completed_at, created_at, updated_at)
    values (${t.accountSid}, ${t.livemode}, ${newSid('DR', t.now)}, ${row.kind}, ${row.state}, ${row.contactSid}, ${row.found}, ${row.reason},
      ${row.changedFields ?? null}, ${principalName(t.principal)}, ${dueAt}, ${remindAt},
      ${row.state === 'COMPLETED' ? t.now : null}, ${t.now}, ${t.now})
    returning ${requestColumns(t)}`);
}

/** The operation that works on it, and when that first changes something. */
export type Work = { operationSid: string; startsAt: Date | null };

export const noteWork = (
  t: TenantTx,
  sid: string,
  { operationSid, startsAt }: Work,
): Promise<PrivacyRequest> =>
  t.one<PrivacyRequest>(sql`
    update privacy_requests set operation_sid = ${operationSid}, starts_at = ${startsAt} where ${here(t, sid)} returning ${requestColumns(t)}`);

/** The requests that are open for somebody, under any of the names they have, the oldest first. */
export const openRequestsOf = (t: TenantTx, family: readonly string[]): Promise<PrivacyRequest[]> =>
  t.many<PrivacyRequest>(sql`
    select ${requestColumns(t)} from privacy_requests
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = any (${[...family]}::text[])
       and state = any (${[...openStates]}::text[])
     order by sid`);

/** What else changes with a move. */
type Changed = { parkedBy?: readonly string[] };

/**
 * Moves a request on, under its lock; null when it is elsewhere by now. What ends reminds nobody any more.
 */
export async function moveRequest(
  t: TenantTx,
  sid: string,
  move: RequestMove,
  { parkedBy = [] }: Changed = {},
): Promise<PrivacyRequest | null> {
  const { from, to } = requestMoves[move];
  const isOver = !isUnfinished(to);
  const row = await t.maybe<PrivacyRequest>(sql`
    update privacy_requests set state = ${to}, parked_by = ${[...parkedBy]}::uuid[], updated_at = ${t.now},
      started_at = case when ${to} = 'IN_PROGRESS' then coalesce(started_at, ${t.now}) else started_at end,
      remind_at = case when ${isOver} then null else remind_at end,
      completed_at = case when ${isOver} and ${to} <> 'LIFTED' then ${t.now}::timestamptz end,
      lifted_at = case when ${to} = 'LIFTED' then ${t.now}::timestamptz end,
      lifted_by = case when ${to} = 'LIFTED' then ${principalName(t.principal)} end
     where ${here(t, sid)} and state = any (${[...from]}::text[]) and (${to} <> 'WITHDRAWN' or started_at is null)
    returning ${requestColumns(t)}`);
  return row ?? null;
}

/** The words of whoever asked are nobody else's business. */
export function announce(t: TenantTx, type: RequestEvent, request: PrivacyRequest): void {
  emit(t, type, { ...request, reason: null });
}

/** Written down with whom it is about; `reason` in people's own words can be forgotten. */
export function note(
  t: TenantTx,
  action: string,
  { sid, kind, subject }: PrivacyRequest,
  reason?: string,
): void {
  const facts = { kind, contactSid: subject.contactSid };
  if (reason === undefined) audit(t, { action, resource: sid, facts });
  else audit(t, { action, resource: sid, facts: { ...facts, reason }, words: ['reason'] });
}

export function refuseMove({ sid, state }: PrivacyRequest, move: RequestMove, says: string): void {
  if (mayMove(state, move)) return;
  throw new ApiError('CONFLICT', {
    message: `The request is ${state}: ${says}.`,
    details: [{ path: 'requestSid', issue: `${sid} is ${state}` }],
  });
}
