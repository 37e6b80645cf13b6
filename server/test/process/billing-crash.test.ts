// A service that is killed at any moment of billing, and started again: whoever pays, is refunded or invoiced notices nothing.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, suite, test } from 'node:test';
import { crons } from '../../src/main/modules.ts';
import { paymentSimulatorSecrets } from '../../src/main/process/simulator-secrets.ts';
import { verifyDocuments } from '../../src/modules/billing-documents/index.ts';
import { serviceOf, verifyCash } from '../../src/modules/payments/index.ts';
import { type PayApp, startPayApp } from '../../src/modules/payments/payments.test-data.ts';
import { systemPrincipal } from '../../src/platform/principal.ts';
import { createSealer, parseMasterKeys } from '../../src/platform/sealing.ts';
import { bearer } from '../harness/app.ts';
import { billingModesOf } from '../harness/billing-mode.ts';
import { charged, owing } from '../harness/invoices.ts';
import { callFor } from '../harness/jobs.ts';
import { sharedLifetime } from '../harness/lifetime.ts';
import {
  killedBeside,
  type RestartedService,
  type Story,
  sharedSettings,
  waitingFor,
} from './killed-service.ts';
import { diesIn } from './restarted-service.ts';

// BILLING_CRASHES=100 kills the service at every moment of each story, up to so many; otherwise at those where an answer is lost.
const crashes = Number(process.env.BILLING_CRASHES ?? 0);

let app: PayApp;
let service: RestartedService;
let waiting: ReturnType<typeof waitingFor>;
let modes: Awaited<ReturnType<typeof billingModesOf>>;
let cardIntentId: string;
const lifetime = sharedLifetime();
before(async () => {
  const { MASTER_KEY, PORT } = await sharedSettings();
  const { webhookSecrets } = paymentSimulatorSecrets(createSealer(parseMasterKeys(MASTER_KEY)));
  const webhooks = [{ url: `http://127.0.0.1:${PORT}/payments/callbacks/sandbox`, secrets: webhookSecrets }];
  app = await startPayApp(lifetime, {
    role: 'api',
    env: { MASTER_KEY },
    payments: { webhooks },
    simulator: true,
  });
  service = await killedBeside(lifetime, app, 'billing', {
    PORT,
    MASTER_KEY,
    PAYMENT_SIMULATOR_URL: app.paymentSimulator.url,
  });
  waiting = waitingFor({ app, service }, { each: hearAgain });
  modes = await billingModesOf(app);
  app.simulator.control.configure({ creditDelayMs: 0 });
  await owing(app.wallet, { mode: 'postpaid', limit: 10n ** 12n });
  cardIntentId = await (await topUp({ saveCardForInvoices: true }))();
});

const key = () => bearer(app.sandboxKey);
const stepUp = async (action: string) => app.owner.stepUp(action, (await app.owner.signInAgain()).headers);

let heardUntil = 0;
/** Webhooks that nobody took are sent again now instead of in five minutes. */
async function hearAgain(): Promise<void> {
  await app.control.settle();
  const { data, after } = app.control.callbacks(heardUntil, 1_000);
  heardUntil = after;
  for (const { status, event } of data) if (status !== 200) app.control.resend(event);
}
const silent = crons.filter(({ name }) => name === 'payments.look-at-silent');
/** What the service kept is looked for minutes later where nobody told of it. */
const untilTold = <T>(what: string, condition: () => Promise<T>) =>
  waiting(what, 5_000, async () => {
    await callFor(app, silent);
    return condition();
  });
/** No more than the ten seconds after a death may pass. */
const wait = <T>(what: string, condition: () => Promise<T>) => waiting(what, 0, condition);
const succeeded = (operationSid: string) =>
  wait(`${operationSid} succeeds`, async () => (await modes.operation(operationSid)).state === 'SUCCEEDED');
const one = async <T extends object>(text: string, ...values: unknown[]) =>
  (await app.sql<T & object>(text, values))[0];

