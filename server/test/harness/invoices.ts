// Wallets that owe, in tests: messages that were charged, periods that are closed, and the invoices that come of them.
import assert from 'node:assert/strict';
import {
  type CommercialMode,
  changeTerms,
  type FinalPrice,
  hold,
  moveMoney,
  settle,
} from '../../src/modules/billing/index.ts';
import { setTaxProfile } from '../../src/modules/billing-documents/index.ts';
import { closePeriods } from '../../src/modules/invoices/closing/jobs.ts';
import { submitInvoice } from '../../src/modules/invoices/issuing/submit-invoice.ts';
import { newUuid } from '../../src/platform/ids.ts';
import { bearer, type TestApp } from './app.ts';
import { billingOf, priceFor } from './billing.ts';
import { runJob } from './jobs.ts';

type Options = { mode?: CommercialMode; limit?: bigint; livemode?: boolean };

type Billing = ReturnType<typeof billingOf>;

/** Lets the wallet owe; play money, which would pay for everything, goes. Tells its id. */
export async function owing(
  { write, wallet }: Billing,
  { mode, limit }: Required<Pick<Options, 'mode' | 'limit'>>,
): Promise<string> {
  await write((t) => changeTerms(t, { commercialMode: mode, creditLimitMinor: limit }));
  const { id: walletId, availableMinor } = await wallet();
  const moves = { play_money_back: availableMinor };
  if (availableMinor > 0n) await write((t) => moveMoney(t, { walletId, reference: newUuid(t.now), moves }));
  return walletId;
}

/** A message that was delivered and cost so much. */
export async function charged(
  { write, message }: Billing,
  amountMinor: bigint,
  more: Partial<FinalPrice> = {},
): Promise<string> {
  const messageSid = message();
  await write((t) => hold(t, [{ messageSid, amountMinor }]));
  await write((t) => settle(t, [priceFor(messageSid, amountMinor, more)]));
  return messageSid;
}

type NewAccount = Awaited<ReturnType<TestApp['newAccount']>>;

/** An account of its own, with a wallet that may owe. */
export const invoicingOf = async (app: TestApp, options?: Options) =>
  invoicingIn(app, await app.newAccount(), options);

/** The same in an account that is there. */
export async function invoicingIn(
  app: TestApp,
  account: NewAccount,
  { mode = 'postpaid', limit = 10n ** 12n, livemode = false }: Options = {},
) {
  const { accountSid } = account;
  const billing = billingOf(app, { accountSid, livemode });
  const headers = bearer(livemode ? account.liveKey : account.sandboxKey);
  const at = `/v1/accounts/${accountSid}/billing`;
  const walletId = await owing(billing, { mode, limit });
  const place = { app, accountSid, livemode };
  const list = async (what: string) => {
    const { status, body, text } = await app.get(`${at}/${what}`, headers);
    assert.equal(status, 200, text);
    return body.data;
  };
  return {
    ...billing,
    ...place,
    account,
    headers,
    at,
    walletId,
    /** A message that was delivered and cost so much. */
    charge: (amountMinor: bigint, more?: Partial<FinalPrice>) => charged(billing, amountMinor, more),
    /** Closes what is due, and submits what comes of it. */
    async close() {
      await runJob(place, closePeriods, { walletId });
      for (const { sid } of await list('invoices?state=draft'))
        await runJob(place, submitInvoice, { invoiceSid: sid });
    },
    /** Lets the running month end, for everybody. */
    endMonth() {
      const now = app.clock.now();
      app.clock.set(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)));
    },
    invoices: () => list('invoices'),
    statements: () => list('statements'),
    preview: async () => (await app.get(`${at}/invoice-preview`, headers)).body,
    get: (path: string) => app.get(`${at}/${path}`, headers),
    post: (path: string, body: object, more: object = {}) =>
      app.post(`${at}/${path}`, body, { ...headers, ...more }),
  };
}

/** An account with one invoice over so many cents, and tax on top: 20 %, unless told otherwise. */
export async function invoiced(
  app: TestApp,
  amount: number,
  { taxCode = 'standard', ...options }: Options & { taxCode?: string | null } = {},
) {
  const wallet = await invoicingOf(app, options);
  if (taxCode !== null) await taxedBy(wallet, taxCode);
  await wallet.charge(BigInt(amount) * 10_000n);
  wallet.endMonth();
  await wallet.close();
  const [invoice] = await wallet.invoices();
  return { ...wallet, invoice, sid: invoice.sid as string };
}

export const taxedBy = ({ write }: Pick<Awaited<ReturnType<typeof invoicingOf>>, 'write'>, taxCode: string) =>
  write((t) =>
    setTaxProfile(t, {
      currency: 'USD',
      invoiceProvider: 'godwit',
      taxCode,
      taxJurisdiction: 'TEST',
      taxProvider: 'table',
      reason: 'test',
    }),
  );

/** A payment that succeeded and saved its card, as the payment service would have left it; what it brought is gone again. */
export async function savedCard({
  app,
  accountSid,
  livemode,
  walletId,
  write,
}: Awaited<ReturnType<typeof invoicingOf>>) {
  const id = newUuid(app.clock.now());
  const card = JSON.stringify({ brand: 'visa', last4: '4242', expMonth: 12, expYear: 2030 });
  await app.sql(
    `insert into payment_intents (account_sid, livemode, id, purpose, provider, state, wallet_id, currency, scale, net_minor,
       tax_minor, tax_lines, save_card, customer_id, method_id, card, succeeded_at, created_by, created_at, updated_at)
     values ($1, $2, $3, 'top_up', 'stripe', 'succeeded', $4, 'USD', 2, 1000, 0, '[]', true, 'cus_1', 'pm_1', $5, $6, 'test', $6, $6)`,
    [accountSid, livemode, id, walletId, card, app.clock.now()],
  );
  const moves = { top_up: 10_000_000n, play_money_back: 10_000_000n };
  await write((t) => moveMoney(t, { walletId, reference: id, moves }));
  return id;
}
