// Messages as analytics count them: what they are, how far they came and what they cost.
import type { TenantTx } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/query.ts';
import type { Message } from '../schema.ts';
import type { Status } from '../statuses.ts';

export type CountableMessage = {
  sid: string;
  direction: Message['direction'];
  senderSid: string;
  /** The name of the template; null for any other content. */
  template: string | null;
  category: Message['category'];
  campaignSid: string | null;
  identifierType: Message['to']['identifierType'];
  address: string;
  currency: string | null;
  scale: number | null;
  status: Status;
  /** Of the error it ended with, if it did. */
  code: string | null;
  /** What was taken for it. */
  chargedMinor: string;
  /** What is still set aside for it: nothing once it has a final price, or has failed, or nobody knows what became of it. */
  expectedMinor: string;
};

/** Every column of one, of `m` and its state `s`. */
const columns = sql`
  m.sid, m.direction, m.sender_sid as "senderSid", case when m.type = 'template' then m.content ->> 'name' end as template,
  m.category, m.campaign_sid as "campaignSid", m.identifier_type as "identifierType", coalesce(m.address, '') as address, m.currency, m.scale, s.status,
  s.error ->> 'code' as code, coalesce(s.final_minor, 0) as "chargedMinor",
  case when s.final_minor is null and s.status not in ('failed', 'canceled', 'expired', 'unknown')
    then coalesce(m.estimate_minor, 0) else 0 end as "expectedMinor"`;

/** These messages; one that does not exist is missing. */
export const countableMessages = (t: TenantTx, sids: readonly string[]): Promise<CountableMessage[]> =>
  t.many<CountableMessage>(sql`
    select ${columns} from unnest(${[...sids].sort()}::text[]) as wanted (sid)
     cross join lateral (
       select * from messages
        where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = wanted.sid limit 1) as m
     cross join lateral (
       select * from message_states where account_sid = ${t.accountSid} and sid = m.sid limit 1) as s`);

/** A stretch of names: from the first on, up to before the last. */
export type Stretch = { from: string; before: string };

/** As a table in a statement: all messages whose names are in a stretch. */
export const countableIn = (t: TenantTx, { from, before }: Stretch): Sql => sql`(
  select ${columns} from messages m join message_states s on s.account_sid = m.account_sid and s.sid = m.sid
   where m.account_sid = ${t.accountSid} and m.livemode = ${t.livemode} and m.sid >= ${from} and m.sid < ${before})`;

/** The first message of an account with this name or a later one; null after the last. */
export async function firstMessageFrom(t: TenantTx, from: string): Promise<string | null> {
  const row = await t.maybe<{ sid: string }>(sql`
    select sid from messages
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid >= ${from} order by sid limit 1`);
  return row?.sid ?? null;
}
