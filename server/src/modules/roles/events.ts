import { declareEvents } from '../../platform/events.ts';
import { sampleSid, sampleTime } from '../../platform/samples.ts';
import { roleBindingSample } from './samples.ts';
import { RoleBinding } from './schema.ts';

export const roleBindingEvents = declareEvents('role_binding', RoleBinding, roleBindingSample, {
  created: { since: '2026-05-04', description: 'Somebody was given a role.' },
  revoked: {
    since: '2026-05-04',
    description: 'A role was taken back.',
    sample: {
      revokedAt: sampleTime,
      revokedBy: `user:${sampleSid('US', '1')}`,
      revokeReason: 'Works elsewhere now',
    },
  },
});
