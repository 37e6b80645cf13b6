import type { Module } from '../../platform/module.ts';
import { logChainHeads } from './crons.ts';
import { operations } from './routes.ts';

export { type AuditFact, audit, type ChainReport, reactToActs, verifyAudit } from './audit.ts';
export { recordDenial } from './denials.ts';
export { auditors, tellAuditors } from './notifications.ts';
export const auditModule: Module = {
  name: 'audit',
  tables: ['audit_entries'],
  tags: {
    Audit: 'Who did what and when, in a chain of hashes that shows any change.',
  },
  operations,
  jobs: [],
  crons: [logChainHeads],
};
