import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Access, access } from '@godwit/sdk/access';
import { api } from '../../server/src/main/modules.ts';
import { type Role, roleCatalogue, scopesOfRole } from '../../server/src/modules/roles/catalogue.ts';
import { canWith, type OperationId } from '../src/api/can.ts';
import { pages } from '../src/shell/pages.ts';

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

const features = fileURLToPath(new URL('../src/features', import.meta.url));
const idOf = new Map<string, OperationId>(
  Object.entries(access).map(([id, { method }]) => [method, id as OperationId]),
);

/** The operations that a file calls, and those for which it asks whether somebody may call them. */
function operationsIn(text: string): { called: OperationId[]; asked: OperationId[] } {
  const called = [...text.matchAll(/\bapi\s*\.(\w+)\s*\.(\w+)\b/g)].map(([, heading, verb]) => {
    const id = idOf.get(`${heading}.${verb}`);
    assert.ok(id, `there is no ${heading}.${verb}`);
    return id;
  });
  // By `can('…')`, `by="…"` of a head with a form, or a table of acts; their names are nowhere else in the code.
  const asked = [...text.matchAll(/['"](\w+)['"]/g)]
    .map(([, word]) => word as OperationId)
    .filter((word) => Object.hasOwn(access, word));
  return { called, asked };
}

/** Whoever may call the one may call the other, whatever their role. */
const opensAlike = (one: OperationId, other: OperationId) => {
  const scopesOf = (id: OperationId) => {
    const { scopes, alsoNeeds }: Access = access[id];
    return JSON.stringify([[...scopes].sort(), alsoNeeds]);
  };
  return scopesOf(one) === scopesOf(other);
};

const roles = Object.keys(roleCatalogue) as Role[];
const mayBy = (role: Role, id: OperationId) => canWith(scopesOfRole(role))(id);

// A step of something else, with what that is: it is offered by no button of its own.
const steps: Partial<Record<OperationId, OperationId>> = { createMedia: 'importContacts' };

test('no role may begin what it may not do every step of', () => {
  for (const [step, whole] of Object.entries(steps) as [OperationId, OperationId][])
    for (const role of roles) assert.ok(!mayBy(role, whole) || mayBy(role, step), `${role} ${whole}`);
});

test('no page offers what it does not ask about: every operation it calls opens by a question that opens alike', async () => {
  const names = (await readdir(features, { recursive: true })).filter((name) => /\.tsx?$/.test(name));
  const found = await Promise.all(
    names.map(async (name) => ({
      feature: name.split('/')[0]!,
      name,
      ...operationsIn(await readFile(join(features, name), 'utf8')),
    })),
  );
  assert.ok(found.flatMap(({ called }) => called).length > 100);
  const everybodys = (id: OperationId) => roles.every((role) => mayBy(role, id));
  const inMenu = pages.flatMap(({ anyOf }) => anyOf);
  const unasked = found.flatMap(({ feature, name, called }) => {
    const own = found.filter((other) => other.feature === feature).flatMap(({ asked }) => asked);
    // Reading is asked about by the menu that leads to the page. What changes something, by the feature itself.
    const reads = (id: OperationId) => api.operations.some((one) => one.id === id && one.method === 'GET');
    return called
      .filter((id) => !everybodys(id) && !own.includes(steps[id]!))
      .filter((id) => ![...own, ...(reads(id) ? inMenu : [])].some((other) => opensAlike(id, other)))
      .map((id) => `${name}: ${id}`);
  });
  assert.deepEqual(unasked, []);
});

test('a call nobody asks about is found, and so is one that the service does not have', () => {
  const { called, asked } = operationsIn("can('createContact') && api.contacts.create(body)");
  assert.deepEqual([called, asked], [['createContact'], ['createContact']]);
  assert.equal(opensAlike('deleteMedia', 'listMedia'), false);
  assert.throws(() => operationsIn('api.contacts.explode()'), /contacts\.explode/);
});
