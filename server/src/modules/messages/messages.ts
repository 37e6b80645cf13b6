// Messages as they are told: the row that never changes beside the one that moves.
import type { TenantTx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/query.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { saidWithinReach } from '../conversations/index.ts';
import { type KeptError, toldError } from './message-error.ts';
import type { Message } from './schema.ts';
import { priorities, type Status } from './statuses.ts';

export type MessageRow = {
  sid: string;
  direction: 'outbound' | 'inbound';
  type: string;
  category: Message['category'];
  transport: Message['transport'];
  senderSid: string;
  contactSid: string;
  conversationSid: string | null;
  identifierType: Message['to']['identifierType'];
  /** Empty once the person was erased. */
  address: string;
  content: Record<string, unknown> | null;
  contentRemovedAt: string | null;
  extras: Extras;
  tags: string[] | null;
  campaignSid: string | null;
  workflowRunSid: string | null;
  priority: number;
  sendAt: string | null;
  expiresAt: string | null;
  deferIfCapped: boolean;
  statusCallbackSid: string | null;
  currency: string | null;
  scale: number | null;
  estimateMinor: string | null;
  estimatePricingType: string | null;
  rateCardVersion: number | null;
  createdAt: string;
  status: Status;
  error: KeptError | null;
  finalMinor: string | null;
  pricingType: string | null;
  providerMessageId: string | null;
  sentAt: string | null;
  deliveredAt: string | null;
  readAt: string | null;
  failedAt: string | null;
  canceledAt: string | null;
  updatedAt: string;
};

/** What is told back and never searched. Absent members take no room in the row. */
export type Extras = {
  contentSid?: string;
  variables?: Record<string, string>;
  context?: Record<string, unknown>;
  metadata?: Record<string, string>;
  ttlSeconds?: number;
  validitySeconds?: number;
  senderPoolSid?: string;
  statusCallbackUrl?: string;
};

/** The run that sent it stands in its author's name already; a column of its own would be a second copy. */
const runOf = (author: Sql) =>
  sql`case when starts_with(${author}, 'workflow:') then substr(${author}, length('workflow:') + 1) end`;

/** Every column of a message; `m` and `s` are its row and its state. */
export const messageColumns = sql`
  m.sid, m.direction, m.type, m.category, m.transport, m.sender_sid as "senderSid", m.contact_sid as "contactSid",
  m.conversation_sid as "conversationSid", m.identifier_type as "identifierType", coalesce(m.address, '') as address, m.content,
  m.content_removed_at as "contentRemovedAt", m.extras,
  m.tags, m.campaign_sid as "campaignSid", ${runOf(sql`m.created_by`)} as "workflowRunSid", m.priority, m.send_at as "sendAt", m.expires_at as "expiresAt",
  m.defer_if_capped as "deferIfCapped",
  m.status_callback_sid as "statusCallbackSid", m.currency, m.scale, m.estimate_minor as "estimateMinor",
  m.estimate_pricing_type as "estimatePricingType", m.rate_card_version as "rateCardVersion",
  m.created_at as "createdAt", s.status, s.error, s.final_minor as "finalMinor", s.pricing_type as "pricingType",
  (select p.provider_message_id from provider_messages p
    where p.account_sid = m.account_sid and p.message_sid = m.sid limit 1) as "providerMessageId",
  s.sent_at as "sentAt", s.delivered_at as "deliveredAt", s.read_at as "readAt", s.failed_at as "failedAt",
  s.canceled_at as "canceledAt", s.updated_at as "updatedAt"`;

/** That a message carries a file. */
export const useOf = ({ sid, contactSid, senderSid, campaignSid }: MessageRow, mediaSid: string) => ({
  mediaSid,
  messageSid: sid,
  contactSid,
  senderSid,
  campaignSid,
});

type Teller = Pick<TenantTx, 'accountSid' | 'livemode' | 'site'>;

/** A message as the wire and the events tell it. */
export function messageOf({ accountSid, livemode, site }: Teller, row: MessageRow): Message {
  const { extras } = row;
  return {
    object: 'message',
    sid: row.sid,
    accountSid,
    livemode,
    direction: row.direction,
    status: row.status,
    from: row.senderSid,
    senderPoolSid: extras.senderPoolSid ?? null,
    to: { identifierType: row.identifierType, value: row.address, contactSid: row.contactSid },
    conversationSid: row.conversationSid,
    type: row.type,
    content: row.content,
    contentRemovedAt: row.contentRemovedAt,
    text: row.type === 'text' ? row.content : null,
    contentSid: extras.contentSid ?? null,
    variables: extras.variables ?? null,
    context: extras.context ?? null,
    category: row.category,
    transport: row.transport,
    transportOptions: extras.ttlSeconds === undefined ? null : { ttlSeconds: extras.ttlSeconds },
    priority: priorities[row.priority]!,
    price: priceOfRow(row),
    error: toldError(site, row.error),
    providerMessageId: row.providerMessageId,
    statusCallbackUrl: extras.statusCallbackUrl ?? null,
    statusCallbackSid: row.statusCallbackSid,
    campaignSid: row.campaignSid,
    workflowRunSid: row.workflowRunSid,
    metadata: extras.metadata ?? {},
    tags: row.tags ?? [],
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    queuedAt: row.direction === 'outbound' ? row.createdAt : null,
    sendAt: row.sendAt,
    validityPeriodSeconds: extras.validitySeconds ?? null,
    deferIfCapped: row.deferIfCapped,
    sentAt: row.sentAt,
    deliveredAt: row.deliveredAt,
    readAt: row.readAt,
    failedAt: row.failedAt,
    canceledAt: row.canceledAt,
    expiresAt: row.expiresAt,
  };
}

function priceOfRow(row: MessageRow): Message['price'] {
  if (row.estimateMinor === null) return null;
  const money = (amountMinor: string) => ({ amountMinor, currency: row.currency!, scale: row.scale! });
  return {
    estimate: money(row.estimateMinor),
    final: row.finalMinor === null ? null : money(row.finalMinor),
    pricingType: (row.pricingType ?? row.estimatePricingType) as NonNullable<Message['price']>['pricingType'],
    rateCardVersion: row.rateCardVersion!,
  };
}

/** These messages as they are now, by SID; one that does not exist is missing. */
export async function readMessages(t: TenantTx, sids: string[]): Promise<Map<string, Message>> {
  const rows = await t.many<MessageRow>(sql`
    select ${messageColumns} from messages m join message_states s using (account_sid, sid)
     where m.account_sid = ${t.accountSid} and m.livemode = ${t.livemode} and m.sid = any(${sids}::text[])`);
  return new Map(rows.map((row) => [row.sid, messageOf(t, row)]));
}

/** As `getMessage`, for a caller who may hold the scope in single inboxes only. */
export async function getMessageInReach(t: TenantTx, sid: string): Promise<Message> {
  const [reached] = await messagesWithinReach(t, [sid], 'messages:read');
  if (!reached) throw new ApiError('NOT_FOUND');
  return getMessage(t, sid);
}

/** Of these messages, those in conversations within the caller's reach. */
export async function messagesWithinReach(t: TenantTx, sids: string[], scope: string): Promise<string[]> {
  const reached = saidWithinReach(t, scope);
  if (!reached) return sids;
  const rows = await t.many<{ sid: string }>(sql`
    select m.sid from messages m
     where m.account_sid = ${t.accountSid} and m.livemode = ${t.livemode} and m.sid = any (${sids}::text[])
       and ${reached}`);
  return rows.map(({ sid }) => sid);
}

export async function getMessage(t: TenantTx, sid: string): Promise<Message> {
  const message = (await readMessages(t, [sid])).get(sid);
  if (!message) throw new ApiError('NOT_FOUND');
  return message;
}
