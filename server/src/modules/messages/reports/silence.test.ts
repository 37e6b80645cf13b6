import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import fc from 'fast-check';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { billingOf } from '../../../../test/harness/billing.ts';
import { runJob } from '../../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { type Messages, messagesOf } from '../../../../test/harness/messages.ts';
import type { JobContext } from '../../../platform/jobs/jobs.ts';
import { silentLog } from '../../../platform/observability/logging.ts';
import { systemPrincipal } from '../../../platform/principal.ts';
import { crons } from '../crons.ts';
import type { Write } from '../dispatch/sweep-messages.ts';
import type { Status } from '../statuses.ts';
import { lookAtSilent, lookThroughHolds } from './silence.ts';

let app: TestApp;
let messages: Messages;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
  messages = await messagesOf(app);
});

const day = 24 * 60 * 60 * 1000;
const regular = { billable: true, model: 'PMP', type: 'regular', category: 'service' };
const cron = crons.find(({ name }) => name === 'messages.give-up-silent')!;
/** Looks through the holds of everybody who has a lane, as everybody has who ever sent. */
const look = async () => {
  await app.sql(`
    insert into dispatch_lanes (account_sid, livemode, sender_sid, due_at)
    select distinct account_sid, livemode, sender_sid, now() + interval '9 years' from message_states
    on conflict do nothing`);
  await cron.run({
    database: app.database,
    now: () => app.clock.now(),
    log: silentLog,
    signal: new AbortController().signal,
  } as unknown as JobContext);
};

const sent = async (more = {}) => {
  const sid = await messages.accepted({ status: 'sending', ...more });
  await messages.apply(messages.status(sid, 'sent'));
  return sid;
};
const stands = async (sid: string, of = messages) => [
  (await of.state(sid)).status,
  ...((await of.money(sid)) ?? []),
];
const told = async (sid: string) => (await messages.events(sid)).map(({ type }) => type);
/** Every balance is the sum of its transfers, and what is held is what stands open. */
const proven = (of = messages) => billingOf(app, { livemode: false, accountSid: of.accountSid }).balances();
const queuedFor = async (sid: string) =>
  app.sql<{ runAt: Date }>(`select run_at as "runAt" from graphile_worker.jobs where key = $1`, [
    `silent:${sid}`,
  ]);

suite('a message the provider never speaks of again', () => {
  test('fails 31 days after it was sent, says why, and gives its money back', async () => {
    const sid = await sent();
    app.clock.advance(31 * day - 1);
    await look();
    assert.deepEqual(await stands(sid), ['sent', 'held', null]);
    app.clock.advance(1 + 60_000);
    await look();
    assert.deepEqual(await stands(sid), ['failed', 'released', null]);
    const failed = (await messages.events(sid)).at(-1)!;
    const { error, failedAt } = failed.data as { error: { code: string }; failedAt: string };
    assert.deepEqual(
      [failed.type, error.code, failedAt],
      ['message.failed', 'RECIPIENT_UNREACHABLE', app.clock.now().toISOString()],
    );
    await proven();
  });

  test('and was never said to be sent becomes unknown', async () => {
    const sid = await messages.accepted({ status: 'sending' });
    app.clock.advance(31 * day + 1);
    await look();
    assert.deepEqual(await stands(sid), ['unknown', 'released', null]);
    assert.deepEqual(await told(sid), ['message.unknown']);
  });

  test('and was unknown stays so, and its money goes back at the latest now', async () => {
    const sid = await messages.accepted({ status: 'unknown' });
    app.clock.advance(31 * day + 1);
    await look();
    assert.deepEqual(await stands(sid), ['unknown', 'released', null]);
    assert.deepEqual(await told(sid), []);
  });

  test('is told once, however many look at the same time and however often', async () => {
    const sids = [await sent(), await sent(), await sent()];
    app.clock.advance(31 * day + 1);
    await Promise.all([look(), look(), look()]);
    await look();
    for (const sid of sids) assert.deepEqual(await told(sid), ['message.sent', 'message.failed']);
    await proven();
  });

  test('and is heard of after all moves on, and is charged no more', async () => {
    const sid = await sent();
    app.clock.advance(31 * day + 1);
    await look();
    const before = await proven();
    await messages.apply(messages.status(sid, 'delivered', { pricing: regular }));
    assert.deepEqual(await stands(sid), ['delivered', 'released', null]);
    const { price, error } = (await messages.events(sid)).at(-1)!.data as {
      price: { final: { amountMinor: string } };
      error: object | null;
    };
    assert.deepEqual([price.final.amountMinor, error], ['0', null]);
    assert.deepEqual(await proven(), before);
  });

  test('just as it is heard of ends as heard of, whichever comes first', async () => {
    for (let round = 0; round < 8; round += 1) {
      const sid = await sent();
      app.clock.advance(31 * day + 1);
      await Promise.all([look(), messages.apply(messages.status(sid, 'delivered', { pricing: regular }))]);
      assert.equal((await messages.state(sid)).status, 'delivered');
      assert.notEqual((await messages.money(sid))![0], 'held');
    }
    await proven();
  });

  test('counts from its own hand-off when that came later', async () => {
    const start = app.clock.now().getTime();
    const sid = await messages.accepted({ sendAt: new Date(start + 20 * day) });
    app.clock.advance(20 * day);
    await app.sql("update message_states set status = 'sending', rank = 10, waiting = false where sid = $1", [
      sid,
    ]);
    await messages.apply(messages.status(sid, 'sent'));
    app.clock.advance(12 * day);
    await look();
    assert.deepEqual(await stands(sid), ['sent', 'held', null]);
    const [{ runAt }] = (await queuedFor(sid)) as [{ runAt: Date }];
    assert.equal(runAt.getTime(), start + 51 * day);
    app.clock.advance(19 * day);
    await runJob({ app, accountSid: messages.accountSid }, lookAtSilent, { messageSid: sid });
    assert.deepEqual(await stands(sid), ['failed', 'released', null]);
  });

  test('because it waits to be sent keeps its money, and is looked at after it may have left', async () => {
    const sid = await messages.accepted();
    const start = app.clock.now().getTime();
    app.clock.advance(40 * day);
    await look();
    assert.deepEqual(await stands(sid), ['queued', 'held', null]);
    const [{ runAt }] = (await queuedFor(sid)) as [{ runAt: Date }];
    assert.equal(runAt.getTime(), start + 71 * day);
  });

  test('after it was delivered is settled at its estimate', async () => {
    const sid = await sent();
    await messages.apply(messages.status(sid, 'delivered'));
    app.clock.advance(31 * day + 1);
    await look();
    assert.deepEqual(await stands(sid), ['delivered', 'settled', '5000']);
  });

  test('is another account’s or environment’s own', async () => {
    const other = await messagesOf(app);
    const sid = await sent();
    app.clock.advance(31 * day + 1);
    const young = await other.accepted({ status: 'sending' });
    await look();
    assert.deepEqual(await stands(sid), ['failed', 'released', null]);
    assert.deepEqual(await stands(young, other), ['sending', 'held', null]);
  });
});

