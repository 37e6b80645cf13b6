import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import fc from 'fast-check';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { billingOf, draftRateCard, publishRateCard } from '../../../../test/harness/billing.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { type Messages, messagesOf } from '../../../../test/harness/messages.ts';
import { chargeOf } from '../../billing/index.ts';
import type { ProviderFailure, ProviderStatus } from '../../provider/index.ts';
import { settleEstimates } from '../states/final-prices.ts';
import { lockMessages, storeStates } from '../states/live-messages.ts';
import { rememberNames } from '../states/provider-names.ts';
import { ranks, type Status } from '../statuses.ts';
import { applyMatched } from './apply-statuses.ts';
import { unparkStatuses } from './parked-statuses.ts';

let app: TestApp;
let messages: Messages;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
  messages = await messagesOf(app);
});

const unreachable: ProviderFailure = {
  code: 'RECIPIENT_UNREACHABLE',
  retryable: false,
  providerCode: 131_026,
  providerSubcode: null,
  reason: 'Message undeliverable',
  retryAfterMs: null,
};
const regular = { billable: true, model: 'PMP', type: 'regular', category: 'service' };
const sending = (more = {}) => messages.accepted({ status: 'sending', ...more });
const statusOf = async (sid: string) => (await messages.state(sid)).status;

test('a message taken for free and charged by the provider after all costs its price, from what is available', async () => {
  const billing = billingOf(app, { livemode: false, accountSid: messages.accountSid });
  const before = await billing.balances();
  const sid = await messages.accepted({ status: 'sending', estimateMinor: 0n });
  assert.equal((await billing.balances()).held, before.held);
  await messages.apply(messages.status(sid, 'delivered', { pricing: regular }));
  assert.deepEqual(await messages.money(sid), ['settled', '2000']);
  const after = await billing.balances();
  assert.deepEqual([after.held, after.available], [before.held, before.available! - 2_000n]);
});

suite('the charge of a message', () => {
  const billing = () => billingOf(app, { livemode: false, accountSid: messages.accountSid });
  const chargeFor = (sid: string) => billing().write((t) => chargeOf(t, sid));
  test('is of what the provider said, also when it said so before the delivery, and names its words', async () => {
    const sid = await sending();
    const pricing = { billable: true, model: 'PMP', type: 'regular', category: 'marketing_lite' };
    await messages.apply(messages.status(sid, 'sent', { pricing }));
    assert.equal(await chargeFor(sid), null);
    app.clock.advance(1_000);
    await messages.apply(messages.status(sid, 'delivered', { pricing: null }));
    const charge = (await chargeFor(sid))!;
    assert.deepEqual(
      [charge.category, charge.transport, charge.pricingType, charge.feeMinor, charge.basis, charge.reported],
      [
        'marketing',
        'marketing_messages',
        'REGULAR',
        7_000n,
        'PROVIDER_REPORT',
        ['regular', 'marketing_lite', 'PMP', true],
      ],
    );
    assert.deepEqual(
      [charge.messageSid, charge.senderSid, charge.market, charge.rateCardVersion, charge.chargedAt],
      [sid, messages.senderSid, 'FR', 1, app.clock.now().toISOString()],
    );
  });
  test('is of what the message was admitted as where the provider never said how it charged', async () => {
    const sid = await sending();
    await messages.apply(messages.status(sid, 'delivered', { pricing: null }));
    await billing().write(async (t) => {
      const message = [...(await lockMessages(t, [sid])).values()];
      await settleEstimates(t, message);
      await storeStates(t, message);
    });
    const charge = (await chargeFor(sid))!;
    assert.deepEqual([charge.category, charge.basis, charge.reported], ['service', 'ESTIMATE', null]);
  });
});

