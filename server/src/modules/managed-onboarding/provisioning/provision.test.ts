import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { type Reply, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { runCron, write } from '../../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import {
  type OnboardingOf,
  onboardingOf,
  openForLive,
  staffFor,
} from '../../../../test/harness/onboarding.ts';
import { creditWallet } from '../../billing/index.ts';
import { endAwaiting } from '../../operations/crons.ts';
import { connectionOf } from '../../wabas/index.ts';
import { chargeRents } from '../applications/rent.ts';
import { releaseNumber } from './release-number.ts';
import { lookForNames, registerAgain } from './renamed-numbers.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime, { simulator: true, env: openForLive });
});

const inNewAccount = async () => onboardingOf(app, await app.newAccount());
const outcome = ({ status, body }: Reply) => [status, body?.error?.code];
const sumOf = (balances: Record<string, string>) =>
  Object.values(balances).reduce((sum, balance) => sum + BigInt(balance), 0n);
const day = 86_400_000;

/** What the provider was asked to do with the numbers of a business account, and did. */
const doneFor = (phoneNumberId: string, wabaId: string) =>
  app.simulator.control
    .commands(0, 10_000)
    .data.filter(({ id, refusal }) => refusal === null && (id === phoneNumberId || id === wabaId))
    .map(({ path }) => path);

const progressOf = async (sid: string) =>
  (
    await app.sql<{
      step: string;
      phone_number_id: string;
      provider_waba_id: string;
      vendor_reference: string;
    }>(
      'select step, phone_number_id, provider_waba_id, vendor_reference from managed_provisioning where application_sid = $1',
      [sid],
    )
  )[0]!;

async function assertConnectedOnce(onboarding: OnboardingOf, sid: string): Promise<void> {
  const { wabaSid, senderSid, phoneNumber } = await onboarding.get(sid);
  const {
    phone_number_id: number,
    provider_waba_id: waba,
    vendor_reference: reference,
  } = await progressOf(sid);
  const done = doneFor(number, waba);
  assert.equal(done.filter((path) => path === 'phone_numbers').length, 1, done.join());
  assert.equal(done.filter((path) => path === 'register').length, 1, done.join());
  const { body } = await app.get(
    `/v1/accounts/${onboarding.accountSid}/senders/${senderSid}`,
    onboarding.headers,
  );
  assert.deepEqual([body.status, body.phoneNumber, body.wabaSid], ['CONNECTED', phoneNumber, wabaSid]);
  const numbers = app.simulator.control.phoneNumbers().filter((one) => `+${one.number}` === phoneNumber);
  assert.deepEqual(
    numbers.map(({ wabaId, status }) => [wabaId, status]),
    [[waba, 'CONNECTED']],
  );
  const orders = await ordersOf(reference);
  assert.deepEqual(orders, [{ number: phoneNumber!.slice(1), released: false }]);
}

async function ordersOf(reference: string) {
  const answer = await fetch(`${app.simulator.url}/_control/number-vendor/orders`);
  const { data } = (await answer.json()) as {
    data: { reference: string; number: string; released: boolean }[];
  };
  return data
    .filter((one) => one.reference === reference)
    .map(({ number, released }) => ({ number, released }));
}

