import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { atOnce } from '../../../../test/harness/billing.ts';
import { invoiced } from '../../../../test/harness/invoices.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { sha256Hex } from '../../../platform/hashing.ts';
import { lockInvoice } from '../invoices/invoices.ts';
import { receive } from '../settling/payments.ts';
import { creditNoteApproval } from './consent.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

const cents = (amountMinor: number) => ({ amountMinor: String(amountMinor), currency: 'USD', scale: 2 });
const asked = (amount: number, tax: number, more: object = {}) => ({
  amountMinor: String(amount),
  taxMinor: String(tax),
  currency: 'USD',
  scale: 2,
  evidence: { ticket: 'SUP-4711', note: '=HYPERLINK("x")' },
  idempotencyKey: crypto.randomUUID(),
  reason: 'Sent twice <b>by mistake</b>',
  ...more,
});
type Given = Awaited<ReturnType<typeof invoiced>>;
const credit = (given: Given, body: object) => given.post(`invoices/${given.sid}/credit-notes`, body);
const issuesOf = ({ body }: { body: { error: { details?: { path: string; issue: string }[] } } }) =>
  body.error.details?.map(({ path, issue }) => `${path} ${issue}`);
const pay = (given: Given, amount: bigint) =>
  given.write(async (t) =>
    receive(t, await lockInvoice(t, given.sid), { amountMinor: amount, reference: crypto.randomUUID() }),
  );

suite('a credit note', () => {
  test('lessens what is owed, has a number and a document, and moves tax and revenue back', async () => {
    const given = await invoiced(app, 1000);
    const { status, body, text } = await credit(given, asked(400, 80));
    assert.equal(status, 201, text);
    assert.deepEqual([body.amount, body.tax, body.total], [cents(400), cents(80), cents(480)]);
    assert.match(body.number, /^TEST-[0-9A-Z]{16}-CN-000001$/);
    assert.equal(sha256Hex(body.document.json), body.document.sha256);
    const approval = await app.get(
      `/v1/accounts/${given.accountSid}/approvals/${body.approvalSid}`,
      given.headers,
    );
    assert.deepEqual([approval.body.state, approval.body.decidedBy], ['APPROVED', 'system:sandbox']);
    const [invoice] = await given.invoices();
    assert.deepEqual(
      [invoice.state, invoice.credited, invoice.outstanding],
      ['open', cents(480), cents(720)],
    );
    const { receivable, tax_payable: tax, credit_balance: left } = await given.balances();
    assert.deepEqual([receivable, tax, left], [-7_200_000n, 1_200_000n, 0n]);
  });

  test('over everything ends the invoice as paid', async () => {
    const given = await invoiced(app, 1000);
    await credit(given, asked(1000, 200));
    const [invoice] = await given.invoices();
    assert.deepEqual([invoice.state, invoice.outstanding, invoice.paid], ['paid', cents(0), cents(0)]);
    const { receivable, tax_payable: tax } = await given.balances();
    assert.deepEqual([receivable, tax], [0n, 0n]);
  });

  test('over what was paid becomes credit, and the next invoice takes it up', async () => {
    const given = await invoiced(app, 1000);
    await pay(given, 1200n);
    await credit(given, asked(500, 100));
    assert.equal((await given.balances()).credit_balance, 6_000_000n);
    await given.charge(10_000_000n);
    given.endMonth();
    await given.close();
    const [next] = await given.invoices();
    assert.deepEqual(
      [next.state, next.total, next.paid, next.outstanding],
      ['open', cents(1200), cents(600), cents(600)],
    );
    assert.equal((await given.balances()).credit_balance, 0n);
    const voided = await given.post(`invoices/${next.sid}/void`, {
      evidence: {},
      idempotencyKey: 'k',
      reason: 'x',
    });
    assert.deepEqual([voided.status, voided.body.error.code], [409, 'CONFLICT']);
    assert.match(voided.body.error.message, /6\.00 USD is paid/);
  });

  test('is refused with everything that is wrong at once, and the tax it must have', async () => {
    const given = await invoiced(app, 1000);
    const wrong = await credit(given, asked(100, 19, { currency: 'EUR', scale: 4 }));
    assert.deepEqual([wrong.status, wrong.body.error.code], [400, 'VALIDATION_ERROR'], wrong.text);
    assert.deepEqual(issuesOf(wrong), ['currency must be USD', 'scale must be 2', 'taxMinor must be 20']);
  });

  test('beyond what is left is a conflict that names it', async () => {
    const given = await invoiced(app, 1000);
    await credit(given, asked(900, 180));
    const beyond = await credit(given, asked(101, 21));
    assert.deepEqual(
      [beyond.status, beyond.body.error.code, issuesOf(beyond)],
      [409, 'CONFLICT', ['amountMinor at most 100']],
    );
    assert.match(beyond.body.error.message, /1\.00 USD/);
  });

  test('is made once a business key, whatever the header says, and many at once never credit too much', async () => {
    const given = await invoiced(app, 1000);
    const body = asked(100, 20);
    const replies = await atOnce(Array.from({ length: 12 }), () => credit(given, body));
    const ids = replies.map((reply) => (reply.status === 'fulfilled' ? reply.value.body.id : reply.reason));
    const made = ids.filter((id) => typeof id === 'string');
    assert.equal(new Set(made).size, 1);
    assert.equal(await app.count(`credit_notes where account_sid = '${given.accountSid}'`), 1);
    const others = await atOnce(Array.from({ length: 12 }), () => credit(given, asked(300, 60)));
    const statuses = others.map((reply) => (reply.status === 'fulfilled' ? reply.value.status : 0));
    assert.deepEqual(statuses.toSorted(), [201, 201, 201, ...Array(9).fill(409)]);
    const [invoice] = await given.invoices();
    assert.deepEqual([invoice.state, invoice.outstanding], ['paid', cents(0)]);
  });

  test('of an unknown, foreign or unissued invoice is not found or refused', async () => {
    const [given, other] = [
      await invoiced(app, 1000),
      await invoiced(app, 1000, { taxCode: 'fault_refused' }),
    ];
    const foreign = await given.post(`invoices/${other.sid}/credit-notes`, asked(1, 0));
    assert.deepEqual([foreign.status, foreign.body.error.code], [404, 'NOT_FOUND']);
    const unissued = await credit(other, asked(1, 0));
    assert.deepEqual([unissued.status, unissued.body.error.code], [409, 'CONFLICT']);
  });
});

