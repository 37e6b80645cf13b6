// The shapes that cross the wire. What stands inside the lists is judged by the grammar, which names every place.
import { type Static, Type } from 'typebox';
import {
  Closed,
  DateTime,
  NamedObject,
  Nullable,
  named,
  notEmpty,
  Sid,
  Word,
} from '../../../platform/http/input/schema.ts';
import { maxSeconds } from './limits.ts';

const FreeForm = Type.Unsafe<Record<string, unknown>>({ type: 'object', 'x-free-form': true });
const List = Type.Array(FreeForm);

/** An event as workflows write it: `MESSAGE_RECEIVED` is `message.received`. */
export const WorkflowEventType = named(
  'WorkflowEventType',
  Type.String({ pattern: '^[A-Z][A-Z0-9_]{2,63}$' }),
);

export const WorkflowTrigger = NamedObject('WorkflowTrigger', {
  eventTypes: Type.Array(WorkflowEventType, notEmpty),
  allowReentry: Type.Optional(Type.Boolean()),
  timeoutSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: maxSeconds })),
});
export type WorkflowTrigger = Static<typeof WorkflowTrigger>;

export const WorkflowDefinition = NamedObject('WorkflowDefinition', {
  trigger: WorkflowTrigger,
  conditions: List,
  actions: List,
  failureActions: Type.Optional(List),
  timeoutActions: Type.Optional(List),
});

/** What a business tells of itself: the data of `custom.event`. */
export const CustomEvent = NamedObject('CustomEvent', {
  object: Word('custom_event'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  eventType: WorkflowEventType,
  contactSid: Sid('CT'),
  payload: FreeForm,
  createdAt: DateTime,
});
export type CustomEvent = Static<typeof CustomEvent>;

/** What a path that begins with `run` may name. */
export const RunFacts = Closed({
  sid: Sid('WR'),
  workflowSid: Sid('WF'),
  version: Type.Integer(),
  eventType: Nullable(WorkflowEventType),
  startedAt: DateTime,
  timeoutAt: DateTime,
});
export type RunFacts = Static<typeof RunFacts>;

/** What a path that begins with `error` may name: the last step that failed. */
export const StepError = NamedObject('WorkflowStepError', {
  code: Type.String(),
  message: Type.String(),
  path: Type.String(),
});
export type StepError = Static<typeof StepError>;
