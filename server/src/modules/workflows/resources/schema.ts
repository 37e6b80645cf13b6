// Workflows, their versions and runs as they are told.
import { type Static, Type } from 'typebox';
import {
  Closed,
  DateTime,
  NamedObject,
  Nullable,
  named,
  PrincipalRef,
  pageQuery,
  Sid,
  Text,
  Word,
  Words,
} from '../../../platform/http/input/schema.ts';
import { StepError, WorkflowDefinition } from '../definition/schema.ts';
import { runStatuses, workflowStatuses } from './states.ts';

const owner = { accountSid: Sid('AC'), livemode: Type.Boolean() };

const workflow = {
  object: Word('workflow'),
  sid: Sid('WF'),
  ...owner,
  name: Type.String(),
  status: named('WorkflowStatus', Word(...workflowStatuses)),
  latestVersion: Type.Integer(),
  /** What new runs follow, or followed until it was stopped. */
  publishedVersion: Nullable(Type.Integer()),
  /** What its runs may do: what the published version needs, which its publisher held. */
  grantedScopes: Type.Array(Type.String()),
  publishedBy: Nullable(PrincipalRef),
  publishedAt: Nullable(DateTime),
  stoppedAt: Nullable(DateTime),
  createdAt: DateTime,
  updatedAt: DateTime,
};
export const Workflow = NamedObject('Workflow', workflow);
export type Workflow = Static<typeof Workflow>;

export const WorkflowIssue = NamedObject('WorkflowIssue', {
  path: Type.String(),
  severity: Word('error', 'warning'),
  code: Type.String(),
  message: Type.String(),
});

export const DefinedWorkflow = NamedObject('DefinedWorkflow', {
  ...workflow,
  /** Of the latest version. */
  definition: WorkflowDefinition,
  issues: Type.Array(WorkflowIssue),
});
export type DefinedWorkflow = Static<typeof DefinedWorkflow>;

export const NewWorkflow = NamedObject('CreateWorkflowRequest', {
  name: Words(160),
  definition: WorkflowDefinition,
});
export type NewWorkflow = Static<typeof NewWorkflow>;

export const WorkflowVersion = NamedObject('WorkflowVersion', {
  object: Word('workflow_version'),
  workflowSid: Sid('WF'),
  ...owner,
  version: Type.Integer(),
  definition: WorkflowDefinition,
  issues: Type.Array(WorkflowIssue),
  createdBy: PrincipalRef,
  createdAt: DateTime,
});
export type WorkflowVersion = Static<typeof WorkflowVersion>;

export const WorkflowRunWait = NamedObject('WorkflowRunWait', {
  kind: Word('time', 'reply', 'event', 'answer'),
  /** The number of the step that waits. */
  position: Type.Integer(),
  /** When it ends by itself. */
  until: DateTime,
});

export const WorkflowRun = NamedObject('WorkflowRun', {
  object: Word('workflow_run'),
  sid: Sid('WR'),
  ...owner,
  workflowSid: Sid('WF'),
  version: Type.Integer(),
  status: Word(...runStatuses),
  /** Why it was stopped, or what its `stop` said of it. */
  outcome: Nullable(Type.String()),
  error: Nullable(StepError),
  contactSid: Nullable(Sid('CT')),
  /** What it is about: the contact, or the resource of an event that has none. */
  subjectSid: Type.String(),
  eventSid: Sid('EV'),
  eventType: Type.String(),
  startedByRunSid: Nullable(Sid('WR')),
  /** What it waits for; null while it does not. */
  waiting: Nullable(WorkflowRunWait),
  /** Its workflow is stopped, and so it rests where it stands. */
  held: Type.Boolean(),
  startedAt: DateTime,
  timeoutAt: DateTime,
  endedAt: Nullable(DateTime),
  updatedAt: DateTime,
});
export type WorkflowRun = Static<typeof WorkflowRun>;

export const ContactStopReason = NamedObject('StopWorkflowContactRequest', {
  reason: Type.Optional(Text(500)),
});
export type ContactStopReason = Static<typeof ContactStopReason>;

export const WorkflowContactStop = NamedObject('WorkflowContactStop', {
  object: Word('workflow_contact_stop'),
  workflowSid: Sid('WF'),
  contactSid: Sid('CT'),
  ...owner,
  reason: Nullable(Type.String()),
  stoppedBy: PrincipalRef,
  createdAt: DateTime,
});
export type WorkflowContactStop = Static<typeof WorkflowContactStop>;

export const StoppedRuns = NamedObject('StoppedWorkflowRuns', {
  object: Word('stopped_workflow_runs'),
  workflowSid: Sid('WF'),
  ...owner,
  stopped: Type.Integer(),
  /** Those that are being stopped one after the other, because there are so many. */
  remaining: Type.Integer(),
});
export type StoppedRuns = Static<typeof StoppedRuns>;

export const PageQuery = Closed(pageQuery);
