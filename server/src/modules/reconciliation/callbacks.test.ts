// Differences that show in the provider's callbacks, or in their absence.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { atOnce, billingOf } from '../../../test/harness/billing.ts';
import { runCron, runJob } from '../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { messagesOf } from '../../../test/harness/messages.ts';
import { countingStatements } from '../../../test/harness/statements.ts';
import { crons } from '../messages/crons.ts';
import { applyStatuses } from '../messages/index.ts';
import { releaseUnknown } from '../messages/jobs.ts';
import { giveUpSilent } from '../messages/reports/silence.ts';
import type { ProviderHistoryEvent } from '../provider/index.ts';
import { casesOf } from './reconciliation.test-data.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

const day = 24 * 60 * 60 * 1000;
const priced = (category: string, type = 'regular') => ({
  billable: type === 'regular',
  model: 'PMP',
  type,
  category,
});

/** An account of its own, whose cases are its own. */
async function given() {
  const messages = await messagesOf(app);
  const cases = casesOf(app, messages);
  const billing = billingOf(app, { livemode: false, accountSid: messages.accountSid });
  const delivered = async (pricing = priced('marketing')) => {
    const sid = await messages.accepted({ status: 'sending', category: 'marketing' });
    await messages.apply(messages.status(sid, 'sent'));
    await messages.apply(messages.status(sid, 'delivered', { pricing }));
    return sid;
  };
  const final = async (sid: string) => BigInt((await messages.state(sid)).final_minor as string);
  return { messages, cases, billing, delivered, final };
}
type Given = Awaited<ReturnType<typeof given>>;

const silentFor = async ({ messages }: Pick<Given, 'messages'>, count: number) => {
  const sids: string[] = [];
  for (let i = 0; i < count; i += 1)
    sids.push(await messages.accepted({ status: 'sending', to: `+3361200${String(3400 + i)}` }));
  app.clock.advance(31 * day + 1);
  await messages.write((t) => giveUpSilent(t, sids));
  return sids;
};

suite('a price the provider names after a message was settled', () => {
  test('and is the same opens no case, however often and in whatever order it is told', async () => {
    const { messages, cases, delivered } = await given();
    const sid = await delivered();
    await messages.apply(messages.status(sid, 'read', { pricing: priced('marketing') }));
    await messages.apply(messages.status(sid, 'delivered', { pricing: priced('marketing') }));
    await messages.apply(messages.status(sid, 'sent', { pricing: priced('marketing') }));
    const free = await delivered(priced('marketing', 'free_entry_point'));
    await messages.apply(
      messages.status(free, 'read', { pricing: priced('referral_conversion', 'free_entry_point') }),
    );
    await messages.apply(messages.status(sid, 'read', { pricing: priced('nobody_knows', 'nor_this') }));
    assert.equal(await cases.look(), 0);
  });

  test('and is lower is credited at once, and the case is settled with it', async () => {
    const { messages, cases, billing, delivered, final } = await given();
    const sid = await delivered();
    const taken = await final(sid);
    const paid = (await billing.balances()).available!;
    await messages.apply(messages.status(sid, 'read', { pricing: priced('marketing', 'free_entry_point') }));
    await cases.look();
    const [found, ...others] = await cases.all();
    assert.deepEqual(others, []);
    assert.deepEqual(
      [found!.outcome, found!.state, found!.source, found!.messageSids, found!.messageCount, found!.version],
      ['amount_mismatch', 'resolved', 'callback', [sid], 1, 2],
    );
    const usd = (amountMinor: bigint) => ({ amountMinor: String(amountMinor), currency: 'USD', scale: 6 });
    assert.deepEqual(found!.difference, { messages: 0, amount: usd(-taken) });
    assert.deepEqual(found!.resolution!.adjusted, usd(-taken));
    assert.match(found!.resolution!.decidedBy, /^system:/);
    assert.deepEqual(await cases.told(found!.sid), ['opened', 'resolved']);
    assert.equal((await billing.balances()).available, paid + taken);
  });

  test('and is higher waits for a decision, and nothing moves', async () => {
    const { messages, cases, billing, delivered, final } = await given();
    const sid = await delivered(priced('utility'));
    const before = await billing.balances();
    await messages.apply(messages.status(sid, 'read', { pricing: priced('marketing') }));
    await cases.look();
    const [found] = await cases.all();
    assert.deepEqual([found!.outcome, found!.state], ['amount_mismatch', 'open']);
    assert.equal(found!.expected.amount!.amountMinor, String(await final(sid)));
    assert.ok(BigInt(found!.difference!.amount!.amountMinor) > 0n);
    assert.deepEqual(await billing.balances(), before);
  });

  test('is one case however many find it at once', async () => {
    const { messages, cases, delivered, billing } = await given();
    const sid = await delivered();
    await messages.apply(messages.status(sid, 'read', { pricing: priced('utility') }));
    const [job] = await cases.take(['reconciliation.doubted-prices']);
    const done = await atOnce(Array.from({ length: 50 }), () => cases.run({}, job!));
    assert.ok(done.every(({ status }) => status === 'fulfilled'));
    const [found, ...others] = await cases.all();
    assert.deepEqual([found!.state, others], ['resolved', []]);
    assert.deepEqual(await cases.told(found!.sid), ['opened', 'resolved']);
    await billing.balances();
  });

  test('and another after it is compared with what was paid by then', async () => {
    const { messages, cases, delivered, final, billing } = await given();
    const sid = await delivered();
    const before = (await billing.balances()).available! + (await final(sid));
    await messages.apply(messages.status(sid, 'read', { pricing: priced('utility') }));
    await cases.look();
    await messages.apply(messages.status(sid, 'read', { pricing: priced('marketing', 'free_entry_point') }));
    await cases.look();
    assert.deepEqual(
      (await cases.all()).map(({ state }) => state),
      ['resolved', 'resolved'],
    );
    assert.equal((await billing.balances()).available, before);
  });
});

