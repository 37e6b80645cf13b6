// The PostgreSQL a service brings along: where it lives, who may start it, and what becomes of it after a crash.
// Runs in a process of its own: it replaces a function of Node.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readlinkSync } from 'node:fs';
import { chown, readFile, stat, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import net, { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { startEmbeddedPostgres } from '../../src/platform/db/setup/embedded-postgres.ts';
import { placeFor } from './copy-for-user.ts';
import { call, credentialsIn, dataFolder, godwit, postgresPid, startGodwit } from './godwit.ts';
import { migratedFolder } from './migrated-folder.ts';

const asRoot = process.getuid?.() === 0;

test('two starts at one moment on one fresh folder give one service', async (context) => {
  const dataDir = await dataFolder(context);
  const starts = await Promise.allSettled([1, 2].map(() => startGodwit(context, { DATA_DIR: dataDir })));
  const running = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  const refused = starts.flatMap((start) => (start.status === 'rejected' ? [String(start.reason)] : []));
  assert.equal(running.length, 1);
  assert.match(refused[0]!, /Another Godwit runs on/);
  const { key } = credentialsIn(running[0]!.text());
  assert.equal((await call(`${running[0]!.url}/v1/me`, { key })).status, 200);
  assert.equal((await running[0]!.stop()).code, 0);
  assert.equal(postgresPid(dataDir), null);
});

test('a data folder that other users cannot enter works', async (context) => {
  const dataDir = await dataFolder(context, 0o700);
  const service = await startGodwit(context, { DATA_DIR: dataDir });
  const { key } = credentialsIn(service.text());
  assert.equal((await call(`${service.url}/v1/me`, { key })).status, 200);
  if (asRoot) assert.match(readlinkSync(join(dataDir, 'postgres')), /^\/var\/lib\/godwit\/cluster-/);
  assert.equal((await service.stop()).code, 0);
  assert.equal(postgresPid(dataDir), null);
});

test('an ordinary user needs nothing but a folder of their own', async (context) => {
  if (!asRoot) return context.skip('the whole test runs as an ordinary user already');
  const nobody = { uid: 65_534, gid: 65_534 };
  const home = await dataFolder(context);
  await chown(home, nobody.uid, nobody.gid);
  const place = await placeFor(context, nobody);
  const service = await startGodwit(context, { HOME: home, DATA_DIR: home }, { ...place, ...nobody });
  const { key } = credentialsIn(service.text());
  assert.equal((await call(`${service.url}/v1/me`, { key })).status, 200);
  assert.equal((await service.stop()).code, 0);
  assert.equal(postgresPid(home), null);
});

test('a killed service leaves its database running, and the next start takes it over', async (context) => {
  const dataDir = await migratedFolder(context);
  const killed = await startGodwit(context, { DATA_DIR: dataDir });
  const { key } = credentialsIn(killed.text());
  const database = postgresPid(dataDir);
  assert.equal((await killed.stop('SIGKILL')).signal, 'SIGKILL');
  assert.equal(postgresPid(dataDir), database);

  // A command uses the orphan as it finds it; only a service owns it.
  assert.equal((await godwit(['doctor'], { DATA_DIR: dataDir })).code, 0);
  assert.equal(postgresPid(dataDir), database);

  const next = await startGodwit(context, { DATA_DIR: dataDir });
  assert.equal(postgresPid(dataDir), database);
  assert.equal((await call(`${next.url}/v1/me`, { key })).status, 200);
  assert.deepEqual(await next.stop(), { code: 0, signal: null });
  assert.equal(postgresPid(dataDir), null);
});

test('what a crash left behind does not hinder a start, even when the old process id is in use', async (context) => {
  const dataDir = await migratedFolder(context);
  const before = await startGodwit(context, { DATA_DIR: dataDir });
  const { key } = credentialsIn(before.text());
  const pidFile = join(dataDir, 'postgres', 'postmaster.pid');
  const left = await readFile(pidFile, 'utf8');
  await before.stop();
  // As after a power cut: the file is still there, and its number now belongs to something else.
  await writeFile(pidFile, left.replace(/^\d+/, '1'));
  if (asRoot) await chown(pidFile, ...(await ownerIds(join(dataDir, 'postgres'))));

  const next = await startGodwit(context, { DATA_DIR: dataDir });
  assert.equal((await call(`${next.url}/v1/me`, { key })).status, 200);
  assert.equal((await next.stop()).code, 0);
});

async function ownerIds(path: string): Promise<[number, number]> {
  const { uid, gid } = await stat(path);
  return [uid, gid];
}

test('a command without a service starts the database for itself and stops it again', async (context) => {
  const dataDir = await dataFolder(context);
  const migrated = await godwit(['migrate'], { DATA_DIR: dataDir });
  assert.equal(migrated.code, 0, migrated.stderr);
  assert.equal(postgresPid(dataDir), null);
});

test('a port that somebody took a moment ago is no obstacle: another is chosen', async (context) => {
  const dataDir = await dataFolder(context);
  const { createServer } = net;
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  // The port that was found free is in use by now.
  const found: AddressInfo[] = [];
  context.mock.method(net, 'createServer', () => {
    const probe = createServer();
    const address = probe.address.bind(probe);
    probe.address = () => {
      found.push((found.length === 0 ? taken : { address }).address() as AddressInfo);
      return found.at(-1)!;
    };
    return probe;
  });
  syncBuiltinESMExports();
  context.after(() => {
    context.mock.restoreAll();
    syncBuiltinESMExports();
    taken.close();
  });
  const postgres = await startEmbeddedPostgres({ dataDir, settings: { fsync: 'off' } });
  await postgres.stop();
  assert.equal(found.length, 2);
});

test('a port that was asked for and is taken is named by the refusal', async (context) => {
  const dataDir = await dataFolder(context);
  const taken = net.createServer().listen(0, '127.0.0.1');
  context.after(() => taken.close());
  await once(taken, 'listening');
  const port = String((taken.address() as AddressInfo).port);
  await assert.rejects(startEmbeddedPostgres({ dataDir, settings: { port } }), (error: Error) => {
    assert.match(error.message, /did not start\. The last of .+postgres\.log:/);
    assert.match(error.message, /could not bind IPv4 address "127\.0\.0\.1": Address already in use/);
    return true;
  });
});
