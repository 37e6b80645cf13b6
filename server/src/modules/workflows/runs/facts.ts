// What conditions and texts are about, loaded for many runs at once.
import type { TenantTx } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { consentsOf, standingSuppressions } from '../../consent/index.ts';
import { noConsents, readContacts } from '../../contacts/index.ts';
import { currentConversations, talkingWith } from '../../conversations/index.ts';
import { readMessages } from '../../messages/index.ts';
import { inSegmentNow } from '../../segments/index.ts';
import type { Facts } from '../conditions/facts.ts';
import { conversationIn, senderIn } from './event-data.ts';

/** Somebody who asks: what is loaded becomes part of `facts`. */
export type Asker = {
  facts: Facts;
  contactSid: string | null;
  messageSid: string | null;
  /** The names of the facts, as the interpreter asks for them. */
  needs: readonly string[];
};

/** After this everything asked for is there; what does not exist is null or false. */
export async function loadFacts(t: TenantTx, askers: readonly Asker[]): Promise<void> {
  const needing = (wanted: (name: string) => boolean) => askers.filter(({ needs }) => needs.some(wanted));
  const is = (name: string) => (other: string) => other === name;
  await Promise.all([
    loadContacts(t, needing(is('contact'))),
    loadConversations(t, needing(is('conversation'))),
    loadMessages(t, needing(is('message'))),
    loadWindows(t, needing(is('window'))),
    loadSuppressed(t, needing(is('suppressed'))),
    loadConsents(
      t,
      needing((name) => name.startsWith('consent:')),
    ),
    loadSegments(
      t,
      needing((name) => name.startsWith('segment:')),
    ),
  ]);
}

const contactsOf = (askers: Asker[]) => [...new Set(askers.flatMap(({ contactSid }) => contactSid ?? []))];

function answer({ facts }: Asker, name: string, value: boolean | string): void {
  facts.answers = { ...facts.answers, [name]: value };
}

async function loadContacts(t: TenantTx, askers: Asker[]): Promise<void> {
  if (askers.length === 0) return;
  const contacts = await readContacts(t, { consentsOf }, contactsOf(askers));
  const found = new Map(contacts.map((contact) => [contact.sid, contact]));
  for (const { facts, contactSid } of askers) facts.contact = found.get(contactSid ?? '') ?? null;
}

async function loadConversations(t: TenantTx, askers: Asker[]): Promise<void> {
  if (askers.length === 0) return;
  const asked = askers.map(({ facts, contactSid }) => ({
    conversationSid: conversationIn(facts.event),
    contactSid,
  }));
  const found = await currentConversations(t, asked);
  for (const [at, { facts }] of askers.entries()) facts.conversation = found[at]!;
}

async function loadMessages(t: TenantTx, askers: Asker[]): Promise<void> {
  if (askers.length === 0) return;
  const messages = await readMessages(
    t,
    askers.flatMap(({ messageSid }) => messageSid ?? []),
  );
  for (const { facts, messageSid } of askers) facts.message = messages.get(messageSid ?? '') ?? null;
}

/** With the sender the event was about; with any, where it was about none. */
async function loadWindows(t: TenantTx, askers: Asker[]): Promise<void> {
  if (askers.length === 0) return;
  const talking = await talkingWith(t, contactsOf(askers));
  for (const asker of askers) {
    const senders = talking.get(asker.contactSid ?? '') ?? [];
    const sender = senderIn(asker.facts.event);
    const isOpen = sender === null ? senders.length > 0 : senders.includes(sender);
    answer(asker, 'window', isOpen ? 'open' : 'closed');
  }
}

/** By every sender: a suppression of one sender alone does not make somebody suppressed, as in segments. */
async function loadSuppressed(t: TenantTx, askers: Asker[]): Promise<void> {
  if (askers.length === 0) return;
  const found = await standingSuppressions(t, contactsOf(askers));
  for (const asker of askers) {
    const standing = found.get(asker.contactSid ?? '') ?? [];
    answer(
      asker,
      'suppressed',
      standing.some(({ senderSid }) => senderSid === null),
    );
  }
}

async function loadConsents(t: TenantTx, askers: Asker[]): Promise<void> {
  if (askers.length === 0) return;
  const found = await consentsOf(t, contactsOf(askers));
  for (const asker of askers) {
    const consents = found.get(asker.contactSid ?? '') ?? noConsents;
    for (const name of asker.needs.filter((one) => one.startsWith('consent:'))) {
      const purpose = name.slice('consent:'.length) as keyof typeof consents;
      answer(asker, name, consents[purpose]?.status ?? 'UNKNOWN');
    }
  }
}

async function loadSegments(t: TenantTx, askers: Asker[]): Promise<void> {
  const names = new Set(askers.flatMap(({ needs }) => needs.filter((name) => name.startsWith('segment:'))));
  for (const name of names) {
    const asking = askers.filter(({ needs }) => needs.includes(name));
    const members = await membersAmong(t, name.slice('segment:'.length), contactsOf(asking));
    for (const asker of asking) answer(asker, name, members.has(asker.contactSid ?? ''));
  }
}

/** Nobody is in a segment that was deleted. */
async function membersAmong(t: TenantTx, segmentSid: string, contactSids: string[]): Promise<Set<string>> {
  try {
    return await inSegmentNow(t, segmentSid, contactSids);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'NOT_FOUND') return new Set();
    throw error;
  }
}
