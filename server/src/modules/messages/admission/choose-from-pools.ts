// Which member of a pool speaks to whom, however the person was named.
import type { TenantTx } from '../../../platform/db/database.ts';
import {
  type Addressee,
  type Addressees,
  addresseesOf,
  findAddressees,
  type Identifier,
  identifierKey,
} from '../../contacts/index.ts';
import { talkingWith } from '../../conversations/index.ts';
import { chooseFrom, type OpenPool, openPools, recallChoices, type Sender } from '../../senders/index.ts';
import type { Draft } from '../drafts/read-message.ts';
import { isUnusable, missing, type Unusable } from '../gates/case.ts';
import { wanted } from './addressing.ts';
import { type NamedPeople, nobody, phoneOf } from './find-recipients.ts';

const distinct = <T>(items: T[]): T[] => [...new Set(items)];

export const poolSidOf = ({ sender }: Draft) =>
  sender !== 'any' && 'poolSid' in sender ? sender.poolSid : null;

/** The pools drafts name. Those to be sent from are held, before anything about the drafts' people is looked up. */
export const poolsOf = (t: TenantTx, drafts: Draft[], { toSend }: { toSend: boolean }) =>
  openPools(t, distinct(drafts.flatMap((draft) => poolSidOf(draft) ?? [])), { lock: toSend });

/** Somebody a pool chooses for. */
type PooledPerson = {
  /** Null for somebody nobody has written to yet. */
  contactSid: string | null;
  key: string;
  /** The portfolios whose senders can write to them; null when any can. */
  portfolios: ReadonlySet<string> | null;
};

/** Whom drafts name by SID, and who owns the numbers they name. */
export type PoolPeople = { naming: Promise<NamedPeople>; owning: Promise<Addressees> };

/** Chooses for one draft after the other: what one of them adds to a member's load counts for the next. */
export async function chooseFromPools(
  t: TenantTx,
  drafts: Draft[],
  pools: ReadonlyMap<string, OpenPool>,
  { naming, owning }: PoolPeople,
): Promise<(draft: Draft) => Sender | Unusable> {
  if (pools.size === 0) return () => missing('senderPoolSid', 'sender pool');
  const [people, phones] = await Promise.all([naming, owning]);
  const pooled = drafts.filter((draft) => pools.has(poolSidOf(draft) ?? ''));
  const personOf = await findPeopleOf(t, pooled, pools, people, phones);
  const contactSids = distinct(pooled.flatMap((draft) => personOf(draft).contactSid ?? []));
  const [talking] = await Promise.all([talkingWith(t, contactSids), recallChoices(t, pools, contactSids)]);
  return (draft) => {
    const pool = pools.get(poolSidOf(draft) ?? '');
    if (!pool) return missing('senderPoolSid', 'sender pool');
    const { key, contactSid, portfolios } = personOf(draft);
    const conversation =
      'conversationSid' in draft.to ? people.conversations.get(draft.to.conversationSid) : undefined;
    // A reply is said where the conversation is, if the pool has that sender.
    const senders = conversation ? [conversation.senderSid] : (talking.get(contactSid ?? '') ?? []);
    return chooseFrom(pool, { key, talking: senders, portfolios }) ?? { code: 'SENDER_NOT_READY' };
  };
}

/** Who is meant, for drafts that name a pool. An id belongs to a portfolio, so it is looked for in each one of the pool. */
async function findPeopleOf(
  t: TenantTx,
  drafts: Draft[],
  pools: ReadonlyMap<string, OpenPool>,
  { conversations, addressees }: NamedPeople,
  byPhone: Addressees,
): Promise<(draft: Draft) => PooledPerson> {
  const sought = new Map(drafts.map((draft) => [draft, soughtBy(draft, pools.get(poolSidOf(draft)!)!)]));
  const others = [...sought.values()].flat();
  const found = others.length > 0 ? await findAddressees(t, others) : nobody;
  const behind = await addresseesOf(t, distinct(others.flatMap((identifier) => found(identifier) ?? [])));
  return (draft) => {
    const { to } = draft;
    if (!('identifier' in to)) {
      const contactSid =
        'contactSid' in to ? to.contactSid : (conversations.get(to.conversationSid)?.contactSid ?? '');
      return personFrom(addressees.get(contactSid), contactSid);
    }
    if (to.identifier.identifierType === 'phone_e164') {
      const phone = phoneOf(to.identifier.value);
      const contactSid = byPhone(phone) ?? null;
      return { contactSid, key: contactSid ?? identifierKey(phone), portfolios: null };
    }
    const owned = sought.get(draft)!.find((identifier) => found(identifier) !== undefined);
    if (!owned) return { contactSid: null, key: to.identifier.value, portfolios: null };
    const person = personFrom(behind.get(found(owned)!), to.identifier.value);
    return owned.scopeRef === null ? person : { ...person, portfolios: new Set([owned.scopeRef]) };
  };
}

function soughtBy({ to }: Draft, pool: OpenPool): Identifier[] {
  if (!('identifier' in to) || to.identifier.identifierType === 'phone_e164') return [];
  const portfolios = distinct([...pool.able.values()].flatMap(({ portfolioId }) => portfolioId ?? []));
  const scopes = to.identifier.identifierType === 'bsuid' ? portfolios : [null];
  const asked = scopes.map((portfolioId) => wanted(to.identifier, portfolioId));
  return asked.flatMap((identifier) => (isUnusable(identifier) ? [] : [identifier]));
}

/** A contact without a number is written to by the id it has with a portfolio, by a sender of that one. */
function personFrom(addressee: Addressee | undefined, key: string): PooledPerson {
  if (!addressee) return { contactSid: null, key, portfolios: null };
  const { contactSid, identifiers } = addressee;
  const phone = identifiers.some(({ identifierType }) => identifierType === 'phone_e164');
  const scopes = identifiers.flatMap(({ identifierType, scopeRef }) =>
    identifierType === 'bsuid' && scopeRef !== null ? [scopeRef] : [],
  );
  return { contactSid, key: contactSid, portfolios: phone || scopes.length === 0 ? null : new Set(scopes) };
}
