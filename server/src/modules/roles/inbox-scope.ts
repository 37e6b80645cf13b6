import type { Principal } from '../../platform/principal.ts';

/** Whether a role bound to this very inbox gives the scope in it. What is held on the account is not looked at. */
export function hasInboxScope({ partScopes }: Principal, inboxSid: string, scope: string): boolean {
  return partScopes.get(inboxSid)?.has(scope) ?? false;
}
