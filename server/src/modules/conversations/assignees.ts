import type { TenantTx } from '../../platform/db/database.ts';
import { findAccount } from '../accounts/index.ts';
import { userStatus } from '../identity/index.ts';
import { membersAmong } from '../inboxes/index.ts';
import { bindingsOf, effectiveScopes } from '../roles/index.ts';

const reading = 'inboxes:read';

/** Whether this person could read a conversation there, if they asked now: by the account, or by the inbox as a member. */
export async function canRead(t: TenantTx, userSid: string, inboxSid: string | null): Promise<boolean> {
  if ((await userStatus(t, userSid)) !== 'ACTIVE') return false;
  const { accountSid, parentAccountSid, organizationId } = (await findAccount(t, t.accountSid))!;
  const place = { accountSid, parentAccountSid, organizationId, livemode: t.livemode };
  const held = effectiveScopes(await bindingsOf(t, 'USER', userSid), place, t.now);
  if (held.scopes.has(reading)) return true;
  if (inboxSid === null || !held.inboxScopes.get(inboxSid)?.has(reading)) return false;
  return (await membersAmong(t, [{ inboxSid, userSid }]))({ inboxSid, userSid });
}
