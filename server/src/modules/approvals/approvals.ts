// An action that waits for a second person.
//
//   PENDING ──approve──▶ APPROVED   the action ran, once, in the transaction of the approval
//      ├─────reject────▶ REJECTED
//      └──7 days pass──▶ EXPIRED    told so from that moment, whether or not the sweep has marked it
import type { TenantTx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/query.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import type { Pager } from '../../platform/http/operations/pagination.ts';
import { newSid } from '../../platform/ids.ts';
import { principalName } from '../../platform/principal.ts';
import { announce } from './announce.ts';
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
  /** Kept from everybody who does not hold this scope: it is in no list, no event, and not in the account's audit chain. */
  onlyFor?: string;
};

/** Those that whoever asks may know of: they ask for it themselves, or it is kept from nobody, or not from them. */
export function knownTo({ principal, accountSid }: TenantTx): Sql {
  const scopes = [...(principal.scopesOn(accountSid) ?? [])];
  return sql`(only_for is null or requested_by = ${principalName(principal)} or only_for = any (${scopes}::text[]))`;
}

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
  { action, summary, request, onlyFor = undefined }: NewApproval,
): Promise<Approval> {
  refuseWorkflows(t);
  const sid = newSid('AP', t.now);
  const approval = await t.one<Approval>(sql`
    insert into approvals (account_sid, livemode, sid, action, summary, request, state, requested_by, vouched_by, only_for,
      expires_at, created_at, updated_at)
    values (${t.accountSid}, ${t.livemode}, ${sid}, ${action}, ${summary},
      ${t.sealer.seal(JSON.stringify(request), requestContext(t.accountSid, sid))}, 'PENDING',
      ${principalName(t.principal)}, ${t.steppedUpBy}, ${onlyFor ?? null}, ${new Date(t.now.getTime() + keptMs)}, ${t.now}, ${t.now})
    returning ${columnsAt(t.now)}`);
  announce(t, approval, onlyFor !== undefined);
  return approval;
}

/**
 * Queues the action for a second person. A handler RETURNS what this returns: the refusal then names the approval, and
 * both are kept, so that the same Idempotency-Key answers the same approval.
 */
export async function requestApproval(t: TenantTx, asked: NewApproval): Promise<ApiError> {
  const { sid } = await queueApproval(t, asked);
  return approvalRequired(sid);
}

/** The refusal that names the approval somebody waits for. */
export const approvalRequired = (sid: string) =>
  new ApiError('APPROVAL_REQUIRED', { details: [{ path: 'approvalSid', issue: sid }] });

export async function findApproval(t: TenantTx, sid: string): Promise<Approval | null> {
  const found = await t.maybe<Approval>(sql`
    select ${columnsAt(t.now)} from approvals
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid} and ${knownTo(t)}`);
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
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and ${knownTo(t)}
       and (${after}::text is null or sid < ${after})
       and (${state ?? null}::text is null or ${stateAt(t.now)} = ${state ?? null})
     order by sid desc limit ${pager.fetch}`);
  return pager.page(
    rows,
    (row) => [row.sid],
    (row) => row,
  );
}