suite('an approved application', () => {
  test('ends with a number that can send, and the fee taken', async () => {
    const onboarding = await inNewAccount();
    const start = await onboarding.balances();
    const { sid, fee } = await onboarding.approved();
    assert.deepEqual(fee, { state: 'HELD', amount: { amountMinor: '33500000', currency: 'USD', scale: 6 } });
    assert.equal((await onboarding.balances()).fees_held, '33500000');
    assert.equal(sumOf(await onboarding.balances()), 0n);
    const done = await onboarding.runToEnd(sid);
    assert.equal(done.state, 'COMPLETED', JSON.stringify(done));
    assert.equal(done.fee.state, 'CAPTURED');
    const after = await onboarding.balances();
    assert.deepEqual([after.fees_held, sumOf(after)], ['0', 0n]);
    assert.equal(BigInt(start.available!) - BigInt(after.available!), 33_500_000n);
    await assertConnectedOnce(onboarding, sid);
    const { body } = await app.get(
      `/v1/accounts/${onboarding.accountSid}/operations/${done.operationSid}`,
      onboarding.headers,
    );
    assert.deepEqual([body.state, body.result.senderSid], ['SUCCEEDED', done.senderSid]);
    const [waba] = await app.sql<{ n: string }>(
      `select count(*) as n from events where account_sid = $1 and type = 'waba.connected'`,
      [onboarding.accountSid],
    );
    assert.equal(waba!.n, '1');
    const byWaba = await app.get(`${onboarding.at}?wabaSid=${done.wabaSid}`, onboarding.headers);
    assert.deepEqual(
      byWaba.body.applications.map((one: { sid: string }) => one.sid),
      [sid],
    );
  });

  test('takes the wished number where it is to be had, and another where it is not', async () => {
    const wished = await inNewAccount();
    const first = await wished.approved({ requestedNumber: '+33980111222' });
    assert.equal((await wished.runToEnd(first.sid)).phoneNumber, '+33980111222');
    const late = await inNewAccount();
    const second = await late.approved({ requestedNumber: '+33980111222' });
    const { state, phoneNumber } = await late.runToEnd(second.sid);
    assert.equal(state, 'COMPLETED');
    assert.notEqual(phoneNumber, '+33980111222');
  });

  test('waits as PORTING while another carrier gives the number up', async () => {
    const onboarding = await inNewAccount();
    const asked = { numberSource: 'PORT', requestedNumber: '+33980009402' };
    const { sid, operationSid } = await onboarding.approved(asked);
    await onboarding.run(operationSid);
    assert.equal((await onboarding.get(sid)).state, 'PORTING');
    app.clock.advance(day / 2);
    await onboarding.run(operationSid);
    assert.equal((await onboarding.get(sid)).state, 'PORTING');
    app.clock.advance(day / 2);
    const done = await onboarding.runToEnd(sid);
    assert.deepEqual([done.state, done.phoneNumber], ['COMPLETED', '+33980009402']);
    await assertConnectedOnce(onboarding, sid);
  });

  test('waits for the review of the display name', async () => {
    const onboarding = await inNewAccount();
    app.simulator.control.configure({ reviewMs: 60_000 });
    const { sid } = await onboarding.approved({ displayName: 'review_name Depot' });
    const done = await onboarding.runToEnd(sid);
    app.simulator.control.configure({ reviewMs: 3_000 });
    assert.equal(done.state, 'COMPLETED', JSON.stringify(done.error));
  });

  const failures: [string, object, string][] = [
    [
      'a carrier that does not give the number up',
      { numberSource: 'PORT', requestedNumber: '+33980009401' },
      'PROVIDER_PERMANENT_ERROR',
    ],
    ['a display name the provider declines', { displayName: 'decline_name' }, 'DISPLAY_NAME_NOT_APPROVED'],
    ['a code that never comes', { requestedNumber: '+33980009403' }, 'ONBOARDING_CODE_EXPIRED'],
    ['a number the provider sends no code to', { requestedNumber: '+33980009303' }, 'REGISTRATION_ERROR'],
    ['a PIN nobody here knows', { requestedNumber: '+33980009304' }, 'REGISTRATION_ERROR'],
  ];
  for (const [what, asked, code] of failures)
    test(`fails by ${what}: the fee goes back, and nothing is connected`, async () => {
      const onboarding = await inNewAccount();
      const start = await onboarding.balances();
      const { sid } = await onboarding.approved(asked);
      const ended = await onboarding.runToEnd(sid, { most: 600 });
      assert.deepEqual([ended.state, ended.error?.code, ended.fee.state], ['FAILED', code, 'RELEASED']);
      const after = await onboarding.balances();
      assert.deepEqual(after, start);
      assert.deepEqual([ended.wabaSid, ended.senderSid], [null, null]);
      const { body } = await app.get(
        `/v1/accounts/${onboarding.accountSid}/operations/${ended.operationSid}`,
        onboarding.headers,
      );
      assert.deepEqual([body.state, body.error.code, body.retryEligible], ['FAILED', code, false]);
      // Another can be asked for.
      assert.equal((await app.get(onboarding.at, onboarding.headers)).body.open, null);
    });

  test('that failed is tried again by staff with a fee of its own, or rejected, which gives its number back', async () => {
    const onboarding = await inNewAccount();
    const staff = await staffFor(app, onboarding);
    const { sid } = await onboarding.approved({ requestedNumber: '+33980019403' });
    await onboarding.runToEnd(sid, { most: 600 });
    await staff.letIn();
    const again = await staff.retry(sid);
    assert.equal(again.status, 200, again.text);
    assert.deepEqual([again.body.state, again.body.fee.state], ['APPROVED', 'HELD']);
    const failed = await onboarding.runToEnd(sid, { most: 600 });
    assert.equal(failed.state, 'FAILED');
    const { vendor_reference: reference } = await progressOf(sid);
    assert.deepEqual(await ordersOf(reference), [{ number: '33980019403', released: false }]);
    await staff.letIn();
    assert.equal((await staff.reject(sid)).status, 200);
    await releaseNumber.run(onboarding.context(), { applicationSid: sid, reference });
    assert.deepEqual(await ordersOf(reference), [{ number: '33980019403', released: true }]);
    assert.equal(sumOf(await onboarding.balances()), 0n);
    assert.deepEqual(outcome(await staff.retry(sid)), [409, 'CONFLICT']);
  });

  test('is not approved without the money for it', async () => {
    const onboarding = await inNewAccount();
    const sid = await onboarding.applied();
    await app.sql(`update wallets set commercial_mode = 'invoice' where account_sid = $1 and not livemode`, [
      onboarding.accountSid,
    ]);
    const { available } = await onboarding.balances();
    await write({ app, accountSid: onboarding.accountSid }, async (t) => {
      const { moveMoney, readWallet } = await import('../../billing/index.ts');
      const { id } = await readWallet(t);
      const moves = { play_money_back: BigInt(available!) };
      await moveMoney(t, { walletId: id, reference: `${id}-spent`, moves });
    });
    await onboarding.robot(sid);
    const { state, reason, fee } = await onboarding.get(sid);
    assert.deepEqual([state, fee.state], ['REJECTED', 'NONE']);
    assert.match(reason, /fee/);
  });
});

