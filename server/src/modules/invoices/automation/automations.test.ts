import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { invoicingOf, savedCard } from '../../../../test/harness/invoices.ts';
import { runCron } from '../../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { person } from '../../../../test/harness/people.ts';
import { newSid } from '../../../platform/ids.ts';
import { periodsOf } from '../../billing/index.ts';
import { closeTime } from '../closing/closing.ts';
import { closeDue } from '../closing/jobs.ts';
import { listProviderStatements } from './provider-statements.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

type Wallet = Awaited<ReturnType<typeof given>>;

async function given() {
  const wallet = await invoicingOf(app);
  const owner = await person(app, { accountSid: wallet.accountSid });
  return { ...wallet, owner, paymentIntentId: await savedCard(wallet) };
}

const put = async (wallet: Wallet, nextPeriodStart: string, nextPeriodEnd: string, more: object = {}) =>
  app.put(
    `${wallet.at}/automation`,
    {
      currency: 'USD',
      nextPeriodStart,
      nextPeriodEnd,
      ...more,
      collection: {
        paymentIntentId: wallet.paymentIntentId,
        retryDelaysHours: [24],
        stepUpToken: await wallet.owner.stepUp('BILLING_AUTOMATION_CHANGE'),
        ...(more as { collection?: object }).collection,
      },
    },
    wallet.headers,
  );

type Reply = Awaited<ReturnType<typeof put>>;
const pathsOf = ({ body }: Reply) => body.error.details.map(({ path }: { path: string }) => path);
const endsOf = async (wallet: Wallet) =>
  (await wallet.write((t) => periodsOf(t, wallet.walletId))).map(({ endsAt }) => endsAt.slice(0, 10));

suite('setting the automation', () => {
  test('answers how periods follow each other and which card is charged, and tells of it', async () => {
    const wallet = await given();
    const { status, body, text } = await put(
      wallet,
      '2026-08-01T02:00:00+02:00',
      '2026-09-01T02:00:00+02:00',
    );
    assert.equal(status, 200, text);
    assert.deepEqual(body.step, { unit: 'month', count: 1, day: 1 });
    assert.deepEqual(
      [body.nextPeriodStart, body.nextPeriodEnd],
      ['2026-08-01T00:00:00.000Z', '2026-09-01T00:00:00.000Z'],
    );
    assert.deepEqual([body.collection.card.last4, body.version], ['4242', 1]);
    assert.ok(!text.includes('stepUpToken'));
    const again = await put(wallet, '2026-08-21T00:00:00Z', '2026-09-04T00:00:00Z');
    assert.deepEqual([again.body.version, again.body.step.unit], [2, 'millisecond']);
    assert.ok((await app.emitted()).includes('billing_automation.updated'));
  });

  test('is refused with everything that is wrong at once', async () => {
    const [wallet, other] = [await given(), await given()];
    const { status, body } = await put(wallet, '2026-09-01T00:00:00Z', '2026-09-01T00:00:00Z', {
      currency: 'EUR',
      collection: { paymentIntentId: other.paymentIntentId, retryDelaysHours: Array(25).fill(1) },
      providerStatement: {
        provider: 'meta',
        wabaSid: newSid('WB', app.clock.now()),
        nextPeriodStart: '2026-09-02T00:00:00Z',
        nextPeriodEnd: '2026-09-01T00:00:00Z',
      },
    });
    assert.deepEqual([status, body.error.code], [400, 'VALIDATION_ERROR']);
    assert.deepEqual(body.error.details.map(({ path }: { path: string }) => path).toSorted(), [
      'collection.paymentIntentId',
      'collection.retryDelaysHours',
      'currency',
      'nextPeriodEnd',
      'providerStatement.nextPeriodEnd',
      'providerStatement.wabaSid',
    ]);
  });

  test('is refused when it would leave the service busy with the past', async () => {
    const wallet = await given();
    const reply = await put(wallet, '1970-01-01T00:00:00Z', '1970-01-02T00:00:00Z');
    assert.deepEqual(pathsOf(reply), ['nextPeriodEnd']);
  });

  test('needs a second factor of its own, and the last closed end as its start', async () => {
    const wallet = await given();
    const without = await put(wallet, '2026-08-01T00:00:00Z', '2026-09-01T00:00:00Z', {
      collection: { stepUpToken: 'no' },
    });
    assert.equal(without.body.error.code, 'STEP_UP_REQUIRED');
    await wallet.charge(1_000_000n);
    app.clock.advance(60_000);
    const end = app.clock.now().toISOString();
    assert.equal((await put(wallet, '2026-08-01T00:00:00Z', end)).status, 200);
    await wallet.close();
    const wrong = await put(wallet, '2026-08-01T00:00:00Z', '2026-10-01T00:00:00Z');
    assert.deepEqual([wrong.status, wrong.body.error.code], [409, 'CONFLICT']);
    assert.match(wrong.body.error.message, new RegExp(end.replaceAll('.', '\\.')));
    assert.equal((await put(wallet, end, '2026-10-01T00:00:00Z')).status, 200);
  });

  test('waits while a period is being closed', async () => {
    const wallet = await given();
    const end = app.clock.now().toISOString();
    await put(wallet, '2026-08-01T00:00:00Z', end);
    await wallet.write((t) => closeTime(t, wallet.walletId));
    const { status, body } = await put(wallet, end, '2026-12-01T00:00:00Z');
    assert.deepEqual([status, body.error.code], [409, 'CONFLICT']);
    assert.match(body.error.message, /being closed/);
  });
});