async function topUp(more: object = {}): Promise<Story<string>> {
  const idempotencyKey = randomUUID();
  const asked = { amountMinor: '5000', currency: 'USD', idempotencyKey, ...more };
  const body = { ...asked, stepUpToken: await stepUp('TOP_UP_CREATE') };
  return async () => {
    const path = `${app.at}/billing/top-ups`;
    const reply = await service.send('POST', path, { headers: key(), body, key: randomUUID() });
    assert.equal(reply.status, 202, JSON.stringify(reply.body));
    const { paymentIntentId: id } = reply.body.result;
    const page = await wait('there is a page to pay on', () =>
      one<{ object_id: string }>(
        'select object_id from payment_attempts where intent_id = $1 and object_id is not null',
        id,
      ),
    );
    app.control.pay(page.object_id, { number: '4242424242424242' });
    await untilTold('it is paid, and what the service kept is known', () =>
      one(`select from payment_intents where id = $1 and state = 'succeeded' and fee_minor is not null`, id),
    );
    await succeeded(reply.body.sid);
    assert.equal(app.control.charges(id).length, 1);
    assert.deepEqual(await app.moves(id), { top_up: '50000000', processor_fee: '1750000' });
    assert.equal(await app.count(`receipts where intent_id = '${id}'`), 1);
    assert.equal(await app.count(`payment_attempts where intent_id = '${id}'`), 1);
    return id;
  };
}

async function refund(): Promise<Story> {
  const paymentIntentId = await (await topUp())();
  const asked = { paymentIntentId, reason: 'requested_by_customer' };
  const { body: approval } = await app.post(`${app.at}/billing/refund-requests`, asked);
  const keys = { approvalSid: approval.sid, idempotencyKey: randomUUID() };
  const body = { ...asked, ...keys, stepUpToken: await stepUp('REFUND_CREATE') };
  const before = app.control.counts().refunds.succeeded ?? 0;
  return async () => {
    const path = `${app.at}/billing/refunds`;
    const reply = await service.send('POST', path, { headers: key(), body, key: randomUUID() });
    assert.equal(reply.status, 202, JSON.stringify(reply.body));
    await succeeded(reply.body.sid);
    assert.equal(app.control.counts().refunds.succeeded, before + 1);
    assert.deepEqual(await app.moves(reply.body.result.refundId), {
      refund_hold: '50000000',
      refund_paid: '50000000',
    });
    const { state, refunded } = await app.payment(paymentIntentId);
    assert.deepEqual([state, refunded.amountMinor], ['refunded', '5000']);
  };
}

async function invoice(): Promise<Story> {
  const { available } = await app.wallet.balances();
  await charged(app.wallet, available! + 10_000_000n);
  const { id: walletId } = await app.wallet.wallet();
  const last = await one<{ ends_at: Date; n: number }>(
    'select ends_at, n from billing_periods where wallet_id = $1 order by n desc limit 1',
    walletId,
  );
  const start = last?.ends_at ?? app.clock.now();
  service.advance(3_600_000);
  const body = {
    currency: 'USD',
    nextPeriodStart: start.toISOString(),
    nextPeriodEnd: app.clock.now().toISOString(),
    collection: {
      paymentIntentId: cardIntentId,
      retryDelaysHours: [24],
      stepUpToken: await stepUp('BILLING_AUTOMATION_CHANGE'),
    },
  };
  const issued = await app.count('invoices');
  return async () => {
    const path = `${app.at}/billing/automation`;
    const reply = await service.send('PUT', path, { headers: key(), body, key: randomUUID() });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    const found = await wait('the invoice is paid', () =>
      one<{ sid: string; paid_minor: string }>(
        `select i.sid, i.paid_minor from billing_periods p join invoices i on i.sid = p.invoice_sid
          where p.wallet_id = $1 and p.n = $2 and i.state = 'paid'`,
        walletId,
        (last?.n ?? 0) + 1,
      ),
    );
    assert.equal(await app.count('invoices'), issued + 1);
    const paidBy = await app.sql<{ id: string }>(
      `select id from payment_intents where invoice_sid = $1 and state = 'succeeded'`,
      [found.sid],
    );
    assert.equal(paidBy.length, 1);
    const [{ id }] = paidBy as [{ id: string }];
    assert.equal(app.control.charges(id).length, 1);
    assert.equal((await app.moves(id)).invoice_payment, `${found.paid_minor}0000`);
    const numbers = await app.sql<{ number: string }>('select number from invoices');
    assert.deepEqual(
      numbers.map(({ number }) => Number(number.slice(-6))).toSorted((a, b) => a - b),
      Array.from({ length: issued + 1 }, (_, at) => at + 1),
    );
    assert.equal(await app.count(`statements where n = ${(last?.n ?? 0) + 1}`), 1);
  };
}

