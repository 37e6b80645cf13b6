// Which database a command talks to: the configured one, the embedded one of a running service, or the embedded one
// started for the moment.

import { holdLock } from '../../platform/db/lock.ts';
import { startEmbeddedPostgres } from '../../platform/db/setup/embedded-postgres.ts';
import type { Config } from '../settings.ts';

export type Reached = {
  url: string;
  /** For people: where the embedded cluster's files are; null for a given DATABASE_URL. */
  location: string | null;
  /** True when the embedded cluster was made just now. */
  created: boolean;
  /** For a command that is done: stops the server it started, unless a service has come to use it. */
  release(): Promise<void>;
  /** For the service that owns the folder: stops the server, whoever started it. */
  stop(): Promise<void>;
};

const nothing = async () => {};

export async function reachDatabase(config: Config): Promise<Reached> {
  if (config.databaseUrl) {
    return { url: config.databaseUrl, location: null, created: false, release: nothing, stop: nothing };
  }
  const server = await startEmbeddedPostgres({ dataDir: config.dataDir });
  const release = async () => {
    const unlock = server.started ? await holdServiceLock(server.url) : null;
    if (!unlock) return;
    await server.stop();
    await unlock();
  };
  return { ...server, release };
}

/** Held by the service that owns the embedded server; null when another holds it. */
export const holdServiceLock = (url: string) => holdLock(url, 'service');
