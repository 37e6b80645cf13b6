// Who writes: from the names the provider gives a person to the contact they are here.
import type { TenantTx } from '../../../platform/db/database.ts';
import { emit } from '../../../platform/events.ts';
import { consentsOf } from '../../consent/index.ts';
import {
  findOwners,
  type Identifier,
  judgeIdentifier,
  type Profile,
  readContacts,
  readWaId,
  resolveContact,
} from '../../contacts/index.ts';
import type { InboundMessage, Routed, UserIdUpdate } from '../../provider/index.ts';
import { loadWabas } from '../../wabas/index.ts';

type Names = { waId?: string | null; bsuid?: string | null; username?: string | null };

/**
 * A person's identifiers in the order in which they decide who it is: the number, then the id, which is one per portfolio.
 * A username is learned and decides nothing, since people give theirs up and others take it.
 */
export function identifiersOf({ waId, bsuid, username }: Names, portfolioId: string | null): Identifier[] {
  const given = [
    bsuid && portfolioId ? { identifierType: 'bsuid' as const, value: bsuid, scopeRef: portfolioId } : null,
    username ? { identifierType: 'username' as const, value: username, scopeRef: null } : null,
  ];
  const others = given.flatMap((identifier) => {
    if (!identifier) return [];
    const judged = judgeIdentifier(identifier, { value: 'value', scopeRef: 'scopeRef' });
    return judged.details.length === 0 ? [judged.identifier] : [];
  });
  const phone = waId ? readWaId(waId) : null;
  return phone ? [phone, ...others] : others;
}

/** The portfolios of business accounts: whose ids the provider's names of people are. */
export async function portfoliosOf(
  t: TenantTx,
  wabaSids: (string | null)[],
): Promise<ReadonlyMap<string | null, string>> {
  const sids = [...new Set(wabaSids.filter((sid) => sid !== null))];
  const wabas = sids.length === 0 ? new Map() : await loadWabas(t, sids);
  return new Map([...wabas].map(([sid, { portfolioId }]) => [sid, portfolioId]));
}

/** Finds or makes the contact, and tells when one that was known learned a name. */
export async function meet(t: TenantTx, identifiers: Identifier[], profile: Profile = {}): Promise<string> {
  const { contactSid, created, added } = await resolveContact(t, identifiers, profile);
  if (added && !created) {
    const [contact] = await readContacts(t, { consentsOf }, [contactSid]);
    emit(t, 'contact.updated', contact!);
  }
  return contactSid;
}

// The provider's words go into a column that cannot hold this character.
const nameOf = (profileName: string | null) => profileName?.replaceAll('\u0000', '').trim().slice(0, 128);

/** The contact of each message. A notice that a person changed their number or id gives the contact the new one. */
export async function contactOf(
  t: TenantTx,
  { from, content }: InboundMessage,
  portfolioId: string | null,
): Promise<{ contactSid: string; address: Identifier }> {
  const identifiers = identifiersOf(from, portfolioId);
  const [address] = identifiers;
  if (!address) throw new Error('a message whose sender has neither a number nor an id');
  const learned = content.type === 'system' ? identifiersOf(content, portfolioId) : [];
  const displayName = nameOf(from.profileName);
  const profile = displayName ? { displayName } : {};
  return { contactSid: await meet(t, [...identifiers, ...learned], profile), address };
}

/** The provider gave people new ids: whoever is known by a former name or number is known by the new one too. */
export async function updateUserIds(t: TenantTx, updates: Routed<UserIdUpdate>[]): Promise<void> {
  const portfolios = await portfoliosOf(
    t,
    updates.map(({ wabaSid }) => wabaSid),
  );
  for (const { waId, previousBsuid, currentBsuid, wabaSid } of updates) {
    const portfolioId = portfolios.get(wabaSid) ?? null;
    const former = identifiersOf({ waId, bsuid: previousBsuid }, portfolioId);
    const current = identifiersOf({ bsuid: currentBsuid }, portfolioId);
    const known = await knownAmong(t, former);
    if (known.length > 0 && current.length > 0) await meet(t, [...known, ...current]);
  }
}

async function knownAmong(t: TenantTx, identifiers: Identifier[]): Promise<Identifier[]> {
  const known: Identifier[] = [];
  for (const identifier of identifiers) {
    const { value, identifierType, scopeRef } = identifier;
    const owners = await findOwners(t, { values: [value], identifierType, scopeRef });
    if (owners.length > 0) known.push(identifier);
  }
  return known;
}