suite('a message whose money was given back', () => {
  test('because nothing was heard is a case, all of a place and a day are one', async () => {
    const all = await given();
    const sids = await silentFor(all, 3);
    await all.cases.look();
    const [found, ...others] = await all.cases.all();
    assert.deepEqual(others, []);
    const { outcome, state, messageSids, messageCount, bucket, wabaSid } = found!;
    assert.deepEqual(
      [outcome, state, messageSids, messageCount, wabaSid],
      ['missing_provider_status', 'open', sids.toSorted(), 3, all.messages.wabaSid],
    );
    assert.deepEqual(
      [bucket!.country, bucket!.category, bucket!.senderSid],
      ['FR', 'service', all.messages.senderSid],
    );
    assert.deepEqual(found!.difference, { messages: -3, amount: null });
  });

  test('when its answer was lost is a case too, once however often the job runs', async () => {
    const { messages, cases } = await given();
    const sid = await messages.accepted({ status: 'unknown' });
    const place = { app, accountSid: messages.accountSid };
    await runJob(place, releaseUnknown, { messageSid: sid });
    await runJob(place, releaseUnknown, { messageSid: sid });
    assert.equal(await cases.look(), 1);
    assert.deepEqual(
      (await cases.all()).map(({ outcome }) => outcome),
      ['missing_provider_status'],
    );
  });

  test('and that the provider charges for after all is an unexpected charge', async () => {
    const all = await given();
    const { messages, cases, billing } = all;
    const [sid] = (await silentFor(all, 1)) as [string];
    await cases.look();
    const before = await billing.balances();
    await messages.apply(messages.status(sid, 'delivered', { pricing: priced('marketing') }));
    await cases.look();
    const found = (await cases.all()).find(({ outcome }) => outcome === 'unexpected_provider_charge')!;
    assert.deepEqual(
      [found.state, found.messageSids, found.expected.amount!.amountMinor],
      ['open', [sid], '0'],
    );
    assert.ok(BigInt(found.reported.amount!.amountMinor) > 0n);
    assert.deepEqual(await billing.balances(), before);
  });

  test('fifty at once are one case with fifty messages', async () => {
    const { messages, cases } = await given();
    const sids: string[] = [];
    for (let i = 0; i < 50; i += 1)
      sids.push(await messages.accepted({ status: 'unknown', to: `+33612004${100 + i}` }));
    await atOnce(sids, (messageSid) =>
      runJob({ app, accountSid: messages.accountSid }, releaseUnknown, { messageSid }),
    );
    const done = await atOnce(await cases.take(['reconciliation.silent-messages']), (job) =>
      cases.run({}, job),
    );
    assert.ok(done.every(({ status }) => status === 'fulfilled'));
    const [found, ...others] = await cases.all();
    assert.deepEqual(others, []);
    assert.deepEqual([found!.messageCount, found!.messageSids.length, found!.version], [50, 50, 50]);
    assert.deepEqual((await cases.told(found!.sid)).filter((verb) => verb === 'opened').length, 1);
  });
});

