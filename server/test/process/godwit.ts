// Real `godwit` processes for tests: started in folders of their own, watched, and never left behind.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Lifetime } from '../harness/lifetime.ts';
import { until } from '../harness/until.ts';

export { until };

export const launcher = fileURLToPath(new URL('../../bin/godwit.js', import.meta.url));
export const checkout = fileURLToPath(new URL('../../../', import.meta.url));

export type Environment = Record<string, string>;
type Options = {
  /** What to run instead of the launcher under this test's own Node. */
  command?: [string, ...string[]];
  /** Where to run it, instead of in this checkout. */
  cwd?: string;
  /** Gives the process a group of its own, as a terminal does, and sends its signals to the whole group. */
  group?: boolean;
  uid?: number;
  gid?: number;
  /** Ends the process when it takes longer. */
  limitMs?: number;
};
export type Ended = { code: number | null; signal: NodeJS.Signals | null };
export type Finished = Ended & { stdout: string; stderr: string };

const ends = new WeakMap<Lifetime, (() => Promise<void>)[]>();

/** Puts off work to the end of a test or suite. The newest comes first: what was built on something ends before it. */
export function atEnd(lifetime: Lifetime, end: () => Promise<void>): void {
  const known = ends.get(lifetime);
  if (known) return void known.push(end);
  const stack = [end];
  ends.set(lifetime, stack);
  lifetime.after(async () => {
    for (const next of stack.reverse()) await next();
  });
}

/**
 * A fresh data folder, removed at the end with the database in it. Others may enter it unless told otherwise: then
 * the cluster lies in it, and not in the place for a database started by root.
 */
export async function dataFolder(lifetime: Lifetime, mode = 0o755): Promise<string> {
  const { TEST_DATA_FOLDERS: together } = process.env;
  const folder = await mkdtemp(join(together ?? tmpdir(), 'godwit-test-'));
  await chmod(folder, mode);
  atEnd(lifetime, async () => {
    await endPostgres(folder);
    const elsewhere = await readlink(join(folder, 'postgres')).catch(() => null);
    if (elsewhere) await rm(elsewhere, { recursive: true, force: true });
    // The thousands of small files of a cluster go with those of all others; most of its size is in a few large ones.
    const gone = together === undefined ? folder : join(folder, 'postgres', 'pg_wal');
    await rm(gone, { recursive: true, force: true });
  });
  return folder;
}

const pidFile = (dataDir: string) => join(dataDir, 'postgres', 'postmaster.pid');

/** The process of the PostgreSQL that runs on a data folder, as PostgreSQL itself writes it down. */
export function postgresPid(dataDir: string): number | null {
  return existsSync(pidFile(dataDir)) ? Number.parseInt(readFileSync(pidFile(dataDir), 'utf8'), 10) : null;
}

/** For what a failed test left running. */
async function endPostgres(dataDir: string): Promise<void> {
  const pid = postgresPid(dataDir);
  if (pid === null || !commandOf(pid).includes(dataDir)) return;
  process.kill(pid, 'SIGQUIT');
  await until('PostgreSQL ends', () => !existsSync(pidFile(dataDir)));
}

function commandOf(pid: number): string {
  const file = `/proc/${pid}/cmdline`;
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

// Several that start at once on a slow machine take minutes; the deadline of a test is later still.
const patientMs = 300_000;
// A service beside other busy ones may wait longer for its database than its clients would like.
const patient = { DATABASE_WAIT_MS: '30000' };

function launch(args: string[], env: Environment, options: Options) {
  const { command = [process.execPath, launcher], group = false, limitMs, cwd = checkout, ...who } = options;
  const [program, ...first] = command;
  const child = spawn(program, [...first, ...args], {
    cwd,
    // Nothing is inherited that could configure the process behind the test's back.
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '/', ...patient, ...env },
    detached: group,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(limitMs && { timeout: limitMs, killSignal: 'SIGKILL' as const }),
    ...who,
  });
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text) => {
      output[stream] += text;
    });
  }
  const ended = new Promise<Ended>((done, fail) => {
    child.once('error', fail);
    child.once('close', (code, signal) => done({ code, signal }));
  });
  return { child, output, ended };
}

