// What comes in, by whichever way, and is looked at from here on without anybody waiting.
import type { TenantTx } from '../../platform/db/database.ts';
import type { KeptFile } from '../../platform/http/operations/operation.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import { fetchJob, receiveJob, scanJob } from './jobs.ts';
import { type Attachment, createMedia, insertReceived } from './media.ts';
import type { Media, NewMedia } from './schema.ts';

export async function acceptMedia(t: TenantTx, input: NewMedia, file: KeptFile | null): Promise<Media> {
  const media = await createMedia(t, input, file);
  enqueue(t, file ? scanJob : fetchJob, { mediaSid: media.sid });
  return media;
}

/** An attachment of an inbound message. Its content is fetched, scanned and stored by a job. */
export async function receiveMedia(t: TenantTx, attachment: Attachment): Promise<{ sid: string }> {
  const sid = await insertReceived(t, attachment);
  enqueue(t, receiveJob, { mediaSid: sid });
  return { sid };
}
