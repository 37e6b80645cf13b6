import type { Module } from '../../platform/module.ts';
import { holdBelongings } from './belongings.ts';
import { holdApproval } from './create-hold.ts';
import { legalHoldEvents } from './events.ts';
import type { LegalHoldHooks } from './hooks.ts';
import { observeHolds } from './metrics.ts';
import { legalHoldNotifications } from './notifications.ts';
import { operations } from './routes.ts';

export { holdMerged } from './followers.ts';
export type { LegalHoldHooks } from './hooks.ts';
export { holdsAnything, isHeld, placing, removing, type StandingMark, standingMarks } from './marks.ts';

export const legalHoldsModule = (hooks: LegalHoldHooks): Module => ({
  name: 'legal-holds',
  tables: ['legal_holds', 'legal_hold_marks'],
  tags: {
    'Legal holds': 'What is under a legal hold is removed by nobody until it is released.',
  },
  operations: operations(hooks),
  events: Object.values(legalHoldEvents),
  notifications: legalHoldNotifications,
  approvables: [holdApproval(hooks)],
  jobs: [],
  crons: [],
  belongings: holdBelongings,
  observe: observeHolds,
});
