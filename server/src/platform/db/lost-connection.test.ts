import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { startTestApp } from '../../../test/harness/app.ts';
import { until } from '../../../test/harness/until.ts';
import { silentLog } from '../observability/logging.ts';
import type { Sealer } from '../sealing.ts';
import { isConnectionLoss } from './failures.ts';
import { openDatabase } from './open-database.ts';
import { sql } from './query.ts';

test('a connection lost between two statements fails its own work, and neither the process nor the next work', async (context) => {
  const app = await startTestApp(context);
  const asking = sql`select pg_backend_pid() as pid`;
  const broken = app.database.system(async (s) => {
    const { pid } = await s.one<{ pid: number }>(asking);
    await app.sql('select pg_terminate_backend($1)', [pid]);
    await until('the connection is gone', async () => {
      return (await app.count(`pg_stat_activity where pid = ${pid}`)) === 0;
    });
    await s.one(asking);
  });
  // Whichever is noticed first: that PostgreSQL dismissed us, or that nobody takes what is written.
  await assert.rejects(broken, isConnectionLoss);
  assert.ok(await app.database.system((s) => s.one(asking)));
});

test('a server that greets and dismisses in one packet fails the work, and not the process', async (context) => {
  const stopping = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(Buffer.concat([authenticated, readyForQuery, dismissed])));
  }).listen(0, '127.0.0.1');
  context.after(() => stopping.close());
  await once(stopping, 'listening');
  const { port } = stopping.address() as AddressInfo;
  const database = openDatabase({
    url: `postgres://godwit:x@127.0.0.1:${port}/godwit`,
    sealer: {} as Sealer,
    site: () => {
      throw new Error('no tenant is entered here');
    },
    log: silentLog,
  });
  context.after(() => database.close());
  await assert.rejects(
    database.system((s) => s.run(sql`select 1`)),
    isConnectionLoss,
  );
});

/** A message of PostgreSQL's protocol: its letter, its length, what it says. */
function message(letter: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(letter), length, body]);
}

const authenticated = message('R', Buffer.alloc(4));
const readyForQuery = message('Z', Buffer.from('I'));
const dismissed = message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection\0\0'));
