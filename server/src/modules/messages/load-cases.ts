// Looks up everything the gates judge many messages by, in a constant number of statements. Statements that do not wait
// for each other's answers leave together.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { accountStatus } from '../accounts/index.ts';
import { loadRates, lockWallet, readWallet } from '../billing/index.ts';
import { consentsOf, standingSuppressions } from '../consent/index.ts';
import { addresseesOf, findAddressees, type Identifier, identifierKey } from '../contacts/index.ts';
import { conversationsOf, findConversations, windowsOf } from '../conversations/index.ts';
import { loadMedia } from '../media/index.ts';
import type { Content } from '../provider/index.ts';
import type { Sender } from '../senders/index.ts';
import { fillContent, findFlows, findTemplates, loadDrafts, type TemplateName } from '../templates/index.ts';
import { countedRecipients, loadWabas, portfolioRooms, type Waba } from '../wabas/index.ts';
import { addressOf, countryOf, wanted } from './addressing.ts';
import { chooseSenders } from './choose-senders.ts';
import { type Case, isUnusable, type Recipient, type Unusable } from './gates/case.ts';
import type { SendingHooks } from './hooks.ts';
import { mediaIn } from './media-in-content.ts';
import type { Draft } from './read-message.ts';

/** `toSend` locks the wallet: what is judged affordable then stays so until the transaction ends. */
export async function loadCases(
  t: TenantTx,
  hooks: SendingHooks,
  drafts: Draft[],
  { toSend }: { toSend: boolean },
): Promise<Case[]> {
  const [account, rates, named, contents, replies, callbacks] = await Promise.all([
    accountStatus(t),
    loadRates(t),
    namedPeople(t, drafts),
    resolveContents(t, drafts),
    replyTargets(t, drafts),
    statusCallbacks(t, hooks, drafts),
  ]);
  const senders = await chooseSenders(t, drafts, named);
  const wabas = await loadWabas(t, distinct(senders.flatMap((sender) => wabaSidOf(sender) ?? [])));
  const wabaOf = (sender: Sender | Unusable) => wabas.get(wabaSidOf(sender) ?? '') ?? null;
  const recipients = await findRecipients(
    t,
    drafts,
    named,
    senders.map((sender) => wabaOf(sender)?.portfolioId ?? null),
  );
  const parts = drafts.map((draft, at) => ({
    draft,
    sender: senders[at]!,
    waba: wabaOf(senders[at]!),
    recipient: recipients[at]!,
    content: contents[at]!,
  }));
  const facts = await loadFacts(t, parts);
  const wallet = toSend ? await lockWallet(t) : await readWallet(t);
  return parts.map((part, at) => ({
    ...part,
    now: t.now,
    account: { accountStatus: account },
    replyTarget: replies[at]!,
    statusCallback: callbacks[at]!,
    ...facts(part),
    rates,
    wallet,
  }));
}

type Part = Pick<Case, 'draft' | 'sender' | 'waba' | 'recipient' | 'content'>;
type Facts = Pick<
  Case,
  'template' | 'media' | 'flow' | 'suppressions' | 'consents' | 'window' | 'cappedUntil' | 'portfolio'
>;

const distinct = <T>(items: T[]): T[] => [...new Set(items)];
const wabaSidOf = (sender: Sender | Unusable) => (isUnusable(sender) ? null : sender.wabaSid);
const contactOf = ({ recipient }: Part) => (isUnusable(recipient) ? null : recipient.contactSid);
const templateOf = ({ content }: Part) =>
  !isUnusable(content) && content.type === 'template' ? content.template : null;

