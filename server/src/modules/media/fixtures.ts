import { randomUUID } from 'node:crypto';
import { bearer, type TestApp } from '../../../test/harness/app.ts';
import type { Fixtures } from '../../../test/harness/fixtures.ts';
import { newSid } from '../../platform/ids.ts';

type Ready = { accountSid: string; type?: string; mimeType?: string; days?: number };

/** A file that was scanned and can be sent; it expires after so many days. */
export async function insertReadyMedia(
  app: TestApp,
  { accountSid, type = 'IMAGE', mimeType = 'image/png', days = 30 }: Ready,
): Promise<string> {
  const [sid, fileId] = [newSid('ME', app.clock.now()), randomUUID()];
  const [of, sha256] = [[accountSid, app.clock.now()], fileId.replaceAll('-', '').padEnd(64, '0')];
  await app.sql(
    `insert into media_files (account_sid, livemode, id, sha256, size_bytes, stored_at, touched_at, created_at)
     values ($1, false, $3, $4, 1, $2, $2, $2)`,
    [...of, fileId, sha256],
  );
  await app.sql(
    `insert into media (account_sid, livemode, sid, direction, status, requested_type, type, mime_type, file_id,
       size_bytes, sha256, sendable, scanned_at, expires_at, created_at, updated_at)
     values ($1, false, $3, 'OUTBOUND', 'READY', 'AUTO', $6, $7, $4, 1, $5, true, $2,
       $2::timestamptz + make_interval(days => $8), $2, $2)`,
    [...of, sid, fileId, sha256, type, mimeType, days],
  );
  return sid;
}

export const fixtures: Fixtures = {
  async mediaSid({ app, owner }) {
    const body = { url: 'https://shop.example/photo.jpg' };
    return (await app.post(`/v1/accounts/${owner.accountSid}/media`, body, bearer(owner.key))).body.sid;
  },
};
