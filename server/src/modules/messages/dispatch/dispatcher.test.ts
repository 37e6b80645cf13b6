import assert from 'node:assert/strict';
import { before, beforeEach, suite, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { billingOf } from '../../../../test/harness/billing.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import {
  accepted,
  dispatcherOf,
  failing,
  fakeProvider,
  type Messages,
  messagesOf,
} from '../../../../test/harness/messages.ts';
import { until } from '../../../../test/harness/until.ts';
import { recordConsent, suppressContact } from '../../consent/index.ts';
import { newPhone } from '../../contacts/fixtures.ts';
import { insertReadyMedia } from '../../media/fixtures.ts';
import { statusesApplied } from '../metrics.ts';
import { mostAttempts } from './try-again.ts';

let app: TestApp;
let messages: Messages;
let provider: ReturnType<typeof fakeProvider>;
let dispatcher: Awaited<ReturnType<typeof dispatcherOf>>;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});
beforeEach(async () => {
  messages = await messagesOf(app);
  provider = fakeProvider();
  dispatcher = await dispatcherOf(app, { provider });
});

const seconds = (n: number) => new Date(app.clock.now().getTime() + n * 1000);
const typesOf = async (sid: string) => (await messages.events(sid)).map(({ type }) => type);
const attemptsOf = (sid: string) =>
  app.sql('select * from message_attempts where message_sid = $1 order by number', [sid]);
const statusOf = async (sid: string) => (await messages.state(sid)).status;
const isWaiting = async (sid: string) => (await messages.state(sid)).waiting;