async function loadFacts(t: TenantTx, parts: Part[]): Promise<(part: Part) => Facts> {
  const contactSids = distinct(parts.flatMap((part) => contactOf(part) ?? []));
  const pairs = parts.flatMap((part) => pairOf(part) ?? []);
  const names = distinctNames(parts.flatMap((part) => templateName(part) ?? []));
  const sent = parts.flatMap(({ content }) => (isUnusable(content) ? [] : [content]));
  const mediaSids = distinct(sent.flatMap((content) => mediaIn(content).map(({ sid }) => sid)));
  const flowSids = distinct(
    sent.flatMap((content) => (content.type === 'flow' ? [content.flow.flowSid] : [])),
  );
  const portfolioIds = distinct(parts.flatMap(({ waba }) => waba?.portfolioId ?? []));
  const [templates, media, flows, suppressions, consents, windows, caps, rooms] = await Promise.all([
    names.length > 0 ? findTemplates(t, names) : [],
    mediaSids.length > 0 ? loadMedia(t, mediaSids) : new Map(),
    flowSids.length > 0 ? findFlows(t, flowSids) : new Map(),
    standingSuppressions(t, contactSids),
    contactSids.length > 0 ? consentsOf(t, contactSids) : new Map(),
    windowsOf(t, pairs),
    marketingCaps(t, contactSids),
    loadRooms(t, portfolioIds, contactSids),
  ]);
  const templateByKey = new Map(names.map((name, at) => [nameKey(name), templates[at] ?? null]));
  return (part) => {
    const contactSid = contactOf(part);
    const pair = pairOf(part);
    const name = templateName(part);
    return {
      template: name ? (templateByKey.get(nameKey(name)) ?? null) : null,
      media,
      flow:
        !isUnusable(part.content) && part.content.type === 'flow'
          ? (flows.get(part.content.flow.flowSid) ?? null)
          : null,
      suppressions: suppressions.get(contactSid ?? '') ?? [],
      consents: consents.get(contactSid ?? '') ?? null,
      window: pair ? windows(pair) : { open: false, expiresAt: null },
      cappedUntil: caps.get(contactSid ?? '') ?? null,
      portfolio: rooms(part.waba, contactSid),
    };
  };
}

function pairOf({ sender, recipient }: Part) {
  if (isUnusable(sender) || isUnusable(recipient) || recipient.contactSid === null) return null;
  return { senderSid: sender.sid, contactSid: recipient.contactSid };
}

function templateName(part: Part): TemplateName | null {
  const template = templateOf(part);
  return template && part.waba
    ? { wabaSid: part.waba.sid, name: template.name, language: template.language }
    : null;
}

const nameKey = ({ wabaSid, name, language }: TemplateName) => `${wabaSid} ${language} ${name}`;
const distinctNames = (names: TemplateName[]) => [
  ...new Map(names.map((name) => [nameKey(name), name])).values(),
];

async function marketingCaps(t: TenantTx, contactSids: string[]): Promise<Map<string, Date>> {
  if (contactSids.length === 0) return new Map();
  const rows = await t.many<{ contactSid: string; until: string }>(sql`
    select contact_sid as "contactSid", until from marketing_caps
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and until > ${t.now}
       and contact_sid = any (${contactSids}::text[])`);
  return new Map(rows.map(({ contactSid, until }) => [contactSid, new Date(until)]));
}

/** One room for each portfolio, shared by the messages of a batch: whoever is accepted takes a place in it. */
async function loadRooms(t: TenantTx, portfolioIds: string[], contactSids: string[]) {
  const rooms = portfolioIds.length > 0 ? await portfolioRooms(t, portfolioIds) : new Map();
  const limited = [...rooms].filter(([, { limit }]) => limit !== null).map(([id]) => id as string);
  const counted = new Map(
    await Promise.all(limited.map(async (id) => [id, await countedRecipients(t, id, contactSids)] as const)),
  );
  const shared = new Map([...rooms].map(([id, room]) => [id, { ...room, id }]));
  return (waba: Waba | null, contactSid: string | null): Case['portfolio'] => {
    const room = waba && shared.get(waba.portfolioId);
    if (!room) return null;
    const isCounted = contactSid !== null && (counted.get(room.id)?.has(contactSid) ?? false);
    return { ...room, counted: isCounted };
  };
}

type Named = Awaited<ReturnType<typeof namedPeople>>;

/** Contacts and conversations that drafts name by SID. */
async function namedPeople(t: TenantTx, drafts: Draft[]) {
  const conversationSids = drafts.flatMap(({ to }) => ('conversationSid' in to ? [to.conversationSid] : []));
  const conversations = await findConversations(t, distinct(conversationSids));
  const contactSids = drafts.flatMap(({ to }) => ('contactSid' in to ? [to.contactSid] : []));
  const talking = [...conversations.values()].map(({ contactSid }) => contactSid);
  const addressees = await addresseesOf(t, distinct([...contactSids, ...talking]));
  return { conversations, addressees };
}

