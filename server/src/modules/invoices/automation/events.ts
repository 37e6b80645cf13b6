import { declareEvents } from '../../../platform/events.ts';
import { Automation, automationSample } from './schema.ts';

const updated = {
  since: '2026-08-21',
  description: 'How periods follow each other, or how invoices are collected, was set.',
} as const;

export const automationEvents = declareEvents(
  'billing_automation',
  Automation,
  automationSample,
  { updated },
  'walletId',
);