suite('an accepted message', () => {
  test('is handed over once, with our SID in it, and stays sending until the provider says that it was sent', async () => {
    const to = newPhone();
    const sid = await messages.accepted({ to, content: { body: 'Bonjour' } });
    await dispatcher.run();
    await dispatcher.run();
    assert.deepEqual(provider.sids(), [sid]);
    const { message, connection } = provider.sent[0]!;
    assert.deepEqual(message.recipient, { phone: to });
    assert.deepEqual(message.content, { type: 'text', text: { body: 'Bonjour' } });
    assert.match(connection.accessToken, /^SIM\./);
    assert.equal(await statusOf(sid), 'sending');
    assert.deepEqual(await typesOf(sid), ['message.sending']);
    const [attempt] = await attemptsOf(sid);
    assert.deepEqual([attempt!.outcome, attempt!.provider_message_id], ['accepted', `wamid.${sid}`]);
    await messages.apply(messages.status(sid, 'sent'));
    assert.deepEqual(await typesOf(sid), ['message.sending', 'message.sent']);
  });

  test('is written down as sending before the provider is called', async () => {
    const sid = await messages.accepted();
    let seen: unknown;
    provider.answer = async () => {
      const [attempt] = await attemptsOf(sid);
      seen = [await statusOf(sid), attempt!.process_id, attempt!.ended_at];
      return accepted(sid);
    };
    await dispatcher.run();
    assert.deepEqual(seen, ['sending', dispatcher.processId, null]);
  });

  test('for later waits for its time', async () => {
    const sid = await messages.accepted({ sendAt: seconds(600) });
    app.clock.advance(599_000);
    await dispatcher.run();
    assert.deepEqual([provider.sids(), await statusOf(sid)], [[], 'scheduled']);
    app.clock.advance(1_000);
    await dispatcher.run();
    assert.deepEqual(provider.sids(), [sid]);
  });

  test('overtakes patient ones when it is urgent, but not those that have waited long enough', async () => {
    const long = await messages.accepted({ priority: 3 });
    app.clock.advance(121_000);
    const patient = await messages.accepted({ priority: 3 });
    const usual = await messages.accepted();
    const urgent = await messages.accepted({ priority: 0 });
    await dispatcher.run();
    assert.deepEqual(provider.sids(), [long, urgent, usual, patient]);
  });

  test('answers and reacts to what the provider knows by its own name', async () => {
    const target = await messages.accepted();
    await dispatcher.run();
    const reply = await messages.accepted({ context: { replyToMessageId: target } });
    const reaction = await messages.accepted({
      type: 'reaction',
      content: { targetMessageId: target, emoji: '👍' },
    });
    const orphan = await messages.accepted({ context: { replyToMessageId: `SM${'0'.repeat(26)}` } });
    await dispatcher.run();
    const sent = new Map(provider.sent.map(({ message }) => [message.opaque, message]));
    assert.equal(sent.get(reply)!.replyTo, `wamid.${target}`);
    assert.deepEqual(sent.get(reaction)!.content, {
      type: 'reaction',
      reaction: { targetMessageId: `wamid.${target}`, emoji: '👍' },
    });
    assert.equal(sent.has(orphan), false);
    assert.equal((await messages.state(orphan)).error.code, 'MESSAGE_BUILD_FAILED');
    assert.deepEqual(await messages.money(orphan), ['released', null]);
  });

  const contactOf = async (sid: string) =>
    (await app.sql('select contact_sid from messages where sid = $1', [sid]))[0]!.contact_sid as string;

  test('to somebody blocked for risk meanwhile is handed over by no sender the block holds for', async () => {
    const terms = { reason: 'RISK_BLOCK', scope: 'ALL', source: 'test' } as const;
    const [everywhere, here, elsewhere] = [
      await messages.accepted(),
      await messages.accepted(),
      await messages.accepted(),
    ];
    const other = await messages.newSender();
    for (const [sid, senderSid] of [
      [everywhere, undefined],
      [here, messages.senderSid],
      [elsewhere, other],
    ] as const) {
      const contactSid = await contactOf(sid);
      await messages.write((t) =>
        suppressContact(t, contactSid, { ...terms, ...(senderSid && { senderSid }) }),
      );
    }
    await dispatcher.run();
    assert.deepEqual(provider.sids(), [elsewhere]);
    for (const sid of [everywhere, here]) {
      assert.equal((await messages.state(sid)).error.code, 'RISK_BLOCKED');
      assert.deepEqual(await messages.money(sid), ['released', null]);
    }
  });

  test('to somebody suppressed meanwhile is not handed over', async () => {
    const sid = await messages.accepted();
    const contactSid = await contactOf(sid);
    const terms = { reason: 'TENANT_BLOCKLIST', scope: 'ALL', source: 'test' } as const;
    await messages.write((t) => suppressContact(t, contactSid, terms));
    await dispatcher.run();
    assert.deepEqual(provider.sids(), []);
    assert.deepEqual(await typesOf(sid), ['message.failed']);
    assert.equal((await messages.state(sid)).error.code, 'CONTACT_SUPPRESSED');
    assert.deepEqual(await messages.money(sid), ['released', null]);
  });
});

suite('a file', () => {
  const image = (sid: string) => ({ type: 'image', content: { sid } });

  /** A file that was scanned, and that the provider knows by a name. */
  async function readyMedia(providerMediaId: string): Promise<string> {
    const sid = await insertReadyMedia(app, messages);
    const at = app.clock.now();
    const [{ id }] = (await app.sql('select provider_phone_number_id as id from senders where sid = $1', [
      messages.senderSid,
    ])) as [{ id: string }];
    await app.sql(
      `insert into media_provider_ids (account_sid, livemode, media_sid, phone_number_id, provider_media_id,
         usable_until, created_at, updated_at)
       values ($1, false, $3, $4, $5, $2::timestamptz + interval '20 days', $2, $2)`,
      [messages.accountSid, at, sid, id, providerMediaId],
    );
    return sid;
  }

  test('is named as the provider names it', async () => {
    const sid = await readyMedia('4711');
    await messages.accepted(image(sid));
    await dispatcher.run();
    assert.deepEqual([...provider.sent[0]!.message.mediaIds], [[sid, '4711']]);
  });

  test('that cannot be had fails its message and not the lane', async () => {
    const failed = await messages.accepted(image(`ME${'0'.repeat(26)}`));
    const next = await messages.accepted();
    await dispatcher.run();
    assert.deepEqual(provider.sids(), [next]);
    assert.deepEqual([await statusOf(failed), await messages.money(failed)], ['failed', ['released', null]]);
  });
});

