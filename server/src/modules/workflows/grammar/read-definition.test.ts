import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { eventTypes } from '../../../main/modules.ts';
import { sampleSid } from '../../../platform/samples.ts';
import type { Action } from '../definition/actions.ts';
import { actionsOf, predicatesOf } from '../definition/walk.ts';
import { catalogue, validDefinition } from '../definitions.test-data.ts';
import { readCatalogue, writtenAs } from './catalogue.ts';
import { readDefinition } from './read-definition.ts';

const detailsOf = (value: unknown, at?: string) => {
  const read = readDefinition(value, catalogue, at);
  return 'details' in read ? read.details : [];
};
const hello = { type: 'send_message', message: { type: 'text', text: { body: 'Hello' } } };
const reply = (more: object = {}) => ({ type: 'wait_for_reply', timeoutSeconds: 60, ...more });
const base = {
  trigger: { eventTypes: ['MESSAGE_RECEIVED'] },
  conditions: [] as unknown[],
  actions: [hello] as unknown[],
};
/** The path and the words of each thing that is wrong. */
const wrong = (more: object) => detailsOf({ ...base, ...more }).map(({ path, issue }) => `${path} ${issue}`);
const acting = (...actions: unknown[]) => wrong({ actions });

suite('names of events', () => {
  test('no two events of the catalogue are written alike, and none as a custom one', () => {
    const written = eventTypes.map(({ name }) => writtenAs(name));
    assert.equal(new Set(written).size, eventTypes.length);
    for (const { name } of eventTypes) {
      assert.match(writtenAs(name), /^[A-Z][A-Z0-9_]{2,63}$/);
      assert.ok(!name.startsWith('custom.') || name === 'custom.event');
      const heard = catalogue.nameOf(writtenAs(name));
      assert.ok(heard === null || heard === name || name === 'custom.event');
    }
  });

  test('events about people and messages are heard, those about rights, money and machinery are not', () => {
    const heard = eventTypes.filter(({ name }) => catalogue.nameOf(writtenAs(name)) !== null);
    assert.deepEqual([...new Set(heard.map(({ name }) => name.split('.')[0]))].sort(), [
      'consent',
      'contact',
      'conversation',
      'custom',
      'flow',
      'media',
      'message',
      'sender',
      'suppression',
      'template',
      'waba',
    ]);
    assert.equal(catalogue.nameOf('CUSTOM_ORDER_SHIPPED'), 'custom.event');
    assert.equal(catalogue.nameOf('CUSTOM_'), null);
  });

  test('the catalogue is what is declared: with nothing declared only custom events are known', () => {
    const empty = readCatalogue([]);
    assert.equal(empty.nameOf('MESSAGE_RECEIVED'), null);
    assert.equal(empty.nameOf('CUSTOM_X'), 'custom.event');
  });
});

