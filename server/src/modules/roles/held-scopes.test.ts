import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import fc from 'fast-check';
import { startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { newSid, newUuid } from '../../platform/ids.ts';
import { silentLog } from '../../platform/observability/logging.ts';
import type { Principal } from '../../platform/principal.ts';
import type { Role } from './catalogue.ts';
import { type Binding, bindingsOf, effectiveScopes, type Place } from './effective-scopes.ts';
import { type Grant, refuseMoreThanHeld } from './held-scopes.ts';

let app: TestApp;
let organizationId: string;
let places: Place[];
const lifetime = sharedLifetime();

before(async () => {
  app = await startTestApp(lifetime);
  const [account] = await app.sql<{ id: string }>(
    'select organization_id as id from accounts where sid = $1',
    [app.accountSid],
  );
  organizationId = account!.id;
  const sub = newSid('AC', app.clock.now());
  const sister = newSid('AC', app.clock.now());
  for (const [sid, parent] of [
    [sub, app.accountSid],
    [sister, null],
  ]) {
    await app.sql(
      `insert into accounts (sid, organization_id, parent_account_sid, name, region, created_at, updated_at)
       values ($1, $2, $3, 'More', 'local', now(), now())`,
      [sid, organizationId, parent],
    );
  }
  const accounts = [
    { accountSid: app.accountSid, parentAccountSid: null },
    { accountSid: sub, parentAccountSid: app.accountSid },
    { accountSid: sister, parentAccountSid: null },
  ];
  places = accounts.flatMap((account) =>
    [true, false].map((livemode) => ({ ...account, organizationId, livemode })),
  );
});

const role = fc.constantFrom<Role>('OWNER', 'ADMIN', 'DEVELOPER', 'AGENT', 'VIEWER', 'BILLING_MANAGER');
const environment = fc.constantFrom<Binding['environment']>('live', 'sandbox', 'both');
const inbox = 'IB00000000000000000000000000';

/** A role somewhere in the organization; `place` numbers an account. */
const somewhere = fc.record({
  role,
  environment,
  place: fc.constantFrom(0, 2, 4),
  scopeKind: fc.constantFrom<Binding['scopeKind']>('ORGANIZATION', 'ACCOUNT', 'SUBACCOUNT', 'INBOX'),
});

type Somewhere = typeof somewhere extends fc.Arbitrary<infer T> ? T : never;

const bindingAt = ({ role, environment, place, scopeKind }: Somewhere): Grant => ({
  role,
  environment,
  scopeKind,
  accountSid: scopeKind === 'ORGANIZATION' ? null : places[place]!.accountSid,
  inboxSid: scopeKind === 'INBOX' ? inbox : null,
});

const asBinding = (grant: Grant): Binding => ({ ...grant, organizationId, expiresAt: null });

async function makerWith(grants: Grant[]): Promise<Principal> {
  const ref = newSid('US', app.clock.now());
  for (const { accountSid, inboxSid, scopeKind, environment, role } of grants) {
    await app.sql(
      `insert into role_bindings (id, organization_id, account_sid, inbox_sid, principal_type, principal_ref, role,
         scope_kind, environment, created_by, created_at) values ($1, $2, $3, $4, 'USER', $5, $6, $7, $8, 'x', now())`,
      [newUuid(app.clock.now()), organizationId, accountSid, inboxSid, ref, role, scopeKind, environment],
    );
  }
  return {
    kind: 'user',
    ref,
    accountSid: null,
    organizationId,
    livemode: false,
    scopesOn: () => null, // what it may call is judged elsewhere; here only what it may hand on
    partScopes: new Map(),
    requestsPerSecond: null,
    sessionId: null,
  };
}

suite('what may be handed on', () => {
  test('never reaches a place, an environment or a scope beyond what its giver holds', async () => {
    let given = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(somewhere, { maxLength: 4 }), somewhere, async (held, wanted) => {
        const maker = await makerWith(held.map(bindingAt));
        const grant = bindingAt(wanted);
        // Asked on the account it is for, as a request would; for the organization, on any.
        const tenant = { accountSid: grant.accountSid ?? app.accountSid, livemode: false };
        const requestContext = { principal: maker, now: app.clock.now(), requestId: 'test', log: silentLog };
        const allowed = await app.database.write(tenant, requestContext, async (t) => {
          try {
            await refuseMoreThanHeld(t, grant);
            return true;
          } catch (error) {
            assert.ok(error instanceof ApiError && error.code === 'AUTHORIZATION_ERROR');
            return false;
          }
        });
        if (!allowed) return;
        given += 1;
        const bindings = await app.database.system((s) => bindingsOf(s, 'USER', maker.ref));
        for (const place of places) {
          const makers = effectiveScopes(bindings, place, app.clock.now());
          const theirs = effectiveScopes([asBinding(grant)], place, app.clock.now());
          assert.ok([...theirs.scopes].every((scope) => makers.scopes.has(scope)));
          const inInbox = new Set([...makers.scopes, ...(makers.inboxScopes.get(inbox) ?? [])]);
          assert.ok([...(theirs.inboxScopes.get(inbox) ?? [])].every((scope) => inInbox.has(scope)));
        }
      }),
      { numRuns: 1_000 },
    );
    assert.ok(given > 50, `only ${given} of the grants were allowed: the property was hardly tried`);
  });
});
