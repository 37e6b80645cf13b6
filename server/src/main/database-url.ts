// Which database a command talks to: the configured one, the embedded one of a running service, or the embedded one
// started for the moment.
import type { Config } from '../platform/config.ts';
import { findEmbeddedPostgres, startEmbeddedPostgres } from '../platform/db/embedded-postgres.ts';

export type Reached = {
  url: string;
  /** For people: where the embedded cluster's files are; null for a given DATABASE_URL. */
  location: string | null;
  /** True when the embedded cluster was made just now. */
  created: boolean;
  release(): Promise<void>;
};

export async function reachDatabase(config: Config): Promise<Reached> {
  if (config.databaseUrl) {
    return { url: config.databaseUrl, location: null, created: false, release: async () => {} };
  }
  const server = await startEmbeddedPostgres({ dataDir: config.dataDir });
  // A server that was running before belongs to somebody else and goes on.
  const release = async () => {
    if (server.started) await server.stop();
  };
  return { url: server.url, location: server.location, created: server.created, release };
}

export { findEmbeddedPostgres };
