import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { before, suite, test } from 'node:test';
import { Registry } from 'prom-client';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { emitAnything } from '../../../../test/harness/events.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { person } from '../../../../test/harness/people.ts';
import { holdTime } from '../../../../test/harness/time.ts';
import { until } from '../../../../test/harness/until.ts';
import {
  fanOutOnce,
  inAccount,
  loopContext,
  onThisMachine,
  settle,
  startReceiver,
  verifiedEndpoint,
  wellBehaved,
} from '../../../../test/harness/webhooks.ts';
import { handleEvents } from '../../../platform/event-consumers/consume.ts';
import { newUuid } from '../../../platform/ids.ts';
import type { LoopContext } from '../../../platform/jobs/claim-loop.ts';
import { beginDelivering } from '../sending/deliver.ts';
import { fanOut } from './fan-out.ts';

let app: TestApp;
let context: LoopContext;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime, { env: onThisMachine });
  context = await loopContext(app, lifetime);
});

const happen = (many: number, type = 'contact.created') =>
  inAccount(app, (t) => {
    for (let i = 0; i < many; i += 1) emitAnything(t, type, { object: 'thing', sid: `X${i}` });
  });

/** Settles when everything that came to the endpoint is written down. */
const recorded = (sid: string) =>
  until('all of it is written down', async () => {
    return (await app.count(`webhook_undelivered where endpoint_sid = '${sid}'`)) === 0;
  });

/** Turns a worker until the condition holds. */
const turning = (worker: { turn(): Promise<boolean> }, what: string, condition: () => boolean) =>
  until(what, async () => {
    if (!condition()) await worker.turn();
    return condition();
  });

/** Another process that lives. */
async function newProcess(): Promise<string> {
  const id = newUuid(app.clock.now());
  await app.sql(
    `insert into processes (id, role, host, pid, beat_at) values ($1, 'worker', 'here', 1, clock_timestamp() + interval '1 hour')`,
    [id],
  );
  return id;
}

suite('the fan-out', () => {
  test('makes one delivery of an event for each endpoint, while many workers hand on at once', async (test) => {
    const receivers = [await startReceiver(test), await startReceiver(test)];
    const made = await Promise.all(
      receivers.map(({ url }) => verifiedEndpoint(app, url, { eventFilters: ['segment.created'] })),
    );
    const writers = Array.from({ length: 4 }, async () => {
      for (let i = 0; i < 10; i += 1) await happen(25, 'segment.created');
    });
    const workers = Array.from({ length: 2 }, async () => {
      for (let i = 0; i < 30; i += 1) await fanOutOnce(context);
    });
    await Promise.all([...writers, ...workers]);
    while (await fanOutOnce(context));
    await fanOutOnce(context);
    for (const { sid } of made) {
      assert.equal(
        await app.count(
          `webhook_deliveries where endpoint_sid = '${sid}' and event_type = 'segment.created'`,
        ),
        1_000,
      );
      assert.equal(await app.count(`webhook_undelivered where endpoint_sid = '${sid}'`), 1_000);
    }
    await settle(context);
    for (const receiver of receivers) {
      assert.equal(new Set(receiver.events().map(({ event }) => event.id)).size, 1_000);
      assert.equal(receiver.events().length, 1_000);
    }
  });

  test('that fails half-way has done nothing, and loses nothing', async (test) => {
    const receiver = await startReceiver(test);
    await verifiedEndpoint(app, receiver.url, { eventFilters: ['inbox.created'] });
    await happen(3, 'inbox.created');
    const crash = inAccount(app, async (t) => {
      await handleEvents(t, fanOut);
      throw new Error('crash');
    });
    await assert.rejects(crash, /crash/);
    await settle(context);
    assert.equal(receiver.events().length, 3);
  });

  test('takes five statements for a batch, however many events are in it', async (test) => {
    const receiver = await startReceiver(test);
    await verifiedEndpoint(app, receiver.url, { eventFilters: ['flow.updated'] });
    await settle(context);
    await happen(500, 'flow.updated');
    let statements = 0;
    const counted =
      <Given extends unknown[], Answer>(run: (...given: Given) => Answer) =>
      (...given: Given) => {
        statements += 1;
        return run(...given);
      };
    await inAccount(app, async (t) => {
      const [many, one, maybe, run] = [t.many, t.one, t.maybe, t.run];
      Object.assign(t, { many: counted(many), one: counted(one), maybe: counted(maybe), run: counted(run) });
      await handleEvents(t, fanOut);
    });
    assert.equal(statements, 5);
    await settle(context);
    assert.equal(receiver.events().length, 500);
  });

  test('costs nothing where there is no endpoint', async () => {
    const { accountSid } = await app.newAccount();
    assert.equal(await app.count(`event_cursors where account_sid = '${accountSid}'`), 0);
  });
});

