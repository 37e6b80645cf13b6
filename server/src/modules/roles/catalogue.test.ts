import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allScopes } from '../../main/scopes.ts';
import { type Role, roleCatalogue, scopesOfRole } from './catalogue.ts';

test('every scope an operation asks for is held by some role', () => {
  const held = new Set((Object.keys(roleCatalogue) as Role[]).flatMap(scopesOfRole));
  assert.deepEqual(
    allScopes.filter((scope) => !held.has(scope)),
    [],
  );
});