suite('validity', () => {
  test('that passed before the turn came ends the message unsent, and gives its money back', async () => {
    const sid = await messages.accepted({ expiresAt: seconds(30) });
    app.clock.advance(30_000);
    await dispatcher.run();
    assert.deepEqual(provider.sids(), []);
    assert.deepEqual(await typesOf(sid), ['message.expired']);
    assert.equal((await messages.state(sid)).error.code, 'MESSAGE_EXPIRED');
    assert.deepEqual(await messages.money(sid), ['released', null]);
  });

  test('ends also where the lane stands still', async () => {
    await app.sql(`update senders set status = 'PENDING' where sid = $1`, [messages.senderSid]);
    const sid = await messages.accepted({ expiresAt: seconds(30) });
    await dispatcher.run();
    app.clock.advance(30_000);
    await Promise.all([dispatcher.sweep(), (await dispatcherOf(app, { provider })).sweep()]);
    assert.deepEqual(await typesOf(sid), ['message.expired']);
    assert.deepEqual(await messages.money(sid), ['released', null]);
  });
});

suite('a sender', () => {
  test('that cannot send now keeps its messages until it can', async () => {
    await app.sql(`update senders set status = 'PENDING' where sid = $1`, [messages.senderSid]);
    const sid = await messages.accepted();
    await dispatcher.run();
    assert.deepEqual([provider.sids(), await statusOf(sid)], [[], 'queued']);
    await app.sql(`update senders set status = 'CONNECTED' where sid = $1`, [messages.senderSid]);
    app.clock.advance(15_000);
    await dispatcher.run();
    assert.deepEqual(provider.sids(), [sid]);
  });

  test('that is gone fails them', async () => {
    await app.sql(`update senders set status = 'DELETED' where sid = $1`, [messages.senderSid]);
    const sid = await messages.accepted();
    await dispatcher.run();
    assert.deepEqual([provider.sids(), (await messages.state(sid)).error.code], [[], 'SENDER_NOT_READY']);
  });

  test('whose provider is slow delays no other', async () => {
    const other = await messages.newSender();
    const slow = await messages.accepted();
    let answer = () => {};
    const stuck = new Promise<void>((done) => {
      answer = done;
    });
    provider.answer = async ({ message }) => {
      if (message.opaque === slow) await stuck;
      return accepted(message.opaque);
    };
    try {
      await dispatcher.look();
      await until('the slow one is under way', async () => (await attemptsOf(slow)).length);
      const quick = await messages.accepted({ senderSid: other });
      await dispatcher.look();
      await until('the quick one has its answer', async () => (await attemptsOf(quick))[0]?.ended_at);
      assert.equal((await attemptsOf(slow))[0]!.ended_at, null);
    } finally {
      answer(); // what is never answered would keep the dispatcher from ending
    }
    await dispatcher.settled();
  });
});