suite('statuses of the provider', () => {
  test('move a message on, one event a change, each with the message as it is then', async () => {
    const sid = await sending();
    const sentAt = app.clock.now();
    await messages.apply(messages.status(sid, 'sent'));
    app.clock.advance(3_000);
    await messages.apply(messages.status(sid, 'delivered', { pricing: regular }));
    app.clock.advance(3_000);
    await messages.apply(messages.status(sid, 'read'));
    const events = await messages.events(sid);
    assert.deepEqual(
      events.map(({ type, data }) => [type, data.status, data.sentAt, data.providerMessageId]),
      [
        ['message.sent', 'sent', sentAt.toISOString(), `wamid.${sid}`],
        ['message.delivered', 'delivered', sentAt.toISOString(), `wamid.${sid}`],
        ['message.read', 'read', sentAt.toISOString(), `wamid.${sid}`],
      ],
    );
    const final = events[2]!.data as { readAt: string; deliveredAt: string; price: { final: object } };
    assert.equal(new Date(final.readAt).getTime() - new Date(final.deliveredAt).getTime(), 3_000);
    assert.ok(final.price.final);
  });

  test('that come in one batch are told in the order in which they happened', async () => {
    const sid = await sending();
    const [read, sent, delivered] = (['read', 'sent', 'delivered'] as const).map((what) =>
      messages.status(sid, what),
    );
    await messages.apply(read!, sent!, delivered!, sent!);
    assert.deepEqual(
      (await messages.events(sid)).map(({ type }) => type),
      ['message.sent', 'message.delivered', 'message.read'],
    );
  });

  test('that come twice change and tell nothing', async () => {
    const sid = await sending();
    for (let i = 0; i < 3; i += 1)
      await messages.apply(messages.status(sid, 'delivered', { pricing: regular }));
    assert.equal((await messages.events(sid)).length, 1);
  });

  test('that come late fill in their instant and never move a message back', async () => {
    const sid = await sending();
    await messages.apply(messages.status(sid, 'read'));
    await messages.apply(messages.status(sid, 'delivered'), messages.status(sid, 'sent'));
    const state = await messages.state(sid);
    assert.equal(state.status, 'read');
    assert.ok(state.sent_at && state.delivered_at);
    assert.deepEqual(
      (await messages.events(sid)).map(({ type }) => type),
      ['message.read'],
    );
  });

  test('say a played voice message was read', async () => {
    const sid = await sending();
    await messages.apply(messages.status(sid, 'played'));
    assert.equal(await statusOf(sid), 'read');
  });

  test('settle a message whose answer was lost', async () => {
    const sid = await sending({ status: 'unknown' });
    await messages.apply(messages.status(sid, 'sent'));
    const state = await messages.state(sid);
    assert.deepEqual([state.status, state.error], ['sent', null]);
  });

  test('end a message that waited to be tried again: the provider has it', async () => {
    const sid = await sending();
    await app.sql('update message_states set waiting = true where sid = $1', [sid]);
    await messages.apply(messages.status(sid, 'sent'));
    assert.equal((await messages.state(sid)).waiting, false);
  });

  test('cannot be stored backwards, whatever asks for it', async () => {
    const sid = await sending({ status: 'sent' });
    await assert.rejects(
      messages.write(async (t) => {
        const message = (await lockMessages(t, [sid])).get(sid)!;
        await storeStates(t, [{ ...message, status: 'deferred', rank: ranks.deferred }]);
      }),
      /moved by somebody else/,
    );
    assert.equal(await statusOf(sid), 'sent');
  });

  test('of another account, or of nothing, change nothing', async () => {
    const other = await messagesOf(app);
    const sid = await sending();
    await other.apply(other.status(sid, 'delivered'), other.status(`SM${'0'.repeat(26)}`, 'delivered'));
    assert.equal(await statusOf(sid), 'sending');
    assert.deepEqual(await other.events(sid), []);
  });
});

