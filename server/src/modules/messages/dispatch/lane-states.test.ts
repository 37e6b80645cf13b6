import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { sql } from '../../../platform/db/query.ts';
import { laneStates, mostCounted } from './lane-states.ts';

let app: TestApp;
let otherAccount: string;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
  otherAccount = (await app.newAccount()).accountSid;
});
beforeEach(async () => {
  await app.sql('delete from dispatch_lanes');
  await app.sql('delete from message_states');
});

type Doing = { dueAt?: string; leased?: boolean };
/** A lane in which so many messages wait, and one that has left. */
async function lane(name: string, waiting: number, { dueAt, leased }: Doing, accountSid = app.accountSid) {
  await app.sql(
    `insert into dispatch_lanes (account_sid, livemode, sender_sid, due_at, holder)
     values ($1, false, $2, $3, case when $4 then gen_random_uuid() end)`,
    [accountSid, name, dueAt, leased ?? false],
  );
  await app.sql(
    `insert into message_states (account_sid, livemode, sid, sender_sid, status, rank, waiting, turn_at, due_at, updated_at)
     select $1, false, $2 || n, $2, 'queued', 0, n > 0, now(), now(), now() from generate_series(0, $3::int) n`,
    [accountSid, name, waiting],
  );
}
const look = () => app.database.system((s) => laneStates(s, app.clock.now()));
const past = () => new Date(app.clock.now().getTime() - 1_000).toISOString();
const future = () => new Date(app.clock.now().getTime() + 1_000).toISOString();

test('lanes and what waits in them are told by what the lane is doing, of all accounts together', async () => {
  await lane('WA1', 3, { leased: true });
  await lane('WA2', 2, { dueAt: past() });
  await lane('WA2', 4, { dueAt: past() }, otherAccount);
  await lane('WA3', 1, { dueAt: future() }, otherAccount);
  await lane('WA4', 0, {});
  // Nobody would look here: what waits in an idle lane is what must be seen.
  await lane('WA5', 5, {}, otherAccount);
  assert.deepEqual(await look(), [
    { state: 'leased', lanes: 1, waiting: 3 },
    { state: 'due', lanes: 2, waiting: 6 },
    { state: 'later', lanes: 1, waiting: 1 },
    { state: 'idle', lanes: 2, waiting: 5 },
  ]);
});

test('no lanes at all are told as none in every state', async () => {
  assert.deepEqual(
    await look(),
    ['leased', 'due', 'later', 'idle'].map((state) => ({ state, lanes: 0, waiting: 0 })),
  );
});

test('what piles up is counted to a limit, and little more is read of it', async () => {
  await lane('WA1', 2 * mostCounted, { dueAt: past() });
  await lane('WA2', mostCounted, { dueAt: past() }, otherAccount);
  await lane('WA3', mostCounted - 1, { leased: true }, otherAccount);
  await lane('WA4', 2 * mostCounted, { leased: true }, otherAccount);
  await app.sql('analyze message_states');
  const { told, read } = await app.database.system(async (s) => {
    const told = await laneStates(s, app.clock.now());
    const { read } = await s.one<{ read: number }>(sql`
      select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as read from pg_stat_xact_user_tables
       where relname = 'message_states'`);
    return { told, read };
  });
  const waiting = Object.fromEntries(told.map(({ state, waiting: count }) => [state, count]));
  assert.deepEqual(waiting, { leased: mostCounted, due: mostCounted, later: 0, idle: 0 });
  assert.ok(read < 2.1 * mostCounted, `${read} rows were read`);
});