suite('a refusal of the provider', () => {
  test('that may pass is tried again after a rest that grows, and counts as sending all the while', async () => {
    const sid = await messages.accepted();
    provider.answer = async () => failing('PROVIDER_TEMPORARY_ERROR', { retryable: true });
    for (const rest of [1, 4, 16]) {
      await dispatcher.run();
      const state = await messages.state(sid);
      assert.deepEqual([state.status, state.waiting, state.due_at], ['sending', true, seconds(rest)]);
      await dispatcher.run();
      app.clock.advance(rest * 1000);
    }
    assert.equal(provider.sent.length, 3);
    provider.answer = async () => accepted(sid);
    await dispatcher.run();
    assert.deepEqual(
      (await attemptsOf(sid)).map(({ outcome }) => outcome),
      ['retry', 'retry', 'retry', 'accepted'],
    );
    assert.deepEqual(await typesOf(sid), ['message.sending']);
  });

  test('is obeyed when it says how long to wait', async () => {
    const sid = await messages.accepted();
    provider.answer = async () => failing('PROVIDER_RATE_LIMITED', { retryable: true, retryAfterMs: 60_000 });
    await dispatcher.run();
    assert.deepEqual((await messages.state(sid)).due_at, seconds(60));
  });

  test('that never passes ends the message in the end, and gives its money back', async () => {
    const sid = await messages.accepted();
    provider.answer = async () => failing('PROVIDER_TEMPORARY_ERROR', { retryable: true });
    for (let i = 0; i < mostAttempts + 2; i += 1) {
      await dispatcher.run();
      app.clock.advance(15 * 60_000);
    }
    assert.equal(provider.sids().filter((one) => one === sid).length, mostAttempts);
    assert.deepEqual([await statusOf(sid), await messages.money(sid)], ['failed', ['released', null]]);
  });

  test('for good fails the message with both codes', async () => {
    const sid = await messages.accepted();
    provider.answer = async () => failing('TEMPLATE_NOT_APPROVED', { providerCode: 132_001 });
    await dispatcher.run();
    await dispatcher.run();
    assert.equal(provider.sent.length, 1);
    const { error } = (await messages.events(sid)).at(-1)!.data as { error: Record<string, unknown> };
    assert.deepEqual([error.code, error.providerCode], ['TEMPLATE_NOT_APPROVED', 132_001]);
    assert.deepEqual(await messages.money(sid), ['released', null]);
  });

  test('for a marketing cap puts off what may wait', async () => {
    const sid = await messages.accepted({ deferIfCapped: true });
    await app.sql(`update messages set category = 'marketing' where sid = $1`, [sid]);
    const [{ contact_sid: contactSid }] = (await app.sql('select contact_sid from messages where sid = $1', [
      sid,
    ])) as [{ contact_sid: string }];
    await messages.write((t) =>
      recordConsent(t, contactSid, { purpose: 'MARKETING', source: 'FORM', status: 'OPTED_IN' }),
    );
    provider.answer = async () => failing('RECIPIENT_MARKETING_CAP', { providerCode: 131_049 });
    await dispatcher.run();
    assert.deepEqual([await statusOf(sid), await isWaiting(sid)], ['sending', true]);
    provider.answer = async () => accepted(sid);
    app.clock.advance(86_400_000);
    await dispatcher.run();
    assert.deepEqual(
      [provider.sids().filter((one) => one === sid).length, await statusOf(sid)],
      [2, 'sending'],
    );
    assert.deepEqual(
      (await attemptsOf(sid)).map(({ outcome, code }) => [outcome, code]),
      [
        ['retry', 'RECIPIENT_MARKETING_CAP'],
        ['accepted', null],
      ],
    );
    assert.deepEqual(await typesOf(sid), ['message.sending']);
  });

  test('that never passes and that the provider cannot name ends as permanent', async () => {
    const sid = await messages.accepted();
    const failure = { retryable: true, providerCode: 1, endsAs: 'PROVIDER_PERMANENT_ERROR' as const };
    provider.answer = async () => failing('PROVIDER_TEMPORARY_ERROR', failure);
    for (let i = 0; i < mostAttempts; i += 1) {
      await dispatcher.run();
      app.clock.advance(15 * 60_000);
    }
    const { error } = await messages.state(sid);
    assert.deepEqual(
      [await statusOf(sid), error.code, error.retryable, error.providerCode],
      ['failed', 'PROVIDER_PERMANENT_ERROR', false, 1],
    );
  });
});

