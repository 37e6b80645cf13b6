// Files as they are kept: one for each content of an account and environment, however many media items have it. Nothing
// is shared across accounts, so that nobody can learn what another has.
import type { Tenant, TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { newUuid } from '../../platform/ids.ts';
import type { Ports } from '../../platform/ports.ts';
import type { SpooledFile } from '../../platform/spool.ts';
import { storedBytes } from './metrics.ts';

export type StoredFile = Tenant & { id: string; sha256: string };

/** By content, and by the row that knows it: a file about to be removed and the same one arriving never meet. */
export const keyOf = ({ accountSid, livemode, sha256, id }: StoredFile) =>
  `${livemode ? 'live' : 'sandbox'}/${accountSid}/${sha256.slice(0, 2)}/${sha256}-${id}`;

type Keeping = { ports: Ports; write<T>(work: (t: TenantTx) => Promise<T>): Promise<T> };

/** Moves a file to where it stays, and names it. A file nobody comes to have is swept away within hours. */
export async function keepFile({ ports, write }: Keeping, file: SpooledFile): Promise<string> {
  // Written down first, so that a crash leaves no file that no row knows.
  const place = await write((t) => placeFor(t, file));
  if (place.isStored) return place.id;
  await ports.mediaStore.put(keyOf(place), file);
  storedBytes.inc(file.sizeBytes);
  await write((t) =>
    t.run(sql`
      update media_files set stored_at = ${t.now}, touched_at = ${t.now}
       where account_sid = ${t.accountSid} and id = ${place.id}`),
  );
  return place.id;
}

function placeFor(t: TenantTx, { sha256, sizeBytes }: SpooledFile) {
  return t.one<StoredFile & { isStored: boolean }>(sql`
    insert into media_files as f (account_sid, livemode, id, sha256, size_bytes, touched_at, created_at)
    values (${t.accountSid}, ${t.livemode}, ${newUuid(t.now)}, ${sha256}, ${sizeBytes}, ${t.now}, ${t.now})
    on conflict (account_sid, livemode, sha256) where doomed_at is null
      do update set touched_at = excluded.touched_at
    returning account_sid as "accountSid", livemode, id, sha256, stored_at is not null as "isStored"`);
}

export type FileFacts = { id: string; sizeBytes: number; sha256: string };

/** Holds a file for whoever is about to have it. The touch is what a sweep that looks at the same moment sees. */
export async function lockFile(t: TenantTx, id: string): Promise<FileFacts> {
  const file = await t.maybe<FileFacts>(sql`
    update media_files set touched_at = ${t.now}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and id = ${id} and doomed_at is null
       and stored_at is not null
    returning id, size_bytes::float8 as "sizeBytes", sha256`);
  if (!file) throw new ApiError('INTERNAL_TEMPORARY_ERROR');
  return file;
}
