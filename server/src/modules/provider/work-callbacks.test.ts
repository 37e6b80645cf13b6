import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { startTestApp, type TestApp, testStart } from '../../../test/harness/app.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { programIn } from '../../../test/harness/program.ts';
import { until } from '../../../test/harness/until.ts';
import {
  accountSamples,
  callback,
  inboundOf,
  messagesChange,
  metadata,
  phoneNumberId,
  statusOf,
} from '../../adapters/whatsapp/from-wire/callbacks.test-data.ts';
import {
  deliver,
  hooksFor,
  leaveTrace,
  openTraces,
  ownNumbers,
  tracing,
  turn,
  untilDone,
} from './callbacks.test-data.ts';
import type { CallbackHandlers } from './hooks.ts';
import { findCallbacks, retryCallbacks } from './operator.ts';
import { sweepCallbacks } from './sweeps.ts';

const status = (name: string, id: string, timestamp = '1777000020') => statusOf(name, { id, timestamp });
const statuses = (...list: object[]) => callback(messagesChange({ statuses: list }));
const texts = (...ids: string[]) =>
  callback(messagesChange({ messages: ids.map((id) => inboundOf('text', { text: { body: 'x' } }, id)) }));

const lifetime = sharedLifetime();
let opened: Promise<{ app: TestApp; traces: () => Promise<string[]> }> | undefined;

/** One app for all; no test finds the callbacks of another. */
async function start() {
  opened ??= startTestApp(lifetime).then(async (app) => ({ app, traces: await openTraces(app) }));
  const { app, traces } = await opened;
  await app.sql('truncate provider_callbacks, provider_callback_work, provider_changes, traces');
  app.clock.set(testStart);
  const work = () => app.count('provider_callback_work');
  return { app, traces, work, hooks: hooksFor(ownNumbers(app)) };
}

const waiting = (app: TestApp, state: 'due' | 'kept' | 'parked' | null = null) =>
  app.database.system((s) => findCallbacks(s, { state, limit: 100 }));

