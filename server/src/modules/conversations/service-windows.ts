// The service window: for 24 hours after a contact's last message a sender may answer it freely. And the free entry point:
// whoever came from an advertisement or a page's button may be written to for nothing. Answered within 24 hours, it lasts
// for 72 more; the provider tells their end with what it sends in them. Until then every message is the answer that opens
// it, or comes after that answer: so a message within 24 hours of the person's is free in any case.
import type { Asked, MergedQueries, TenantTx } from '../../platform/db/database.ts';
import { accountsOf } from '../../platform/db/merge.ts';
import { plainArray, sql } from '../../platform/db/query.ts';
import { roundsOf } from '../../platform/queue/rounds.ts';
import { survivorOf } from '../contacts/index.ts';
import { requireSender } from '../senders/index.ts';
import type { ServiceWindow } from './schema.ts';

const windowMs = 24 * 60 * 60 * 1000;

/** A contact wrote; `referred` when it came from an advertisement or a page's button. */
export type Written = Pair & { at: Date; referred: boolean };

/**
 * The windows of these contacts open, or stay open from their last messages. Messages may arrive late and out of order; a
 * window never ends sooner for that. The caller holds the contacts, so that a merge comes before or after.
 */
export async function openWindows(t: TenantTx, written: readonly Written[]): Promise<void> {
  for (const round of roundsOf(written, pairKey)) await openRound(t, round);
}

/** At most one message a pair: a statement can change a row once only. */
async function openRound(t: TenantTx, round: readonly Written[]): Promise<void> {
  await t.run(sql`
    insert into service_windows as w (account_sid, livemode, sender_sid, origin_contact_sid, contact_sid, opened_at,
      last_inbound_at, expires_at, referred_at, created_at, updated_at)
    select ${t.accountSid}, ${t.livemode}, item.sender_sid, item.contact_sid, item.contact_sid, item.at, item.at,
      item.expires_at, case when item.referred then item.at end, ${t.now}, ${t.now}
      from unnest(${round.map(({ senderSid }) => senderSid)}::text[],
        ${round.map(({ contactSid }) => contactSid)}::text[], ${round.map(({ at }) => at)}::timestamptz[],
        ${round.map(({ at }) => new Date(at.getTime() + windowMs))}::timestamptz[],
        ${round.map(({ referred }) => referred)}::boolean[]) as item (sender_sid, contact_sid, at, expires_at, referred)
     order by item.sender_sid, item.contact_sid
    on conflict (account_sid, sender_sid, origin_contact_sid) do update set
      opened_at = case when excluded.last_inbound_at >= w.expires_at then excluded.opened_at
        else least(w.opened_at, case when excluded.expires_at > w.opened_at then excluded.opened_at end) end,
      last_inbound_at = greatest(w.last_inbound_at, excluded.last_inbound_at),
      expires_at = greatest(w.expires_at, excluded.expires_at),
      referred_at = greatest(w.referred_at, excluded.referred_at),
      updated_at = excluded.updated_at`);
}

export type EntryPoint = Pair & { freeUntil: Date };

/**
 * The provider sent something in free entry points, and told until when they last. One whose beginning was not heard here is
 * not kept: its messages are held at their price and given back.
 */
export async function noteEntryPoints(t: TenantTx, entryPoints: readonly EntryPoint[]): Promise<void> {
  if (entryPoints.length === 0) return;
  await t.run(sql`
    with told as (
      select w.sender_sid, w.origin_contact_sid, item.free_until
        from unnest(${entryPoints.map(({ senderSid }) => senderSid)}::text[],
          ${entryPoints.map(({ contactSid }) => contactSid)}::text[],
          ${entryPoints.map(({ freeUntil }) => freeUntil)}::timestamptz[]) as item (sender_sid, contact_sid, free_until)
        join service_windows w on w.account_sid = ${t.accountSid} and w.livemode = ${t.livemode}
         and w.contact_sid = item.contact_sid and w.sender_sid = item.sender_sid
       where w.referred_at is not null and (w.free_until is null or w.free_until < item.free_until)
       order by w.sender_sid, w.origin_contact_sid for no key update of w)
    update service_windows w set free_until = greatest(w.free_until, told.free_until), updated_at = ${t.now}
      from (select sender_sid, origin_contact_sid, max(free_until) as free_until from told group by 1, 2) told
     where w.account_sid = ${t.accountSid} and w.sender_sid = told.sender_sid
       and w.origin_contact_sid = told.origin_contact_sid`);
}

type Row = Pick<
  ServiceWindow,
  'openedAt' | 'lastInboundAt' | 'expiresAt' | 'freeUntil' | 'createdAt' | 'updatedAt'
>;

const never: Row = {
  openedAt: null,
  lastInboundAt: null,
  expiresAt: null,
  freeUntil: null,
  createdAt: null,
  updatedAt: null,
};

const freeUntil = sql`greatest(free_until, referred_at + interval '24 hours')`;

