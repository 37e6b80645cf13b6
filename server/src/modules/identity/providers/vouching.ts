import type { TenantTx } from '../../../platform/db/database.ts';
import { bindingsOf, type Role } from '../../roles/index.ts';
import { grantableRoles } from './config.ts';
import type { ActiveProvider } from './providers.ts';

/**
 * Whether the provider's word may decide about this person. An administrator's provider must not be a way to become an
 * owner or to remove one, nor to reach places the administrator does not.
 */
export async function mayVouchFor(t: TenantTx, provider: ActiveProvider, userSid: string): Promise<boolean> {
  if (provider.vouchesForOwners) return true;
  const { roleAccountSid, roleEnvironment } = provider;
  return (await bindingsOf(t, 'USER', userSid)).every(
    ({ role, accountSid, environment }) =>
      grantableRoles.includes(role as Role) &&
      (roleAccountSid === null || accountSid === roleAccountSid) &&
      (roleEnvironment === 'both' || environment === roleEnvironment),
  );
}
