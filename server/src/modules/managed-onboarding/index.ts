import type { Module } from '../../platform/module.ts';
import type { WabaHooks } from '../wabas/index.ts';
import { chargeRents } from './applications/rent.ts';
import { applicationEvents } from './events.ts';
import { observeOnboarding } from './metrics.ts';
import { onboardingNotifications } from './notifications.ts';
import { provisionWith } from './provisioning/provision.ts';
import { releaseNumber } from './provisioning/release-number.ts';
import { lookForNames, registerAgain } from './provisioning/renamed-numbers.ts';
import { operations } from './routes.ts';
import { robotWith } from './staff/robot.ts';
import { staffOperations } from './staff-routes.ts';

export { listApplications, requireApplication, toApplication } from './applications/applications.ts';
export { getOnboarding } from './applications/onboarding.ts';
export type { NumberOrder, NumberVendor, VendorAnswer } from './ports.ts';
export { type Provision, provisionWith } from './provisioning/provision.ts';
export type { Application, EndTask } from './schema.ts';
export { type LiveApplication, waitingApplications } from './staff/queue.ts';
export {
  approve,
  reject,
  requestInformation,
  requote,
  retry,
  revealDetails,
  takeIntoReview,
} from './staff/staff.ts';
export { finishTask, issuesOfTask } from './staff/tasks.ts';
export { taskNames } from './task-names.ts';

export const managedOnboardingModule = (hooks: WabaHooks): Module => {
  const provision = provisionWith(hooks);
  return {
    name: 'managed-onboarding',
    tables: [
      'managed_applications',
      'managed_acceptances',
      'managed_provisioning',
      'managed_intents',
      'managed_tasks',
    ],
    tags: {
      'Managed onboarding':
        'Being set up by the operator: an application, its quote, and what becomes of it.',
    },
    operations: [...operations, ...staffOperations(provision)],
    events: Object.values(applicationEvents),
    notifications: onboardingNotifications,
    jobs: [provision.job, robotWith(provision), releaseNumber, registerAgain],
    crons: [chargeRents, lookForNames],
    observe: observeOnboarding,
  };
};
