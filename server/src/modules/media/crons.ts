import { sql } from '../../platform/db/query.ts';
import { type DueItem, eachItem } from '../../platform/jobs/each-item.ts';
import { defineCron } from '../../platform/jobs/jobs.ts';
import { reason } from './examine/reasons.ts';
import { keyOf, type StoredFile } from './files.ts';
import { markExpired, settleMedia } from './media.ts';
import { removedBytes } from './metrics.ts';

const batch = 500;
const hourMs = 60 * 60_000;
// Longer than any upload or fetch takes between keeping a file and having it.
const orphanMs = hourMs;
// Every job has long given up by then: what is unfinished still was in the hands of something that died of it.
const unfinishedMs = 24 * hourMs;

/** What has expired counts as such already; this writes it down and tells. */
export const expireMedia = defineCron({
  name: 'media.expire',
  schedule: '*/10 * * * *',
  run: (context) =>
    eachItem(
      context,
      'media.expire',
      batch,
      () =>
        context.database.system((s) =>
          s.many<DueItem>(sql`
            select account_sid as "accountSid", livemode, sid from media
             where status in ('READY', 'REJECTED') and expires_at <= ${context.now()}
             order by expires_at limit ${batch}`),
        ),
      markExpired,
    ),
});

export const endUnfinishedMedia = defineCron({
  name: 'media.end-unfinished',
  schedule: '5 * * * *',
  run: (context) =>
    eachItem(
      context,
      'media.end-unfinished',
      batch,
      () =>
        context.database.system((s) =>
          s.many<DueItem>(sql`
            select account_sid as "accountSid", livemode, sid from media
             where status in ('PENDING', 'SCANNING')
               and created_at <= ${new Date(context.now().getTime() - unfinishedMs)}
             order by created_at limit ${batch}`),
        ),
      (t, sid) =>
        settleMedia(t, sid, { status: 'REJECTED', mimeType: null, reasons: [reason('SCAN_FAILED')] }, null),
    ),
});

/** Removes files nobody has: doomed first, so that nobody comes to have them, then removed, then forgotten. */
export const sweepMediaFiles = defineCron({
  name: 'media.sweep-files',
  schedule: '*/10 * * * *',
  async run({ database, now, ports, signal }) {
    const untouchedSince = new Date(now().getTime() - orphanMs);
    await ports.spool.sweep(new Date(now().getTime() - unfinishedMs));
    for (let found = batch; found === batch && !signal.aborted; ) {
      const doomed = await database.system(async (s) => {
        await s.run(sql`
          update media_files set doomed_at = ${now()}
           where ctid in (
             select f.ctid from media_files f
              where f.doomed_at is null and f.touched_at < ${untouchedSince}
                and not exists (select from media m where m.account_sid = f.account_sid and m.file_id = f.id)
              limit ${batch})
             and doomed_at is null and touched_at < ${untouchedSince}`);
        return s.many<StoredFile & { storedBytes: number }>(sql`
          select account_sid as "accountSid", livemode, id, sha256,
            case when stored_at is null then 0 else size_bytes::float8 end as "storedBytes"
            from media_files
           where doomed_at is not null limit ${batch}`);
      });
      found = doomed.length;
      for (const file of doomed) {
        await ports.mediaStore.remove(keyOf(file));
        removedBytes.inc(file.storedBytes);
        await database.system((s) =>
          s.run(sql`delete from media_files where account_sid = ${file.accountSid} and id = ${file.id}`),
        );
      }
    }
  },
});
