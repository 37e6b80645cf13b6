// Top-ups from the first request to the receipt, through the payment service's own package and its simulator.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, suite, test } from 'node:test';
import { bearer } from '../../../test/harness/app.ts';
import { atOnce } from '../../../test/harness/billing.ts';
import { write } from '../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { until } from '../../../test/harness/until.ts';
import { setTaxProfile } from '../billing-documents/index.ts';
import { type PayApp, startPayApp } from './payments.test-data.ts';

let app: PayApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startPayApp(lifetime);
});

const operation = async (sid: string) => (await app.get(`${app.at}/operations/${sid}`)).body;
const ended = (sid: string) =>
  until(`${sid} has ended`, async () => {
    const found = await operation(sid);
    return found.finishedAt ? found : null;
  });

suite('a top-up', () => {
  test('waits with the link to pay by, and is in the wallet once it is paid, with its receipt and fee', async () => {
    const before = (await app.wallet.balances()).available!;
    const reply = await app.ask();
    assert.equal(reply.status, 202, reply.text);
    const { sid, state, result, cancelable } = reply.body;
    assert.deepEqual([state, cancelable], ['WAITING', false]);
    const { paymentIntentId: id, hostedUrl } = result;
    assert.match(hostedUrl, /\/pay\/[\w-]{32}$/);
    await app.pay(id);
    const paid = await app.becomes(id, 'succeeded');
    assert.deepEqual(
      [paid.amount.amountMinor, paid.tax.amountMinor, paid.hostedUrl, paid.card.last4],
      ['5000', '0', null, '4242'],
    );
    const end = await ended(sid);
    assert.deepEqual(
      [end.state, end.result],
      ['SUCCEEDED', { paymentIntentId: id, receiptSid: paid.receiptSid }],
    );
    await app.feeIsKnown(id);
    assert.deepEqual(await app.moves(id), { top_up: '50000000', processor_fee: '1750000' });
    assert.equal((await app.wallet.balances()).available, before + 50_000_000n);
    const types = (await app.emitted()).filter(
      (type) => type.startsWith('payment.') || type === 'receipt.created',
    );
    assert.deepEqual(types, ['payment.created', 'receipt.created', 'payment.succeeded']);
  });

  test('keeps its link in no table: sealed while it can be paid, shown to whoever asks, gone afterwards', async () => {
    const { paymentIntentId: id, hostedUrl, operationSid } = await app.topUp();
    const token = hostedUrl.split('/pay/')[1]!;
    const tables = await app.sql<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
        where schemaname in ('public', 'graphile_worker')`,
    );
    const holding = async () => {
      const found: string[] = [];
      for (const { name } of tables) {
        const [row] = await app.sql<{ rows: number }>(
          `select count(*)::integer as rows from ${name} as r where strpos(r::text, $1) > 0 or strpos(r::text, $2) > 0`,
          [token, Buffer.from(token).toString('hex')],
        );
        if (row!.rows > 0) found.push(name);
      }
      return found;
    };
    assert.deepEqual(await holding(), []);
    const operation = async () => (await app.get(`${app.at}/operations/${operationSid}`)).body;
    assert.deepEqual((await operation()).result, { paymentIntentId: id, hostedUrl });
    const listed = (await app.get(`${app.at}/operations?type=billing.top_up&limit=100`)).body.data;
    assert.equal(listed.find(({ sid }: { sid: string }) => sid === operationSid).result.hostedUrl, hostedUrl);
    await app.pay(id);
    await app.becomes(id, 'succeeded');
    const ended = await until('the operation has ended', async () => {
      const now = await operation();
      return now.state === 'SUCCEEDED' && now;
    });
    assert.deepEqual(Object.keys(ended.result), ['paymentIntentId', 'receiptSid']);
    assert.deepEqual(await holding(), []);
    const [kept] = await app.sql('select sealed_result from operations where sid = $1', [operationSid]);
    assert.equal((kept as { sealed_result: Buffer | null }).sealed_result, null);
  });

  test('adds tax to what is paid, puts the net amount into the wallet and both on the receipt', async () => {
    const profile = { currency: 'USD', taxProvider: 'table', taxJurisdiction: 'TEST', taxCode: 'two_rates' };
    await write({ app }, (t) => setTaxProfile(t, { ...profile, invoiceProvider: 'godwit', reason: 'Test' }));
    const { paymentIntentId: id } = await app.topUp({ amountMinor: '1999' });
    await app.pay(id);
    const paid = await app.becomes(id, 'succeeded');
    assert.deepEqual(
      [paid.net.amountMinor, paid.tax.amountMinor, paid.amount.amountMinor],
      ['1999', '299', '2298'],
    );
    const moves = await app.moves(id);
    assert.deepEqual([moves.top_up, moves.top_up_tax], ['19990000', '2990000']);
    const { body } = await app.get(`${app.at}/billing/receipts/${paid.receiptSid}`);
    assert.deepEqual([body.total.amountMinor, body.taxLines.length, body.card.last4], ['2298', 2, '4242']);
    const content = JSON.parse(body.document.json);
    assert.equal(content.number, body.number);
    assert.match(body.number, /^TEST-\w+-RC-\d{6}$/);
    const pdf = await app.get(`${app.at}/billing/receipts/${paid.receiptSid}`, { accept: 'application/pdf' });
    assert.deepEqual([pdf.status, pdf.headers.get('content-type')], [200, 'application/pdf']);
    const list = await app.get(`${app.at}/billing/receipts`);
    assert.equal(list.body.data[0].sid, paid.receiptSid);
    await write({ app }, (t) =>
      setTaxProfile(t, { ...profile, taxCode: 'exempt', invoiceProvider: 'godwit', reason: 'Test' }),
    );
  });

  test('asked for fifty times at once under one key is one, and charged once', async () => {
    const key = randomUUID();
    const token = await app.owner.stepUp('TOP_UP_CREATE');
    const asked = await atOnce([...Array(50).keys()], () =>
      app.ask({ idempotencyKey: key, stepUpToken: token }),
    );
    const replies = asked.map((one) => (one.status === 'fulfilled' ? one.value : assert.fail()));
    const ids = new Set(
      replies.flatMap(({ status, body }) => (status === 202 ? body.result.paymentIntentId : [])),
    );
    assert.equal(ids.size, 1);
    for (const { status, body } of replies)
      assert.ok(status === 202 || body.error.code === 'IDEMPOTENCY_IN_PROGRESS', JSON.stringify(body));
    const [id] = ids as Set<string>;
    await app.pay(id!);
    await app.becomes(id!, 'succeeded');
    assert.equal(app.control.charges(id).length, 1);
    const later = await app.ask({ idempotencyKey: key, stepUpToken: 'sut_other' });
    assert.equal(later.body.result.paymentIntentId, id);
    const other = await app.ask({ idempotencyKey: key, amountMinor: '6000', stepUpToken: 'sut_other' });
    assert.equal(other.body.error.code, 'IDEMPOTENCY_KEY_REUSED');
  });

  test('is refused for a currency without a wallet, too little, and without a second factor', async () => {
    const wrong = await app.ask({ currency: 'EUR' });
    assert.deepEqual([wrong.status, wrong.body.error.details[0].path], [400, 'currency']);
    const little = await app.ask({ amountMinor: '49' });
    assert.deepEqual(little.body.error.details, [
      { path: 'amountMinor', issue: 'must be at least 0.50 USD' },
    ]);
    for (const amountMinor of ['0', '-5', '1.5', '123456789', '05'])
      assert.equal((await app.ask({ amountMinor })).body.error.code, 'VALIDATION_ERROR');
    assert.equal((await app.ask({ stepUpToken: 'sut_wrong' })).body.error.code, 'STEP_UP_REQUIRED');
  });

  test('in live without keys is CAPABILITY_UNAVAILABLE', async () => {
    const reply = await app.ask({}, bearer(app.liveKey));
    assert.equal(reply.body.error.code, 'CAPABILITY_UNAVAILABLE');
    const mount = await app.send('POST', '/payments/callbacks/live', { body: '{}' });
    assert.equal(mount.status, 404);
  });

  test('that nobody pays expires, and its operation fails', async () => {
    const { paymentIntentId: id, operationSid } = await app.topUp();
    app.control.expire(await app.sessionOf(id));
    await app.control.settle();
    assert.equal((await app.becomes(id, 'expired')).hostedUrl, null);
    const end = await ended(operationSid);
    assert.deepEqual(
      [end.state, end.error.message, end.retryEligible],
      ['FAILED', 'Nobody paid in time.', false],
    );
    assert.deepEqual(await app.moves(id), {});
  });

  test('by a card that is declined waits for another, and tells why', async () => {
    const { paymentIntentId: id } = await app.topUp();
    await app.pay(id, '4000000000009995');
    const waiting = await until('the decline is told', async () => {
      const found = await app.payment(id);
      return found.failure ? found : null;
    });
    assert.deepEqual([waiting.state, waiting.failure.declineCode], ['requires_action', 'insufficient_funds']);
    await app.pay(id);
    assert.equal((await app.becomes(id, 'succeeded')).failure, null);
  });

  test('of another amount than was asked for is parked and moves nothing', async () => {
    const { paymentIntentId: id } = await app.topUp();
    await app.sessionOf(id);
    await app.sql('update payment_intents set net_minor = 4999 where id = $1', [id]);
    await app.pay(id);
    await until('it is parked', () => app.count(`payment_intents where id = '${id}' and parked is not null`));
    assert.equal((await app.payment(id)).state, 'requires_action');
    assert.deepEqual(await app.moves(id), {});
    for (const charge of app.control.charges(id)) app.differsInCash(charge.id);
  });
});

suite('payments', () => {
  test('are listed by state, and no others than those of the account', async () => {
    const { paymentIntentId: id } = await app.topUp();
    const open = await app.get(`${app.at}/billing/payments?state=succeeded`);
    assert.ok(open.body.data.every(({ state }: { state: string }) => state === 'succeeded'));
    assert.deepEqual((await app.get(`${app.at}/billing/payments?state=nonsense`)).body.data, []);
    const live = await app.get(`${app.at}/billing/payments`, bearer(app.liveKey));
    assert.ok(live.body.data.every((one: { id: string }) => one.id !== id));
  });
});
