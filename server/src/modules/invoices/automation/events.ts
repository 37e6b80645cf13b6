import { declareEvents, heardBy } from '../../../platform/events.ts';
import { Automation, automationSample } from './schema.ts';

const updated = {
  since: '2026-08-21',
  description: 'How periods follow each other, or how invoices are collected, was set.',
} as const;

export const automationEvents = heardBy(
  ['billing:read'],
  declareEvents('billing_automation', Automation, automationSample, { updated }, 'walletId'),
);
