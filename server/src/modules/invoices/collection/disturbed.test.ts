// A year and more of an account that is invoiced by card, with month ends, a leap day, a declined card, disputes and a refund. Told
// again with everything that can go wrong on the way, it ends as it does when nothing does.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, suite, test } from 'node:test';
import type { NewPaymentRule } from '@godwit/simulator/payments';
import { patience } from '../../../../test/harness/app.ts';
import { charged, owing } from '../../../../test/harness/invoices.ts';
import { write } from '../../../../test/harness/jobs.ts';
import { type Lifetime, sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { until } from '../../../../test/harness/until.ts';
import { type Service, startService } from '../../../main/process/service.ts';
import { readConfig } from '../../../main/settings.ts';
import { generateMasterKey } from '../../../platform/sealing.ts';
import { readEvents } from '../../payments/callbacks/crons.ts';
import { lookAtSilent } from '../../payments/look/jobs.ts';
import { type PayApp, startPayApp } from '../../payments/payments.test-data.ts';
import { setAutomation } from '../automation/automations.ts';
import { closeDue } from '../closing/jobs.ts';
import { collectDue } from './jobs.ts';

type Stretch = [from: string, to: string];
type Disturbance = {
  webhooks?: NewPaymentRule['behaviour'];
  /** When the service does not run, and hears nothing. */
  away?: Stretch[];
  /** When the payment service answers nobody. */
  paymentsAway?: Stretch[];
};

const within = (stretches: Stretch[] = [], now: Date) =>
  stretches.some(([from, to]) => new Date(from) <= now && now < new Date(to));

/** A service whose worker comes and goes with the time that passes. */
async function startLife(lifetime: Lifetime, { webhooks, away, paymentsAway }: Disturbance) {
  const MASTER_KEY = generateMasterKey();
  const app = await startPayApp(lifetime, { role: 'api', env: { MASTER_KEY } });
  const { control } = app;
  const config = readConfig({
    MASTER_KEY,
    DATABASE_CONNECTIONS: '10',
    SIMULATOR_URL: 'http://127.0.0.1:1',
    PAYMENT_SIMULATOR_URL: app.paymentSimulator.url,
  });
  let worker: Service | null = null;
  const { databaseUrl, clock, log } = app;
  const begin = () => startService({ config, databaseUrl, role: 'worker', log, clock, patience });
  const rest = async () => {
    await worker?.stop();
    worker = null;
  };
  lifetime.after(rest);
  if (webhooks) control.addRule({ behaviour: webhooks });
  const during = (behaviour: NewPaymentRule['behaviour']) => {
    let id: string | null = null;
    return (lasts: boolean) => {
      if (lasts) id ??= control.addRule({ behaviour }).id;
      else if (id) control.removeRule(id);
      if (!lasts) id = null;
    };
  };
  const hearsNothing = during({ lost: true });
  const answersNobody = during({ refuse: { http: 503 } });

  const context = () => ({
    ...app,
    now: () => clock.now(),
    signal: new AbortController().signal,
    site: app.site(),
    processId: '',
  });
  // One that was replaced while it ran, and then failed, is not tried again.
  const dueJobs =
    'graphile_worker._private_jobs where run_at <= now() and (locked_at is not null or attempts < max_attempts)';
  const dueCallbacks = () =>
    `payment_callbacks where state = 'due' and due_at <= '${clock.now().toISOString()}'`;
  /** Until nothing is left to do at this time. */
  const idle = () =>
    until(
      'everything is done',
      async () => {
        await control.settle();
        return (await app.count(dueCallbacks())) + (await app.count(dueJobs)) === 0;
      },
      180_000,
    );
  return {
    app,
    /** Lets time pass up to then, and what is due happen, unless nobody is there to do it. */
    async until(at: string): Promise<void> {
      clock.set(at);
      const now = clock.now();
      const isAway = within(away, now);
      hearsNothing(isAway);
      answersNobody(within(paymentsAway, now));
      await control.settle();
      if (isAway) return rest();
      worker ??= await begin();
      // What waited for its next try has waited long enough.
      await app.sql('update graphile_worker._private_jobs set run_at = now() where attempts > 0');
      for (const cron of [closeDue, readEvents, lookAtSilent, collectDue]) await cron.run(context());
      await idle();
    },
  };
}

async function tellStory(lifetime: Lifetime, disturbance: Disturbance): Promise<unknown> {
  const life = await startLife(lifetime, disturbance);
  const { app } = life;
  const { control } = app;
  const spend = (cents: number) => charged(app.wallet, BigInt(cents) * 10_000n);
  const chargeOf = (cents: number) => control.charges().find(({ amount }) => amount === cents)!.id;

  app.clock.set('2027-12-31T00:00:00Z');
  await app.sql('update wallets set created_at = $1', [app.clock.now()]); // no years before that
  await owing(app.wallet, { mode: 'postpaid', limit: 10n ** 12n });
  await life.until('2027-12-31T00:00:01Z');
  const { paymentIntentId } = await app.topUp({ saveCardForInvoices: true });
  await app.pay(paymentIntentId);
  await life.until('2027-12-31T00:30:00Z');
  // Periods end with the last day of a month.
  const nextPeriodEnd = '2028-01-31T00:00:00Z';
  const collection = { paymentIntentId, retryDelaysHours: [24, 72], stepUpToken: '' };
  const automation = { currency: 'USD', nextPeriodStart: '2027-12-31T00:00:00Z', nextPeriodEnd, collection };
  await write({ app }, (t) => setAutomation(t, automation));
  await life.until('2028-01-01T12:00:00Z');
  await spend(6000);

  // 10.00, of which the first try is declined.
  control.addRule({ behaviour: { decline: 'insufficient_funds' }, count: 1 });
  for (const at of ['01-31T00:00', '02-01T12:00', '02-02T12:00', '02-06T12:00', '02-07T13:00', '02-09T12:00'])
    await life.until(`2028-${at}:00Z`);
  // 20.00, which a bank takes and gives again.
  await spend(2000);
  for (const at of ['02-29T00:00', '03-01T12:00', '03-03T00:00']) await life.until(`2028-${at}:00Z`);
  const won = control.dispute(chargeOf(2000));
  for (const at of ['03-05T00:00', '03-07T00:00', '03-09T00:00']) await life.until(`2028-${at}:00Z`);
  control.closeDispute(won.id, 'won');
  for (const at of ['03-10T00:00', '03-15T00:00', '03-16T12:00']) await life.until(`2028-${at}:00Z`);
  // 30.00, of which 5.00 are credited and given back.
  await spend(3000);
  for (const at of ['03-31T00:00', '04-01T12:00', '04-08T00:00']) await life.until(`2028-${at}:00Z`);
  await giveBack(app, 3000, '500');
  for (const at of ['04-09T12:00', '04-15T12:00', '04-16T12:00']) await life.until(`2028-${at}:00Z`);
  // 5.00, and a year in which nothing happens but that a bank takes the 30.00 for good.
  await spend(500);
  const months = ['04-21', '04-30', '05-31', '06-30', '07-31', '08-31', '09-30', '10-31', '11-30', '12-31'];
  for (const day of months) {
    if (day === '06-30') control.closeDispute(control.dispute(chargeOf(3000)).id, 'lost');
    await life.until(`2028-${day}T00:00:00Z`);
  }
  for (const day of ['01-31', '02-28', '03-31', '04-20', '04-21', '04-22'])
    await life.until(`2029-${day}T00:00:00Z`);
  return endOf(app);
}

/** A credit note over the invoice of so many cents, and a refund of it. */
async function giveBack(app: PayApp, cents: number, amountMinor: string): Promise<void> {
  const { data } = (await app.get(`${app.at}/billing/invoices`)).body;
  const { sid: invoiceSid } = data.find(
    ({ total }: { total: { amountMinor: string } }) => total.amountMinor === String(cents),
  );
  const money = { amountMinor, currency: 'USD', scale: 2 };
  const note = { ...money, taxMinor: '0', evidence: {}, idempotencyKey: randomUUID(), reason: 'Twice' };
  const credited = await app.post(`${app.at}/billing/invoices/${invoiceSid}/credit-notes`, note);
  assert.equal(credited.status, 201, credited.text);
  const asked = { invoiceSid, reason: 'requested_by_customer' };
  const agreed = await app.post(`${app.at}/billing/refund-requests`, asked);
  assert.equal(agreed.status, 201, agreed.text);
  const { headers } = await app.owner.signInAgain();
  const stepUpToken = await app.owner.stepUp('REFUND_CREATE', headers);
  const keys = { approvalSid: agreed.body.sid, idempotencyKey: randomUUID(), stepUpToken };
  const made = await app.post(`${app.at}/billing/refunds`, { ...asked, ...keys });
  assert.equal(made.status, 202, made.text);
}

/** Everything but names and times. */
async function endOf(app: PayApp): Promise<object> {
  const rows = (text: string) => app.sql(text);
  const { billingStatus, dunningState, availableMinor } = await app.wallet.wallet();
  return {
    wallet: [billingStatus, dunningState, availableMinor],
    balances: await app.wallet.balances(),
    // Not what a period ended with: what is booked late is dated late.
    periods: await rows('select n, ends_at from billing_periods where not livemode order by n'),
    invoices: await rows(
      `select right(number, 6) as number, state, net_minor, tax_minor, paid_minor, credited_net_minor, collect_attempts,
         last_failure, dunning, next_attempt_at is null as rests from invoices order by number`,
    ),
    payments: await rows(
      `select purpose, state, net_minor, refunded_minor, refunding_minor, disputed_minor, fee_minor, parked
         from payment_intents where state not in ('created', 'requires_action')
        order by net_minor, state, purpose`,
    ),
    refunds: await rows('select state, amount_minor from refunds'),
    disputes: await rows('select state, amount_minor, fee_minor from payment_disputes order by amount_minor'),
    unresolved: await app.count('payment_attempts where resolved_at is null'),
    charges: app.control.charges().map(({ amount }) => amount),
    given: app.control.counts().refunds,
  };
}

suite('a year of invoices, payments, disputes and refunds ends as if nothing had happened', () => {
  const lifetime = sharedLifetime();
  let undisturbed: unknown;
  before(async () => {
    undisturbed = await tellStory(lifetime, {});
    const { invoices, charges } = undisturbed as { invoices: object[]; charges: number[] };
    assert.deepEqual([invoices.length, charges], [4, [5000, 1000, 2000, 3000, 500]]);
  });
  const disturbances: [what: string, disturbance: Disturbance][] = [
    [
      'when every webhook comes five times and in the opposite order',
      { webhooks: { copies: 5, reversed: true } },
    ],
    [
      'when every webhook comes a day late, and the payment service is down for a week, more than once',
      {
        webhooks: { delayMs: 86_400_000 },
        paymentsAway: [
          ['2028-01-30', '2028-02-06'],
          ['2028-03-04', '2028-03-14'],
          ['2028-04-07', '2028-04-15'],
        ],
      },
    ],
    [
      'when every webhook is lost, and the service is down for a week, for ten days and for a year',
      {
        webhooks: { lost: true },
        away: [
          ['2028-01-30', '2028-02-06'],
          ['2028-03-04', '2028-03-14'],
          ['2028-04-21', '2029-04-19'],
        ],
      },
    ],
  ];
  for (const [what, disturbance] of disturbances)
    test(what, async (context) => {
      assert.deepEqual(await tellStory(context, disturbance), undisturbed);
    });
});