// What waits for something that never comes fails by this.
const inTime = { timeout: 120_000 };

suite('lanes', () => {
  const begin = (processId = context.processId) =>
    beginDelivering({ ...context, processId, metrics: { registry: new Registry() } as never });

  test('are held by one process at a time, so that the cap holds across processes', inTime, async (test) => {
    let [now, most] = [0, 0];
    const receiver = await startReceiver(test);
    await verifiedEndpoint(app, receiver.url, { eventFilters: ['inbox.updated'], concurrencyCap: 3 });
    receiver.answer = async (_received, response) => {
      now += 1;
      most = Math.max(most, now);
      // Each waits until as many came together as ever do.
      await until('three are under way at once', () => most >= 3);
      now -= 1;
      response.end();
    };
    // More keeps coming while the lane is held, which makes it look due to everybody.
    const write = async () => {
      for (let i = 0; i < 12; i += 1) {
        await happen(5, 'inbox.updated');
        await fanOutOnce(context);
        await until('it is under way', () => receiver.events().length >= 5 * i);
      }
    };
    const workers = [begin(), begin(await newProcess())];
    await Promise.all([
      write(),
      ...workers.map(async (worker) => {
        await turning(worker, 'all came', () => receiver.events().length === 60);
        while (await worker.turn());
        await worker.end?.();
      }),
    ]);
    assert.equal(receiver.events().length, 60);
    assert.equal(most, 3);
  });

  for (const [whose, holder, type] of [
    ['of a dead process are taken over, and what it had not recorded', newUuid(new Date(0)), 'media.ready'],
    [
      'that a process holds without having heard of it are found, and what waits in them',
      null,
      'waba.created',
    ],
  ] as const) {
    test(`${whose} is sent`, async (test) => {
      const receiver = await startReceiver(test);
      const { sid } = await verifiedEndpoint(app, receiver.url, { eventFilters: [type] });
      await happen(5, type);
      await fanOutOnce(context);
      await app.sql('update webhook_lanes set holder = $2, due_at = null where endpoint_sid = $1', [
        sid,
        holder ?? context.processId,
      ]);
      await settle(context);
      assert.equal(receiver.events().length, 5);
    });
  }

  test('given back while something is being added are due again', async (test) => {
    const receiver = await startReceiver(test);
    const { sid } = await verifiedEndpoint(app, receiver.url, { eventFilters: ['media.rejected'] });
    // Hammered: events are written and handed on while the lane is leased, drained and released. With room for one lane
    // only, it is given back as soon as it is idle.
    const worker = beginDelivering({ ...context, metrics: { registry: new Registry() } as never }, 1);
    let writing = true;
    const write = async () => {
      for (let i = 0; i < 60; i += 1) {
        await happen(1, 'media.rejected');
        await fanOutOnce(context);
      }
      writing = false;
    };
    const work = async () => {
      while (writing) await worker.turn();
      while (await worker.turn());
      await worker.end?.();
    };
    await Promise.all([write(), work()]);
    assert.equal(await app.count(`webhook_undelivered where endpoint_sid = '${sid}'`), 0);
    assert.equal(receiver.events().length, 60);
  });

  test('being given back take up nothing more, and leased again are others', inTime, async (test) => {
    const receiver = await startReceiver(test);
    const { sid } = await verifiedEndpoint(app, receiver.url, { eventFilters: ['flow.published'] });
    const [before, after] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let [leaving, left] = [0, 0];
    const { database } = context;
    const write = async (...given: Parameters<typeof database.write>) => {
      const gatesOpen = (given[0] as { endpointSid?: string }).endpointSid !== sid;
      leaving += gatesOpen ? 0 : 1;
      if (!gatesOpen) await before.promise;
      const done = await database.write(...given);
      left += gatesOpen ? 0 : 1;
      if (!gatesOpen && left === 2) await after.promise;
      return done;
    };
    const metrics = { registry: new Registry() } as never;
    const worker = beginDelivering({ ...context, database: { ...database, write: write as never }, metrics });
    const publish = async () => {
      await happen(1, 'flow.published');
      await fanOutOnce(context);
    };
    const turns = (condition: () => boolean) => turning(worker, 'what is awaited', condition);

    await publish();
    await turns(() => leaving === 1);
    await publish();
    for (let i = 0; i < 10; i += 1) await worker.turn();
    assert.equal(receiver.events().length, 1, 'what comes while it leaves is for who leases it next');
    before.resolve();
    await turns(() => left === 2);
    assert.equal(receiver.events().length, 2);

    const unanswered: ServerResponse[] = [];
    receiver.answer = (_received, response) => void unanswered.push(response);
    await publish();
    await turns(() => unanswered.length === 1);
    after.resolve();
    await publish();
    await turns(() => unanswered.length >= 2);
    for (let i = 0; i < 10; i += 1) await worker.turn();
    assert.equal(unanswered.length, 2, 'what the new lane has under way is not taken up again');
    receiver.answer = wellBehaved;
    for (const response of unanswered) response.end();
    await worker.end();
  });

  test('whose endpoint is paused in the middle stop within a second', async (test) => {
    const receiver = await startReceiver(test);
    const { path, sid } = await verifiedEndpoint(app, receiver.url, {
      eventFilters: ['operation.failed'],
      concurrencyCap: 1,
    });
    const time = holdTime(test);
    const responses: ServerResponse[] = [];
    receiver.answer = (_received, response) => void responses.push(response);
    const answered = async (sent: number) => {
      await turning(worker, `delivery ${sent}`, () => responses.length === sent);
      responses[sent - 1]!.end();
    };
    await happen(300, 'operation.failed');
    await fanOutOnce(context);
    const worker = begin();
    for (const sent of [1, 2]) await answered(sent);
    await turning(worker, 'the third is under way', () => responses.length === 3);
    await app.post(`${path}/pause`);
    // What is known of the endpoint is good for a second, and not for longer.
    time.advance(1_000);
    responses[2]!.end();
    await turning(worker, 'the lane is given back', () => !worker.holdsLanes());
    const sent = receiver.events().length;
    assert.equal(sent, 3);
    await worker.end?.();
    assert.equal(
      await app.count(`webhook_undelivered where endpoint_sid = '${sid}' and due_at is not null`),
      300 - sent,
    );
  });

  test('held by a process that stood still for a while go on with what came meanwhile', async (test) => {
    const receiver = await startReceiver(test);
    const { sid } = await verifiedEndpoint(app, receiver.url, { eventFilters: ['media.deleted'] });
    const worker = begin();
    await happen(1, 'media.deleted');
    await fanOutOnce(context);
    const time = holdTime(test);
    await turning(worker, 'the first came', () => receiver.events().length === 1);
    await recorded(sid);
    // The lane is held still, with nothing at hand; it would be given back in the next turn.
    assert.equal(worker.holdsLanes(), true);
    time.advance(5_000);
    await happen(1, 'media.deleted');
    await fanOutOnce(context);
    await turning(worker, 'the second came', () => receiver.events().length === 2);
    await worker.end?.();
  });

  test('that cannot be given back do not keep a worker from ending', async (test) => {
    const receiver = await startReceiver(test);
    const { sid } = await verifiedEndpoint(app, receiver.url, { eventFilters: ['media.deleted'] });
    await happen(1, 'media.deleted');
    await fanOutOnce(context);
    let away = false;
    const database = {
      ...context.database,
      write: ((...given: Parameters<typeof context.database.write>) =>
        away ? Promise.reject(new Error('the database is away')) : context.database.write(...given)) as never,
    };
    const metrics = { registry: new Registry() } as never;
    const worker = beginDelivering({ ...context, database, metrics });
    await turning(worker, 'it came', () => receiver.events().length === 1);
    await recorded(sid);
    away = true; // the lane is given back in the next turn, or at the end
    await worker.end?.();
    assert.equal(await app.count(`webhook_lanes where endpoint_sid = '${sid}' and holder is not null`), 1);
    await app.sql('update webhook_lanes set open = false, holder = null where endpoint_sid = $1', [sid]);
  });

  test('with a poisoned endpoint do not keep the others from theirs', async (test) => {
    const [good, bad] = [await startReceiver(test), await startReceiver(test)];
    const poisoned = await verifiedEndpoint(app, bad.url, { eventFilters: ['template.created'] });
    await verifiedEndpoint(app, good.url, { eventFilters: ['template.created'] });
    await app.sql(`update webhook_endpoints set sealed_secret = '\\x00' where sid = $1`, [poisoned.sid]);
    await happen(3, 'template.created');
    await fanOutOnce(context);
    const worker = begin();
    await turning(worker, 'the good one has its three', () => good.events().length === 3);
    assert.deepEqual([good.events().length, bad.events().length], [3, 0]);
    await app.sql('update webhook_lanes set open = false where endpoint_sid = $1', [poisoned.sid]);
    await app.sql('delete from webhook_undelivered where endpoint_sid = $1', [poisoned.sid]);
    await worker.end?.();
  });
});

