import type { Module } from '../../platform/module.ts';
import { optInBelongings } from './belongings.ts';
import { sweepOptIns } from './crons.ts';
import { optInPages } from './form/layout.ts';
import { tellFormMetrics } from './metrics.ts';
import { operations } from './routes.ts';

export { type ConfirmedOptIn, confirmationCode, confirmOptIn } from './submissions/confirm.ts';
export { publishedKeys } from './submissions/receipt-keys.ts';
export const optInLinksModule: Module = {
  name: 'opt-in-links',
  tables: ['opt_in_links', 'opt_in_submissions', 'opt_in_counters', 'receipt_keys'],
  tags: {
    'Opt-in links': 'Hosted forms on which people agree to be written to, and receipts for it.',
  },
  operations,
  pages: optInPages,
  jobs: [],
  crons: [sweepOptIns],
  belongings: optInBelongings,
  observe: ({ registry }) => tellFormMetrics(registry),
};