suite('a definition that is wrong is told so at the place', () => {
  const nested = (depth: number): object =>
    depth === 0 ? hello : { type: 'repeat', max: 1, actions: [nested(depth - 1)] };
  const cases: [what: string, found: string[], expected: (string | RegExp)[]][] = [
    [
      'events',
      wrong({ trigger: { eventTypes: ['MESSAGE_RECIEVED', 'APPROVAL_REQUESTED', 'x'] } }),
      [
        /^trigger\.eventTypes\[2\] must match/,
        'trigger.eventTypes[0] is not an event type; did you mean MESSAGE_RECEIVED?',
        'trigger.eventTypes[1] is an event that workflows do not hear',
        /^trigger\.eventTypes\[2\] is not an event type/,
      ],
    ],
    ['no event', wrong({ trigger: { eventTypes: [] } }), [/^trigger\.eventTypes must have at least 1 item/]],
    [
      'too many events',
      wrong({ trigger: { eventTypes: Array.from({ length: 21 }, (_, i) => `CUSTOM_${i}`) } }),
      ['trigger.eventTypes must have at most 20 items'],
    ],
    [
      'timeouts',
      wrong({ trigger: { ...base.trigger, timeoutSeconds: 2_592_001 } }),
      ['trigger.timeoutSeconds must be at most 2592000'],
    ],
    ['unknown members', wrong({ steps: [] }), ['steps is not a known property']],
    [
      'an unknown action',
      acting({ type: 'send_mesage', message: {} }),
      [/^actions\[0\]\.type is not one of .*; did you mean send_message\?$/],
    ],
    ['an action without type', acting({}), ['actions[0].type is required']],
    ['an unknown property', acting({ ...hello, mesage: 1 }), ['actions[0].mesage is not a known property']],
    [
      'an unknown operator',
      wrong({ conditions: [{ path: 'event.type', equals: 'text' }] }),
      [/^conditions\[0\]\.equals is no operator/],
    ],
    [
      'a predicate of two kinds',
      wrong({ conditions: [{ window: 'open', suppressed: true }] }),
      [/^conditions\[0\] must have exactly one of path, all/],
    ],
    [
      'a path that is no field',
      wrong({ conditions: [{ path: 'event.text.bdy', eq: 'a' }] }),
      ['conditions[0].path event.text.bdy is no field; did you mean event.text.body?'],
    ],
    [
      'a path of no root',
      wrong({ conditions: [{ path: 'contcat.displayName', exists: true }] }),
      [/did you mean contact\?$/],
    ],
    [
      'variables before the run',
      wrong({ conditions: [{ path: 'vars.a', exists: true }] }),
      ['conditions[0].path vars is not known before the run begins'],
    ],
    [
      'a variable nobody sets',
      acting({ type: 'set_variable', name: 'total', value: { path: 'vars.totl' } }),
      ['actions[0].value.path no action sets the variable totl; did you mean total?'],
    ],
    [
      'a step nobody has',
      acting({ ...hello, id: 'ask', if: [{ path: 'steps.asks.outcome', eq: 'done' }] }),
      ['actions[0].if[0].path no action has the id asks; did you mean ask?'],
    ],
    [
      'an insertion',
      acting({
        type: 'send_message',
        message: { type: 'text', text: { body: 'Hi {{contact.displayNam}}, {{x' } },
      }),
      ['actions[0].message.text.body has {{ without }}'],
    ],
    [
      'an insertion of no field',
      acting({
        type: 'send_message',
        message: { type: 'text', text: { body: 'Hi {{contact.displayNam}}' } },
      }),
      ['actions[0].message.text.body contact.displayNam is no field; did you mean contact.displayName?'],
    ],
    [
      'a message with an address',
      acting({ type: 'send_message', message: { ...hello.message, to: '+33612345678' } }),
      ['actions[0].message.to is not a known property'],
    ],
    [
      'a message whose parts do not go together',
      acting({ type: 'send_message', message: { type: 'image', text: { body: 'x' } } }),
      [
        'actions[0].message.media is required for type image',
        'actions[0].message.text does not belong to type image',
      ],
    ],
    [
      'a template that is not written out',
      acting({
        type: 'send_message',
        message: { type: 'template', template: { name: '{{contact.locale}}', language: 'en' } },
      }),
      ['actions[0].message.template.name must be written out'],
    ],
    [
      'one id twice',
      wrong({ actions: [{ ...hello, id: 'a' }], failureActions: [{ ...hello, id: 'a' }] }),
      ['failureActions[0].id a is the id of another action'],
    ],
    [
      'a wait after failing',
      wrong({ failureActions: [{ type: 'branch', cases: [{ conditions: [], actions: [reply()] }] }] }),
      ['failureActions[0].cases[0].actions[0].type failureActions must not wait'],
    ],
    [
      'an answer awaited after timing out',
      wrong({ timeoutActions: [{ type: 'http_request', endpointSid: sampleSid('WH'), save: 'a' }] }),
      ['timeoutActions[0].save timeoutActions do not wait for the answer'],
    ],
    ['repeat without max', acting({ type: 'repeat', actions: [hello] }), ['actions[0].max is required']],
    [
      'too many rounds',
      acting({ type: 'repeat', max: 21, actions: [hello] }),
      ['actions[0].max must be at most 20'],
    ],
    [
      'two ways of waiting',
      acting({ type: 'wait', seconds: 1, until: '2026-08-21T10:00:00Z' }),
      [/^actions\[0\]\.seconds exactly one of/, /^actions\[0\]\.until exactly one of/],
    ],
    [
      'no way of waiting',
      acting({ type: 'wait' }),
      [/^actions\[0\] exactly one of seconds, until, localTime/],
    ],
    [
      'a moment that does not exist',
      acting({ type: 'wait', until: '2026-02-30T10:00:00Z' }),
      [/^actions\[0\]\.until must be an RFC 3339/],
    ],
    [
      'a zone that does not exist',
      acting({ type: 'wait', localTime: { at: '09:00', timezone: 'Europe/Pari' } }),
      [/^actions\[0\]\.localTime\.timezone must be contact or a time zone/],
    ],
    [
      'consent without a reply',
      acting({ type: 'record_consent', purpose: 'MARKETING', status: 'OPTED_IN' }),
      [/^actions\[0\]\.reply is required/],
    ],
    [
      'consent by what is no reply',
      acting(
        { ...hello, id: 'a' },
        { type: 'record_consent', purpose: 'MARKETING', status: 'OPTED_IN', reply: 'a' },
      ),
      ['actions[1].reply is not the id of a wait_for_reply'],
    ],
    [
      'words without a letter',
      wrong({ conditions: [{ path: 'event.text.body', words: ['?!'] }] }),
      [/^conditions\[0\]\.words must be a list/],
    ],
    ['nothing to set', acting({ type: 'set_contact' }), ['actions[0] must set something']],
    ['depth', acting(nested(5)), [/must be nested at most 5 levels deep$/]],
    [
      'the number of actions',
      acting(...Array.from({ length: 201 }, () => hello)),
      ['actions[200] is one action too many: there may be 200'],
    ],
    [
      'the number of predicates',
      wrong({ conditions: Array.from({ length: 51 }, () => ({ window: 'open' })) }),
      ['conditions[50] is one predicate too many: there may be 50'],
    ],
    [
      'size',
      acting({ type: 'set_variable', name: 'a', value: 'x'.repeat(64 * 1024) }),
      ['body must be at most 64 KiB as JSON'],
    ],
  ];
  for (const [what, found, expected] of cases) {
    test(what, () => {
      assert.equal(found.length, expected.length, found.join('\n'));
      for (const [i, one] of expected.entries()) {
        if (typeof one === 'string') assert.equal(found[i], one);
        else assert.match(found[i]!, one);
      }
    });
  }

  test('below the place where the definition stands', () => {
    const paths = (value: unknown) => detailsOf(value, 'definition').map(({ path }) => path);
    assert.deepEqual(paths({ ...base, actions: [{}] }), ['definition.actions[0].type']);
    assert.deepEqual(paths(5), ['definition']);
  });

  test('five levels are not too deep, and a path is looked up in every event that triggers', () => {
    assert.deepEqual(acting(nested(4)), []);
    const trigger = { eventTypes: ['MESSAGE_RECEIVED', 'CUSTOM_PAID'] };
    const conditions = [
      { path: 'event.payload.order', eq: 1 },
      { path: 'event.text.body', eq: 'a' },
    ];
    assert.deepEqual(wrong({ trigger, conditions }), []);
  });

  test('in what an event must match, event is the event that is waited for', () => {
    const wait = { type: 'wait_for_event', eventTypes: ['CONVERSATION_CLOSED'], timeoutSeconds: 60 };
    assert.deepEqual(acting({ ...wait, match: [{ path: 'event.closedAt', exists: true }] }), []);
    assert.deepEqual(acting({ ...wait, match: [{ path: 'event.text.body', eq: 'a' }] }), [
      'actions[0].match[0].path event.text.body is no field',
    ]);
  });
});

