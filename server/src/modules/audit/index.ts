import type { Module } from '../../platform/module.ts';
import { auditBelongings } from './belongings.ts';
import { logChainHeads } from './crons.ts';
import { operations } from './routes.ts';

export { type AuditFact, audit, reactToActs } from './audit.ts';
export { recordDenial } from './denials.ts';
export { detailsErased, erasedBy, forgetDetails, forgetEntries } from './forget-details.ts';
export { auditors, tellAuditors } from './notifications.ts';
export { auditUnseen } from './platform-chain.ts';
export { ChainDetail } from './schema.ts';
export { type ChainReport, provenErasures, verifyAudit } from './verify-audit.ts';
export const auditModule: Module = {
  name: 'audit',
  tables: ['audit_entries', 'platform_audit_entries'],
  tags: {
    Audit: 'Who did what and when, in a chain of hashes that shows any change.',
  },
  operations,
  jobs: [],
  crons: [logChainHeads],
  belongings: auditBelongings,
};
