// The life of an identity provider; `states.ts` has its moves. Its configuration never changes: another one is a new
// provider, verified anew.
import type { Queries, TenantTx } from '../../../platform/db/database.ts';
import { isUniqueViolation } from '../../../platform/db/failures.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError, invalid } from '../../../platform/errors/errors.ts';
import type { Pager } from '../../../platform/http/operations/pagination.ts';
import { newUuid } from '../../../platform/ids.ts';
import { principalName } from '../../../platform/principal.ts';
import { findAccount } from '../../accounts/index.ts';
import { audit } from '../../audit/index.ts';
import { ownersOf } from '../../roles/index.ts';
import { demandOrganizationReach } from '../organization-reach.ts';
import { endSessions } from '../sessions/sessions.ts';
import { type Candidate, judgeConfig, type ScimConfig } from './config.ts';
import { hashDirectoryToken, isDirectoryToken, newDirectoryToken } from './directory-token.ts';
import { type Environment, placeOfRoles } from './role-grants.ts';
import type { ActivatedProvider, IdentityProvider, NewIdentityProvider, Protocol } from './schema.ts';
import { type Move, moves, type ProviderState } from './states.ts';
import { urlsOf } from './urls.ts';

const columns = sql`id, organization_id as "organizationId", protocol, provider_key as "providerKey",
  public_config as "publicConfig", credential_ref as "credentialRef", state, reason,
  role_account_sid as "roleAccountSid", role_environment as "roleEnvironment", verified_at as "verifiedAt",
  activated_at as "activatedAt", suspended_at as "suspendedAt", created_by as "createdBy",
  created_at as "createdAt", updated_at as "updatedAt"`;

type Row = Omit<IdentityProvider, 'object' | 'urls'>;

const toProvider = (t: TenantTx, row: Row): IdentityProvider => ({
  object: 'identity_provider',
  ...row,
  urls: urlsOf(t.site.publicUrl, row),
});

export function judgeProvider(t: TenantTx, candidate: Candidate): void {
  const details = judgeConfig(candidate, t);
  if (details.length > 0) throw invalid(...details);
}

export async function createProvider(t: TenantTx, input: NewIdentityProvider): Promise<IdentityProvider> {
  await demandOrganizationReach(t, 'roles:write');
  const { organizationId } = (await findAccount(t, t.accountSid))!;
  const place = await placeOfRoles(t, input.publicConfig);
  const row = await t
    .one<Row>(sql`
      insert into identity_providers (id, organization_id, protocol, provider_key, public_config, credential_ref,
        state, reason, role_account_sid, role_environment, created_by, created_at, updated_at)
      values (${newUuid(t.now)}, ${organizationId}, ${input.protocol}, ${input.providerKey},
        ${JSON.stringify(input.publicConfig)}::json, ${input.credentialRef ?? null}, 'STAGED', ${input.reason},
        ${place.roleAccountSid}, ${place.roleEnvironment}, ${principalName(t.principal)}, ${t.now}, ${t.now})
      returning ${columns}`)
    .catch((error) => {
      throw isUniqueViolation(error) ? keyTaken() : error;
    });
  const { protocol, providerKey, reason } = input;
  audit(t, {
    action: 'identity_provider.created',
    resource: row.id,
    facts: { protocol, providerKey, reason },
  });
  return toProvider(t, row);
}

const keyTaken = () =>
  new ApiError('CONFLICT', { details: [{ path: 'providerKey', issue: 'is in use in this organization' }] });

export async function listProviders(t: TenantTx, pager: Pager) {
  const { organizationId } = (await findAccount(t, t.accountSid))!;
  const [createdAt, id] = pager.after ?? [null, null];
  const rows = await t.many<Row>(sql`
    select ${columns} from identity_providers
     where organization_id = ${organizationId}
       and (${createdAt}::timestamptz is null or (created_at, id) < (${createdAt}, ${id}::uuid))
     order by created_at desc, id desc limit ${pager.fetch}`);
  return pager.page(
    rows,
    (row) => [row.createdAt, row.id],
    (row) => toProvider(t, row),
  );
}

export async function getProvider(t: TenantTx, id: string): Promise<IdentityProvider> {
  const { organizationId } = (await findAccount(t, t.accountSid))!;
  const row = await t.maybe<Row>(sql`
    select ${columns} from identity_providers where organization_id = ${organizationId} and id = ${id}`);
  if (!row) throw new ApiError('NOT_FOUND');
  return toProvider(t, row);
}

/** Verification ended well: written down before anything is switched on. */
export async function markVerified(t: TenantTx, id: string, reason: string): Promise<void> {
  await move(t, id, 'verify', reason);
}

export async function activateProvider(t: TenantTx, id: string, reason: string): Promise<ActivatedProvider> {
  const { protocol } = await getProvider(t, id);
  const directoryToken = protocol === 'SCIM' ? newDirectoryToken() : null;
  const byOwner = t.principal.kind === 'user' && (await ownersOf(t)).includes(t.principal.ref);
  const active = await move(t, id, 'activate', reason);
  await t.run(sql`
    update identity_providers set vouches_for_owners = ${byOwner},
      token_hash = ${directoryToken && hashDirectoryToken(directoryToken)}
     where id = ${id}`);
  return { ...active, directoryToken };
}