/** Of the windows a contact holds with a sender the latest counts. */
export async function getServiceWindow(
  t: TenantTx,
  senderSid: string,
  contactSid: string,
): Promise<ServiceWindow> {
  await requireSender(t, senderSid);
  const survivorSid = await survivorOf(t, contactSid);
  const row = await t.maybe<Row>(sql`
    select opened_at as "openedAt", last_inbound_at as "lastInboundAt", expires_at as "expiresAt",
      max(${freeUntil}) over () as "freeUntil", created_at as "createdAt", updated_at as "updatedAt"
      from service_windows
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = ${survivorSid}
       and sender_sid = ${senderSid}
     order by expires_at desc, origin_contact_sid limit 1`);
  return {
    object: 'service_window',
    accountSid: t.accountSid,
    livemode: t.livemode,
    senderSid,
    contactSid: survivorSid,
    open: row !== undefined && new Date(row.expiresAt!) > t.now,
    ...(row ?? never),
  };
}

export type OpenWindow = {
  open: boolean;
  expiresAt: string | null;
  /** A message that leaves before it costs nothing; null where the person never came from an advertisement. */
  freeUntil: string | null;
};
export type Pair = { senderSid: string; contactSid: string };

export const pairKey = ({ senderSid, contactSid }: Pair) => `${senderSid} ${contactSid}`;

const neverSpoke = { expiresAt: null, freeUntil: null };

/** Whether each of these pairs may speak freely now. A pair that never spoke has no window. */
export async function windowsOf(t: TenantTx, pairs: readonly Pair[]): Promise<(pair: Pair) => OpenWindow> {
  return openAmong(t, await t.merged(findWindows, pairs));
}

/** The same for a part of a large audience, whoever of us they are written to by: few of them ever spoke. */
export async function windowsOfAudience(
  t: TenantTx,
  contactSids: readonly string[],
): Promise<(pair: Pair) => OpenWindow> {
  return openAmong(
    t,
    await t.many<Ending>(sql`
      select sender_sid as "senderSid", contact_sid as "contactSid", max(expires_at) as "expiresAt", max(${freeUntil}) as "freeUntil"
        from service_windows
       where account_sid = ${t.accountSid} and livemode = ${t.livemode}
         and contact_sid = any (${plainArray([...contactSids])}::text[])
         and expires_at is not null
       group by 1, 2`),
  );
}

type Ending = Pair & { expiresAt: string; freeUntil: string | null };

function openAmong({ now }: TenantTx, rows: readonly Ending[]): (pair: Pair) => OpenWindow {
  const found = new Map(rows.map((row) => [pairKey(row), row]));
  return (pair) => {
    const { expiresAt, freeUntil } = (found.size > 0 && found.get(pairKey(pair))) || neverSpoke;
    return { open: expiresAt !== null && new Date(expiresAt) > now, expiresAt, freeUntil };
  };
}

const findWindows = (q: MergedQueries, asked: readonly Asked<Pair>[]) =>
  q.many<Ending & { accountSid: string }>(sql`
    select w.account_sid as "accountSid", w.sender_sid as "senderSid", w.contact_sid as "contactSid",
      max(w.expires_at) as "expiresAt", max(${freeUntil}) as "freeUntil"
      from unnest(${accountsOf(asked)}::text[], ${asked.map(({ item }) => item.senderSid)}::text[],
        ${asked.map(({ item }) => item.contactSid)}::text[]) as pair (account_sid, sender_sid, contact_sid)
     cross join lateral (
       select * from service_windows s
        where s.account_sid = pair.account_sid and s.livemode = ${q.livemode} and s.contact_sid = pair.contact_sid
          and s.sender_sid = pair.sender_sid offset 0) as w
     group by 1, 2, 3`);

/** The senders each of these contacts is in an open window with, the one they wrote to last first. */
export async function talkingWith(
  t: TenantTx,
  contactSids: readonly string[],
): Promise<Map<string, string[]>> {
  if (contactSids.length === 0) return new Map();
  const rows = await t.many<{ contactSid: string; senderSids: string[] }>(sql`
    select contact_sid as "contactSid", json_agg(sender_sid order by expires_at desc, sender_sid) as "senderSids"
      from service_windows
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and expires_at > ${t.now}
       and contact_sid = any (${[...contactSids]}::text[])
     group by 1`);
  return new Map(rows.map(({ contactSid, senderSids }) => [contactSid, senderSids]));
}

/** When each of these contacts last wrote, whoever to; those who never did are missing. */
export async function lastWordsOf(t: TenantTx, contactSids: readonly string[]): Promise<Map<string, string>> {
  if (contactSids.length === 0) return new Map();
  const rows = await t.many<{ contactSid: string; at: string }>(sql`
    select contact_sid as "contactSid", max(last_inbound_at) as at from service_windows
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = any (${[...contactSids]}::text[])
       and last_inbound_at is not null
     group by contact_sid`);
  return new Map(rows.map(({ contactSid, at }) => [contactSid, at]));
}
