// Looks up everything the gates judge many messages by, in a constant number of statements. Statements that do not wait
// for each other's answers leave together.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { isSid } from '../../../platform/ids.ts';
import { accountStanding } from '../../accounts/index.ts';
import { loadRates, lockWallet, readWallet } from '../../billing/index.ts';
import { consentStandingOf, type Standing, standingOf } from '../../consent/index.ts';
import { erasedOptOuts, identifierKey, type OptOut } from '../../contacts/index.ts';
import { loadMedia } from '../../media/index.ts';
import { atItsPace, limitingPlan, lockRoom, readRoom } from '../../plans/index.ts';
import type { Content } from '../../provider/index.ts';
import type { OpenPool, Sender } from '../../senders/index.ts';
import {
  fillContent,
  findFlows,
  findTemplates,
  loadDrafts,
  type TemplateName,
} from '../../templates/index.ts';
import {
  countedRecipients,
  loadWabas,
  type PortfolioRoom,
  portfolioRooms,
  type Waba,
} from '../../wabas/index.ts';
import { findStatusCallbacks } from '../../webhooks/index.ts';
import { mediaIn } from '../drafts/media-in-content.ts';
import type { Draft } from '../drafts/read-message.ts';
import { type Case, isUnusable, missing, type Unusable } from '../gates/case.ts';
import { poolsOf } from './choose-from-pools.ts';
import { chooseSenders } from './choose-senders.ts';
import { findRecipients, namedPeople, ownersOfPhones } from './find-recipients.ts';
import { loadAudience, loadPeople } from './load-people.ts';

export type Loading = {
  /** Locks the wallet: what is judged affordable then stays so until the transaction ends. */
  toSend: boolean;
  /** Thousands of people, of whom nothing is asked but what the gates judge by. */
  audience?: boolean;
  /** Told of the pools before anything is chosen from them. */
  onPools?: (pools: ReadonlyMap<string, OpenPool>) => void;
};

/**
 * Two round trips serve a batch: what drafts name, and what is known of those. A conversation, a BSUID or a username takes one
 * more, since it must be followed before anything else is known; so does a portfolio that may not write to everybody. A
 * pool takes two more: it is held before people are looked up, and chooses once they are known.
 */
export async function loadCases(
  t: TenantTx,
  drafts: Draft[],
  { toSend, audience = false, onPools }: Loading,
): Promise<Case[]> {
  const pools = await poolsOf(t, drafts, { toSend });
  onPools?.(pools);
  const naming = namedPeople(t, drafts);
  const owning = ownersOfPhones(t, drafts);
  const resolving = resolveContents(t, drafts);
  const standing = accountStanding(t);
  const [{ accountStatus }, plan, rates, named, senders, byPhone, contents, replies, callbacks] =
    await Promise.all([
      standing,
      limitingPlan(t, standing),
      loadRates(t),
      naming,
      chooseSenders(t, drafts, pools, { naming, owning }),
      owning,
      resolving,
      targetsOf(t, drafts, resolving),
      statusCallbacks(t, drafts),
    ]);
  const wabaSids = distinct(senders.flatMap((sender) => wabaSidOf(sender) ?? []));
  const wabas = loadWabas(t, wabaSids);
  wabas.catch(() => {}); // awaited below, unless the look-up of recipients fails first and says why
  const recipients = await findRecipients(t, drafts, named, byPhone, async () => {
    const known = await wabas;
    return senders.map((sender) => known.get(wabaSidOf(sender) ?? '') ?? null);
  });
  const parts = drafts.map((draft, at) => ({
    draft,
    sender: senders[at]!,
    recipient: recipients[at]!,
    content: contents[at]!,
  }));
  const [facts, wallet, sends] = await Promise.all([
    loadFacts(t, parts, wabas, wabaSids, { toSend, audience }),
    toSend ? lockWallet(t) : readWallet(t),
    // After the wallet was locked, in the same round trip: nobody else who sends has read or will write it meanwhile.
    plan && (toSend ? lockRoom(t, plan) : readRoom(t, plan)),
  ]);
  const account = { accountStatus, sends: sends && audience ? atItsPace(sends) : sends };
  const { apiVersion } = t.site.provider[t.livemode ? 'live' : 'sandbox'];
  // Field by field: spread objects made this dearer than all gates together.
  return parts.map((part, at) => {
    const known = facts(part);
    return {
      draft: part.draft,
      now: t.now,
      apiVersion,
      account,
      sender: part.sender,
      waba: known.waba,
      recipient: part.recipient,
      content: part.content,
      template: known.template,
      media: known.media,
      flow: known.flow,
      replyTarget: replies[at]!,
      statusCallback: callbacks[at]!,
      composer: null,
      suppressions: known.suppressions,
      consents: known.consents,
      window: known.window,
      conversationSid: known.conversationSid,
      cappedUntil: known.cappedUntil,
      portfolio: known.portfolio,
      rates,
      wallet,
    };
  });
}