/**
 * Stops backing sign-in, second factors and the directory at once. The row is changed before sessions are looked for:
 * a sign-in under way holds the row until its session is there to be found, or comes after and is refused.
 */
export async function suspendProvider(t: TenantTx, id: string, reason: string): Promise<IdentityProvider> {
  const suspended = await move(t, id, 'suspend', reason);
  await t.run(sql`update identity_providers set token_hash = null where id = ${id}`);
  const { organizationId, protocol: method, providerKey } = suspended;
  const why = 'identity provider suspended';
  const vouchedFor = await endSessions(t, t.now, { providerId: id }, why);
  const begunWithFactor = await endSessions(
    t,
    t.now,
    { organizationId, factor: { method, providerKey } },
    why,
  );
  const sessions = vouchedFor + begunWithFactor;
  audit(t, { action: 'identity_provider.sessions_ended', resource: id, facts: { sessions } });
  return suspended;
}

async function move(t: TenantTx, id: string, name: Move, reason: string): Promise<IdentityProvider> {
  await demandOrganizationReach(t, 'roles:write');
  const { from, to } = moves[name];
  const { organizationId } = (await findAccount(t, t.accountSid))!;
  const row = await t.maybe<Row>(sql`
    update identity_providers set state = ${to}, reason = ${reason}, updated_at = ${t.now},
      verified_at = case when ${to} = 'VERIFIED' then ${t.now} else verified_at end,
      activated_at = case when ${to} = 'ACTIVE' then ${t.now} else activated_at end,
      suspended_at = case when ${to} = 'SUSPENDED' then ${t.now} else suspended_at end
     where organization_id = ${organizationId} and id = ${id} and state = any(${[...from]})
    returning ${columns}`);
  if (!row) throw wrongState(await getProvider(t, id), name);
  audit(t, { action: actions[name], resource: id, facts: { reason } });
  return toProvider(t, row);
}

const past: Record<Move, string> = { verify: 'verified', activate: 'activated', suspend: 'suspended' };
const actions: Record<Move, string> = {
  verify: 'identity_provider.verified',
  activate: 'identity_provider.activated',
  suspend: 'identity_provider.suspended',
};

/** Refuses before anything is called outside; the move itself asks again. */
export function refuseWrongState(provider: IdentityProvider, name: Move): void {
  if (!(moves[name].from as readonly ProviderState[]).includes(provider.state))
    throw wrongState(provider, name);
}

function wrongState({ state }: { state: ProviderState }, name: Move): ApiError {
  const message = `A provider that is ${state} cannot be ${past[name]}.`;
  return new ApiError('CONFLICT', { message, details: [{ path: 'state', issue: state }] });
}

/** A provider as those who sign people in or keep a directory see it. */
export type ActiveProvider = {
  id: string;
  organizationId: string;
  protocol: Protocol;
  providerKey: string;
  publicConfig: Record<string, unknown>;
  credentialRef: string | null;
  roleAccountSid: string | null;
  roleEnvironment: Environment;
  vouchesForOwners: boolean;
};

const activeColumns = sql`id, organization_id as "organizationId", protocol, provider_key as "providerKey",
  public_config as "publicConfig", credential_ref as "credentialRef", role_account_sid as "roleAccountSid",
  role_environment as "roleEnvironment", vouches_for_owners as "vouchesForOwners"`;

export async function findActiveProvider(q: Queries, id: string): Promise<ActiveProvider | null> {
  const row = await q.maybe<ActiveProvider>(sql`
    select ${activeColumns} from identity_providers where id = ${id} and state = 'ACTIVE'`);
  return row ?? null;
}

export async function findActiveProviderByKey(
  q: Queries,
  organizationId: string,
  providerKey: string,
): Promise<ActiveProvider | null> {
  const row = await q.maybe<ActiveProvider>(sql`
    select ${activeColumns} from identity_providers
     where organization_id = ${organizationId} and provider_key = ${providerKey} and state = 'ACTIVE'`);
  return row ?? null;
}

/** In whatever state: the other side is told about us before it can be verified. */
export async function findSamlProvider(
  q: Queries,
  id: string,
): Promise<Pick<ActiveProvider, 'id' | 'publicConfig'> | null> {
  const row = await q.maybe<Pick<ActiveProvider, 'id' | 'publicConfig'>>(sql`
    select id, public_config as "publicConfig" from identity_providers
     where id::text = ${id} and protocol = 'SAML'`);
  return row ?? null;
}

export type DirectoryProvider = ActiveProvider & { publicConfig: ScimConfig };

export async function findDirectoryByToken(q: Queries, token: string): Promise<DirectoryProvider | null> {
  if (!isDirectoryToken(token)) return null;
  const row = await q.maybe<DirectoryProvider>(sql`
    select ${activeColumns} from identity_providers
     where token_hash = ${hashDirectoryToken(token)} and state = 'ACTIVE' and protocol = 'SCIM'`);
  return row ?? null;
}

/** Keeps the provider from being suspended until this transaction has ended; false when it already is. */
export async function lockActiveProvider(q: Queries, id: string): Promise<boolean> {
  const row = await q.maybe(sql`
    select 1 from identity_providers where id = ${id} and state = 'ACTIVE' for share`);
  return row !== undefined;
}
