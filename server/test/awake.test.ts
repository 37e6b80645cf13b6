// What wakes the queues of a service, and that nothing else keeps it busy.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { loops } from '../src/main/modules.ts';
import { endpointEvents } from '../src/modules/webhooks/endpoints/events.ts';
import { endpointSample } from '../src/modules/webhooks/endpoints/samples.ts';
import type { Database } from '../src/platform/db/database.ts';
import { openDatabase } from '../src/platform/db/open-database.ts';
import { compileQuery, type Sql } from '../src/platform/db/query.ts';
import { emit } from '../src/platform/events.ts';
import type { Loop } from '../src/platform/jobs/claim-loop.ts';
import { runLoops } from '../src/platform/jobs/run-loops.ts';
import { silentLog } from '../src/platform/observability/logging.ts';
import { createMetrics } from '../src/platform/observability/metrics.ts';
import { systemPrincipal } from '../src/platform/principal.ts';
import { startTestApp, type TestApp } from './harness/app.ts';
import { sharedLifetime } from './harness/lifetime.ts';
import { until } from './harness/until.ts';
import {
  loopContext,
  onThisMachine,
  type Receiver,
  startReceiver,
  verifiedEndpoint,
} from './harness/webhooks.ts';

const isNet = (question: Sql) => compileQuery(question).text.includes('"due0"');

suite('a whole service on a clock that stands still', () => {
  let app: TestApp;
  let receiver: Receiver;
  const lifetime = sharedLifetime();
  before(async () => {
    app = await startTestApp(lifetime, { role: 'all', simulator: true, env: onThisMachine });
    receiver = await startReceiver(lifetime);
    await verifiedEndpoint(app, receiver.url);
  });

  const arrived = (type: string) => receiver.events().some(({ event }) => event.type === type);

  /** Where everything on the way stands: what was put off waits for a clock that stands still. */
  const standing = async () => {
    const tables = [
      'message_attempts',
      'dispatch_lanes',
      'provider_callback_work',
      'webhook_undelivered',
      'webhook_lanes',
    ];
    return Promise.all(tables.map(async (table) => [table, await app.sql(`select * from ${table}`)]));
  };

  test('hands over what was sent, applies what the provider reports and posts every event without looking by itself', async (context) => {
    const { ask } = app.database;
    context.mock.method(app.database, 'ask', (question: Sql) =>
      isNet(question) ? Promise.resolve([{}]) : ask(question),
    );
    const reply = await app.post(`${app.at}/messages`, {
      to: '+33612345678',
      type: 'template',
      template: { name: 'hello_world', language: 'en' },
    });
    assert.equal(reply.status, 201, reply.text);
    for (const type of ['message.queued', 'message.sent', 'message.delivered'])
      await until(`${type} is posted`, () => arrived(type)).catch(async (error) => {
        throw new Error(`${error.message}: ${JSON.stringify(await standing())}`);
      });
  });

  test('finds by itself what nobody told it of', async () => {
    // Another process that believes to be alone tells nobody.
    const { databaseUrl: url, sealer, site } = app;
    const mute = openDatabase({ url, sealer, site, log: silentLog });
    mute.isAloneWhile(() => true);
    const context = {
      principal: systemPrincipal('test', false),
      now: app.clock.now(),
      requestId: 'req_test',
      log: silentLog,
    };
    await mute.write({ accountSid: app.accountSid, livemode: false }, context, async (t) =>
      emit(t, endpointEvents.suspended, endpointSample),
    );
    await mute.close();
    await until('the event is posted', () => arrived(endpointEvents.suspended.name));
  });
});

test('queues with nothing to do ask once for all of them what is due, and each is woken when its time comes', async (context) => {
  const app = await startTestApp(context, { env: onThisMachine });
  const [sender] = (await app.get(`${app.at}/senders`)).body.data;
  const turns = new Map<string, number>();
  const counted = loops.map(
    (loop): Loop => ({
      ...loop,
      begin(given) {
        const begun = loop.begin(given);
        const turn = async () => {
          const more = await begun.turn();
          turns.set(loop.name, (turns.get(loop.name) ?? 0) + 1);
          return more;
        };
        return { ...begun, turn };
      },
    }),
  );
  const statements = countingAll(app.database);
  const given = {
    ...(await loopContext(app, context)),
    database: statements.database,
    metrics: createMetrics(),
  };
  const stop = await runLoops({ loops: counted, context: given, clock: app.clock, others: [] });
  context.after(stop);
  const isQuiet = () => statements.underWay() === 0;
  await until('every queue has looked', () => turns.size === loops.length && isQuiet());

  const lookAgain = async () => {
    const before = statements.asked.length;
    app.clock.advance(1);
    await until('the net was drawn', () => statements.asked.length > before && isQuiet());
  };
  const [looked, other] = [new Map(turns), statements.other()];
  for (let round = 0; round < 3; round += 1) await lookAgain();
  assert.deepEqual([turns, statements.other()], [looked, other], 'nothing but the one question');

  const dueAt = new Date(app.clock.now().getTime() + 3_600_000);
  await app.sql(
    'insert into dispatch_lanes (account_sid, livemode, sender_sid, due_at) values ($1, false, $2, $3)',
    [app.accountSid, sender.sid, dueAt],
  );
  await lookAgain();
  assert.deepEqual(turns, looked, 'it is not due yet');
  app.clock.set(dueAt);
  await until('the lane is leased', () => turns.get('dispatch')! > looked.get('dispatch')!);
});

/** Counts what is asked of a database: the question of the net, and everything else. */
function countingAll(database: Database) {
  const asked: string[] = [];
  let others = 0;
  let underWay = 0;
  const counting = async <T>(work: Promise<T>): Promise<T> => {
    underWay += 1;
    return work.finally(() => {
      underWay -= 1;
    });
  };
  const other = <A extends unknown[], T>(run: (...args: A) => Promise<T>) => {
    return (...args: A) => {
      others += 1;
      return counting(run(...args));
    };
  };
  const wrapped = {
    ...database,
    ask: (question: Sql) => {
      if (!isNet(question)) return other(database.ask)(question);
      return counting(database.ask(question)).finally(() => asked.push('net'));
    },
    system: other(database.system),
    write: other(database.write),
    writeTogether: other(database.writeTogether),
    read: other(database.read),
  } as Database;
  return { database: wrapped, asked, other: () => others, underWay: () => underWay };
}
