// Users, their sessions and the policy belong to the organization. Reading them takes a role on one of its accounts;
// acting on them for everybody takes a role that reaches the whole organization.
import type { TenantTx } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { findAccount } from '../accounts/index.ts';
import { bindingsOf, isRole, scopesOfRole } from '../roles/index.ts';

export async function demandOrganizationReach(t: TenantTx, scope: string): Promise<void> {
  const { principal } = t;
  if (principal.kind === 'system' || principal.kind === 'directory') return;
  const reaches =
    principal.kind === 'user'
      ? await personReaches(t, scope)
      : principal.kind === 'api_key' && (await keyReaches(t));
  if (reaches) return;
  throw new ApiError('AUTHORIZATION_ERROR', {
    details: [{ path: 'scope', issue: `needs ${scope} on the whole organization` }],
  });
}

async function personReaches(t: TenantTx, scope: string): Promise<boolean> {
  const bindings = await bindingsOf(t, 'USER', t.principal.ref);
  return bindings.some(
    ({ scopeKind, role, expiresAt, environment }) =>
      scopeKind === 'ORGANIZATION' &&
      isRole(role) &&
      scopesOfRole(role).includes(scope) &&
      (expiresAt === null || new Date(expiresAt) > t.now) &&
      (environment === 'both' || (environment === 'live') === t.livemode),
  );
}

/** A key stands on one account; one of a subaccount stays below it. */
async function keyReaches(t: TenantTx): Promise<boolean> {
  return (await findAccount(t, t.accountSid))?.parentAccountSid === null;
}
