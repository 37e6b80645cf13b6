// In the sandbox there is nobody to ask: what would wait for the platform's consent has it at once, from `system:sandbox`, and can
// be looked at like any other approval.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { emit } from '../../platform/events.ts';
import { newSid } from '../../platform/ids.ts';
import { principalName } from '../../platform/principal.ts';
import { audit } from '../audit/index.ts';
import { ownWords } from './announce.ts';
import { columnsAt, type NewApproval, refuseWorkflows, requestContext } from './approvals.ts';
import { approvalEvents } from './events.ts';
import type { Approval } from './schema.ts';

const consenting = 'system:sandbox';

/** Does what was asked for, and writes down that it was approved. What `run` returns must hold no secret. */
export async function approveInSandbox<Result extends object>(
  t: TenantTx,
  { action, summary, request }: NewApproval,
  run: (approvalSid: string) => Promise<Result>,
): Promise<Result> {
  if (t.livemode) throw new Error('nobody agrees by themselves in live');
  refuseWorkflows(t);
  const sid = newSid('AP', t.now);
  const result = await run(sid);
  const approval = await t.one<Approval>(sql`
    insert into approvals (account_sid, livemode, sid, action, summary, request, state, requested_by, vouched_by, decided_by,
      decided_at, expires_at, created_at, updated_at)
    values (${t.accountSid}, ${t.livemode}, ${sid}, ${action}, ${summary},
      ${t.sealer.seal(JSON.stringify(request), requestContext(t.accountSid, sid))}, 'APPROVED',
      ${principalName(t.principal)}, ${t.steppedUpBy}, ${consenting}, ${t.now}, ${t.now}, ${t.now}, ${t.now})
    returning ${columnsAt(t.now)}`);
  const facts = { action, summary, decidedBy: consenting };
  audit(t, { action: 'approval.approved', resource: sid, facts, words: ownWords });
  emit(t, approvalEvents.approved, approval);
  return result;
}
