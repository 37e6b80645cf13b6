// What a part of the benchmark is, and what it gets and gives.
import type { Stage } from './stage.ts';

export type Context = {
  stage: Stage;
  /** How long each row is measured, over all its rounds. */
  seconds: number;
  connections: number;
  /** Measure only rows whose name holds one of these words; empty means all. */
  only: string[];
  /** Another checkout, measured in the same rounds; null for none. */
  against: string | null;
  /** How many accounts take part at once, a row for each number. */
  accounts: number[];
  /** Tells a person what happens now. */
  say(text: string): void;
};

export type Row = {
  name: string;
  perSecond: number;
  /** Of the row everything is compared with, in the same rounds; null where there is none. */
  ratio: number | null;
  p50Ms: number | null;
  /** Told where the aim speaks of it, as the longest time of all is. */
  p95Ms?: number;
  longestMs?: number;
  p99Ms: number | null;
  errors: number;
  /** The first error in full; shown when there are errors. */
  firstError: string | null;
  /** What was answered instead of what was expected, by status. */
  refusals?: Record<string, number>;
  serverRssMb: number | null;
  /** What a page in the browser keeps more than before. */
  heapMb?: number;
  /** CPU time of the server and of the database for one request: steadier than rates on a busy machine. */
  serverMicros: number | null;
  databaseMicros: number | null;
  /** What one request leaves in the write-ahead log, without images of whole pages: those depend on the last checkpoint. */
  walBytes?: number | null;
  walRecords?: number | null;
  /** CPU time of server and database beside that of the hand-written minimum, in the same rounds. */
  ofMinimum?: number | null;
  /** Not to be exceeded by it. */
  mostOfMinimum?: number;
  /** Percent of one core, as are the next two. */
  serverCpu: number | null;
  databaseCpu: number | null;
  clientCpu: number | null;
  /** The ratio hoped for. Missing it is told, but is no failure: machines differ. */
  aim?: number;
  /** The ratio not to be exceeded, told in the same way. */
  most?: number;
  /** The rate hoped for besides, and the time not to be exceeded. */
  leastPerSecond?: number;
  mostP99Ms?: number;
  mostP95Ms?: number;
  mostLongestMs?: number;
  mostHeapMb?: number;
};

/** What a row that measures little says of the rest. */
export const emptyRow = {
  ratio: null,
  p50Ms: null,
  p99Ms: null,
  errors: 0,
  firstError: null,
  serverRssMb: null,
  serverMicros: null,
  databaseMicros: null,
  serverCpu: null,
  databaseCpu: null,
  clientCpu: null,
};

export type Part = {
  name: string;
  description: string;
  run(context: Context): Promise<Row[]>;
};

/** The rows of all measures of a part, or of those that were asked for by name; each has the machine for itself. */
export async function measureEach(
  context: Context,
  measures: Record<string, (context: Context) => Promise<Row[]>>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, measure] of Object.entries(measures)) {
    if (context.only.length > 0 && !context.only.includes(name)) continue;
    rows.push(...(await measure(context)));
    await context.stage.clear();
  }
  return rows;
}
