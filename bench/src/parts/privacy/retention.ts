// A run of retention beside the bare statements that remove the same rows, as many at a time, and the room it takes: ten times as many
// messages must take no more. Half of them go, of the other half the content.
import type pg from 'pg';
import { retentionRun } from '../../../../server/src/modules/retention/run.ts';
import { firstSid, newUuid } from '../../../../server/src/platform/ids.ts';
import type { TenantJobContext } from '../../../../server/src/platform/jobs/jobs.ts';
import { type Context, emptyRow, type Row } from '../../part.ts';
import { ago, openPlace, type Place } from './place.ts';

export const retentionSize = Number(process.env.BENCH_RETENTION ?? 1_000_000);
const batch = 1_000;

export async function measureRetention(context: Context): Promise<Row[]> {
  const place = await openPlace(context);
  try {
    const small = await runOver(place, retentionSize / 10);
    const bareAccount = await place.oldAccount(retentionSize);
    const bare = await bareSeconds(place.client, bareAccount, { rows: ago(70), contents: ago(30) });
    const large = await runOver(place, retentionSize);
    return [
      { ...emptyRow, name: 'bare DELETE and UPDATE', perSecond: retentionSize / bare },
      {
        ...emptyRow,
        name: `a tenth of it, ${small.mostMb} MB`,
        perSecond: retentionSize / 10 / small.seconds,
      },
      {
        ...emptyRow,
        name: `all of it, ${large.mostMb} MB`,
        perSecond: retentionSize / large.seconds,
        ratio: bare / large.seconds,
        aim: 0.6,
      },
    ];
  } finally {
    await place.close();
  }
}

async function runOver(place: Place, count: number): Promise<{ seconds: number; mostMb: number }> {
  const accountSid = await place.oldAccount(count);
  const operationSid = await place.beginRetention(accountSid);
  const job = jobContextOf(place, accountSid);
  const begun = performance.now();
  const most = await mostHeap(async () => {
    // A long run is handed on now and then: here to itself.
    while (!(await place.isDone(operationSid))) await retentionRun.job.run(job, { operationSid });
  });
  const seconds = (performance.now() - begun) / 1000;
  await place.checkRun(operationSid, count);
  return { seconds, mostMb: Math.round(most / 1024 / 1024) };
}

const jobContextOf = ({ context, read, write }: Place, accountSid: string) =>
  ({
    ...context,
    now: () => context.clock.now(),
    processId: newUuid(context.clock.now()),
    signal: new AbortController().signal,
    write: (work: never) => write(accountSid, work),
    read: (work: never) => read(accountSid, work),
  }) as unknown as TenantJobContext;

/** How much the heap grew meanwhile at most. */
async function mostHeap(work: () => Promise<void>): Promise<number> {
  const start = process.memoryUsage().heapUsed;
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().heapUsed - start);
  }, 20);
  await work();
  clearInterval(watch);
  return most;
}

/** The same rows by hand: as many in a transaction, found by their SIDs. */
async function bareSeconds(
  client: pg.Client,
  accountSid: string,
  before: { rows: Date; contents: Date },
): Promise<number> {
  const begun = performance.now();
  const inBatches = async (until: string, statements: string[]) => {
    for (let from = ''; ; ) {
      const { rows } = await client.query(
        `select max(sid) as last from (
           select sid from messages where account_sid = $1 and sid > $2 and sid < $3 order by sid limit ${batch}) as batch`,
        [accountSid, from, until],
      );
      const last: string | null = rows[0].last;
      if (last === null) return;
      await client.query('begin');
      for (const statement of statements) await client.query(statement, [accountSid, from, last]);
      await client.query('commit');
      from = last;
    }
  };
  const span = 'account_sid = $1 and sid > $2 and sid <= $3';
  await inBatches(firstSid('SM', before.rows), [
    `delete from messages where ${span}`,
    `delete from message_states where ${span}`,
    `delete from message_attempts where ${span.replaceAll('sid >', 'message_sid >').replaceAll('sid <=', 'message_sid <=')}`,
    `delete from provider_messages where ${span.replaceAll('sid >', 'message_sid >').replaceAll('sid <=', 'message_sid <=')}`,
  ]);
  await inBatches(firstSid('SM', before.contents), [
    `update messages set content = null, content_removed_at = now() where ${span}`,
  ]);
  return (performance.now() - begun) / 1000;
}