suite('a charge for a message nobody knows', () => {
  const join = crons.find(({ name }) => name === 'messages.join-parked-statuses')!;
  test('is a case after a day of looking for it, counted once for each message', async () => {
    const { messages, cases } = await given();
    const stranger = (name: string, status: 'sent' | 'delivered' | 'read', pricing = priced('utility')) =>
      messages.apply(messages.status(null, status, { providerMessageId: name, pricing }));
    for (const name of ['wamid.A', 'wamid.B']) {
      await stranger(name, 'sent');
      await stranger(name, 'delivered');
      await stranger(name, 'read');
    }
    await stranger('wamid.free', 'delivered', priced('service', 'free_customer_service'));
    app.clock.advance(day - 1);
    await runCron(app, join);
    assert.equal(await cases.look(), 0);
    app.clock.advance(60_000);
    await runCron(app, join);
    await cases.look();
    const [found, ...others] = await cases.all();
    assert.deepEqual(others, []);
    assert.deepEqual(
      [found!.outcome, found!.messageCount, found!.messageSids, found!.reported.messages],
      ['unexpected_provider_charge', 2, [], 2],
    );
    assert.match(found!.findings[0]!.text, /wamid\.[AB]/);
  });
});

suite('the provider is asked about the messages of a case', () => {
  const history = (events: (sid: string) => string[]) => ({
    messageHistory: async (_connection: object, _number: string, name: string) => ({
      ok: true as const,
      value: {
        events: events(name.replace('wamid.', '')).map(
          (status): ProviderHistoryEvent => ({ status, occurredAt: app.clock.now() }),
        ),
      },
    }),
  });
  /** Silent ones that the provider had named before. */
  const named = async (all: Given, count: number) => {
    const sids: string[] = [];
    for (let i = 0; i < count; i += 1) {
      const sid = await all.messages.accepted({ status: 'sending', to: `+3361200${String(3400 + i)}` });
      await all.messages.apply(all.messages.status(sid, 'sent'));
      sids.push(sid);
    }
    app.clock.advance(31 * day + 1);
    await all.messages.write((t) => giveUpSilent(t, sids));
    await all.cases.look();
    return sids;
  };

  test('and where it delivered none, the case is settled by itself', async () => {
    const all = await given();
    await named(all, 2);
    await all.cases.enquire(history(() => ['sent', 'failed']));
    const [found] = await all.cases.all();
    assert.equal(found!.state, 'resolved');
    assert.deepEqual(await all.cases.told(found!.sid), ['opened', 'updated', 'updated', 'resolved']);
    assert.equal(found!.findings.filter(({ text }) => text.includes('never delivered')).length, 2);
  });

  test('and what it delivered is a missing event, with the price it would have had', async () => {
    const all = await given();
    const [first, second] = (await named(all, 2)) as [string, string];
    await all.cases.enquire(history((sid) => (sid === second ? ['sent', 'delivered'] : ['sent'])));
    const found = await all.cases.all();
    const untold = found.find(({ outcome }) => outcome === 'missing_platform_event')!;
    assert.deepEqual(
      [untold.state, untold.source, untold.messageSids, untold.reported.amount!.amountMinor],
      ['open', 'message_history', [second], '5000'],
    );
    const silent = found.find(({ outcome }) => outcome === 'missing_provider_status')!;
    assert.deepEqual([silent.state, silent.messageSids], ['resolved', [first, second].sort()]);
  });

  test('and where it cannot be asked, the case says so and waits for somebody', async () => {
    const all = await given();
    await silentFor(all, 1);
    await all.cases.look();
    await all.cases.enquire({});
    const [found] = await all.cases.all();
    assert.equal(found!.state, 'investigating');
    assert.match(found!.findings.at(-1)!.text, /cannot be asked about it: the provider never named it/);
  });

  test('again when it did not answer', async () => {
    const all = await given();
    await named(all, 1);
    const [job] = await all.cases.take(['reconciliation.enquire']);
    const busy = {
      ok: false as const,
      failure: {
        code: 'PROVIDER_TEMPORARY_ERROR' as const,
        retryable: true,
        providerCode: null,
        providerSubcode: null,
        reason: 'busy',
        retryAfterMs: null,
      },
    };
    await assert.rejects(all.cases.run({ messageHistory: async () => busy }, job!), /busy/);
    assert.equal((await all.cases.all())[0]!.state, 'investigating');
    await all.cases.run(
      history(() => []),
      job!,
    );
    assert.equal((await all.cases.all())[0]!.state, 'resolved');
  });
});

test('a report that tells the price once more costs no statement more than one that tells none', async () => {
  const { messages, delivered } = await given();
  const statements = async (sid: string, pricing: ReturnType<typeof priced> | null) =>
    messages.write(async (t) => {
      const counting = countingStatements(t);
      await applyStatuses(counting.t, [messages.status(sid, 'read', { pricing })]);
      return counting.count();
    });
  const free = priced('marketing', 'free_entry_point');
  for (const pricing of [priced('marketing'), free]) {
    const [told, untold] = [await delivered(pricing), await delivered(pricing)];
    assert.equal(await statements(told, pricing), await statements(untold, null));
  }
});
