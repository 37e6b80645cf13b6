import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, suite, test } from 'node:test';
import { type PaymentSimulator, startPaymentSimulator } from '@godwit/simulator/payments';
import { bearer, type Reply, testStart } from '../../../test/harness/app.ts';
import { atOnce } from '../../../test/harness/billing.ts';
import { charged, invoiced } from '../../../test/harness/invoices.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { type Person, person } from '../../../test/harness/people.ts';
import { until } from '../../../test/harness/until.ts';
import { moveMoney } from '../billing/index.ts';
import { setTaxProfile } from '../billing-documents/index.ts';
import { type PayApp, startPayApp } from '../payments/payments.test-data.ts';
import { followers, refundStates } from './states.ts';

let app: PayApp;
/** Where live payments are made, in the place of Stripe. */
let live: PaymentSimulator;
const lifetime = sharedLifetime();
before(async () => {
  const clock = { now: () => app?.clock.now() ?? new Date(testStart) };
  const secret = 'sk_live_ofThisTest';
  live = await startPaymentSimulator({ port: 0, apiKeys: [secret], clock, instant: true });
  lifetime.after(() => live.stop());
  app = await startPayApp(lifetime, { env: { PAYMENT_SECRET_KEY: secret, PAYMENT_BASE_URL: live.url } });
});

const staff = () => person(app, { roles: ['PLATFORM_STAFF'], livemode: true });
const refusalOf = ({ status, body }: Reply) => [status, body.error?.code];

/** A live top-up that was paid. Nobody tells of it: whoever paid comes back from the page. */
async function paidLive(): Promise<string> {
  const owner = await person(app, { livemode: true });
  const asked = { amountMinor: '5000', currency: 'USD', idempotencyKey: randomUUID() };
  const stepUpToken = await owner.stepUp('TOP_UP_CREATE');
  const reply = await app.post(`${app.at}/billing/top-ups`, { ...asked, stepUpToken }, owner.headers);
  assert.equal(reply.status, 202, reply.text);
  const { paymentIntentId, hostedUrl } = reply.body.result;
  live.control.pay(await app.sessionOf(paymentIntentId), { number: '4242424242424242' });
  await live.control.settle();
  const back = await app.get(`${new URL(hostedUrl).pathname}/returned`);
  assert.equal(back.body.state, 'paid', back.text);
  return paymentIntentId;
}

const requests = () => `${app.at}/billing/refund-requests`;
const refunds = () => `${app.at}/billing/refunds`;
const whole = { reason: 'requested_by_customer' };
const amount = (amountMinor: string) => ({ amountMinor, currency: 'USD', scale: 2 });

/** A top-up that was paid; its fee is known, so that nothing more moves by itself. */
async function paid(amountMinor = '5000', card?: string): Promise<string> {
  const { paymentIntentId } = await app.topUp({ amountMinor });
  await app.pay(paymentIntentId, card);
  await app.becomes(paymentIntentId, 'succeeded');
  await app.feeIsKnown(paymentIntentId);
  return paymentIntentId;
}
const agreed = async (body: object): Promise<string> => {
  const reply = await app.post(requests(), { ...whole, ...body });
  assert.equal(reply.status, 201, reply.text);
  assert.deepEqual([reply.body.state, reply.body.decidedBy], ['APPROVED', 'system:sandbox']);
  return reply.body.sid;
};
const create = async (body: object, headers: object = {}) =>
  app.post(
    refunds(),
    {
      ...whole,
      idempotencyKey: randomUUID(),
      stepUpToken: await app.owner.stepUp('REFUND_CREATE'),
      ...body,
    },
    headers,
  );
/** Agreed to and asked for. */
async function refunded(body: object): Promise<{ refundId: string; operationSid: string }> {
  const reply = await create({ ...body, approvalSid: await agreed(body) });
  assert.equal(reply.status, 202, reply.text);
  assert.equal(reply.body.state, 'WAITING');
  return { refundId: reply.body.result.refundId, operationSid: reply.body.sid };
}
const refundOf = async (id: string) => (await app.get(`${refunds()}/${id}`)).body;
const becomes = (id: string, state: string) =>
  until(`the refund is ${state}`, async () => {
    await app.control.settle();
    const found = await refundOf(id);
    return found.state === state ? found : null;
  });
