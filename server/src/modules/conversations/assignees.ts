import type { TenantTx } from '../../platform/db/database.ts';
import { findAccount } from '../accounts/index.ts';
import { activeAmong } from '../identity/index.ts';
import { membersAmong } from '../inboxes/index.ts';
import { bindingsByRef, effectiveScopes } from '../roles/index.ts';

const reading = 'inboxes:read';

export type Reader = { userSid: string; inboxSid: string | null };

/** Which of these people could read a conversation there, if they asked now: by the account, or by the inbox as a member. */
export async function readersAmong(t: TenantTx, asked: readonly Reader[]): Promise<(one: Reader) => boolean> {
  const userSids = [...new Set(asked.map(({ userSid }) => userSid))];
  if (userSids.length === 0) return () => false;
  const places = asked.flatMap(({ userSid, inboxSid }) => (inboxSid === null ? [] : [{ userSid, inboxSid }]));
  const [active, account, bindings, isMember] = await Promise.all([
    activeAmong(t, userSids),
    findAccount(t, t.accountSid),
    bindingsByRef(t, 'USER', userSids),
    membersAmong(t, places),
  ]);
  const { accountSid, parentAccountSid, organizationId } = account!;
  const place = { accountSid, parentAccountSid, organizationId, livemode: t.livemode };
  const held = new Map(
    active.map((userSid) => [userSid, effectiveScopes(bindings.get(userSid) ?? [], place, t.now)]),
  );
  return ({ userSid, inboxSid }) => {
    const scopes = held.get(userSid);
    if (scopes?.scopes.has(reading)) return true;
    if (inboxSid === null || !scopes?.inboxScopes.get(inboxSid)?.has(reading)) return false;
    return isMember({ userSid, inboxSid });
  };
}

export async function canRead(t: TenantTx, userSid: string, inboxSid: string | null): Promise<boolean> {
  const one = { userSid, inboxSid };
  return (await readersAmong(t, [one]))(one);
}
