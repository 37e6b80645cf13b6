import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { Type } from 'typebox';
import { startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { runCron } from '../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { operationsOf } from '../../../test/harness/operations.ts';
import { until } from '../../../test/harness/until.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { Closed } from '../../platform/http/input/schema.ts';
import { guardOperations, sweepOperations } from './crons.ts';
import { type Chunk, defineOperationType, type StepOutcome, wakeOperation } from './index.ts';

let app: TestApp;
let operations: ReturnType<typeof operationsOf>;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
  operations = operationsOf(app);
  await app.sql('create table test_effects (name text not null)');
  await app.sql('grant select, insert on test_effects to godwit_tenant');
});

const step = (run: (signal: AbortSignal) => Promise<StepOutcome>) =>
  defineOperationType({ type: 'test.step', input: Closed({}), run: ({ signal }) => run(signal) });
const emitted = async (sid: string) =>
  (
    await app.sql<{ type: string }>('select type from events where resource_sid = $1 order by sequence', [
      sid,
    ])
  ).map(({ type }) => type);
const cancel = (sid: string) => app.post(`${app.at}/operations/${sid}/cancel`);
const retry = (sid: string) => app.post(`${app.at}/operations/${sid}/retry`);
const jobsOf = (sid: string) =>
  app.count(`graphile_worker.jobs where key = 'operation:${sid}' and locked_at is null`);

/** Effects that commit: one row per name in a table of the test's own. */
const effect = (name: string) => (t: { run(query: ReturnType<typeof sql>): Promise<number> }) =>
  t.run(sql`insert into test_effects values (${name})`);
const effects = async (prefix: string) =>
  (
    await app.sql<{ name: string }>('select name from test_effects where name like $1 order by name', [
      `${prefix}%`,
    ])
  ).map(({ name }) => name);

