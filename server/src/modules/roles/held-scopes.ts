// Nobody hands out, or takes away, more than they hold: not by a role, not at a place or in an environment where they
// hold less, and not by asking from an account where they hold more.
import type { TenantTx } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { findAccount } from '../accounts/index.ts';
import { type Role, scopesOfRole } from './catalogue.ts';
import { type Binding, bindingsOf, effectiveScopes } from './effective-scopes.ts';

/** A role at a place: what a binding is about. */
export type Grant = Pick<Binding, 'accountSid' | 'inboxSid' | 'scopeKind' | 'environment'> & { role: Role };

/** Refuses unless the caller holds every scope of the role, wherever and in every environment the binding reaches. */
export async function refuseMoreThanHeld(t: TenantTx, grant: Grant): Promise<void> {
  // The operator's command line and the platform's own jobs stand above accounts.
  if (t.principal.kind === 'system') return;
  const held = await Promise.all(environmentsOf(grant).map((livemode) => heldAt(t, grant, livemode)));
  const lacking = scopesOfRole(grant.role).filter((scope) => held.some((scopes) => !scopes.has(scope)));
  if (lacking.length === 0) return;
  throw new ApiError('AUTHORIZATION_ERROR', {
    details: lacking.map((scope) => ({ path: 'role', issue: `${scope} is not held there by the caller` })),
  });
}

const environmentsOf = ({ environment }: Grant) =>
  environment === 'both' ? [true, false] : [environment === 'live'];

async function heldAt(t: TenantTx, grant: Grant, livemode: boolean): Promise<ReadonlySet<string>> {
  const { principal } = t;
  const type = principal.kind === 'api_key' ? 'API_KEY' : 'USER';
  const account = (await findAccount(t, t.accountSid))!;
  // For the whole organization only bindings on the organization count: a place that is no account matches no other.
  const accountSid = grant.accountSid ?? '';
  const parentAccountSid = accountSid === account.accountSid ? account.parentAccountSid : null;
  const place = { organizationId: account.organizationId, accountSid, parentAccountSid, livemode };
  const bindings = await bindingsOf(t, type, principal.ref);
  // A role on an account reaches the accounts below it, so it cannot come from one that does not.
  const reaching = bindings.filter(
    ({ scopeKind }) => grant.scopeKind !== 'ACCOUNT' || scopeKind !== 'SUBACCOUNT',
  );
  const { scopes, inboxScopes } = effectiveScopes(reaching, place, t.now);
  const inInbox = grant.inboxSid === null ? undefined : inboxScopes.get(grant.inboxSid);
  // What a key holds of itself, it holds on its own account and in its own environment.
  const own = type === 'API_KEY' && livemode === t.livemode ? principal.scopesOn(accountSid) : null;
  return new Set([...scopes, ...(inInbox ?? []), ...(own ?? [])]);
}
