// Stops the service at a row it needs, so that a test can let things happen in between.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestApp } from './app.ts';
import { ownerPool } from './postgres.ts';

export async function holdRows(app: TestApp, tableAndWhere: string) {
  const pool = ownerPool(app.databaseUrl);
  const client = await pool.connect();
  await client.query('begin');
  await client.query(`select from ${tableAndWhere} for update`);
  return {
    /** Resolves once this many statements wait for a lock. */
    async waitersAre(number: number): Promise<void> {
      for (let tries = 0; tries < 300; tries += 1) {
        const waiting = "pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
        if ((await app.count(waiting)) >= number) return;
        await sleep(5);
      }
      assert.fail(`fewer than ${number} statements wait`);
    },
    async release(): Promise<void> {
      await client.query('commit');
      client.release();
      await pool.end();
    },
  };
}
