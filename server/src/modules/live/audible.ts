// Which of the hints somebody may hear: those about what their scopes let them read. Whoever holds a scope in single inboxes only
// hears of what is in those.
import type { Database, RequestContext, Tenant, TenantTx } from '../../platform/db/database.ts';
import type { Hint } from '../../platform/live-events/hints.ts';
import type { Principal } from '../../platform/principal.ts';
import { conversationsWithinReach } from '../conversations/index.ts';
import { inboxesAmongReach } from '../inboxes/index.ts';
import { messagesWithinReach } from '../messages/index.ts';
import { listenersOf } from './listeners.ts';

export type Listening = Tenant & RequestContext & { database: Database };

/** Of these SIDs, those that the caller reaches by the scope. */
type Within = (t: TenantTx, sids: string[], scope: string) => Promise<string[]>;

// What is in an inbox, by how its events begin.
const inInboxes: Record<string, Within> = {
  inbox: inboxesAmongReach,
  conversation: conversationsWithinReach,
  message: messagesWithinReach,
};

export async function audible(
  call: Listening,
  principal: Principal,
  hints: readonly Hint[],
): Promise<readonly Hint[]> {
  const held = principal.scopesOn(call.accountSid) ?? new Set();
  const open = new Set(hints.filter(({ type }) => listenersOf(type).some((scope) => held.has(scope))));
  if (open.size === hints.length || principal.partScopes.size === 0)
    return hints.filter((hint) => open.has(hint));
  const left = hints.filter((hint) => !open.has(hint));
  const { accountSid, livemode } = call;
  const reached = await call.database.read({ accountSid, livemode }, { ...call, principal }, (t) =>
    reachedOf(t, left),
  );
  return hints.filter((hint) => open.has(hint) || reached.has(hint));
}

async function reachedOf(t: TenantTx, hints: readonly Hint[]): Promise<Set<Hint>> {
  const found = await Promise.all(
    Object.entries(inInboxes).map(async ([noun, within]) => {
      const ofNoun = hints.filter(
        ({ type, resourceSid }) => type.startsWith(`${noun}.`) && resourceSid !== null,
      );
      const [scope] = ofNoun.flatMap(({ type }) => listenersOf(type));
      if (scope === undefined) return [];
      const sids = new Set(
        await within(t, [...new Set(ofNoun.map(({ resourceSid }) => resourceSid!))], scope),
      );
      return ofNoun.filter(({ resourceSid }) => sids.has(resourceSid!));
    }),
  );
  return new Set(found.flat());
}
