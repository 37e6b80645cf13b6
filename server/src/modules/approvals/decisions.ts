// How a waiting action is decided: by somebody else, who could have asked for it themselves.

import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import type { Approvable } from '../../platform/http/operations/approvable.ts';
import { principalName } from '../../platform/principal.ts';
import { announce } from './announce.ts';
import { columnsAt, knownTo, requestContext } from './approvals.ts';
import type { ApprovalHooks } from './hooks.ts';
import type { Approval } from './schema.ts';

type Waiting = Approval & { request: Buffer; vouchedBy: string | null; onlyFor: string | null };

/** Runs the action under the name of whoever approves. When it fails, the request stays as it was and they are told. */
export async function approve(
  hooks: ApprovalHooks,
  t: TenantTx,
  sid: string,
  reason?: string,
): Promise<Approval> {
  const waiting = await lockWaiting(t, sid);
  const approvable = approvableOf(hooks, waiting);
  refuseMachines(t);
  await refuseOwnHands(hooks, t, waiting);
  refuseWithoutScope(t, approvable);
  const request = t.sealer.open(waiting.request, requestContext(t.accountSid, sid)).toString('utf8');
  const result = await approvable.run(t, JSON.parse(request), sid);
  return decide(t, waiting, { state: 'APPROVED', reason: reason ?? null, result });
}

/** Whoever asked may also take the request back. */
export async function reject(
  hooks: ApprovalHooks,
  t: TenantTx,
  sid: string,
  reason: string,
): Promise<Approval> {
  const waiting = await lockWaiting(t, sid);
  refuseMachines(t);
  if (waiting.requestedBy !== principalName(t.principal)) refuseWithoutScope(t, approvableOf(hooks, waiting));
  await findApprovable(hooks, waiting)?.drop?.(t, sid);
  return decide(t, waiting, { state: 'REJECTED', reason, result: null });
}

/** Marks a request that has waited too long; nothing happens when somebody decided it first. */
export async function expire(hooks: ApprovalHooks, t: TenantTx, sid: string): Promise<void> {
  const expired = await t.maybe<Approval & { onlyFor: string | null }>(sql`
    update approvals set state = 'EXPIRED', updated_at = ${t.now}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid}
       and state = 'PENDING' and expires_at <= ${t.now}
    returning ${columnsAt(t.now)}, only_for as "onlyFor"`);
  if (!expired) return;
  const { onlyFor, ...approval } = expired;
  await findApprovable(hooks, approval)?.drop?.(t, sid);
  announce(t, approval, onlyFor !== null);
}

/** Of many who decide at once one goes first; the row's lock makes the others wait and then see the decision. */
async function lockWaiting(t: TenantTx, sid: string): Promise<Waiting> {
  const found = await t.maybe<Waiting>(sql`
    select ${columnsAt(t.now)}, request, vouched_by as "vouchedBy", only_for as "onlyFor" from approvals
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid} and ${knownTo(t)} for update`);
  if (!found) throw new ApiError('NOT_FOUND');
  if (found.state !== 'PENDING') {
    throw new ApiError('CONFLICT', {
      message: `The approval is ${found.state} and can no longer be decided.`,
    });
  }
  return found;
}

const findApprovable = ({ approvables }: ApprovalHooks, { action }: Approval) =>
  approvables().find((candidate) => candidate.action === action);

function approvableOf(hooks: ApprovalHooks, approval: Approval): Approvable {
  const found = findApprovable(hooks, approval);
  if (!found) throw new Error(`${approval.sid} waits for ${approval.action}, which no module declares`);
  return found;
}

/** The second pair of eyes is a person's. A key acts for whoever made it, which may be the one who asked. */
function refuseMachines({ principal }: TenantTx): void {
  if (principal.kind !== 'user') throw refused('principal', 'must be a signed-in person');
}

/** Whoever asked, made the key that asked, or lent that key their second factor. */
async function refuseOwnHands(hooks: ApprovalHooks, t: TenantTx, waiting: Waiting): Promise<void> {
  const { requestedBy, vouchedBy } = waiting;
  const [, apiKeyId] = /^api_key:(.+)$/.exec(requestedBy) ?? [];
  const makers = apiKeyId === undefined ? [] : await hooks.makersOf(t, apiKeyId);
  if ([requestedBy, `user:${vouchedBy}`, ...makers].includes(principalName(t.principal))) {
    throw refused('approvalSid', 'was asked for by you: another person must approve it');
  }
}

function refuseWithoutScope(t: TenantTx, { scope }: Approvable): void {
  if (!t.principal.scopesOn(t.accountSid)?.has(scope)) throw refused('scope', `needs ${scope}`);
}

const refused = (path: string, issue: string) =>
  new ApiError('AUTHORIZATION_ERROR', { details: [{ path, issue }] });

type Decision = { state: 'APPROVED' | 'REJECTED'; reason: string | null; result: object | null };

async function decide(
  t: TenantTx,
  { sid, onlyFor }: Waiting,
  { state, reason, result }: Decision,
): Promise<Approval> {
  const decided = await t.one<Approval>(sql`
    update approvals set state = ${state}, decided_by = ${principalName(t.principal)}, decision_reason = ${reason},
      result = ${result && JSON.stringify(result)}::json, decided_at = ${t.now}, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid} and state = 'PENDING'
    returning ${columnsAt(t.now)}`);
  announce(t, decided, onlyFor !== null);
  return decided;
}