const ended = (sid: string) =>
  until('the operation has ended', async () => {
    const { body } = await app.get(`${app.at}/operations/${sid}`);
    return body.finishedAt ? body : null;
  });

suite('a refund of a top-up', () => {
  test('sets its money aside, is paid back, and ends its operation', async () => {
    const paymentIntentId = await paid();
    const before = await app.wallet.balances();
    const { refundId, operationSid } = await refunded({ paymentIntentId, ...amount('2000') });
    const refund = await becomes(refundId, 'succeeded');
    assert.deepEqual(
      [refund.amount, refund.paymentIntentId, refund.invoiceSid, refund.failure],
      [{ amountMinor: '2000', currency: 'USD', scale: 2 }, paymentIntentId, null, null],
    );
    assert.deepEqual(await app.moves(refundId), { refund_hold: '20000000', refund_paid: '20000000' });
    const operation = await ended(operationSid);
    assert.deepEqual([operation.state, operation.result], ['SUCCEEDED', { refundId, state: 'succeeded' }]);
    const after = await app.wallet.balances();
    assert.deepEqual(
      [after.available! - before.available!, after.refunds_pending, after.funding! - before.funding!],
      [-20_000_000n, 0n, 20_000_000n],
    );
    assert.equal((await app.payment(paymentIntentId)).state, 'partially_refunded');
    const told = await app.sql<{ type: string }>(
      `select type from events where resource_sid = $1 order by sequence`,
      [refundId],
    );
    assert.deepEqual(
      told.map(({ type }) => type),
      ['refund.created', 'refund.succeeded'],
    );
    const { body } = await app.get(`${refunds()}?limit=1`);
    assert.equal(body.data[0].id, refundId);
  });

  test('gives the tax back with it, to the last cent however it is split', async () => {
    await app.wallet.write((t) =>
      setTaxProfile(t, {
        currency: 'USD',
        taxProvider: 'table',
        taxJurisdiction: 'TEST',
        taxCode: 'reduced',
        invoiceProvider: 'godwit',
        reason: 'test',
      }),
    );
    const paymentIntentId = await paid('1001');
    const { amount: all } = await app.payment(paymentIntentId);
    const parts = [333n, 1n, 400n, BigInt(all.amountMinor) - 734n];
    let [net, tax] = [0n, 0n];
    for (const part of parts) {
      const { refundId } = await refunded({ paymentIntentId, ...amount(part.toString()) });
      await becomes(refundId, 'succeeded');
      const moves = await app.moves(refundId);
      net += BigInt(moves.refund_hold ?? '0');
      tax += BigInt(moves.refund_hold_tax ?? '0');
    }
    assert.deepEqual([net, tax], [10_010_000n, (BigInt(all.amountMinor) - 1001n) * 10_000n]);
    assert.equal((await app.payment(paymentIntentId)).state, 'refunded');
    await app.wallet.write((t) =>
      setTaxProfile(t, {
        currency: 'USD',
        taxProvider: 'table',
        taxJurisdiction: 'TEST',
        taxCode: 'exempt',
        invoiceProvider: 'godwit',
        reason: 'test',
      }),
    );
  });

  test('that the bank does not take puts the money back where it was', async () => {
    const paymentIntentId = await paid('5000', '4000000000005126');
    const before = await app.wallet.balances();
    const { refundId, operationSid } = await refunded({ paymentIntentId });
    // This card's bank takes it first and sends it back later.
    const refund = await becomes(refundId, 'failed');
    assert.ok(refund.failure);
    await ended(operationSid);
    const moves = await app.moves(refundId);
    assert.deepEqual([moves.refund_paid, moves.refund_returned], ['50000000', '50000000']);
    assert.deepEqual(await app.wallet.balances(), before);
    await app.becomes(paymentIntentId, 'succeeded');
    // And it can be asked for again, with a new consent.
    assert.equal((await app.post(requests(), { ...whole, paymentIntentId })).status, 201);
  });

  test('without an amount is all that is left', async () => {
    const paymentIntentId = await paid();
    await becomes((await refunded({ paymentIntentId, ...amount('1') })).refundId, 'succeeded');
    const { refundId } = await refunded({ paymentIntentId });
    assert.equal((await becomes(refundId, 'succeeded')).amount.amountMinor, '4999');
    const none = await app.post(requests(), { ...whole, paymentIntentId });
    assert.deepEqual([none.status, none.body.error.code], [409, 'CONFLICT']);
    assert.match(none.body.error.message, /0\.00/);
  });

  test('moves only as its table of states says', () => {
    for (const state of refundStates) assert.ok(!followers[state].includes('pending'));
    assert.deepEqual(followers.succeeded, ['failed']);
    assert.deepEqual(followers.failed, []);
  });
});

