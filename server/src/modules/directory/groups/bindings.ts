// Groups give roles: a person holds, from this directory, exactly what their groups map to. Brought in line in the
// transaction that changes who belongs where.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { type DirectoryProvider, directoryOf, lockDirectoryUsers, people } from '../../identity/index.ts';
import { bindByDirectory, type DirectoryGrant, type Role, unbindByDirectory } from '../../roles/index.ts';

export async function alignRoles(
  t: TenantTx,
  provider: DirectoryProvider,
  userSids: string[],
): Promise<void> {
  const held = await lockDirectoryUsers(t, provider, [...new Set(userSids)]);
  const grants = await grantsOf(t, provider, held);
  await unbindByDirectory(t, directoryOf(provider), held, grants);
  await bindByDirectory(t, directoryOf(provider), grants);
}

async function grantsOf(
  t: TenantTx,
  provider: DirectoryProvider,
  userSids: string[],
): Promise<DirectoryGrant[]> {
  const roles = new Map<string, Role>(
    Object.entries(provider.publicConfig.groupRoles ?? {}).map(([name, role]) => [name.toLowerCase(), role]),
  );
  const rows = await t.many<{ userSid: string; name: string }>(sql`
    select m.user_sid as "userSid", lower(g.display_name) as name
      from directory_group_members m join directory_groups g on g.id = m.group_id
      join ${people} u on u.sid = m.user_sid
     where g.provider_id = ${provider.id} and m.user_sid = any (${userSids}) and u.status = 'ACTIVE'`);
  const grants = new Map<string, DirectoryGrant>();
  for (const { userSid, name } of rows) {
    const role = roles.get(name);
    if (role) grants.set(`${userSid} ${role}`, { userSid, role });
  }
  return [...grants.values()];
}
