// Stores admitted messages: the message, its state, its place in the sender's lane, its money and its event, many at
// once. What was admitted and what was stored is the same object, so that nothing is read back.
import type { Asked, MergedQueries, TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { emit } from '../../../platform/events.ts';
import { newSid } from '../../../platform/ids.ts';
import { principalName } from '../../../platform/principal.ts';
import { hold } from '../../billing/index.ts';
import { noteSent } from '../../conversations/index.ts';
import { noteMediaUses } from '../../media/index.ts';
import { type Content, fieldOfType } from '../../provider/index.ts';
import type { Sender } from '../../senders/index.ts';
import { countRecipients } from '../../wabas/index.ts';
import { wakeFor } from '../dispatch/lanes.ts';
import { mediaIn } from '../drafts/media-in-content.ts';
import type { Draft } from '../drafts/read-message.ts';
import { messageEvents } from '../events.ts';
import type { Case, Recipient, Resolved } from '../gates/case.ts';
import { type Extras, type MessageRow, messageOf, useOf } from '../messages.ts';
import type { Message } from '../schema.ts';
import { turnAt } from '../statuses.ts';

/** A message that passed every gate. */
export type Admitted = {
  draft: Draft;
  sender: Sender;
  recipient: Recipient;
  content: Content;
  /** Null for a stranger, until there is a contact of them. */
  contactSid: string | null;
  conversationSid: string | null;
  statusCallbackSid: string | null;
  portfolio: Case['portfolio'];
  windowOpen: boolean;
  resolved: Resolved;
  /** Whose claim on the conversation was passed over, if anybody's. */
  passedOver: string | null;
};

type NewRow = MessageRow & {
  accountSid: string;
  market: string | null;
  partnerBilled: true | null;
  createdBy: string;
  waiting: true;
  dueAt: string;
  turnAt: string;
};

export async function storeMessages(
  t: TenantTx,
  admitted: Admitted[],
  contactSids: string[],
): Promise<Message[]> {
  if (admitted.length === 0) return [];
  const rows = admitted.map((one, at) => toRow(t, one, contactSids[at]!));
  await Promise.all([
    t.merged(insertRows, rows),
    wakeFor(t, rows),
    hold(
      t,
      rows.map(({ sid, estimateMinor }, at) => ({
        messageSid: sid,
        amountMinor: BigInt(estimateMinor!),
        wabaSid: admitted[at]!.sender.wabaSid,
      })),
    ),
    ...countPeople(t, admitted, contactSids),
    noteMediaUses(
      t,
      rows.flatMap((row, at) => mediaIn(admitted[at]!.content).map(({ sid }) => useOf(row, sid))),
    ),
  ]);
  noteSent(
    t,
    rows.flatMap(({ sid, conversationSid }) =>
      conversationSid === null ? [] : [{ conversationSid, messageSid: sid }],
    ),
  );
  return rows.map((row) => {
    const message = messageOf(t, row);
    emit(t, messageEvents[message.status], message);
    return message;
  });
}

function toRow(
  t: TenantTx,
  { draft, sender, content, recipient, resolved, ...one }: Admitted,
  contactSid: string,
): NewRow {
  const at = t.now.toISOString();
  const start = draft.sendAt ?? t.now;
  const { quote, dueAt, deferred, category } = resolved;
  return {
    accountSid: t.accountSid,
    sid: newSid('SM', t.now),
    direction: 'outbound',
    type: content.type,
    category,
    transport: draft.transport,
    senderSid: sender.sid,
    contactSid,
    conversationSid: one.conversationSid,
    identifierType: recipient.identifier.identifierType,
    address: recipient.identifier.value,
    content: (content as Record<string, unknown>)[fieldOfType[content.type]] as Record<string, unknown>,
    contentRemovedAt: null,
    extras: extrasOf(draft),
    tags: draft.tags.length > 0 ? draft.tags : null,
    campaignSid: draft.campaignSid,
    workflowRunSid: draft.author.kind === 'workflow' ? draft.author.ref : null,
    priority: draft.priority,
    sendAt: draft.sendAt?.toISOString() ?? null,
    expiresAt: expiryOf(draft, start),
    deferIfCapped: draft.deferIfCapped,
    statusCallbackSid: one.statusCallbackSid,
    currency: quote!.currency,
    scale: quote!.scale,
    estimateMinor: quote!.totalMinor.toString(),
    estimatePricingType: quote!.pricingType,
    market: quote!.market,
    // Frozen here: what it is charged does not follow the account's mode.
    partnerBilled: quote!.mode === 'partner' ? true : null,
    rateCardVersion: quote!.rateCardVersion,
    createdBy: principalName(draft.author),
    createdAt: at,
    status: deferred ? 'deferred' : draft.sendAt && draft.sendAt > t.now ? 'scheduled' : 'queued',
    waiting: true,
    dueAt: dueAt.toISOString(),
    turnAt: turnAt(dueAt, draft.priority).toISOString(),
    error: null,
    finalMinor: null,
    pricingType: null,
    providerMessageId: null,
    sentAt: null,
    deliveredAt: null,
    readAt: null,
    failedAt: null,
    canceledAt: null,
    updatedAt: at,
  };
}

/** Whichever of its limits ends first: after that it is not handed over any more. */
function expiryOf({ validitySeconds, ttlSeconds }: Draft, start: Date): string | null {
  const seconds = Math.min(
    validitySeconds ?? Number.POSITIVE_INFINITY,
    ttlSeconds ?? Number.POSITIVE_INFINITY,
  );
  return Number.isFinite(seconds) ? new Date(start.getTime() + seconds * 1000).toISOString() : null;
}

function extrasOf(draft: Draft): Extras {
  const { content, replyTo, metadata, ttlSeconds, validitySeconds, sender, statusCallback } = draft;
  const extras: Extras = {};
  if ('contentSid' in content) {
    extras.contentSid = content.contentSid;
    extras.variables = content.variables;
  }
  if (replyTo) {
    extras.context = 'messageSid' in replyTo ? { replyToMessageId: replyTo.messageSid } : { ...replyTo };
  }
  if (Object.keys(metadata).length > 0) extras.metadata = metadata;
  if (ttlSeconds !== null) extras.ttlSeconds = ttlSeconds;
  if (validitySeconds !== null) extras.validitySeconds = validitySeconds;
  if (sender !== 'any' && 'poolSid' in sender) extras.senderPoolSid = sender.poolSid;
  if (statusCallback && 'url' in statusCallback) extras.statusCallbackUrl = statusCallback.url;
  return extras;
}

/** As JSON and not as arrays: one text to write and one to read, whatever the number of columns. */
async function insertRows(q: MergedQueries, asked: readonly Asked<NewRow>[]) {
  const rows = asked.map(({ item }) => item);
  await q.run(sql`
    with given as (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as m ("accountSid" text, sid text, type text, category text,
        transport text, "senderSid" text, "contactSid" text, "conversationSid" text, "identifierType" text,
        address text, content json, extras json, tags text[], "campaignSid" text, priority smallint, "sendAt" timestamptz,
        "expiresAt" timestamptz, "deferIfCapped" boolean, "statusCallbackSid" text, currency text, scale smallint,
        "estimateMinor" bigint, "estimatePricingType" text, market text, "rateCardVersion" integer, "partnerBilled" boolean, "createdBy" text,
        status text, "dueAt" timestamptz, "turnAt" timestamptz)),
    stored as (
      insert into messages (account_sid, livemode, sid, direction, type, category, transport, sender_sid, contact_sid,
        conversation_sid, identifier_type, address, content, extras, tags, campaign_sid, priority, send_at, expires_at,
        defer_if_capped, status_callback_sid, currency, scale, estimate_minor, estimate_pricing_type, market,
        rate_card_version, partner_billed, created_by, created_at)
      select "accountSid", ${q.livemode}, sid, 'outbound', type, category, transport, "senderSid", "contactSid",
        "conversationSid", "identifierType", address, content, extras, tags, "campaignSid", priority, "sendAt", "expiresAt",
        "deferIfCapped", "statusCallbackSid", currency, scale, "estimateMinor", "estimatePricingType", market,
        "rateCardVersion", "partnerBilled", "createdBy", ${q.now} from given)
    insert into message_states (account_sid, livemode, sid, sender_sid, status, rank, waiting, due_at, turn_at,
      expires_at, updated_at)
    select "accountSid", ${q.livemode}, sid, "senderSid", status, 0, true, "dueAt", "turnAt", "expiresAt", ${q.now}
      from given`);
  return [];
}

function countPeople(t: TenantTx, admitted: Admitted[], contactSids: string[]): Promise<void>[] {
  const people = new Map<string, string[]>();
  for (const [at, { portfolio, windowOpen }] of admitted.entries()) {
    // Without a limit nobody is counted: it would be a row for every recipient and no use.
    if (windowOpen || !portfolio || portfolio.limit === null) continue;
    people.set(portfolio.id, [...(people.get(portfolio.id) ?? []), contactSids[at]!]);
  }
  return [...people].map(([portfolioId, contactSids]) => countRecipients(t, portfolioId, contactSids));
}
