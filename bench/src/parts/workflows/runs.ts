// Runs from the events that start them to their end: of three steps beside bare jobs that do nothing, and with one send beside the
// admission of the same messages by `messages/batch`.
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import type { Context, Row } from '../../part.ts';
import { tellEach } from '../../statements.ts';
import { median } from '../billing/median.ts';
import { type Account, measured, openPlace, type Place, type Round, rowOf } from './place.ts';

const rounds = 5;
export const accountCount = 4;
const inBatch = 500;
const usualPerSecond = 1_000;

// What the project aims for.
const ofBareJobs = 0.25;
const leastPerSecond = 1_000;
const ofBatches = 0.6;

const eachOf = (context: Context) =>
  Math.max(10, Math.round(((context.seconds / rounds) * usualPerSecond) / accountCount));

export async function measureRuns(context: Context): Promise<Row[]> {
  const each = eachOf(context);
  const place = await openPlace(context, { accounts: accountCount, people: each });
  const jobs = await bareJobs(context);
  try {
    for (const account of place.accounts) {
      await place.publish(account, 'CUSTOM_STEPS', threeSteps);
      await place.publish(account, 'CUSTOM_SEND', [greeting(account)]);
    }
    const runsOf = (eventType: string) => () => runAll(place, eventType, each);
    const measures: Record<string, () => Promise<Round>> = {
      jobs: () => jobs.run(each * accountCount),
      steps: runsOf('CUSTOM_STEPS'),
      batch: () => admitAll(context, place, each),
      sends: runsOf('CUSTOM_SEND'),
    };
    const told = await inTurns(context, measures);
    await tellEach({ ...context, statements: context.stage.statements }, each * accountCount, measures);
    const perSecond = (name: string) => told[name]!.map((round) => round.perSecond);
    const ratio = (name: string, other: string) =>
      median(perSecond(name).map((value, at) => value / perSecond(other)[at]!));
    const row = (name: string, own: Round[]) => rowOf(name, place, own);
    return [
      await row('bare graphile-worker jobs that do nothing', told.jobs!),
      {
        ...(await row('runs of three steps, from their events', told.steps!)),
        ratio: ratio('steps', 'jobs'),
        aim: ofBareJobs,
        leastPerSecond,
      },
      await row('messages admitted by messages/batch', told.batch!),
      {
        ...(await row('runs with one send, from their events', told.sends!)),
        ratio: ratio('sends', 'batch'),
        aim: ofBatches,
      },
    ];
  } finally {
    await jobs.close();
    await place.close();
  }
}

const threeSteps = [
  { type: 'set_variable', name: 'size', value: { path: 'event.payload.size' } },
  {
    type: 'branch',
    cases: [
      { conditions: [{ path: 'event.payload.size', gt: 1 }], actions: [{ type: 'stop', outcome: 'large' }] },
    ],
  },
];

/** The same template as `messages/batch` sends. */
const message = (senderSid: string) => ({
  from: senderSid,
  type: 'template',
  template: { name: 'hello_world', language: 'en' },
});
const greeting = ({ senderSid }: Account) => ({ type: 'send_message', message: message(senderSid) });

/** Each person of each account is told of once. */
async function runAll(place: Place, eventType: string, each: number): Promise<Round> {
  // Nobody is written to more than a few times unless they answer, and these are written to in every round.
  await place.client.query('truncate workflow_sends');
  return place.untilComplete(each * place.accounts.length, () =>
    Promise.all(place.accounts.map((account) => place.happens(account, eventType, each))),
  );
}

async function admitAll({ stage }: Context, place: Place, each: number): Promise<Round> {
  const admit = async (account: Account) => {
    let admitted = 0;
    for (let from = 0; from < each; from += inBatch) {
      const people = account.phones.slice(from, Math.min(each, from + inBatch));
      const messages = people.map((to) => ({ ...message(account.senderSid), to }));
      const { accepted } = await place.post(account, 'messages/batch', { messages });
      admitted += accepted;
    }
    return admitted;
  };
  return measured({ stage, url: place.godwit.url }, each * place.accounts.length, async () => {
    const admitted = await Promise.all(place.accounts.map(admit));
    return admitted.reduce((sum, one) => sum + one, 0);
  });
}

async function inTurns(
  context: Context,
  measures: Record<string, () => Promise<Round>>,
): Promise<Record<string, Round[]>> {
  const told = Object.fromEntries(Object.keys(measures).map((name): [string, Round[]] => [name, []]));
  for (let round = 0; round <= rounds; round += 1) {
    context.say(round === 0 ? 'warming up' : `round ${round} of ${rounds}`);
    for (const [name, measure] of Object.entries(measures)) {
      const one = await measure();
      if (round > 0) told[name]!.push(one);
    }
  }
  return told;
}

/** graphile-worker as a process of its own, on a database of its own. */
async function bareJobs({ stage }: Context) {
  const databaseUrl = await stage.newDatabase();
  const script = fileURLToPath(new URL('../../bare-jobs.ts', import.meta.url));
  const { url } = await stage.startScript(script, { DATABASE_URL: databaseUrl });
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  return {
    run: (many: number) =>
      measured({ stage, url }, many, async () => {
        const add = `select graphile_worker.add_job('nothing') from generate_series(1, $1::integer)`;
        await client.query(add, [many]);
        for (;;) {
          const { rows } = await client.query('select from graphile_worker._private_jobs limit 1');
          if (rows.length === 0) return many;
          await sleep(5);
        }
      }),
    close: () => client.end(),
  };
}
