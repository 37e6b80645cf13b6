// Who holds what. A row that can be leased has a `holder`, the process that works on it, and a `generation` that grows whenever the
// row changes hands. The holder keeps its leases by staying alive, which it tells the database every other second; when it
// falls silent, whatever it held is free. Its own late writes then change nothing, because they name a generation that is over.
import { type Sql, sql } from '../db/query.ts';

export type Lease = { holder: string; generation: string };

/** How often a process says that it lives, and looks after what the dead left behind. */
export const beatMs = 2_000;

/** Whether a process lives, by the database's clock. */
export const isAlive = (processId: Sql) =>
  sql`${processId} in (select id from processes where is_alive(beat_at))`;

/** Whether a row is held by a process that has died. */
export const isOrphaned = sql`holder is not null and not ${isAlive(sql`holder`)}`;

/** To be set when a row is taken by somebody who did not hold it. */
export const takenBy = (processId: string) => sql`holder = ${processId}, generation = generation + 1`;

/** To be set when a row is given back. */
export const givenBack = sql`holder = null`;

/** The fence: a write in the name of a lease that was lost, or given back, finds no row. */
export const isHeld = ({ holder, generation }: Lease) =>
  sql`holder = ${holder} and generation = ${generation}`;

export const isSameLease = (one: Lease, other: { holder: string | null; generation: string }): boolean =>
  one.holder === other.holder && one.generation === other.generation;
