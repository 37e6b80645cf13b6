import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { emitAnything } from '../../../../test/harness/events.ts';
import type { Lifetime } from '../../../../test/harness/lifetime.ts';
import { waitersAre } from '../../../../test/harness/locks.ts';
import {
  inAccount,
  loopContext,
  onThisMachine,
  type Receiver,
  settle,
  startReceiver,
  verifiedEndpoint,
} from '../../../../test/harness/webhooks.ts';
import { hearEvents, hearNoEvents } from '../../../platform/event-consumers/cursors.ts';
import type { JobContext } from '../../../platform/jobs/jobs.ts';
import { silentLog } from '../../../platform/observability/logging.ts';
import { trimHistories } from '../crons.ts';
import { lockHistory, trimHistory } from './history.ts';

const day = 24 * 60 * 60 * 1000;
const kept = 90 * day;

async function given(lifetime: unknown) {
  const app = await startTestApp(lifetime as Lifetime, { env: onThisMachine });
  const context = await loopContext(app, lifetime as Lifetime);
  const receiver = await startReceiver(lifetime as Lifetime);
  const endpoint = await verifiedEndpoint(app, receiver.url, { eventFilters: ['inbox.*'] });
  const happen = (...sids: string[]) =>
    inAccount(app, (t) => {
      for (const sid of sids) emitAnything(t, 'inbox.created', { object: 'thing', sid });
    });
  return { app, receiver, endpoint, happen, deliver: () => settle(context) };
}

const trim = (app: TestApp) =>
  trimHistories.run({
    database: app.database,
    now: () => app.clock.now(),
    log: silentLog,
    signal: new AbortController().signal,
  } as unknown as JobContext);

const own = (app: TestApp) => `account_sid = '${app.accountSid}' and not livemode`;
const things = async (app: TestApp) => {
  const rows = await app.sql<{ sid: string }>(
    `select data ->> 'sid' as sid from events where ${own(app)} and type = 'inbox.created' order by sequence`,
  );
  return rows.map(({ sid }) => sid);
};
const counts = async (app: TestApp) =>
  Promise.all(
    ['webhook_deliveries', 'webhook_attempts', 'webhook_undelivered'].map((table) =>
      app.count(`${table} where ${own(app)}`),
    ),
  );
const head = async (app: TestApp) =>
  Number((await app.sql(`select sequence from event_heads where ${own(app)}`))[0]!.sequence);
const fails: Receiver['answer'] = (_received, response) => response.writeHead(500).end();

