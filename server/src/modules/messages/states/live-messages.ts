// Messages that may still move: read under a lock, moved in memory, written back in one statement. The lock is taken in the
// order of SIDs, so that two batches cannot wait for each other in a circle.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { emit } from '../../../platform/events.ts';
import type { Reported } from '../../billing/index.ts';
import { messageEvents } from '../events.ts';
import { type MessageRow, messageColumns, messageOf } from '../messages.ts';
import { ranks } from '../statuses.ts';

export type LiveMessage = MessageRow & {
  rank: number;
  waiting: boolean;
  attempts: number;
  dueAt: string | null;
  turnAt: string | null;
  market: string | null;
  /** Whether it was admitted in the billing mode `partner`; null for no. */
  partnerBilled: boolean | null;
  /** The price the provider named; it becomes the final one with the delivery. */
  pricedMinor: string | null;
  /** How the provider said it charges, in its own words. */
  reported: Reported | null;
};

export const liveColumns = sql`${messageColumns}, s.rank, s.waiting, s.attempts, s.due_at as "dueAt",
  s.turn_at as "turnAt", m.market, m.partner_billed as "partnerBilled", s.priced_minor as "pricedMinor", s.reported`;

/** These messages, locked until the transaction ends; those that do not exist are missing. */
export async function lockMessages(t: TenantTx, sids: readonly string[]): Promise<Map<string, LiveMessage>> {
  // One by one, each by its whole key, in the order of their names: so they are also locked.
  const rows = await t.many<LiveMessage>(sql`
    select ${liveColumns} from unnest(${[...new Set(sids)].sort()}::text[]) as wanted (sid)
     cross join lateral (
       select * from message_states
        where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = wanted.sid
        limit 1 for no key update) as s
     cross join lateral (
       select * from messages where account_sid = ${t.accountSid} and sid = s.sid limit 1) as m`);
  return new Map(rows.map((row) => [row.sid, row]));
}

const column = <K extends keyof LiveMessage>(messages: readonly LiveMessage[], name: K) =>
  messages.map((message) => message[name]);

/**
 * Writes where locked messages stand now. The statement itself lets none lose rank: a status never moves backwards, whatever
 * the code above it believes.
 */
export async function storeStates(t: TenantTx, messages: readonly LiveMessage[]): Promise<void> {
  if (messages.length === 0) return;
  const stored = await t.run(sql`
    with next as materialized (
      select given.*, found.place
        from unnest(${column(messages, 'sid')}::text[], ${column(messages, 'status')}::text[],
          ${column(messages, 'rank')}::smallint[], ${column(messages, 'waiting')}::boolean[],
          ${column(messages, 'dueAt')}::timestamptz[], ${column(messages, 'turnAt')}::timestamptz[],
          ${column(messages, 'attempts')}::smallint[],
          ${messages.map(({ error }) => error && JSON.stringify(error))}::text[],
          ${column(messages, 'finalMinor')}::bigint[], ${column(messages, 'pricingType')}::text[],
          ${column(messages, 'pricedMinor')}::bigint[], ${column(messages, 'sentAt')}::timestamptz[],
          ${column(messages, 'deliveredAt')}::timestamptz[], ${column(messages, 'readAt')}::timestamptz[],
          ${column(messages, 'failedAt')}::timestamptz[],
          ${messages.map(({ reported }) => reported && JSON.stringify(reported))}::text[])
          as given (sid, status, rank, waiting, due_at, turn_at, attempts, error, final_minor, pricing_type, priced_minor,
            sent_at, delivered_at, read_at, failed_at, reported)
       cross join lateral (
         select ctid as place from message_states where account_sid = ${t.accountSid} and sid = given.sid
          limit 1) as found)
    update message_states s set status = next.status, rank = next.rank, waiting = next.waiting, due_at = next.due_at,
      turn_at = next.turn_at, attempts = next.attempts, error = next.error::json, final_minor = next.final_minor,
      pricing_type = next.pricing_type, priced_minor = next.priced_minor, sent_at = next.sent_at,
      delivered_at = next.delivered_at, read_at = next.read_at, failed_at = next.failed_at,
      reported = next.reported::json, updated_at = ${t.now}
      from next
     where s.ctid = next.place and s.rank <= next.rank`);
  if (stored !== messages.length) throw new Error('a locked message was moved by somebody else');
}

const canceled = (t: TenantTx) => sql`
  update message_states set status = 'canceled', rank = ${ranks.canceled}, waiting = false, due_at = null,
    turn_at = null, canceled_at = ${t.now}, updated_at = ${t.now}
   where account_sid = ${t.accountSid} and livemode = ${t.livemode} and waiting`;

/** Cancels a message that still waits, in one statement: of a cancel and a hand-off at once the row's lock lets one win. */
export async function cancelWaiting(t: TenantTx, sid: string): Promise<boolean> {
  return (await t.run(sql`${canceled(t)} and sid = ${sid}`)) > 0;
}

/** The same of what waits for some contacts, so many at a time; tells which. */
export async function cancelWaitingOf(
  t: TenantTx,
  contactSids: readonly string[],
  limit: number,
): Promise<string[]> {
  const rows = await t.many<{ sid: string }>(sql`
    ${canceled(t)} and sid = any (array(
      select s.sid from messages m join message_states s on s.account_sid = m.account_sid and s.sid = m.sid
       where m.account_sid = ${t.accountSid} and m.livemode = ${t.livemode} and m.contact_sid = any (${[...contactSids]}::text[]) and s.waiting
       order by s.sid limit ${limit} for no key update of s))
    returning sid`);
  return rows.map(({ sid }) => sid);
}

/** Handed over, and nothing heard of that hand-off. One that is handed over again may have been `sent` before. */
export const awaitsAnswer = ({ rank, waiting, attempts }: LiveMessage) =>
  !waiting && (rank === ranks.sending || (rank === ranks.sent && attempts > 1));

/** What was handed over and is not known to have been delivered. An `unknown` message is never sent again. */
export const mayBeTriedAgain = ({ rank, waiting }: LiveMessage) =>
  !waiting && (rank === ranks.sending || rank === ranks.sent);

/** Tells of a change: the message as it is after it. What the provider reported happened when it says. */
export function announce(t: TenantTx, message: MessageRow): void {
  const data = messageOf(t, { ...message, updatedAt: t.now.toISOString() });
  const toldAt = reachedAt(message);
  emit(t, messageEvents[message.status], data, toldAt === null ? t.now : new Date(toldAt));
}

/** Tells that the final price of messages is known, where no status told it. */
export function announcePrices(t: TenantTx, messages: readonly MessageRow[]): void {
  for (const message of messages)
    emit(t, messageEvents.priced, messageOf(t, { ...message, updatedAt: t.now.toISOString() }));
}

function reachedAt({ status, sentAt, deliveredAt, readAt, failedAt }: MessageRow): string | null {
  switch (status) {
    case 'sent':
    case 'received':
      return sentAt;
    case 'delivered':
      return deliveredAt;
    case 'read':
      return readAt;
    case 'failed':
      return failedAt;
    default:
      return null;
  }
}
