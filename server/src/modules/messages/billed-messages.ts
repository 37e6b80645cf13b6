// What is known of messages where their money is in doubt: what they were accepted as, how far they came, what was taken.
import type { TenantTx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/query.ts';
import type { Reported } from '../billing/index.ts';
import type { Message } from './schema.ts';
import { ranks, type Status } from './statuses.ts';

type Row = {
  sid: string;
  type: string;
  senderSid: string;
  campaignSid: string | null;
  identifierType: Message['to']['identifierType'];
  address: string;
  category: string | null;
  transport: string | null;
  market: string | null;
  currency: string | null;
  scale: number | null;
  estimateMinor: string | null;
  rateCardVersion: number | null;
  /** The platform pays the provider for it. */
  partnerBilled: boolean | null;
  status: Status;
  rank: number;
  attempts: number;
  finalMinor: string | null;
  pricingType: string | null;
  /** How the provider said it charges, in its own words. */
  reported: Reported | null;
  createdAt: string;
  sentAt: string | null;
  /** When the provider says that it arrived, as far as it said so. */
  arrivedAt: string | null;
};

export type BilledMessage = Omit<Row, 'rank' | 'attempts'> & {
  /** The provider may have it. */
  handedOver: boolean;
  delivered: boolean;
};

const columns = sql`m.sid, m.type, m.sender_sid as "senderSid", m.campaign_sid as "campaignSid", m.identifier_type as "identifierType", coalesce(m.address, '') as address, m.category, m.transport,
  m.market, m.currency, m.scale, m.estimate_minor as "estimateMinor", m.rate_card_version as "rateCardVersion", m.partner_billed as "partnerBilled", s.reported,
  m.created_at as "createdAt", s.sent_at as "sentAt", s.status, s.rank, s.attempts, s.final_minor as "finalMinor", s.pricing_type as "pricingType",
  coalesce(s.delivered_at, s.read_at) as "arrivedAt"`;

const toBilled = ({ rank, attempts, ...row }: Row): BilledMessage => ({
  ...row,
  handedOver: attempts > 0 && rank >= ranks.sending && rank <= ranks.read,
  delivered: rank === ranks.delivered || rank === ranks.read,
});

const read = async (t: TenantTx, from: Sql): Promise<BilledMessage[]> =>
  (await t.many<Row>(sql`select ${columns} from ${from}`)).map(toBilled);

/** These messages, by SID; one that does not exist, or was never paid for, is missing. */
export async function billedMessages(
  t: TenantTx,
  sids: readonly string[],
): Promise<Map<string, BilledMessage>> {
  if (sids.length === 0) return new Map();
  const rows = await read(
    t,
    sql`messages m join message_states s on s.account_sid = m.account_sid and s.sid = m.sid
     where m.account_sid = ${t.accountSid} and m.livemode = ${t.livemode} and m.sid = any(${[...sids]}::text[])
       and m.estimate_minor is not null`,
  );
  return new Map(rows.map((row) => [row.sid, row]));
}

/**
 * The next messages of an account in the order in which they were accepted, and where to go on: null after the last. However many
 * there are, a stretch takes the same time and room.
 */
export async function stretchOfMessages(
  t: TenantTx,
  { after, before, length }: { after: string; before: string; length: number },
): Promise<{ messages: BilledMessage[]; until: string | null }> {
  const passed = sql`(
    select * from messages where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid > ${after} and sid < ${before}
     order by sid limit ${length}) m`;
  const rows = await read(
    t,
    sql`${passed} join message_states s on s.account_sid = m.account_sid and s.sid = m.sid order by m.sid`,
  );
  return {
    messages: rows.filter(({ estimateMinor }) => estimateMinor !== null),
    until: rows.length < length ? null : rows.at(-1)!.sid,
  };
}
