// What a part runs on: a real PostgreSQL that waits for its disk, services and other programs as processes of their
// own, and the promise that nothing of it remains.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../server/src/platform/db/setup/embedded-postgres.ts';
import { openStatements, type Statements, statementSettings } from './statements.ts';
import { openWal, type Wal } from './wal.ts';

export type Program = { url: string; port: number; pid: number; stop(): Promise<void> };
export type Godwit = Program & { checkout: string; databaseUrl: string; dataDir: string };

export type Stage = {
  /** The process whose children serve the database. */
  postmasterPid: number;
  wal: Wal;
  /** Null unless asked for. */
  statements: Statements | null;
  /** The URL of an empty database. */
  newDatabase(): Promise<string>;
  /** A service of its own, on an empty database of its own. */
  startGodwit(options?: { checkout?: string; role?: string; env?: Record<string, string> }): Promise<Godwit>;
  /** Runs a script that prints where it listens. */
  startScript(path: string, env?: Record<string, string>): Promise<Program>;
  /** What a part opened by itself: ended with the programs, where the part does not come to it. */
  alsoEnds(end: () => Promise<void>): void;
  /** Stops the programs; the database stays. */
  clear(): Promise<void>;
  close(): Promise<void>;
};

export const ownCheckout = fileURLToPath(new URL('../../', import.meta.url));

type StageOptions = {
  /** Where the programs leave their CPU profiles when they end. */
  profileDir: string | null;
  /** Whether PostgreSQL counts what each statement costs. */
  statements: boolean;
};

export async function openStage({ profileDir, statements }: StageOptions): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'godwit-bench-'));
  const postgres = await startPostgres(folder, statements ? statementSettings : {});
  const programs = new Set<Program>();
  const others = new Set<() => Promise<void>>();
  const nodeFlags = profileDir === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDir}`];
  const wal = await openWal(postgres.url);
  const counted = statements ? await openStatements(postgres.url) : null;
  let databases = 0;
  let closing = false;

  const start = async (file: string, args: string[], env: Record<string, string>): Promise<Program> => {
    if (closing) throw new Error('the stage is closing');
    const child = spawn(process.execPath, [...nodeFlags, file, ...args], {
      env: { ...process.env, NODE_ENV: 'production', PORT: '0', LOG_LEVEL: 'info', ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const stop = async () => {
      programs.delete(program);
      await endProgram(child);
    };
    const program: Program = { url: '', port: 0, pid: child.pid!, stop };
    programs.add(program);
    program.url = await printedUrl(child);
    program.port = Number(new URL(program.url).port);
    return program;
  };

  const newDatabase = () => {
    databases += 1;
    return createDatabase(postgres.url, `bench_${databases}`);
  };

  const clear = async () => {
    await Promise.all([...programs].map((program) => program.stop()));
    await Promise.all([...others].map((end) => end()));
    others.clear();
  };

  return {
    postmasterPid: Number((await readFile(join(postgres.location, 'postmaster.pid'), 'utf8')).split('\n')[0]),
    wal,
    statements: counted,
    newDatabase,
    async startGodwit({ checkout = ownCheckout, role = 'api', env = {} } = {}) {
      const databaseUrl = await newDatabase();
      const dataDir = await mkdtemp(join(folder, 'data-'));
      const settings = { DATABASE_URL: databaseUrl, DATA_DIR: dataDir, REQUESTS_PER_SECOND: '1000000' };
      const file = join(checkout, 'server/bin/godwit.js');
      const program = await start(file, ['start', '--role', role], { ...settings, ...env });
      return Object.assign(program, { checkout, databaseUrl, dataDir });
    },
    startScript: (path, env = {}) => start(path, [], env),
    alsoEnds: (end) => void others.add(end),
    clear,
    async close() {
      closing = true;
      await clear();
      await wal.close();
      await counted?.close();
      await postgres.stop();
    },
  };
}

async function startPostgres(folder: string, settings: Record<string, string>): Promise<EmbeddedPostgres> {
  const removeFolder = () => rm(folder, { recursive: true, force: true });
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), settings }).catch(
    async (error) => {
      await removeFolder();
      throw error;
    },
  );
  const stop = async () => {
    // Ctrl-C also reaches the helper that stops the server, so it is asked a second time before the files go.
    await postgres.stop().catch(() => postgres.stop().catch(() => {}));
    await rm(postgres.location, { recursive: true, force: true });
    await removeFolder();
  };
  try {
    await refuseUnsafe(postgres.url);
    return { ...postgres, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A database that does not wait for its disk would make every write look cheaper than it is. */
async function refuseUnsafe(url: string): Promise<void> {
  const settings = ['fsync', 'synchronous_commit', 'full_page_writes'];
  await withClient(url, async (client) => {
    for (const name of settings) {
      const { rows } = await client.query(`select current_setting('${name}') as value`);
      if (rows[0].value !== 'on') throw new Error(`PostgreSQL runs with ${name} ${rows[0].value}`);
    }
  });
}

async function createDatabase(url: string, name: string): Promise<string> {
  await withClient(url, (client) => client.query(`create database ${name}`));
  return url.replace(/\/godwit(\?|$)/, `/${name}$1`);
}

async function withClient(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** The first address a program prints is where it listens; the rest is read and dropped, so that it never blocks. */
function printedUrl(child: ChildProcess): Promise<string> {
  return new Promise((done, fail) => {
    setTimeout(() => fail(new Error('a program did not listen within 60 seconds')), 60_000).unref();
    child.once('exit', (code) => fail(new Error(`a program ended with ${code} before it listened`)));
    createInterface(child.stdout!).on('line', (line) => {
      const found = /http:\/\/[\w.]+:\d+/.exec(line);
      if (found) done(found[0]);
    });
  });
}

/** Asks it to stop, and ends it where it does not. */
export function endProgram(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((done) => {
    const impatient = setTimeout(() => child.kill('SIGKILL'), 15_000);
    child.once('exit', () => {
      clearTimeout(impatient);
      done();
    });
    child.kill('SIGTERM');
  });
}
