// The start of a process waits for its database, which may itself have just begun on a busy machine.
import type { Database } from '../database.ts';

/**
 * For the start of a process, which rather waits than fails: a connection that was not to be had in time is asked for
 * again. One that is refused is refused at once.
 */
export async function untilReached<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const late = error instanceof Error && /connection timeout|timeout exceeded/.test(error.message);
      if (!late || tries === mostTriesAtStart) throw error;
    }
  }
}

const mostTriesAtStart = 15;

/** The same for everything that is begun with it. A connection that was not to be had has begun nothing, so nothing is done twice. */
export function patiently(database: Database): Database {
  return {
    ...database,
    system: (work) => untilReached(() => database.system(work)),
    read: (...given) => untilReached(() => database.read(...given)),
    write: (...given) => untilReached(() => database.write(...given)),
  };
}
