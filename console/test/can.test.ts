import assert from 'node:assert/strict';
import { test } from 'node:test';
import { api } from '../../server/src/main/modules.ts';
import { type Role, roleCatalogue, scopesOfRole } from '../../server/src/modules/roles/catalogue.ts';
import { canWith, type OperationId } from '../src/api/can.ts';

test('the console lets every role call exactly what the service lets it call', () => {
  for (const role of Object.keys(roleCatalogue) as Role[]) {
    const scopes = scopesOfRole(role);
    const can = canWith(scopes);
    // What answers with other than JSON for a program, such as a redirect, has no method and is not asked about.
    const operations = api.operations.filter(({ access }) => typeof access !== 'string');
    assert.ok(operations.length > 100);
    for (const { id, access, alsoNeeds } of operations) {
      const serves =
        (access as readonly string[]).some((scope) => scopes.includes(scope)) &&
        (!alsoNeeds || scopes.includes(alsoNeeds));
      assert.equal(can(id as OperationId), serves, `${role} ${id}`);
    }
  }
});

test('somebody without a scope is let into nothing that asks for one', () => {
  const can = canWith([]);
  assert.equal(can('getMe'), true);
  assert.equal(can('listMessages'), false);
  assert.equal(can('approveManagedApplication'), false);
});
