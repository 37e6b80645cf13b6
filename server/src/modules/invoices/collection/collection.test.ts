import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { atOnce } from '../../../../test/harness/billing.ts';
import { invoicingOf, savedCard } from '../../../../test/harness/invoices.ts';
import { runCron, runJob } from '../../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { sql } from '../../../platform/db/query.ts';
import { type Intent, intentsOfInvoice, isPaid, lockIntent, recordTransfer } from '../../payments/index.ts';
import { setAutomation } from '../automation/automations.ts';
import { invoicesFollow } from './follow-payments.ts';
import { collectDue, collectInvoice } from './jobs.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

const hour = 3_600_000;
const cents = (amountMinor: number) => ({ amountMinor: String(amountMinor), currency: 'USD', scale: 2 });
const declined = { code: 'card_declined', declineCode: 'insufficient_funds', message: 'No' };

type Wallet = Awaited<ReturnType<typeof invoicingOf>>;
type Given = Wallet & { sid: string };

/** An invoice over 10 dollars, to be collected from a saved card. */
async function collected(
  retryDelaysHours: number[],
  options: Parameters<typeof invoicingOf>[1] = {},
): Promise<Given> {
  const wallet = await invoicingOf(app, options);
  const paymentIntentId = await savedCard(wallet);
  await wallet.charge(10_000_000n);
  const start = app.clock.now();
  app.clock.advance(24 * hour);
  await wallet.write((t) =>
    setAutomation(t, {
      currency: 'USD',
      nextPeriodStart: start.toISOString(),
      nextPeriodEnd: app.clock.now().toISOString(),
      collection: { paymentIntentId, retryDelaysHours, stepUpToken: '' },
    }),
  );
  await wallet.close();
  const [{ sid }] = await wallet.invoices();
  return { ...wallet, sid };
}

const collect = (given: Given) => runJob(given, collectInvoice, { invoiceSid: given.sid });
const invoiceOf = async (given: Given) => (await given.get(`invoices/${given.sid}`)).body;
const statusOf = async (given: Given) => {
  const { billingStatus, dunningState } = await given.wallet();
  return [billingStatus, dunningState];
};

/** The newest payment of the invoice. */
const tried = (given: Given): Promise<Intent> =>
  given.write(async (t) => {
    const [newest] = (await intentsOfInvoice(t, given.sid)).toSorted((a, b) => (a.id < b.id ? 1 : -1));
    return newest!;
  });

/** What the payment service says of a payment, as payments tell it. */
const told = (
  given: Given,
  { id }: Intent,
  what: 'succeeded' | 'failed',
  failure: Intent['failure'] = null,
) =>
  given.write(async (t) => {
    const intent = await lockIntent(t, id);
    await resolveAttempts(given, id);
    await t.run(sql`
      update payment_intents set state = ${what}, succeeded_at = ${what === 'succeeded' ? t.now : null}
       where account_sid = ${t.accountSid} and id = ${id}`);
    await invoicesFollow[what]!(t, { ...intent, failure });
  });

/** As payments do when nothing more can come of a try. */
const resolveAttempts = (given: Given, id: string) =>
  app.sql('update payment_attempts set resolved_at = created_at where account_sid = $1 and intent_id = $2', [
    given.accountSid,
    id,
  ]);

/** As payments do: whoever sees it first under the payment's lock tells of it. */
const paid = (given: Given, { id }: Intent) =>
  given.write(async (t) => {
    const intent = await lockIntent(t, id);
    if (isPaid(intent.state)) return;
    await t.run(
      sql`update payment_intents set state = 'succeeded', succeeded_at = ${t.now} where id = ${id}`,
    );
    await invoicesFollow.succeeded!(t, intent);
  });

/** Money for the invoice that came by bank. */
const transferred = ({ write, sid, walletId }: Given, amountMinor: bigint) =>
  write((t) =>
    recordTransfer({ followers: [invoicesFollow] })(t, {
      invoiceSid: sid,
      walletId,
      currency: 'USD',
      amountMinor,
      reference: crypto.randomUUID(),
    }),
  );

async function fail(given: Given, failure: Intent['failure'] = declined): Promise<void> {
  await told(given, await tried(given), 'failed', failure);
}

