// The same payments, with everything that can go wrong on the way: the state in the end is that of the undisturbed run.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, beforeEach, suite, test } from 'node:test';
import type { NewPaymentRule } from '@godwit/simulator/payments';
import Stripe from 'stripe';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { until } from '../../../test/harness/until.ts';
import { paymentSimulatorSecrets } from '../../main/process/simulator-secrets.ts';
import { systemPrincipal } from '../../platform/principal.ts';
import { readEvents } from './callbacks/crons.ts';
import { eventStore } from './callbacks/store-callbacks.ts';
import { lookAtSilent } from './look/jobs.ts';
import { look } from './look/look.ts';
import { type PayApp, startPayApp } from './payments.test-data.ts';

let app: PayApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startPayApp(lifetime);
});
beforeEach(() => {
  app.control.clearRules();
});

const tenant = () => ({ accountSid: app.accountSid, livemode: false });
const context = () => ({
  principal: systemPrincipal('test', false),
  now: app.clock.now(),
  requestId: 'test',
  log: app.log,
});
const means = () => ({
  ports: app.ports,
  site: app.site(),
  log: app.log,
  now: () => app.clock.now(),
  write: <T>(work: never): Promise<T> => app.database.write(tenant(), context(), work),
  read: <T>(work: never): Promise<T> => app.database.read(tenant(), context(), work),
});
const runCron = (cron: typeof readEvents) =>
  cron.run({
    database: app.database,
    now: () => app.clock.now(),
    log: app.log,
    signal: new AbortController().signal,
    ports: app.ports,
    site: app.site(),
    sealer: app.sealer,
    processId: '',
  });

const undisturbed = { top_up: '50000000', processor_fee: '1750000' };

/** One charge there, one in the ledger, one receipt, nothing left open. */
async function isWhole(id: string, of: PayApp = app): Promise<void> {
  await of.becomes(id, 'succeeded');
  await of.feeIsKnown(id);
  assert.equal(of.control.charges(id).length, 1);
  assert.deepEqual(await of.moves(id), undisturbed);
  assert.equal(await of.count(`receipts where intent_id = '${id}'`), 1);
  assert.equal(await of.count(`payment_attempts where intent_id = '${id}' and resolved_at is null`), 0);
  await of.wallet.balances();
}

