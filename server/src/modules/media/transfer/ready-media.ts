// What is READY, to be read by whoever needs its content.
import { Readable } from 'node:stream';
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import type { Ports } from '../../../platform/ports.ts';
import type { MediaFile } from '../../provider/index.ts';
import { keyOf } from '../files.ts';
import type { MediaType } from '../media-types.ts';
import type { MediaStatus } from '../states.ts';

export type ReadyMedia = {
  sid: string;
  type: MediaType;
  mimeType: string;
  filename: string | null;
  sizeBytes: number;
  sha256: string;
  /** Whether the provider takes it; what was received may be READY and yet not to be sent. */
  sendable: boolean;
  /** Its name in the store. */
  key: string;
};

/** What is known of an item only once it was looked at. */
type Examined = Pick<ReadyMedia, 'type' | 'mimeType' | 'sizeBytes' | 'sha256'> & { fileId: string };
type Row = Omit<ReadyMedia, 'key' | keyof Examined> & { status: MediaStatus } & {
  [Fact in keyof Examined]: Examined[Fact] | null;
};

function isExamined(row: Row): row is Row & Examined {
  const { type, mimeType, sizeBytes, sha256, fileId } = row;
  return [type, mimeType, sizeBytes, sha256, fileId].every((fact) => fact !== null);
}

/** The item, or why it cannot be had: NOT_FOUND, MEDIA_NOT_READY or MEDIA_REJECTED. */
export async function requireReadyMedia(t: TenantTx, sid: string): Promise<ReadyMedia> {
  const row = await t.maybe<Row>(sql`
    select sid, type, mime_type as "mimeType", filename, size_bytes::float8 as "sizeBytes", sha256, sendable,
      file_id as "fileId",
      case when status in ('READY', 'REJECTED') and expires_at <= ${t.now} then 'EXPIRED' else status end as status
      from media
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid} and status <> 'DELETED'`);
  if (!row || row.status === 'EXPIRED') throw new ApiError('NOT_FOUND');
  if (row.status === 'REJECTED') throw new ApiError('MEDIA_REJECTED');
  if (row.status !== 'READY' || !isExamined(row)) throw new ApiError('MEDIA_NOT_READY');
  const { status: _, fileId, ...facts } = row;
  const place = { accountSid: t.accountSid, livemode: t.livemode, id: fileId, sha256: facts.sha256 };
  return { ...facts, key: keyOf(place) };
}

type Reading = { ports: Ports; read<T>(work: (t: TenantTx) => Promise<T>): Promise<T> };

/** A READY item as a file, opened when it is read and as often as it is. */
export async function openMediaFile({ read, ports }: Reading, mediaSid: string): Promise<MediaFile> {
  const media = await read((t) => requireReadyMedia(t, mediaSid));
  return fileOf(ports, media);
}

export function fileOf({ mediaStore }: Ports, media: ReadyMedia): MediaFile {
  const { key, filename, mimeType, sizeBytes, sid } = media;
  const bytes = async function* () {
    yield* await mediaStore.open(key);
  };
  return {
    filename: filename ?? sid,
    mimeType,
    sizeBytes,
    open: () => Readable.from(bytes(), { objectMode: false }),
  };
}