suite('a failure', () => {
  test('is told with our code and the provider’s, and gives the money back', async () => {
    const sid = await sending();
    await messages.apply(
      messages.status(sid, 'sent'),
      messages.status(sid, 'failed', { failure: unreachable }),
    );
    const event = (await messages.events(sid)).at(-1)!;
    const error = event.data.error as Record<string, unknown>;
    assert.equal(event.type, 'message.failed');
    assert.deepEqual(
      [error.code, error.type, error.retryable, error.providerCode],
      ['RECIPIENT_UNREACHABLE', 'provider_error', false, 131_026],
    );
    assert.match(String(error.message), /Message undeliverable/);
    assert.deepEqual(await messages.money(sid), ['released', null]);
  });

  test('says whether trying again may help by the provider’s code, where ours has several', async () => {
    for (const [code, providerCode, retryable] of [
      ['FLOW_ERROR', 132_069, true],
      ['FLOW_ERROR', 139_002, false],
      ['MARKETING_MESSAGES_ERROR', 134_101, true],
      ['MARKETING_MESSAGES_ERROR', 134_103, false],
    ] as const) {
      const sid = await sending({ status: 'unknown' }); // one that is never sent again, so that it fails at once
      const failure = { ...unreachable, code, providerCode, retryable };
      await messages.apply(messages.status(sid, 'failed', { failure }));
      const { status, error } = await messages.state(sid);
      assert.deepEqual(
        [status, error.code, error.providerCode, error.retryable],
        ['failed', code, providerCode, retryable],
      );
    }
  });

  test('after a delivery is not believed', async () => {
    const sid = await sending();
    await messages.apply(messages.status(sid, 'delivered', { pricing: regular }));
    await messages.apply(messages.status(sid, 'failed', { failure: unreachable }));
    assert.equal(await statusOf(sid), 'delivered');
    assert.equal((await messages.money(sid))![0], 'settled');
  });

  test('is undone by a delivery, and what was given back stays so', async () => {
    const sid = await sending();
    await messages.apply(messages.status(sid, 'failed', { failure: unreachable }));
    await messages.apply(messages.status(sid, 'delivered', { pricing: regular }));
    const state = await messages.state(sid);
    assert.deepEqual(
      [state.status, state.error, state.failed_at, state.final_minor],
      ['delivered', null, null, '0'],
    );
    assert.deepEqual(await messages.money(sid), ['released', null]);
  });
});

suite('the final price', () => {
  test('is taken on delivery, from whichever status told how the provider charged', async () => {
    for (const order of [
      ['sent', 'delivered'],
      ['delivered', 'sent'],
    ] as const) {
      const sid = await sending();
      for (const what of order) {
        const pricing = what === 'sent' ? { ...regular, type: 'free_customer_service' } : null;
        await messages.apply(messages.status(sid, what, { pricing }));
      }
      const state = await messages.state(sid);
      assert.deepEqual([state.final_minor, state.pricing_type], ['0', 'FREE_CUSTOMER_SERVICE']);
      assert.deepEqual(await messages.money(sid), ['settled', '0']);
    }
  });

  test('is not taken for what was only sent', async () => {
    const sid = await sending();
    await messages.apply(messages.status(sid, 'sent', { pricing: regular }));
    assert.deepEqual(await messages.money(sid), ['held', null]);
    assert.equal((await messages.state(sid)).pricing_type, 'REGULAR');
  });

  test('is taken once, whatever is repeated', async () => {
    const sid = await sending();
    await messages.apply(messages.status(sid, 'delivered', { pricing: regular }));
    const first = await messages.money(sid);
    const dearer = { ...regular, category: 'marketing' };
    await messages.apply(messages.status(sid, 'read', { pricing: dearer }));
    await messages.apply(messages.status(sid, 'delivered', { pricing: dearer }));
    assert.deepEqual(await messages.money(sid), first);
    await billingOf(app, { accountSid: messages.accountSid, livemode: false }).balances();
  });

  test('is that of the rate card under which the message was accepted, whatever is in force by then', async () => {
    const sid = await sending();
    const tomorrow = new Date(app.clock.now().getTime() + 86_400_000).toISOString();
    await draftRateCard(app, 12, tomorrow);
    await publishRateCard(app, 12, app.clock.now().toISOString());
    app.clock.advance(2 * 86_400_000);
    await messages.apply(messages.status(sid, 'delivered', { pricing: regular }));
    assert.deepEqual(await messages.money(sid), ['settled', '2000']);
    const { price } = (await messages.events(sid)).at(-1)!.data as { price: Record<string, unknown> };
    assert.deepEqual(
      [price.rateCardVersion, price.final],
      [1, { amountMinor: '2000', currency: 'USD', scale: 6 }],
    );
  });

  test('of a delivery without one is looked at again a day later', async () => {
    const sid = await sending();
    await messages.apply(messages.status(sid, 'delivered'));
    assert.deepEqual(await messages.money(sid), ['held', null]);
    const [job] = await app.sql<{ payload: { payload: { messageSid: string } } }>(
      `select j.payload from graphile_worker._private_jobs j where j.key = $1`,
      [`unpriced:${sid}`],
    );
    assert.equal(job?.payload.payload.messageSid, sid);
  });
});

