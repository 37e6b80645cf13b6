import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { atOnce } from '../../../../test/harness/billing.ts';
import { invoiced, invoicingOf, taxedBy } from '../../../../test/harness/invoices.ts';
import { runJob } from '../../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { person } from '../../../../test/harness/people.ts';
import { sha256Hex } from '../../../platform/hashing.ts';
import { OthersNotReady } from '../../../platform/jobs/jobs.ts';
import { closePeriods } from '../closing/jobs.ts';
import { fallDue } from '../collection/collect.ts';
import { resubmission } from './resubmit.ts';
import { submitInvoice } from './submit-invoice.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

const cents = (amountMinor: number) => ({ amountMinor: String(amountMinor), currency: 'USD', scale: 2 });

const because = (idempotencyKey: string) => ({
  idempotencyKey,
  reason: 'By mistake',
  evidence: { ticket: 4711 },
});
const codeOf = ({ status, body }: { status: number; body: { error: { code: string } } }) => [
  status,
  body.error.code,
];
const keysOf = () => crypto.randomUUID();

suite('an invoice that was accepted', () => {
  test('has a number, tax, a document whose hash can be checked, and 30 days to be paid in', async () => {
    const { invoice, get, balances } = await invoiced(app, 1000);
    assert.match(invoice.number, /^TEST-[0-9A-Z]{16}-000001$/);
    assert.deepEqual(
      invoice.taxLines.map(({ ratePpm, base, amount }: Record<string, unknown>) => [ratePpm, base, amount]),
      [[200_000, cents(1000), cents(200)]],
    );
    assert.deepEqual([invoice.state, invoice.total, invoice.outstanding], ['open', cents(1200), cents(1200)]);
    assert.equal(Date.parse(invoice.dueAt) - Date.parse(invoice.issuedAt), 30 * 86_400_000);
    const { body } = await get(`invoices/${invoice.sid}`);
    assert.equal(sha256Hex(body.document.json), body.document.sha256);
    const said = JSON.parse(body.document.json);
    assert.equal(said.number, invoice.number);
    assert.deepEqual(said.totals.at(-1), { label: 'Total', amount: cents(1200) });
    const { receivable, tax_payable: tax } = await balances();
    assert.deepEqual([receivable, tax], [-12_000_000n, 2_000_000n]);
  });

  test('has a line for every rate of tax, each over the whole net', async () => {
    const { invoice } = await invoiced(app, 1001, { taxCode: 'two_rates' });
    const amounts = invoice.taxLines.map(
      ({ amount }: { amount: { amountMinor: string } }) => amount.amountMinor,
    );
    assert.deepEqual([amounts, invoice.total], [['50', '100'], cents(1151)]);
  });

  test('is issued once, and many at once have numbers without a gap', async () => {
    const wallet = await invoicingOf(app);
    for (let i = 0; i < 10; i += 1) {
      await wallet.charge(1_000_000n);
      wallet.endMonth();
    }
    await runJob(wallet, closePeriods, { walletId: wallet.walletId });
    const drafts = await wallet.invoices();
    assert.deepEqual(new Set(drafts.map(({ state }: { state: string }) => state)), new Set(['draft']));
    const tries = Array.from({ length: 50 }, (_, at) => drafts[at % drafts.length].sid as string);
    const results = await atOnce(tries, (invoiceSid) => runJob(wallet, submitInvoice, { invoiceSid }));
    assert.deepEqual(
      results.filter(({ status }) => status === 'rejected'),
      [],
    );
    const numbers = (await wallet.invoices()).map(({ number }: { number: string }) =>
      Number(number.slice(-6)),
    );
    assert.deepEqual(
      numbers.toSorted((a: number, b: number) => a - b),
      Array.from({ length: 10 }, (_, at) => at + 1),
    );
  });
});

