import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { sampleSid } from '../../../platform/samples.ts';
import { roleCatalogue } from '../../roles/catalogue.ts';
import type { Definition } from '../definition/actions.ts';
import { catalogue, validDefinition } from '../definitions.test-data.ts';
import { readDefinition } from '../grammar/read-definition.ts';
import { eventNamesOf, neededScopes, scopesOf, waitedNamesOf } from './needs.ts';
import { referencesOf } from './references.ts';
import { issuesOf } from './window.ts';

function read(actions: object[], more: object = {}): Definition {
  const value = { trigger: { eventTypes: ['MESSAGE_RECEIVED'] }, conditions: [], actions, ...more };
  const result = readDefinition(value, catalogue);
  assert.ok('definition' in result, JSON.stringify(result));
  return result.definition;
}
const say = { type: 'send_message', message: { type: 'text', text: { body: 'Hello' } } };
const template = {
  type: 'send_message',
  message: { type: 'template', template: { name: 'order', language: 'en' } },
};
const hours = (count: number) => ({ type: 'wait', seconds: count * 3_600 });
const reply = (count: number, onTimeout: object[] = []) => ({
  type: 'wait_for_reply',
  timeoutSeconds: count * 3_600,
  onTimeout,
});
const stop = { type: 'stop' };

