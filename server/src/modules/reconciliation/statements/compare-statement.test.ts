import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { atOnce } from '../../../../test/harness/billing.ts';
import { runCron, runJob } from '../../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { messagesOf } from '../../../../test/harness/messages.ts';
import { newSid } from '../../../platform/ids.ts';
import type { PricingCount } from '../../provider/index.ts';
import { casesOf } from '../reconciliation.test-data.ts';
import { compareStatement } from './compare-statement.ts';
import { lookAtStatements } from './crons.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

const regular = { billable: true, model: 'PMP', type: 'regular', category: 'utility' };
const hour = 3_600_000;

/** An account that sent some messages to France, and a provider that counts them as it is told. */
async function given(delivered: number, undelivered = 0) {
  const messages = await messagesOf(app);
  const cases = casesOf(app, messages);
  const [{ number }] = (await app.sql('select phone_number as number from senders where sid = $1', [
    messages.senderSid,
  ])) as [{ number: string }];
  const sids: string[] = [];
  for (let i = 0; i < delivered + undelivered; i += 1) {
    const sid = await messages.accepted({
      status: 'sending',
      category: 'utility',
      to: `+336120${10_000 + i}`,
    });
    await messages.apply(messages.status(sid, 'sent', { pricing: regular }));
    if (i < delivered) await messages.apply(messages.status(sid, 'delivered', { pricing: regular }));
    sids.push(sid);
  }
  const today = app.clock.now().toISOString().slice(0, 10);
  const count = (volume: number, more: Partial<PricingCount> = {}): PricingCount => ({
    day: today,
    phoneNumber: number.slice(1),
    country: 'FR',
    category: 'utility',
    type: 'regular',
    volume,
    cost: null,
    ...more,
  });
  const asked: { from: Date; to: Date }[] = [];
  const from = new Date(today);
  const payload = {
    wabaSid: messages.wabaSid,
    from: from.toISOString(),
    to: new Date(from.getTime() + 24 * hour).toISOString(),
  };
  const compare = (counts: PricingCount[]) =>
    runJob(
      {
        app,
        accountSid: messages.accountSid,
        provider: {
          async pricingAnalytics(_connection, _wabaId, span) {
            asked.push(span);
            return { ok: true, value: { counts } };
          },
        },
      },
      compareStatement,
      payload,
    );
  const found = async () =>
    (await cases.all()).map(({ outcome, state, messageCount }) => [outcome, state, messageCount]).sort();
  return { messages, cases, sids, count, compare, found, payload, asked };
}

