import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { Registry } from 'prom-client';
import { startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { emitAnything } from '../../../test/harness/events.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { waitersAre } from '../../../test/harness/locks.ts';
import { until } from '../../../test/harness/until.ts';
import { loopContext } from '../../../test/harness/webhooks.ts';
import type { TenantTx } from '../db/database.ts';
import { sql } from '../db/query.ts';
import type { LoopContext } from '../jobs/claim-loop.ts';
import { silentLog } from '../observability/logging.ts';
import { systemPrincipal } from '../principal.ts';
import { beginConsuming, type EventConsumer, handleEvents, type Measure } from './consume.ts';
import { eventsIn, hearEvents, hearNoEvents, nextDueOf } from './cursors.ts';
import { observeConsumers } from './metrics.ts';

let app: TestApp;
let context: LoopContext;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
  context = await loopContext(app, lifetime);
  // What consumers of this test have heard; no key, so that what is heard twice stands there twice.
  await app.sql(`create table heard (at bigint generated always as identity, account_sid text, consumer text, sequence bigint,
      note text)`);
  await app.sql('grant select, insert on heard to godwit_tenant');
});

const type = 'thing.happened';
type Where = { accountSid: string };

/** One that writes down what it hears; `judge` may refuse an event. */
const listener = (name: string, judge: (note: string) => void = () => {}): EventConsumer => ({
  name,
  async handle(t, range) {
    const events = await eventsIn(t, range, [type]);
    for (const { data } of events) judge((data as { note: string }).note);
    await t.run(sql`
      insert into heard (account_sid, consumer, sequence, note)
      select ${t.accountSid}, ${name}, item.*
        from unnest(${events.map(({ sequence }) => sequence)}::bigint[],
          ${events.map(({ data }) => (data as { note: string }).note)}::text[]) as item`);
    return undefined;
  },
});

const inside = <T>({ accountSid }: Where, work: (t: TenantTx) => T | Promise<T>) =>
  app.database.write(
    { accountSid, livemode: false },
    {
      principal: systemPrincipal('test', false),
      now: app.clock.now(),
      requestId: 'req_test',
      log: silentLog,
    },
    async (t) => work(t),
  );
const happen = (where: Where, ...notes: string[]) =>
  inside(where, (t) => {
    for (const note of notes) emitAnything(t, type, { sid: note, note });
  });
const hears = (where: Where, ...consumers: EventConsumer[]) =>
  inside(where, async (t) => {
    for (const { name } of consumers) await hearEvents(t, name);
  });
const heardBy = async ({ name }: EventConsumer, { accountSid }: Where): Promise<string[]> => {
  const rows = await app.sql<{ note: string }>(
    'select note from heard where consumer = $1 and account_sid = $2 order by at',
    [name, accountSid],
  );
  return rows.map(({ note }) => note);
};
const cursorOf = async ({ name }: EventConsumer, { accountSid }: Where) => {
  const rows = await app.sql<{ sequence: string; failures: number }>(
    'select sequence, failures from event_cursors where consumer = $1 and account_sid = $2',
    [name, accountSid],
  );
  return rows[0];
};

const patient: Partial<Measure> = { waitsMs: Number.POSITIVE_INFINITY };
const begin = (consumer: EventConsumer, measure = patient) => beginConsuming(consumer, context, measure);
/** Handles everything that has happened up to this moment. */
const consume = async (consumer: EventConsumer) => {
  const turns = begin(consumer);
  while (await turns.turn());
};