suite('an operation of one step', () => {
  test('is watched from PENDING to SUCCEEDED, keeps its result and announces its end once', async () => {
    const type = step(async () => ({ result: { answer: 42 } }));
    const sid = await operations.start(type);
    const pending = await operations.get(sid);
    assert.deepEqual([pending.state, pending.result, pending.startedAt], ['PENDING', null, null]);
    const early = await app.get(`${app.at}/operations/${sid}/result`);
    assert.deepEqual([early.status, early.body.error.code], [409, 'CONFLICT']);

    await operations.run(type, sid);
    await operations.run(type, sid); // a job given out twice
    const { body } = await app.get(`${app.at}/operations/${sid}/result`);
    assert.deepEqual([body.state, body.result], ['SUCCEEDED', { answer: 42 }]);
    assert.deepEqual(await emitted(sid), ['operation.completed']);
  });

  test('that fails says why, and is tried again only when that can help', async () => {
    const failing = (retryable: boolean) =>
      step(async () => ({ failure: { code: 'PROVIDER_REJECTED', message: 'No.', retryable } }) as never);
    for (const retryable of [true, false]) {
      const type = failing(retryable);
      const sid = await operations.start(type);
      await operations.run(type, sid);
      const { state, error, retryEligible } = await operations.get(sid);
      assert.deepEqual([state, error.message, retryEligible], ['FAILED', 'No.', retryable]);
      assert.deepEqual(await emitted(sid), ['operation.failed']);
      const again = await retry(sid);
      if (retryable)
        assert.deepEqual([again.status, again.body.state, await jobsOf(sid)], [200, 'PENDING', 1]);
      else assert.deepEqual([again.status, again.body.error.code], [409, 'OPERATION_NOT_RETRYABLE']);
    }
  });

  test('cannot be retried while it runs, or when it succeeded', async () => {
    const type = step(async () => ({ result: null }));
    const sid = await operations.start(type);
    assert.equal((await retry(sid)).body.error.code, 'OPERATION_NOT_RETRYABLE');
    await operations.run(type, sid);
    assert.equal((await retry(sid)).body.error.code, 'OPERATION_NOT_RETRYABLE');
  });

  test('that throws an error of the catalogue fails with it at once', async () => {
    const type = step(async () => {
      throw new ApiError('WABA_NOT_CONNECTED');
    });
    const sid = await operations.start(type);
    await operations.run(type, sid);
    const { state, error, retryEligible } = await operations.get(sid);
    assert.deepEqual([state, error.code, retryEligible], ['FAILED', 'WABA_NOT_CONNECTED', false]);
  });

  test('that throws anything else waits and is tried 6 times; nothing of the error is shown', async () => {
    let tries = 0;
    const type = step(async () => {
      tries += 1;
      throw new Error('password is hunter2');
    });
    const sid = await operations.start(type);
    for (let i = 0; i < 5; i += 1) {
      await operations.run(type, sid);
      assert.deepEqual([(await operations.get(sid)).state, await jobsOf(sid)], ['WAITING', 1]);
    }
    await operations.run(type, sid);
    const ended = await operations.get(sid);
    assert.deepEqual([tries, ended.state, ended.error.code], [6, 'FAILED', 'INTERNAL_PERMANENT_ERROR']);
    assert.equal(ended.retryEligible, true);
    assert.doesNotMatch(JSON.stringify(ended), /hunter2/);
  });

  test('that ends its process every time is given up, not run for ever', async () => {
    const type = step(async () => ({ result: null }));
    const sid = await operations.start(type);
    await app.sql("update operations set state = 'RUNNING', tries = 6 where sid = $1", [sid]);
    await operations.run(type, sid);
    assert.equal((await operations.get(sid)).state, 'FAILED');
  });

  test('can wait for what is decided elsewhere', async () => {
    let decided = false;
    const type = step(async () =>
      decided ? { result: { decided } } : { waitUntil: new Date(app.clock.now().getTime() + 60_000) },
    );
    const sid = await operations.start(type);
    for (let i = 0; i < 10; i += 1) await operations.run(type, sid); // waiting is no failure
    assert.equal((await operations.get(sid)).state, 'WAITING');
    decided = true;
    await operations.run(type, sid);
    assert.equal((await operations.get(sid)).state, 'SUCCEEDED');
  });

  test('shows a result while it waits, and is woken by what it waits for, also by what happened while it went to sleep', async () => {
    const far = new Date('2100-01-01T00:00:00Z');
    const dueAt = async (sid: string) =>
      (
        await app.sql<{ at: Date }>(
          `select run_at as at from graphile_worker.jobs where key = $1 and locked_at is null`,
          [`operation:${sid}`],
        )
      )[0]!.at.getTime();
    const sleeping = step(async () => ({ waitUntil: far, result: { ask: 'you' } }));
    const sid = await operations.start(sleeping);
    await operations.run(sleeping, sid);
    const waiting = await operations.get(sid);
    assert.deepEqual([waiting.state, waiting.result], ['WAITING', { ask: 'you' }]);
    assert.equal(await dueAt(sid), far.getTime());
    await operations.write((t) => wakeOperation(t, sid));
    assert.ok((await dueAt(sid)) < far.getTime());

    const awake = step(async () => ({ waitUntil: async (t) => t.now }));
    await operations.run(awake, sid);
    assert.equal(await dueAt(sid), app.clock.now().getTime());
    assert.deepEqual((await operations.get(sid)).result, { ask: 'you' });
    const ended = step(async () => ({ result: null }));
    await operations.run(ended, sid);
    await app.sql(`delete from graphile_worker._private_jobs where key = $1`, [`operation:${sid}`]);
    await operations.write((t) => wakeOperation(t, sid));
    assert.equal(await jobsOf(sid), 0);
  });

  test('canceled while it runs ends its run, and what the run still does is not kept', async () => {
    let release = () => {};
    const aborted = new Promise<void>((done) => {
      release = done;
    });
    const type = step(async (signal) => {
      signal.addEventListener('abort', release);
      await aborted;
      return { result: { late: true }, apply: effect('late') };
    });
    const sid = await operations.start(type);
    const running = operations.run(type, sid);
    while ((await operations.get(sid)).state !== 'RUNNING');
    const answer = await cancel(sid);
    assert.deepEqual([answer.status, answer.body.state], [200, 'CANCELED']);
    await running; // ends only because the run was told, by way of the database
    const { state, result } = await operations.get(sid);
    assert.deepEqual([state, result, await effects('late')], ['CANCELED', null, []]);
    assert.deepEqual(await emitted(sid), ['operation.canceled']);
    assert.equal((await cancel(sid)).status, 200);
    assert.deepEqual(await emitted(sid), ['operation.canceled']);
  });

  test('that has ended, or cannot be stopped half-way, is not canceled', async () => {
    const done = step(async () => ({ result: null }));
    const sid = await operations.start(done);
    await operations.run(done, sid);
    assert.deepEqual((await cancel(sid)).body.error.code, 'CONFLICT');
    const stubborn = defineOperationType({
      type: 'test.stubborn',
      input: Closed({}),
      cancelable: false,
      run: async () => ({ result: null }),
    });
    const other = await operations.start(stubborn);
    assert.deepEqual((await cancel(other)).body.error.code, 'CONFLICT');
    assert.equal((await operations.get(other)).state, 'PENDING');
  });
});

