// The service window: for 24 hours after a contact's last message a sender may answer it freely.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { holdSurvivor, survivorOf } from '../contacts/index.ts';
import { requireSender } from '../senders/index.ts';
import type { ServiceWindow } from './schema.ts';

const windowMs = 24 * 60 * 60 * 1000;

/**
 * A contact wrote at this instant: its window opens, or stays open from its last message. Messages may arrive late and
 * out of order; a window never ends sooner for that.
 */
export async function openWindow(
  t: TenantTx,
  senderSid: string,
  contactSid: string,
  at: Date,
): Promise<void> {
  // Held, so that a merge of this contact either sees the window or sends it to the survivor.
  const sid = await holdSurvivor(t, contactSid);
  await t.run(sql`
    insert into service_windows as w (account_sid, livemode, sender_sid, origin_contact_sid, contact_sid, opened_at,
      last_inbound_at, expires_at, created_at, updated_at)
    values (${t.accountSid}, ${t.livemode}, ${senderSid}, ${sid}, ${sid}, ${at}, ${at},
      ${new Date(at.getTime() + windowMs)}, ${t.now}, ${t.now})
    on conflict (account_sid, sender_sid, origin_contact_sid) do update set
      opened_at = case when excluded.last_inbound_at >= w.expires_at then excluded.opened_at
        else least(w.opened_at, case when excluded.expires_at > w.opened_at then excluded.opened_at end) end,
      last_inbound_at = greatest(w.last_inbound_at, excluded.last_inbound_at),
      expires_at = greatest(w.expires_at, excluded.expires_at),
      updated_at = excluded.updated_at`);
}

type Row = Pick<ServiceWindow, 'openedAt' | 'lastInboundAt' | 'expiresAt' | 'createdAt' | 'updatedAt'>;

const never: Row = { openedAt: null, lastInboundAt: null, expiresAt: null, createdAt: null, updatedAt: null };

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
      created_at as "createdAt", updated_at as "updatedAt"
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

export type OpenWindow = { open: boolean; expiresAt: string | null };
export type Pair = { senderSid: string; contactSid: string };

export const pairKey = ({ senderSid, contactSid }: Pair) => `${senderSid} ${contactSid}`;

/** Whether each of these pairs may speak freely now. A pair that never spoke has no window. */
export async function windowsOf(t: TenantTx, pairs: readonly Pair[]): Promise<(pair: Pair) => OpenWindow> {
  const rows =
    pairs.length === 0
      ? []
      : await t.many<Pair & { expiresAt: string }>(sql`
          select w.sender_sid as "senderSid", w.contact_sid as "contactSid", max(w.expires_at) as "expiresAt"
            from service_windows w
           where w.account_sid = ${t.accountSid} and w.livemode = ${t.livemode}
             and w.contact_sid = any (${pairs.map(({ contactSid }) => contactSid)}::text[])
             and w.sender_sid = any (${[...new Set(pairs.map(({ senderSid }) => senderSid))]}::text[])
           group by 1, 2`);
  const found = new Map(rows.map((row) => [pairKey(row), row.expiresAt]));
  return (pair) => {
    const expiresAt = found.get(pairKey(pair)) ?? null;
    return { open: expiresAt !== null && new Date(expiresAt) > t.now, expiresAt };
  };
}
