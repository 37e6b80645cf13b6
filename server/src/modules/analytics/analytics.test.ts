import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import fc from 'fast-check';
import { startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { runCron, runJob } from '../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { countingStatements } from '../../../test/harness/statements.ts';
import { handleEvents } from '../../platform/event-consumers/consume.ts';
import { settleUnpriced } from '../messages/jobs.ts';
import { type Counting, countingIn, regular } from './analytics.test-data.ts';
import { analyticsConsumer } from './counting/consume.ts';
import { removeAggregatesBefore, trimDetail } from './counting/keep.ts';
import { fill, rebuildDay } from './counting/rebuild.ts';

const dayMs = 24 * 3_600_000;
const failure = {
  code: 'RECIPIENT_UNREACHABLE' as const,
  retryable: false,
  providerCode: 131_026,
  providerSubcode: null,
  reason: 'Message undeliverable',
  retryAfterMs: null,
};

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});
const today = () => app.clock.now().toISOString().slice(0, 10);
/** An account of its own at the beginning of a day, so that a test is over before the next. */
async function accountAtDawn(): Promise<Counting> {
  app.clock.set(new Date(Math.ceil(app.clock.now().getTime() / dayMs) * dayMs));
  return countingIn(app, lifetime);
}

suite('a message counts', () => {
  test('in the day it was accepted, under the status it has, at its estimate until its price is known', async () => {
    const account = await accountAtDawn();
    const sid = await account.send();
    await account.count();
    const [first] = await account.ask('groupBy=day,sender,category,country,status,direction');
    assert.deepEqual(
      [
        first.day,
        first.senderSid,
        first.category,
        first.country,
        first.status,
        first.direction,
        first.messages,
      ],
      [today(), account.from, 'utility', 'FR', 'queued', 'outbound', 1],
    );
    const [{ total, charged, expected }] = first.costs;
    assert.deepEqual([charged.amountMinor, total], ['0', expected]);
    assert.ok(BigInt(expected.amountMinor) > 0n);
    await account.report(sid, 'delivered', { pricing: regular });
    await account.count();
    const [then] = await account.ask('groupBy=status');
    assert.deepEqual([then.status, then.messages, then.costs[0].expected.amountMinor], ['delivered', 1, '0']);
    assert.equal(then.costs[0].charged.amountMinor, (await account.money(sid))![1]);
    assert.deepEqual(await account.differences(today()), []);
  });

  test('and a status that comes days later moves that day and no other', async () => {
    const account = await accountAtDawn();
    const day = today();
    const sid = await account.send();
    await account.report(sid, 'delivered', { pricing: regular });
    await account.count();
    app.clock.advance(40 * dayMs);
    await account.report(sid, 'read');
    await account.count();
    assert.deepEqual(await account.statuses(day), { read: 1 });
    assert.deepEqual(await account.statuses(today()), {});
    assert.deepEqual(await account.differences(day), []);
  });

  test('at the price that is told, or taken, after its delivery was told', async () => {
    const account = await accountAtDawn();
    const [late, never] = [await account.send(), await account.send()];
    for (const sid of [late, never]) await account.report(sid, 'delivered');
    await account.count();
    const [open] = await account.ask('');
    assert.equal(open.costs[0].charged.amountMinor, '0');
    await account.report(late, 'delivered', { pricing: regular });
    await runJob({ app, accountSid: account.accountSid }, settleUnpriced, { messageSid: never });
    for (const sid of [late, never]) {
      const types = (await account.events(sid)).map(({ type }) => type);
      assert.deepEqual(types, ['message.queued', 'message.delivered', 'message.priced']);
    }
    await account.count();
    const [{ costs }] = await account.ask('');
    const taken = await Promise.all(
      [late, never].map(async (sid) => BigInt((await account.money(sid))![1]!)),
    );
    assert.deepEqual(
      [costs[0].charged.amountMinor, costs[0].expected.amountMinor],
      [String(taken[0]! + taken[1]!), '0'],
    );
    assert.deepEqual(await account.differences(today()), []);
  });

  test('also when it came in, was canceled or failed, and then costs nothing', async () => {
    const account = await accountAtDawn();
    const [canceled, failed] = [await account.send(), await account.send()];
    const path = `${account.at}/messages/${canceled}/cancel`;
    assert.equal((await app.send('POST', path, { headers: account.headers })).status, 200);
    await account.report(failed, 'failed', { failure });
    await account.receive(account.inbound({ type: 'text', body: 'Hello' } as never));
    await account.count();
    assert.deepEqual(await account.statuses(today()), { canceled: 1, failed: 1, received: 1 });
    const codes = await account.ask('groupBy=errorCode,template,hour&status=failed');
    const { errorCode, template, hour, messages } = codes[0];
    assert.deepEqual(
      [errorCode, template, hour, messages, codes.length],
      ['RECIPIENT_UNREACHABLE', 'hello_world', app.clock.now().toISOString(), 1, 1],
    );
    const [{ costs }] = await account.ask('');
    assert.equal(costs[0].total.amountMinor, '0');
    const [inbound] = await account.ask('groupBy=direction,category,country&direction=inbound');
    assert.deepEqual([inbound.category, inbound.country, inbound.costs], [null, 'FR', []]);
    assert.deepEqual(await account.differences(today()), []);
  });
});

