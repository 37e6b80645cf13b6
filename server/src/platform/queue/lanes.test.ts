import assert from 'node:assert/strict';
import { before, beforeEach, suite, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { until } from '../../../test/harness/until.ts';
import { sql } from '../db/query.ts';
import { newUuid } from '../ids.ts';
import { silentLog } from '../observability/logging.ts';
import { systemPrincipal } from '../principal.ts';
import { type Lane, lanesOf } from './lanes.ts';

let app: TestApp;
const lifetime = sharedLifetime();
const lanes = lanesOf({ table: 'test_lanes', column: 'thing', key: 'thingSid', open: sql`open` });
type TestLane = Lane<'thingSid'>;
/** Two processes that live until a test says otherwise. */
let one: string;
let two: string;

before(async () => {
  app = await startTestApp(lifetime);
  await app.sql(`
    create table test_lanes (account_sid text, livemode boolean, thing text, open boolean default true,
      due_at timestamptz, holder uuid, generation bigint not null default 0, primary key (account_sid, thing))`);
  await app.sql('grant all on test_lanes to godwit_tenant, godwit_system');
});
beforeEach(async () => {
  await app.sql('delete from test_lanes');
  [one, two] = [await living(), await living()];
});

async function living(): Promise<string> {
  const id = newUuid(app.clock.now());
  await beats(id, "clock_timestamp() + interval '1 day'");
  return id;
}
const beats = (id: string, at: string) =>
  app.sql(
    `insert into processes (id, role, host, pid, beat_at) values ($1, 'worker', 'test', 1, ${at})
     on conflict (id) do update set beat_at = excluded.beat_at`,
    [id],
  );
const falls = { silent: (id: string) => beats(id, "clock_timestamp() - interval '7 seconds'") };

const inSeconds = (n: number) => new Date(app.clock.now().getTime() + n * 1_000);
const tenant = () => ({ accountSid: app.accountSid, livemode: false });
const write: typeof app.database.write = (...given) => app.database.write(...given);
const context = () => ({
  principal: systemPrincipal('test', false),
  now: app.clock.now(),
  requestId: 'test',
  log: silentLog,
});
const announce = (dueAt: Record<string, Date>) =>
  write(tenant(), context(), (t) => lanes.announce(t, new Map(Object.entries(dueAt))));
const lease = (processId: string, most = 10) =>
  app.database.system((s) => lanes.lease(s, { processId, now: app.clock.now(), most }));
const lookAfter = (processId: string, known: TestLane[]) =>
  app.database.system((s) => lanes.lookAfter(s, { processId, now: app.clock.now(), known }));
const giveBack = (lane: TestLane, next = sql`null::timestamptz`) =>
  app.database.system((s) => lanes.giveBack(s, lane, next));
const holds = (lane: TestLane) =>
  app.database.system((s) => s.one<{ holds: boolean }>(sql`select ${lanes.holds(lane)} as holds`));
const rowOf = async (thing: string) =>
  (
    await app.sql<{ due_at: Date | null; holder: string | null; generation: string }>(
      'select due_at, holder, generation from test_lanes where thing = $1',
      [thing],
    )
  )[0]!;
const sids = (found: TestLane[]) => found.map(({ thingSid }) => thingSid).toSorted();

test('a lease does not wait for the disk', async () => {
  await announce({ a: app.clock.now() });
  const asked = { processId: one, now: app.clock.now(), most: 10 };
  const { waits } = await app.database.system(async (s) => {
    // The databases of tests never do.
    await s.run(sql`select set_config('synchronous_commit', 'on', true)`);
    assert.equal((await lanes.lease(s, asked)).length, 1);
    return s.one<{ waits: string }>(sql`select current_setting('synchronous_commit') as waits`);
  });
  assert.equal(waits, 'off');
});

suite('a lane', () => {
  test('is leased when something in it is due, by one process', async () => {
    await announce({ a: inSeconds(-2), b: inSeconds(-1), c: inSeconds(60) });
    assert.deepEqual(sids(await lease(one)), ['a', 'b']);
    assert.deepEqual(await lease(two), []);
    app.clock.advance(60_000);
    assert.deepEqual(sids(await lease(two)), ['c']);
  });

  test('that has waited longest is leased first, and one that is closed never', async () => {
    const many = Array.from({ length: 70 }, (_, i) => [`a${i}`, inSeconds(i - 100)] as const);
    await announce(Object.fromEntries(many));
    await app.sql(`update test_lanes set open = false where thing = 'a0'`);
    const found = sids(await lease(one, 3));
    assert.deepEqual(
      found,
      sids(many.slice(1, 1 + found.length).map(([thingSid]) => ({ thingSid }) as TestLane)),
    );
    assert.equal(found.length, 3 + 64);
  });

  test('that is held is told to its holder when work is added, under the same generation', async () => {
    await announce({ a: inSeconds(0) });
    const [first] = await lease(one);
    assert.equal((await rowOf('a')).due_at, null);
    assert.deepEqual(await lease(one), []);
    await announce({ a: inSeconds(0) });
    assert.deepEqual(await lease(two), []);
    assert.deepEqual(await lease(one, 0), [first]);
  });

  test('that is given back is due when it was announced to be, or else at what is next', async () => {
    await announce({ a: inSeconds(0) });
    const [first] = await lease(one);
    const later = inSeconds(30);
    assert.deepEqual(await giveBack(first!, sql`${later}::timestamptz`), later);
    await announce({ a: inSeconds(0) });
    const [second] = await lease(two);
    await announce({ a: inSeconds(10) });
    assert.deepEqual(await giveBack(second!, sql`${later}::timestamptz`), inSeconds(10));
    assert.deepEqual([first!.generation, second!.generation], ['1', '2']);
  });

  test('given back while work is added is due then, whoever comes first', async () => {
    await announce({ a: inSeconds(0) });
    const [held] = await lease(one);
    await app.sql('create table if not exists test_work (due_at timestamptz)');
    await app.sql('grant all on test_work to godwit_tenant, godwit_system');
    const added = Promise.withResolvers<void>();
    const commit = Promise.withResolvers<void>();
    const adding = write(tenant(), context(), async (t) => {
      await t.run(sql`insert into test_work values (${inSeconds(5)})`);
      await lanes.announce(t, new Map([['a', inSeconds(5)]]));
      added.resolve();
      await commit.promise;
    });
    await added.promise;
    const giving = giveBack(held!, sql`(select min(due_at) from test_work)`);
    await until('the lane is waited for', async () => {
      const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
      return (await app.sql(waiting)).length > 0;
    });
    commit.resolve();
    await adding;
    assert.deepEqual(await giving, inSeconds(5));
  });
});

suite('a lease', () => {
  test('lasts while its process beats, and is free when it falls silent', async () => {
    await announce({ a: inSeconds(0) });
    const [held] = await lease(one);
    app.clock.advance(3_600_000); // the clock of business rules ends no lease
    assert.deepEqual(await lookAfter(two, []), { freed: 0, lost: [], unknown: [] });
    await falls.silent(one);
    assert.equal((await lookAfter(two, [])).freed, 1);
    const [taken] = await lease(two);
    assert.deepEqual([taken!.holder, taken!.generation], [two, '2']);
    assert.deepEqual((await lookAfter(one, [held!])).lost, [held]);
  });

  test('of whoever looks is never taken for a dead one’s, however late its beat', async () => {
    await announce({ a: inSeconds(0) });
    const [held] = await lease(one);
    await falls.silent(one);
    assert.deepEqual(await lookAfter(one, [held!]), { freed: 0, lost: [], unknown: [] });
  });

  test('that its process never learned of is found', async () => {
    await announce({ a: inSeconds(0), b: inSeconds(0) });
    const [known, unheard] = await lease(one);
    assert.deepEqual((await lookAfter(one, [known!])).unknown, [unheard]);
  });

  test('that was lost changes nothing: not by giving back, not by working, also when its process took it again', async () => {
    await announce({ a: inSeconds(0) });
    const [held] = await lease(one);
    assert.deepEqual(await holds(held!), { holds: true });
    await falls.silent(one);
    await lookAfter(two, []);
    for (const next of [one, two, one]) {
      assert.deepEqual(await holds(held!), { holds: false });
      await lease(next);
      const before = await rowOf('a');
      assert.equal(await giveBack(held!, sql`${inSeconds(0)}::timestamptz`), null);
      assert.deepEqual(await rowOf('a'), before);
      await app.sql('update test_lanes set holder = null, due_at = $1', [inSeconds(0)]);
    }
  });
});
