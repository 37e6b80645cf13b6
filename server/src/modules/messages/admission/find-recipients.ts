// Whom drafts mean: contacts and conversations named by SID, numbers, ids and usernames, each followed to the contact that
// is written to and to an address of it.
import type { TenantTx } from '../../../platform/db/database.ts';
import { type Addressees, addresseesOf, findAddressees, type Identifier } from '../../contacts/index.ts';
import { findConversations } from '../../conversations/index.ts';
import type { Waba } from '../../wabas/index.ts';
import type { Draft } from '../drafts/read-message.ts';
import { isUnusable, missing, type Recipient, type Unusable } from '../gates/case.ts';
import { addressOf, countryOf, wanted } from './addressing.ts';

const distinct = <T>(items: T[]): T[] => [...new Set(items)];

export type NamedPeople = Awaited<ReturnType<typeof namedPeople>>;

/** Contacts and conversations that drafts name by SID. */
export async function namedPeople(t: TenantTx, drafts: Draft[]) {
  const conversationSids = drafts.flatMap(({ to }) => ('conversationSid' in to ? [to.conversationSid] : []));
  const conversations = await findConversations(t, distinct(conversationSids));
  const contactSids = drafts.flatMap(({ to }) => ('contactSid' in to ? [to.contactSid] : []));
  const talking = [...conversations.values()].map(({ contactSid }) => contactSid);
  const addressees = await addresseesOf(t, distinct([...contactSids, ...talking]));
  return { conversations, addressees };
}

/** Phone numbers need nothing but themselves to be looked up. */
export async function ownersOfPhones(t: TenantTx, drafts: Draft[]): Promise<Addressees> {
  const phones = drafts.flatMap(({ to }) => {
    const found = 'identifier' in to && to.identifier.identifierType === 'phone_e164';
    return found ? [phoneOf(to.identifier.value)] : [];
  });
  return phones.length > 0 ? findAddressees(t, phones) : nobody;
}

export const nobody: Addressees = () => undefined;

export const phoneOf = (value: string): Identifier => ({
  identifierType: 'phone_e164',
  value,
  scopeRef: null,
});

export async function findRecipients(
  t: TenantTx,
  drafts: Draft[],
  { conversations, addressees }: NamedPeople,
  byPhone: Addressees,
  wabasOf: () => Promise<(Waba | null)[]>,
): Promise<(Recipient | Unusable)[]> {
  const phonesOnly = drafts.every(
    ({ to }) => 'identifier' in to && to.identifier.identifierType === 'phone_e164',
  );
  const wabas = phonesOnly ? [] : await wabasOf();
  const portfolioIds = drafts.map((_, at) => wabas[at]?.portfolioId ?? null);
  const sought = drafts.map(({ to }, at) =>
    'identifier' in to ? wanted(to.identifier, portfolioIds[at]!) : null,
  );
  const others = sought.filter(
    (one): one is Identifier => one !== null && !isUnusable(one) && one.identifierType !== 'phone_e164',
  );
  const byName = others.length > 0 ? await findAddressees(t, others) : nobody;
  // A username is no address: whoever owns it is written to by what else is known of them.
  const usernames = others.filter(({ identifierType }) => identifierType === 'username');
  const ownersByName = usernames.flatMap((identifier) => byName(identifier) ?? []);
  const behindNames = await addresseesOf(t, distinct(ownersByName));

  return drafts.map(({ to }, at) => {
    const portfolioId = portfolioIds[at]!;
    if ('contactSid' in to) {
      const addressee = addressees.get(to.contactSid);
      return addressee ? addressOf(addressee, portfolioId) : missing('contactSid', 'contact');
    }
    if ('conversationSid' in to) {
      const conversation = conversations.get(to.conversationSid);
      const addressee = conversation && addressees.get(conversation.contactSid);
      return addressee ? addressOf(addressee, portfolioId) : missing('conversationSid', 'conversation');
    }
    const identifier = sought[at]!;
    if (isUnusable(identifier)) return identifier;
    const contactSid = byPhone(identifier) ?? byName(identifier) ?? null;
    if (identifier.identifierType === 'username') {
      const addressee = behindNames.get(contactSid ?? '');
      return addressee ? addressOf(addressee, portfolioId) : { code: 'RECIPIENT_ADDRESSING_UNSUPPORTED' };
    }
    const country = to.identifier.country ?? countryOf(identifier);
    return { identifier, contactSid, country };
  });
}
