import type { Module } from '../../platform/module.ts';
import { approvalBelongings } from './belongings.ts';
import { expireApprovals } from './crons.ts';
import { approvalEvents } from './events.ts';
import type { ApprovalHooks } from './hooks.ts';
import { approvalNotifications } from './notifications.ts';
import { operations } from './routes.ts';

export {
  approvalRequired,
  findApproval,
  type NewApproval,
  queueApproval,
  requestApproval,
} from './approvals.ts';
export type { ApprovalHooks } from './hooks.ts';
export { approveInSandbox } from './sandbox.ts';
export { Approval } from './schema.ts';

export const approvalsModule = (hooks: ApprovalHooks): Module => ({
  name: 'approvals',
  tables: ['approvals'],
  tags: {
    Approvals: 'Actions that wait until a second person agrees.',
  },
  operations: operations(hooks),
  events: Object.values(approvalEvents),
  notifications: approvalNotifications(hooks),
  jobs: [],
  crons: [expireApprovals(hooks)],
  belongings: approvalBelongings,
});
