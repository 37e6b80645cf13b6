// How long sends take while old messages of another account are removed by the same service, beside sends while nothing is: in turns.
import { setTimeout as sleep } from 'node:timers/promises';
import { load, type Measured } from '../../load.ts';
import { type Context, emptyRow, type Row } from '../../part.ts';
import { median } from '../billing/median.ts';
import { messageTo, posts, prepareOutlets } from '../send-data.ts';
import { openPlace, type Place } from './place.ts';
import { retentionSize } from './retention.ts';

const rounds = 5;
const mostRatio = 1.5;

export async function measureSends(context: Context): Promise<Row[]> {
  const place = await openPlace(context, { withJobs: true });
  try {
    const outlets = await prepareOutlets(place.godwit, 1);
    const accounts: string[] = [];
    for (let round = 0; round < rounds; round += 1)
      accounts.push(await place.oldAccount(retentionSize / rounds));
    await place.client.query('analyze');
    const next = posts(outlets, 'messages', messageTo);
    const sends = () =>
      load({
        port: place.godwit.port,
        connections: context.connections,
        seconds: context.seconds / rounds,
        next,
        expect: 201,
      });
    await sends();
    const alone: Measured[] = [];
    const beside: Measured[] = [];
    for (const [at, accountSid] of accounts.entries()) {
      context.say(`sends beside retention: round ${at + 1} of ${rounds}`);
      alone.push(await sends());
      beside.push(await duringRetention(place, accountSid, sends));
    }
    return rowsOf(alone, beside);
  } finally {
    await place.close();
  }
}

/** What is measured counts only where the run goes on all the time. */
async function duringRetention<T>(place: Place, accountSid: string, work: () => Promise<T>): Promise<T> {
  const operationSid = await place.beginRetention(accountSid);
  while ((await removed(place, operationSid)) === 0) await sleep(10);
  const measured = await work();
  if (await place.isDone(operationSid))
    throw new Error('Retention ended before the sends did: set BENCH_RETENTION higher.');
  while (!(await place.isDone(operationSid))) await sleep(50);
  await place.checkRun(operationSid, retentionSize / rounds);
  return measured;
}

async function removed({ client }: Place, operationSid: string): Promise<number> {
  const { rows } = await client.query('select done::integer from operations where sid = $1', [operationSid]);
  return rows[0].done ?? 0;
}

function rowsOf(alone: Measured[], beside: Measured[]): Row[] {
  const row = (name: string, measured: Measured[]): Row => ({
    ...emptyRow,
    name,
    perSecond: median(measured.map(({ perSecond }) => perSecond)),
    p50Ms: median(measured.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(measured.map(({ p99Ms }) => p99Ms)),
    errors: measured.reduce((sum, { errors }) => sum + errors, 0),
    firstError: measured.find(({ firstError }) => firstError !== null)?.firstError ?? null,
  });
  // Round against round of the same turn, so that a slow moment of the machine hits both.
  const ratio = median(beside.map(({ p99Ms }, at) => p99Ms / alone[at]!.p99Ms));
  return [
    row('sends, nothing else', alone),
    { ...row('sends beside retention (ratio of p99)', beside), ratio, most: mostRatio },
  ];
}