suite('an invoice that was refused', () => {
  test('is submitted again by an operation, with the tax that holds by then', async () => {
    const { invoice, sid, accountSid, ...wallet } = await invoiced(app, 1000, {
      taxCode: 'fault_refused',
    });
    assert.deepEqual([invoice.state, invoice.number], ['failed', null]);
    assert.match(invoice.submission.error, /refuses/);
    assert.equal((await wallet.balances()).receivable, -10_000_000n);
    const owner = await person(app, { accountSid });
    const again = async () =>
      app.post(
        `${wallet.at}/invoices/${sid}/resubmit`,
        { stepUpToken: await owner.stepUp('INVOICE_RESUBMIT') },
        wallet.headers,
      );
    const refused = await app.post(
      `${wallet.at}/invoices/${sid}/resubmit`,
      { stepUpToken: 'no' },
      wallet.headers,
    );
    assert.equal(refused.body.error.code, 'STEP_UP_REQUIRED');
    await taxedBy(wallet, 'reduced');
    const started = await again();
    assert.deepEqual([started.status, started.body.type], [202, 'invoices.resubmit'], started.text);
    assert.equal((await wallet.invoices())[0].state, 'pending_provider');
    await runJob({ app, accountSid }, resubmission.job, { operationSid: started.body.sid });
    const [issued] = await wallet.invoices();
    assert.deepEqual([issued.state, issued.total, issued.submission.attempts], ['open', cents(1055), 2]);
    const ended = await app.get(`/v1/accounts/${accountSid}/operations/${started.body.sid}`, wallet.headers);
    assert.deepEqual([ended.body.state, ended.body.result], ['SUCCEEDED', { invoiceSid: sid }]);
    assert.deepEqual(codeOf(await again()), [409, 'CONFLICT']);
  });

  test('and is refused again fails its operation, also when the process died before it could say so', async () => {
    const { sid, accountSid, ...wallet } = await invoiced(app, 1000, { taxCode: 'fault_refused' });
    const owner = await person(app, { accountSid });
    const stepUpToken = await owner.stepUp('INVOICE_RESUBMIT');
    const { body } = await app.post(`${wallet.at}/invoices/${sid}/resubmit`, { stepUpToken }, wallet.headers);
    // The answer is written down, and the operation is still to be ended.
    await runJob({ app, accountSid }, submitInvoice, { invoiceSid: sid });
    assert.equal((await wallet.invoices())[0].state, 'failed');
    await runJob({ app, accountSid }, resubmission.job, { operationSid: body.sid });
    const ended = await app.get(`/v1/accounts/${accountSid}/operations/${body.sid}`, wallet.headers);
    assert.equal(ended.body.state, 'FAILED');
    assert.match(ended.body.error.message, /refuses every invoice/);
  });

  test('is tried again by itself while nobody answers', async () => {
    const wallet = await invoicingOf(app);
    await taxedBy(wallet, 'fault_unavailable_twice');
    await wallet.charge(1_000_000n);
    wallet.endMonth();
    await runJob(wallet, closePeriods, { walletId: wallet.walletId });
    const [{ sid: invoiceSid }] = await wallet.invoices();
    const once = () => runJob(wallet, submitInvoice, { invoiceSid });
    await assert.rejects(once, OthersNotReady);
    await assert.rejects(once, OthersNotReady);
    assert.equal((await wallet.invoices())[0].state, 'pending_provider');
    await once();
    assert.deepEqual((await wallet.invoices())[0].state, 'open');
  });
});