suite('the rent of a number', () => {
  test('is charged for each further month while the number is there, and once for each', async () => {
    const onboarding = await inNewAccount();
    const { sid } = await onboarding.approved();
    await onboarding.runToEnd(sid);
    const { available } = await onboarding.balances();
    const spent = async () => BigInt(available!) - BigInt((await onboarding.balances()).available!);
    await runCron(app, chargeRents);
    assert.equal(await spent(), 0n);
    app.clock.advance(32 * day);
    await runCron(app, chargeRents);
    await runCron(app, chargeRents);
    assert.equal(await spent(), 3_500_000n);
    app.clock.advance(62 * day);
    // A month each time it looks: what was missed is caught up with hour by hour.
    for (let hours = 0; hours < 4; hours += 1) await runCron(app, chargeRents);
    assert.equal(await spent(), 10_500_000n);
    const { wabaSid } = await onboarding.get(sid);
    await app.sql(`update senders set status = 'DISCONNECTED' where waba_sid = $1`, [wabaSid]);
    app.clock.advance(62 * day);
    await runCron(app, chargeRents);
    assert.equal(await spent(), 10_500_000n);
    assert.equal(sumOf(await onboarding.balances()), 0n);
  });

  test('falls due on the day of the month on which it began, also after a month without that day', async () => {
    app.clock.set('2027-01-31T10:00:00Z');
    const onboarding = await inNewAccount();
    const { sid } = await onboarding.approved();
    await onboarding.runToEnd(sid);
    const due = async () => {
      const [row] = await app.sql<{ due: Date }>(
        'select rent_due_at as due from managed_applications where sid = $1',
        [sid],
      );
      return row!.due;
    };
    const days: string[] = [];
    for (let month = 0; month < 13; month += 1) {
      days.push((await due()).toISOString().slice(5, 10));
      app.clock.set(await due());
      await runCron(app, chargeRents);
    }
    assert.deepEqual(days, [
      ...['02-28', '03-31', '04-30', '05-31', '06-30', '07-31', '08-31', '09-30', '10-31', '11-30', '12-31'],
      ...['01-31', '02-29'],
    ]);
  });
});

