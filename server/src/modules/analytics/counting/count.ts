// Brings the numbers to where messages stand now: what was counted of each is known, so that whoever looks twice adds nothing. Called
// by whoever holds the consumer's cursor of the account, and nobody else writes these rows.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { firstSid, sidTime } from '../../../platform/ids.ts';
import type { CountableMessage } from '../../messages/index.ts';
import {
  type Change,
  type Counted,
  countedOf,
  dayCell,
  detailSince,
  hourCell,
  isChange,
  sumChanges,
} from './counted.ts';

export async function countMessages(t: TenantTx, messages: readonly CountableMessage[]): Promise<void> {
  const changes = await keepCounted(t, messages);
  if (changes.length === 0) return;
  const since = detailSince(t.now);
  const recent = changes.filter(({ after }) => sidTime(after.sid) >= since);
  await Promise.all([
    addToDays(t, JSON.stringify(sumChanges(changes, dayCell))),
    addToHours(t, JSON.stringify(sumChanges(recent, hourCell))),
  ]);
}

/** Writes down what is counted of messages from now on. Tells what that changes. */
export async function keepCounted(t: TenantTx, messages: readonly CountableMessage[]): Promise<Change[]> {
  if (messages.length === 0) return [];
  const [known, start] = await Promise.all([
    knownOf(
      t,
      messages.map(({ sid }) => sid),
    ),
    firstKept(t),
  ]);
  const before = new Map(known.map((counted) => [counted.sid, counted]));
  const changes = messages
    .filter(({ sid }) => sid >= start)
    .map((message): Change => {
      const was = before.get(message.sid) ?? null;
      return { before: was, after: countedOf(message, was) };
    })
    .filter(isChange);
  await store(
    t,
    changes.map(({ after }) => after),
  );
  return changes;
}

/** The least name of a message that is counted: those before the day from which numbers are kept are not. */
async function firstKept(t: TenantTx): Promise<string> {
  const row = await t.maybe<{ day: string }>(sql`
    select day::text as day from analytics_starts where account_sid = ${t.accountSid} and livemode = ${t.livemode}`);
  return row ? firstSid('SM', new Date(row.day)) : '';
}

const knownOf = (t: TenantTx, sids: string[]) =>
  t.many<Counted>(sql`
    select c.message_sid as sid, c.direction, c.sender_sid as "senderSid", c.template, c.category, c.country,
      c.campaign_sid as "campaignSid", c.currency, c.scale, c.status, c.code, c.charged_minor as "chargedMinor",
      c.expected_minor as "expectedMinor"
      from unnest(${sids}::text[]) as wanted (sid)
     cross join lateral (
       select * from analytics_counted
        where account_sid = ${t.accountSid} and livemode = ${t.livemode} and message_sid = wanted.sid limit 1) as c`);

async function store(t: TenantTx, counted: Counted[]): Promise<void> {
  if (counted.length === 0) return;
  await t.run(sql`
    insert into analytics_counted (account_sid, livemode, message_sid, direction, sender_sid, template, category, country,
      campaign_sid, currency, scale, status, code, charged_minor, expected_minor)
    select ${t.accountSid}, ${t.livemode}, sid, direction, "senderSid", template, category, country, "campaignSid", currency, scale,
      status, code, "chargedMinor", "expectedMinor"
      from json_to_recordset(${JSON.stringify(counted)}::json) as item (sid text, direction text, "senderSid" text, template text,
        category text, country text, "campaignSid" text, currency text, scale smallint, status text, code text,
        "chargedMinor" bigint, "expectedMinor" bigint)
    on conflict (account_sid, message_sid) do update set status = excluded.status, code = excluded.code,
      charged_minor = excluded.charged_minor, expected_minor = excluded.expected_minor`);
}

const addToDays = (t: TenantTx, sums: string) =>
  t.run(sql`
    insert into analytics_days as d (account_sid, livemode, day, direction, sender_sid, category, country, campaign_sid, status,
      currency, scale, messages, charged_minor, expected_minor)
    select ${t.accountSid}, ${t.livemode}, day, direction, "senderSid", category, country, "campaignSid", status, currency, scale,
      messages, "chargedMinor", "expectedMinor"
      from json_to_recordset(${sums}::json) as item (day date, direction text, "senderSid" text, category text, country text,
        "campaignSid" text, status text, currency text, scale smallint, messages bigint, "chargedMinor" bigint,
        "expectedMinor" bigint)
    on conflict (account_sid, livemode, day, direction, sender_sid, category, country, campaign_sid, status, currency, scale)
      do update set messages = d.messages + excluded.messages, charged_minor = d.charged_minor + excluded.charged_minor,
        expected_minor = d.expected_minor + excluded.expected_minor`);

const addToHours = (t: TenantTx, sums: string) =>
  t.run(sql`
    insert into analytics_hours as h (account_sid, livemode, hour, direction, sender_sid, template, category, country, campaign_sid,
      status, code, currency, scale, messages, charged_minor, expected_minor)
    select ${t.accountSid}, ${t.livemode}, hour, direction, "senderSid", template, category, country, "campaignSid", status, code,
      currency, scale, messages, "chargedMinor", "expectedMinor"
      from json_to_recordset(${sums}::json) as item (hour timestamptz, direction text, "senderSid" text, template text,
        category text, country text, "campaignSid" text, status text, code text, currency text, scale smallint, messages bigint,
        "chargedMinor" bigint, "expectedMinor" bigint)
    on conflict (account_sid, livemode, hour, direction, sender_sid, template, category, country, campaign_sid, status, code,
      currency, scale)
      do update set messages = h.messages + excluded.messages, charged_minor = h.charged_minor + excluded.charged_minor,
        expected_minor = h.expected_minor + excluded.expected_minor`);
