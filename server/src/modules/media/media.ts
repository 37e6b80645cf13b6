// The life of a media item, as far as people and transactions move it. What happens between is in `scan-media.ts`.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError, invalid } from '../../platform/errors/errors.ts';
import { emit } from '../../platform/events.ts';
import type { KeptFile } from '../../platform/http/operations/operation.ts';
import type { Pager } from '../../platform/http/operations/pagination.ts';
import { newSid } from '../../platform/ids.ts';
import { judgeUrl } from '../../platform/outbound/reachable.ts';
import { audit } from '../audit/index.ts';
import { removing } from '../legal-holds/index.ts';
import { mediaEvents } from './events.ts';
import { filenameOf, judgeFilename } from './examine/filename.ts';
import type { Reason } from './examine/reasons.ts';
import { lockFile } from './files.ts';
import type { MediaType } from './media-types.ts';
import type { Media, NewMedia } from './schema.ts';
import { type MediaStatus, reachedFrom } from './states.ts';
import { heldMedia } from './uses.ts';

export type Row = Omit<Media, 'scan'> & {
  scanner: string | null;
  scannedAt: string | null;
  reasons: Reason[];
};

/** What has expired is so from that moment on, also before the sweep has written it down. */
export const columns = (
  t: TenantTx,
) => sql`'media' as object, sid, account_sid as "accountSid", livemode, direction,
  case when status in ('READY', 'REJECTED') and expires_at <= ${t.now} then 'EXPIRED' else status end as status,
  type, requested_type as "requestedType", mime_type as "mimeType", declared_mime as "declaredMime", filename,
  size_bytes::float8 as "sizeBytes", sha256, source_url as "sourceUrl", sendable, scanner, scanned_at as "scannedAt",
  reasons, expires_at as "expiresAt", created_at as "createdAt", updated_at as "updatedAt"`;

export function toMedia({ scanner, scannedAt, reasons, ...rest }: Row): Media {
  const result = scannedAt === null ? null : reasons.length > 0 && !rest.sendable ? 'REJECTED' : 'CLEAN';
  const { expiresAt, createdAt, updatedAt, ...facts } = rest;
  const sendable = rest.sendable && rest.status === 'READY';
  return {
    ...facts,
    sendable,
    scan: { result, scanner, scannedAt, reasons },
    expiresAt,
    createdAt,
    updatedAt,
  };
}

const dayMs = 24 * 60 * 60 * 1000;
const expiryOf = (t: TenantTx) => new Date(t.now.getTime() + t.site.media.retentionDays * dayMs);

/** Asked for by a file that came along, or by the URL it is to be fetched from. */
export async function createMedia(t: TenantTx, input: NewMedia, file: KeptFile | null): Promise<Media> {
  const { url = null, type = 'AUTO', declaredMime = file?.mimeType ?? null } = input;
  if (input.filename !== undefined) judgeFilename(input.filename, 'filename');
  if (file?.filename) judgeFilename(file.filename, 'file');
  const refusal = url === null ? null : judgeUrl(url, t);
  if (refusal) throw invalid({ path: 'url', issue: refusal });
  const filename = input.filename ?? file?.filename ?? (url === null ? null : filenameOf(url));
  const kept = file && (await lockFile(t, file.ref));
  const sid = newSid('ME', t.now);
  await t.run(sql`
    insert into media (account_sid, livemode, sid, direction, status, requested_type, declared_mime, filename, source_url,
      file_id, size_bytes, sha256, expires_at, created_at, updated_at)
    values (${t.accountSid}, ${t.livemode}, ${sid}, 'OUTBOUND', 'PENDING', ${type}, ${declaredMime}, ${filename}, ${url},
      ${kept?.id ?? null}, ${kept?.sizeBytes ?? null}, ${kept?.sha256 ?? null}, ${expiryOf(t)}, ${t.now}, ${t.now})`);
  audit(t, { action: 'media.created', resource: sid, facts: { from: url === null ? 'upload' : 'url' } });
  return getMedia(t, sid);
}

export type Attachment = {
  providerMediaId: string;
  wabaSid: string;
  senderSid: string;
  mimeType: string | null;
  filename: string | null;
  sha256: string | null;
};

/** An attachment somebody sent to the business: known by the provider's name until it has been fetched. */
export async function insertReceived(t: TenantTx, attachment: Attachment): Promise<string> {
  const sid = newSid('ME', t.now);
  await t.run(sql`
    insert into media (account_sid, livemode, sid, direction, status, requested_type, declared_mime, filename,
      provider_media_id, provider_sha256, waba_sid, sender_sid, expires_at, created_at, updated_at)
    values (${t.accountSid}, ${t.livemode}, ${sid}, 'INBOUND', 'PENDING', 'AUTO', ${attachment.mimeType},
      ${attachment.filename?.slice(0, 255) ?? null}, ${attachment.providerMediaId}, ${attachment.sha256},
      ${attachment.wabaSid}, ${attachment.senderSid}, ${expiryOf(t)}, ${t.now}, ${t.now})`);
  return sid;
}