suite('an operation on items', () => {
  let failing = new Set<string>();
  let began: string[] = [];
  let most = 0;
  const items = defineOperationType({
    type: 'test.items',
    input: Closed({ prefix: Type.String() }),
    concurrency: 3,
    async runItem(_context, { input }, { ref }) {
      began.push(ref!);
      most = Math.max(most, began.length - finished);
      await until('as many run at once as ever do', () => most >= 3);
      finished += 1;
      if (began.length > 8) await gate;
      if (failing.has(ref!)) return { failure: { code: 'PROVIDER_REJECTED' as never, message: 'No.' } };
      return { result: { ref }, apply: effect(`${input.prefix}-${ref}`) };
    },
    finish: async (_t, _operation, tally) => ({ ...tally }),
  });
  let finished = 0;
  /** What all items after the first eight wait for. */
  let gate: Promise<unknown> = Promise.resolve();
  const start = (prefix: string, count: number, fails: string[] = []) => {
    failing = new Set(fails);
    began = [];
    finished = 0;
    most = 0;
    const list = Array.from({ length: count }, (_, i) => ({ ref: `i${i}`, input: {} }));
    return operations.start(items, { prefix }, { items: list });
  };

  test('does each, a few at a time, and tells the result of every one', async () => {
    const sid = await start('all', 10);
    await operations.run(items, sid);
    const { state, progress, result } = await operations.get(sid);
    assert.deepEqual([state, progress.done, progress.total, progress.failed], ['SUCCEEDED', 10, 10, 0]);
    assert.deepEqual(result, { done: 10, failed: 0 });
    assert.equal(most, 3);
    const children = await operations.children(sid);
    assert.deepEqual(
      children.map(({ ref, state: of, result: is }: { ref: string; state: string; result: object }) => [
        ref,
        of,
        is,
      ]),
      Array.from({ length: 10 }, (_, i) => [`i${i}`, 'SUCCEEDED', { ref: `i${i}` }]),
    );
  });

  test('retried does only what failed', async () => {
    const sid = await start('again', 5, ['i1', 'i3']);
    await operations.run(items, sid);
    const failed = await operations.get(sid);
    assert.deepEqual([failed.state, failed.progress.failed, failed.retryEligible], ['FAILED', 2, true]);
    assert.match(failed.error.message, /2 of 5/);
    failing = new Set();
    began = [];
    assert.equal((await retry(sid)).body.progress.done, 3);
    await operations.run(items, sid);
    assert.deepEqual(began.sort(), ['i1', 'i3']);
    assert.equal((await operations.get(sid)).state, 'SUCCEEDED');
    assert.deepEqual(await effects('again'), ['again-i0', 'again-i1', 'again-i2', 'again-i3', 'again-i4']);
  });

  test('goes on after a crash without repeating an item whose result committed', async () => {
    const sid = await start('crash', 8);
    // The process is gone after three items: their results are there, the run never ended.
    const stop = new AbortController();
    const crashing = defineOperationType({
      type: 'test.items',
      input: items.input,
      async runItem(_context, { input }, { ref }) {
        if (began.length === 3) throw new ApiError('INTERNAL_TEMPORARY_ERROR');
        began.push(ref!);
        return { apply: effect(`${input.prefix}-${ref}`) };
      },
    });
    await operations.run(crashing, sid, stop.signal);
    assert.deepEqual((await operations.get(sid)).progress.done, 3);
    began = [];
    await operations.run(items, sid);
    assert.deepEqual(began.sort(), ['i3', 'i4', 'i5', 'i6', 'i7']);
    assert.equal((await effects('crash')).length, 8);
  });

  test('run by two processes at once applies every item once', async () => {
    const sid = await start('twice', 12);
    await Promise.allSettled([operations.run(items, sid), operations.run(items, sid)]);
    if ((await operations.get(sid)).state !== 'SUCCEEDED') await operations.run(items, sid);
    assert.deepEqual((await effects('twice')).length, 12);
    assert.deepEqual((await operations.get(sid)).progress.done, 12);
  });

  test('canceled stops between items; the retry does the rest', async () => {
    const sid = await start('stop', 40);
    const canceling = Promise.withResolvers<void>();
    gate = canceling.promise;
    const running = operations.run(items, sid);
    await until('some are done', async () => (await operations.get(sid)).progress.done >= 4);
    const { body } = await cancel(sid);
    canceling.resolve();
    await running;
    const kept = (await effects('stop')).length;
    assert.equal(kept, body.progress.done);
    assert.ok(kept < 40);
    await retry(sid);
    await operations.run(items, sid);
    assert.equal((await effects('stop')).length, 40);
  });
});

