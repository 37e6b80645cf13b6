import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { ApiError } from '../../errors/errors.ts';
import type { Principal } from '../../principal.ts';
import { entersByPart, isMissingScope, refuseStrangers } from './access.ts';

const account = 'AC00000000000000000000000A';
const scope = fc.constantFrom<string>('contacts:read', 'inboxes:read', 'inboxes:write', 'messages:send');
const scopes = fc.uniqueArray(scope).map((held) => new Set(held));
const inboxes = fc.dictionary(fc.constantFrom('IB1', 'IB2'), scopes, { noNullPrototype: true });
const access = fc.uniqueArray(scope, { minLength: 1 }).map((wanted) => wanted as [string, ...string[]]);

const principalWith = (held: Set<string> | null, inbox: Record<string, Set<string>>): Principal => ({
  kind: 'user',
  ref: 'US1',
  accountSid: null,
  organizationId: null,
  livemode: false,
  scopesOn: (sid) => (sid === account ? held : null),
  partScopes: new Map(Object.entries(inbox)),
  requestsPerSecond: null,
  sessionId: null,
});

function verdict(operation: Parameters<typeof refuseStrangers>[0], principal: Principal, at = account) {
  try {
    refuseStrangers(operation, principal, at);
    return 'enters';
  } catch (error) {
    assert.ok(error instanceof ApiError && error.code === 'AUTHORIZATION_ERROR');
    return isMissingScope(error) ? 'lacks a scope' : 'is a stranger';
  }
}

suite('entering an operation', () => {
  test('scopes held inside inboxes open nothing that is not made for them', () => {
    fc.assert(
      fc.property(access, scopes, inboxes, (wanted, held, inbox) => {
        const plain = { access: wanted };
        assert.equal(
          verdict(plain, principalWith(held, inbox)),
          wanted.some((one) => held.has(one)) ? 'enters' : 'lacks a scope',
        );
        assert.equal(entersByPart(plain, principalWith(held, inbox), account), false);
      }),
      { numRuns: 1_000 },
    );
  });

  test('an operation made for inboxes also lets in who holds one of its own scopes in some inbox, and nobody else', () => {
    fc.assert(
      fc.property(access, scopes, inboxes, (wanted, held, inbox) => {
        const operation = { access: wanted, partScoped: true } as const;
        const principal = principalWith(held, inbox);
        const onAccount = wanted.some((one) => held.has(one));
        const inInbox = Object.values(inbox).some((of) => wanted.some((one) => of.has(one)));
        assert.equal(verdict(operation, principal), onAccount || inInbox ? 'enters' : 'lacks a scope');
        assert.equal(entersByPart(operation, principal, account), !onAccount && inInbox);
      }),
      { numRuns: 1_000 },
    );
  });

  test('a stranger to the account stays outside, whatever they hold in inboxes', () => {
    fc.assert(
      fc.property(access, inboxes, fc.boolean(), (wanted, inbox, partScoped) => {
        const operation = { access: wanted, ...(partScoped && { partScoped: true as const }) };
        assert.equal(verdict(operation, principalWith(null, inbox)), 'is a stranger');
        assert.equal(verdict(operation, principalWith(new Set(wanted), inbox), 'ACothers'), 'is a stranger');
      }),
      { numRuns: 1_000 },
    );
  });
});
