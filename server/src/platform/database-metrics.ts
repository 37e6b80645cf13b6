import { Counter, Gauge, type Registry } from 'prom-client';
import type { Database } from './db/database.ts';

/** Tells operators how many connections there are and how many were given up. */
export function observeDatabase(registry: Registry, database: Database): void {
  const registers = [registry];
  new Gauge({
    name: 'godwit_database_connections',
    help: 'Connections of this process to PostgreSQL, by state',
    labelNames: ['state'],
    registers,
    collect() {
      for (const [state, count] of Object.entries(database.stats())) this.set({ state }, count);
    },
  });
  let told = 0;
  new Counter({
    name: 'godwit_database_connections_given_up_total',
    help: 'Connections closed because PostgreSQL left a statement unanswered for longer than DATABASE_ANSWER_MS',
    registers,
    collect() {
      const givenUp = database.givenUp();
      this.inc(givenUp - told);
      told = givenUp;
    },
  });
}
