import type { Module } from '../../platform/module.ts';
import { billingModeEvents } from './events.ts';
import { billingModeNotifications } from './notifications.ts';
import { operations } from './routes.ts';
import { revertMode } from './run-revert.ts';
import { switchMode } from './run-switch.ts';

export { partnerOf } from './partner.ts';
export type {} from './ports.ts';

export const billingModeModule: Module = {
  name: 'billing-mode',
  tables: ['billing_mode_switches'],
  tags: {
    'Billing mode': 'Who pays the provider for the messages of a business account.',
  },
  operations,
  events: Object.values(billingModeEvents),
  notifications: billingModeNotifications,
  jobs: [switchMode.job, revertMode.job],
  crons: [],
};
