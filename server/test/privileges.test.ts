// The reviewed table docs/generated/roles.md, held against the running service: every operation, as a person of every
// role. An unknown query parameter keeps whoever gets in from doing anything: they are told of it, and of nothing else.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { before, suite, test } from 'node:test';
import { operations } from '../src/main/modules.ts';
import { cookieName } from '../src/modules/identity/sessions/session-token.ts';
import { type Role, roleCatalogue } from '../src/modules/roles/index.ts';
import { neededScopes, scopesOf } from '../src/platform/http/operations/access.ts';
import type { Operation } from '../src/platform/http/operations/operation.ts';
import { startTestApp, type TestApp } from './harness/app.ts';
import { sharedLifetime } from './harness/lifetime.ts';
import { document as openApi } from './harness/openapi.ts';
import { person } from './harness/people.ts';

const roles = Object.keys(roleCatalogue) as Role[];
const scoped = operations.filter((operation) => scopesOf(operation).length > 0);
const document = await readFile(new URL('../../docs/generated/roles.md', import.meta.url), 'utf8');

/** What a table of the document says: the operations each role can call. */
function readTable(heading: string): Map<string, Set<string>> {
  const part = document.split('\n## ').find((text) => text.startsWith(heading)) ?? '';
  const [header = [], , ...rows] = part
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .map((cell) => cell.trim())
        .slice(1, -1),
    );
  return new Map(
    header
      .map(
        (role, column) =>
          [role, new Set(rows.filter((row) => row[column] === '●').map((row) => row[0]!))] as const,
      )
      .slice(2),
  );
}

const onAccount = readTable('On an organization');
const onInbox = readTable('On a single inbox');

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

async function mayEnter(operation: Operation, headers: object): Promise<boolean> {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_whole, name) =>
    name === 'accountSid' ? app.accountSid : 'x',
  );
  const reply = await app.send(operation.method, `${path}?surprise=1`, { headers });
  if (reply.status === 400) return true;
  const issue = neededScopes(operation);
  assert.deepEqual(
    [reply.status, reply.body.error.code],
    [403, 'AUTHORIZATION_ERROR'],
    `${operation.id}: ${reply.text}`,
  );
  assert.deepEqual(reply.body.error.details, [{ path: 'scope', issue }], operation.id);
  return false;
}

async function entered(headers: object): Promise<string[]> {
  const found: string[] = [];
  const left = scoped.values();
  const ask = async () => {
    for (const operation of left) if (await mayEnter(operation, headers)) found.push(operation.id);
  };
  await Promise.all(Array.from({ length: 8 }, ask));
  return found.sort();
}

suite('a person of each role', () => {
  test('stands in the table, whoever they are', () => {
    assert.deepEqual([...onAccount.keys()], roles);
    assert.deepEqual([...onInbox.keys()], roles);
  });
  for (const role of roles) {
    test(`${role} can call exactly what the table says`, async () => {
      const { headers } = await person(app, { roles: [role], factor: 'none' });
      assert.deepEqual(await entered(headers), [...onAccount.get(role)!].sort());
    });
    test(`${role} of one inbox can call exactly what the table says`, async () => {
      const { headers, userSid } = await person(app, { roles: [], factor: 'none' });
      const inbox = (await app.post(`${app.at}/inboxes`, { name: role })).body.sid;
      await app.put(`${app.at}/inboxes/${inbox}/members/${userSid}`);
      await app.sql(
        `insert into role_bindings (id, organization_id, account_sid, inbox_sid, principal_type, principal_ref, role,
           scope_kind, environment, created_by, created_at)
         select $1, organization_id, sid, $3, 'USER', $4, $5, 'INBOX', 'both', 'system:test', $6
           from accounts where sid = $2`,
        [randomUUID(), app.accountSid, inbox, userSid, role, app.clock.now()],
      );
      assert.deepEqual(await entered(headers), [...onInbox.get(role)!].sort());
    });
  }
  test('nobody without a role enters anything', async () => {
    const { headers } = await person(app, { roles: [], factor: 'none' });
    for (const operation of scoped) {
      const path = operation.path.replaceAll(/\{(\w+)\}/g, (_whole, name) =>
        name === 'accountSid' ? app.accountSid : 'x',
      );
      const reply = await app.send(operation.method, path, { headers });
      assert.deepEqual([reply.status, reply.body.error.code], [403, 'AUTHORIZATION_ERROR'], operation.id);
    }
  });
});

test('the reference offers signatures and the session beside the key, by the name the cookie really has', () => {
  const { components, paths } = openApi;
  assert.equal(components.securitySchemes.liveSession.name, cookieName('live'));
  assert.equal(components.securitySchemes.sandboxSession.name, cookieName('sandbox'));
  const { get, post } = paths['/v1/accounts/{accountSid}/inboxes'];
  const signed = { serviceKey: [], serviceTimestamp: [], serviceNonce: [], serviceSignature: [] };
  assert.deepEqual(get.security, [{ apiKey: [] }, signed, { liveSession: [] }, { sandboxSession: [] }]);
  const written = { csrfToken: [] };
  assert.deepEqual(post.security, [
    { apiKey: [] },
    signed,
    { liveSession: [], ...written },
    { sandboxSession: [], ...written },
  ]);
  assert.match(components.securitySchemes.serviceSignature.description, /HMAC-SHA256/);
  assert.deepEqual(paths['/v1/errors'].get.security, []);
});