suite('a refund is refused', () => {
  test('with everything that is wrong with it at once, before a second factor is asked for', async () => {
    const paymentIntentId = randomUUID();
    const invoiceSid = 'IN01K3SAMP1E0000000000000000';
    const cases: [object, string[]][] = [
      [{}, ['invoiceSid', 'paymentIntentId']],
      [{ paymentIntentId, invoiceSid }, ['invoiceSid', 'paymentIntentId']],
      [{ paymentIntentId, amountMinor: '5' }, ['currency', 'scale']],
      [{ paymentIntentId, currency: 'USD' }, ['amountMinor', 'scale']],
      [{ scale: 2 }, ['amountMinor', 'currency', 'invoiceSid', 'paymentIntentId']],
      [{ paymentIntentId, amountMinor: '5', currency: 'XXX', scale: 2 }, ['currency']],
      [{ paymentIntentId, amountMinor: '5', currency: 'USD', scale: 6 }, ['scale']],
      [{ paymentIntentId, amountMinor: '0', currency: 'USD', scale: 2 }, ['amountMinor']],
      [
        { paymentIntentId, amountMinor: '-1', currency: 'usd', scale: 10 },
        ['amountMinor', 'currency', 'scale'],
      ],
      [{ paymentIntentId: 'x', reason: 'because' }, ['paymentIntentId', 'reason']],
    ];
    for (const [body, paths] of cases) {
      const approvalSid = 'AP01K3SAMP1E0000000000000000';
      const refused = [
        await app.post(requests(), { ...whole, ...body }),
        await app.post(refunds(), { ...whole, approvalSid, idempotencyKey: 'x', stepUpToken: '', ...body }),
      ];
      for (const reply of refused) {
        assert.equal(reply.body.error.code, 'VALIDATION_ERROR', reply.text);
        const told = reply.body.error.details.map(({ path }: { path: string }) => path);
        assert.deepEqual([...new Set(told)].sort(), paths, reply.text);
      }
    }
  });

  test('beyond what was paid, naming what remains; and of what is not this account’s', async () => {
    const paymentIntentId = await paid();
    const beyond = await app.post(requests(), { ...whole, paymentIntentId, ...amount('5001') });
    assert.deepEqual([beyond.status, beyond.body.error.code], [409, 'CONFLICT']);
    assert.match(beyond.body.error.message, /50\.00/);
    const foreign = await app.newAccount();
    const theirs = await app.post(
      `/v1/accounts/${foreign.accountSid}/billing/refund-requests`,
      { ...whole, paymentIntentId },
      bearer(foreign.sandboxKey),
    );
    assert.deepEqual([theirs.status, theirs.body.error.code], [404, 'NOT_FOUND']);
    assert.equal(theirs.body.error.details[0].path, 'paymentIntentId');
    const unknown = await app.post(requests(), { ...whole, invoiceSid: 'IN01K3SAMP1E0000000000000000' });
    assert.equal(unknown.body.error.code, 'NOT_FOUND');
    const euros = await app.post(requests(), {
      ...whole,
      paymentIntentId,
      amountMinor: '100',
      currency: 'EUR',
      scale: 2,
    });
    assert.equal(euros.body.error.details[0].path, 'currency');
    const { paymentIntentId: unpaid } = await app.topUp();
    assert.equal(
      (await app.post(requests(), { ...whole, paymentIntentId: unpaid })).body.error.code,
      'CONFLICT',
    );
  });

  test('when the top-up was spent', async () => {
    const paymentIntentId = await paid();
    const approvalSid = await agreed({ paymentIntentId });
    const { available } = await app.wallet.balances();
    // Everything but a cent was spent.
    const spent = available! - 10_000n;
    const walletId = (await app.wallet.wallet()).id;
    const spend = (moves: object) =>
      app.wallet.write((t) => moveMoney(t, { walletId, reference: randomUUID(), moves }));
    await spend({ play_money_back: spent });
    const refused = await create({ paymentIntentId, approvalSid });
    assert.deepEqual([refused.status, refused.body.error.code], [422, 'INSUFFICIENT_FUNDS'], refused.text);
    assert.equal((await app.wallet.balances()).refunds_pending, 0n);
    await spend({ play_money: spent });
    // Nothing of the attempt was kept: the consent is still good.
    assert.equal((await create({ paymentIntentId, approvalSid })).status, 202);
  });

  test('without a consent that fits: unknown, of something else, for another amount, target or reason, or used', async () => {
    const paymentIntentId = await paid();
    const other = await paid();
    const approvalSid = await agreed({ paymentIntentId, ...amount('1000') });
    const unknown = await create({ paymentIntentId, approvalSid: 'AP01K3SAMP1E0000000000000000' });
    assert.deepEqual(
      [unknown.body.error.code, unknown.body.error.details[0].path],
      ['NOT_FOUND', 'approvalSid'],
    );
    for (const body of [
      { paymentIntentId, ...amount('1001') },
      { paymentIntentId },
      { paymentIntentId: other, ...amount('1000') },
      { paymentIntentId, ...amount('1000'), reason: 'duplicate' },
    ]) {
      const refused = await create({ ...body, approvalSid });
      assert.deepEqual([refused.status, refused.body.error.code], [409, 'CONFLICT'], refused.text);
      assert.match(refused.body.error.message, /10\.00/);
    }
    const fits = { paymentIntentId, ...amount('1000'), approvalSid };
    assert.equal((await create(fits)).status, 202);
    const again = await create(fits);
    assert.deepEqual([again.status, again.body.error.code], [409, 'CONFLICT']);
  });

  test('in live until somebody of the platform has agreed who did not ask for it, and is paid back then', async () => {
    const key = bearer(app.liveKey);
    const none = await app.post(requests(), { ...whole, paymentIntentId: randomUUID() }, key);
    assert.equal(none.body.error.code, 'NOT_FOUND');
    const id = await paidLive();
    // Somebody of the platform asks for it, and another of them agrees.
    const [maker, checker] = [await staff(), await staff()];
    const asked = await app.post(
      requests(),
      { ...whole, paymentIntentId: id, ...amount('100') },
      maker.headers,
    );
    assert.deepEqual([asked.status, asked.body.state], [201, 'PENDING'], asked.text);
    const approvalSid: string = asked.body.sid;
    const owner = await person(app, { livemode: true });
    const approve = (who: Person) => app.post(`${app.at}/approvals/${approvalSid}/approve`, {}, who.headers);
    const ask = async () => {
      const stepUpToken = await owner.stepUp('REFUND_CREATE');
      const body = { ...whole, paymentIntentId: id, ...amount('100'), approvalSid, stepUpToken };
      return app.post(refunds(), { ...body, idempotencyKey: randomUUID() }, owner.headers);
    };
    assert.equal((await ask()).body.error.code, 'APPROVAL_REQUIRED');
    for (const who of [owner, maker])
      assert.deepEqual(refusalOf(await approve(who)), [403, 'AUTHORIZATION_ERROR']);
    assert.equal(await app.count(`refund_consents where approval_sid = '${approvalSid}'`), 0);
    const agreed = await approve(checker);
    assert.deepEqual([agreed.status, agreed.body.state], [200, 'APPROVED'], agreed.text);
    const started = await ask();
    assert.equal(started.status, 202, started.text);
    const { refundId } = started.body.result;
    await until('it is paid back', async () => {
      const { body } = await app.get(`${refunds()}/${refundId}`, key);
      return body.state === 'succeeded';
    });
    assert.deepEqual(await app.moves(refundId), { refund_hold: '1000000', refund_paid: '1000000' });
    assert.equal(live.control.charges(id)[0]!.amount_refunded, 100);
    // Agreed to once: another refund needs another consent.
    assert.deepEqual(refusalOf(await ask()), [409, 'CONFLICT']);
  });
});

