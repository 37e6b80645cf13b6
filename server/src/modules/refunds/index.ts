import type { Module } from '../../platform/module.ts';
import { refundApprovable } from './consents.ts';
import { refundOperation } from './create-refund.ts';
import { refundEvents } from './events.ts';
import { observeRefunds } from './metrics.ts';
import { refundNotifications } from './notifications.ts';
import { operations } from './routes.ts';

export { refundsFollow } from './create-refund.ts';

export const refundsModule: Module = {
  name: 'refunds',
  tables: ['refunds', 'refund_consents'],
  tags: { Refunds: 'Money that goes back to whoever paid it.' },
  operations,
  approvables: [refundApprovable],
  events: Object.values(refundEvents),
  notifications: refundNotifications,
  jobs: [refundOperation.job],
  crons: [],
  observe: observeRefunds,
};
