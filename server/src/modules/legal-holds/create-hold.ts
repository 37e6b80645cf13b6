// Who may hold what, and whose consent it takes.
import type { TenantTx } from '../../platform/db/database.ts';
import { ApiError, type ErrorDetail } from '../../platform/errors/errors.ts';
import { defineApprovable } from '../../platform/http/operations/approvable.ts';
import type { Part } from '../../platform/http/operations/operation.ts';
import { approvalRequired, findApproval, queueApproval } from '../approvals/index.ts';
import type { LegalHoldHooks } from './hooks.ts';
import { confirmHold, dropHold, findByApproval, isPlatform, placeHold } from './legal-holds.ts';
import type { LegalHold, NewLegalHold, Scope } from './schema.ts';
import { inWords, issuesOfScope } from './scopes.ts';

const action = 'LEGAL_HOLD_PLACE';
const scopeNeeded = 'platform:compliance';

/** Another of the platform's compliance agrees to what one of the platform holds. */
export const holdApproval = (hooks: LegalHoldHooks) =>
  defineApprovable<object>({
    action,
    scope: scopeNeeded,
    run: (t, _, approvalSid) => confirmHold(t, approvalSid),
    drop: (t, approvalSid) => dropHold(hooks, t, approvalSid),
  });

export async function issuesOfHold(t: TenantTx, body: Part<NewLegalHold>): Promise<ErrorDetail[]> {
  const { scope, customerVisible, approvalSid } = body;
  const issues = scope === undefined ? [] : issuesOfScope(scope);
  if (isPlatform(t))
    return approvalSid === undefined ? issues : [...issues, ...(await issuesOfApproval(t, body))];
  if (customerVisible === false) issues.push({ path: 'customerVisible', issue: 'is for the platform alone' });
  if (approvalSid !== undefined) issues.push({ path: 'approvalSid', issue: 'is for holds of the platform' });
  return issues;
}

/** Is it the consent to this very hold? */
async function issuesOfApproval(t: TenantTx, body: Part<NewLegalHold>): Promise<ErrorDetail[]> {
  const path = 'approvalSid';
  const hold = await findByApproval(t, body.approvalSid!);
  if (!hold) return [{ path, issue: 'is not an approval of a legal hold' }];
  const { scope, caseRef, customerVisible = true } = body;
  const isSame =
    caseRef === hold.caseRef && customerVisible === hold.customerVisible && isEqual(scope, hold.scope);
  return isSame ? [] : [{ path, issue: 'is for another legal hold' }];
}

const isEqual = (a: Record<string, unknown> | undefined, b: Record<string, unknown>) =>
  a !== undefined && Object.keys({ ...a, ...b }).every((name) => a[name] === b[name]);

/** A returned error is kept with the approval it names. */
export async function createHold(
  hooks: LegalHoldHooks,
  t: TenantTx,
  { scope: given, caseRef, customerVisible = true, approvalSid }: NewLegalHold,
): Promise<LegalHold | ApiError> {
  const scope = given as Scope;
  if (!isPlatform(t)) return placeHold(hooks, t, { placedBy: 'ACCOUNT', caseRef, customerVisible, scope });
  if (approvalSid !== undefined) return approved(t, approvalSid);
  const approval = await queueApproval(t, {
    action,
    summary: `Place a legal hold on ${inWords(scope)}: ${caseRef}`,
    request: {},
    ...(!customerVisible && { onlyFor: scopeNeeded }),
  });
  const awaits = { approvalSid: approval.sid, until: new Date(approval.expiresAt) };
  await placeHold(hooks, t, { placedBy: 'PLATFORM', caseRef, customerVisible, scope, awaits });
  return approvalRequired(approval.sid);
}

/** It was placed when somebody agreed; until then it waits. */
async function approved(t: TenantTx, approvalSid: string): Promise<LegalHold | ApiError> {
  const hold = (await findByApproval(t, approvalSid))!;
  if (hold.state === 'PENDING') return approvalRequired(approvalSid);
  if (hold.state !== 'REFUSED') return hold;
  const { state } = (await findApproval(t, approvalSid))!;
  throw new ApiError('CONFLICT', { message: `The approval is ${state}. Ask anew, with another key.` });
}