suite('each change has its effects once', () => {
  test('however often it is told, in one callback and in many', async () => {
    const { app, traces, work, hooks } = await start();
    const twice = [status('sent', 'a'), status('sent', 'a')];
    for (let i = 0; i < 3; i += 1) await deliver(app, statuses(...twice, status('read', 'a')));
    await deliver(app, texts('in1', 'in1'));
    await untilDone(app, hooks);
    await deliver(app, texts('in1'));
    await deliver(app, statuses(status('read', 'a')));
    await untilDone(app, hooks);
    assert.deepEqual(await traces(), ['in in1', 'sent a', 'read a']);
    assert.equal(await work(), 0);
  });
  test('and the same status at another time is another change', async () => {
    const { app, traces, hooks } = await start();
    await deliver(app, statuses(status('failed', 'a', '1777000020'), status('failed', 'a', '1777000021')));
    await untilDone(app, hooks);
    assert.deepEqual(await traces(), ['failed a', 'failed a']);
  });
  test('however many workers there are', async () => {
    const { app, traces, work, hooks } = await start();
    const ids = Array.from({ length: 60 }, (_, i) => `m${i}`);
    await Promise.all(ids.flatMap((id) => [1, 2, 3].map(() => deliver(app, statuses(status('sent', id))))));
    await Promise.all(Array.from({ length: 4 }, () => untilDone(app, hooks)));
    assert.deepEqual((await traces()).sort(), ids.map((id) => `sent ${id}`).sort());
    assert.equal(await work(), 0);
  });
  test('in whatever order they arrive, all of them', async () => {
    const { app, traces, hooks } = await start();
    for (const name of ['read', 'sent', 'delivered']) await deliver(app, statuses(status(name, 'a')));
    await untilDone(app, hooks);
    assert.deepEqual(await traces(), ['read a', 'sent a', 'delivered a']);
  });

  const worker = programIn(new URL('./dying-worker.test-data.ts', import.meta.url));
  for (const moment of ['before-commit', 'after-commit', 'between-tenants']) {
    test(`when the worker is killed ${moment.replaceAll('-', ' ')}`, async () => {
      const { app, traces, work } = await start();
      const other = await app.newAccount();
      const numbers = { ...ownNumbers(app), second: other.accountSid };
      const second = messagesChange({
        metadata: { ...metadata, phone_number_id: 'second' },
        statuses: [status('sent', 'b')],
      });
      await deliver(app, callback(messagesChange({ statuses: [status('sent', 'a')] }), second));
      await deliver(app, texts('in1'));
      const child = spawn(process.execPath, [...worker, app.databaseUrl, moment, JSON.stringify(numbers)], {
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      const [, signal] = await once(child, 'exit');
      assert.equal(signal, 'SIGKILL');
      assert.equal(await work(), 2, 'nothing was struck off');
      // The dead process's locks end when the database notices.
      await until('nothing is left to do', async () => {
        await untilDone(app, hooksFor(numbers));
        return (await work()) === 0;
      });
      assert.deepEqual((await traces()).sort(), ['in in1', 'sent a', 'sent b']);
    });
  }
});

suite('one bad change', () => {
  const failing = (bad: string): CallbackHandlers => ({
    ...tracing,
    async statuses(t, items) {
      await tracing.statuses!(t, items);
      if (items.some(({ providerMessageId }) => providerMessageId === bad)) throw new Error(`cannot: ${bad}`);
    },
  });

  test('holds up no other, in its callback or beside it', async () => {
    const { app, traces } = await start();
    const ids = Array.from({ length: 30 }, (_, i) => `m${i}`);
    await deliver(app, statuses(...ids.map((id) => status('sent', id))));
    await deliver(app, statuses(status('sent', 'after')));
    await untilDone(app, hooksFor(ownNumbers(app), failing('m7')));
    const good = [...ids.filter((id) => id !== 'm7'), 'after'];
    assert.deepEqual(
      await traces(),
      good.map((id) => `sent ${id}`),
    );
    const [left, ...others] = await waiting(app);
    assert.deepEqual([left!.state, left!.attempts, others.length], ['due', 1, 0]);
    assert.match(left!.note!, /statuses: cannot: m7/);
  });
  test('is tried five times, then parked with its reason, and can be tried again', async () => {
    const { app, traces } = await start();
    await deliver(app, statuses(status('sent', 'good'), status('sent', 'bad')));
    const hooks = hooksFor(ownNumbers(app), failing('bad'));
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await untilDone(app, hooks);
      const [row] = await waiting(app);
      assert.deepEqual([row!.attempts, row!.state], [attempt, attempt < 5 ? 'due' : 'parked']);
      app.clock.advance(3_600_000);
    }
    await untilDone(app, hooks);
    assert.equal((await waiting(app, 'parked')).length, 1);
    assert.equal(await app.database.system((s) => retryCallbacks(s, { state: 'parked' })), 1);
    await untilDone(app, hooksFor(ownNumbers(app)));
    assert.deepEqual(await traces(), ['sent good', 'sent bad']);
    assert.equal((await waiting(app)).length, 0);
  });
  test('waits before it is tried again', async () => {
    const { app, traces } = await start();
    await deliver(app, statuses(status('sent', 'bad')));
    await untilDone(app, hooksFor(ownNumbers(app), failing('bad')));
    await untilDone(app, hooksFor(ownNumbers(app)));
    assert.deepEqual(await traces(), []);
    app.clock.advance(2_000);
    await untilDone(app, hooksFor(ownNumbers(app)));
    assert.deepEqual(await traces(), ['sent bad']);
  });
  test('of one tenant is none of another', async () => {
    const { app, traces } = await start();
    const other = await app.newAccount();
    const elsewhere = messagesChange({
      metadata: { ...metadata, phone_number_id: 'second' },
      statuses: [status('sent', 'b')],
    });
    await deliver(app, callback(messagesChange({ statuses: [status('sent', 'bad')] }), elsewhere));
    await untilDone(app, hooksFor({ ...ownNumbers(app), second: other.accountSid }, failing('bad')));
    assert.deepEqual(await traces(), ['sent b']);
    const [row] = await app.sql('select account_sid from traces');
    assert.equal(row!.account_sid, other.accountSid);
  });
  test('is not blamed for a database that was busy', async () => {
    const { app } = await start();
    await deliver(app, statuses(status('sent', 'a')));
    const busy: CallbackHandlers = {
      async statuses() {
        throw Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' });
      },
    };
    for (let i = 0; i < 8; i += 1) {
      await untilDone(app, hooksFor(ownNumbers(app), busy));
      app.clock.advance(3_600_000);
    }
    const [row] = await waiting(app);
    assert.deepEqual([row!.state, row!.attempts], ['due', 8]);
  });
});

suite('what cannot be handed over is kept, and never an error', () => {
  test('unknown fields, unknown numbers, unhandled kinds and bodies that are none', async () => {
    const { app, traces, hooks } = await start();
    await deliver(
      app,
      callback({ field: 'hologram', value: {} }, messagesChange({ statuses: [status('sent', 'a')] })),
    );
    const stranger = { metadata: { phone_number_id: '999' }, statuses: [status('sent', 'b')] };
    await deliver(app, callback(messagesChange(stranger)));
    await deliver(app, callback(accountSamples[0]!));
    await deliver(app, Buffer.from('nonsense'));
    await untilDone(app, hooks);
    assert.deepEqual(await traces(), ['sent a']);
    const notes = (await waiting(app, 'kept')).map(({ note }) => note).reverse();
    assert.deepEqual(notes, [
      'unknown: hologram',
      'unrouted: statuses for number 999',
      'unhandled: templateUpdates',
      'unknown: not a callback',
    ]);
  });
  test('and is handed over once somebody can take it', async () => {
    const { app, traces, hooks } = await start();
    await deliver(
      app,
      callback(messagesChange({ metadata: { phone_number_id: '999' }, statuses: [status('sent', 'b')] })),
    );
    await untilDone(app, hooks);
    await app.database.system((s) => retryCallbacks(s, { state: 'kept' }));
    await untilDone(app, hooksFor({ 999: app.accountSid }));
    assert.deepEqual(await traces(), ['sent b']);
    assert.equal((await waiting(app)).length, 0);
  });
  test('live callbacks never reach a sandbox', async () => {
    const { app, traces, hooks } = await start();
    await app.sql(
      `with c as (insert into provider_callbacks (livemode, received_at, body) values (true, now(), $1) returning id)
       insert into provider_callback_work (id, state, bytes, due_at) select id, 'due', 1, '-infinity' from c`,
      [Buffer.from(JSON.stringify(statuses(status('sent', 'a'))))],
    );
    await untilDone(app, hooks);
    assert.deepEqual(await traces(), []);
    assert.equal((await waiting(app, 'kept')).length, 1);
  });
  test('nothing in a body stops the worker or those behind it', { timeout: 120_000 }, async () => {
    const { app, traces, hooks } = await start();
    const samples = [
      statuses(status('sent', 'x')),
      texts('y'),
      ...accountSamples.map((sample) => callback(sample)),
    ].map((value) => JSON.stringify(value));
    const mutated = fc
      .tuple(fc.constantFrom(...samples), fc.nat(), fc.nat(30), fc.oneof(fc.json(), fc.string()))
      .map(([text, at, length, put]) => {
        const start = at % text.length;
        return text.slice(0, start) + put + text.slice(start + length);
      });
    const bodies = fc.sample(fc.oneof(mutated, fc.json()), { numRuns: 400, seed: 7 });
    await Promise.all(bodies.map((text) => deliver(app, Buffer.from(text))));
    await deliver(app, statuses(status('sent', 'last')));
    await untilDone(app, hooks);
    assert.equal((await traces()).at(-1), 'sent last');
    assert.deepEqual(await waiting(app, 'due'), []);
    assert.deepEqual(await waiting(app, 'parked'), []);
  });
});

suite('how the work is done', () => {
  test('many small callbacks and some large ones are all worked on', async () => {
    const { app, traces, work, hooks } = await start();
    const spaces = Buffer.alloc(3 * 1024 * 1024, ' ');
    for (let i = 0; i < 4; i += 1) {
      await deliver(
        app,
        Buffer.concat([Buffer.from(JSON.stringify(statuses(status('sent', `l${i}`)))), spaces]),
      );
    }
    await Promise.all(Array.from({ length: 520 }, (_, i) => deliver(app, statuses(status('sent', `s${i}`)))));
    await untilDone(app, hooks);
    assert.equal((await traces()).length, 524);
    assert.equal(await work(), 0);
  });
  test('a handler gets the changes of its tenant together, with where they belong', async () => {
    const { app } = await start();
    const calls: unknown[] = [];
    const handlers: CallbackHandlers = {
      async statuses(t, items) {
        calls.push([t.accountSid, t.livemode, items.map(({ senderSid, wabaSid }) => [senderSid, wabaSid])]);
        await leaveTrace(t, 'once');
      },
    };
    const hooks = hooksFor({}, handlers);
    hooks.routes.byPhoneNumberId = async () => ({
      accountSid: app.accountSid,
      livemode: false,
      senderSid: 'WA1',
      wabaSid: 'WB1',
    });
    await deliver(app, statuses(status('sent', 'a')));
    await deliver(app, statuses(status('sent', 'b')));
    await untilDone(app, hooks);
    assert.deepEqual(calls, [
      [
        app.accountSid,
        false,
        [
          ['WA1', 'WB1'],
          ['WA1', 'WB1'],
        ],
      ],
    ]);
  });
  test('what is done is removed after a day, what is kept after eight, what waits never', async () => {
    const { app, traces, hooks } = await start();
    await deliver(app, statuses(status('sent', 'done')));
    await deliver(app, callback({ field: 'hologram', value: {} }));
    await untilDone(app, hooks);
    await deliver(app, statuses(status('sent', 'waits')));
    const sweep = () =>
      sweepCallbacks.run({
        database: app.database,
        now: () => app.clock.now(),
        signal: new AbortController().signal,
      } as never);
    app.clock.advance(86_400_000 - 1);
    await sweep();
    assert.equal(await app.count('provider_callbacks'), 3);
    app.clock.advance(2);
    await sweep();
    assert.equal(await app.count('provider_callbacks'), 2);
    app.clock.advance(6.9 * 86_400_000);
    await sweep();
    assert.equal(await app.count('provider_callbacks'), 2);
    assert.equal(await app.count('provider_changes'), 1);
    app.clock.advance(0.2 * 86_400_000);
    await sweep();
    assert.equal(await app.count('provider_callbacks'), 1);
    assert.equal(await app.count('provider_callback_work'), 1);
    assert.equal(await app.count('provider_changes'), 0);
    await untilDone(app, hooks);
    assert.deepEqual(await traces(), ['sent done', 'sent waits']);
  });
  test('an idle turn finds nothing and says so', async () => {
    const { app, hooks } = await start();
    assert.equal(await turn(app, hooks), false);
  });
  test('numbers are looked up anew each turn: they move between accounts', async () => {
    const { app } = await start();
    const other = await app.newAccount();
    await deliver(app, statuses(status('sent', 'a')));
    await untilDone(app, hooksFor({ [phoneNumberId]: app.accountSid }));
    await deliver(app, statuses(status('sent', 'b')));
    await untilDone(app, hooksFor({ [phoneNumberId]: other.accountSid }));
    const rows = await app.sql('select account_sid, what from traces order by n');
    assert.deepEqual(
      rows.map(({ account_sid, what }) => [account_sid, what]),
      [
        [app.accountSid, 'sent a'],
        [other.accountSid, 'sent b'],
      ],
    );
  });
});