suite('a consumer of events', () => {
  test('hears every event once and in order, with two workers at it while events happen', async () => {
    const accounts = [await app.newAccount(), await app.newAccount()];
    const [one, other] = [listener('one'), listener('other')];
    for (const account of accounts) await hears(account, one, other);
    let writing = true;
    const work = async (consumer: EventConsumer) => {
      const turns = begin(consumer);
      while (writing) await turns.turn();
    };
    const write = async (account: Where) => {
      for (let n = 0; n < 40; n += 1) {
        await happen(account, ...Array.from({ length: 40 }, (_, i) => String(n * 40 + i)));
      }
    };
    const working = Promise.all([one, one, other, other].map(work));
    await Promise.all(accounts.map(write));
    writing = false;
    await working;
    const all = Array.from({ length: 1_600 }, (_, i) => String(i));
    for (const consumer of [one, other]) {
      await consume(consumer);
      for (const account of accounts) assert.deepEqual(await heardBy(consumer, account), all);
    }
  });

  test('that crashes between handling and commit has heard nothing, and hears it once afterwards', async () => {
    const account = await app.newAccount();
    const consumer = listener('crashing');
    await hears(account, consumer);
    await happen(account, 'a', 'b');
    const crash = inside(account, async (t) => {
      await handleEvents(t, consumer);
      throw new Error('crash');
    });
    await assert.rejects(crash, /crash/);
    assert.deepEqual(await heardBy(consumer, account), []);
    await consume(consumer);
    assert.deepEqual(await heardBy(consumer, account), ['a', 'b']);
  });

  test('hears of what happens after it began to listen, and of nothing before', async () => {
    const account = await app.newAccount();
    const consumer = listener('late');
    await happen(account, 'before');
    // While whoever subscribes has not committed nobody handles events: they would find no subscription.
    const after = await inside(account, async (t) => {
      const first = await hearEvents(t, consumer.name);
      await happen(account, 'meanwhile');
      await consume(consumer);
      assert.deepEqual(await heardBy(consumer, account), []);
      return first;
    });
    await happen(account, 'after');
    await consume(consumer);
    assert.deepEqual(await heardBy(consumer, account), ['meanwhile', 'after']);
    const rows = await app.sql<{ sequence: string }>('select sequence from heard where consumer = $1', [
      'late',
    ]);
    assert.ok(rows.every(({ sequence }) => BigInt(sequence) > BigInt(after)));
    // A second subscription begins at the head, wherever the consumer is.
    await happen(account, 'unheard');
    const second = await inside(account, async (t) => {
      const first = await hearEvents(t, consumer.name);
      await consume(consumer);
      assert.equal((await heardBy(consumer, account)).length, 2);
      return first;
    });
    assert.equal(BigInt(second), BigInt(after) + 3n);
    await consume(consumer);
    assert.equal((await heardBy(consumer, account)).at(-1), 'unheard');
  });

  test('begins to listen while somebody else ends it: it listens', async () => {
    const where = await app.newAccount();
    const consumer = listener('coming-and-going');
    let beginning: Promise<void> | undefined;
    await hears(where, consumer);
    await inside(where, async (t) => {
      await hearEvents(t, consumer.name);
      beginning = hears(where, consumer);
      await waitersAre(app, 1);
      await hearNoEvents(t, consumer.name);
    });
    await beginning;
    assert.ok(await cursorOf(consumer, where));
  });

  test('hears nothing once it no longer listens, and costs no row where it never did', async () => {
    const account = await app.newAccount();
    const consumer = listener('gone');
    assert.equal(await cursorOf(consumer, account), undefined);
    await hears(account, consumer);
    await happen(account, 'unheard');
    await inside(account, (t) => hearNoEvents(t, consumer.name));
    await happen(account, 'unheard too');
    await consume(consumer);
    assert.equal(await cursorOf(consumer, account), undefined);
    await hears(account, consumer);
    await happen(account, 'heard');
    await consume(consumer);
    assert.deepEqual(await heardBy(consumer, account), ['heard']);
  });
});

suite('a consumer that wants a rest', () => {
  test('is given the next events when it is over, in their order, and others are not kept waiting', async () => {
    const [busy, other] = [await app.newAccount(), await app.newAccount()];
    const hearing = listener('resting');
    const again = () => new Date(app.clock.now().getTime() + 2_000);
    const resting: EventConsumer = {
      ...hearing,
      async handle(t, range) {
        await hearing.handle(t, range);
        return t.accountSid === busy.accountSid ? again() : undefined;
      },
    };
    for (const account of [busy, other]) await hears(account, resting);
    await happen(busy, 'a');
    await consume(resting);
    const due = again();
    for (const account of [busy, other]) await happen(account, 'b');
    await consume(resting);
    assert.deepEqual(await heardBy(resting, busy), ['a']);
    assert.deepEqual(await heardBy(resting, other), ['b']);
    const [next] = await app.database.ask<{ at: string }>(
      sql`select ${nextDueOf({ name: 'resting' })} as at`,
    );
    assert.equal(new Date(next!.at).getTime(), due.getTime());
    app.clock.advance(1_999);
    await happen(busy, 'c');
    await consume(resting);
    assert.deepEqual(await heardBy(resting, busy), ['a']);
    app.clock.advance(1);
    await consume(resting);
    assert.deepEqual(await heardBy(resting, busy), ['a', 'b', 'c']);
    assert.equal((await cursorOf(resting, busy))!.failures, 0);
  });
});

suite('a consumer that hears everywhere', () => {
  test('begins by itself with the first event of an account, and hears each once', async () => {
    const account = await app.newAccount();
    const hearing = listener('everywhere');
    const missed: string[] = [];
    const consumer: EventConsumer = {
      ...hearing,
      everywhere: { missed: (t) => void missed.push(t.accountSid) },
    };
    await happen(account, 'a', 'b');
    await consume(consumer);
    await happen(account, 'c');
    await Promise.all([consume(consumer), consume(consumer)]);
    await consume(consumer);
    assert.deepEqual(await heardBy(consumer, account), ['a', 'b', 'c']);
    const [next] = await app.database.ask<{ at: string | null }>(
      sql`select ${nextDueOf({ name: 'everywhere', everywhere: true })} as at`,
    );
    assert.deepEqual([next!.at, missed], [null, []]);
  });

  test('begins at the head where the log may no longer have the first event, and is told so once', async () => {
    const [trimmed, old] = [await app.newAccount(), await app.newAccount()];
    const missed: string[] = [];
    const consumer: EventConsumer = {
      ...listener('too late'),
      everywhere: { missed: (t) => void missed.push(t.accountSid) },
    };
    for (const account of [trimmed, old]) await happen(account, 'before');
    await app.sql('delete from events where account_sid = $1 and sequence = 1', [trimmed.accountSid]);
    app.clock.advance(31 * 24 * 3_600_000);
    await consume(consumer);
    for (const account of [trimmed, old]) await happen(account, 'after');
    await consume(consumer);
    for (const account of [trimmed, old]) {
      assert.deepEqual(await heardBy(consumer, account), ['after']);
      assert.equal(missed.filter((sid) => sid === account.accountSid).length, 1);
    }
  });
});

