// Money that came by bank, recorded from the command line.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { recordPayment } from '../../src/main/commands/billing/payments.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { invoiced } from '../harness/invoices.ts';
import { sharedLifetime } from '../harness/lifetime.ts';
import { untouched } from '../harness/untouched.ts';
import { freshDatabase, type Given } from './fixtures.ts';
import { godwit } from './godwit.ts';

let env: Given;
let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  env = await freshDatabase(lifetime);
  app = await startTestApp(lifetime, { databaseUrl: env.DATABASE_URL, env: { MASTER_KEY: env.MASTER_KEY } });
});

type Invoiced = Awaited<ReturnType<typeof invoiced>>;

const said = async (...args: string[]) => {
  const { code, stdout, stderr } = await godwit(args, env);
  return [code, stdout.trim() || stderr.trim()];
};
const record = ({ accountSid, sid }: Invoiced, amount: string, reference: string, ...more: string[]) =>
  said(
    ...['payments', 'record', '--account', accountSid, '--invoice', sid],
    ...['--amount', amount, '--reference', reference, ...more],
  );
/** What the command says of a transfer that changes nothing. */
const refused = (of: Invoiced, ...asked: [amount: string, reference: string, ...more: string[]]) =>
  untouched(app, of.accountSid, () => record(of, ...asked));
const moved = async ({ accountSid }: Invoiced) =>
  Object.fromEntries(
    (
      await app.sql<{ kind: string; amount: string }>(
        `select t.kind, sum(t.amount_minor) as amount from ledger_transfers t
           join payment_intents p on p.id::text = t.reference
          where p.account_sid = $1 and p.provider = 'transfer' group by t.kind`,
        [accountSid],
      )
    ).map(({ kind, amount }) => [kind, amount]),
  );

test('a transfer pays its invoice, once for a reference', async () => {
  const of = await invoiced(app, 1000); // 10.00 and 2.00 of tax
  assert.deepEqual(await record(of, '12.00', 'SEPA 1'), [
    0,
    `12.00 USD recorded for ${of.sid}, which is paid: 0.00 USD is outstanding, 0.00 USD became credit.`,
  ]);
  assert.deepEqual(await refused(of, '12.00', 'SEPA 1'), [
    2,
    'godwit: There is a payment with the reference SEPA 1 already.',
  ]);
  assert.deepEqual(await moved(of), { invoice_payment: '12000000' });
  assert.equal((await of.balances()).receivable, 0n);
});

test('what an invoice does not need becomes credit: all of it where the invoice was voided', async () => {
  const of = await invoiced(app, 1000);
  assert.deepEqual(await record(of, '20.50', 'too much'), [
    0,
    `20.50 USD recorded for ${of.sid}, which is paid: 0.00 USD is outstanding, 8.50 USD became credit.`,
  ]);
  assert.deepEqual(await moved(of), { invoice_payment: '12000000', invoice_overpayment: '8500000' });
  const voided = await invoiced(app, 1000);
  const ending = { evidence: {}, idempotencyKey: 'k', reason: 'By mistake' };
  assert.equal((await voided.post(`invoices/${voided.sid}/void`, ending)).status, 200);
  assert.deepEqual(await record(voided, '12', 'too late'), [
    0,
    `12.00 USD recorded for ${voided.sid}, which is void: 0.00 USD is outstanding, 12.00 USD became credit.`,
  ]);
  assert.equal((await voided.balances()).credit_balance, 12_000_000n);
});

test('a transfer in another currency, or for an invoice that is not there, is refused', async () => {
  const of = await invoiced(app, 1000);
  assert.deepEqual(await refused(of, '12', 'r', '--currency', 'EUR'), [2, 'godwit: The invoice is in USD.']);
  const unknown = { ...of, sid: `IN${'0'.repeat(26)}` };
  assert.deepEqual(await refused(unknown, '12', 'r'), [
    2,
    `godwit: There is no invoice ${unknown.sid} in this account's sandbox.`,
  ]);
});

test('a part of it leaves the rest open, and an amount that is none, of another environment or of no currency is refused', async () => {
  // The same without a process for each.
  const of = await invoiced(app, 1000);
  const command = (amount: string, more: { livemode?: boolean; currency?: string } = {}) => {
    const { livemode = false, currency = 'USD' } = more;
    const context = { database: app.database, clock: app.clock, log: app.log };
    const tenant = { accountSid: of.accountSid, livemode };
    return recordPayment(context, tenant, { invoice: of.sid, amount, currency, reference: 'in parts' });
  };
  const wrong = /^It must be an amount of USD above zero, with at most 2 decimals\.$/;
  for (const [amount, more, says] of [
    ['12', { currency: 'XXX' }, /^Nothing is paid in XXX here\.$/],
    ['12', { livemode: true }, /in this account's live environment\.$/],
    ['12.001', {}, wrong],
    ['0', {}, wrong],
    ['-1', {}, wrong],
    ['99999999999999999', {}, /^99999999999999999\.00 USD is more than can be recorded\.$/],
  ] as const)
    await untouched(app, of.accountSid, () => assert.rejects(command(amount, more), { message: says }));
  assert.match(await command('5'), /which is open: 7\.00 USD is outstanding, 0\.00 USD became credit\.$/);
});

test('the help says what the command does and needs', async () => {
  const [code, text] = await said('payments', 'record', '--help');
  assert.equal(code, 0);
  for (const part of [
    'bank transfer',
    'becomes credit',
    '--account',
    '--invoice',
    '--amount',
    '--reference',
    '--live',
  ])
    assert.ok(String(text).includes(part), part);
});
