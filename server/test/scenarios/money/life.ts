// The account whose money is looked at: a real service with its payment simulator and no worker, so that what is queued happens when
// the test says so, in one order, and the same acts do the same.
import assert from 'node:assert/strict';
import { paymentHooks } from '../../../src/main/hooks.ts';
import { jobs } from '../../../src/main/modules.ts';
import { accountTypes } from '../../../src/modules/billing/index.ts';
import { look } from '../../../src/modules/payments/look/look.ts';
import { casesOf } from '../../../src/modules/reconciliation/reconciliation.test-data.ts';
import { newUuid } from '../../../src/platform/ids.ts';
import type { TenantJobContext } from '../../../src/platform/jobs/jobs.ts';
import { systemPrincipal } from '../../../src/platform/principal.ts';
import type { TestApp } from '../../harness/app.ts';
import { draftRateCard, publishRateCard } from '../../harness/billing.ts';
import { invoicingIn, taxedBy } from '../../harness/invoices.ts';
import { messagesOf } from '../../harness/messages.ts';
import { moneyKept } from '../../harness/untouched.ts';
import { passedOn, prices } from './acts.ts';

export const cardVersion = 9;
export const limitMinor = 25_000_000n;
export const taxRates = { standard: [200_000n], two_rates: [50_000n, 99_750n], exempt: [] } as const;
export type TaxCode = keyof typeof taxRates;

export async function publishPrices(app: TestApp): Promise<void> {
  const now = app.clock.now().toISOString();
  await draftRateCard(app, cardVersion, now);
  for (const [kind, amounts] of Object.entries({ platform_fee: prices, provider_pass_through: passedOn }))
    for (const [category, price] of Object.entries({ ...amounts, service: amounts.free }))
      await app.sql('update rates set amount_minor = $4 where version = $1 and kind = $2 and category = $3', [
        cardVersion,
        kind,
        category,
        price,
      ]);
  await publishRateCard(app, cardVersion, now);
}

// What a worker would do at once. PDFs and enquiries at the provider move no money.
const worked = [
  'payments.attempt',
  'payments.close',
  'invoices.submit',
  'invoices.collect',
  'reconciliation.doubted-prices',
];

export type Life = Awaited<ReturnType<typeof newLife>>;

export async function newLife(app: TestApp, taxCode: TaxCode) {
  const messages = await messagesOf(app);
  const { accountSid } = messages;
  const wallet = await invoicingIn(app, messages.account, { mode: 'postpaid', limit: limitMinor });
  await taxedBy(wallet, taxCode);
  const cases = casesOf(app, messages);
  const { control } = app.paymentSimulator;

  const tenant = { accountSid, livemode: false };
  const asked = () => ({
    principal: systemPrincipal('test', false),
    now: app.clock.now(),
    requestId: 'test',
    log: app.log,
  });
  const context = () =>
    ({
      database: app.database,
      sealer: app.sealer,
      ports: app.ports,
      site: app.site(),
      log: app.log,
      now: () => app.clock.now(),
      signal: new AbortController().signal,
      processId: newUuid(app.clock.now()),
      write: (work: never) => app.database.write(tenant, asked(), work),
      read: (work: never) => app.database.read(tenant, asked(), work),
    }) as unknown as TenantJobContext;

  /** Does what is queued, and what that queues, until nothing is left. */
  async function work(): Promise<void> {
    for (;;) {
      const queued = await cases.take(worked);
      if (queued.length === 0) return;
      for (const { name, payload } of queued.sort((a, b) => Number(a.id) - Number(b.id)))
        await jobs.find((job) => job.name === name)!.run(context(), payload.payload);
    }
  }

  return {
    ...wallet,
    messages,
    cases,
    control,
    work,
    /** What the service was told or would have found out by itself. */
    async look(intentId: string): Promise<void> {
      await control.settle();
      await look(context(), paymentHooks, intentId);
      await work();
    },
    /** Everything that was written down about money, as one value: a refusal leaves it as it was. */
    everything: (): Promise<string> => moneyKept(app, accountSid),
    async stored() {
      const balances = await app.sql<{ account: string; balance: string }>(
        'select account, balance_minor as balance from ledger_accounts where wallet_id = $1',
        [wallet.walletId],
      );
      const [state] = await app.sql<{ billing: string; dunning: string }>(
        'select billing_status as billing, dunning_state as dunning from wallets where id = $1',
        [wallet.walletId],
      );
      const found = new Map(balances.map(({ account, balance }) => [account, BigInt(balance)]));
      assert.ok(state);
      return {
        balances: Object.fromEntries(accountTypes.map((name) => [name, found.get(name) ?? 0n])),
        ...state,
      };
    },
    /** Of the newest page that was opened for a payment. */
    async sessionOf(intentId: string): Promise<string> {
      const [row] = await app.sql<{ session: string }>(
        `select object_id as session from payment_attempts where intent_id = $1 and step = 'session'
          order by attempt desc limit 1`,
        [intentId],
      );
      assert.ok(row, `payment ${intentId} has no page`);
      return row.session;
    },
    /** The newest payment by which a saved card was charged for an invoice. */
    async chargeFor(invoiceSid: string): Promise<string> {
      const [row] = await app.sql<{ id: string }>(
        `select p.id from payment_intents p join payment_attempts a on a.account_sid = p.account_sid and a.intent_id = p.id
          where p.account_sid = $1 and p.invoice_sid = $2 and a.step = 'charge' order by p.created_at desc limit 1`,
        [accountSid, invoiceSid],
      );
      assert.ok(row, `the card was never charged for ${invoiceSid}`);
      return row.id;
    },
    async intent(intentId: string) {
      const [row] = await app.sql<{ state: string; cents: string; tax: string; fee: string; charge: string }>(
        `select state, net_minor + tax_minor as cents, tax_minor as tax, fee_minor as fee, charge_id as charge
           from payment_intents where id = $1`,
        [intentId],
      );
      assert.ok(row);
      return { ...row, cents: BigInt(row.cents), tax: BigInt(row.tax), fee: BigInt(row.fee ?? 0) };
    },
  };
}
