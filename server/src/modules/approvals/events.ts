import { declareEvents } from '../../platform/events.ts';
import { sampleSid, sampleTime, sampleUuid } from '../../platform/samples.ts';
import { approvalSample } from './samples.ts';
import { Approval } from './schema.ts';

const decided = { decidedBy: `user:${sampleSid('US', '1')}`, decidedAt: sampleTime };

export const approvalEvents = declareEvents('approval', Approval, approvalSample, {
  requested: { since: '2026-05-04', description: 'An action waits for a second person.' },
  approved: {
    since: '2026-05-04',
    description: 'A second person agreed, and the action ran.',
    sample: { state: 'APPROVED', ...decided, result: { object: 'role_binding', id: sampleUuid } },
  },
  rejected: {
    since: '2026-05-04',
    description: 'A second person refused.',
    sample: { state: 'REJECTED', ...decided, decisionReason: 'They have left the company' },
  },
  expired: { since: '2026-05-04', description: 'Nobody decided in time.', sample: { state: 'EXPIRED' } },
});