suite('the history of events', () => {
  test('is kept for 90 days, with its deliveries and attempts, and then goes', async (context) => {
    const { app, happen, deliver } = await given(context);
    await happen('old');
    await deliver();
    app.clock.advance(kept - 1);
    await happen('young');
    await deliver();
    await trim(app);
    assert.deepEqual(await things(app), ['old', 'young']);
    app.clock.advance(1);
    await trim(app);
    assert.deepEqual(await things(app), ['young']);
    assert.deepEqual(await counts(app), [1, 1, 0]);
  });

  test('keeps what was not delivered yet, and everything after it, until it is', async (context) => {
    const { app, happen, deliver, endpoint, receiver } = await given(context);
    await happen('before');
    await deliver();
    assert.equal((await app.post(`${endpoint.path}/pause`)).status, 200);
    await happen('waiting', 'after');
    await deliver();
    app.clock.advance(kept + day);
    await trim(app);
    assert.deepEqual(await things(app), ['waiting', 'after']);
    assert.equal((await app.post(`${endpoint.path}/resume`)).status, 200);
    await deliver();
    assert.deepEqual(
      receiver.events().map(({ event }) => event.data.sid),
      ['before', 'waiting', 'after'],
    );
    await trim(app);
    assert.deepEqual(await things(app), []);
    assert.deepEqual(await counts(app), [0, 0, 0]);
  });

  test('keeps what was not handed on yet', async (context) => {
    const { app, happen, deliver, receiver } = await given(context);
    await happen('unseen');
    app.clock.advance(kept + day);
    await trim(app);
    assert.deepEqual(await things(app), ['unseen']);
    await deliver();
    assert.deepEqual(
      receiver.events().map(({ event }) => event.data.sid),
      ['unseen'],
    );
  });

  test('keeps what any consumer has not heard yet', async (context) => {
    const { app, happen, deliver } = await given(context);
    await happen('before');
    await inAccount(app, (t) => hearEvents(t, 'another'));
    await happen('unheard', 'after');
    await deliver();
    app.clock.advance(kept + day);
    await trim(app);
    assert.deepEqual(await things(app), ['unheard', 'after']);
    await inAccount(app, (t) => hearNoEvents(t, 'another'));
    await trim(app);
    assert.deepEqual(await things(app), []);
  });

  test('lets go of what was given up, with its event', async (context) => {
    const { app, happen, deliver, receiver } = await given(context);
    receiver.answer = fails;
    await happen('lost');
    for (let tries = 0; tries < 12; tries += 1) {
      await deliver();
      app.clock.advance(day);
    }
    assert.equal(await app.count(`webhook_undelivered where ${own(app)} and gave_up is not null`), 1);
    app.clock.advance(kept);
    await trim(app);
    assert.deepEqual(await counts(app), [0, 0, 0]);
  });

  test('goes in small steps, and the numbers of events go on', async (context) => {
    const { app, happen, deliver } = await given(context);
    for (let i = 0; i < 3; i += 1) await happen(...Array.from({ length: 700 }, (_, n) => `${i}-${n}`));
    await deliver();
    app.clock.advance(kept + day);
    const before = await head(app);
    assert.equal(await inAccount(app, trimHistory), true);
    assert.equal(await app.count(`events where ${own(app)}`), before - 1_000);
    await trim(app);
    assert.equal(await app.count(`events where ${own(app)}`), 0);
    await happen('next');
    assert.deepEqual(await things(app), ['next']);
    assert.equal(await head(app), before + 1);
    const [start] = await app.sql(`select sequence from event_log_starts where ${own(app)}`);
    assert.equal(Number(start!.sequence), before + 1);
  });

  test('ends where nothing ever happened', async (context) => {
    const { app } = await given(context);
    assert.equal(await inAccount(app, trimHistory, true), false);
    assert.equal(await app.count(`event_log_starts where account_sid = '${app.accountSid}' and livemode`), 0);
  });

  test('of another account and of live is its own', async (context) => {
    const { app, happen, deliver } = await given(context);
    await inAccount(app, (t) => emitAnything(t, 'inbox.created', { object: 'thing', sid: 'live' }), true);
    await happen('sandbox');
    await deliver();
    app.clock.advance(kept + day);
    await inAccount(app, trimHistory);
    assert.deepEqual(await things(app), []);
    assert.equal(await app.count(`events where account_sid = '${app.accountSid}' and livemode`), 1);
  });

  test('waits while somebody has some of it delivered again', async (context) => {
    const { app, happen, deliver } = await given(context);
    await happen('old');
    await deliver();
    app.clock.advance(kept + day);
    await inAccount(app, async (t) => {
      await lockHistory(t);
      await trim(app);
    });
    assert.deepEqual(await things(app), ['old']);
    await trim(app);
    assert.deepEqual(await things(app), []);
  });
});

