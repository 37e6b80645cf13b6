import { declareEvents, heardBy } from '../../platform/events.ts';
import { RetentionPolicy, RetentionRun, retentionPolicySample, retentionRunSample } from './schema.ts';

export const retentionPolicyEvents = declareEvents(
  'retention_policy',
  RetentionPolicy,
  retentionPolicySample,
  { changed: { since: '2026-08-21', description: 'How long data is kept was changed.' } },
  'accountSid',
);

export const retentionEvents = heardBy(
  ['privacy:read'],
  declareEvents(
    'retention',
    RetentionRun,
    retentionRunSample,
    { completed: { since: '2026-08-21', description: 'What was kept long enough was removed.' } },
    'operationSid',
  ),
);