suite('an operation in chunks', () => {
  const chunksOf = (prefix: string, last: number, trouble: (n: number) => void = () => {}) =>
    defineOperationType({
      type: 'test.chunks',
      input: Closed({}),
      async *chunks(_context, _operation, checkpoint): AsyncGenerator<Chunk> {
        for (let n = ((checkpoint as { n: number } | null)?.n ?? 0) + 1; n <= last; n += 1) {
          yield {
            checkpoint: { n },
            total: last * 10,
            async apply(t) {
              await effect(`${prefix}-${n}`)(t);
              trouble(n);
              app.clock.advance(1_000);
              const children = n === 2 ? [{ position: 13, state: 'FAILED' as const, error: null }] : [];
              return { done: 10, failed: children.length, children };
            },
          };
        }
      },
      finish: async (_t, _operation, checkpoint) => ({ last: checkpoint }),
    });

  test('resumes at its checkpoint: a chunk whose transaction failed left nothing, one that committed is not repeated', async () => {
    let broken = true;
    const type = chunksOf('resume', 5, (n) => {
      if (n === 3 && broken) throw new Error('the process died here');
    });
    const sid = await operations.start(type);
    await operations.run(type, sid);
    const stopped = await operations.get(sid);
    assert.deepEqual([stopped.state, stopped.progress.done, stopped.progress.total], ['WAITING', 20, 50]);
    assert.deepEqual(await effects('resume'), ['resume-1', 'resume-2']);
    broken = false;
    await operations.run(type, sid);
    const ended = await operations.get(sid);
    assert.deepEqual([ended.state, ended.progress.done, ended.progress.failed], ['SUCCEEDED', 50, 1]);
    assert.deepEqual(ended.result, { last: { n: 5 } });
    assert.equal((await effects('resume')).length, 5);
    assert.deepEqual(
      (await operations.children(sid)).map(({ position }: { position: number }) => position),
      [13],
    );
  });

  test('tells its rate and when it will end', async () => {
    const type = chunksOf('rate', 10, (n) => {
      if (n === 3) throw new ApiError('INTERNAL_TEMPORARY_ERROR');
    });
    const sid = await operations.start(type);
    const began = app.clock.now().getTime();
    await operations.run(type, sid);
    await app.sql("update operations set state = 'RUNNING' where sid = $1", [sid]);
    const { progress } = await operations.get(sid);
    // 20 of 100 within the second between the first two commits.
    assert.equal(progress.ratePerSecond, 20);
    assert.equal(progress.estimatedEndAt, new Date(began + 5_000).toISOString());
  });

  test('handed on when the worker stops goes on elsewhere', async () => {
    const stop = new AbortController();
    const type = chunksOf('hand', 5, (n) => {
      if (n === 2) stop.abort();
    });
    const sid = await operations.start(type);
    await app.sql('delete from graphile_worker._private_jobs where key = $1', [`operation:${sid}`]);
    await operations.run(type, sid, stop.signal);
    assert.deepEqual([(await operations.get(sid)).state, await jobsOf(sid)], ['RUNNING', 1]);
    await operations.run(type, sid);
    assert.equal((await operations.get(sid)).state, 'SUCCEEDED');
    assert.equal((await effects('hand')).length, 5);
  });

  test('canceled commits nothing more, whatever chunk is under way', async () => {
    let sid = '';
    const type = defineOperationType({
      type: 'test.chunks',
      input: Closed({}),
      async *chunks(): AsyncGenerator<Chunk> {
        for (let n = 1; ; n += 1) {
          const apply = async (t: never) => {
            await effect(`never-${n}`)(t);
            if (n === 2) assert.equal((await cancel(sid)).status, 200);
            return { done: 1, failed: 0 };
          };
          yield { checkpoint: { n }, apply };
        }
      },
    });
    sid = await operations.start(type);
    await operations.run(type, sid);
    assert.deepEqual(await effects('never'), ['never-1']);
    assert.equal((await operations.get(sid)).progress.done, 1);
  });
});