suite('a status without our SID', () => {
  test('is matched by the provider’s name', async () => {
    const sid = await sending();
    await messages.write((t) => rememberNames(t, new Map([[`wamid.${sid}`, sid]])));
    await messages.apply(messages.status(sid, 'delivered', { opaque: null }));
    assert.equal(await statusOf(sid), 'delivered');
  });

  test('of a hand-off not yet answered waits for the answer, and counts then', async () => {
    const sid = await sending();
    await messages.apply(messages.status(sid, 'delivered', { opaque: null }));
    assert.equal(await statusOf(sid), 'sending');
    await messages.write((t) => rememberNames(t, new Map([[`wamid.${sid}`, sid]])));
    await messages.write(async (t) => applyMatched(t, await unparkStatuses(t)));
    const state = await messages.state(sid);
    assert.deepEqual([state.status, state.delivered_at], ['delivered', app.clock.now()]);
    assert.equal(await app.count(`parked_statuses where account_sid = '${messages.accountSid}'`), 0);
  });

  test('that is ours needs no parking: the SID places it before the provider’s name is known', async () => {
    const sid = await sending();
    await messages.apply(messages.status(sid, 'delivered'));
    assert.equal(await app.count(`parked_statuses where account_sid = '${messages.accountSid}'`), 0);
    assert.equal(await statusOf(sid), 'delivered');
    assert.equal((await messages.events(sid))[0]!.data.providerMessageId, `wamid.${sid}`);
  });
});

