import type { TenantTx } from '../../../platform/db/database.ts';
import { audit } from '../../audit/index.ts';
import { demandOrganizationReach } from '../organization-reach.ts';
import { endSessions } from '../sessions/sessions.ts';
import { forgetOpenLinks, lockUser } from './users.ts';

/** Ends every session of a person at once, in both environments; sign-ins half done end too. */
export async function revokeAllSessions(t: TenantTx, userSid: string) {
  await demandOrganizationReach(t, 'roles:write');
  await lockUser(t, userSid);
  const revoked = await endSessions(t, t.now, { userSid }, 'revoked_by_administrator');
  await forgetOpenLinks(t, userSid);
  audit(t, { action: 'user.sessions_revoked', resource: userSid, facts: { revoked } });
  const { accountSid, livemode, now } = t;
  return {
    object: 'session_revocation',
    accountSid,
    livemode,
    userSid,
    revoked,
    revokedAt: now.toISOString(),
  };
}