suite('lists, guards and sweeps', () => {
  test('the list can be narrowed by type and state and turned round, page by page', async () => {
    const type = defineOperationType({
      type: 'test.listed',
      input: Closed({}),
      run: async () => ({ result: null }),
    });
    const sids: string[] = [];
    for (let i = 0; i < 5; i += 1) sids.push(await operations.start(type));
    await operations.run(type, sids[0]!);
    const list = async (query: string) => {
      const found: string[] = [];
      for (let cursor = ''; ; ) {
        const { body } = await app.get(`${app.at}/operations?type=test.listed&limit=2&${query}${cursor}`);
        found.push(...body.data.map(({ sid }: { sid: string }) => sid));
        if (!body.hasMore) return found;
        cursor = `&cursor=${body.nextCursor}`;
      }
    };
    assert.deepEqual(await list('sort=createdAt'), sids);
    assert.deepEqual(await list('sort=-createdAt'), sids.toReversed());
    assert.deepEqual(await list('state=SUCCEEDED'), [sids[0]]);
    assert.deepEqual(await list('state=nonsense'), []);
  });

  test('an operation whose job is lost is queued again; one that has its job is left alone', async () => {
    const type = step(async () => ({ result: null }));
    const [lost, queued] = [await operations.start(type), await operations.start(type)];
    await app.sql('delete from graphile_worker._private_jobs where key = $1', [`operation:${lost}`]);
    const [before] = await app.sql<{ id: string }>('select id from graphile_worker.jobs where key = $1', [
      `operation:${queued}`,
    ]);
    app.clock.advance(120_000);
    await runCron(app, guardOperations);
    assert.deepEqual([await jobsOf(lost), await jobsOf(queued)], [1, 1]);
    const [after] = await app.sql<{ id: string }>('select id from graphile_worker.jobs where key = $1', [
      `operation:${queued}`,
    ]);
    assert.deepEqual(after, before);
  });

  test('what ended more than 30 days ago is removed with its children, and nothing else', async () => {
    const type = step(async () => ({ result: null }));
    const old = await operations.start(type);
    await operations.run(type, old);
    await app.sql(
      `insert into operation_children (account_sid, livemode, operation_sid, position, state, created_at, updated_at)
       values ($1, false, $2, 1, 'FAILED', now(), now())`,
      [app.accountSid, old],
    );
    const unfinished = await operations.start(type);
    app.clock.advance(31 * 24 * 60 * 60 * 1000);
    const recent = await operations.start(type);
    await operations.run(type, recent);
    await runCron(app, sweepOperations);
    const status = async (sid: string) => (await app.get(`${app.at}/operations/${sid}`)).status;
    assert.deepEqual([await status(old), await status(unfinished), await status(recent)], [404, 200, 200]);
    assert.equal(await app.count(`operation_children where operation_sid = '${old}'`), 0);
  });
});