suite('a marketing cap', () => {
  const capped: ProviderFailure = { ...unreachable, code: 'RECIPIENT_MARKETING_CAP', providerCode: 131_049 };
  const fail = (sid: string, name = `wamid.${sid}`) =>
    messages.apply(messages.status(sid, 'failed', { failure: capped, providerMessageId: name }));

  test('fails a message that may not wait, and is remembered', async () => {
    const sid = await sending({ category: 'marketing' });
    await fail(sid);
    assert.equal(await statusOf(sid), 'failed');
    assert.equal(await app.count(`marketing_caps where account_sid = '${messages.accountSid}'`), 1);
  });

  const handOff = (sid: string, number: number) =>
    app.sql(
      `with handed as (update message_states set attempts = $3, waiting = false where sid = $2)
       insert into message_attempts (account_sid, livemode, message_sid, number, process_id, started_at)
       values ($1, false, $2, $3, gen_random_uuid(), now())`,
      [messages.accountSid, sid, number],
    );

  test('lets one that may wait be handed over again a day later: it stays sent, and keeps its money', async () => {
    const sid = await sending({ category: 'marketing', deferIfCapped: true });
    await handOff(sid, 1);
    await messages.apply(messages.status(sid, 'sent'));
    await fail(sid);
    const state = await messages.state(sid);
    const tomorrow = new Date(app.clock.now().getTime() + 86_400_000);
    assert.deepEqual([state.status, state.waiting, state.due_at], ['sent', true, tomorrow]);
    assert.deepEqual(await messages.money(sid), ['held', null]);
    assert.deepEqual(
      (await messages.events(sid)).map(({ type }) => type),
      ['message.sent'],
    );
    // Late words about the hand-off that failed say nothing of the one to come; a delivery would.
    await messages.apply(messages.status(sid, 'sent'));
    await fail(sid);
    assert.deepEqual([await statusOf(sid), (await messages.state(sid)).due_at], ['sent', tomorrow]);
    await messages.apply(messages.status(sid, 'delivered', { pricing: regular }));
    assert.deepEqual([await statusOf(sid), (await messages.state(sid)).waiting], ['delivered', false]);
  });

  test('is waited for in growing gaps, and not for ever', async () => {
    const sid = await sending({ category: 'marketing', deferIfCapped: true });
    const gaps: number[] = [];
    for (let number = 1; ; number += 1) {
      await handOff(sid, number);
      await fail(sid, `wamid.${sid}.${number}`);
      const { status, due_at: dueAt, error } = await messages.state(sid);
      if (status === 'failed') {
        assert.equal(error.code, 'RECIPIENT_MARKETING_CAP');
        break;
      }
      gaps.push((dueAt.getTime() - app.clock.now().getTime()) / 86_400_000);
    }
    assert.deepEqual(gaps, [1, 2, 4, 8]);
    assert.deepEqual(await messages.money(sid), ['released', null]);
  });

  test('fails one whose validity ends before it clears', async () => {
    const expiresAt = new Date(app.clock.now().getTime() + 3_600_000);
    const sid = await sending({ category: 'marketing', deferIfCapped: true, expiresAt });
    await fail(sid);
    assert.equal(await statusOf(sid), 'failed');
  });
});

test('any interleaving, repetition and loss of callbacks ends in what the best one says, and no event goes back', async () => {
  const aStatus = fc.constantFrom<ProviderStatus['status']>('sent', 'delivered', 'read', 'played', 'failed');
  const asOurs = (what: ProviderStatus['status']): Status => (what === 'played' ? 'read' : what);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(2), aStatus, fc.boolean()), { minLength: 1, maxLength: 14 }),
      fc.integer({ min: 1, max: 5 }),
      async (reports, batchSize) => {
        const sids = [await sending(), await sending(), await sending({ status: 'unknown' })];
        const items = reports.map(([which, what, priced]) =>
          messages.status(sids[which]!, what, {
            failure: what === 'failed' ? unreachable : null,
            pricing: priced && what !== 'failed' ? regular : null,
          }),
        );
        for (let i = 0; i < items.length; i += batchSize)
          await messages.apply(...items.slice(i, i + batchSize));
        for (const [which, sid] of sids.entries()) {
          const told = reports.filter(([of]) => of === which).map(([, what]) => asOurs(what));
          const best = told.reduce<Status>(
            (a, b) => (ranks[b] > ranks[a] ? b : a),
            which === 2 ? 'unknown' : 'sending',
          );
          const state = await messages.state(sid);
          assert.equal(state.status, best);
          const seen = (await messages.events(sid))
            .filter(({ type }) => type !== 'message.priced')
            .map(({ data }) => ranks[data.status as Status]);
          assert.deepEqual(
            seen,
            [...new Set(seen)].sort((a, b) => a - b),
            'events only gain rank, each once',
          );
          const [held] = (await messages.money(sid))!;
          const charged = state.final_minor !== null && held === 'settled';
          if (best === 'failed') assert.equal(held, 'released');
          if (charged) assert.ok(best === 'delivered' || best === 'read');
        }
      },
    ),
    { numRuns: 60 },
  );
  await billingOf(app, { accountSid: messages.accountSid, livemode: false }).balances();
});
