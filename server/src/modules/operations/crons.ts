import type { Tenant } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { defineCron } from '../../platform/jobs/jobs.ts';
import { systemPrincipal } from '../../platform/principal.ts';
import { resumeOverdue } from './awaiting.ts';
import { enqueueRun, jobKeyOf } from './operation-jobs.ts';

const batch = 500;
// Younger ones are being queued or handed on at this moment.
const graceMs = 60_000;
const keptDays = 30;
const dayMs = 24 * 60 * 60 * 1000;

type Unfinished = Tenant & { sid: string; type: string };

/**
 * Operations that are not at their end and that no job stands for: they are queued again, so that none is left for ever. Those
 * that wait for somebody have no job on purpose.
 */
export const guardOperations = defineCron({
  name: 'operations.guard',
  schedule: '* * * * *',
  async run({ database, now, log, signal }) {
    const before = new Date(now().getTime() - graceMs);
    for (let after = ''; !signal.aborted; ) {
      const found = await database.system(async (s) => {
        const rows = await s.many<Unfinished>(sql`
          select account_sid as "accountSid", livemode, sid, type from operations
           where finished_at is null and awaits is null and updated_at < ${before} and sid > ${after} order by sid limit ${batch}`);
        const keys = await s.many<{ key: string }>(sql`
          select key from unqueued_job_keys(${rows.map(({ sid }) => jobKeyOf(sid))}::text[]) as key`);
        return { rows, unqueued: new Set(keys.map(({ key }) => key)) };
      });
      for (const { sid, type, ...tenant } of found.rows) {
        if (!found.unqueued.has(jobKeyOf(sid))) continue;
        log.warn({ operation: sid, type }, 'an operation without a job is queued again');
        const principal = systemPrincipal('cron:operations.guard', tenant.livemode);
        const requestContext = { principal, now: now(), requestId: 'cron', log };
        await database.write(tenant, requestContext, async (t) => enqueueRun(t, { sid, type }));
      }
      if (found.rows.length < batch) return;
      after = found.rows.at(-1)!.sid;
    }
  },
});

/** Nobody came in time to those that waited for somebody: their runs say what follows. */
export const endAwaiting = defineCron({
  name: 'operations.awaiting',
  schedule: '* * * * *',
  async run({ database, now, log, signal }) {
    for (let found = batch; found === batch && !signal.aborted; ) {
      const rows = await database.system((s) =>
        s.many<Unfinished>(sql`
          select account_sid as "accountSid", livemode, sid, type from operations
           where awaits_until <= ${now()} order by awaits_until limit ${batch}`),
      );
      for (const { sid, type: _, ...tenant } of rows) {
        const principal = systemPrincipal('cron:operations.awaiting', tenant.livemode);
        const requestContext = { principal, now: now(), requestId: 'cron', log };
        await database.write(tenant, requestContext, (t) => resumeOverdue(t, sid));
      }
      found = rows.length;
    }
  },
});

/** Operations that ended long ago, children first and in slices: one statement must not meet its time limit. */
export const sweepOperations = defineCron({
  name: 'operations.sweep',
  schedule: '17 * * * *',
  async run({ database, now, signal }) {
    const before = new Date(now().getTime() - keptDays * dayMs);
    const inSlices = async (slice: ReturnType<typeof sql>) => {
      for (let removed = 1; removed > 0 && !signal.aborted; )
        removed = await database.system((s) => s.run(slice));
    };
    await inSlices(sql`
      delete from operation_children where ctid in (
        select c.ctid from operation_children c join operations o on o.account_sid = c.account_sid and o.sid = c.operation_sid
         where o.finished_at < ${before} limit 5000)`);
    await inSlices(sql`
      delete from operations where ctid in (select ctid from operations where finished_at < ${before} limit 1000)`);
  },
});
