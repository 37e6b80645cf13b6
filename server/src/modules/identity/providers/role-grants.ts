// Where the roles a provider gives apply, and whether its maker may give them there: nobody hands out more than they
// hold, not even by way of a directory.
import type { TenantTx } from '../../../platform/db/database.ts';
import { ApiError, type ErrorDetail } from '../../../platform/errors/errors.ts';
import { type Role, refuseMoreThanHeld } from '../../roles/index.ts';

export type Environment = 'live' | 'sandbox' | 'both';
export type RolePlace = { roleAccountSid: string | null; roleEnvironment: Environment };

type Config = {
  defaultRole?: Role;
  groupRoles?: Record<string, Role>;
  linkByVerifiedEmail?: boolean;
  roleScopeKind?: 'ACCOUNT' | 'ORGANIZATION';
  roleEnvironment?: Environment;
};

/** Unless said otherwise: on the account it was made through, in the environment of whoever made it. */
export async function placeOfRoles(t: TenantTx, config: Config): Promise<RolePlace> {
  const place: RolePlace = {
    roleAccountSid: config.roleScopeKind === 'ORGANIZATION' ? null : t.accountSid,
    roleEnvironment: config.roleEnvironment ?? (t.livemode ? 'live' : 'sandbox'),
  };
  const judged = await Promise.all(rolesIn(config).map((named) => judgeRole(t, place, named)));
  const details = judged.flat();
  if (details.length > 0) throw new ApiError('AUTHORIZATION_ERROR', { details });
  return place;
}

type Named = { path: string; role: Role };

function rolesIn({ defaultRole, groupRoles = {}, linkByVerifiedEmail }: Config): Named[] {
  return [
    ...(defaultRole ? [{ path: 'publicConfig.defaultRole', role: defaultRole }] : []),
    ...Object.entries(groupRoles).map(([name, role]) => ({ path: `publicConfig.groupRoles.${name}`, role })),
    // Who answers for addresses can come in as anybody there but an owner, which is as much as an administrator holds.
    ...(linkByVerifiedEmail ? [{ path: 'publicConfig.linkByVerifiedEmail', role: 'ADMIN' as const }] : []),
  ];
}

async function judgeRole(t: TenantTx, place: RolePlace, { path, role }: Named): Promise<ErrorDetail[]> {
  const { roleAccountSid: accountSid, roleEnvironment: environment } = place;
  const scopeKind = accountSid === null ? 'ORGANIZATION' : 'ACCOUNT';
  try {
    await refuseMoreThanHeld(t, { accountSid, inboxSid: null, scopeKind, environment, role });
    return [];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return [{ path, issue: `needs all that ${role} holds there, and the caller does not hold it` }];
  }
}
