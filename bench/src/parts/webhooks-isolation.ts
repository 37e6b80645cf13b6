// What endpoints that hang, fail slowly, refuse and drip change for healthy ones: how long an event waits for its first
// attempt to a healthy endpoint, alone and beside them, in turns. One healthy endpoint is of the same account as the bad
// ones, one of another.
import { setTimeout as sleep } from 'node:timers/promises';
import { emptyRow, type Row } from '../part.ts';
import type { Program } from '../stage.ts';
import { happen, makeAccount, type Place, quantile, waitsAt } from './webhooks-data.ts';

const rounds = 5;
const perSecond = 500;
const badType = 'contact.created';
// As short as may be asked for, so that a round can end.
const timeoutMs = 1_000;
const burst = 64;
const settleMs = 300;
const everyMs = 100;
const mostRatio = 1.05;

export async function measureIsolation(place: Place, badReceiver: Program): Promise<Row[]> {
  const { context, receiver } = place;
  const healthy = { url: `${receiver.url}/hook`, cap: 32, filters: ['message.*'] };
  const crowded = await makeAccount(place, [healthy, ...badEndpoints(badReceiver)]);
  const other = await makeAccount(place, [healthy]);
  const except = crowded.endpointSids.slice(1);
  const seconds = context.seconds / rounds;
  const pace = { accountSids: [crowded.accountSid, other.accountSid], perSecond, seconds, except };
  await waitsAt(place, pace);
  const alone: number[] = [];
  const beside: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    context.say(`bad neighbours: round ${round} of ${rounds}`);
    alone.push(...(await waitsAt(place, pace)));
    beside.push(...(await waitsAt(place, { ...pace, alongside: await trouble(place, crowded.accountSid) })));
    await calmDown(place, except);
  }
  return rowsOf(alone.sort(ascending), beside.sort(ascending));
}

const ascending = (a: number, b: number) => a - b;

function badEndpoints({ url }: Program) {
  const closed = 'http://127.0.0.1:1025'; // nobody listens there
  const urls = [`${url}/hang`, `${url}/fail`, `${url}/drip`, `${closed}/refuse`];
  // With the most at once that can be asked for.
  return urls.map((one) => ({ url: one, cap: 256, timeoutMs, filters: [badType] }));
}

/**
 * Begins with much at once for the bad ones, and goes on with a little all the time. What the burst itself costs is work,
 * whomever it is for, and not counted: measured is while its requests hang.
 */
async function trouble(place: Place, accountSid: string): Promise<() => Promise<unknown>> {
  await happen(place, accountSid, burst, badType);
  await sleep(settleMs);
  let nextMs = performance.now() + everyMs;
  return async () => {
    if (performance.now() < nextMs) return;
    nextMs += everyMs;
    await happen(place, accountSid, 1, badType);
  };
}

/** Nothing more is due to the bad ones, and what was under way has ended. */
async function calmDown({ client }: Place, endpointSids: string[]): Promise<void> {
  await client.query('delete from webhook_undelivered where endpoint_sid = any ($1)', [endpointSids]);
  await sleep(timeoutMs + 200);
}

function rowsOf(alone: number[], beside: number[]): Row[] {
  const row = (name: string, waits: number[]) => ({
    ...emptyRow,
    name,
    perSecond,
    p50Ms: quantile(waits, 0.5),
    p99Ms: quantile(waits, 0.99),
  });
  const calm = row('to healthy endpoints, alone', alone);
  const troubled = row('to the same, beside bad ones', beside);
  return [
    calm,
    { ...troubled, ratio: troubled.p50Ms / calm.p50Ms, most: mostRatio },
    {
      ...emptyRow,
      name: 'to the same, beside bad ones: p99',
      perSecond,
      ratio: troubled.p99Ms / calm.p99Ms,
      most: mostRatio,
    },
  ];
}