suite('a failure that the provider reports after it took a message', () => {
  /** Each hand-off has a name of its own, as the provider gives them. */
  const named = () => {
    provider.answer = async ({ message }) => {
      const { value } = accepted(message.opaque) as { value: object };
      return { ok: true, value: { ...value, providerMessageId: nameOf(provider.sent.length) } } as never;
    };
  };
  const nameOf = (handOff: number) => `wamid.${messages.accountSid}.${handOff}`;
  const tell = (sid: string, what: 'sent' | 'failed' | 'delivered', handOff: number, failure?: object) =>
    messages.apply(
      messages.status(sid, what, {
        providerMessageId: nameOf(handOff),
        failure: failure ? (failing('PROVIDER_TEMPORARY_ERROR', failure) as Failing).failure : null,
      }),
    );
  type Failing = ReturnType<typeof failing>;
  const passing = { retryable: true, providerCode: 131_000 };

  test('and that may pass is handed over again, without a step back, until it is delivered', async () => {
    named();
    const sid = await messages.accepted();
    await dispatcher.run();
    await tell(sid, 'sent', 1);
    await tell(sid, 'failed', 1, passing);
    const state = await messages.state(sid);
    assert.deepEqual([state.status, state.waiting, state.due_at], ['sent', true, seconds(1)]);
    assert.deepEqual(await messages.money(sid), ['held', null]);
    const { values } = await statusesApplied.get();
    assert.ok(values.some(({ labels }) => labels.status === 'failed' && labels.outcome === 'retried'));
    await tell(sid, 'failed', 1, passing); // told twice
    await tell(sid, 'sent', 1);
    assert.deepEqual([await isWaiting(sid), (await messages.state(sid)).due_at], [true, seconds(1)]);
    app.clock.advance(1_000);
    await dispatcher.run();
    await dispatcher.run();
    assert.equal(provider.sent.length, 2);
    assert.deepEqual([await statusOf(sid), await isWaiting(sid)], ['sent', false]);
    await tell(sid, 'sent', 2);
    await tell(sid, 'delivered', 2);
    assert.deepEqual(await typesOf(sid), ['message.sending', 'message.sent', 'message.delivered']);
    assert.deepEqual(
      (await attemptsOf(sid)).map(({ outcome, provider_code }) => [outcome, provider_code]),
      [
        ['retry', 131_000],
        ['accepted', null],
      ],
    );
  });

  test('ends the message when it never passes', async () => {
    named();
    const sid = await messages.accepted();
    for (let handOff = 1; handOff <= mostAttempts; handOff += 1) {
      await dispatcher.run();
      await tell(sid, 'failed', handOff, passing);
      app.clock.advance(15 * 60_000);
    }
    await dispatcher.run();
    assert.equal(provider.sent.length, mostAttempts);
    const { status, error } = await messages.state(sid);
    assert.deepEqual([status, error.code, error.retryable], ['failed', 'PROVIDER_TEMPORARY_ERROR', true]);
    assert.deepEqual(await messages.money(sid), ['released', null]);
  });

  test('of a hand-off that may not be the last doubles nothing', async () => {
    // The first answer was a refusal that may pass; nobody knows what the provider calls that hand-off.
    const sid = await messages.accepted();
    provider.answer = async () => failing('PROVIDER_TEMPORARY_ERROR', passing);
    await dispatcher.run();
    named();
    app.clock.advance(1_000);
    await dispatcher.run();
    await tell(sid, 'failed', 7, passing);
    app.clock.advance(60_000);
    await dispatcher.run();
    assert.equal(provider.sent.length, 2);
    assert.equal(await statusOf(sid), 'failed');
    await tell(sid, 'delivered', 2);
    assert.equal(await statusOf(sid), 'delivered');
  });

  test('of a message whose answer was lost is final: it is never sent again', async () => {
    const sid = await messages.accepted();
    provider.answer = async () => failing('PROVIDER_RESULT_UNKNOWN', { providerCode: null });
    await dispatcher.run();
    await tell(sid, 'failed', 1, passing);
    assert.deepEqual([await statusOf(sid), await isWaiting(sid)], ['failed', false]);
  });

  test('lets a second hand-off be refused, lost or taken back like a first, and the status stays', async () => {
    const again = async () => {
      named();
      const sid = await messages.accepted();
      await dispatcher.run();
      const handOff = provider.sent.length;
      await tell(sid, 'sent', handOff);
      await tell(sid, 'failed', handOff, passing);
      app.clock.advance(1_000);
      return sid;
    };
    const refused = await again();
    provider.answer = async () => failing('PROVIDER_TEMPORARY_ERROR', passing);
    await dispatcher.run();
    assert.deepEqual([await statusOf(refused), await isWaiting(refused)], ['sent', true]);
    await tell(refused, 'delivered', 1);
    assert.deepEqual([await statusOf(refused), await isWaiting(refused)], ['delivered', false]);
    const lost = await again();
    provider.answer = async () => failing('PROVIDER_RESULT_UNKNOWN', { providerCode: null });
    await dispatcher.run();
    assert.deepEqual([await statusOf(lost), await isWaiting(lost)], ['sent', false]);
    assert.deepEqual(await typesOf(lost), ['message.sending', 'message.sent']);
    const final = await again();
    provider.answer = async () => failing('RECIPIENT_UNREACHABLE', { providerCode: 131_026 });
    await dispatcher.run();
    assert.equal(await statusOf(final), 'failed');
  });
});