suite('what is asked of a history that is gone', () => {
  test('is not there either for whoever asks while it goes: nothing is left without its event', async (context) => {
    const { app, happen, deliver, endpoint } = await given(context);
    await happen('one');
    await deliver();
    const [delivery] = await app.sql<{ sid: string; event: string }>(
      `select sid, event_sid as event from webhook_deliveries where ${own(app)} order by event_sequence desc limit 1`,
    );
    const toSequence = await head(app);
    app.clock.advance(kept + day);
    const asked = await inAccount(app, async (t) => {
      await trimHistory(t);
      const replies = [
        app.post(`${app.at}/events/${delivery!.event}/redeliver`, { endpointSid: endpoint.sid }),
        app.post(`${app.at}/events/replay`, { endpointSid: endpoint.sid, fromSequence: 1, toSequence }),
        app.post(`${endpoint.path}/deliveries/retry`, { deliverySids: [delivery!.sid] }),
      ];
      // They meet the history as it was, unless they wait for it.
      await Promise.race([Promise.all(replies), waitersAre(app, replies.length)]);
      return replies;
    });
    const replies = await Promise.all(asked);
    assert.deepEqual(
      replies.map(({ status }) => status),
      [404, 400, 404],
    );
    assert.deepEqual(await counts(app), [0, 0, 0]);
  });

  test('is refused with where it begins now; from the beginning on it is told', async (context) => {
    const { app, happen, deliver, endpoint } = await given(context);
    await happen('one', 'two', 'three');
    await deliver();
    app.clock.advance(kept + day);
    await trim(app);
    await happen('four');
    await deliver();
    const start = await head(app);
    const issueOf = (reply: { status: number; body: { error: { details: object[] } } }) => [
      reply.status,
      reply.body.error?.details,
    ];
    const issue = `is before ${start}, where the kept history begins`;
    const events = (query: string) => app.get(`${app.at}/events?sort=sequence&${query}`);
    assert.deepEqual(issueOf(await events(`afterSequence=${start - 2}`)), [
      400,
      [{ path: 'afterSequence', issue }],
    ]);
    for (const query of ['', 'afterSequence=0', `afterSequence=${start - 1}`]) {
      const { data } = (await events(query)).body;
      assert.deepEqual(
        data.map(({ sequence }: { sequence: number }) => sequence),
        [start],
      );
    }
    const gaps = (query: string) => app.get(`${endpoint.path}/gaps?${query}`);
    assert.deepEqual(issueOf(await gaps(`fromSequence=${start - 1}`)), [
      400,
      [{ path: 'fromSequence', issue }],
    ]);
    assert.deepEqual((await gaps('')).body.data, [], 'what is gone is no gap');
    const replay = (fromSequence: number) =>
      app.post(`${app.at}/events/replay`, { endpointSid: endpoint.sid, fromSequence, toSequence: start });
    assert.deepEqual(issueOf(await replay(start - 1)), [400, [{ path: 'fromSequence', issue }]]);
    assert.equal((await replay(start)).body.accepted, 1);
  });

  test('leaves a message its timeline, as far as the message remembers', async (context) => {
    const { app } = await given(context);
    const [sender] = (await app.get(`${app.at}/senders`)).body.data;
    const { sid } = (
      await app.post(`${app.at}/messages`, {
        from: sender.sid,
        to: '+33612003400',
        type: 'template',
        template: { name: 'hello_world', language: 'en' },
      })
    ).body;
    const statuses = async () =>
      (await app.get(`${app.at}/messages/${sid}/timeline`)).body.entries.map(
        ({ status }: { status: string }) => status,
      );
    assert.deepEqual(await statuses(), ['queued', 'held']);
    await app.sql('delete from events where resource_sid = $1', [sid]);
    await app.sql("update message_states set status = 'sent', rank = 20, sent_at = $2 where sid = $1", [
      sid,
      app.clock.now(),
    ]);
    assert.deepEqual(await statuses(), ['queued', 'held', 'sent']);
  });
});

test('a rare type is found page by page, each after a bounded look, newest or oldest first', async (context) => {
  const app = await startTestApp(context);
  await inAccount(app, (t) => emitAnything(t, 'inbox.updated', { object: 'thing', sid: 'first' }));
  const last = 50_000;
  // At both sides of where a look ends, from either end, and at the ends.
  const rare = [2, 20_000, 20_001, 30_000, 30_001, last];
  await app.sql(
    `insert into events (account_sid, livemode, sequence, sid, type, api_version, occurred_at, created_at, data)
     select $1, false, n, 'EV' || lpad(n::text, 26, '0'),
       case when n = any ($2::integer[]) then 'inbox.created' else 'inbox.updated' end, '2026-08-21', now(), now(),
       '{"object":"thing"}' from generate_series(2, $3::integer) n`,
    [app.accountSid, rare, last],
  );
  await app.sql(`update event_heads set sequence = $1 where ${own(app)}`, [last]);
  for (const sort of ['sequence', '-sequence']) {
    const found: number[] = [];
    let pages = 0;
    for (let cursor: string | null = ''; cursor !== null; pages += 1) {
      const query: string = `type=inbox.created&sort=${sort}${cursor && `&cursor=${cursor}`}`;
      const { body } = await app.get(`${app.at}/events?${query}`);
      found.push(...body.data.map(({ sequence }: { sequence: number }) => sequence));
      cursor = body.nextCursor;
      assert.equal(body.hasMore, cursor !== null);
      assert.ok(pages < 10);
    }
    assert.deepEqual(found, sort === 'sequence' ? rare : rare.toReversed());
    assert.equal(pages, 3);
  }
});
