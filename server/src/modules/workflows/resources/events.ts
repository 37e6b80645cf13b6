import { declareEvents, heardBy } from '../../../platform/events.ts';
import { sampleTime } from '../../../platform/samples.ts';
import { CustomEvent } from '../definition/schema.ts';
import { contactStopSample, customEventSample, runSample, workflowSample } from './samples.ts';
import { Workflow, WorkflowContactStop, WorkflowRun } from './schema.ts';

const since = '2026-08-21';

export const workflowEvents = declareEvents('workflow', Workflow, workflowSample, {
  published: { since, description: 'A workflow was published, or a newer version of it.' },
  stopped: {
    since,
    description: 'A workflow was stopped: nothing of it happens until it is published again.',
    sample: { status: 'STOPPED', stoppedAt: sampleTime },
  },
  deleted: {
    since,
    description: 'A workflow was deleted, with its versions and finished runs.',
    sample: { status: 'STOPPED', stoppedAt: sampleTime },
  },
});

export const contactStopEvents = heardBy(
  ['inboxes:read'],
  declareEvents(
    'workflow',
    WorkflowContactStop,
    contactStopSample,
    {
      contact_stopped: { since, description: 'A workflow was stopped for one contact.' },
      contact_resumed: {
        since,
        description: 'A workflow may be started again for a contact it was stopped for.',
      },
    },
    'workflowSid',
  ),
);

const ended = { waiting: null, endedAt: sampleTime };

export const runEvents = declareEvents('workflow_run', WorkflowRun, runSample, {
  completed: {
    since,
    description: 'A run came to its end.',
    sample: { status: 'COMPLETED', ...ended },
  },
  failed: {
    since,
    description: 'A step of a run failed, and the run with it.',
    sample: {
      status: 'FAILED',
      error: { code: 'CONTACT_SUPPRESSED', message: 'The contact is suppressed.', path: 'actions[0]' },
      ...ended,
    },
  },
  timed_out: {
    since,
    description: 'A run took longer than its workflow allows.',
    sample: { status: 'TIMED_OUT', ...ended },
  },
  stopped: {
    since,
    description: 'A run was stopped before its end; `outcome` says why.',
    sample: { status: 'STOPPED', outcome: 'run', ...ended },
  },
});

export const customEvents = heardBy(
  ['inboxes:read'],
  declareEvents(
    'custom',
    CustomEvent,
    customEventSample,
    {
      event: { since, description: 'Something happened to a contact that the business told of itself.' },
    },
    'contactSid',
  ),
);