suite('an answer nobody heard', () => {
  test('leaves the message unknown, and it is never sent again', async () => {
    for (const answer of [
      async () => failing('PROVIDER_RESULT_UNKNOWN', { providerCode: null, retryable: true }),
      async () => {
        throw new Error('a bug in an adapter');
      },
    ]) {
      const sid = await messages.accepted();
      const handed = provider.sent.length;
      provider.answer = answer;
      await dispatcher.run();
      app.clock.advance(3_600_000);
      await dispatcher.run();
      assert.equal(provider.sent.length, handed + 1);
      const state = await messages.state(sid);
      assert.deepEqual([state.status, state.error.code], ['unknown', 'PROVIDER_RESULT_UNKNOWN']);
      assert.deepEqual(await messages.money(sid), ['held', null]);
      assert.deepEqual(await typesOf(sid), ['message.sending', 'message.unknown']);
      await messages.apply(messages.status(sid, 'delivered'));
      assert.equal(await statusOf(sid), 'delivered');
    }
  });

  test('because its process died is found by another, which sends nothing', async () => {
    const sid = await messages.accepted();
    let answer = (_: unknown) => {};
    provider.answer = () => new Promise((done) => (answer = done as typeof answer));
    await dispatcher.look();
    await until('it is handed over', () => provider.sent.length);
    const other = await dispatcherOf(app, { provider });
    await other.sweep();
    assert.equal(await statusOf(sid), 'sending', 'a process that lives keeps what it holds');
    await dispatcher.die();
    await other.sweep();
    await other.run();
    assert.deepEqual([await statusOf(sid), provider.sent.length], ['unknown', 1]);
    assert.equal((await attemptsOf(sid))[0]!.outcome, 'unknown');
    // It was only thought dead: its answer still tells the provider's name of the message, and moves nothing.
    answer(failing('PROVIDER_TEMPORARY_ERROR', { retryable: true }));
    await dispatcher.settled();
    assert.deepEqual([await statusOf(sid), await isWaiting(sid)], ['unknown', false]);
  });

  test('of a claim this process never learned to have made puts the message back in line', async () => {
    const sid = await messages.accepted({ status: 'sending' });
    await app.sql(
      `insert into message_attempts (account_sid, livemode, message_sid, number, process_id, started_at)
       values ($1, false, $2, 1, $3, now())`,
      [messages.accountSid, sid, dispatcher.processId],
    );
    await dispatcher.sweep();
    assert.equal(await isWaiting(sid), false);
    await dispatcher.sweep();
    assert.equal(await isWaiting(sid), true);
    await dispatcher.run();
    assert.deepEqual(provider.sids(), [sid]);
  });
});

suite('a report that comes before the answer', () => {
  test('wins over it, whatever it says', async () => {
    for (const late of [
      accepted,
      () => failing('PROVIDER_RESULT_UNKNOWN'),
      () => failing('PROVIDER_PERMANENT_ERROR'),
    ]) {
      const sid = await messages.accepted();
      provider.answer = async () => {
        await messages.apply(messages.status(sid, 'delivered'));
        return late(sid);
      };
      await dispatcher.run();
      assert.equal(await statusOf(sid), 'delivered');
      assert.equal((await messages.money(sid))![0], 'held');
    }
  });
});