suite('a message that is no template', () => {
  const fine: object[] = [];
  const custom = { trigger: { eventTypes: ['CUSTOM_PAID'] } };
  const open = [{ window: 'open' }];
  const cases: [what: string, definition: Definition, issues: object[]][] = [
    ['at once', read([say]), fine],
    ['within a day', read([hours(23), say]), fine],
    ['after a day', read([hours(24), say]), [{ 'actions[1]': 'error' }]],
    ['after two waits of half a day', read([hours(12), hours(12), say]), [{ 'actions[2]': 'error' }]],
    ['a template after a day', read([hours(48), template]), fine],
    ['after a reply', read([hours(48), reply(1, [stop]), say]), fine],
    ['after a reply or a long silence', read([reply(25), say]), [{ 'actions[1]': 'warning' }]],
    ['in what follows a long silence', read([reply(25, [say])]), [{ 'actions[0].onTimeout[0]': 'error' }]],
    ['after a short silence', read([reply(2, [say]), say]), fine],
    ['started by something else', read([say], custom), [{ 'actions[0]': 'warning' }]],
    ['started by something else, asked for the window', read([{ ...say, if: open }], custom), fine],
    [
      'asked for the window too early',
      read([hours(1), say], { ...custom, conditions: open }),
      [{ 'actions[1]': 'warning' }],
    ],
    [
      'where the window is closed',
      read([
        { type: 'branch', cases: [{ conditions: [{ window: 'closed' }], actions: [say] }], else: [say] },
      ]),
      [{ 'actions[0].cases[0].actions[0]': 'error' }],
    ],
    [
      'after one of two ways',
      read([
        {
          type: 'split',
          cases: [
            { weight: 1, actions: [hours(30)] },
            { weight: 1, actions: [] },
          ],
        },
        say,
      ]),
      [{ 'actions[1]': 'warning' }],
    ],
    ['after what may be skipped', read([{ ...hours(30), if: open }, say]), [{ 'actions[1]': 'warning' }]],
    ['repeated every ten hours', read([{ type: 'repeat', max: 3, actions: [say, hours(10)] }]), fine],
    [
      'repeated every fifteen hours',
      read([{ type: 'repeat', max: 3, actions: [say, hours(15)] }]),
      [{ 'actions[0].actions[0]': 'warning' }],
    ],
    [
      'after three rounds of twelve hours',
      read([{ type: 'repeat', max: 3, actions: [hours(12)] }, say]),
      [{ 'actions[1]': 'error' }],
    ],
    [
      'after up to three rounds of twelve hours',
      read([{ type: 'repeat', max: 3, while: open, actions: [hours(12)] }, say]),
      [{ 'actions[1]': 'warning' }],
    ],
    [
      'repeated as long as somebody answers',
      read([{ type: 'repeat', max: 20, actions: [say, reply(20, [stop])] }]),
      fine,
    ],
    [
      'until a moment',
      read([{ type: 'wait', until: '2026-08-21T10:00:00Z' }, say]),
      [{ 'actions[1]': 'warning' }],
    ],
    [
      'the next morning',
      read([{ type: 'wait', localTime: { at: '09:00', timezone: 'contact' } }, say]),
      [{ 'actions[1]': 'warning' }],
    ],
    [
      'after an event that says nothing of the contact',
      read([
        { type: 'wait_for_event', eventTypes: ['CUSTOM_PAID'], timeoutSeconds: 90_000, onTimeout: [stop] },
        say,
      ]),
      [{ 'actions[1]': 'warning' }],
    ],
    [
      'when the run timed out after a month',
      read([hours(1)], { timeoutActions: [say] }),
      [{ 'timeoutActions[0]': 'error' }],
    ],
    [
      'when the run timed out after an hour',
      read([hours(2)], {
        timeoutActions: [say],
        trigger: { eventTypes: ['MESSAGE_RECEIVED'], timeoutSeconds: 3_600 },
      }),
      fine,
    ],
    [
      'when the run failed at once or late',
      read([hours(30)], { failureActions: [say] }),
      [{ 'failureActions[0]': 'warning' }],
    ],
    ['where no run comes by', read([stop, hours(48), say]), fine],
  ];
  for (const [what, definition, expected] of cases) {
    test(`${what}: ${JSON.stringify(expected)}`, () => {
      const found = issuesOf(definition).map(({ path, severity }) => ({ [path]: severity }));
      assert.deepEqual(found, expected);
    });
  }

  test('in repeats inside repeats is judged without going through every round of them', () => {
    const nested = (depth: number): object =>
      depth === 0 ? say : { type: 'repeat', max: 20, actions: [...Array(10).fill(say), nested(depth - 1)] };
    assert.deepEqual(issuesOf(read([nested(4)])), []);
  });

  test('is judged in every definition, with a place and a reason', () => {
    fc.assert(
      fc.property(validDefinition, (definition) => {
        for (const { path, severity, code, message } of issuesOf(definition)) {
          assert.match(path, /^(actions|failureActions|timeoutActions)\[/);
          assert.equal(code, severity === 'error' ? 'WINDOW_CLOSED' : 'WINDOW_MAY_BE_CLOSED');
          assert.ok(message.length > 0);
        }
      }),
      { numRuns: 100 },
    );
  });
});

suite('what a definition needs', () => {
  const definition = read(
    [
      {
        type: 'branch',
        cases: [{ conditions: [{ not: { segmentSid: sampleSid('SG') } }], actions: [template] }],
      },
      {
        type: 'send_message',
        message: {
          type: 'image',
          media: { sid: sampleSid('ME') },
          from: sampleSid('WA'),
          statusCallbackSid: sampleSid('WH'),
        },
      },
      { type: 'send_message', message: { contentSid: sampleSid('HX'), senderPoolSid: sampleSid('SP') } },
      { type: 'assign_conversation', assigneeSid: sampleSid('US') },
      { type: 'move_conversation', inboxSid: sampleSid('IB') },
      { type: 'http_request', endpointSid: sampleSid('WH', '1') },
      {
        type: 'wait_for_event',
        eventTypes: ['CUSTOM_A', 'CUSTOM_B', 'MESSAGE_READ'],
        timeoutSeconds: 60,
        onTimeout: [reply(1)],
      },
    ],
    {
      failureActions: [
        { type: 'notify', userSids: [sampleSid('US', '1')] },
        { type: 'start_workflow', workflowSid: sampleSid('WF') },
        { type: 'suppress', scope: 'ALL' },
      ],
    },
  );

  test('is every SID and template it names, with its place', () => {
    const kinds = referencesOf(definition).map((reference) => `${reference.kind} ${reference.path}`);
    assert.deepEqual(kinds, [
      'segment actions[0].cases[0].conditions[0].not.segmentSid',
      'template actions[0].cases[0].actions[0].message.template',
      'sender actions[1].message.from',
      'endpoint actions[1].message.statusCallbackSid',
      'media actions[1].message.media.sid',
      'senderPool actions[2].message.senderPoolSid',
      'content actions[2].message.contentSid',
      'user actions[3].assigneeSid',
      'inbox actions[4].inboxSid',
      'endpoint actions[5].endpointSid',
      'user failureActions[0].userSids[0]',
      'workflow failureActions[1].workflowSid',
    ]);
  });

  test('of scopes is what operations doing the same ask for', () => {
    assert.deepEqual(neededScopes(definition), [
      'contacts:write',
      'inboxes:write',
      'messages:send',
      'webhooks:write',
    ]);
    assert.deepEqual(scopesOf(definition).at(-1), { path: 'failureActions[2]', scope: 'contacts:write' });
    assert.deepEqual(neededScopes(read([hours(1), stop])), []);
    const known = new Set(Object.values(roleCatalogue).flatMap(({ scopes }) => scopes));
    for (const scope of neededScopes(definition)) assert.ok(known.has(scope), scope);
  });

  test('of events is what starts it and what its runs wait for', () => {
    assert.deepEqual(eventNamesOf(definition, catalogue), ['message.received']);
    assert.deepEqual(waitedNamesOf(definition, catalogue), [
      'custom.event',
      'message.read',
      'message.received',
    ]);
  });

  test('names every SID there is in any definition', () => {
    fc.assert(
      fc.property(validDefinition, (any) => {
        const named = new Set(
          referencesOf(any).flatMap((reference) => ('sid' in reference ? [reference.sid] : [])),
        );
        const written = JSON.stringify(any).match(/\b[A-Z]{2}01K3[0-9A-Z]{22}\b/g) ?? [];
        assert.deepEqual([...named].sort(), [...new Set(written)].sort());
      }),
      { numRuns: 100 },
    );
  });
});
