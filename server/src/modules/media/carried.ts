// Files that go with the messages that carried them.
import type { TenantTx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/query.ts';
import { emit } from '../../platform/events.ts';
import { mediaEvents } from './events.ts';
import { columns, type Row, toMedia } from './media.ts';
import type { Media } from './schema.ts';
import { heldMedia } from './uses.ts';

/** What goes with messages: items that can still be had and that nobody needs for something else. */
const isOnlyCarried = (
  t: TenantTx,
  item: Sql,
): Sql => sql`(${item}.account_sid = ${t.accountSid} and ${item}.livemode = ${t.livemode}
  and ${item}.status = 'READY' and ${item}.kept_for is null and not ${heldMedia(t, item)})`;

/** Of an item `i`. */
export const carriedByNone = sql`not exists (select from media_uses u where u.account_sid = i.account_sid and u.media_sid = i.sid)`;

/** The items that only messages of which something is true carry: `goes` says it of a use `u`. */
export function filesOnlyIn(t: TenantTx, goes: Sql, messages: { from: string; before: string }) {
  return t.one<{ files: number; bytes: number }>(sql`
    select count(*)::integer as files, coalesce(sum(i.size_bytes), 0)::float8 as bytes
      from (
        select distinct u.media_sid as sid from media_uses u
         where u.account_sid = ${t.accountSid} and u.livemode = ${t.livemode} and u.message_sid >= ${messages.from}
           and u.message_sid < ${messages.before}) as carried
      join media i on i.account_sid = ${t.accountSid} and i.sid = carried.sid
     where ${isOnlyCarried(t, sql`i`)}
       and not exists (select from media_uses u where u.account_sid = i.account_sid and u.media_sid = i.sid and not ${goes})`);
}

/** Messages are gone, or what was said in them: the files that no other message carries go too, told as expired. While `removing`. */
export async function removeFilesOf(t: TenantTx, messageSids: readonly string[]) {
  const lost = await t.many<{ sid: string }>(sql`
    delete from media_uses
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and message_sid = any (${[...messageSids]}::text[])
    returning media_sid as sid`);
  const gone = lost.length === 0 ? [] : await expireCarried(t, [...new Set(lost.map(({ sid }) => sid))]);
  if (lost.length > 0)
    await forgetNames(
      t,
      lost.map(({ sid }) => sid),
    );
  for (const media of gone) emit(t, mediaEvents.expired, media);
  return { files: gone.length, bytes: gone.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0) };
}

async function expireCarried(t: TenantTx, sids: readonly string[]): Promise<Media[]> {
  const rows = await t.many<Row>(sql`
    update media i set status = 'EXPIRED', file_id = null, sendable = false, filename = null, source_url = null,
      expires_at = least(expires_at, ${t.now}), updated_at = ${t.now}
     where ${isOnlyCarried(t, sql`i`)} and i.sid = any (${[...sids]}::text[])
       and ${carriedByNone}
    returning ${columns(t)}`);
  return rows.map(toMedia);
}

/** Of those that had expired before, their names. */
async function forgetNames(t: TenantTx, sids: readonly string[]): Promise<void> {
  await t.run(sql`
    update media i set filename = null, source_url = null, updated_at = ${t.now}
     where i.account_sid = ${t.accountSid} and i.livemode = ${t.livemode} and i.sid = any (${[...sids]}::text[])
       and i.status <> 'READY' and coalesce(i.filename, i.source_url) is not null and not ${heldMedia(t, sql`i`)} and ${carriedByNone}`);
}

/** Files that nobody needs any more, whoever is in them: they have expired, and their bytes go, or do once no legal hold keeps them. */
export async function expireFiles(t: TenantTx, sids: readonly string[]): Promise<number> {
  if (sids.length === 0) return 0;
  const gone = await t.many<Row>(sql`
    update media i set status = 'EXPIRED', file_id = case when ${heldMedia(t, sql`i`)} then i.file_id end, sendable = false, filename = null,
      source_url = null, expires_at = least(expires_at, ${t.now}), updated_at = ${t.now}
     where i.account_sid = ${t.accountSid} and i.livemode = ${t.livemode} and i.sid = any (${[...sids]}::text[])
       and i.status = 'READY' and i.kept_for is null and ${carriedByNone}
    returning ${columns(t)}`);
  for (const row of gone) emit(t, mediaEvents.expired, toMedia(row));
  return gone.length;
}
