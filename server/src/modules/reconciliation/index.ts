import type { Module } from '../../platform/module.ts';
import { caseEvents } from './cases/events.ts';
import { caseNotifications } from './cases/notifications.ts';
import { observeCases } from './metrics.ts';
import { lookAtPartnerTotals } from './partner/totals.ts';
import { lookAtPrices, lookAtSilence, lookAtUnknown } from './reports/doubts.ts';
import { enquire } from './reports/enquiries.ts';
import { operations } from './routes.ts';
import { compareStatement } from './statements/compare-statement.ts';
import { lookAtStatements } from './statements/crons.ts';

export { findCase } from './cases/cases.ts';
export { listPartnerTotals, type PartnerTotal, partnerTotalsScale } from './partner/totals.ts';
export { RemediationPricing } from './remediation/schema.ts';
export { remediationKeys, signRemediation } from './remediation/signature.ts';
export { remediationPurpose } from './settings.ts';
export { queueComparison } from './statements/crons.ts';
export { type BadRow, importFile, UnreadableFile } from './statements/import-file.ts';
export { countOurs } from './statements/our-counts.ts';

export const reconciliationModule: Module = {
  name: 'reconciliation',
  tables: [
    'reconciliation_cases',
    'reconciliation_case_messages',
    'reconciliation_looks',
    'reconciliation_imports',
    'partner_totals',
  ],
  tags: {
    Reconciliation: 'Where our records and those of the provider differ about messages and their prices.',
  },
  operations,
  events: Object.values(caseEvents),
  notifications: caseNotifications,
  jobs: [lookAtPrices, lookAtSilence, lookAtUnknown, enquire, compareStatement],
  crons: [lookAtStatements, lookAtPartnerTotals],
  observe: observeCases,
};
