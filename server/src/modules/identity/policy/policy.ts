// How an organization lets its people in. Until it is first set, the defaults hold as version 1.
import type { Queries, TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError, type ErrorDetail } from '../../../platform/errors/errors.ts';
import { principalName } from '../../../platform/principal.ts';
import { findAccount } from '../../accounts/index.ts';
import { audit } from '../../audit/index.ts';
import { demandOrganizationReach } from '../organization-reach.ts';
import { defaultAbsoluteHours, defaultIdleMinutes } from '../sessions/sessions.ts';
import type { AuthPolicy, PolicyChange } from './schema.ts';

const defaults = {
  version: 1,
  autoDisableInactiveApiKeys: false,
  mfaRequiredForAllRoles: false,
  passwordLoginEnabled: true,
  recoveryRevokesMfa: false,
  sessionAbsoluteTimeoutHours: defaultAbsoluteHours,
  sessionIdleTimeoutMinutes: defaultIdleMinutes,
  ssoEnforced: false,
  updatedAt: null,
  updatedBy: null,
};

const columns = sql`organization_id as "organizationId", version,
  auto_disable_inactive_api_keys as "autoDisableInactiveApiKeys",
  mfa_required_for_all_roles as "mfaRequiredForAllRoles", password_login_enabled as "passwordLoginEnabled",
  recovery_revokes_mfa as "recoveryRevokesMfa", session_absolute_timeout_hours as "sessionAbsoluteTimeoutHours",
  session_idle_timeout_minutes as "sessionIdleTimeoutMinutes", sso_enforced as "ssoEnforced",
  updated_at as "updatedAt", updated_by as "updatedBy"`;

export async function policyOf(q: Queries, organizationId: string): Promise<AuthPolicy> {
  const row = await q.maybe<Omit<AuthPolicy, 'object'>>(sql`
    select ${columns} from auth_policies where organization_id = ${organizationId}`);
  return { object: 'auth_policy', organizationId, ...(row ?? defaults) };
}

const organizationOf = async (t: TenantTx) => (await findAccount(t, t.accountSid))!.organizationId;

export async function getAuthPolicy(t: TenantTx): Promise<AuthPolicy> {
  return policyOf(t, await organizationOf(t));
}

export async function setAuthPolicy(t: TenantTx, change: PolicyChange): Promise<AuthPolicy> {
  await demandOrganizationReach(t, 'roles:write');
  const organizationId = await organizationOf(t);
  await refuseLockingEveryoneOut(t, organizationId, change);
  const before = await policyOf(t, organizationId);
  const updated = await writePolicy(t, organizationId, change);
  if (!updated) {
    const { version } = await policyOf(t, organizationId);
    throw new ApiError('CONFLICT', {
      message: `The policy has changed meanwhile: its version is ${version}.`,
      details: [{ path: 'expectedVersion', issue: `must be ${version}, the current version` }],
    });
  }
  const after: AuthPolicy = { object: 'auth_policy', ...updated };
  audit(t, { action: 'auth_policy.changed', resource: organizationId, facts: { before, after } });
  return after;
}

/** One statement compares the version and writes the next, so that of two changes to one version one is refused. */
function writePolicy(t: TenantTx, organizationId: string, change: PolicyChange) {
  // Clamped to what a version can be: a larger one is only stale, and must not be an error of the database.
  const expected = Math.min(change.expectedVersion, 2 ** 31 - 2);
  return t.maybe<Omit<AuthPolicy, 'object'>>(sql`
    insert into auth_policies as p (organization_id, version, auto_disable_inactive_api_keys,
      mfa_required_for_all_roles, password_login_enabled, recovery_revokes_mfa, session_absolute_timeout_hours,
      session_idle_timeout_minutes, sso_enforced, updated_at, updated_by)
    select ${organizationId}::uuid, ${expected + 1}::int, ${change.autoDisableInactiveApiKeys}::boolean,
      ${change.mfaRequiredForAllRoles}::boolean, ${change.passwordLoginEnabled}::boolean,
      ${change.recoveryRevokesMfa}::boolean, ${change.sessionAbsoluteTimeoutHours}::int,
      ${change.sessionIdleTimeoutMinutes}::int, ${change.ssoEnforced}::boolean, ${t.now}::timestamptz,
      ${principalName(t.principal)}
     where ${expected}::int = ${defaults.version}::int
        or exists (select from auth_policies where organization_id = ${organizationId})
    on conflict (organization_id) do update set version = excluded.version,
      auto_disable_inactive_api_keys = excluded.auto_disable_inactive_api_keys,
      mfa_required_for_all_roles = excluded.mfa_required_for_all_roles,
      password_login_enabled = excluded.password_login_enabled, recovery_revokes_mfa = excluded.recovery_revokes_mfa,
      session_absolute_timeout_hours = excluded.session_absolute_timeout_hours,
      session_idle_timeout_minutes = excluded.session_idle_timeout_minutes, sso_enforced = excluded.sso_enforced,
      updated_at = excluded.updated_at, updated_by = excluded.updated_by
     where p.version = ${expected}
    returning ${columns}`);
}

/** Without passwords people come in through a provider, so one must be there. */
async function refuseLockingEveryoneOut(
  t: TenantTx,
  organizationId: string,
  { passwordLoginEnabled, ssoEnforced }: PolicyChange,
): Promise<void> {
  if (passwordLoginEnabled && !ssoEnforced) return;
  const provider = await t.maybe(sql`
    select 1 from identity_providers
     where organization_id = ${organizationId} and state = 'ACTIVE' and protocol in ('OIDC', 'SAML') limit 1`);
  if (provider) return;
  const issue = 'needs an ACTIVE OIDC or SAML provider to sign in through';
  const details: ErrorDetail[] = [
    ...(passwordLoginEnabled ? [] : [{ path: 'passwordLoginEnabled', issue: `false ${issue}` }]),
    ...(ssoEnforced ? [{ path: 'ssoEnforced', issue: `true ${issue}` }] : []),
  ];
  throw new ApiError('CONFLICT', { message: 'Nobody could sign in under this policy.', details });
}

/** For the operator, when a provider is gone and nobody can sign in: passwords work again, and the record says so. */
export async function allowPasswords(t: TenantTx): Promise<void> {
  const organizationId = await organizationOf(t);
  const changed = await t.run(sql`
    update auth_policies set password_login_enabled = true, sso_enforced = false, version = version + 1,
      updated_at = ${t.now}, updated_by = ${principalName(t.principal)}
     where organization_id = ${organizationId} and not (password_login_enabled and not sso_enforced)`);
  if (changed > 0) audit(t, { action: 'auth_policy.passwords_allowed', resource: organizationId });
}
