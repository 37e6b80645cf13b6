// Tells a credential what it is.
import type { Queries } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { apiVersion } from '../../../platform/events.ts';
import type { Open } from '../../../platform/http/operations/operation.ts';
import { accountsOf, describeAccount, organizationName } from '../../accounts/index.ts';
import { bindingsOf } from '../../roles/index.ts';
import { onHomeAccount } from '../home-account.ts';
import { personOf } from '../people.ts';
import { scopesOfSession } from '../sessions/authenticate.ts';
import { openSessionsOf } from '../sessions/sessions.ts';
import { getUser } from './users.ts';

// Enough for a page to choose from; whoever has more accounts names the one they mean.
const mostAccounts = 1_000;

export function describeMe(call: Open) {
  return call.principal.accountSid === null
    ? describePerson(call)
    : describeKey(call, call.principal.accountSid);
}

async function describeKey({ database, principal, now, requestId, log }: Open, accountSid: string) {
  const { livemode } = principal;
  const requestContext = { principal, now, requestId, log };
  const account = await database.read({ accountSid, livemode }, requestContext, describeAccount);
  return {
    object: 'me',
    principal: { type: principal.kind, ref: principal.ref },
    ...account,
    livemode,
    scopes: [...(principal.scopesOn(accountSid) ?? [])].sort(),
    apiVersion,
  };
}

/** A person has accounts instead of one; which scopes they hold depends on the account. */
async function describePerson(call: Open) {
  const { userSid, organizationId, sessionId } = personOf(call.principal);
  const { livemode, kind, ref } = call.principal;
  const user = await onHomeAccount(call, { organizationId, livemode }, (t) => getUser(t, userSid));
  const { name, accounts } = await call.database.system(async (s) => ({
    name: await organizationName(s, organizationId),
    accounts: await accountsOfPerson(s, call.now, { userSid, organizationId, sessionId }),
  }));
  return {
    object: 'me',
    principal: { type: kind, ref },
    accountSid: null,
    accountName: null,
    accountStatus: null,
    parentAccountSid: null,
    organizationId,
    organizationName: name,
    livemode,
    region: accounts[0]?.region ?? call.site.region,
    scopes: [],
    apiVersion,
    user,
    accounts,
  };
}

type Signed = { userSid: string; organizationId: string; sessionId: string };

async function accountsOfPerson(q: Queries, now: Date, { userSid, organizationId, sessionId }: Signed) {
  const [session] = await openSessionsOf(q, userSid, now, { id: sessionId });
  if (!session) throw new ApiError('AUTHENTICATION_ERROR');
  const bindings = await bindingsOf(q, 'USER', userSid);
  return (await accountsOf(q, organizationId))
    .map((account) => {
      const held = scopesOfSession(session, bindings, { ...account, organizationId }, now);
      const reaches = held.scopes.size > 0 || held.inboxScopes.size > 0;
      return reaches ? { ...account, scopes: [...held.scopes].sort() } : null;
    })
    .filter((account) => account !== null)
    .slice(0, mostAccounts);
}