suite('webhooks', () => {
  const rule = (behaviour: NewPaymentRule['behaviour']) => app.control.addRule({ behaviour });
  const disturbances: [what: string, behaviour: NewPaymentRule['behaviour']][] = [
    ['come five times', { copies: 5 }],
    ['come in the opposite order', { reversed: true }],
    ['come a day late', { delayMs: 86_400_000 }],
  ];
  for (const [what, behaviour] of disturbances)
    test(`that ${what} leave the state of those that come once and in order`, async () => {
      rule(behaviour);
      const { paymentIntentId: id } = await app.topUp();
      await app.pay(id);
      app.clock.advance((behaviour.delayMs ?? 0) + 10_000);
      await app.control.settle();
      await isWhole(id);
    });
  test('that never come are found in the list of events', async () => {
    rule({ lost: true });
    const { paymentIntentId: id } = await app.topUp();
    await app.pay(id);
    assert.equal((await app.payment(id)).state, 'requires_action');
    await runCron(readEvents);
    await isWhole(id);
    const known = await app.count('payment_callbacks');
    await runCron(readEvents);
    assert.equal(await app.count('payment_callbacks'), known);
  });
  test('and a list that are both silent are made up for by looking', async () => {
    rule({ lost: true });
    const { paymentIntentId: id } = await app.topUp();
    await app.pay(id);
    app.clock.advance(16 * 60_000);
    await runCron(lookAtSilent);
    await isWhole(id);
  });
  test('beside fifty looks at once move the money once', async () => {
    const { paymentIntentId: id } = await app.topUp();
    await app.sessionOf(id);
    const paying = app.pay(id);
    const looks = Array.from({ length: 50 }, () => look(means() as never, { followers: [] }, id));
    await Promise.all([paying, ...looks.map((one) => one.catch(() => null))]);
    await isWhole(id);
  });
  const bodyOf = (id: string) =>
    JSON.stringify({
      id,
      object: 'event',
      type: 'payment_intent.succeeded',
      livemode: false,
      created: 1,
      data: { object: { id: 'pi_1', object: 'payment_intent' } },
    });
  const call = (body: string, how: { secret?: string; atMs?: number; path?: string } = {}) => {
    const secret = how.secret ?? paymentSimulatorSecrets(app.sealer).webhookSecrets[0]!;
    const timestamp = Math.floor((how.atMs ?? app.clock.now().getTime()) / 1000);
    const signature = Stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp });
    const path = how.path ?? '/payments/callbacks/sandbox';
    return app.send('POST', path, { body, headers: { 'stripe-signature': signature } });
  };
  test('that are forged or old have no effect, and are not kept', async () => {
    const body = bodyOf(`evt_${randomUUID()}`);
    const known = await app.count('payment_callbacks');
    assert.equal((await call(body, { secret: 'whsec_forged' })).status, 400);
    assert.equal((await call(body, { atMs: app.clock.now().getTime() - 301_000 })).status, 400);
    assert.equal((await call(body, { path: '/payments/callbacks/live' })).status, 404);
    assert.equal((await app.send('POST', '/payments/callbacks/sandbox', { body })).status, 400);
    assert.equal((await app.get('/payments/callbacks/sandbox')).status, 405);
    assert.equal(await app.count('payment_callbacks'), known);
    for (let i = 0; i < 2; i += 1) assert.equal((await call(body)).status, 200);
    assert.equal(await app.count('payment_callbacks'), known + 1);
  });
  test('that come at once are kept once each, and one that cannot be stored keeps no other back', async () => {
    const store = eventStore(app.database);
    const storeOne = (id: string) => {
      const payment = { objectId: 'pi_1', paymentId: 'pi_1', accountSid: null, intentId: null };
      const happenedAt = app.clock.now();
      const event = { id, type: 'payment_intent.succeeded', livemode: false, happenedAt, ...payment };
      return store({ event, livemode: false, receivedAt: happenedAt, listed: false });
    };
    const ids = Array.from({ length: 3 }, () => `evt_${randomUUID()}`);
    const known = await app.count('payment_callbacks');
    const ends = await Promise.allSettled([...ids, 'evt_\0', ...ids].map(storeOne));
    assert.deepEqual(
      ends.map((end) => (end.status === 'fulfilled' ? end.value : 'refused')),
      [true, true, true, 'refused', false, false, false],
    );
    assert.equal(await app.count('payment_callbacks'), known + 3);
  });
});

suite('the answer of the service', () => {
  // The work is done by jobs, which are tried again after seconds; a visit to the link asks at once.
  const visit = (hostedUrl: string) => app.get(new URL(hostedUrl).pathname);
  const faults = [
    'lost',
    'garbage',
    'bad-gateway-accepted',
    'bad-gateway',
    'closed-before',
    'error-accepted',
    'error',
  ] as const;
  for (const answer of faults)
    test(`that is "${answer}" leads to one page and one charge`, async () => {
      const match = { path: 'checkout/sessions', method: 'POST' };
      app.control.addRule({ match, behaviour: { answer }, count: 1 });
      const { paymentIntentId: id, hostedUrl } = await app.topUp();
      const page = await until('the link leads to the page', async () => {
        const { headers } = await visit(hostedUrl);
        return headers.get('location');
      });
      assert.match(page, /\/c\/pay\/cs_test_/);
      await app.pay(id);
      await isWhole(id);
    });
  test('that takes longer than a key is remembered is looked up by our own id', async () => {
    const match = { path: 'checkout/sessions', method: 'POST' };
    app.control.addRule({ match, behaviour: { answer: 'garbage' } });
    const { paymentIntentId: id } = await app.topUp();
    await until('it was asked', async () => (await app.count('payment_customers')) === 1);
    await visit((await app.payment(id)).hostedUrl);
    app.clock.advance(23 * 3_600_000);
    await look(means() as never, { followers: [] }, id).catch(() => null);
    assert.equal(await app.count(`payment_attempts where intent_id = '${id}' and object_id is not null`), 1);
  });
  test('that knows the customer no more makes a new one', async () => {
    const forgetful = await startPayApp(lifetime, { forgetful: true });
    const pay = async () => {
      const { paymentIntentId: id } = await forgetful.topUp();
      await forgetful.pay(id);
      await isWhole(id, forgetful);
    };
    await pay();
    await forgetful.control.reset({ everything: true });
    await pay();
  });
});
