import { Counter, Gauge, type Registry } from 'prom-client';
import type { Database } from '../../platform/db/database.ts';

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
  observeKeptFacts(registers, database);
}

function observeKeptFacts(registers: Registry[], database: Database): void {
  new Gauge({
    name: 'godwit_kept_facts_bytes',
    help: 'About how much memory the facts take that this process keeps',
    registers,
    collect() {
      this.set(database.kept().bytes());
    },
  });
  new Counter({
    name: 'godwit_kept_facts_total',
    help: 'Facts that rarely change, by whether they were at hand (hit) or had to be read (miss)',
    labelNames: ['fact', 'result'],
    registers,
    collect() {
      this.reset();
      for (const [fact, { hits, misses }] of database.kept().uses()) {
        this.inc({ fact, result: 'hit' }, hits);
        this.inc({ fact, result: 'miss' }, misses);
      }
    },
  });
}
