// What concerns a person or the whole organization, and no account in particular, is done and written down on the
// organization's home account.
import type { Database, RequestContext, TenantTx } from '../../platform/db/database.ts';
import type { Principal } from '../../platform/principal.ts';
import { homeAccount } from '../accounts/index.ts';

export type Caller = RequestContext & { database: Database };
type Where = { organizationId: string; livemode: boolean };

export async function onHomeAccount<T>(
  call: Caller,
  { organizationId, livemode }: Where,
  work: (t: TenantTx) => Promise<T>,
): Promise<T> {
  const accountSid = await call.database.system((s) => homeAccount(s, organizationId));
  const { principal, now, requestId, log } = call;
  return call.database.write({ accountSid, livemode }, { principal, now, requestId, log }, work);
}

type Person = { userSid: string; organizationId: string; livemode: boolean; sessionId?: string | null };

/** A person who has just proved who they are, as the author of what is written down. */
export function asPerson<C extends Caller>(call: C, person: Person): C {
  const principal: Principal = {
    kind: 'user',
    ref: person.userSid,
    accountSid: null,
    organizationId: person.organizationId,
    livemode: person.livemode,
    scopesOn: () => null,
    partScopes: new Map(),
    requestsPerSecond: null,
    sessionId: person.sessionId ?? null,
  };
  return { ...call, principal };
}