test('a reaction is at its end once it was sent: nothing is held for it, and nothing charged', async () => {
  const sid = await messages.accepted({ status: 'sending', type: 'reaction' });
  await messages.apply(messages.status(sid, 'sent'));
  assert.deepEqual(await stands(sid), ['sent', 'settled', '0']);
  const { price } = (await messages.events(sid)).at(-1)!.data as {
    price: { final: { amountMinor: string } };
  };
  assert.equal(price.final.amountMinor, '0');
  app.clock.advance(31 * day + 1);
  await look();
  assert.deepEqual(await told(sid), ['message.sent']);
});

test('a thousand messages are looked through in stretches, each once, and only what stands open is touched', async () => {
  const many = await messagesOf(app);
  const delivered = await many.accepted({ status: 'sending' });
  await many.apply(many.status(delivered, 'delivered', { pricing: regular }));
  const open: string[] = [];
  for (let i = 0; i < 1_100; i += 1) open.push(await many.accepted({ status: 'sending' }));
  app.clock.advance(31 * day + 1);
  const later = await many.accepted({ status: 'sending' });
  // Somebody who read the first stretch and fell asleep over it must not bring the others back there.
  let writes = 0;
  const asleep: Write = async (tenant, work) => {
    writes += 1;
    if (writes === 2) await look();
    return app.database.write(
      tenant,
      { principal: systemPrincipal('test', false), now: app.clock.now(), requestId: 'test', log: silentLog },
      work,
    );
  };
  await lookThroughHolds({ database: app.database, now: app.clock.now(), write: asleep }, many.tenant);
  const [{ unknown }] = (await app.sql<{ unknown: string }>(
    "select count(*) as unknown from message_states where account_sid = $1 and status = 'unknown'",
    [many.accountSid],
  )) as [{ unknown: string }];
  assert.equal(Number(unknown), open.length);
  const [cursor] = await app.sql<{ looked_until: string }>(
    'select looked_until from silence_looks where account_sid = $1 and not livemode',
    [many.accountSid],
  );
  assert.equal(cursor!.looked_until, open.at(-1));
  assert.deepEqual(await stands(later, many), ['sending', 'held', null]);
  assert.deepEqual(await stands(delivered, many), ['delivered', 'settled', '2000']);
  await proven(many);
});

test('whatever messages stand however, after all time nothing is held but for those that wait', async () => {
  const statuses: Status[] = ['queued', 'sending', 'unknown', 'sent', 'delivered', 'read', 'failed'];
  const history = fc.array(
    fc.record({
      status: fc.constantFrom(...statuses),
      priced: fc.boolean(),
      type: fc.constantFrom('text', 'reaction'),
    }),
    { minLength: 1, maxLength: 8 },
  );
  await fc.assert(
    fc.asyncProperty(history, async (given) => {
      const of = await messagesOf(app);
      let waiting = 0;
      for (const { status, priced, type } of given) {
        const reported = ['sent', 'delivered', 'read', 'failed'].includes(status);
        const sid = await of.accepted({ status: reported ? 'sending' : status, type });
        if (status === 'queued') waiting += 1;
        if (!reported) continue;
        const pricing = priced ? regular : null;
        await of.apply(of.status(sid, status as 'sent', { pricing }));
      }
      app.clock.advance(31 * day + 1);
      await look();
      const [{ held }] = (await app.sql<{ held: string }>(
        "select count(*) as held from message_holds where account_sid = $1 and state = 'held'",
        [of.accountSid],
      )) as [{ held: string }];
      assert.equal(Number(held), waiting);
      assert.equal((await proven(of)).held, 5_000n * BigInt(waiting));
    }),
    { numRuns: 15 },
  );
});