export async function getMedia(t: TenantTx, sid: string): Promise<Media> {
  const row = await t.maybe<Row>(sql`
    select ${columns(t)} from media
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid} and status <> 'DELETED'`);
  if (!row) throw new ApiError('NOT_FOUND');
  return toMedia(row);
}

export async function listMedia(t: TenantTx, pager: Pager) {
  const before = pager.after?.[0] ?? null;
  const rows = await t.many<Row>(sql`
    select ${columns(t)} from media
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and status <> 'DELETED'
       and (${before}::text is null or sid < ${before})
     order by sid desc limit ${pager.fetch}`);
  return pager.page(rows, ({ sid }) => [sid], toMedia);
}

const longKept = '10 years';

/** Keeps items for somebody who needs them: they do not expire meanwhile, and nobody deletes them. */
export async function keepMedia(t: TenantTx, sids: readonly string[], keptFor: string): Promise<void> {
  if (sids.length === 0) return;
  await t.run(sql`
    update media set kept_for = ${keptFor}, expires_at = ${t.now}::timestamptz + ${longKept}::interval, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = any(${[...sids]}::text[]) and status = 'READY'`);
}

/** From now on they are kept as long as any other. */
export async function letMediaGo(t: TenantTx, keptFor: string): Promise<void> {
  await t.run(sql`
    update media set kept_for = null, expires_at = ${expiryOf(t)}, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and kept_for = ${keptFor}`);
}

/** Of an item that nobody can have any more: its content stays in the store while a legal hold keeps it. */
const unlessHeld = (t: TenantTx) => sql`case when ${heldMedia(t, sql`m`)} then m.file_id end`;

/** The record stays, for messages that carried it; its content goes with the next sweep, or once no legal hold keeps it any more. */
export async function deleteMedia(t: TenantTx, sid: string): Promise<void> {
  await removing(t);
  const kept = await t.maybe<{ keptFor: string }>(sql`
    select kept_for as "keptFor" from media
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid} and kept_for is not null for update`);
  if (kept)
    throw new ApiError('CONFLICT', { message: `It is kept for ${kept.keptFor}, which has not ended yet.` });
  const deleted = await t.maybe<Row>(sql`
    update media m set status = 'DELETED', file_id = ${unlessHeld(t)}, sendable = false, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid}
       and status = any(${reachedFrom.DELETED}::text[])
    returning ${columns(t)}`);
  if (!deleted) throw new ApiError('NOT_FOUND');
  audit(t, { action: 'media.deleted', resource: sid });
  emit(t, mediaEvents.deleted, toMedia(deleted));
}

/** Writes down that an item expired, and lets its content go. It happened when it was due, not when the sweep came by. */
export async function markExpired(t: TenantTx, sid: string): Promise<void> {
  await removing(t);
  const expired = await t.maybe<Row>(sql`
    update media m set status = 'EXPIRED', file_id = ${unlessHeld(t)}, sendable = false, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid} and expires_at <= ${t.now}
       and status = any(${reachedFrom.EXPIRED}::text[])
    returning ${columns(t)}`);
  if (expired) emit(t, mediaEvents.expired, toMedia(expired), new Date(expired.expiresAt));
}

export type Verdict =
  | { status: 'READY'; type: MediaType; mimeType: string; sendable: boolean; reasons: Reason[] }
  | { status: 'REJECTED'; mimeType: string | null; reasons: Reason[] };

/** Ends the examination, unless the item was deleted meanwhile. What is rejected keeps no content. */
export async function settleMedia(
  t: TenantTx,
  sid: string,
  verdict: Verdict,
  scanner: string | null,
): Promise<void> {
  const isReady = verdict.status === 'READY';
  const settled = await t.run(sql`
    update media set status = ${verdict.status}, type = ${isReady ? verdict.type : null},
      mime_type = ${verdict.mimeType}, sendable = ${isReady && verdict.sendable},
      reasons = ${JSON.stringify(verdict.reasons)}::json, scanner = ${scanner}, scanned_at = ${t.now},
      file_id = case when ${isReady} then file_id end, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid}
       and status = any(${reachedFrom[verdict.status]}::text[])`);
  if (settled === 1) emit(t, isReady ? mediaEvents.ready : mediaEvents.rejected, await getMedia(t, sid));
}

export type MediaFact = {
  sid: string;
  status: MediaStatus;
  type: MediaType | null;
  mimeType: string | null;
  sizeBytes: number | null;
  filename: string | null;
  expiresAt: string;
};

/** For the gates of sending: only what is READY here can be sent. A deleted item is not there. */
export async function loadMedia(t: TenantTx, sids: string[]): Promise<Map<string, MediaFact>> {
  if (sids.length === 0) return new Map();
  const rows = await t.many<MediaFact>(sql`
    select sid, type, mime_type as "mimeType", size_bytes::float8 as "sizeBytes", filename,
      expires_at as "expiresAt",
      case when status in ('READY', 'REJECTED') and expires_at <= ${t.now} then 'EXPIRED'
           when status = 'READY' and not sendable then 'REJECTED'
           else status end as status
      from media
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = any(${sids}::text[])
       and status <> 'DELETED'`);
  return new Map(rows.map((fact) => [fact.sid, fact]));
}
