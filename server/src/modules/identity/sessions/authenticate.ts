// A signed-in person as a principal. What they may do comes from their role bindings, and nothing else.

import type { Database, SystemTx } from '../../../platform/db/database.ts';
import { ApiError, invalid } from '../../../platform/errors/errors.ts';
import { environmentHeader, namedEnvironment } from '../../../platform/http/operations/access.ts';
import type { Authenticator, Incoming } from '../../../platform/http/operations/serving.ts';
import type { Principal } from '../../../platform/principal.ts';
import type { Sealer } from '../../../platform/sealing.ts';
import { type AccountPlace, findAccount, isOperator } from '../../accounts/index.ts';
import { type Binding, bindingsOf, effectiveScopes, staffRole, staffScope } from '../../roles/index.ts';
import { csrfHeader, csrfHolds, heldTokens, onlyToken, tokensOf } from './session-token.ts';
import { findSession, isProvenTwice, type LiveSession, useSession } from './sessions.ts';

type Options = { database: Database; sealer: Sealer; origin: () => string };

export function sessionAuthenticator({ database, sealer, origin }: Options): Authenticator {
  return async (incoming, now) => {
    // A bearer request is judged by its bearer alone, whatever cookies a browser adds.
    if (header(incoming, 'authorization') !== null || header(incoming, 'x-service-key') !== null) return null;
    const environment = namedEnvironment(incoming);
    const held = heldTokens(header(incoming, 'cookie'));
    const presented = environment ? tokensOf(held, environment) : onlyToken(held);
    if (presented === 'ambiguous') throw twoHeld();
    if (presented.tokens.length === 0) return null;
    const read = (by: typeof useSession, at: Date) =>
      database.system(async (s) => {
        const session = await by(s, presented, at);
        if (!session) return null;
        const accountSid = incoming.params.accountSid;
        const account = accountSid === undefined ? null : await findAccount(s, accountSid);
        return { session, account, bindings: await bindingsFor(s, session, account) };
      });
    const found = await read(useSession, now);
    if (!found) return null;
    if (incoming.method !== 'GET' && incoming.method !== 'HEAD')
      refuseForgery(incoming, sealer, found.session.token, origin());
    const look = async (at: Date) => {
      const foundNow = await read(findSession, at);
      // Looked for by the same cookie, which may be of another session once the browser has signed in again.
      if (foundNow?.session.id !== found.session.id) throw new ApiError('AUTHENTICATION_ERROR');
      return principalOf(foundNow, at);
    };
    return { principal: principalOf(found, now), look };
  };
}

type Found = { session: LiveSession; account: AccountPlace | null; bindings: Binding[] };

function principalOf({ session, account, bindings }: Found, now: Date): Principal {
  const effective = account && scopesOfSession(session, bindings, account, now);
  // Someone with no binding on the account is a stranger to it; one with an inbox alone is not.
  const known = effective && (effective.scopes.size > 0 || effective.inboxScopes.size > 0);
  return toPrincipal(session, account, known ? effective : null);
}

/** On an account of another organization only the operator's staff has any, with a second factor, where it was let in. */
async function bindingsFor(
  s: SystemTx,
  session: LiveSession,
  account: AccountPlace | null,
): Promise<Binding[]> {
  if (!account) return [];
  const bindings = await bindingsOf(s, 'USER', session.userSid);
  if (account.organizationId === session.organizationId) return bindings;
  const asStaff = bindings.filter(
    ({ role, accountSid }) => role === staffRole && accountSid === account.accountSid,
  );
  const mayEnter =
    asStaff.length > 0 && isProvenTwice(session) && (await isOperator(s, session.organizationId));
  return mayEnter ? asStaff : [];
}

type Effective = ReturnType<typeof effectiveScopes>;

/** What a session may do on an account: what the roles say, or only what adding a second factor takes. */
export function scopesOfSession(
  session: { livemode: boolean; enrollmentOnly: boolean },
  bindings: readonly Binding[],
  account: AccountPlace,
  now: Date,
): Effective {
  const held = effectiveScopes(bindings, { ...account, livemode: session.livemode }, now);
  if (!session.enrollmentOnly) return held;
  const onlyAccess = (scopes: Set<string>) => new Set([...scopes].filter((scope) => scope === 'api:access'));
  // Someone of single inboxes adds their factor through them.
  const inboxScopes = new Map([...held.inboxScopes].map(([sid, scopes]) => [sid, onlyAccess(scopes)]));
  return { ...held, scopes: onlyAccess(held.scopes), inboxScopes };
}

function toPrincipal(
  session: LiveSession,
  account: AccountPlace | null,
  effective: Effective | null,
): Principal {
  const isStaff = effective?.scopes.has(staffScope) ?? false;
  return {
    kind: 'user',
    ref: session.userSid,
    accountSid: null,
    organizationId: session.organizationId,
    livemode: session.livemode,
    scopesOn: (sid) => (effective && sid === account?.accountSid ? effective.scopes : null),
    partScopes: effective?.inboxScopes ?? new Map(),
    requestsPerSecond: null,
    suspended: account?.accountStatus === 'suspended' && !isStaff,
    sessionId: session.id,
  };
}

/** Another site can make a browser send the cookie, but neither read nor set this header, nor lie about its origin. */
function refuseForgery(incoming: Incoming, sealer: Sealer, token: string, ownOrigin: string): void {
  refuseForeignOrigin(header(incoming, 'origin'), ownOrigin);
  if (!csrfHolds(sealer, token, header(incoming, csrfHeader))) throw forged();
}

/** Browsers tell where a write comes from; programs tell nothing. */
export function refuseForeignOrigin(origin: string | null, ownOrigin: string): void {
  if (origin !== null && origin !== ownOrigin) throw forged();
}

const twoHeld = () =>
  invalid({
    path: environmentHeader,
    issue: 'must say live or sandbox: this browser holds a session of each',
  });

const forged = () =>
  new ApiError('AUTHORIZATION_ERROR', {
    details: [
      { path: 'X-CSRF-Token', issue: 'must repeat the csrfToken of this session, from the same origin' },
    ],
  });

function header(incoming: Incoming, name: string): string | null {
  const value = incoming.headers[name];
  return typeof value === 'string' ? value : null;
}
