import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestApp } from '../../../test/harness/app.ts';
import { sql } from './query.ts';

test('a connection lost between two statements fails its own work, and neither the process nor the next work', async (context) => {
  const app = await startTestApp(context);
  const asking = sql`select pg_backend_pid() as pid`;
  const broken = app.database.system(async (s) => {
    const { pid } = await s.one<{ pid: number }>(asking);
    await app.sql('select pg_terminate_backend($1)', [pid]);
    await sleep(100);
    await s.one(asking);
  });
  await assert.rejects(broken, /terminat|connection/i);
  assert.ok(await app.database.system((s) => s.one(asking)));
});
