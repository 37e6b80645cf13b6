// Measures several things in turns, a short round each and again, and takes medians: a machine that is slower for a
// while is then slower for all of them.
import { type Load, load, type Measured } from './load.ts';
import type { Context, Row } from './part.ts';
import { familyCpuSeconds, serverUsage } from './usage.ts';

export type Scenario = Omit<Load, 'seconds' | 'connections' | 'port'> & {
  name: string;
  server: { url: string; port: number };
  /** The scenario this one is compared with. */
  comparedWith?: string;
  aim?: number;
  /** The hand-written minimum whose CPU time it is told in. */
  minimum?: string;
  mostOfMinimum?: number;
  /** Where it differs from the others. */
  connections?: number;
  /** How many things one request asks for, where it is told by thing; 1 unless told. */
  each?: number;
};

type Round = Measured & {
  serverRssMb: number;
  serverCpu: number;
  serverMicros: number;
  databaseCpu: number | null;
  databaseMicros: number | null;
  walBytes: number;
  walRecords: number;
};

const rounds = 5;
const warmUpSeconds = 1.5;

export async function measureInTurns(context: Context, scenarios: Scenario[]): Promise<Row[]> {
  const results = new Map<string, Round[]>(scenarios.map(({ name }) => [name, []]));
  for (const scenario of scenarios) {
    context.say(`warming up: ${scenario.name}`);
    await measure(context, scenario, warmUpSeconds);
  }
  for (let round = 1; round <= rounds; round += 1) {
    context.say(`round ${round} of ${rounds}`);
    for (const scenario of scenarios) {
      results.get(scenario.name)!.push(await measure(context, scenario, context.seconds / rounds));
    }
  }
  if (context.stage.statements) await tellStatements(context, scenarios);
  return scenarios.map((scenario) => toRow(scenario, results));
}

async function tellStatements(context: Context, scenarios: Scenario[]): Promise<void> {
  const { say, stage } = context;
  for (const scenario of scenarios) {
    await stage.statements!.reset();
    const { answers } = await measure(context, scenario, context.seconds / rounds);
    say([`${scenario.name}, for each request:`, ...(await stage.statements!.told(answers))].join('\n  '));
  }
}

async function measure({ stage, connections }: Context, scenario: Scenario, seconds: number): Promise<Round> {
  const usage = async () => ({
    atMs: performance.now(),
    server: await serverUsage(scenario.server.url),
    databaseCpu: await familyCpuSeconds(stage.postmasterPid),
  });
  const from = await stage.wal.end();
  const before = await usage();
  const measured = await load({
    ...scenario,
    port: scenario.server.port,
    connections: scenario.connections ?? connections,
    seconds,
  });
  const after = await usage();
  const wal = await stage.wal.since(from);
  const each = scenario.each ?? 1;
  const serverSeconds = after.server.cpuSeconds - before.server.cpuSeconds;
  const databaseSeconds = after.databaseCpu === null ? null : after.databaseCpu - (before.databaseCpu ?? 0);
  const percent = (cpuSeconds: number) => (cpuSeconds * 100_000) / (after.atMs - before.atMs);
  const microsEach = (cpuSeconds: number) => (cpuSeconds * 1e6) / (measured.answers * each);
  return {
    ...measured,
    perSecond: measured.perSecond * each,
    walBytes: wal.bytes / (measured.answers * each),
    walRecords: wal.records / (measured.answers * each),
    serverRssMb: after.server.rssMb,
    serverCpu: percent(serverSeconds),
    serverMicros: microsEach(serverSeconds),
    databaseCpu: databaseSeconds === null ? null : percent(databaseSeconds),
    databaseMicros: databaseSeconds === null ? null : microsEach(databaseSeconds),
  };
}

/** The scenarios whose name holds one of the words, and those they are compared with. */
export function wantedScenarios(only: string[], scenarios: Scenario[]): Scenario[] {
  const asked = scenarios.filter(({ name }) => only.length === 0 || only.some((word) => name.includes(word)));
  const needed = new Set(asked.flatMap(({ name, comparedWith, minimum }) => [name, comparedWith, minimum]));
  return scenarios.filter(({ name }) => needed.has(name));
}

const together = ({ serverMicros, databaseMicros }: Round) => serverMicros + (databaseMicros ?? 0);

function toRow(
  { name, comparedWith, minimum, aim, mostOfMinimum }: Scenario,
  results: Map<string, Round[]>,
): Row {
  const own = results.get(name)!;
  const others = comparedWith === undefined ? undefined : results.get(comparedWith);
  const least = minimum === undefined ? undefined : results.get(minimum);
  const middle = (field: (round: Round) => number | null) =>
    median(own.map(field).filter((value) => value !== null));
  return {
    name,
    perSecond: middle(({ perSecond }) => perSecond) ?? 0,
    // Round against round of the same turn, so that a slow moment of the machine hits both.
    ratio: others ? median(own.map((round, i) => round.perSecond / others[i]!.perSecond)) : null,
    p50Ms: middle(({ p50Ms }) => p50Ms),
    p99Ms: middle(({ p99Ms }) => p99Ms),
    errors: own.reduce((sum, { errors }) => sum + errors, 0),
    refusals: sumOf(own.map(({ refusals }) => refusals)),
    firstError: own.find(({ firstError }) => firstError !== null)?.firstError ?? null,
    serverRssMb: Math.max(...own.map(({ serverRssMb }) => serverRssMb)),
    serverMicros: middle(({ serverMicros }) => serverMicros),
    databaseMicros: middle(({ databaseMicros }) => databaseMicros),
    serverCpu: middle(({ serverCpu }) => serverCpu),
    databaseCpu: middle(({ databaseCpu }) => databaseCpu),
    clientCpu: middle(({ clientCpu }) => clientCpu),
    walBytes: middle(({ walBytes }) => walBytes),
    walRecords: middle(({ walRecords }) => walRecords),
    ofMinimum: least ? median(own.map((round, i) => together(round) / together(least[i]!))) : null,
    ...(mostOfMinimum !== undefined && { mostOfMinimum }),
    ...(aim !== undefined && { aim }),
  };
}

function sumOf(counts: Record<string, number>[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const [status, count] of counts.flatMap((one) => Object.entries(one)))
    sum[status] = (sum[status] ?? 0) + count;
  return sum;
}

function median(values: number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  if (sorted.length === 0) return null;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
