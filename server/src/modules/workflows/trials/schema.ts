// What a test run is asked, and what it answers.
import { type Static, Type } from 'typebox';
import {
  Closed,
  DateTime,
  NamedObject,
  Nullable,
  PrincipalRef,
  Sid,
  sample,
  Text,
  Word,
} from '../../../platform/http/input/schema.ts';
import { sampleOwner, sampleSid, sampleTime } from '../../../platform/samples.ts';
import { maxSeconds } from '../definition/limits.ts';
import { StepError, WorkflowEventType } from '../definition/schema.ts';
import { WorkflowIssue } from '../resources/schema.ts';

const FreeForm = Type.Unsafe<Record<string, unknown>>({ type: 'object', 'x-free-form': true });
const maybe = Type.Optional;

export const TestRequest = NamedObject('TestWorkflowRequest', {
  eventType: WorkflowEventType,
  contactSid: maybe(Sid('CT')),
  conversationSid: maybe(Sid('CO')),
  messageSid: maybe(Sid('SM')),
  payload: maybe(FreeForm),
});
export type TestRequest = Static<typeof TestRequest>;

const afterSeconds = maybe(Type.Integer({ minimum: 0, maximum: maxSeconds }));

/** `payload.simulate`: the world a test run finds itself in. */
export const Simulation = Closed({
  startAt: maybe(DateTime),
  /** What the contact answers, one for each wait that hears it; `afterSeconds` counts from where the wait begins. */
  replies: maybe(
    Type.Array(Closed({ text: maybe(Text(4_096)), message: maybe(FreeForm), afterSeconds }), {
      maxItems: 50,
    }),
  ),
  events: maybe(
    Type.Array(Closed({ eventType: WorkflowEventType, data: maybe(FreeForm), afterSeconds }), {
      maxItems: 50,
    }),
  ),
  /** Facts by their names (`window`, `suppressed`, `consent:MARKETING`, `segment:SG…`), and what endpoints answer, by the id or path of the step. */
  answers: maybe(FreeForm),
});
export type Simulation = Static<typeof Simulation>;

export const WorkflowTest = NamedObject('WorkflowTest', {
  object: Word('workflow_test'),
  sid: Sid('WR'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  workflowSid: Sid('WF'),
  version: Type.Integer(),
  test: Type.Unsafe<true>({ type: 'boolean', const: true }),
  eventType: WorkflowEventType,
  contactSid: Nullable(Sid('CT')),
  /** Whether the conditions held. */
  started: Type.Boolean(),
  /** The first condition that did not hold. */
  failedCondition: Nullable(Type.Integer()),
  /** What the conditions looked at. */
  saw: Type.Array(FreeForm),
  /** CUT_SHORT: it went on for more steps than a test shows. */
  status: Nullable(Word('COMPLETED', 'FAILED', 'TIMED_OUT', 'CUT_SHORT')),
  outcome: Nullable(Type.String()),
  error: Nullable(StepError),
  /** By the clock of the test, which waits move. */
  startedAt: DateTime,
  endedAt: DateTime,
  trace: Type.Array(FreeForm),
  issues: Type.Array(WorkflowIssue),
  createdBy: PrincipalRef,
  createdAt: DateTime,
  expiresAt: DateTime,
});
export type WorkflowTest = Static<typeof WorkflowTest>;

sample(WorkflowTest, {
  object: 'workflow_test',
  sid: sampleSid('WR'),
  ...sampleOwner,
  workflowSid: sampleSid('WF'),
  version: 1,
  test: true,
  eventType: 'MESSAGE_RECEIVED',
  contactSid: null,
  started: true,
  failedCondition: null,
  saw: [{ path: 'event.text.body', value: 'Where is my order?' }],
  status: 'COMPLETED',
  outcome: null,
  error: null,
  startedAt: sampleTime,
  endedAt: '2026-08-21T10:01:00.000Z',
  trace: [
    {
      position: 1,
      path: 'actions[0]',
      id: null,
      type: 'stop',
      outcome: 'done',
      at: sampleTime,
    },
  ],
  issues: [],
  createdBy: { type: 'user', ref: sampleSid('US') },
  createdAt: sampleTime,
  expiresAt: '2026-08-28T10:00:00.000Z',
});
