// Who writes: from the names the provider gives a person to the contact they are here.
import type { TenantTx } from '../../../platform/db/database.ts';
import { consentsOf } from '../../consent/index.ts';
import {
  type ContactEntry,
  findAddressees,
  type Identifier,
  identifierKey,
  personIdentifiers,
  requireFound,
  resolveContacts,
} from '../../contacts/index.ts';
import type { InboundMessage, Routed, UserIdUpdate } from '../../provider/index.ts';
import { portfoliosOf } from '../../wabas/index.ts';

/** The contacts of these people, made where there are none, and locked. */
async function lockContactsOf(t: TenantTx, people: ContactEntry[]): Promise<string[]> {
  const resolved = await resolveContacts(t, { consentsOf }, people, { lock: true });
  return resolved.map((one) => requireFound(one).contactSid);
}

// The provider's words go into a column that cannot hold this character.
const nameOf = (profileName: string | null) => profileName?.replaceAll('\u0000', '').trim().slice(0, 128);

export type Writer = { contactSid: string; address: Identifier };

/**
 * Who wrote each message, locked before anything is stored in their name: a merge comes first and is followed, or later and
 * takes it along. A notice that a person changed their number or id gives the contact the new one.
 */
export async function writersOf(t: TenantTx, messages: Routed<InboundMessage>[]): Promise<Writer[]> {
  const portfolios = await portfoliosOf(
    t,
    messages.map(({ wabaSid }) => wabaSid),
  );
  const people = messages.map(({ from, content, wabaSid }) => {
    const portfolioId = portfolios.get(wabaSid) ?? null;
    const identifiers = personIdentifiers(from, portfolioId);
    const [address] = identifiers;
    if (!address) throw new Error('a message whose sender has neither a number nor an id');
    const learned = content.type === 'system' ? personIdentifiers(content, portfolioId) : [];
    const displayName = nameOf(from.profileName);
    return {
      address,
      identifiers: [...identifiers, ...learned],
      profile: displayName ? { displayName } : {},
    };
  });
  const sids = await lockContactsOf(t, people);
  return people.map(({ address }, i) => ({ contactSid: sids[i]!, address }));
}

/** The provider gave people new ids: whoever is known by a former name or number is known by the new one too. */
export async function updateUserIds(t: TenantTx, updates: Routed<UserIdUpdate>[]): Promise<void> {
  const portfolios = await portfoliosOf(
    t,
    updates.map(({ wabaSid }) => wabaSid),
  );
  const people = updates.map(({ waId, previousBsuid, currentBsuid, wabaSid }) => {
    const portfolioId = portfolios.get(wabaSid) ?? null;
    const former = personIdentifiers({ waId, bsuid: previousBsuid }, portfolioId);
    return { former, current: personIdentifiers({ bsuid: currentBsuid }, portfolioId) };
  });
  const ownerOf = await findAddressees(
    t,
    people.flatMap(({ former }) => former),
  );
  // One update may name a person by the id that the one before it gave them.
  const learned = new Set<string>();
  const known = people.flatMap(({ former, current }) => {
    const names = former.filter((one) => ownerOf(one) !== undefined || learned.has(identifierKey(one)));
    if (names.length === 0 || current.length === 0) return [];
    for (const one of current) learned.add(identifierKey(one));
    return [{ identifiers: [...names, ...current], profile: {} }];
  });
  await lockContactsOf(t, known);
}
