import type { Module } from '../../platform/module.ts';
import { planEvents } from './events.ts';
import { observePlans } from './metrics.ts';
import { planNotifications } from './notifications.ts';
import { operations } from './routes.ts';

export { getAccountPlan, setPlan } from './account-plan.ts';
export { type Feature, features, refuseWithoutFeature } from './features.ts';
export {
  afterSends,
  atItsPace,
  monthAfter,
  quotaLeft,
  rateVerdict,
  type SendRoom,
  sendsNow,
} from './limits.ts';
export { definePlan, listPlans, type Plan, planExists, planOf, requestsPerSecondOf } from './plans.ts';
export type { AccountPlan } from './schema.ts';
export { countSends, limitingPlan, lockRoom, readRoom, sendRoom } from './sends.ts';

export const plansModule: Module = {
  name: 'plans',
  tables: ['plans', 'plan_uses'],
  tags: {
    Plans: 'What the operator lets an account use, and what it has used of it.',
  },
  operations,
  events: Object.values(planEvents),
  notifications: planNotifications,
  jobs: [],
  crons: [],
  observe: observePlans,
};
