// Which messages carry a file. Whoever removes it asks whether one of them is under a legal hold.
import type { TenantTx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/query.ts';
import { isHeld, removing } from '../legal-holds/index.ts';

export type MediaUse = {
  mediaSid: string;
  messageSid: string;
  /** Whom the message is for; whoever it is moved to later is the same person. */
  contactSid: string;
  senderSid: string;
  campaignSid: string | null;
};

/** To be called with the transaction that stores the messages. */
export async function noteMediaUses(t: TenantTx, uses: readonly MediaUse[]): Promise<void> {
  if (uses.length === 0) return;
  const column = (name: keyof MediaUse) => uses.map((use) => use[name]);
  await t.run(sql`
    insert into media_uses (account_sid, livemode, media_sid, message_sid, contact_sid, sender_sid, campaign_sid, created_at)
    select ${t.accountSid}, ${t.livemode}, item.*, ${t.now}
      from unnest(${column('mediaSid')}::text[], ${column('messageSid')}::text[], ${column('contactSid')}::text[],
        ${column('senderSid')}::text[], ${column('campaignSid')}::text[]) as item
    on conflict do nothing`);
}

/** A condition on an item: a hold reaches it, or a message that carries it. */
export const heldMedia = (
  t: TenantTx,
  item: Sql,
): Sql => sql`(${isHeld(t, { at: sql`${item}.created_at`, refs: [] })}
  or exists (
    select from media_uses u
     where u.account_sid = ${item}.account_sid and u.media_sid = ${item}.sid
       and ${isHeld(t, { at: sql`u.created_at`, refs: [sql`u.contact_sid`, sql`u.campaign_sid`], sender: sql`u.sender_sid` })}))`;

/** Lets go of the content that nobody can have any more and no hold keeps, so many at a time; the last SID it looked at, or null. */
export async function letContentGo(t: TenantTx, after: string, limit: number): Promise<string | null> {
  await removing(t);
  const looked = await t.maybe<{ last: string | null }>(sql`
    with looked_at as (
      select sid from media
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid > ${after} and file_id is not null
         and status in ('EXPIRED', 'DELETED')
       order by sid limit ${limit}),
    gone as (
      update media m set file_id = null, updated_at = ${t.now}
        from looked_at
       where m.account_sid = ${t.accountSid} and m.livemode = ${t.livemode} and m.sid = looked_at.sid and m.file_id is not null
         and not ${heldMedia(t, sql`m`)}
      returning m.sid)
    select max(sid) as last from looked_at having count(*) = ${limit}`);
  return looked?.last ?? null;
}