async function billingMode(): Promise<Story> {
  const { sid } = await modes.waba();
  const path = `${app.at}/wabas/${sid}/billing-mode-switch`;
  const known = app.simulator.control.creditAllocations().length;
  const is = (state: string) => wait(state, async () => (await modes.mode(sid)).switch.state === state);
  const told = (type: string) =>
    app.count(`events where type = 'billing_mode.${type}' and data ->> 'wabaSid' = '${sid}'`);
  return async () => {
    const started = await service.send('POST', path, { headers: key(), key: randomUUID() });
    assert.equal(started.status, 202, JSON.stringify(started.body));
    await is('awaiting_acceptance');
    const { termsVersion } = (await modes.mode(sid)).switch;
    const session = await app.owner.signInAgain();
    const { authorization: _, ...headers } = session.headers;
    const stepUpEvidence = await app.owner.stepUp('BILLING_MODE_ACCEPT', session.headers);
    const accept = { headers, body: { termsVersion, stepUpEvidence }, key: randomUUID() };
    const accepted = await service.send('POST', `${path}/accept`, accept);
    assert.equal(accepted.status, 200, JSON.stringify(accepted.body));
    await is('active');
    await succeeded(started.body.sid);
    const because = { idempotencyKey: randomUUID(), reason: 'customer_disconnected' };
    const revert = { headers: key(), body: because, key: randomUUID() };
    const reverted = await service.send('POST', `${path}/revert`, revert);
    assert.equal(reverted.status, 202, JSON.stringify(reverted.body));
    await is('direct');
    await succeeded(reverted.body.sid);
    const allocations = app.simulator.control.creditAllocations();
    assert.deepEqual([allocations.length, allocations.at(-1)!.requestStatus], [known + 1, 'DELETED']);
    assert.deepEqual([await told('activated'), await told('reverted')], [1, 1]);
  };
}

suite('whose service is killed at any moment', () => {
  const stories: [string, () => Promise<Story>, string[]][] = [
    ['a top-up is one page, one charge, one credit and one receipt', topUp, ['after openSession']],
    ['a refund is paid back once', refund, ['after refund']],
    [
      'a period is closed into one invoice with the next number, and collected once',
      invoice,
      ['after charge'],
    ],
    [
      'a switch of the billing mode and its revert share the credit line once and take it back once',
      billingMode,
      ['after shareCreditLine'],
    ],
  ];
  for (const [promise, tell, few] of stories)
    test(promise, async (context) => {
      const deaths = await diesIn(service, tell, crashes ? { most: crashes } : few);
      context.diagnostic(`${deaths.length} deaths: ${deaths.join(', ')}`);
    });

  test('nothing is left behind, and the books, the documents and the cash agree', async () => {
    await wait(
      'every callback was looked into',
      async () => (await app.count("payment_callbacks where state = 'due'")) === 0,
    );
    await untilTold(
      'what the service kept of each payment is known',
      async () =>
        (await app.count('payment_intents where charge_id is not null and fee_minor is null')) === 0,
    );
    assert.deepEqual(
      [
        await app.count('payment_attempts where resolved_at is null'),
        await app.count('operations where finished_at is null'),
        await app.count('payment_intents where parked is not null'),
      ],
      [0, 0, 0],
    );
    const { refunds_pending: pending, receivable } = await app.wallet.balances();
    assert.deepEqual([pending, receivable], [0n, 0n]);
    for await (const { broken } of verifyDocuments(app.database, app.accountSid)) assert.equal(broken, null);
    const now = new Date(app.clock.now().getTime() + 2 * 3_600_000);
    const context = { principal: systemPrincipal('test', false), now, requestId: 'test', log: app.log };
    const cash = serviceOf({ ports: app.ports, site: app.site() }, false);
    const proven = await verifyCash({ database: app.database, service: cash, livemode: false, context });
    assert.deepEqual(proven.differences, []);
  });
});
