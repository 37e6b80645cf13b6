// What is killed: an API, two workers and the PostgreSQL under them, each a process of its own that is started again whenever
// it is gone. The simulated provider is the witness and is left alone.
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/platform/db/setup/embedded-postgres.ts';
import type { Lifetime } from '../harness/lifetime.ts';
import { freePort } from '../harness/ports.ts';
import {
  atEnd,
  type Environment,
  isAlive,
  type Launched,
  launchGodwit,
  parentOf,
  postgresPid,
  startGodwit,
  until,
} from '../process/godwit.ts';
import { migratedFolder } from '../process/migrated-folder.ts';

export type MachineName = 'api' | 'worker 1' | 'worker 2' | 'postgres';

type Machine = {
  name: MachineName;
  /** Whether it is there to be killed. */
  up(): boolean;
  /** Kills it and begins to bring it back; settles when it is gone. */
  kill(): Promise<void>;
  /** Settles when it is back. */
  back(): Promise<void>;
};

export type Machines = {
  all: Machine[];
  apiUrl: string;
  simulatorUrl: string;
  /** What services wrote last that ended without having been killed. */
  ends: string[];
  env: Environment & { DATABASE_URL: string; DATA_DIR: string; MASTER_KEY: string };
};

export async function startMachines(lifetime: Lifetime): Promise<Machines> {
  const [apiPort, simulatorPort, postgresPort] = [await freePort(), await freePort(), await freePort()];
  const dataDir = await migratedFolder(lifetime);
  const postgres = await keepPostgres(lifetime, dataDir, postgresPort);
  const env = {
    DATABASE_URL: postgres.url,
    DATA_DIR: dataDir,
    MASTER_KEY: randomBytes(32).toString('base64'),
    PORT: String(apiPort),
    REQUESTS_PER_SECOND: '100000',
    SIMULATOR_PORT: String(simulatorPort),
    LOG_LEVEL: 'error',
  };
  const simulator = await startGodwit(lifetime, env, { args: ['start', '--role', 'simulator'] });
  const simulatorUrl = /Simulator +(http\S+)/.exec(simulator.text())![1]!;
  const service = { ...env, SIMULATOR_URL: simulatorUrl };
  const ends: string[] = [];
  const keep = (name: MachineName, role: string) => keepService(lifetime, name, role, service, ends);
  // One after the other: the first migrates the database.
  const api = await keep('api', 'api');
  const workers = await Promise.all([keep('worker 1', 'worker'), keep('worker 2', 'worker')]);
  return {
    all: [api, ...workers, postgres.machine],
    apiUrl: `http://127.0.0.1:${apiPort}`,
    simulatorUrl,
    env,
    ends,
  };
}

async function keepService(
  lifetime: Lifetime,
  name: MachineName,
  role: string,
  env: Environment,
  ends: string[],
): Promise<Machine> {
  let ending = false;
  let current: Launched | null = null;
  let starting = Promise.resolve();
  const start = async (): Promise<void> => {
    // A start that finds no database ends itself, and is tried again.
    while (!ending) {
      const launched = launchGodwit(lifetime, env, { args: ['start', '--role', role] });
      await until(
        `${name} starts`,
        () => launched.text().includes('is ready') || !launched.state.alive,
        120_000,
      );
      if (launched.state.alive) {
        current = launched;
        void launched.ended.then(() => {
          if (current !== launched || ending) return;
          current = null;
          ends.push(`${name}: ${launched.text().slice(-1500)}`);
          starting = start();
        });
        return;
      }
      await sleep(300);
    }
  };
  starting = start();
  await starting;
  atEnd(lifetime, async () => {
    ending = true;
    await starting;
  });
  return {
    name,
    up: () => current?.state.alive === true,
    async kill() {
      const victim = current!;
      current = null;
      await victim.stop('SIGKILL');
      starting = start();
    },
    back: () => starting,
  };
}

/** A PostgreSQL that is killed with all its processes, and started again at once. */
export async function keepPostgres(lifetime: Lifetime, dataDir: string, port: number) {
  const settings = { port: String(port) };
  let running: EmbeddedPostgres | null = await startEmbeddedPostgres({ dataDir, settings });
  // Over TCP, since the folder of the socket changes with every start.
  const password = /:([0-9a-f]+)@/.exec(running.url)![1];
  const start = async (): Promise<void> => {
    for (let tries = 1; ; tries += 1) {
      try {
        running = await startEmbeddedPostgres({ dataDir, settings });
        return;
      } catch (error) {
        // Its last children hold its memory for a moment.
        if (tries === 300) throw error;
        await sleep(200);
      }
    }
  };
  let starting = Promise.resolve();
  atEnd(lifetime, async () => {
    await starting;
    await running?.stop();
  });
  const machine: Machine = {
    name: 'postgres',
    up: () => running !== null,
    async kill() {
      const pid = postgresPid(dataDir)!;
      running = null;
      // All of it: a child left behind would keep the door open to a house with nobody in it. A parent that stands still
      // has no more of them while they are counted.
      signalTo(pid, 'SIGSTOP');
      const family = [pid, ...(await childrenOf(pid))];
      for (const one of family) signalTo(one, 'SIGKILL');
      await until('PostgreSQL is gone', () => family.every((one) => !isAlive(one)), 10_000);
      starting = start();
    },
    back: () => starting,
  };
  return { machine, url: `postgres://godwit:${password}@127.0.0.1:${port}/godwit` };
}

async function childrenOf(pid: number): Promise<number[]> {
  const names = await readdir('/proc').catch(() => []);
  const all = names.filter((name) => /^\d+$/.test(name)).map(Number);
  return all.filter((one) => parentOf(one) === pid);
}

function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended by itself when its parent did.
  }
}