suite('in live', () => {
  test('a credit note waits for the staff of the platform, once a key, and is made when it agrees', async () => {
    const given = await invoiced(app, 1000, { livemode: true, taxCode: null });
    const body = asked(400, 0);
    const first = await credit(given, body);
    assert.deepEqual([first.status, first.body.error.code], [403, 'APPROVAL_REQUIRED'], first.text);
    const [{ issue: approvalSid }] = first.body.error.details;
    const second = await credit(given, body);
    assert.deepEqual(second.body.error.details, first.body.error.details);
    const waiting = await credit(given, { ...body, approvalSid });
    assert.deepEqual(waiting.body.error.details, first.body.error.details);
    assert.equal(await app.count(`credit_notes where account_sid = '${given.accountSid}'`), 0);
    const other = await credit(given, asked(300, 0, { approvalSid }));
    assert.deepEqual(issuesOf(other), ['approvalSid is for another credit note']);
    // As `approve` does it, in the name of the staff.
    const { idempotencyKey: _, ...request } = { ...body, invoiceSid: given.sid };
    await given.write((t) => creditNoteApproval.run(t, request, approvalSid));
    await app.sql("update approvals set state = 'APPROVED' where sid = $1", [approvalSid]);
    const made = await credit(given, { ...body, approvalSid });
    assert.deepEqual(
      [made.status, made.body.approvalSid, made.body.total],
      [201, approvalSid, cents(400)],
      made.text,
    );
    const again = await credit(given, { ...body, approvalSid });
    assert.deepEqual(again.body, made.body);
    assert.equal(await app.count(`credit_notes where account_sid = '${given.accountSid}'`), 1);
  });
});
