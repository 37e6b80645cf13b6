// Attachments customers send: fetched from the provider before it forgets them.
import { rm } from 'node:fs/promises';
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import type { TenantJobContext } from '../../../platform/jobs/jobs.ts';
import type { SpooledFile } from '../../../platform/spool.ts';
import type { Answered, Connection } from '../../provider/index.ts';
import { connectionOf } from '../../wabas/index.ts';
import { maxFileBytes } from '../examine/formats.ts';
import { reason } from '../examine/reasons.ts';
import { type Fetched, NeverFetched, NotYetFetched } from './fetch-media.ts';

type PendingAttachment = {
  providerMediaId: string;
  wabaSid: string;
  /** Base64 in the provider's callbacks, hexadecimal elsewhere; null when it said none. */
  sha256: string | null;
  createdAt: string;
  connection: Connection | null;
};

export async function pendingAttachment(t: TenantTx, mediaSid: string): Promise<PendingAttachment | null> {
  const row = await t.maybe<Omit<PendingAttachment, 'connection'>>(sql`
    select provider_media_id as "providerMediaId", waba_sid as "wabaSid", provider_sha256 as sha256,
      created_at as "createdAt"
      from media
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${mediaSid} and status = 'PENDING'
       and provider_media_id is not null and waba_sid is not null`);
  return row ? { ...row, connection: await connectionOf(t, row.wabaSid) } : null;
}

export async function fetchReceived(
  context: TenantJobContext,
  { connection, providerMediaId, sha256 }: PendingAttachment,
): Promise<Fetched> {
  if (!connection) throw new NotYetFetched('The business account is not connected.');
  const { provider } = context.ports;
  const { url, mimeType } = answerOf(await provider.describeMedia(connection, providerMediaId));
  const file = await download(context, connection, url);
  const isSame = sha256 === null || [hexOf(sha256), sha256.toLowerCase()].includes(file.sha256);
  if (isSame) return { file, servedMime: mimeType };
  // What arrived is not what was announced: once more, and it may be.
  await rm(file.path, { force: true });
  throw new NotYetFetched('It arrived damaged.');
}

async function download(
  { ports, signal }: TenantJobContext,
  connection: Connection,
  url: string,
): Promise<SpooledFile> {
  const writer = await ports.spool.open();
  const write = async (chunk: Buffer) => {
    signal.throwIfAborted(); // a worker that stops does not wait for a large file
    await writer.write(chunk);
  };
  try {
    answerOf(await ports.provider.downloadMedia(connection, url, { maxBytes: maxFileBytes, write }));
    return await writer.end();
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

const hexOf = (base64: string) => Buffer.from(base64, 'base64').toString('hex');

function answerOf<T>(answered: Answered<T>): T {
  if (answered.ok) return answered.value;
  const { retryable, reason: said } = answered.failure;
  throw retryable ? new NotYetFetched(said) : new NeverFetched(reason('FETCH_FAILED', said));
}
