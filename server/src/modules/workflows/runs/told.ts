// What people are told of runs beyond the runs themselves: their steps, and why events started them or not.
import { type Static, Type } from 'typebox';
import { DateTime, NamedObject, Nullable, Sid, sample, Word } from '../../../platform/http/input/schema.ts';
import { sampleSid, sampleTime } from '../../../platform/samples.ts';
import { StepError, WorkflowEventType } from '../definition/schema.ts';

export const decisions = [
  'started',
  'condition',
  'reentry',
  'stopped_contact',
  'restricted_contact',
  'caused_by_self',
  'limit',
  'no_subject',
  /** Explained, and never noted: nobody looks at what happened before. */
  'before_publishing',
] as const;
/** What became of an event for a workflow: it started a run, or why not. */
export type Decision = (typeof decisions)[number];

const FreeForm = Type.Unsafe<Record<string, unknown>>({ type: 'object', 'x-free-form': true });

const Saw = NamedObject('WorkflowSaw', {
  path: Type.String(),
  /** Null for whoever may not read contacts. */
  value: Type.Unsafe<unknown>({}),
});

export const WorkflowRunStep = NamedObject('WorkflowRunStep', {
  object: Word('workflow_run_step'),
  /** Its place in the timeline. */
  entry: Type.Integer(),
  /** The number of the step: what is asked for and what became of it are two entries of one step. */
  position: Type.Integer(),
  /** The place of the action in the definition. */
  path: Type.String(),
  id: Nullable(Type.String()),
  type: Type.String(),
  outcome: Word('done', 'skipped', 'failed', 'timed_out', 'waiting', 'chose'),
  /** The case that was taken, or the number of the round. */
  chose: Nullable(Type.String()),
  output: Nullable(FreeForm),
  error: Nullable(StepError),
  /** What its conditions looked at. */
  saw: Type.Array(Saw),
  /** The event that tells of what it did. */
  eventSid: Nullable(Sid('EV')),
  at: DateTime,
});
export type WorkflowRunStep = Static<typeof WorkflowRunStep>;

sample(WorkflowRunStep, {
  object: 'workflow_run_step',
  entry: 2,
  position: 1,
  path: 'actions[0]',
  id: 'ask',
  type: 'send_message',
  outcome: 'done',
  chose: null,
  output: { messageSid: sampleSid('SM'), conversationSid: sampleSid('CO') },
  error: null,
  saw: [],
  eventSid: sampleSid('EV'),
  at: sampleTime,
});

export const WorkflowDecision = NamedObject('WorkflowDecision', {
  object: Word('workflow_decision'),
  workflowSid: Sid('WF'),
  eventSid: Sid('EV'),
  eventType: WorkflowEventType,
  contactSid: Nullable(Sid('CT')),
  /** Whether the event started a run, or why not. */
  decision: Word(...decisions),
  /** For `condition` its number and what was seen, for `limit` which, for `reentry` the run before. */
  detail: Nullable(FreeForm),
  runSid: Nullable(Sid('WR')),
  at: DateTime,
});
export type WorkflowDecision = Static<typeof WorkflowDecision>;

sample(WorkflowDecision, {
  object: 'workflow_decision',
  workflowSid: sampleSid('WF'),
  eventSid: sampleSid('EV'),
  eventType: 'MESSAGE_RECEIVED',
  contactSid: sampleSid('CT'),
  decision: 'condition',
  detail: { condition: 0, saw: [{ path: 'event.text.body', value: 'Thanks!' }] },
  runSid: null,
  at: sampleTime,
});
