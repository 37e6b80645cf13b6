// The actions, one schema each. The lists inside them are walked by `walk.ts` and judged one action at a time, so that an error
// is told at its own place and not once for every kind of action it might have been.
import { type Static, type TProperties, Type } from 'typebox';
import { Closed, Nullable, Sid, Text, Word } from '../../../platform/http/input/schema.ts';
import { consentPurposes, fieldNames } from '../../contacts/index.ts';
import type { UnaddressedMessage } from '../../messages/index.ts';
import { maxAnswerSeconds, maxCases, maxEventTypes, maxRounds, maxSeconds } from './limits.ts';
import { Days, type Plain, type Predicate, type Ref, TimeOfDay, Zone } from './predicates.ts';
import { WorkflowEventType, type WorkflowTrigger } from './schema.ts';

const maybe = Type.Optional;
const anObject = { type: 'object', 'x-free-form': true };
/** Names of variables and steps: parts of paths, so without dots. */
export const Name = Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_]{0,63}$' });
const Conditions = Type.Unsafe<Predicate[]>({ type: 'array', items: anObject });
const List = (minItems = 0) => Type.Unsafe<object[]>({ type: 'array', items: anObject, minItems });
/** A plain value, a text with insertions or `{ path }`. */
const Value = Type.Unsafe<Plain | Ref>({});
const Seconds = Type.Integer({ minimum: 1, maximum: maxSeconds });
const yes = Type.Unsafe<true>({ const: true });

const action = <T extends string, P extends TProperties>(type: T, properties: P) =>
  Closed({
    type: Word(type),
    id: maybe(Name),
    if: maybe(Conditions),
    onError: maybe(Word('fail', 'continue')),
    ...properties,
  });

const fields = Object.fromEntries(fieldNames.map((name) => [name, maybe(Value)])) as Record<
  (typeof fieldNames)[number],
  ReturnType<typeof maybe<typeof Value>>
>;

export const actionSchemas = {
  send_message: action('send_message', {
    message: Type.Unsafe<UnaddressedMessage>(anObject),
    /** Whether a colleague who is writing an answer is waited for. */
    holdForAgent: maybe(Type.Boolean()),
  }),
  wait: action('wait', {
    seconds: maybe(Seconds),
    until: maybe(Type.Unsafe<string | Ref>({})),
    localTime: maybe(Closed({ at: TimeOfDay, timezone: Zone, days: maybe(Days) })),
  }),
  wait_for_reply: action('wait_for_reply', {
    timeoutSeconds: Seconds,
    save: maybe(Name),
    onTimeout: maybe(List()),
  }),
  wait_for_event: action('wait_for_event', {
    eventTypes: Type.Array(WorkflowEventType, { minItems: 1, maxItems: maxEventTypes, uniqueItems: true }),
    match: maybe(Conditions),
    timeoutSeconds: Seconds,
    save: maybe(Name),
    onTimeout: maybe(List()),
  }),
  branch: action('branch', {
    cases: Type.Array(Closed({ conditions: Conditions, actions: List() }), {
      minItems: 1,
      maxItems: maxCases,
    }),
    else: maybe(List()),
  }),
  split: action('split', {
    cases: Type.Array(Closed({ weight: Type.Integer({ minimum: 1, maximum: 10_000 }), actions: List() }), {
      minItems: 2,
      maxItems: maxCases,
    }),
  }),
  repeat: action('repeat', {
    max: Type.Integer({ minimum: 1, maximum: maxRounds }),
    while: maybe(Conditions),
    actions: List(1),
  }),
  set_variable: action('set_variable', { name: Name, value: Value }),
  set_contact: action('set_contact', {
    attributes: maybe(
      Type.Unsafe<Record<string, Plain | Ref>>({ ...anObject, minProperties: 1, maxProperties: 50 }),
    ),
    ...fields,
  }),
  record_consent: action('record_consent', {
    purpose: Word(...consentPurposes),
    status: Word('OPTED_IN', 'OPTED_OUT'),
    /** The `wait_for_reply` whose reply is the evidence. */
    reply: maybe(Name),
    wording: maybe(Text(4096, 1)),
  }),
  suppress: action('suppress', {
    scope: Word('MARKETING', 'ALL'),
    reason: maybe(Word('CUSTOMER_OPT_OUT', 'COMPLAINT', 'TENANT_BLOCKLIST')),
  }),
  assign_conversation: action('assign_conversation', {
    assigneeSid: maybe(Nullable(Sid('US'))),
    roundRobin: maybe(yes),
    leastOpen: maybe(yes),
  }),
  move_conversation: action('move_conversation', { inboxSid: Nullable(Sid('IB')) }),
  close_conversation: action('close_conversation', {}),
  reopen_conversation: action('reopen_conversation', {}),
  http_request: action('http_request', {
    endpointSid: Sid('WH'),
    body: maybe(Type.Unsafe<Record<string, unknown>>(anObject)),
    timeoutSeconds: maybe(Type.Integer({ minimum: 1, maximum: maxAnswerSeconds })),
    save: maybe(Name),
  }),
  notify: action('notify', {
    userSids: maybe(Type.Array(Sid('US'), { minItems: 1, maxItems: 20, uniqueItems: true })),
    inboxSid: maybe(Sid('IB')),
    assignee: maybe(yes),
  }),
  start_workflow: action('start_workflow', { workflowSid: Sid('WF') }),
  stop: action('stop', { outcome: maybe(Text(64, 1)) }),
};

export type ActionType = keyof typeof actionSchemas;
export const actionTypes = Object.keys(actionSchemas) as ActionType[];
export const isActionType = (type: unknown): type is ActionType =>
  typeof type === 'string' && Object.hasOwn(actionSchemas, type);

/** Of these an action has exactly one. */
export const oneOfThese: Partial<Record<ActionType, string[]>> = {
  wait: ['seconds', 'until', 'localTime'],
  assign_conversation: ['assigneeSid', 'roundRobin', 'leastOpen'],
  notify: ['userSids', 'inboxSid', 'assignee'],
};

export const waits: ReadonlySet<string> = new Set(['wait', 'wait_for_reply', 'wait_for_event']);

type Written = { [T in ActionType]: Static<(typeof actionSchemas)[T]> };
type Nesting = {
  wait_for_reply: { onTimeout?: Action[] };
  wait_for_event: { onTimeout?: Action[] };
  branch: { cases: { conditions: Predicate[]; actions: Action[] }[]; else?: Action[] };
  split: { cases: { weight: number; actions: Action[] }[] };
  repeat: { actions: Action[] };
};
export type ActionOf<T extends ActionType> = T extends keyof Nesting
  ? Omit<Written[T], keyof Nesting[T]> & Nesting[T]
  : Written[T];
export type Action = { [T in ActionType]: ActionOf<T> }[ActionType];

export const sections = ['actions', 'failureActions', 'timeoutActions'] as const;
export type Section = (typeof sections)[number];

/** A definition that was read. */
export type Definition = {
  trigger: WorkflowTrigger;
  conditions: Predicate[];
  actions: Action[];
  failureActions?: Action[];
  timeoutActions?: Action[];
};