suite('the pair rate', () => {
  test('lets 45 messages to one person leave at once and then one every 6 seconds, across processes', async () => {
    const to = newPhone();
    const sids: string[] = [];
    for (let i = 0; i < 48; i += 1) sids.push(await messages.accepted({ to }));
    const free = await messages.accepted();
    const other = await dispatcherOf(app, { provider });
    await dispatcher.run();
    await other.run();
    assert.deepEqual(new Set(provider.sids()), new Set([...sids.slice(0, 45), free]));
    for (const sid of sids.slice(45)) assert.ok((await messages.state(sid)).due_at >= seconds(6));
    for (const sid of sids.slice(45)) {
      app.clock.advance(6_000);
      await [dispatcher, other][sids.indexOf(sid) % 2]!.run();
      assert.equal(provider.sids().at(-1), sid);
    }
    assert.equal(provider.sent.length, 49);
  });
});

suite('several processes', () => {
  test('hand each message over once', async () => {
    const senders = [messages.senderSid, await messages.newSender(), await messages.newSender()];
    const sids: string[] = [];
    for (let i = 0; i < 150; i += 1) sids.push(await messages.accepted({ senderSid: senders[i % 3]! }));
    const all = [dispatcher, await dispatcherOf(app, { provider }), await dispatcherOf(app, { provider })];
    for (let i = 0; i < 20 && provider.sent.length < sids.length; i += 1) {
      await Promise.all(all.map((one) => one.run()));
    }
    assert.deepEqual(provider.sids().toSorted(), sids.toSorted());
  });

  test('leave a lane to whoever leased it, and take it over when they fall silent', async () => {
    let answer = () => {};
    const stuck = new Promise<void>((done) => {
      answer = done;
    });
    provider.answer = async ({ message }) => {
      await stuck;
      return accepted(message.opaque);
    };
    await messages.accepted();
    await dispatcher.look();
    await until('it is handed over', () => provider.sent.length);
    const second = await messages.accepted();
    const other = await dispatcherOf(app, { provider });
    await other.look();
    assert.equal(other.held(), 0);
    await dispatcher.die();
    await other.lookAfterLanes();
    assert.equal(other.held(), 1);
    answer();
    await other.settled();
    assert.ok(provider.sids().includes(second));
    await dispatcher.lookAfterLanes();
    await dispatcher.settled();
  });

  test('find a lane that they hold without having heard of it', async () => {
    const sid = await messages.accepted();
    await app.sql('update dispatch_lanes set holder = $1, due_at = null where sender_sid = $2', [
      dispatcher.processId,
      messages.senderSid,
    ]);
    await dispatcher.run();
    assert.deepEqual(provider.sids(), []);
    await dispatcher.lookAfterLanes();
    await dispatcher.settled();
    assert.deepEqual(provider.sids(), [sid]);
  });

  test('and a cancel have exactly one winner', async () => {
    for (let round = 0; round < 25; round += 1) {
      const sid = await messages.accepted();
      const cancel = async () => {
        for (let turns = 0; turns < round; turns += 1) await new Promise(setImmediate);
        const rows = await app.sql(
          `update message_states set status = 'canceled', rank = 100, waiting = false where sid = $1 and waiting returning sid`,
          [sid],
        );
        return rows.length === 1;
      };
      const [canceled] = await Promise.all([cancel(), dispatcher.run()]);
      assert.equal(provider.sids().includes(sid), !canceled, `round ${round}`);
      assert.equal(await statusOf(sid), canceled ? 'canceled' : 'sending');
    }
  });
});

test('a number’s hand-offs are spaced so that no second holds more than it may send', async () => {
  const paced = await messagesOf(app, { throughput: 40 });
  for (let i = 0; i < 30; i += 1) await paced.accepted();
  let nowMs = 0;
  const own = await dispatcherOf(app, { provider, nowMs: () => nowMs });
  await own.look();
  // The first leaves alone; from then on one every 25 ms, two at a time.
  await until('the first leaves', () => provider.sent.length === 1);
  for (let left = 3; left < 30; left += 2) {
    nowMs += 50;
    await until(`${left} have left`, () => provider.sent.length >= left);
    assert.equal(provider.sent.length, left);
  }
  nowMs += 50;
  await own.settled();
  assert.equal(provider.sent.length, 30);
});

test('after all this the ledger sums to zero', async () => {
  await billingOf(app, { accountSid: messages.accountSid, livemode: false }).balances();
});
