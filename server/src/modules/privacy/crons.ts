import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { type DueItem, eachItem } from '../../platform/jobs/each-item.ts';
import { defineCron } from '../../platform/jobs/jobs.ts';
import { retryErasure } from './erasure/start-erasure.ts';
import { remindOf } from './notifications.ts';
import { here, remindersMs } from './requests.ts';

const batch = 500;

/** People are reminded a week and a day before a request is due, and when it is. */
export const remindOfRequests = defineCron({
  name: 'privacy.remind',
  schedule: '*/10 * * * *',
  run: (context) =>
    eachItem(
      context,
      'privacy.remind',
      batch,
      () =>
        context.database.system((s) =>
          s.many<DueItem>(sql`
            select account_sid as "accountSid", livemode, sid from privacy_requests
             where remind_at <= ${context.now()} order by remind_at limit ${batch}`),
        ),
      remind,
    ),
});

/** One reminder for all that were missed. */
async function remind(t: TenantTx, sid: string): Promise<void> {
  const row = await t.maybe<{ dueAt: string }>(sql`
    select due_at as "dueAt" from privacy_requests where ${here(t, sid)} and remind_at <= ${t.now} for update`);
  if (!row) return;
  const dueMs = Date.parse(row.dueAt);
  const next = remindersMs.map((before) => dueMs - before).filter((at) => at > t.now.getTime());
  await t.run(sql`
    update privacy_requests set remind_at = ${next[0] === undefined ? null : new Date(next[0])} where ${here(t, sid)}`);
  remindOf(t, sid, next.length);
}

/** An erasure never fails: when its operation gave up, it is tried again. */
export const goOnErasing = defineCron({
  name: 'privacy.go-on-erasing',
  schedule: '*/10 * * * *',
  run: (context) =>
    eachItem(
      context,
      'privacy.go-on-erasing',
      batch,
      () =>
        context.database.system((s) =>
          s.many<DueItem>(sql`
            select account_sid as "accountSid", livemode, sid from privacy_requests
             where kind = 'ERASURE' and state in ('PENDING', 'IN_PROGRESS', 'PARKED', 'SETTLING') order by sid limit ${batch}`),
        ),
      retryErasure,
    ),
});
