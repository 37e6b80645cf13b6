// Which processes live. Each beats on the database's clock; one that stays silent is dead, and whatever it held goes
// back to the living.
import { hostname } from 'node:os';
import type { Database, SystemTx } from '../db/database.ts';
import { sql } from '../db/query.ts';
import { untilReached } from '../db/setup/reach-database.ts';
import type { Log } from '../observability/logging.ts';
import { beatMs } from '../queue/lease.ts';

export type Liveness = {
  processId: string;
  /** Names a queue worker of this process. */
  addWorker(workerId: string): void;
  /** Names the address clients reach this process by. */
  answersAt(url: string): void;
  /** Whether more than one living process serves the API. */
  sharesApi(): boolean;
  /** Whether no other process lived when this one last beat. */
  isAlone(): boolean;
  stop(): Promise<void>;
};

type Options = { database: Database; processId: string; role: string; log: Log };

export async function startLiveness({ database, processId, role, log }: Options): Promise<Liveness> {
  const workerIds: string[] = [];
  let apis = 1;
  let processes = 1;
  let url: string | null = null;
  const beat = async () => {
    const [row] = await database.ask<{ processes: number; apis: number }>(sql`
      select * from beat(${processId}::uuid, ${role}, ${hostname()}, ${process.pid}, ${workerIds}::text[], ${url})`);
    ({ processes, apis } = row!);
  };
  await untilReached(beat);
  let running: Promise<void> | null = null;
  const tell = () => {
    running ??= beat()
      .catch((error) => log.warn({ err: error }, 'could not tell the database that this process lives'))
      .finally(() => {
        running = null;
      });
  };
  const timer = setInterval(tell, beatMs);
  return {
    processId,
    addWorker(workerId) {
      workerIds.push(workerId);
      tell(); // at once: a job taken before the next beat must be found too if the process dies
    },
    answersAt(address) {
      url = address;
      tell();
    },
    sharesApi: () => apis > 1,
    isAlone: () => processes === 1,
    async stop() {
      clearInterval(timer);
      await running;
      await database.system((s) => s.run(sql`delete from processes where id = ${processId}`)).catch(() => {});
    },
  };
}

/** Where the service answers that was started last; null when none runs. */
export async function runningServiceUrl(s: SystemTx): Promise<string | null> {
  const row = await s.maybe<{ url: string }>(sql`
    select url from processes
     where url is not null and is_alive(beat_at)
     order by id desc limit 1`);
  return row?.url ?? null;
}
