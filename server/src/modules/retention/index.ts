import type { Module } from '../../platform/module.ts';
import { startRetention } from './crons.ts';
import { retentionEvents, retentionPolicyEvents } from './events.ts';
import { observeRetention } from './metrics.ts';
import { retentionNotifications } from './notifications.ts';
import { operations } from './routes.ts';
import { retentionRun } from './run.ts';

export { readPolicy } from './policy.ts';

export const retentionModule: Module = {
  name: 'retention',
  tables: ['retention_policies', 'retention_runs'],
  tags: {
    Retention: 'How long messages and analytics are kept, and what goes when.',
  },
  operations,
  events: [...Object.values(retentionPolicyEvents), ...Object.values(retentionEvents)],
  notifications: retentionNotifications,
  jobs: [retentionRun.job],
  crons: [startRetention],
  observe: observeRetention,
};