suite('of all definitions', () => {
  test('those that are valid are read as they are, and as they come back from JSON', () => {
    fc.assert(
      fc.property(validDefinition, (definition) => {
        assert.deepEqual(detailsOf(definition), []);
        assert.deepEqual(readDefinition(JSON.parse(JSON.stringify(definition)), catalogue), { definition });
      }),
      { numRuns: 100 },
    );
  });

  test('one with a single mistake is told of that place', () => {
    const mistakes: [name: string, value: unknown, path: string][] = [
      ['surprise', 1, 'surprise'],
      ['onError', 'ignore', 'onError'],
      ['if', [{ path: 'contact.displayNme', exists: true }], 'if[0].path'],
      ['if', [{ widnow: 'open' }], 'if[0]'],
      ['type', 'do_something', 'type'],
      ['id', '1', 'id'],
    ];
    fc.assert(
      fc.property(
        validDefinition,
        fc.nat(),
        fc.constantFrom(...mistakes),
        (definition, at, [name, value, path]) => {
          const copy = structuredClone(definition);
          const places = [...actionsOf(copy)];
          const place = places[at % places.length]!;
          (place.action as Record<keyof Action, unknown>)[name as keyof Action] = value;
          const paths = detailsOf(copy).map((detail) => detail.path);
          assert.ok(paths.includes(`${place.path}.${path}`), paths.join(', '));
        },
      ),
      { numRuns: 100 },
    );
  });

  test('one with a mistake in a predicate is told of that predicate', () => {
    fc.assert(
      fc.property(validDefinition, fc.nat(), (definition, at) => {
        const copy = structuredClone(definition);
        const places = [...predicatesOf(copy)];
        fc.pre(places.length > 0);
        const place = places[at % places.length]!;
        Object.assign(place.predicate, { surprise: 1 });
        const paths = detailsOf(copy).map((detail) => detail.path);
        assert.ok(paths.includes(`${place.path}.surprise`), paths.join(', '));
      }),
      { numRuns: 100 },
    );
  });

  test('any JSON is read or refused with places, and nothing throws', () => {
    const words = [
      'type',
      'path',
      'if',
      'all',
      'not',
      'cases',
      'actions',
      'message',
      'branch',
      'repeat',
      'event.x',
      '{{',
    ];
    const key = fc.oneof(fc.constantFrom(...words, 'trigger', 'conditions', 'hours', 'save'), fc.string());
    const { json } = fc.letrec<{ json: unknown }>((tie) => ({
      json: fc.oneof(
        { maxDepth: 5, withCrossShrink: true },
        fc.constantFrom<unknown>(null, true, 5, -1.5, 'send_message', 'branch', 'wait_for_event', '{{a|b}}'),
        fc.string(),
        fc.array(tie('json'), { maxLength: 4 }),
        fc.dictionary(key, tie('json'), { maxKeys: 5 }),
      ),
    }));
    const framed = fc.record({ trigger: json, conditions: fc.array(json), actions: fc.array(json) });
    fc.assert(
      fc.property(fc.oneof(json, framed), (value) => {
        for (const { path, issue } of detailsOf(value)) assert.ok(path.length > 0 && issue.length > 0);
      }),
      { numRuns: 500 },
    );
    assert.ok(detailsOf(JSON.parse('['.repeat(5_000) + ']'.repeat(5_000))).length > 0);
  });

  test('any action replaced by any JSON is refused or valid, and nothing throws', () => {
    fc.assert(
      fc.property(validDefinition, fc.nat(), fc.jsonValue(), (definition, at, value) => {
        const copy = structuredClone(definition);
        const places = [...actionsOf(copy)];
        const { action } = places[at % places.length]!;
        const names = Object.keys(action);
        Object.assign(action, { [names[at % names.length]!]: value });
        detailsOf(copy);
      }),
      { numRuns: 200 },
    );
  });
});
