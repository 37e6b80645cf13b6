import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { type Role, roleCatalogue, scopesOfRole } from './catalogue.ts';
import { type Binding, effectiveScopes, type Place } from './effective-scopes.ts';

const roles = Object.keys(roleCatalogue) as Role[];
const organizations = ['org-a', 'org-b'];
const accounts = ['AC-top', 'AC-sub', 'AC-other'];
const inboxes = ['IB-1', 'IB-2'];
const instants = [1, 2, 3].map((n) => new Date(n * 1000));

const binding: fc.Arbitrary<Binding> = fc
  .record({
    organizationId: fc.constantFrom(...organizations),
    account: fc.constantFrom(...accounts),
    inbox: fc.constantFrom(...inboxes),
    role: fc.constantFrom<string>(...roles, 'GONE'),
    scopeKind: fc.constantFrom<Binding['scopeKind']>('ORGANIZATION', 'ACCOUNT', 'SUBACCOUNT', 'INBOX'),
    environment: fc.constantFrom<Binding['environment']>('live', 'sandbox', 'both'),
    expiresAt: fc.option(fc.constantFrom(...instants).map((instant) => instant.toISOString())),
  })
  .map(({ account, inbox, ...rest }) => ({
    ...rest,
    accountSid: rest.scopeKind === 'ORGANIZATION' ? null : account,
    inboxSid: rest.scopeKind === 'INBOX' ? inbox : null,
  }));

const place: fc.Arbitrary<Place> = fc.record({
  organizationId: fc.constantFrom(...organizations),
  accountSid: fc.constantFrom(...accounts),
  parentAccountSid: fc.constantFrom(null, 'AC-top'),
  livemode: fc.boolean(),
});

/** The rules once more, as a sentence each. */
function reaches(bound: Binding, at: Place, now: Date): boolean {
  const sameOrganization = bound.organizationId === at.organizationId;
  const stillOn = bound.expiresAt === null || new Date(bound.expiresAt).getTime() > now.getTime();
  const environments = { live: [true], sandbox: [false], both: [true, false] }[bound.environment];
  const places = {
    ORGANIZATION: true,
    ACCOUNT: [at.accountSid, at.parentAccountSid].includes(bound.accountSid!),
    SUBACCOUNT: bound.accountSid === at.accountSid,
    INBOX: bound.accountSid === at.accountSid,
  };
  return sameOrganization && stillOn && environments.includes(at.livemode) && places[bound.scopeKind];
}

const scopesOf = (bound: Binding[]) =>
  new Set(bound.flatMap(({ role }) => (role in roleCatalogue ? scopesOfRole(role as Role) : [])));

suite('what a set of bindings amounts to', () => {
  test('is the union of the roles in force at that place and moment: nothing more, nothing less', () => {
    fc.assert(
      fc.property(
        fc.array(binding, { maxLength: 6 }),
        place,
        fc.constantFrom(...instants),
        (held, at, now) => {
          const { scopes, inboxScopes } = effectiveScopes(held, at, now);
          const inForce = held.filter((bound) => reaches(bound, at, now));
          assert.deepEqual(scopes, scopesOf(inForce.filter(({ scopeKind }) => scopeKind !== 'INBOX')));
          for (const inbox of inboxes) {
            const inInbox = scopesOf(inForce.filter(({ inboxSid }) => inboxSid === inbox));
            assert.deepEqual(inboxScopes.get(inbox) ?? new Set(), inInbox);
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('never shrinks by one more binding and never grows by one less', () => {
    fc.assert(
      fc.property(
        fc.array(binding, { maxLength: 5 }),
        binding,
        place,
        fc.constantFrom(...instants),
        (held, more, at, now) => {
          const before = effectiveScopes(held, at, now).scopes;
          const after = effectiveScopes([...held, more], at, now).scopes;
          assert.ok([...before].every((scope) => after.has(scope)));
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test('of bindings on single inboxes alone, holds nothing on the account', () => {
    fc.assert(
      fc.property(fc.array(binding, { maxLength: 6 }), place, (held, at) => {
        const onInboxes = held.filter(({ scopeKind }) => scopeKind === 'INBOX');
        assert.equal(effectiveScopes(onInboxes, at, instants[0]!).scopes.size, 0);
      }),
      { numRuns: 1_000 },
    );
  });
});
