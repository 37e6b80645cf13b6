import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventTypes, operations } from '../src/main/modules.ts';
import { allScopes } from '../src/main/scopes.ts';
import { knowListeners, listenersOf } from '../src/modules/live/index.ts';

test('every type of event can be heard with a scope that an operation asks for', () => {
  const unheard = eventTypes.filter(({ name }) => {
    const scopes = listenersOf(name);
    return scopes.length === 0 || scopes.some((scope) => !allScopes.includes(scope));
  });
  assert.deepEqual(
    unheard.map(({ name }) => name),
    [],
  );
});

test('whoever may read a resource hears of it, and nobody else', () => {
  for (const [type, scopes] of Object.entries({
    'message.delivered': ['messages:read'],
    'conversation.opened': ['inboxes:read'],
    'role_binding.created': ['audit:read', 'roles:write'],
    'segment.refreshed': ['contacts:read'],
    'test.ping': ['webhooks:read'],
  }))
    assert.deepEqual(listenersOf(type), scopes, type);
});

test('a type that nobody declared is heard by nobody', (context) => {
  context.after(() => knowListeners(eventTypes, operations));
  assert.deepEqual(listenersOf('secret.told'), []);
  const [type] = eventTypes;
  knowListeners([{ ...type!, name: 'secret.told' }], []);
  assert.deepEqual(listenersOf('secret.told'), []);
});
