// Valid definitions of every kind, for properties that must hold of all of them.
import fc from 'fast-check';
import { eventTypes } from '../../main/modules.ts';
import { sampleSid } from '../../platform/samples.ts';
import type { Action, Definition } from './definition/actions.ts';
import { maxActions, maxPredicates } from './definition/limits.ts';
import type { Predicate } from './definition/predicates.ts';
import { actionsOf, listsIn, predicatesOf } from './definition/walk.ts';
import { readCatalogue } from './grammar/catalogue.ts';

export const catalogue = readCatalogue(eventTypes);

const early = ['event.text.body', 'contact.displayName', 'contact.attributes.plan', 'message.type'];
const during = [...early, 'vars.a', 'vars.b', 'run.sid', 'error.code', 'steps.first.outcome'];
const plain = fc.constantFrom<string | number | null | boolean>('gold', 'Yes please', 3, true, null);

const pathTest = (paths: string[]): fc.Arbitrary<Predicate> => {
  const path = fc.constantFrom(...paths);
  const orPath = <T>(value: fc.Arbitrary<T>) =>
    fc.oneof({ weight: 3, arbitrary: value }, fc.record({ path }));
  return fc.oneof(
    fc.record({ path, eq: orPath(plain) }),
    fc.record({ path, ne: orPath(plain) }),
    fc.record({ path, in: orPath(fc.array(plain, { maxLength: 3 })) }),
    fc.record({ path, gte: orPath(fc.constantFrom<string | number>(2, 'b')), lt: fc.constant(9) }),
    fc.record({ path, exists: fc.boolean() }),
    fc.record({ path, contains: orPath(plain) }),
    fc.record({ path, startsWith: fc.constantFrom('Y', 'go') }),
    fc.record({ path, words: fc.constantFrom<string[]>(['yes'], ['no', 'Gold']) }),
  );
};

const factTest: fc.Arbitrary<Predicate> = fc.constantFrom<Predicate>(
  { segmentSid: sampleSid('SG') },
  { consent: { purpose: 'MARKETING', status: 'OPTED_IN' } },
  { suppressed: false },
  { window: 'open' },
  { hours: { timezone: 'Europe/Paris', days: ['MON', 'FRI'], from: '09:00', to: '17:30' } },
  { hours: { timezone: 'contact', from: '22:00', to: '06:00' } },
);

const predicate = (paths: string[]): fc.Arbitrary<Predicate> => {
  const leaf = fc.oneof({ weight: 3, arbitrary: pathTest(paths) }, factTest);
  const group = fc.oneof(
    fc.record({ all: fc.array(leaf, { minLength: 1, maxLength: 2 }) }),
    fc.record({ any: fc.array(leaf, { minLength: 1, maxLength: 2 }) }),
    fc.record({ not: leaf }),
  );
  return fc.oneof({ weight: 4, arbitrary: leaf }, group);
};
const conditions = (paths: string[]) => fc.array(predicate(paths), { maxLength: 1 });

const text = fc.constantFrom(
  'Hello {{contact.displayName|there}}',
  'Plain words',
  'You said {{vars.a}}, {{vars.b}}',
);
const message = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text: fc.record({ body: text }) }),
  fc.constant({ type: 'template' as const, template: { name: 'order_update', language: 'en' } }),
);
const variable = fc.constantFrom('a', 'b');
const seconds = fc.constantFrom(60, 3_600, 90_000);
const value = fc.oneof(plain, text, fc.constantFrom({ path: 'event.text.body' }, { path: 'vars.b' }));

/** Kinds of action that hold no others; those that wait stand only where a run may wait. */
const simple = (mayWait: boolean): fc.Arbitrary<object> => {
  const acting = [
    fc.record({ type: fc.constant('send_message'), message, holdForAgent: fc.boolean() }),
    fc.record({ type: fc.constant('set_variable'), name: variable, value }),
    fc.record({
      type: fc.constant('set_contact'),
      attributes: fc.record({ plan: value }),
      locale: fc.constant('fr'),
    }),
    fc.record({
      type: fc.constant('record_consent'),
      purpose: fc.constant('MARKETING'),
      status: fc.constant('OPTED_OUT'),
    }),
    fc.constantFrom<object>(
      { type: 'suppress', scope: 'MARKETING' },
      { type: 'assign_conversation', leastOpen: true },
      { type: 'assign_conversation', assigneeSid: sampleSid('US') },
      { type: 'move_conversation', inboxSid: sampleSid('IB') },
      { type: 'close_conversation' },
      { type: 'reopen_conversation' },
      { type: 'notify', assignee: true },
      { type: 'start_workflow', workflowSid: sampleSid('WF') },
      { type: 'http_request', endpointSid: sampleSid('WH'), body: { name: '{{contact.displayName}}' } },
      { type: 'stop', outcome: 'enough' },
    ),
  ];
  const waiting = [
    fc.record({ type: fc.constant('wait'), seconds }),
    fc.constantFrom<object>(
      { type: 'wait', until: '2026-08-22T10:00:00Z' },
      { type: 'wait', until: { path: 'contact.attributes.plan' } },
      { type: 'wait', localTime: { at: '09:00', timezone: 'Europe/Paris', days: ['MON'] } },
      { type: 'http_request', endpointSid: sampleSid('WH'), save: 'b', timeoutSeconds: 60 },
    ),
  ];
  return fc.oneof(...acting, ...(mayWait ? waiting : []));
};