suite('a period compared with the figures of the provider', () => {
  test('that agree opens no case, whoever asks and however often', async () => {
    const { compare, count, found, asked } = await given(3, 1);
    await compare([count(3)]);
    await compare([count(1), count(2)]);
    assert.deepEqual(await found(), []);
    // A day on either side, where what it put on the wrong day cancels out.
    assert.deepEqual(asked[0]!.to.getTime() - asked[0]!.from.getTime(), 72 * hour);
  });

  test('opens a case for each outcome, once, and names who may be meant', async () => {
    const { compare, count, found, cases, sids, messages } = await given(3, 1);
    const theirs = [count(5), count(2, { country: 'DE', category: 'marketing' })];
    await compare(theirs);
    await compare(theirs);
    assert.deepEqual(await found(), [
      ['missing_platform_event', 'open', 1],
      ['unexpected_provider_charge', 'open', 1],
      ['unexpected_provider_charge', 'open', 2],
    ]);
    const untold = (await cases.all()).find(({ outcome }) => outcome === 'missing_platform_event')!;
    assert.deepEqual(
      [untold.messageSids, untold.wabaSid, untold.source],
      [[sids[3]], messages.wabaSid, 'analytics'],
    );
    assert.deepEqual(
      [untold.bucket!.country, untold.bucket!.category, untold.bucket!.senderSid],
      ['FR', 'utility', messages.senderSid],
    );
    assert.deepEqual(untold.difference, { messages: 1, amount: null });
    assert.deepEqual(await cases.told(untold.sid), ['opened']);
  });

  test('opens each case once when fifty compare at once', async () => {
    const { compare, count, found } = await given(2);
    const done = await atOnce(Array.from({ length: 50 }), () => compare([count(1)]));
    assert.ok(done.every(({ status }) => status === 'fulfilled'));
    assert.deepEqual(await found(), [['missing_provider_status', 'open', 1]]);
  });

  test('follows the provider when it corrects its figures, and settles what is gone', async () => {
    const { compare, count, found, cases } = await given(3);
    await compare([count(1)]);
    await compare([count(2)]);
    assert.deepEqual(await found(), [['missing_provider_status', 'open', 1]]);
    await compare([count(3)]);
    const [settled] = await cases.all();
    assert.deepEqual(
      [settled!.state, settled!.resolution!.reason],
      ['resolved', "The provider's later figures agree with ours."],
    );
    assert.deepEqual(await cases.told(settled!.sid), ['opened', 'updated', 'resolved']);
    await compare([count(1)]);
    assert.deepEqual(await found(), [['missing_provider_status', 'resolved', 2 - 1]]);
  });

  test('tells messages counted in another category as a mismatch, without an amount of the provider', async () => {
    const { compare, count, cases } = await given(3);
    await compare([count(1), count(2, { category: 'marketing' })]);
    const [found, ...others] = await cases.all();
    assert.deepEqual(others, []);
    assert.deepEqual([found!.outcome, found!.messageCount, found!.difference], ['amount_mismatch', 2, null]);
    assert.match(
      found!.findings[0]!.text,
      /counts 2 as marketing, regular that were charged as utility, regular/,
    );
  });

  test('waits when the provider does not answer, and gives up when it refuses', async () => {
    const { messages, payload, found } = await given(1);
    const failing = (retryable: boolean) => ({
      app,
      accountSid: messages.accountSid,
      provider: {
        pricingAnalytics: async () => ({
          ok: false as const,
          failure: {
            code: 'PROVIDER_TEMPORARY_ERROR' as const,
            retryable,
            providerCode: null,
            providerSubcode: null,
            reason: 'busy',
            retryAfterMs: null,
          },
        }),
      },
    });
    await assert.rejects(runJob(failing(true), compareStatement, payload), /busy/);
    await runJob(failing(false), compareStatement, payload);
    await runJob(failing(true), compareStatement, { ...payload, wabaSid: newSid('WB', app.clock.now()) });
    assert.deepEqual(await found(), []);
  });
});

test('a month is looked at twice, 48 hours and 7 days after its end, and each look is queued once', async () => {
  const { cases, messages } = await given(0);
  type Span = { from: string; to: string; wabaSid: string };
  const queued = async () => {
    const payloads = (await cases.take(['reconciliation.compare-statement'])).map(
      ({ payload }) => payload.payload as Span,
    );
    // The account's own sandbox number is connected too.
    return payloads.filter(({ wabaSid }) => wabaSid === messages.wabaSid).map(({ from, to }) => [from, to]);
  };
  const look = async (at: string) => {
    app.clock.advance(Date.parse(at) - app.clock.now().getTime());
    await runCron(app, lookAtStatements);
    await runCron(app, lookAtStatements);
    return queued();
  };
  const year = app.clock.now().getUTCFullYear() + 1;
  const february = [`${year}-02-01T00:00:00.000Z`, `${year}-03-01T00:00:00.000Z`];
  await look(`${year}-02-28T00:00:00Z`);
  assert.deepEqual(await look(`${year}-03-02T23:59:59Z`), []);
  assert.deepEqual(await look(`${year}-03-03T00:00:00Z`), [february]);
  assert.deepEqual(await look(`${year}-03-07T23:59:59Z`), []);
  assert.deepEqual(await look(`${year}-03-08T00:00:00Z`), [february]);
  assert.deepEqual(await look(`${year}-03-31T00:00:00Z`), []);
});