suite('periods', () => {
  test('whose end lies in the past are closed at once: an invoice in seconds', async () => {
    const wallet = await given();
    await wallet.charge(2_000_000n);
    app.clock.advance(1000);
    await put(
      wallet,
      new Date(app.clock.now().getTime() - 1000).toISOString(),
      app.clock.now().toISOString(),
    );
    const queued = await app.count(`graphile_worker.jobs where key = 'close:${wallet.walletId}'`);
    assert.equal(queued, 1);
    await wallet.close();
    const [invoice] = await wallet.invoices();
    assert.equal(invoice.total.amountMinor, '200');
  });

  test('go by the day they began on, through short months, leap years and a pause of a year', async () => {
    app.clock.set(new Date('2027-11-30T12:00:00Z'));
    const wallet = await given();
    await put(wallet, '2027-10-31T00:00:00Z', '2027-11-30T00:00:00Z');
    await wallet.close();
    app.clock.set(new Date('2028-12-31T00:00:00Z'));
    await runCron(app, closeDue);
    assert.equal(await app.count(`graphile_worker.jobs where key = 'close:${wallet.walletId}'`), 1);
    await wallet.close();
    assert.deepEqual(await endsOf(wallet), [
      '2027-11-30',
      '2027-12-31',
      '2028-01-31',
      '2028-02-29',
      '2028-03-31',
      '2028-04-30',
      '2028-05-31',
      '2028-06-30',
      '2028-07-31',
      '2028-08-31',
      '2028-09-30',
      '2028-10-31',
      '2028-11-30',
      '2028-12-31',
    ]);
  });
});

test('the statements of the provider that are to be compared are listed across accounts', async () => {
  const wallet = await given();
  const [{ sid: wabaSid }] = (
    await app.get(`/v1/accounts/${wallet.accountSid}/wabas?limit=1`, wallet.headers)
  ).body.data;
  const time = { nextPeriodStart: '2028-12-01T00:00:00Z', nextPeriodEnd: '2029-01-01T00:00:00Z' };
  const providerStatement = { provider: 'meta', wabaSid, ...time };
  const { status, text } = await put(wallet, time.nextPeriodStart, time.nextPeriodEnd, { providerStatement });
  assert.equal(status, 200, text);
  const listed = await app.database.system((s) => listProviderStatements(s));
  const own = listed.find(({ walletId }) => walletId === wallet.walletId);
  assert.deepEqual(own?.providerStatement, providerStatement);
});
