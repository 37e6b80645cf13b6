import type { TenantTx } from '../../platform/db/database.ts';
import { emit } from '../../platform/events.ts';
import { audit, auditUnseen } from '../audit/index.ts';
import { approvalEvents } from './events.ts';
import type { Approval } from './schema.ts';

const announcements = {
  PENDING: approvalEvents.requested,
  APPROVED: approvalEvents.approved,
  REJECTED: approvalEvents.rejected,
  EXPIRED: approvalEvents.expired,
};

/** What of an approval is in the words of whoever asked and decided. */
export const ownWords = ['summary', 'reason'];

/** Writes down what became of an approval, and tells it unless it is kept from the account. */
export function announce(t: TenantTx, approval: Approval, unseen: boolean): void {
  const { sid, action, summary, requestedBy, decisionReason, state } = approval;
  const type = announcements[state];
  const facts = {
    action,
    summary,
    ...(state !== 'PENDING' && { requestedBy }),
    ...(decisionReason !== null && { reason: decisionReason }),
  };
  (unseen ? auditUnseen : audit)(t, { action: type.name, resource: sid, facts, words: ownWords });
  if (!unseen) emit(t, type, approval);
}
