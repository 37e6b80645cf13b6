import type { Module } from '../../platform/module.ts';

export { type AuditFact, audit, type ChainReport, verifyAudit } from './audit.ts';
export const auditModule: Module = {
  name: 'audit',
  tables: ['audit_entries'],
  operations: [],
  jobs: [],
  crons: [],
};
