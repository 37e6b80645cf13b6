import { sampleSid, sampleTime, sampleUuid } from '../../platform/samples.ts';
import type { RoleBinding } from './schema.ts';

export const roleBindingSample: RoleBinding = {
  object: 'role_binding',
  id: sampleUuid,
  organizationId: sampleUuid,
  accountSid: sampleSid('AC'),
  inboxSid: null,
  principalType: 'USER',
  principalRef: sampleSid('US'),
  role: 'DEVELOPER',
  scopeKind: 'ACCOUNT',
  environment: 'both',
  source: 'MANUAL',
  createdBy: `user:${sampleSid('US', '1')}`,
  expiresAt: null,
  revokedAt: null,
  revokedBy: null,
  revokeReason: null,
  createdAt: sampleTime,
};