suite('an invoice with a saved card', () => {
  test('is charged when it is issued, and paid when the money comes', async () => {
    const given = await collected([24]);
    await collect(given);
    await collect(given);
    const intent = await tried(given);
    assert.equal(intent.amountMinor, 1000n);
    assert.deepEqual((await invoiceOf(given)).collection, {
      attempts: 1,
      nextAttemptAt: null,
      lastFailure: null,
    });
    await told(given, intent, 'succeeded');
    const invoice = await invoiceOf(given);
    assert.deepEqual([invoice.state, invoice.paid, invoice.outstanding], ['paid', cents(1000), cents(0)]);
    const { receivable, funding } = await given.balances();
    assert.deepEqual([receivable, funding], [0n, -10_000_000n]);
  });

  test('is past due after the first failure, is tried again as its delays say, and then the wallet is suspended', async () => {
    const given = await collected([24, 48]);
    await collect(given);
    await fail(given);
    let invoice = await invoiceOf(given);
    assert.deepEqual([invoice.state, invoice.collection.lastFailure], ['past_due', 'insufficient_funds']);
    assert.equal(Date.parse(invoice.collection.nextAttemptAt), app.clock.now().getTime() + 24 * hour);
    assert.deepEqual(await statusOf(given), ['active', 'retrying']);
    await given.charge(1_000_000n);
    app.clock.advance(24 * hour - 1);
    await runCron(app, collectDue);
    assert.equal((await invoiceOf(given)).collection.attempts, 1);
    for (const delay of [1, 48 * hour]) {
      app.clock.advance(delay);
      await runCron(app, collectDue);
      await fail(given);
    }
    invoice = await invoiceOf(given);
    assert.deepEqual([invoice.collection.attempts, invoice.collection.nextAttemptAt], [3, null]);
    assert.deepEqual(await statusOf(given), ['suspended', 'exhausted']);
    assert.match(invoice.hostedUrl, /\/pay\//);
    await assert.rejects(given.charge(1_000_000n), { code: 'INSUFFICIENT_FUNDS' });
    const told_ = (await app.emitted()).filter((type) => type === 'invoice.past_due');
    assert.ok(told_.length >= 1);
  });

  test('that is paid by another way ends the dunning, and sending goes on', async () => {
    const given = await collected([]);
    await collect(given);
    await fail(given);
    assert.deepEqual(await statusOf(given), ['suspended', 'exhausted']);
    const link = await tried(given);
    await told(given, link, 'succeeded');
    assert.equal((await invoiceOf(given)).state, 'paid');
    assert.deepEqual(await statusOf(given), ['active', 'none']);
    await given.charge(1_000_000n);
  });

  test('that is paid by transfer while its card is tried is not dunned when the card is declined', async () => {
    for (const retryDelaysHours of [[24], []]) {
      const given = await collected(retryDelaysHours);
      await collect(given);
      const attempt = await tried(given);
      await transferred(given, 1000n);
      await told(given, attempt, 'failed', declined);
      const { state, collection } = await invoiceOf(given);
      assert.deepEqual([state, collection.nextAttemptAt, collection.lastFailure], ['paid', null, null]);
      assert.deepEqual(await statusOf(given), ['active', 'none']);
    }
  });

  test('of which less is left than a card can be charged waits to be paid another way, and sending goes on', async () => {
    for (const retryDelaysHours of [[24], []]) {
      const given = await collected(retryDelaysHours);
      await transferred(given, 951n);
      await collect(given);
      const { state, collection, hostedUrl } = await invoiceOf(given);
      const waiting = { attempts: 0, nextAttemptAt: null, lastFailure: 'below_minimum' };
      assert.deepEqual([state, collection, hostedUrl], ['past_due', waiting, null]);
      assert.equal((await tried(given)).provider, 'transfer'); // the card was not tried
      assert.deepEqual(await statusOf(given), ['active', 'action_required']);
      await given.charge(1_000_000n);
      await transferred(given, 49n);
      assert.deepEqual(await statusOf(given), ['active', 'none']);
    }
  });

  test('is not tried again with a card that was stolen, whatever delays are left', async () => {
    const given = await collected([1, 1, 1]);
    await collect(given);
    await fail(given, { code: 'card_declined', declineCode: 'stolen_card', message: 'No' });
    assert.equal((await invoiceOf(given)).collection.nextAttemptAt, null);
    assert.deepEqual(await statusOf(given), ['suspended', 'exhausted']);
  });

  test('whose owner must agree in person gets a link', async () => {
    const given = await collected([24]);
    await collect(given);
    await fail(given, { code: 'authentication_required', declineCode: null, message: 'No' });
    const invoice = await invoiceOf(given);
    assert.match(invoice.hostedUrl, /\/pay\//);
    assert.deepEqual(await statusOf(given), ['active', 'action_required']);
  });

  test('cannot be voided, credited or written off while somebody pays it', async () => {
    const given = await collected([24]);
    await collect(given);
    const ending = { evidence: {}, idempotencyKey: 'k', reason: 'x' };
    const voided = await given.post(`invoices/${given.sid}/void`, ending);
    assert.deepEqual([voided.status, voided.body.error.code], [409, 'CONFLICT']);
    assert.match(voided.body.error.message, /under way/);
    const note = { amountMinor: '100', taxMinor: '0', currency: 'USD', scale: 2, ...ending };
    const credited = await given.post(`invoices/${given.sid}/credit-notes`, note);
    assert.match(credited.body.error.message, /under way/);
  });
});

test('an invoice that cannot be worked on keeps no other from being collected', async () => {
  const all = [await collected([24]), await collected([24]), await collected([24])];
  const [bad] = all.map(({ sid }) => sid).toSorted();
  await app.sql(`
    create schema if not exists testing;
    create function testing.refuse() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$;
    create trigger refuse before update on invoices for each row when (new.sid = '${bad}') execute function testing.refuse()`);
  await assert.rejects(runCron(app, collectDue), /not everything that is due was done/);
  for (const given of all) {
    const { attempts } = (await invoiceOf(given)).collection;
    assert.equal(attempts, given.sid === bad ? 0 : 1);
  }
  await app.sql('drop trigger refuse on invoices');
  await runCron(app, collectDue);
  assert.equal((await invoiceOf(all.find(({ sid }) => sid === bad)!)).collection.attempts, 1);
});

suite('an invoice without a card', () => {
  test('has a link and 30 days; after that it is past due, and sending goes on', async () => {
    const given = await collected([24], { mode: 'invoice' });
    const issued = await invoiceOf(given);
    assert.match(issued.hostedUrl, /\/pay\//);
    assert.deepEqual(issued.collection, { attempts: 0, nextAttemptAt: null, lastFailure: null });
    app.clock.advance(30 * 24 * hour - 1);
    await runCron(app, collectDue);
    assert.equal((await invoiceOf(given)).state, 'open');
    app.clock.advance(1);
    await runCron(app, collectDue);
    assert.equal((await invoiceOf(given)).state, 'past_due');
    assert.deepEqual(await statusOf(given), ['active', 'action_required']);
  });

  test('events never carry the link', async () => {
    const given = await collected([24], { mode: 'invoice' });
    const rows = await app.sql<{ data: { hostedUrl: string | null } }>(
      "select data from events where account_sid = $1 and type like 'invoice.%'",
      [given.accountSid],
    );
    assert.ok(rows.length >= 2);
    for (const { data } of rows) assert.equal(data.hostedUrl, null);
  });
});

suite('money', () => {
  test('too much, or for an invoice that was voided meanwhile, becomes credit', async () => {
    const given = await collected([24], { mode: 'invoice' });
    const link = await tried(given);
    const { status, text } = await given.post(`invoices/${given.sid}/void`, {
      evidence: {},
      idempotencyKey: 'k',
      reason: 'x',
    });
    assert.equal(status, 200, text);
    await told(given, link, 'succeeded');
    const { credit_balance: left, receivable } = await given.balances();
    assert.deepEqual([left, receivable], [10_000_000n, 0n]);
    assert.equal((await invoiceOf(given)).state, 'void');
  });

  test('that a bank takes back is owed again, and is paid again when the bank gives it back', async () => {
    const given = await collected([24], { mode: 'invoice' });
    const link = await tried(given);
    await told(given, link, 'succeeded');
    const id = crypto.randomUUID();
    const change = { amountMinor: 1000n, reason: 'fraudulent' };
    await given.write((t) => invoicesFollow.disputed!(t, link, { ...change, reference: id, earlier: [] }));
    let invoice = await invoiceOf(given);
    assert.deepEqual([invoice.state, invoice.outstanding], ['past_due', cents(1000)]);
    assert.equal((await given.balances()).receivable, -10_000_000n);
    const back = { ...change, reference: `${id}:2`, earlier: [id] };
    await given.write((t) => invoicesFollow.reinstated!(t, link, back));
    invoice = await invoiceOf(given);
    assert.deepEqual([invoice.state, invoice.paid], ['paid', cents(1000)]);
    assert.deepEqual(await statusOf(given), ['active', 'none']);
  });

  test('that a bank takes back beyond what an invoice had got is the wallet’s, and goes back there', async () => {
    const given = await collected([24], { mode: 'invoice' });
    const link = await tried(given);
    await told(given, link, 'succeeded');
    const id = crypto.randomUUID();
    const change = { amountMinor: 1500n, reason: 'fraudulent' };
    const before = await given.balances();
    await given.write((t) => invoicesFollow.disputed!(t, link, { ...change, reference: id, earlier: [] }));
    const { available, receivable } = await given.balances();
    assert.deepEqual([available, receivable], [before.available! - 5_000_000n, -10_000_000n]);
    const back = { ...change, reference: `${id}:2`, earlier: [id] };
    await given.write((t) => invoicesFollow.reinstated!(t, link, back));
    assert.deepEqual(await given.balances(), before);
  });

  test('too much that a bank takes back leaves an invoice paid of which nothing is owed', async () => {
    const given = await collected([24], { mode: 'invoice' });
    const link = await tried(given);
    const credit = { amountMinor: '1000', taxMinor: '0', currency: 'USD', scale: 2 };
    const ending = { evidence: {}, idempotencyKey: 'k', reason: 'x' };
    const { status, text } = await given.post(`invoices/${given.sid}/credit-notes`, { ...credit, ...ending });
    assert.equal(status, 201, text);
    // Somebody was paying all the same.
    await told(given, link, 'succeeded');
    const before = await given.balances();
    const change = { amountMinor: 1000n, reason: 'fraudulent', reference: crypto.randomUUID(), earlier: [] };
    await given.write((t) => invoicesFollow.disputed!(t, link, change));
    const { state, outstanding } = await invoiceOf(given);
    assert.deepEqual([state, outstanding], ['paid', cents(0)]);
    assert.deepEqual(await statusOf(given), ['active', 'none']);
    const back = { ...change, reference: crypto.randomUUID(), earlier: [change.reference] };
    await given.write((t) => invoicesFollow.reinstated!(t, link, back));
    assert.deepEqual(await given.balances(), before);
  });

  test('for an invoice that was written off recovers it', async () => {
    const given = await collected([]);
    await collect(given);
    await fail(given);
    const link = await tried(given);
    const ending = { evidence: {}, idempotencyKey: 'k', reason: 'x' };
    const { body, text } = await given.post(`invoices/${given.sid}/write-off`, ending);
    assert.equal(body.state, 'uncollectible', text);
    await told(given, link, 'succeeded');
    assert.equal((await invoiceOf(given)).state, 'paid');
    const { bad_debt: debt, receivable } = await given.balances();
    assert.deepEqual([debt, receivable], [0n, 0n]);
    assert.deepEqual(await statusOf(given), ['active', 'none']);
  });

  test('and voiding, fifty at once: one of them wins, and no money is lost or comes twice', async () => {
    const acts = Array.from({ length: 50 }, (_, at) => (at % 2 === 0 ? 'void' : 'pay'));
    for (let i = 0; i < 3; i += 1) {
      const given = await collected([24], { mode: 'invoice' });
      const link = await tried(given);
      const statuses: number[] = [];
      const results = await atOnce(i === 1 ? acts.toReversed() : acts, async (what) => {
        if (what === 'pay') return paid(given, link);
        const body = { evidence: {}, idempotencyKey: crypto.randomUUID(), reason: 'x' };
        statuses.push((await given.post(`invoices/${given.sid}/void`, body)).status);
      });
      assert.deepEqual(
        results.filter(({ status }) => status === 'rejected'),
        [],
      );
      const { state } = await invoiceOf(given);
      const voided = state === 'void' ? 1 : 0;
      assert.deepEqual(statuses.toSorted(), [...Array(voided).fill(200), ...Array(25 - voided).fill(409)]);
      const { receivable, credit_balance: left, available } = await given.balances();
      const expected = state === 'void' ? [0n, 10_000_000n, -10_000_000n] : [0n, 0n, 0n];
      assert.deepEqual([receivable, left, available], expected, state);
    }
  });
});
