import type { Module } from '../../platform/module.ts';
import { analyticsConsumer } from './counting/consume.ts';
import { trimDetail } from './counting/keep.ts';
import { fill } from './counting/rebuild.ts';
import { operations } from './routes.ts';

export { countDaysBefore, removeAggregatesBefore } from './counting/keep.ts';
export { rebuildDays, verifyDays } from './counting/over-days.ts';

export const analyticsModule: Module = {
  name: 'analytics',
  tables: ['analytics_counted', 'analytics_days', 'analytics_hours', 'analytics_starts'],
  tags: {
    Analytics: 'How many messages there were, what became of them and what they cost.',
  },
  operations,
  jobs: [fill],
  crons: [trimDetail],
  consumers: [analyticsConsumer],
};
