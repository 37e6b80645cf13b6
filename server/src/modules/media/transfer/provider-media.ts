// The provider's name of a file. It belongs to one phone number and is forgotten after 30 days, so each file is uploaded
// once per number and its name remembered until shortly before that.
import { setTimeout as sleep } from 'node:timers/promises';
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import type { TenantJobContext } from '../../../platform/jobs/jobs.ts';
import type { Answered, Connection } from '../../provider/index.ts';
import { fileOf, type ReadyMedia, requireReadyMedia } from './ready-media.ts';

const dayMs = 24 * 60 * 60 * 1000;
// A day short of the provider's 30, so that a message queued today still finds the file tomorrow.
const usableMs = 29 * dayMs;
// Longer than the upload of a file may take: whoever holds a claim beyond it is gone.
const claimMs = 6 * 60_000;
const waitMs = 250;
const patienceMs = 20_000;

type Wanted = { mediaSid: string; connection: Connection; phoneNumberId: string };
type Named = Answered<{ mediaId: string }>;

const underWay = new Map<string, Promise<Named>>();

export function providerMediaId(context: TenantJobContext, wanted: Wanted): Promise<Named> {
  // Many messages with one file start at the same moment: in one process they wait for one upload.
  const key = `${wanted.mediaSid} ${wanted.phoneNumberId}`;
  const found = underWay.get(key);
  if (found) return found;
  const started = obtain(context, wanted).finally(() => underWay.delete(key));
  underWay.set(key, started);
  return started;
}

async function obtain(context: TenantJobContext, wanted: Wanted): Promise<Named> {
  for (let waitedMs = 0; waitedMs <= patienceMs; waitedMs += waitMs) {
    const state = await context.write((t) => claim(t, wanted)).catch(asFailure);
    if ('ok' in state) return state;
    if (state.media) return upload(context, wanted, state.media);
    // Another process uploads it. It is done soon, or its claim ends.
    await sleep(waitMs, undefined, { signal: context.signal });
  }
  return failure('MEDIA_NOT_READY', true, 'Another upload of the same file is still under way.');
}

async function claim(t: TenantTx, wanted: Wanted): Promise<Named | { media: ReadyMedia | null }> {
  const media = await requireReadyMedia(t, wanted.mediaSid);
  if (!media.sendable) throw new ApiError('MEDIA_REJECTED');
  const claimed = await t.run(sql`
    insert into media_provider_ids as p (account_sid, livemode, media_sid, phone_number_id, claimed_until, created_at,
      updated_at)
    values (${t.accountSid}, ${t.livemode}, ${wanted.mediaSid}, ${wanted.phoneNumberId},
      ${new Date(t.now.getTime() + claimMs)}, ${t.now}, ${t.now})
    on conflict (account_sid, media_sid, phone_number_id) do update
      set claimed_until = excluded.claimed_until, updated_at = excluded.updated_at
      where (p.usable_until is null or p.usable_until <= ${t.now})
        and (p.claimed_until is null or p.claimed_until <= ${t.now})`);
  if (claimed === 1) return { media };
  const known = await t.maybe<{ mediaId: string }>(sql`
    select provider_media_id as "mediaId" from media_provider_ids
     where account_sid = ${t.accountSid} and media_sid = ${wanted.mediaSid}
       and phone_number_id = ${wanted.phoneNumberId} and usable_until > ${t.now}
       and provider_media_id is not null`);
  return known ? { ok: true, value: known } : { media: null };
}

async function upload(context: TenantJobContext, wanted: Wanted, media: ReadyMedia): Promise<Named> {
  const { connection, phoneNumberId } = wanted;
  let named: Named | null = null;
  try {
    named = await context.ports.provider.uploadMedia(connection, phoneNumberId, fileOf(context.ports, media));
    return named;
  } finally {
    const mediaId = named?.ok ? named.value.mediaId : null;
    await context.write((t) => endClaim(t, wanted, mediaId));
  }
}

async function endClaim(t: TenantTx, wanted: Wanted, mediaId: string | null): Promise<void> {
  await t.run(sql`
    update media_provider_ids
       set claimed_until = null, updated_at = ${t.now}, provider_media_id = ${mediaId},
           usable_until = ${mediaId === null ? null : new Date(t.now.getTime() + usableMs)}
     where account_sid = ${t.accountSid} and media_sid = ${wanted.mediaSid}
       and phone_number_id = ${wanted.phoneNumberId}`);
}

function asFailure(error: unknown): Named {
  if (!(error instanceof ApiError) || error.status >= 500) throw error;
  return failure(error.code, error.code === 'MEDIA_NOT_READY', error.message);
}

function failure(code: ApiError['code'], retryable: boolean, reason: string): Named {
  const retryAfterMs = retryable ? 1_000 : null;
  return {
    ok: false,
    failure: { code, retryable, providerCode: null, providerSubcode: null, reason, retryAfterMs },
  };
}
