// An action that waits for a second person.
//
//   PENDING ──approve──▶ APPROVED   the action ran, once, in the transaction of the approval
//      ├─────reject────▶ REJECTED
//      └──7 days pass──▶ EXPIRED    told so from that moment, whether or not the sweep has marked it
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { emit } from '../../platform/events.ts';
import type { Pager } from '../../platform/http/operations/pagination.ts';
import { newSid } from '../../platform/ids.ts';
import { principalName } from '../../platform/principal.ts';
import { audit } from '../audit/index.ts';
import { approvalEvents } from './events.ts';
import type { Approval, ApprovalQuery } from './schema.ts';

const keptMs = 7 * 24 * 60 * 60 * 1000;

export const requestContext = (accountSid: string, sid: string) => `approval:${accountSid}:${sid}`;

/** As it stands at this moment: what has waited too long has expired. */
export const stateAt = (now: Date) =>
  sql`case when state = 'PENDING' and expires_at <= ${now} then 'EXPIRED' else state end`;

export const columnsAt = (
  now: Date,
) => sql`'approval' as object, sid, account_sid as "accountSid", livemode, action,
  summary, ${stateAt(now)} as state, requested_by as "requestedBy", decided_by as "decidedBy",
  decision_reason as "decisionReason", result, expires_at as "expiresAt", decided_at as "decidedAt",
  created_at as "createdAt", updated_at as "updatedAt"`;

export type NewApproval = {
  action: string;
  /** All that whoever decides needs to know, in one sentence. */
  summary: string;
  /** What will run, without the secrets that were shown to ask for it. */
  request: object;
};

/** What takes a second person is not begun by a workflow: whoever published it could then agree to what they asked for themselves. */
export function refuseWorkflows({ principal }: TenantTx): void {
  if (principal.kind !== 'workflow') return;
  throw new ApiError('AUTHORIZATION_ERROR', {
    details: [
      { path: 'principal', issue: 'must not be a workflow: this needs the approval of a second person' },
    ],
  });
}

/** Queues the action for a second person. */
export async function queueApproval(
  t: TenantTx,
  { action, summary, request }: NewApproval,
): Promise<Approval> {
  refuseWorkflows(t);
  const sid = newSid('AP', t.now);
  const approval = await t.one<Approval>(sql`
    insert into approvals (account_sid, livemode, sid, action, summary, request, state, requested_by, vouched_by,
      expires_at, created_at, updated_at)
    values (${t.accountSid}, ${t.livemode}, ${sid}, ${action}, ${summary},
      ${t.sealer.seal(JSON.stringify(request), requestContext(t.accountSid, sid))}, 'PENDING',
      ${principalName(t.principal)}, ${t.steppedUpBy}, ${new Date(t.now.getTime() + keptMs)}, ${t.now}, ${t.now})
    returning ${columnsAt(t.now)}`);
  audit(t, { action: 'approval.requested', resource: sid, facts: { action, summary } });
  emit(t, approvalEvents.requested, approval);
  return approval;
}

/**
 * Queues the action for a second person. A handler RETURNS what this returns: the refusal then names the approval, and
 * both are kept, so that the same Idempotency-Key answers the same approval.
 */
export async function requestApproval(t: TenantTx, asked: NewApproval): Promise<ApiError> {
  const { sid } = await queueApproval(t, asked);
  return new ApiError('APPROVAL_REQUIRED', { details: [{ path: 'approvalSid', issue: sid }] });
}

export async function findApproval(t: TenantTx, sid: string): Promise<Approval | null> {
  const found = await t.maybe<Approval>(sql`
    select ${columnsAt(t.now)} from approvals
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid}`);
  return found ?? null;
}

export async function getApproval(t: TenantTx, sid: string): Promise<Approval> {
  const found = await findApproval(t, sid);
  if (!found) throw new ApiError('NOT_FOUND');
  return found;
}

export async function listApprovals(t: TenantTx, { state = undefined }: ApprovalQuery, pager: Pager) {
  const [after] = pager.after ?? [null];
  const rows = await t.many<Approval>(sql`
    select ${columnsAt(t.now)} from approvals
     where account_sid = ${t.accountSid} and livemode = ${t.livemode}
       and (${after}::text is null or sid < ${after})
       and (${state ?? null}::text is null or ${stateAt(t.now)} = ${state ?? null})
     order by sid desc limit ${pager.fetch}`);
  return pager.page(
    rows,
    (row) => [row.sid],
    (row) => row,
  );
}