type Part = Pick<Case, 'draft' | 'sender' | 'recipient' | 'content'>;
const none: readonly Standing[] = [];

type Facts = Omit<
  Case,
  | keyof Part
  | 'composer'
  | 'now'
  | 'apiVersion'
  | 'account'
  | 'replyTarget'
  | 'statusCallback'
  | 'rates'
  | 'wallet'
>;

const distinct = <T>(items: T[]): T[] => [...new Set(items)];
const wabaSidOf = (sender: Sender | Unusable) => (isUnusable(sender) ? null : sender.wabaSid);
const contactOf = ({ recipient }: Part) => (isUnusable(recipient) ? null : recipient.contactSid);
const templateOf = ({ content }: Part) =>
  !isUnusable(content) && content.type === 'template' ? content.template : null;

async function loadFacts(
  t: TenantTx,
  parts: Part[],
  loadingWabas: Promise<Map<string, Waba>>,
  wabaSids: string[],
  { toSend, audience }: { toSend: boolean; audience: boolean },
): Promise<(part: Part) => Facts> {
  const contactSids = distinct(parts.flatMap((part) => contactOf(part) ?? []));
  const pairs = parts.flatMap((part) => pairOf(part) ?? []);
  const names = distinctNames(parts.flatMap((part) => templateName(part) ?? []));
  const sent = parts.flatMap(({ content }) => (isUnusable(content) ? [] : [content]));
  const mediaSids = distinct(sent.flatMap((content) => mediaIn(content).map(({ sid }) => sid)));
  const flowSids = distinct(
    sent.flatMap((content) => (content.type === 'flow' ? [content.flow.flowSid] : [])),
  );
  const strangers = parts.flatMap(({ recipient }) =>
    isUnusable(recipient) || recipient.contactSid !== null ? [] : [recipient.identifier],
  );
  const [templates, media, flows, people, rooms, wabas, erased] = await Promise.all([
    names.length > 0 ? findTemplates(t, names) : [],
    mediaSids.length > 0 ? loadMedia(t, mediaSids) : new Map(),
    flowSids.length > 0 ? findFlows(t, flowSids) : new Map(),
    audience ? loadAudience(t, contactSids) : loadPeople(t, contactSids, pairs),
    loadRooms(t, wabaSids, contactSids, { limitedOnly: toSend || audience }),
    loadingWabas,
    erasedOptOuts(t, strangers),
  ]);
  const templateByKey = new Map(names.map((name, at) => [nameKey(name), templates[at] ?? null]));
  return (part) => {
    const contactSid = contactOf(part);
    const pair = pairOf(part);
    const name = templateName(part);
    const wabaSid = wabaSidOf(part.sender);
    const optOut = optOutOf(part, erased);
    return {
      waba: wabas.get(wabaSid ?? '') ?? null,
      portfolio: rooms(wabaSid, contactSid),
      template: name ? (templateByKey.get(nameKey(name)) ?? null) : null,
      media,
      flow:
        !isUnusable(part.content) && part.content.type === 'flow'
          ? (flows.get(part.content.flow.flowSid) ?? null)
          : null,
      suppressions: optOut
        ? standingOf(optOut.suppressions)
        : (people.suppressions.get(contactSid ?? '') ?? none),
      consents: optOut ? consentStandingOf(optOut.consents) : (people.consents.get(contactSid ?? '') ?? null),
      window: pair ? people.windows(pair) : { open: false, expiresAt: null, freeUntil: null },
      conversationSid: pair ? (people.conversations?.(pair)?.sid ?? null) : null,
      cappedUntil: people.caps.get(contactSid ?? '') ?? null,
    };
  };
}

