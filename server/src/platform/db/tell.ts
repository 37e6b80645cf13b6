// Telling that something has changed: listeners in this process at once, others by way of PostgreSQL. A telling may be lost, so
// nothing relies on it but speed.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Log } from '../observability/logging.ts';
import { createListening, type Listen } from './listen.ts';
import { withClient } from './pool.ts';

/** Channels, each with what is told on it after a space, if anything is. */
export type Teller = (tellings: Iterable<string>) => void;

export type Telling = {
  tell: Teller;
  listen: Listen;
  /** While this answers true, PostgreSQL is spared what only this process could hear. */
  isAloneWhile(isAlone: () => boolean): void;
  /** Nobody listens any more. */
  end(): Promise<void>;
};

/**
 * Tells channels outside of the transactions that have something to tell: those that notify PostgreSQL lets commit only
 * one after another, each waiting for the disk. What gathers while one telling is under way is told together.
 */
export function createTelling(url: string, pool: pg.Pool, log: Log): Telling {
  // This process has heard at once what it tells itself, and knows it by this when it comes back.
  const mark = `@${randomUUID()}`;
  const untold = new Set<string>();
  let telling = false;
  let isAlone = () => false;

  const listening = createListening(
    url,
    (channel, payload) => {
      const marked = /^@\S+ ?/.exec(payload)?.[0] ?? '';
      if (marked.trimEnd() !== mark) listening.hear(channel, payload.slice(marked.length));
    },
    log,
  );
  const tellAll = async () => {
    telling = true;
    while (untold.size > 0) {
      const notifications = [...untold].map((told) => {
        const [channel, payload] = split(told);
        return `select pg_notify(${pg.escapeLiteral(channel)}, ${pg.escapeLiteral(`${mark} ${payload}`)})`;
      });
      untold.clear();
      // Nothing is lost with it, so it need not reach the disk.
      const statements = ['set local synchronous_commit = off', ...notifications].join('; ');
      await withClient(pool, (client) => client.query(statements)).catch((error) =>
        log.warn({ err: error }, 'could not tell other processes of a change'),
      );
    }
    telling = false;
  };

  return {
    tell(tellings) {
      const others = !isAlone();
      for (const told of tellings) {
        listening.hear(...split(told));
        if (others) untold.add(told);
      }
      if (!telling && untold.size > 0) void tellAll();
    },
    listen: listening.listen,
    end: listening.end,
    isAloneWhile(answer) {
      isAlone = answer;
    },
  };
}

function split(told: string): [channel: string, payload: string] {
  const space = told.indexOf(' ');
  return space < 0 ? [told, ''] : [told.slice(0, space), told.slice(space + 1)];
}