suite('isolation', () => {
  test(
    'endpoints that hang delay neither the others of their account nor another account, and are not besieged',
    inTime,
    async (test) => {
      const hanging = await startReceiver(test);
      const [sibling, healthy] = [await startReceiver(test), await startReceiver(test)];
      const ways = { eventFilters: ['sender.updated'], timeoutMs: 30_000, concurrencyCap: 256 };
      for (let i = 0; i < 20; i += 1) await verifiedEndpoint(app, `${hanging.url}/${i}`, ways);
      await verifiedEndpoint(app, sibling.url, { eventFilters: ['sender.created'] });
      const left: ServerResponse[] = [];
      hanging.answer = (_received, response) => void left.push(response);
      const other = await app.newAccount();
      const neighbour = { ...app, ...other, at: `/v1/accounts/${other.accountSid}` } as TestApp;
      await verifiedNeighbour(neighbour, healthy.url);
      await happen(40, 'sender.updated');
      await fanOutOnce(context);
      const worker = begin();
      await turning(worker, 'all that may hang do', () => left.length >= 100);
      for (let i = 0; i < 10; i += 1) {
        await inAccount(neighbour, (t) => emitAnything(t, 'contact.created', { sid: `N${i}` }));
        await happen(1, 'sender.created');
        await fanOutOnce(context);
        await turning(
          worker,
          'both others have theirs',
          () => healthy.events().length > i && sibling.events().length > i,
        );
      }
      // All of it came while everything that hangs was hanging still: none of it waited for an end of that.
      assert.ok(left.every(({ destroyed }) => !destroyed));
      // Nobody knows yet whether they answer at all.
      const besieged = Object.values(Object.groupBy(left, ({ req }) => req.url!));
      assert.ok(besieged.every((responses) => responses!.length <= 8));
      hanging.answer = wellBehaved;
      for (const response of left) response.end();
      await worker.end?.();
    },
  );

  test('a lane that takes long to load, or to be given back, delays no other', inTime, async (test) => {
    const [good, bad] = [await startReceiver(test), await startReceiver(test)];
    const slow = await verifiedEndpoint(app, bad.url, { eventFilters: ['flow.created'] });
    await verifiedEndpoint(app, good.url, { eventFilters: ['flow.created', 'flow.updated'] });
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { database } = context;
    let [held, loads] = [0, 0];
    const hold = async () => {
      held += 1;
      await released;
    };
    const slowly = {
      ...database,
      read: ((tenant, requestContext, work) =>
        database.read(tenant, requestContext, async (t) => {
          const found = await work(t);
          if ((tenant as { endpointSid?: string }).endpointSid !== slow.sid) loads += 1;
          else await hold();
          return found;
        })) as typeof database.read,
    };
    const worker = begin(slowly);
    for (let i = 0; i < 3; i += 1) {
      await happen(1, i === 0 ? 'flow.created' : 'flow.updated');
      await fanOutOnce(context);
      await turning(worker, 'the good one has its own', () => good.events().length > i);
    }
    assert.deepEqual([held, bad.events().length], [1, 0]);
    assert.ok(loads >= 3, String(loads));
    release();
    await turning(worker, 'the slow one has its own', () => bad.events().length > 0);
    await worker.end();
  });

  test('an idle lane stays for a moment, and is then anybody’s', inTime, async (test) => {
    const receiver = await startReceiver(test);
    const { sid } = await verifiedEndpoint(app, receiver.url, { eventFilters: ['flow.deleted'] });
    const laneIs = async () =>
      (
        await app.sql<{ generation: number; free: boolean }>(
          'select generation::integer, holder is null as free from webhook_lanes where endpoint_sid = $1',
          [sid],
        )
      )[0]!;
    const before = await laneIs();
    const time = holdTime(test);
    const worker = begin();
    for (let i = 0; i < 5; i += 1) {
      await happen(1, 'flow.deleted');
      await fanOutOnce(context);
      time.advance(100); // lanes are looked for a few times a second
      await turning(worker, 'it came', () => receiver.events().length > i);
      await recorded(sid);
      for (let turns = 0; turns < 3; turns += 1) await worker.turn();
    }
    assert.deepEqual(await laneIs(), { generation: before.generation + 1, free: false });
    time.advance(1_000);
    await turning(worker, 'the lane is given back', () => !worker.holdsLanes());
    assert.deepEqual(await laneIs(), { generation: before.generation + 1, free: true });
    await worker.end();
  });

  const begin = (database = context.database) =>
    beginDelivering({ ...context, database, metrics: { registry: new Registry() } as never });

  async function verifiedNeighbour(neighbour: TestApp, url: string): Promise<void> {
    const owner = await person(neighbour, { accountSid: neighbour.accountSid });
    const stepUpToken = await owner.stepUp('WEBHOOK_ENDPOINT_CREATE');
    const made = await app.post(`${neighbour.at}/webhooks`, { url, stepUpToken }, owner.headers);
    const verified = await app.post(
      `${neighbour.at}/webhooks/${made.body.sid}/verify`,
      undefined,
      owner.headers,
    );
    assert.equal(verified.status, 200, verified.text);
  }
});