suite('many at once', () => {
  test('a dispute takes what could be refunded: nothing is given back twice', async () => {
    const { paymentIntentId } = await app.topUp();
    await app.pay(paymentIntentId, '4000000000000259');
    await app.becomes(paymentIntentId, 'disputed');
    const refused = await app.post(requests(), { ...whole, paymentIntentId });
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'CONFLICT'], refused.text);
    assert.match(refused.body.error.message, /0\.00/);
  });

  test('50 refunds by one business key make one', async () => {
    const paymentIntentId = await paid();
    const approvalSid = await agreed({ paymentIntentId });
    const idempotencyKey = randomUUID();
    const tokens: string[] = [];
    for (let i = 0; i < 50; i += 1) tokens.push(await app.owner.stepUp('REFUND_CREATE'));
    const answers = await atOnce(tokens, (stepUpToken) =>
      app.post(refunds(), { ...whole, paymentIntentId, approvalSid, idempotencyKey, stepUpToken }),
    );
    const made = new Set(
      answers.flatMap((one) =>
        one.status === 'fulfilled' && one.value.status === 202 ? [one.value.body.result.refundId] : [],
      ),
    );
    assert.equal(made.size, 1);
    assert.equal(await app.count(`refunds where payment_intent_id = '${paymentIntentId}'`), 1);
    await becomes([...made][0]!, 'succeeded');
  });

  test('refunds beside spending never give back more than was paid, nor what was spent', async () => {
    const paymentIntentId = await paid('5000');
    const sids: string[] = [];
    const tokens: string[] = [];
    for (let i = 0; i < 20; i += 1) {
      sids.push(await agreed({ paymentIntentId, ...amount('500') }));
      tokens.push(await app.owner.stepUp('REFUND_CREATE'));
    }
    const answers = await atOnce(
      sids.map((approvalSid, i) => ({ approvalSid, stepUpToken: tokens[i]! })),
      (one) =>
        app.post(refunds(), {
          ...whole,
          paymentIntentId,
          ...amount('500'),
          idempotencyKey: randomUUID(),
          ...one,
        }),
    );
    const statuses = answers.map((one) => (one.status === 'fulfilled' ? one.value.status : 0));
    assert.deepEqual(
      [
        statuses.filter((status) => status === 202).length,
        statuses.filter((status) => status === 409).length,
      ],
      [10, 10],
    );
    await app.becomes(paymentIntentId, 'refunded');
    const { refunds_pending: pending } = await app.wallet.balances();
    assert.equal(pending, 0n);
  });

  test('50 at once of refunds, spending and a dispute lose no cent and give none twice', async () => {
    const paymentIntentId = await paid('5000');
    const chargeId = app.control.charges(paymentIntentId)[0]!.id;
    const asked: { approvalSid: string; stepUpToken: string }[] = [];
    for (let i = 0; i < 12; i += 1) {
      const approvalSid = await agreed({ paymentIntentId, ...amount('500') });
      asked.push({ approvalSid, stepUpToken: await app.owner.stepUp('REFUND_CREATE') });
    }
    const before = await app.wallet.balances();
    const acts = Array.from({ length: 50 }, (_, at) => (at === 20 ? 'dispute' : (asked[at / 4] ?? 'spend')));
    const made: string[] = [];
    let spent = 0n;
    await atOnce(acts, async (act) => {
      if (act === 'dispute') {
        app.control.dispute(chargeId);
        return app.control.settle();
      }
      if (act === 'spend') {
        await charged(app.wallet, 1_000_000n);
        spent += 1_000_000n;
        return;
      }
      const keys = { idempotencyKey: randomUUID(), ...act };
      const reply = await app.post(refunds(), { ...whole, paymentIntentId, ...amount('500'), ...keys });
      if (reply.status === 202) made.push(reply.body.result.refundId);
      else assert.ok([409, 422].includes(reply.status), reply.text);
    });
    await app.becomes(paymentIntentId, 'disputed');
    for (const id of made)
      await until('the refund has ended', async () => {
        await app.control.settle();
        return ['succeeded', 'failed'].includes((await refundOf(id)).state);
      });
    const states = await Promise.all(made.map(async (id) => (await refundOf(id)).state));
    const given = BigInt(states.filter((state) => state === 'succeeded').length) * 5_000_000n;
    const { refunded, disputed } = await app.payment(paymentIntentId);
    assert.deepEqual([BigInt(refunded.amountMinor) * 10_000n, disputed.amountMinor], [given, '5000']);
    const after = await app.wallet.balances();
    assert.deepEqual(
      [after.available, after.refunds_pending],
      [before.available! - spent - given - 50_000_000n, 0n],
    );
  });
});