/** What a stranger forbade who was a contact once, and was erased. */
function optOutOf({ recipient }: Part, erased: ReadonlyMap<string, OptOut>): OptOut | undefined {
  if (erased.size === 0 || isUnusable(recipient) || recipient.contactSid !== null) return undefined;
  return erased.get(identifierKey(recipient.identifier));
}

function pairOf({ sender, recipient }: Part) {
  if (isUnusable(sender) || isUnusable(recipient) || recipient.contactSid === null) return null;
  return { senderSid: sender.sid, contactSid: recipient.contactSid };
}

function templateName(part: Part): TemplateName | null {
  const template = templateOf(part);
  const wabaSid = wabaSidOf(part.sender);
  return template && wabaSid ? { wabaSid, name: template.name, language: template.language } : null;
}

const nameKey = ({ wabaSid, name, language }: TemplateName) => `${wabaSid} ${language} ${name}`;
const distinctNames = (names: TemplateName[]) => [
  ...new Map(names.map((name) => [nameKey(name), name])).values(),
];

/** The room that the portfolio of a business account has left. */
async function loadRooms(
  t: TenantTx,
  wabaSids: string[],
  contactSids: string[],
  options: { limitedOnly: boolean },
) {
  const rooms =
    wabaSids.length > 0 ? await portfolioRooms(t, wabaSids, options) : new Map<string, PortfolioRoom>();
  const limited = [...rooms.values()].filter(({ limit }) => limit !== null);
  const counted = new Map(
    await Promise.all(
      distinct(limited.map(({ id }) => id)).map(
        async (id) => [id, await countedRecipients(t, id, contactSids)] as const,
      ),
    ),
  );
  return (wabaSid: string | null, contactSid: string | null): Case['portfolio'] => {
    const room = rooms.get(wabaSid ?? '');
    if (!room) return null;
    return { ...room, counted: contactSid !== null && (counted.get(room.id)?.has(contactSid) ?? false) };
  };
}

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

/** The message each draft answers or reacts to. */
async function targetsOf(
  t: TenantTx,
  drafts: Draft[],
  resolving: Promise<(Content | Unusable)[]>,
): Promise<Case['replyTarget'][]> {
  const contents = await resolving;
  const named = drafts.map((draft, at) => targetOf(draft, contents[at]!));
  const sids = distinct(
    named.flatMap((target) => (target && 'messageSid' in target ? [target.messageSid] : [])),
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
  return named.map((target) => {
    if (target === null || 'providerMessageId' in target) return target;
    return found.get(target.messageSid) ?? missing(target.path, 'message');
  });
}

type Target = { messageSid: string; path: string } | { providerMessageId: string } | null;

function targetOf({ replyTo }: Draft, content: Content | Unusable): Target {
  if (!isUnusable(content) && content.type === 'reaction') {
    const { targetMessageId } = content.reaction;
    return isSid('SM', targetMessageId)
      ? { messageSid: targetMessageId, path: 'reaction.targetMessageId' }
      : { providerMessageId: targetMessageId };
  }
  if (replyTo === null || 'providerMessageId' in replyTo) return replyTo;
  return { ...replyTo, path: 'context.replyToMessageId' };
}

async function statusCallbacks(t: TenantTx, drafts: Draft[]): Promise<Case['statusCallback'][]> {
  const asked = drafts.flatMap(({ statusCallback }) => statusCallback ?? []);
  const found = asked.length > 0 ? await findStatusCallbacks(t, asked) : [];
  const endpoints = new Map(asked.map((one, at) => [one, found[at] ?? null]));
  return drafts.map(({ statusCallback }) => {
    if (statusCallback === null) return null;
    const endpointSid = endpoints.get(statusCallback) ?? null;
    return endpointSid === null ? { code: 'STATUS_CALLBACK_NOT_VERIFIED' } : { endpointSid };
  });
}
