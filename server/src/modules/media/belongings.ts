// Files that only messages of one person carried: they go with those, here and at the provider.
import { cameToBe, type Store } from '../../platform/belongings.ts';
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { emit } from '../../platform/events.ts';
import { Closed, Sid } from '../../platform/http/input/schema.ts';
import { enqueue, untilDone } from '../../platform/jobs/jobs.ts';
import { carriedByNone } from './carried.ts';
import { copyOfMedia } from './copies.ts';
import { mediaEvents } from './events.ts';
import { columns, type Row, toMedia } from './media.ts';

/** Done by those who know which account at the provider a number belongs to. */
export const forgettingCopies = {
  name: 'media.forget-copies',
  payload: Closed({ mediaSid: Sid('ME') }),
  attempts: untilDone,
};

/** What the provider has of a file, by the number it was uploaded for or the account that received it. */
export type Copy = { providerMediaId: string; phoneNumberId: string | null; wabaSid: string | null };

const here = (t: TenantTx) => sql`account_sid = ${t.accountSid} and livemode = ${t.livemode}`;

export const copiesAtProvider = (t: TenantTx, mediaSid: string): Promise<Copy[]> =>
  t.many<Copy>(sql`
    select provider_media_id as "providerMediaId", phone_number_id as "phoneNumberId", null::text as "wabaSid"
      from media_provider_ids where ${here(t)} and media_sid = ${mediaSid} and provider_media_id is not null
    union all
    select provider_media_id, null, waba_sid from media where ${here(t)} and sid = ${mediaSid} and provider_media_id is not null`);

/** The provider has nothing of it any more, or nobody can ask it. */
export async function forgetCopies(t: TenantTx, mediaSid: string): Promise<void> {
  await t.run(sql`delete from media_provider_ids where ${here(t)} and media_sid = ${mediaSid}`);
  await t.run(sql`
    update media set provider_media_id = null, updated_at = ${t.now}
     where ${here(t)} and sid = ${mediaSid} and provider_media_id is not null`);
}

/** What nobody has seen yet is deleted, so that nobody goes on fetching it; the rest has expired. */
async function eraseFiles(t: TenantTx, sids: readonly string[]): Promise<Row[]> {
  return t.many<Row>(sql`
    update media i set status = case when status in ('PENDING', 'SCANNING', 'DELETED') then 'DELETED' else 'EXPIRED' end,
      file_id = null, sendable = false, filename = null, source_url = null, sha256 = null, provider_sha256 = null,
      expires_at = least(expires_at, ${t.now}), updated_at = ${t.now}
     where ${here(t)} and i.sid = any (${[...sids]}::text[]) and i.kept_for is null and ${carriedByNone}
    returning ${columns(t)}`);
}

export const mediaBelongings: Store[] = [
  {
    name: 'media',
    copy: copyOfMedia,
    within: cameToBe(
      (t, { family }) => sql`
        select i.created_at from media_uses u join media i on i.account_sid = u.account_sid and i.sid = u.media_sid
         where u.account_sid = ${t.accountSid} and u.livemode = ${t.livemode} and u.contact_sid = any (${family}::text[])`,
    ),
    kept: 'That a file was sent or received, its kind and size; also files that messages to others carry.',
    async forget(t, resources) {
      const uses = await t.many<{ sid: string }>(sql`
        delete from media_uses where ${here(t)} and message_sid = any (${[...resources]}::text[]) returning media_sid as sid`);
      const carried = [...new Set(uses.map(({ sid }) => sid))];
      const gone = carried.length === 0 ? [] : await eraseFiles(t, carried);
      for (const row of gone) {
        if (row.status === 'EXPIRED') emit(t, mediaEvents.expired, toMedia(row));
        enqueue(t, forgettingCopies, { mediaSid: row.sid });
      }
      return { rows: gone.length, resources: gone.map(({ sid }) => sid) };
    },
  },
];