suite('the numbers', () => {
  const steps = [
    'send',
    'sent',
    'delivered',
    'read',
    'failed',
    'priced',
    'canceled',
    'inbound',
    'count',
    'night',
  ] as const;
  const runs = Number(process.env.ANALYTICS_ROUNDS ?? 12);
  test(`are those of the messages, in whatever order things happen and are counted (${runs} histories)`, async () => {
    const histories = fc.array(fc.tuple(fc.constantFrom(...steps), fc.nat(20)), {
      minLength: 5,
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        const account = await accountAtDawn();
        const days = new Set([today()]);
        const sids: string[] = [];
        const act = async (step: (typeof steps)[number], which: number) => {
          const sid = sids[which % sids.length];
          if (step === 'count') return account.count();
          if (step === 'inbound')
            return account.receive(account.inbound({ type: 'text', body: 'Hello' } as never));
          if (step === 'send' || sid === undefined) return void sids.push(await account.send());
          if (step === 'night') return void app.clock.advance(dayMs);
          if (step === 'canceled')
            return void (await app.send('POST', `${account.at}/messages/${sid}/cancel`, {
              headers: account.headers,
            }));
          if (step === 'failed') return account.report(sid, 'failed', { failure });
          return account.report(
            sid,
            step === 'priced' ? 'delivered' : step,
            step === 'priced' ? { pricing: regular } : {},
          );
        };
        for (const [step, which] of history) {
          await act(step, which);
          if (which % 3 === 0) await account.count();
          days.add(today());
        }
        await account.count();
        for (const day of days) {
          assert.deepEqual(await account.statuses(day), await account.recounted(day));
          assert.deepEqual(await account.differences(day), []);
        }
      }),
      { numRuns: runs },
    );
  });

  test('stay as they are when their messages are removed, also when they are counted anew', async () => {
    const account = await accountAtDawn();
    const day = today();
    const [kept, removed] = [await account.send(), await account.send()];
    await account.report(removed, 'delivered', { pricing: regular });
    await account.count();
    const before = await account.ask(`from=${day}&to=${day}&groupBy=status,country,template`);
    for (const table of ['message_states', 'messages'])
      await app.sql(`delete from ${table} where sid = $1`, [removed]);
    await account.write((t) => rebuildDay(t, day));
    assert.deepEqual(await account.ask(`from=${day}&to=${day}&groupBy=status,country,template`), before);
    assert.deepEqual(await account.differences(day), []);
    // What its country and template were read from may be erased before its next status.
    await app.sql(`update messages set address = '', content = null where sid = $1`, [kept]);
    await account.report(kept, 'sent');
    await account.count();
    assert.deepEqual(await account.statuses(day), { sent: 1, delivered: 1 });
    const places = await account.ask(`from=${day}&to=${day}&groupBy=country,template`);
    assert.deepEqual(
      places.map(({ country, template, messages }: Record<string, unknown>) => [country, template, messages]),
      [['FR', 'hello_world', 2]],
    );
    assert.deepEqual(await account.differences(day), []);
  });

  test('that are wrong are named one by one, and right again once the day is counted anew', async () => {
    const account = await accountAtDawn();
    const [one, two] = [await account.send(), await account.send()];
    await account.count();
    await app.sql('update analytics_days set messages = messages + 1 where account_sid = $1', [
      account.accountSid,
    ]);
    await app.sql('update analytics_hours set charged_minor = 7 where account_sid = $1', [
      account.accountSid,
    ]);
    await app.sql(`update analytics_counted set status = 'read' where message_sid = $1`, [one]);
    await app.sql('delete from analytics_counted where message_sid = $1', [two]);
    const found = await account.differences(today());
    assert.deepEqual(
      found
        .slice(0, 2)
        .map(({ what, stored, recomputed }) => [what, stored.split(' ')[0], recomputed.split(' ')[0]]),
      [
        [`message ${one}`, 'read', 'queued'],
        [`message ${two}`, 'not', 'queued'],
      ],
    );
    assert.ok(
      found.some(({ what, stored }) => what.startsWith(`${today()} `) && stored.startsWith('3 messages')),
    );
    assert.ok(
      found.some(({ what, stored }) => what.startsWith(`${today()}T`) && stored.includes('charged 7')),
    );
    await account.write((t) => rebuildDay(t, today()));
    assert.deepEqual(await account.differences(today()), []);
    assert.deepEqual(await account.statuses(today()), { queued: 2 });
  });

  test('are not wrong while something that happened is still to be counted', async () => {
    const account = await accountAtDawn();
    const sid = await account.send();
    await account.count();
    await account.report(sid, 'sent');
    await account.send();
    assert.deepEqual(await account.differences(today()), []);
    assert.deepEqual(await account.statuses(today()), { queued: 1 });
  });

  test('of days before a day can be removed, and nothing that happens later brings them back', async () => {
    const account = await accountAtDawn();
    const old = today();
    const sid = await account.send();
    await account.count();
    app.clock.advance(3 * dayMs);
    await account.send();
    await account.count();
    assert.equal(await account.write((t) => removeAggregatesBefore(t, today())), false);
    await account.report(sid, 'delivered', { pricing: regular });
    await account.count();
    await account.write((t) => rebuildDay(t, old));
    assert.deepEqual([await account.statuses(old), await account.statuses(today())], [{}, { queued: 1 }]);
    assert.deepEqual(await account.differences(old), []);
  });

  test('in detail are removed once nobody can ask for them, and late statuses still move the day', async () => {
    const account = await accountAtDawn();
    const day = today();
    const sid = await account.send();
    await account.count();
    const details = async () =>
      (await app.sql('select from analytics_hours where account_sid = $1', [account.accountSid])).length;
    app.clock.advance(7 * dayMs);
    await runCron(app, trimDetail);
    assert.equal((await account.ask(`from=${day}&groupBy=hour,template`)).length, 1);
    app.clock.advance(2 * dayMs);
    await runCron(app, trimDetail);
    assert.equal(await details(), 0);
    await account.report(sid, 'sent');
    await account.count();
    assert.equal(await details(), 0);
    await runCron(app, trimDetail);
    const left = await app.sql('select status from analytics_days where account_sid = $1', [
      account.accountSid,
    ]);
    assert.deepEqual(left, [{ status: 'sent' }], 'the row that came to nothing is gone');
    assert.deepEqual(await account.differences(day), []);
  });
});

