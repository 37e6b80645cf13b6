// How a service ends: what it still does, and that nothing of it stays behind.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { bootstrapped, freshDatabase, olderNode, ownerOf } from './fixtures.ts';
import { call, dataFolder, launcher, launchGodwit, postgresPid, startGodwit, until } from './godwit.ts';

test('requests in flight at SIGTERM are answered, and new ones find the door closed', async (context) => {
  const env = await freshDatabase(context);
  const { accountSid, sandboxKey: key } = await bootstrapped(env);
  const service = await startGodwit(context, env);
  const keys = `${service.url}/v1/accounts/${accountSid}/api-keys`;
  const [{ id }] = (await call(keys, { key })).body.data;
  const holder = await ownerOf(context, env);
  await holder.query('begin');
  await holder.query('select from api_keys where id = $1 for update', [id]);

  const renaming = call(`${keys}/${id}`, {
    method: 'PATCH',
    key,
    body: { name: 'Renamed at the last moment' },
    headers: { 'idempotency-key': 'rename-1' },
  });
  await until('the request waits for the row', async () => {
    const waiting =
      "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
    return (await holder.query(waiting)).rowCount === 1;
  });
  const stopped = service.stop('SIGTERM');
  await until('no new connection is taken', () => isClosed(service.url));
  await holder.query('commit');
  const answer = await renaming;
  assert.equal(answer.status, 200);
  assert.equal(answer.body.name, 'Renamed at the last moment');
  assert.deepEqual(await stopped, { code: 0, signal: null });
});

/** Asked by a connection of its own: one that is kept alive would still be served. */
function isClosed(url: string): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port) });
    socket.once('error', () => done(true));
    socket.once('connect', () => {
      socket.destroy();
      done(false);
    });
  });
}

test('a signal during the start ends it cleanly, and no database stays behind', async (context) => {
  const dataDir = await dataFolder(context);
  const service = launchGodwit(context, { DATA_DIR: dataDir });
  await until('PostgreSQL starts', () => postgresPid(dataDir));
  assert.deepEqual(await service.stop('SIGINT'), { code: 0, signal: null });
  assert.equal(postgresPid(dataDir), null);
});

// A terminal sends Ctrl-C to every process in its foreground, and those in between send it on.
test('Ctrl-C under npm stops the service and its database', async (context) => {
  const dataDir = await dataFolder(context);
  const options = { command: ['npm'] as [string], args: ['start'], group: true };
  const service = await startGodwit(context, { DATA_DIR: dataDir }, options);
  // npm and its shell end by the signal themselves, whatever the service did.
  await service.stop('SIGINT');
  assert.equal(postgresPid(dataDir), null);
});

test('Ctrl-C under an older Node is one wish to stop, though it arrives twice', async (context) => {
  const node = await olderNode();
  if (!node) return context.skip('this machine has no Node older than 24');
  const dataDir = await dataFolder(context);
  const options = { command: [node, launcher] as [string, string], group: true };
  const service = await startGodwit(context, { DATA_DIR: dataDir }, options);
  assert.deepEqual(await service.stop('SIGINT'), { code: 0, signal: null });
  assert.equal(postgresPid(dataDir), null);
});