suite('a number with a new display name', () => {
  test('is registered again by itself once the name is approved, once, with the PIN that was kept', async () => {
    const onboarding = await inNewAccount();
    const { sid } = await onboarding.approved();
    const { senderSid, wabaSid } = await onboarding.runToEnd(sid);
    const { phone_number_id: id } = await progressOf(sid);
    const again = () => registerAgain.run(onboarding.context(), { applicationSid: sid });
    const registered = () =>
      app.simulator.control
        .commands(0, 20_000)
        .data.filter((one) => one.id === id && one.path === 'register' && one.refusal === null).length;
    const isQueued = async () =>
      (await app.sql(`select from graphile_worker.jobs where key = $1`, [`managed-onboarding/${sid}/name`]))
        .length > 0;
    app.clock.advance(day);
    await runCron(app, lookForNames);
    assert.equal(await isQueued(), false);
    await again();
    assert.equal(registered(), 1);
    const { accountSid } = onboarding;
    const connection = await write({ app, accountSid }, (t) => connectionOf(t, wabaSid));
    const asked = await fetch(`${app.simulator.url}/v25.0/${id}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${connection!.accessToken}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ new_display_name: 'Depot & Fils' }),
    });
    assert.equal(asked.status, 200);
    app.clock.advance(60_000);
    await app.simulator.control.settle();
    // As the provider's callback tells it.
    await app.sql(`update senders set display_name = 'Depot & Fils' where sid = $1`, [senderSid]);
    app.clock.advance(day);
    await runCron(app, lookForNames);
    assert.equal(await isQueued(), true);
    await again();
    await again();
    assert.equal(registered(), 2);
    const [number] = app.simulator.control.phoneNumbers().filter((one) => one.id === id);
    assert.equal(number!.verifiedName, 'Depot & Fils');
  });
});

suite('live, without a vendor that can be called', () => {
  async function live() {
    const account = await app.newAccount();
    const { key } = await app.key(['accounts:read', 'accounts:write', 'senders:read', 'operations:read'], {
      livemode: true,
      accountSid: account.accountSid,
    });
    const onboarding = onboardingOf(app, account, { livemode: true, key });
    await write({ app, accountSid: account.accountSid, livemode: true }, (t) =>
      creditWallet(t, {
        amount: { amountMinor: 100_000_000n, currency: 'USD', scale: 6 },
        reason: 'test',
        reference: 'test',
      }),
    );
    return { onboarding, staff: await staffFor(app, onboarding) };
  }

  /** A business account somebody opened by hand in the operator's portfolio. */
  async function openedByHand(): Promise<string> {
    const wabaId = `77${String(app.clock.now().getTime()).padStart(14, '0')}${Math.floor(Math.random() * 1_000)}`;
    const made = await fetch(`${app.simulator.url}/_control/accounts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ businessId: openForLive.PARTNER_BUSINESS_ID, wabaId, phoneNumbers: [] }),
    });
    const { token } = (await made.json()) as { token: string };
    await fetch(`${app.simulator.url}/v25.0/${wabaId}/phone_numbers`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return wabaId;
  }

  test('staff does each thing by hand, and the work goes on with what they say', async () => {
    const { onboarding, staff } = await live();
    const sid = await onboarding.applied();
    assert.equal((await staff.review(sid)).status, 200);
    const approved = await staff.approve(sid);
    assert.equal(approved.status, 200, approved.text);
    const { operationSid } = approved.body;
    const waitsFor = async (task: string) => {
      await onboarding.run(operationSid);
      assert.deepEqual((await onboarding.get(sid)).openTasks, [task]);
      const { body } = await app.get(
        `/v1/accounts/${onboarding.accountSid}/operations/${operationSid}`,
        onboarding.headers,
      );
      assert.deepEqual([body.state, body.awaits, body.nextAction.task], ['WAITING', 'STAFF', task]);
    };
    const done = async (body: object) => {
      const reply = await staff.task(sid, { outcome: 'DONE', ...body });
      assert.equal(reply.status, 200, reply.text);
      // What was done is done: nobody waits for it a second time.
      assert.deepEqual(outcome(await staff.task(sid, { outcome: 'DONE', ...body })), [409, 'CONFLICT']);
    };
    await waitsFor('ORDER_NUMBER');
    const wrong = await staff.task(sid, { task: 'ORDER_NUMBER', outcome: 'DONE', number: '+4930123456' });
    assert.deepEqual(outcome(wrong), [400, 'VALIDATION_ERROR']);
    await done({ task: 'ORDER_NUMBER', number: '+33980654321' });
    await waitsFor('CREATE_ACCOUNT');
    await done({ task: 'CREATE_ACCOUNT', providerWabaId: await openedByHand() });
    await waitsFor('READ_CODE');
    await done({ task: 'READ_CODE', code: '999999' });
    // A wrong one: another is sent, and asked for.
    await waitsFor('READ_CODE');
    await done({ task: 'READ_CODE', code: '123456' });
    await onboarding.run(operationSid);
    const ended = await onboarding.get(sid);
    assert.deepEqual([ended.state, ended.openTasks], ['COMPLETED', []], JSON.stringify(ended.error));
    assert.equal(sumOf(await onboarding.balances()), 0n);
    assert.equal((await onboarding.balances()).revenue, '55000000');
  });

  test('what staff cannot do ends it, and so does nobody doing it for 30 days', async () => {
    const { onboarding, staff } = await live();
    const sid = await onboarding.applied({ numberSource: 'PORT', requestedNumber: '+33980777888' });
    await staff.review(sid);
    const { operationSid } = (await staff.approve(sid)).body;
    await onboarding.run(operationSid);
    const waiting = await onboarding.get(sid);
    assert.deepEqual([waiting.state, waiting.openTasks], ['PORTING', ['PORT_NUMBER']]);
    const unsaid = await staff.task(sid, { task: 'PORT_NUMBER', outcome: 'FAILED' });
    assert.deepEqual(
      [...outcome(unsaid), unsaid.body.error.details[0].path],
      [400, 'VALIDATION_ERROR', 'reason'],
    );
    const failed = await staff.task(sid, { task: 'PORT_NUMBER', outcome: 'FAILED', reason: 'It is locked.' });
    assert.equal(failed.status, 200, failed.text);
    await onboarding.run(operationSid);
    const ended = await onboarding.get(sid);
    assert.deepEqual(
      [ended.state, ended.error.message, ended.fee.state],
      ['FAILED', 'It is locked.', 'RELEASED'],
    );
    assert.equal((await onboarding.balances()).fees_held, '0');

    const again = (await staff.retry(sid)).body;
    await onboarding.run(again.operationSid);
    app.clock.advance(31 * day);
    await runCron(app, endAwaiting);
    await onboarding.run(again.operationSid);
    const late = await onboarding.get(sid);
    assert.deepEqual([late.state, late.error.code, late.openTasks], ['FAILED', 'CONFLICT', []]);
    assert.equal(sumOf(await onboarding.balances()), 0n);
  });
});
