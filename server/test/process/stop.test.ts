// How a service ends: what it still does, and that nothing of it stays behind.
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { before, describe, type TestContext, test } from 'node:test';
import { sharedLifetime } from '../harness/lifetime.ts';
import {
  type Bootstrapped,
  bootstrapped,
  freshDatabase,
  type Given,
  olderNode,
  ownerOf,
} from './fixtures.ts';
import {
  call,
  dataFolder,
  isAlive,
  launcher,
  launchGodwit,
  parentOf,
  postgresPid,
  type Started,
  startGodwit,
  until,
} from './godwit.ts';
import { migratedFolder } from './migrated-folder.ts';

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

// A process manager knows the process it started and signals that one; a terminal signals all in its foreground, and those
// in between send it on.
for (const [whom, signal, group] of [
  ['SIGTERM to npm alone', 'SIGTERM', false],
  ['Ctrl-C under npm', 'SIGINT', true],
] as const) {
  test(`${whom} ends the service and its database, and npm says that all is well`, async (context) => {
    const dataDir = await migratedFolder(context);
    const options = { command: ['npm'] as [string], args: ['start'], group: true };
    const service = await startGodwit(context, { DATA_DIR: dataDir }, options);
    const family = descendantsOf(service.pid);
    assert.ok(!existsSync('/proc') || family.length >= 2, 'neither the service nor its database was found');
    process.kill(group ? -service.pid : service.pid, signal);
    assert.deepEqual(await service.ended, { code: 0, signal: null });
    assert.equal(postgresPid(dataDir), null);
    assert.deepEqual(family.filter(isAlive), []);
    assert.ok(await isClosed(service.url));
  });
}

describe('what runs until it is told to end', () => {
  const lifetime = sharedLifetime();
  let env: Given;
  let account: Bootstrapped;
  let service: Started;
  before(async () => {
    env = await freshDatabase(lifetime);
    account = await bootstrapped(env);
    const options = { command: ['npm'] as [string], args: ['start', '--', '--role', 'api'], group: true };
    service = await startGodwit(lifetime, env, options);
  });

  /** Signals npx as a shell's `kill $!` does, and sees that everything below it ends. */
  async function endsUnderNpx(context: TestContext, args: string[], says: string): Promise<void> {
    const options = { command: ['npx'] as [string], args: ['--no-install', 'godwit', ...args], group: true };
    const command = launchGodwit(context, env, options);
    await until(`${args[0]} runs`, () => command.text().includes(says) || !command.state.alive);
    const family = descendantsOf(command.pid);
    process.kill(command.pid, 'SIGTERM');
    await command.ended;
    await until('all of it is gone', () => family.every((pid) => !isAlive(pid)));
    assert.ok(command.text().includes(says), command.text());
  }

  test('`npx godwit listen` ends when npx is told to', (context) =>
    endsUnderNpx(
      context,
      ['listen', '--url', service.url, '--key', account.sandboxKey, '--forward-to', 'http://127.0.0.1:9/'],
      'Forwarding',
    ));

  test('`npx godwit operations watch` ends when npx is told to', async (context) => {
    const { body } = await call(`${service.url}/v1/accounts/${account.accountSid}/contacts/export`, {
      method: 'POST',
      key: account.sandboxKey,
      body: { format: 'csv' },
      headers: { 'idempotency-key': 'export-1' },
    });
    await endsUnderNpx(
      context,
      ['operations', 'watch', body.sid, '--account', account.accountSid],
      'PENDING',
    );
  });

  test('`npm start -- --role api` ends when npm is told to', async () => {
    const family = descendantsOf(service.pid);
    process.kill(service.pid, 'SIGTERM');
    assert.deepEqual(await service.ended, { code: 0, signal: null });
    assert.deepEqual(family.filter(isAlive), []);
  });
});

/** Every process below this one; on systems without /proc nobody tells. */
function descendantsOf(pid: number): number[] {
  if (!existsSync('/proc')) return [];
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), parent: parentOf(Number(name)) }));
  const below = (of: number): number[] =>
    parents.filter(({ parent }) => parent === of).flatMap((child) => [child.pid, ...below(child.pid)]);
  return below(pid);
}

test('Ctrl-C under an older Node is one wish to stop, though it arrives twice', async (context) => {
  const node = await olderNode();
  if (!node) return context.skip('this machine has no Node older than 24');
  const dataDir = await migratedFolder(context);
  const options = { command: [node, launcher] as [string, string], group: true };
  const service = await startGodwit(context, { DATA_DIR: dataDir }, options);
  assert.deepEqual(await service.stop('SIGINT'), { code: 0, signal: null });
  assert.equal(postgresPid(dataDir), null);
});