/** Runs a command to its end. */
export async function godwit(args: string[], env: Environment, options: Options = {}): Promise<Finished> {
  const { output, ended } = launch(args, env, { limitMs: patientMs, ...options });
  return { ...(await ended), ...output };
}

export type Launched = ReturnType<typeof launchGodwit>;

/** Starts a service without waiting for it. */
export function launchGodwit(
  lifetime: Lifetime,
  env: Environment,
  options: Options & { args?: string[] } = {},
) {
  const { args = ['start'], ...rest } = options;
  const { child, output, ended } = launch(args, { PORT: '0', ...env }, rest);
  const state = { alive: true };
  void ended.then(() => {
    state.alive = false;
  });
  atEnd(lifetime, async () => {
    if (state.alive) signalTo(child, 'SIGKILL', rest.group);
    await ended;
  });
  return {
    pid: child.pid!,
    state,
    /** Everything it wrote so far. */
    text: () => output.stdout + output.stderr,
    ended,
    async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
      signalTo(child, signal, rest.group);
      return ended;
    },
  };
}

export type Started = Launched & {
  url: string;
  /** How long it took to be ready, and how much of that the process itself worked: the rest is the machine's. */
  readyMs: number;
  workedMs: number;
};

/** Starts a service and waits for its banner. */
export async function startGodwit(...options: Parameters<typeof launchGodwit>): Promise<Started> {
  const bornMs = performance.now();
  const launched = launchGodwit(...options);
  const { state, text } = launched;
  await until('the service is ready', () => text().includes('is ready') || !state.alive, patientMs);
  if (!state.alive) throw new Error(`It ended instead of starting: ${text()}`);
  const readyMs = performance.now() - bornMs;
  const workedMs = Math.min(readyMs, processorMs(launched.pid) ?? readyMs);
  return { ...launched, readyMs, workedMs, url: /API +(http\S+)\/v1/.exec(text())?.[1] ?? '' };
}

/** The processor time a process has used so far, in its own code and in the system's; null where nobody tells. */
function processorMs(pid: number): number | null {
  const fields = statOf(pid);
  return fields && (Number(fields[11]) + Number(fields[12])) * tickMs;
}

/** What the system tells of a process, from its state on; null for one that has ended, and on systems without /proc. */
function statOf(pid: number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name stands in parentheses and may hold anything, so the fields are counted from behind it.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

export const parentOf = (pid: number): number => Number(statOf(pid)?.[1] ?? 0);
/** One that has ended and is only waiting to be asked how is not alive: where nobody asks, it waits for ever. */
export const isAlive = (pid: number): boolean => !['Z', 'X', undefined].includes(statOf(pid)?.[0]);

const tickMs = 10;

function signalTo(child: ChildProcess, signal: NodeJS.Signals, group = false): void {
  process.kill(group ? -child.pid! : child.pid!, signal);
}

/** What the banner shows once, on the first start. */
export function credentialsIn(banner: string): { accountSid: string; key: string } {
  const accountSid = /Account +(AC\w+)/.exec(banner)?.[1];
  const key = /Sandbox key +(gw_test_\w+)/.exec(banner)?.[1];
  if (!accountSid || !key) throw new Error(`no credentials in: ${banner}`);
  return { accountSid, key };
}

// biome-ignore lint/suspicious/noExplicitAny: tests reach into bodies whose shape they check themselves
export type Answer = { status: number; headers: Headers; body: any };

type Call = { method?: string; key?: string; body?: unknown; headers?: Record<string, string> };

/** One request, JSON in and out. */
export async function call(url: string, { method = 'GET', key, body, headers }: Call = {}): Promise<Answer> {
  const answer = await fetch(url, {
    method,
    headers: {
      ...(key && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text ? JSON.parse(text) : null };
}