suite('a consumer that fails', () => {
  test('keeps back neither other accounts nor other consumers, and goes on where it stopped', async () => {
    const [bad, good] = [await app.newAccount(), await app.newAccount()];
    let broken = true;
    let tries = 0;
    const failing = listener('failing', (note) => {
      if (note !== 'poison') return;
      tries += 1;
      if (broken) throw new Error('cannot be handled');
    });
    const sound = listener('sound');
    for (const account of [bad, good]) {
      await hears(account, failing, sound);
      await happen(account, ...(account === bad ? ['1', '2', '3', 'poison', '5'] : ['1']));
    }
    await consume(failing);
    await consume(sound);
    assert.deepEqual(await heardBy(failing, good), ['1']);
    assert.deepEqual(await heardBy(sound, bad), ['1', '2', '3', 'poison', '5']);
    assert.deepEqual(await heardBy(failing, bad), []);
    // It rests before it tries again.
    await consume(failing);
    assert.equal(tries, 1);
    // With each failure fewer at once, until what comes before the bad one is handled.
    for (let i = 0; i < 40; i += 1) {
      app.clock.advance(60_000);
      await consume(failing);
    }
    assert.deepEqual(await heardBy(failing, bad), ['1', '2', '3']);
    assert.ok((await cursorOf(failing, bad))!.failures >= 10);
    broken = false;
    app.clock.advance(60_000);
    await consume(failing);
    assert.deepEqual(await heardBy(failing, bad), ['1', '2', '3', 'poison', '5']);
    assert.equal((await cursorOf(failing, bad))!.failures, 0);
  });

  test('is told in metrics: how many events it is behind, for how long, and where it fails', async () => {
    const account = await app.newAccount();
    const [failing, idle] = [listener('told', () => assert.fail('cannot be handled')), listener('idle')];
    await hears(account, failing, idle);
    await happen(account, 'a', 'b', 'c');
    app.clock.advance(30_000);
    const registry = new Registry();
    const turns = beginConsuming(failing, { ...context, metrics: { registry } as never }, patient);
    await turns.turn();
    await consume(idle);
    observeConsumers(['told', 'idle'], { registry, database: app.database, now: () => app.clock.now() });
    const tellsOf = async (name: string, consumer: string) =>
      (await registry.getSingleMetric(`godwit_event_consumer_${name}`)!.get()).values.find(
        ({ labels }) => labels.consumer === consumer,
      )?.value;
    assert.equal(await tellsOf('failures_total', 'told'), 1);
    assert.deepEqual(
      await Promise.all(
        ['lag_events', 'lag_seconds', 'accounts_failing'].map(async (name) => [
          await tellsOf(name, 'told'),
          await tellsOf(name, 'idle'),
        ]),
      ),
      [
        [3, 0],
        [30, 0],
        [1, 0],
      ],
    );
  });
});

suite('accounts', () => {
  test('with much to hear keep no other waiting for its turn', async () => {
    const accounts = [await app.newAccount(), await app.newAccount(), await app.newAccount()];
    const consumer = listener('fair');
    for (const account of accounts) {
      await hears(account, consumer);
      await happen(account, ...Array.from({ length: 3_500 }, (_, i) => String(i)));
    }
    const turns = begin(consumer, { ...patient, perTurn: 1 });
    const heard = () =>
      Promise.all(accounts.map(async (account) => (await heardBy(consumer, account)).length));
    for (let turn = 0; turn < 3; turn += 1) assert.equal(await turns.turn(), true);
    assert.deepEqual(await heard(), [1_000, 1_000, 1_000]);
    while (await turns.turn());
    assert.deepEqual(await heard(), [3_500, 3_500, 3_500]);
  });

  test('that take long are not waited for by the others', async () => {
    const [slow, quick] = [await app.newAccount(), await app.newAccount()];
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { database } = context;
    const slowly: typeof database.write = async (...given) => {
      if (given[0].accountSid === slow.accountSid) await released;
      return database.write(...given);
    };
    const consumer = listener('slow');
    for (const account of [slow, quick]) await hears(account, consumer);
    await happen(slow, 'long');
    const turns = beginConsuming(
      consumer,
      { ...context, database: { ...database, write: slowly } },
      { waitsMs: 0 },
    );
    for (const note of ['a', 'b', 'c']) {
      await happen(quick, note);
      await until('the quick one is handled', async () => {
        await turns.turn();
        return (await heardBy(consumer, quick)).at(-1) === note;
      });
    }
    assert.deepEqual(await heardBy(consumer, slow), []);
    release();
    await turns.end();
    assert.deepEqual(await heardBy(consumer, slow), ['long']);
  });
});