suite('an account that was there before', () => {
  /** As one whose first events are no longer kept. */
  const forget = (account: Counting) =>
    app.sql('delete from events where account_sid = $1 and sequence = 1', [account.accountSid]);
  const fillJobs = async (account: Counting) => {
    const rows = await app.sql<{ payload: { payload: { day: string | null } } }>(
      `delete from graphile_worker._private_jobs using graphile_worker._private_tasks task
        where task.id = task_id and identifier = 'analytics.fill' and payload #>> '{tenant,accountSid}' = $1 returning payload`,
      [account.accountSid],
    );
    return rows.map(({ payload }) => payload.payload);
  };

  test('is counted from its messages day by day, while more happens, and nothing is missed or counted twice', async () => {
    const account = await accountAtDawn();
    const first = today();
    const sids = [await account.send(), await account.send(), await account.send()];
    app.clock.advance(2 * dayMs);
    const second = today();
    sids.push(await account.send());
    await forget(account);
    await account.count();
    assert.deepEqual(await account.statuses(first), {}, 'its history is still to be counted');
    // Between the beginning and the first day, and between the days: of messages that are counted already, and that are not.
    await account.report(sids[0]!, 'sent');
    const rounds: (string | null)[] = [];
    for (let jobs = await fillJobs(account); jobs.length > 0; jobs = await fillJobs(account)) {
      assert.equal(jobs.length, 1);
      rounds.push(jobs[0]!.day);
      await runJob({ app, accountSid: account.accountSid }, fill, jobs[0]!);
      await account.report(sids[1]!, rounds.length === 1 ? 'sent' : 'delivered');
      if (rounds.length === 2) await account.count();
      await account.send();
    }
    await account.count();
    assert.deepEqual(rounds.slice(0, 2), [
      null,
      new Date(Date.parse(first) + dayMs).toISOString().slice(0, 10),
    ]);
    for (const day of [first, second]) {
      assert.deepEqual(await account.statuses(day), await account.recounted(day));
      assert.deepEqual(await account.differences(day), []);
    }
  });

  test('a few days ago is counted from its events, without a job', async () => {
    const account = await accountAtDawn();
    await account.send();
    app.clock.advance(5 * dayMs);
    await account.count();
    assert.deepEqual(await fillJobs(account), []);
    assert.deepEqual(await account.differences(today()), []);
    assert.equal((await account.ask('')).length, 1);
  });
});

test('a thousand events take a handful of statements', async () => {
  const account = await accountAtDawn();
  await account.send();
  await account.count();
  const template = { name: 'hello_world', language: 'en' };
  const messages = Array.from({ length: 400 }, (_, at) => ({
    from: account.from,
    to: `+3361${String(1_000_000 + at)}`,
    type: 'template',
    template,
  }));
  const path = `${account.at}/messages/batch`;
  const reply = await app.send('POST', path, { headers: account.headers, body: { messages } });
  assert.equal(reply.body.accepted, 400, reply.text);
  const statements = await account.write(async (t) => {
    const counted = countingStatements(t);
    await handleEvents(counted.t, analyticsConsumer);
    return counted.count();
  });
  assert.ok(statements <= 9, `${statements} statements`);
  assert.deepEqual(await account.statuses(today()), { queued: 401 });
});