suite('a refund of an invoice', () => {
  test('is what credit notes owe back of what was paid, and no more', async () => {
    const given = await invoiced(app, 1000); // 10.00 and 2.00 of tax
    const owner = await person(app, { accountSid: given.accountSid });
    const post = (path: string, body: object) => given.post(path, body);
    const ask = (body: object) => post('refund-requests', { ...whole, invoiceSid: given.sid, ...body });
    const unpaid = await ask({});
    assert.deepEqual([unpaid.status, unpaid.body.error.code], [409, 'CONFLICT'], unpaid.text);
    const hostedUrl = await until('there is a link to pay by', async () => {
      const { body } = await given.get(`invoices/${given.sid}`);
      return body.hostedUrl as string | null;
    });
    await fetch(hostedUrl, { redirect: 'manual' });
    const [intent] = await app.sql<{ id: string }>('select id from payment_intents where invoice_sid = $1', [
      given.sid,
    ]);
    await app.pay(intent!.id);
    await until('the invoice is paid', async () => {
      const { body } = await given.get(`invoices/${given.sid}`);
      return body.state === 'paid';
    });
    // Paid and owed: nothing of it goes back, by the invoice or by its payment.
    for (const body of [{}, { invoiceSid: undefined, paymentIntentId: intent!.id }]) {
      const owed = await ask(body);
      assert.deepEqual([owed.status, owed.body.error.code], [409, 'CONFLICT'], owed.text);
      assert.match(owed.body.error.message, /0\.00/);
    }
    const credited = await post(`invoices/${given.sid}/credit-notes`, {
      amountMinor: '400',
      taxMinor: '80',
      currency: 'USD',
      scale: 2,
      evidence: {},
      idempotencyKey: randomUUID(),
      reason: 'Not delivered',
    });
    assert.equal(credited.status, 201, credited.text);
    const beyond = await ask(amount('481'));
    assert.match(beyond.body.error.message, /4\.80/);
    const approvalSid = (await ask({})).body.sid;
    const before = await given.balances();
    assert.equal(before.credit_balance, 4_800_000n);
    const made = await post('refunds', {
      ...whole,
      invoiceSid: given.sid,
      approvalSid,
      idempotencyKey: randomUUID(),
      stepUpToken: await owner.stepUp('REFUND_CREATE'),
    });
    assert.equal(made.status, 202, made.text);
    const { refundId } = made.body.result;
    const refund = await until('it went through', async () => {
      await app.control.settle();
      const { body } = await given.get(`refunds/${refundId}`);
      return body.state === 'succeeded' ? body : null;
    });
    assert.deepEqual(
      [refund.amount.amountMinor, refund.invoiceSid, refund.paymentIntentId],
      ['480', given.sid, intent!.id],
    );
    assert.deepEqual(await app.moves(refundId), { refund_hold_credit: '4800000', refund_paid: '4800000' });
    const after = await given.balances();
    assert.deepEqual([after.credit_balance, after.refunds_pending], [0n, 0n]);
    assert.match((await ask({})).body.error.message, /0\.00/);
  });
});
