// The net below the tellings, and the alarm clock of everything that is due by its time: asks the database once a second, in one
// statement for all queues of the process, when something is due next in each, and wakes those in which it is.
import type { Database } from '../db/database.ts';
import { type Sql, sql } from '../db/query.ts';
import type { Log } from '../observability/logging.ts';

export type Watched = {
  /** The instant something is due next: null for never. */
  nextDue: Sql;
  /** The clock that instant is read by. */
  now(): Date;
  wake(): void;
};

export type Watch = {
  /** Asks at once: time has jumped, or tellings were missed. */
  look(): void;
  stop(): Promise<void>;
};

/** How often it asks: what a lost telling costs at most. */
export const watchMs = 1_000;

type Options = { database: Pick<Database, 'ask'>; watched: Watched[]; log: Log };

export function watchDue({ database, watched, log }: Options): Watch {
  const columns = watched.map(
    ({ nextDue }, at) => sql`extract(epoch from (${nextDue}))::double precision as ${sql.id(`due${at}`)}`,
  );
  const question = sql`select ${sql.join(columns)}`;
  const alarms = new Set<NodeJS.Timeout>();
  let asking: Promise<void> | null = null;
  let again = false;
  let stopped = false;

  const setAlarm = (ms: number, { wake }: Watched) => {
    const alarm = setTimeout(() => {
      alarms.delete(alarm);
      wake();
    }, ms);
    alarms.add(alarm);
  };
  const ask = async () => {
    const [answer] = await database.ask<Record<string, number | null>>(question);
    for (const alarm of alarms) clearTimeout(alarm);
    alarms.clear();
    for (const [at, one] of watched.entries()) {
      const dueAt = answer![`due${at}`];
      if (dueAt === null || dueAt === undefined) continue;
      const ms = Math.ceil(dueAt * 1000 - one.now().getTime());
      if (ms <= 0) one.wake();
      // What is due later is asked for again before.
      else if (ms <= watchMs) setAlarm(ms, one);
    }
  };
  const look = () => {
    if (stopped) return;
    again = asking !== null;
    asking ??= ask()
      .catch((error) => log.warn({ err: error }, 'could not ask what is due'))
      .finally(() => {
        asking = null;
        if (again) look();
      });
  };
  const timer = setInterval(look, watchMs);
  look();

  return {
    look,
    async stop() {
      stopped = true;
      clearInterval(timer);
      await asking;
      for (const alarm of alarms) clearTimeout(alarm);
    },
  };
}