suite('voiding', () => {
  test('gives everything back, and the next invoice bills it again', async () => {
    const wallet = await invoiced(app, 1000);
    const key = keysOf();
    const { status, body, text } = await wallet.post(`invoices/${wallet.sid}/void`, because(key));
    assert.deepEqual([status, body.state, body.outstanding], [200, 'void', cents(0)], text);
    const { available, receivable, tax_payable: tax } = await wallet.balances();
    assert.deepEqual([available, receivable, tax], [-10_000_000n, 0n, 0n]);
    const again = await wallet.post(`invoices/${wallet.sid}/void`, because(key));
    assert.deepEqual([again.status, again.body], [200, body]);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    const other = await wallet.post(`invoices/${wallet.sid}/void`, { ...because(key), reason: 'Another' });
    assert.equal(other.body.error.code, 'IDEMPOTENCY_KEY_REUSED');
    assert.deepEqual(codeOf(await wallet.post(`invoices/${wallet.sid}/void`, because(keysOf()))), [
      409,
      'CONFLICT',
    ]);
    await wallet.charge(2_000_000n);
    wallet.endMonth();
    await wallet.close();
    const [next] = await wallet.invoices();
    assert.deepEqual([next.total, next.periods.length], [cents(1440), 2]);
  });

  test('of an invoice that was refused gives back what it took, which was no tax', async () => {
    const wallet = await invoiced(app, 1000, { taxCode: 'fault_refused' });
    const { body } = await wallet.post(`invoices/${wallet.sid}/void`, because(keysOf()));
    assert.equal(body.state, 'void');
    const { available, receivable, tax_payable: tax } = await wallet.balances();
    assert.deepEqual([available, receivable, tax], [-10_000_000n, 0n, 0n]);
  });

  test('of an invoice that is past due ends what the wallet is reminded of', async () => {
    const wallet = await invoiced(app, 1000);
    app.clock.advance(31 * 86_400_000);
    await wallet.write((t) => fallDue(t, wallet.sid));
    assert.equal((await wallet.wallet()).dunningState, 'action_required');
    const { status, text } = await wallet.post(`invoices/${wallet.sid}/void`, because(keysOf()));
    assert.equal(status, 200, text);
    assert.equal((await wallet.wallet()).dunningState, 'none');
  });

  test('happens once, however many ask', async () => {
    const wallet = await invoiced(app, 1000);
    const results = await atOnce(Array.from({ length: 50 }), () =>
      wallet.post(`invoices/${wallet.sid}/void`, because(keysOf())),
    );
    const statuses = results.map((result) =>
      result.status === 'fulfilled' ? result.value.status : result.reason,
    );
    assert.deepEqual(statuses.toSorted(), [200, ...Array(49).fill(409)]);
    assert.equal((await wallet.balances()).available, -10_000_000n);
  });
});

suite('writing off', () => {
  const late = async (wallet: Awaited<ReturnType<typeof invoiced>>) => {
    app.clock.advance(31 * 86_400_000);
    await wallet.write((t) => fallDue(t, wallet.sid));
  };

  test('ends an invoice that is past due, suspends the wallet, and is agreed to by the sandbox at once', async () => {
    const wallet = await invoiced(app, 1000);
    assert.deepEqual(codeOf(await wallet.post(`invoices/${wallet.sid}/write-off`, because(keysOf()))), [
      409,
      'CONFLICT',
    ]);
    await late(wallet);
    assert.equal((await wallet.invoices())[0].state, 'past_due');
    const { status, body, text } = await wallet.post(`invoices/${wallet.sid}/write-off`, because(keysOf()));
    assert.deepEqual([status, body.state, body.outstanding], [200, 'uncollectible', cents(0)], text);
    const { receivable, bad_debt: debt } = await wallet.balances();
    assert.deepEqual([receivable, debt], [0n, -12_000_000n]);
    const { billingStatus, dunningState } = await wallet.wallet();
    assert.deepEqual([billingStatus, dunningState], ['suspended', 'written_off']);
  });

  test('waits in live until the staff of the platform agrees, once a key', async () => {
    const wallet = await invoiced(app, 1000, { livemode: true, taxCode: null });
    await late(wallet);
    const body = because(keysOf());
    const first = await wallet.post(`invoices/${wallet.sid}/write-off`, body);
    const second = await wallet.post(`invoices/${wallet.sid}/write-off`, body);
    assert.deepEqual(codeOf(first), [403, 'APPROVAL_REQUIRED']);
    assert.deepEqual(second.body.error.details, first.body.error.details);
    assert.equal((await wallet.invoices())[0].state, 'past_due');
    assert.equal(await app.count(`approvals where account_sid = '${wallet.accountSid}'`), 1);
  });
});
