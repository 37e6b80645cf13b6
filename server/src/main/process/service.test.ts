import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../../../test/harness/app.ts';
import { until } from '../../../test/harness/until.ts';
import type { Ports } from '../../platform/ports.ts';

test('a part that fails to end keeps none of the others running', async (context) => {
  const mailer = {
    close: async () => {
      throw new Error('the mailer hangs on');
    },
  } as unknown as Ports['mailer'];
  const app = await startTestApp(context, { role: 'all', simulator: true, ports: { mailer } });
  await assert.rejects(app.stop(), (error: AggregateError) => /hangs on/.test(String(error.errors)));
  await assert.rejects(app.get('/healthz'), 'nobody listens any more');
  // PostgreSQL takes a moment to see that a connection was closed.
  await until('no connection is left', async () => {
    const connected = await app.sql(`select from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`);
    return connected.length === 0;
  });
});