async function findRecipients(
  t: TenantTx,
  drafts: Draft[],
  { conversations, addressees }: Named,
  portfolioIds: (string | null)[],
): Promise<(Recipient | Unusable)[]> {
  const sought = drafts.map(({ to }, at) =>
    'identifier' in to ? wanted(to.identifier, portfolioIds[at]!) : null,
  );
  const identifiers = sought.filter((one): one is Identifier => one !== null && !isUnusable(one));
  const owners = identifiers.length > 0 ? await findAddressees(t, identifiers) : new Map<string, string>();
  // A username is no address: whoever owns it is written to by what else is known of them.
  const byName = identifiers.filter(({ identifierType }) => identifierType === 'username');
  const ownersByName = byName.flatMap((identifier) => owners.get(identifierKey(identifier)) ?? []);
  const behindNames = await addresseesOf(t, distinct(ownersByName));

  return drafts.map(({ to }, at) => {
    const portfolioId = portfolioIds[at]!;
    if ('contactSid' in to) {
      const addressee = addressees.get(to.contactSid);
      return addressee ? addressOf(addressee, portfolioId, null) : missing('contactSid', 'contact');
    }
    if ('conversationSid' in to) {
      const conversation = conversations.get(to.conversationSid);
      const addressee = conversation && addressees.get(conversation.contactSid);
      return addressee
        ? addressOf(addressee, portfolioId, to.conversationSid)
        : missing('conversationSid', 'conversation');
    }
    const identifier = sought[at]!;
    if (isUnusable(identifier)) return identifier;
    const contactSid = owners.get(identifierKey(identifier)) ?? null;
    if (identifier.identifierType === 'username') {
      const addressee = behindNames.get(contactSid ?? '');
      return addressee
        ? addressOf(addressee, portfolioId, null)
        : { code: 'RECIPIENT_ADDRESSING_UNSUPPORTED' };
    }
    const country = to.identifier.country ?? countryOf(identifier);
    return { identifier, contactSid, conversationSid: null, country };
  });
}

const missing = (path: string, noun: string): Unusable => ({
  code: 'NOT_FOUND',
  details: [{ path, issue: `is no ${noun} of this account and environment` }],
});

async function resolveContents(t: TenantTx, drafts: Draft[]): Promise<(Content | Unusable)[]> {
  const stored = drafts.flatMap(({ content }) => ('contentSid' in content ? [content.contentSid] : []));
  const found = stored.length > 0 ? await loadDrafts(t, distinct(stored)) : new Map();
  return drafts.map(({ content }) => {
    if (!('contentSid' in content)) return content;
    const draft = found.get(content.contentSid);
    if (!draft) return missing('contentSid', 'reusable content');
    const filled = fillContent(draft, content.variables);
    return Array.isArray(filled) ? { code: 'VALIDATION_ERROR', details: filled } : filled.content;
  });
}

async function replyTargets(t: TenantTx, drafts: Draft[]): Promise<Case['replyTarget'][]> {
  const sids = drafts.flatMap(({ replyTo }) =>
    replyTo && 'messageSid' in replyTo ? [replyTo.messageSid] : [],
  );
  const rows =
    sids.length === 0
      ? []
      : await t.many<{ sid: string; providerMessageId: string | null }>(sql`
          select m.sid, (select p.provider_message_id from provider_messages p
              where p.account_sid = m.account_sid and p.message_sid = m.sid limit 1) as "providerMessageId"
            from messages m
           where m.account_sid = ${t.accountSid} and m.livemode = ${t.livemode} and m.sid = any (${sids}::text[])`);
  const found = new Map(rows.map((row) => [row.sid, row]));
  return drafts.map(({ replyTo }) => {
    if (replyTo === null) return null;
    if ('providerMessageId' in replyTo) return replyTo;
    return found.get(replyTo.messageSid) ?? missing('context.replyToMessageId', 'message');
  });
}

async function statusCallbacks(
  t: TenantTx,
  { findStatusCallbacks }: SendingHooks,
  drafts: Draft[],
): Promise<Case['statusCallback'][]> {
  const asked = drafts.flatMap(({ statusCallback }) => statusCallback ?? []);
  const found = asked.length > 0 ? await findStatusCallbacks(t, asked) : [];
  const endpoints = new Map(asked.map((one, at) => [one, found[at] ?? null]));
  return drafts.map(({ statusCallback }) => {
    if (statusCallback === null) return null;
    const endpointSid = endpoints.get(statusCallback) ?? null;
    return endpointSid === null ? { code: 'STATUS_CALLBACK_NOT_VERIFIED' } : { endpointSid };
  });
}
