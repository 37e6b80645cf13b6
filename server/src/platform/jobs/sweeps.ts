// What the platform itself removes when its time has come, and what it looks after.
import { sql } from '../db/query.ts';
import { defineCron } from './jobs.ts';

const sweepIdempotencyKeys = defineCron({
  name: 'platform.sweep-idempotency-keys',
  schedule: '*/5 * * * *',
  async run({ database, now, signal }) {
    // In slices, so that a sweep after a busy day neither holds locks for long nor meets the statement's time limit.
    for (let removed = 1; removed > 0 && !signal.aborted; ) {
      removed = await database.system((s) =>
        s.run(sql`
          delete from idempotency_keys where ctid in (
            select ctid from idempotency_keys where expires_at < ${now()} limit 5000)`),
      );
    }
  },
});

const sweepRateBuckets = defineCron({
  name: 'platform.sweep-rate-buckets',
  schedule: '*/5 * * * *',
  async run({ database, now }) {
    // A bucket nobody touched for an hour is full again, which is what its absence means.
    const before = new Date(now().getTime() - 3_600_000);
    await database.system((s) => s.run(sql`delete from rate_buckets where refilled_at < ${before}`));
  },
});

const sweepChallenges = defineCron({
  name: 'platform.sweep-challenges',
  schedule: '*/5 * * * *',
  async run({ database, now }) {
    await database.system((s) => s.run(sql`delete from spent_challenges where expires_at < ${now()}`));
  },
});

/** After a crash PostgreSQL does not know any more which tables it has yet to analyse. */
export const analyzeUncounted = defineCron({
  name: 'platform.analyze-uncounted-tables',
  schedule: '*/5 * * * *',
  async run({ database, log }) {
    const tables = await database.system((s) =>
      s.many<{ name: string }>(sql`select name from analyze_uncounted_tables() as name`),
    );
    if (tables.length > 0)
      log.info({ tables: tables.map(({ name }) => name) }, 'PostgreSQL had never counted these tables');
  },
});

export const platformCrons = [sweepIdempotencyKeys, sweepRateBuckets, sweepChallenges, analyzeUncounted];
