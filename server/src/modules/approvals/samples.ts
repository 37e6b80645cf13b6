import { sampleOwner, sampleSid, sampleTimes } from '../../platform/samples.ts';
import type { Approval } from './schema.ts';

export const approvalSample: Approval = {
  object: 'approval',
  sid: sampleSid('AP'),
  ...sampleOwner,
  action: 'ROLE_BINDING_CREATE',
  summary: 'Make somebody an owner',
  state: 'PENDING',
  requestedBy: `user:${sampleSid('US')}`,
  decidedBy: null,
  decisionReason: null,
  result: null,
  expiresAt: '2026-08-28T10:00:00.000Z',
  decidedAt: null,
  ...sampleTimes,
};