const nesting = (mayWait: boolean, inner: fc.Arbitrary<object[]>): fc.Arbitrary<object> => {
  const timeoutSeconds = seconds;
  const waiting = [
    fc.record({ type: fc.constant('wait_for_reply'), timeoutSeconds, save: variable, onTimeout: inner }),
    fc.record({
      type: fc.constant('wait_for_event'),
      eventTypes: fc.constantFrom(['MESSAGE_RECEIVED'], ['CONVERSATION_CLOSED', 'CUSTOM_PAID']),
      match: conditions(['event.object', 'vars.a']),
      timeoutSeconds,
      onTimeout: inner,
    }),
  ];
  const filledInner = inner.filter((list) => list.length > 0);
  return fc.oneof(
    fc.record({
      type: fc.constant('branch'),
      cases: fc.array(fc.record({ conditions: conditions(during), actions: inner }), {
        minLength: 1,
        maxLength: 2,
      }),
      else: inner,
    }),
    fc.record({
      type: fc.constant('split'),
      cases: fc.array(fc.record({ weight: fc.integer({ min: 1, max: 9 }), actions: inner }), {
        minLength: 2,
        maxLength: 3,
      }),
    }),
    fc.record({
      type: fc.constant('repeat'),
      max: fc.integer({ min: 1, max: 4 }),
      while: conditions(during),
      actions: filledInner,
    }),
    ...(mayWait ? waiting : []),
  );
};

const list = (mayWait: boolean, depth: number): fc.Arbitrary<object[]> => {
  const some = simple(mayWait);
  const one =
    depth === 0 ? some : fc.oneof({ weight: 2, arbitrary: some }, nesting(mayWait, list(mayWait, depth - 1)));
  const company = fc.record(
    { if: conditions(during), onError: fc.constantFrom('fail', 'continue') },
    { requiredKeys: [] },
  );
  const action = fc.tuple(one, company).map(([own, more]) => ({ ...own, ...more }));
  return fc.array(action, { maxLength: 3 });
};

/** Sets what paths name, so that every one of them is known. */
const opening = [
  { type: 'set_variable', id: 'first', name: 'a', value: 'gold' },
  { type: 'set_variable', name: 'b', value: 3 },
];

export const validDefinition: fc.Arbitrary<Definition> = fc
  .record({
    trigger: fc.record(
      {
        eventTypes: fc.constantFrom(['MESSAGE_RECEIVED'], ['MESSAGE_RECEIVED', 'CUSTOM_PAID']),
        allowReentry: fc.boolean(),
        timeoutSeconds: fc.constantFrom(86_400, 2_592_000),
      },
      { requiredKeys: ['eventTypes'] },
    ),
    conditions: conditions(early),
    actions: list(true, 2).map((actions) => [...opening, ...actions]),
    failureActions: list(false, 1),
    timeoutActions: list(false, 1),
  })
  .map((made) => withIds(made as unknown as Definition))
  .filter(
    (made) => [...actionsOf(made)].length <= maxActions && [...predicatesOf(made)].length <= maxPredicates,
  );

/** Every second action gets an id of its own. */
function withIds(definition: Definition): Definition {
  const copy = structuredClone(definition);
  let count = 0;
  const number = (actions: Action[]) => {
    for (const action of actions) {
      count += 1;
      if (count % 2 === 0 && action.id === undefined) action.id = `step${count}`;
      for (const inner of listsIn(action)) number(inner.actions as Action[]);
    }
  };
  for (const actions of [copy.actions, copy.failureActions, copy.timeoutActions]) number(actions ?? []);
  return copy;
}
