// Those who wait for their turn, and what became of them. Everybody who changes them holds the campaign's lock.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';

export type Waiting = { position: number; contactSid: string; timezone: string | null };

const of = (t: TenantTx, campaignSid: string) =>
  sql`account_sid = ${t.accountSid} and livemode = ${t.livemode} and campaign_sid = ${campaignSid}`;

/** Whose turn it is, those who are due longest first. */
export const nextInLine = (t: TenantTx, campaignSid: string, most: number): Promise<Waiting[]> =>
  t.many<Waiting>(sql`
    select position, contact_sid as "contactSid", timezone from campaign_recipients
     where ${of(t, campaignSid)} and state = 'PENDING' and due_at <= ${t.now}
     order by due_at, position limit ${most}`);

/** When the next is due; null when nobody waits any longer. */
export async function nextDue(t: TenantTx, campaignSid: string): Promise<Date | null> {
  const found = await t.maybe<{ dueAt: string }>(sql`
    select due_at as "dueAt" from campaign_recipients where ${of(t, campaignSid)} and state = 'PENDING'
     order by due_at, position limit 1`);
  return found ? new Date(found.dueAt) : null;
}

export type Postponed = { position: number; dueAt: Date };

export async function postpone(t: TenantTx, campaignSid: string, postponed: Postponed[]): Promise<void> {
  if (postponed.length === 0) return;
  const touched = await t.run(sql`
    update campaign_recipients r set due_at = later.due_at
      from unnest(${postponed.map(({ position }) => position)}::integer[],
        ${postponed.map(({ dueAt }) => dueAt.toISOString())}::timestamptz[]) as later (position, due_at)
     where r.account_sid = ${t.accountSid} and r.livemode = ${t.livemode} and r.campaign_sid = ${campaignSid}
       and r.position = later.position and r.state = 'PENDING'`);
  mustBe(postponed.length, touched);
}

export type Decided = {
  position: number;
  variant: number | null;
  messageSid: string | null;
  code: string | null;
  message: string | null;
  evidence: object | null;
};

/** Written down with the messages themselves: each has one or the other, once. */
export async function decide(t: TenantTx, campaignSid: string, decided: Decided[]): Promise<void> {
  if (decided.length === 0) return;
  const touched = await t.run(sql`
    update campaign_recipients r set state = case when d."messageSid" is null then 'REFUSED' else 'ADMITTED' end,
      variant = d.variant, message_sid = d."messageSid", code = d.code, message = d.message, evidence = d.evidence, decided_at = ${t.now}
      from json_to_recordset(${JSON.stringify(decided)}::json) as d (position integer, variant smallint, "messageSid" text, code text,
        message text, evidence json)
     where r.account_sid = ${t.accountSid} and r.livemode = ${t.livemode} and r.campaign_sid = ${campaignSid}
       and r.position = d.position and r.state = 'PENDING'`);
  mustBe(decided.length, touched);
}

function mustBe(expected: number, touched: number): void {
  if (touched !== expected) throw new Error(`${expected} recipients were to change, and ${touched} did`);
}

/** Which of these contacts have a message of the campaign. */
export async function admittedAmong(
  t: TenantTx,
  campaignSid: string,
  contactSids: readonly string[],
): Promise<Set<string>> {
  const rows = await t.many<{ contactSid: string }>(sql`
    select contact_sid as "contactSid" from campaign_recipients
     where ${of(t, campaignSid)} and contact_sid = any (${[...contactSids]}::text[]) and state = 'ADMITTED'`);
  return new Set(rows.map(({ contactSid }) => contactSid));
}
