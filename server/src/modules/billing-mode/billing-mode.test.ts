import assert from 'node:assert/strict';
import { before, beforeEach, suite, test } from 'node:test';
import { sandboxPartner } from '@godwit/simulator';
import { bearer, startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { atOnce } from '../../../test/harness/billing.ts';
import { billingModesOf, partnerPricesBegin } from '../../../test/harness/billing-mode.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { person } from '../../../test/harness/people.ts';
import { insertWaba } from '../wabas/fixtures.ts';
import { followers, type SwitchState, switchStates } from './states.ts';

type Modes = Awaited<ReturnType<typeof billingModesOf>>;

let app: TestApp;
let modes: Modes;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime, { simulator: true });
  modes = await billingModesOf(app);
});
beforeEach(() => {
  app.simulator.control.clearRules();
  app.simulator.control.configure({ creditDelayMs: 0 });
  if (app.clock.now() < partnerPricesBegin) app.clock.set(partnerPricesBegin);
});

const allocations = () => app.simulator.control.creditAllocations();
const fundingOf = (providerWabaId: string) =>
  app.simulator.control.wabas().find(({ id }) => id === providerWabaId)?.primaryFundingId ?? null;
const eventsOf = async (wabaSid: string) =>
  (
    await app.sql<{ type: string }>(
      `select type from events where type like 'billing_mode.%' and resource_sid = $1 order by sequence`,
      [wabaSid],
    )
  ).map(({ type }) => type.slice('billing_mode.'.length));
const lose = (path: string, answer: 'lost' | 'closed-before' = 'lost') =>
  app.simulator.control.addRule({ match: { path }, behaviour: { answer }, count: 1 });
const refuse = (path: string, code: number, count = 1) =>
  app.simulator.control.addRule({ match: { path }, behaviour: { refuse: { code } }, count });

/** Asked for, and its terms offered. */
async function offered(wabaSid: string): Promise<string> {
  const { status, body, text } = await modes.start(wabaSid);
  assert.equal(status, 202, text);
  await modes.runSwitch(body.sid);
  return body.sid;
}

suite('a billing mode', () => {
  test('is direct from the beginning', async () => {
    const { sid } = await modes.waba();
    const waba = (await app.get(`${app.at}/wabas/${sid}`)).body;
    assert.deepEqual(await modes.mode(sid), {
      object: 'billing_mode',
      wabaSid: sid,
      accountSid: app.accountSid,
      livemode: false,
      mode: 'direct',
      effectiveFrom: waba.createdAt,
      switch: null,
    });
  });

  test('becomes partner: offered, accepted by an owner, shared, verified; and is told of at every turn', async () => {
    const { sid, providerWabaId } = await modes.waba();
    const started = await modes.start(sid);
    assert.deepEqual(
      [started.status, started.body.type, started.body.state],
      [202, 'billing_mode.switch', 'PENDING'],
    );
    const operationSid = started.body.sid;
    assert.equal((await modes.mode(sid)).switch.state, 'requested');
    await modes.runSwitch(operationSid);
    const waiting = await modes.operation(operationSid);
    assert.deepEqual(
      [waiting.state, waiting.result.termsVersion, waiting.result.currency],
      ['WAITING', '2026-11-16', 'USD'],
    );
    assert.deepEqual(
      [(await modes.mode(sid)).switch.state, fundingOf(providerWabaId)],
      ['awaiting_acceptance', null],
    );

    const accepted = await modes.accept(sid);
    assert.equal(accepted.status, 200, accepted.text);
    assert.deepEqual(
      [accepted.body.mode, accepted.body.switch.state, accepted.body.switch.acceptedBy],
      ['direct', 'accepted', `user:${modes.owner.userSid}`],
    );
    app.clock.advance(1_000);
    await modes.runSwitch(operationSid);
    const ended = await modes.operation(operationSid);
    assert.deepEqual([ended.state, ended.result.state], ['SUCCEEDED', 'active']);
    const mode = await modes.mode(sid);
    assert.deepEqual(
      [mode.mode, mode.effectiveFrom, mode.switch.state, mode.switch.operationSid],
      ['partner', app.clock.now().toISOString(), 'active', operationSid],
    );
    assert.ok(fundingOf(providerWabaId));
    assert.deepEqual(await eventsOf(sid), [
      'switch_requested',
      'acceptance_required',
      'switch_accepted',
      'activated',
    ]);
    const acts = await app.sql<{ action: string }>(
      `select action from audit_entries where resource = $1 and action like 'billing_mode.%' order by sequence`,
      [sid],
    );
    assert.deepEqual(
      acts.map(({ action }) => action),
      ['billing_mode.switch_requested', 'billing_mode.switch_accepted', 'billing_mode.activated'],
    );
  });

  test('is changed only as its table of states says', () => {
    const reachable = new Set<SwitchState>(['requested']);
    for (const state of reachable) for (const next of followers[state]) reachable.add(next);
    assert.deepEqual([...reachable].sort(), [...switchStates].sort());
    assert.deepEqual(
      switchStates.filter((state) => followers[state].includes('active')),
      ['verifying', 'revoking'],
    );
    // Nobody is back in direct while the provider may still bill the operator.
    assert.deepEqual(
      switchStates.filter((state) => followers[state].includes('direct')),
      ['awaiting_acceptance', 'confirming'],
    );
  });
});

suite('a switch is refused', () => {
  test('before there are prices for it, without a connection, beside another, or of an account nobody has', async () => {
    const { sid } = await modes.waba();
    app.clock.set(new Date('2026-11-15T23:59:59Z'));
    assert.equal((await modes.start(sid)).body.error.code, 'CAPABILITY_UNAVAILABLE');
    app.clock.set(partnerPricesBegin);
    await offered(sid);
    const beside = await modes.start(sid);
    assert.deepEqual([beside.status, beside.body.error.code], [409, 'CONFLICT']);
    assert.match(beside.body.error.message, /awaiting_acceptance/);
    assert.equal((await modes.start('WB01K3SAMP1E0000000000000000')).status, 404);
    const other = await app.newAccount();
    const foreign = await app.post(
      `/v1/accounts/${other.accountSid}/wabas/${sid}/billing-mode-switch`,
      undefined,
      bearer(other.sandboxKey),
    );
    assert.equal(foreign.status, 404);
    const left = await modes.waba();
    await app.post(`${app.at}/wabas/${left.sid}/disconnect`, { reason: 'Test' });
    assert.equal((await modes.start(left.sid)).body.error.code, 'WABA_NOT_CONNECTED');
  });

  test('in live while the operator is no partner; the service starts all the same', async () => {
    const sid = await insertWaba(app, { accountSid: app.accountSid, livemode: true });
    const refused = await app.post(
      `${app.at}/wabas/${sid}/billing-mode-switch`,
      undefined,
      bearer(app.liveKey),
    );
    assert.equal(refused.body.error.code, 'CAPABILITY_UNAVAILABLE');
  });

  test('by its own operation once the operator is no partner any more, in the words of the list of capabilities', async () => {
    const { sid } = await modes.waba();
    const { body } = await modes.start(sid);
    const { providerPartner } = app.ports;
    app.ports.providerPartner = { ...providerPartner, sandbox: null as never };
    try {
      await modes.runSwitch(body.sid);
    } finally {
      app.ports.providerPartner = providerPartner;
    }
    const { state, error } = await modes.operation(body.sid);
    const listed = await app.get(`${app.at}/provider-capabilities`, bearer(app.liveKey));
    const { reason } = listed.body.data.find((one: { name: string }) => one.name === 'PARTNER_BILLING');
    assert.deepEqual([state, error.code, error.message], ['FAILED', 'CAPABILITY_UNAVAILABLE', reason]);
  });

  test('50 at once make one', async () => {
    const { sid } = await modes.waba();
    const answers = await atOnce(
      Array.from({ length: 50 }, (_, i) => i),
      () => modes.start(sid),
    );
    const statuses = answers.map((one) => (one.status === 'fulfilled' ? one.value.status : 0));
    assert.deepEqual(
      [
        statuses.filter((status) => status === 202).length,
        statuses.filter((status) => status === 409).length,
      ],
      [1, 49],
    );
    assert.equal(await app.count(`billing_mode_switches where waba_sid = '${sid}'`), 1);
  });
});

suite('terms are accepted', () => {
  test('to the letter, by an owner, with a second factor, once', async () => {
    const { sid } = await modes.waba();
    const none = await modes.accept(sid);
    assert.deepEqual([none.status, none.body.error.code], [409, 'CONFLICT']);
    await offered(sid);
    for (const termsVersion of ['2026-11-17', '2026-11-16 ', '', ' 2026-11-16']) {
      const wrong = await modes.accept(sid, { termsVersion });
      assert.deepEqual([wrong.status, wrong.body.error.code], [400, 'VALIDATION_ERROR'], termsVersion);
      assert.equal(wrong.body.error.details[0].path, 'termsVersion');
    }
    const path = `${app.at}/wabas/${sid}/billing-mode-switch/accept`;
    const { headers } = await modes.owner.signInAgain();
    const both = await app.post(path, { termsVersion: '2026-11-17', stepUpEvidence: 5 }, headers);
    const paths = both.body.error.details.map((detail: { path: string }) => detail.path);
    assert.deepEqual(paths.sort(), ['stepUpEvidence', 'termsVersion'], both.text);
    const before = await app.post(path, { termsVersion: '2026-11-17' }, headers);
    assert.equal(before.body.error.code, 'VALIDATION_ERROR', 'is told before a second factor is asked for');
    const bare = await app.post(path, { termsVersion: '2026-11-16', stepUpEvidence: '' }, headers);
    assert.deepEqual([bare.status, bare.body.error.code], [403, 'STEP_UP_REQUIRED']);
    const admin = await person(app, { roles: ['ADMIN'] });
    const refused = await modes.accept(sid, { by: admin });
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'AUTHORIZATION_ERROR']);
    assert.equal((await modes.mode(sid)).switch.state, 'awaiting_acceptance');

    assert.equal((await modes.accept(sid)).status, 200);
    const again = await modes.accept(sid);
    assert.deepEqual([again.status, again.body.error.code], [409, 'CONFLICT']);
  });

  test('at the very moment the operation goes to sleep, and it does not sleep through it', async () => {
    const { sid } = await modes.waba();
    const { body } = await modes.start(sid);
    let commits = 0;
    await modes.runSwitch(body.sid, async (step) => {
      // The third commit is the one that writes the wait down.
      if (step === 'before commit' && ++commits === 3) assert.equal((await modes.accept(sid)).status, 200);
    });
    assert.ok(commits >= 3);
    const [job] = await app.sql<{ at: Date }>(
      `select run_at as at from graphile_worker.jobs where key = $1`,
      [`operation:${body.sid}`],
    );
    assert.ok(job!.at.getTime() < app.clock.now().getTime() + 86_400_000);
    await modes.runSwitch(body.sid);
    assert.equal((await modes.mode(sid)).mode, 'partner');
  });

  test('within 30 days, or not at all', async () => {
    const { sid } = await modes.waba();
    const operationSid = await offered(sid);
    app.clock.advance(30 * 86_400_000);
    await modes.runSwitch(operationSid);
    const { state, error } = await modes.operation(operationSid);
    assert.deepEqual([state, error.code], ['FAILED', 'CONFLICT']);
    const mode = await modes.mode(sid);
    assert.deepEqual([mode.mode, mode.switch.state], ['direct', 'failed']);
    assert.deepEqual((await eventsOf(sid)).at(-1), 'switch_failed');
    app.clock.set(partnerPricesBegin);
    assert.equal((await modes.start(sid)).status, 202);
  });
});

suite('the credit line', () => {
  test('is shared once, wherever the process ended', async () => {
    const boundaries: string[] = [];
    const first = await modes.waba();
    const watched = await modes.start(first.sid);
    await modes.runSwitch(watched.body.sid, (step) => void boundaries.push(step));
    await modes.accept(first.sid);
    const offeredAfter = boundaries.length;
    await modes.runSwitch(watched.body.sid, (step) => void boundaries.push(step));
    assert.ok(boundaries.length - offeredAfter >= 12, boundaries.join());

    for (let end = 0; end < boundaries.length; end += 1) {
      const { sid, providerWabaId } = await modes.waba();
      const known = allocations().length;
      let steps = 0;
      const dieThere = () => {
        if (steps++ === end) throw new Error('the process ended');
      };
      const { body } = await modes.start(sid);
      for (let tries = 0; (await modes.mode(sid)).switch.state !== 'active'; tries += 1) {
        assert.ok(tries < 8, `${boundaries[end]}: ${JSON.stringify(await modes.mode(sid))}`);
        if ((await modes.mode(sid)).switch.state === 'awaiting_acceptance') await modes.accept(sid);
        await modes.runSwitch(body.sid, dieThere).catch(() => {});
        app.clock.advance(5_000);
      }
      await modes.runSwitch(body.sid);
      assert.equal(allocations().length, known + 1, boundaries[end]);
      assert.deepEqual(
        [(await modes.operation(body.sid)).state, (await modes.mode(sid)).mode],
        ['SUCCEEDED', 'partner'],
      );
      assert.equal(fundingOf(providerWabaId), allocations().at(-1)!.receivingCredentialId);
      assert.equal((await eventsOf(sid)).filter((type) => type === 'activated').length, 1);
    }
  });

  test('is looked up when the answer was lost, and asked for again when it was never shared', async () => {
    for (const [answer, shares] of [
      ['lost', 1],
      ['closed-before', 2],
    ] as const) {
      const { sid } = await modes.waba();
      const operationSid = await offered(sid);
      await modes.accept(sid);
      const known = allocations().length;
      lose('whatsapp_credit_sharing_and_attach', answer);
      let asked = 0;
      const count = (step: string) => {
        if (step === 'before shareCreditLine') asked += 1;
      };
      await modes.runSwitch(operationSid, count);
      assert.equal((await modes.operation(operationSid)).state, 'WAITING');
      await modes.runSwitch(operationSid, count); // too early: it may still take effect
      app.clock.advance(5_000);
      await modes.runSwitch(operationSid, count);
      assert.deepEqual(
        [(await modes.mode(sid)).mode, asked, allocations().length],
        ['partner', shares, known + 1],
      );
    }
  });

  test('that a business has already, by another of its accounts, is attached and not shared anew', async () => {
    const one = await modes.waba();
    await modes.activate(one.sid);
    const known = allocations().length;
    const two = await modes.waba(one.portfolioId);
    await modes.activate(two.sid);
    assert.equal(allocations().length, known);
    assert.equal(fundingOf(two.providerWabaId), fundingOf(one.providerWabaId));
  });

  test('is believed only once the provider shows it as what pays', async () => {
    const { sid, providerWabaId } = await modes.waba();
    app.simulator.control.configure({ creditDelayMs: 600_000 });
    const operationSid = await offered(sid);
    await modes.accept(sid);
    await modes.runSwitch(operationSid);
    assert.deepEqual(
      [(await modes.mode(sid)).switch.state, (await modes.mode(sid)).mode],
      ['verifying', 'direct'],
    );
    app.clock.advance(600_000);
    await app.simulator.control.settle();
    await modes.runSwitch(operationSid);
    assert.equal((await modes.mode(sid)).mode, 'partner');
    assert.ok(fundingOf(providerWabaId));
  });

  test('that never pays makes the switch fail after an hour, and can then be taken back', async () => {
    const { sid, providerWabaId } = await modes.waba();
    const operationSid = await offered(sid);
    await modes.accept(sid);
    app.simulator.control.configure({ creditDelayMs: 80_000_000 });
    await modes.runSwitch(operationSid);
    app.clock.advance(3_600_001);
    await modes.runSwitch(operationSid);
    const failed = await modes.mode(sid);
    assert.deepEqual(
      [failed.mode, failed.switch.state, failed.switch.error.code],
      ['direct', 'failed', 'PROVIDER_PERMANENT_ERROR'],
    );
    assert.equal((await modes.operation(operationSid)).retryEligible, false);
    app.simulator.control.configure({ creditDelayMs: 0 });
    const { body } = await modes.revert(sid);
    await modes.runRevert(body.sid);
    assert.deepEqual([(await modes.mode(sid)).switch.state, fundingOf(providerWabaId)], ['direct', null]);
    assert.equal(allocations().at(-1)!.requestStatus, 'DELETED');
  });

  test('that the operator does not have, or may not share, ends the switch with the provider’s word', async () => {
    const without = await modes.waba();
    refuse('extendedcredits', 200);
    const { body } = await modes.start(without.sid);
    await modes.runSwitch(body.sid);
    assert.equal((await modes.operation(body.sid)).state, 'FAILED');
    assert.equal((await modes.mode(without.sid)).switch.state, 'failed');

    const refused = await modes.waba();
    const operationSid = await offered(refused.sid);
    await modes.accept(refused.sid);
    refuse('whatsapp_credit_sharing_and_attach', 131042);
    await modes.runSwitch(operationSid);
    const { switch: ended, mode } = await modes.mode(refused.sid);
    assert.deepEqual([mode, ended.state, ended.error.code], ['direct', 'failed', 'PAYMENT_REQUIRED']);
    assert.deepEqual((await modes.operation(operationSid)).error.code, 'PAYMENT_REQUIRED');
    const nothing = await modes.revert(refused.sid);
    assert.deepEqual([nothing.status, nothing.body.error.code], [409, 'CONFLICT']);
    // What may pass by itself is tried again.
    assert.equal((await modes.start(refused.sid)).status, 202);
  });
});

suite('a revert', () => {
  test('ends when the provider has confirmed it, and not before; what it said is kept', async () => {
    const { sid, providerWabaId } = await modes.waba();
    await modes.activate(sid);
    app.simulator.control.configure({ creditDelayMs: 60_000 });
    const { status, body } = await modes.revert(sid);
    assert.equal(status, 202);
    await modes.runRevert(body.sid);
    const between = await modes.mode(sid);
    assert.deepEqual(
      [between.mode, between.switch.state, between.switch.revertOperationSid],
      ['partner', 'confirming', body.sid],
    );
    app.clock.advance(60_000);
    await app.simulator.control.settle();
    await modes.runRevert(body.sid);
    const after = await modes.mode(sid);
    assert.deepEqual(
      [after.mode, after.effectiveFrom, after.switch.state],
      ['direct', app.clock.now().toISOString(), 'direct'],
    );
    assert.equal(fundingOf(providerWabaId), null);
    const [row] = await app.sql<{ request_status: string }>(
      'select request_status from billing_mode_switches where id = $1',
      [after.switch.id],
    );
    assert.equal(row!.request_status, 'DELETED');
    assert.deepEqual((await eventsOf(sid)).slice(-2), ['revert_requested', 'reverted']);
    // And it can become partner again, by a sharing of its own.
    app.simulator.control.configure({ creditDelayMs: 0 });
    await modes.activate(sid);
    assert.equal((await modes.mode(sid)).mode, 'partner');
  });

  test('takes the line back once, wherever the process ended', async () => {
    const boundaries: string[] = [];
    const first = await modes.waba();
    await modes.activate(first.sid);
    const watched = await modes.revert(first.sid);
    await modes.runRevert(watched.body.sid, (step) => void boundaries.push(step));
    assert.ok(boundaries.includes('after revokeCreditAllocation'), boundaries.join());
    for (let end = 0; end < boundaries.length; end += 1) {
      const { sid, providerWabaId } = await modes.waba();
      await modes.activate(sid);
      const { body } = await modes.revert(sid);
      let steps = 0;
      const dieThere = () => {
        if (steps++ === end) throw new Error('the process ended');
      };
      for (let tries = 0; (await modes.mode(sid)).mode !== 'direct'; tries += 1) {
        assert.ok(tries < 5, boundaries[end]);
        await modes.runRevert(body.sid, dieThere).catch(() => {});
        app.clock.advance(5_000);
      }
      await modes.runRevert(body.sid);
      assert.deepEqual(
        [(await modes.operation(body.sid)).state, fundingOf(providerWabaId)],
        ['SUCCEEDED', null],
      );
    }
  });

  test('whose answer was lost is looked up', async () => {
    const { sid } = await modes.waba();
    await modes.activate(sid);
    const { body } = await modes.revert(sid);
    const { id } = allocations().at(-1)!;
    let calls = 0;
    app.simulator.control.addRule({
      match: { path: 'node', phoneNumberId: id },
      behaviour: {},
      count: 1, // the question how it stands
    });
    app.simulator.control.addRule({
      match: { path: 'node', phoneNumberId: id },
      behaviour: { answer: 'lost' },
      count: 1, // the revocation
    });
    const count = (step: string) => {
      if (step === 'before revokeCreditAllocation') calls += 1;
    };
    await modes.runRevert(body.sid, count);
    assert.equal((await modes.operation(body.sid)).state, 'WAITING');
    await modes.runRevert(body.sid, count);
    assert.deepEqual([calls, (await modes.mode(sid)).mode], [1, 'direct']);
  });

  test('of an allocation that the provider knows no more ends when it is not listed either', async () => {
    for (const moment of ['before it is taken back', 'before it is confirmed']) {
      const { sid } = await modes.waba();
      await modes.activate(sid);
      const { id } = allocations().at(-1)!;
      const { body } = await modes.revert(sid);
      if (moment === 'before it is confirmed') {
        app.simulator.control.configure({ creditDelayMs: 60_000 });
        await modes.runRevert(body.sid);
        assert.equal((await modes.mode(sid)).switch.state, 'confirming');
      }
      app.simulator.control.forgetCreditAllocation(id);
      app.clock.advance(5_000);
      await modes.runRevert(body.sid);
      const { mode, switch: ended } = await modes.mode(sid);
      assert.deepEqual([mode, ended.state], ['direct', 'direct'], moment);
      assert.equal((await modes.operation(body.sid)).state, 'SUCCEEDED');
      const [row] = await app.sql<{ request_status: string }>(
        'select request_status from billing_mode_switches where id = $1',
        [ended.id],
      );
      assert.equal(row!.request_status, 'NOT_LISTED');
      app.simulator.control.configure({ creditDelayMs: 0 });
    }
  });

  test('that cannot be read while it is listed, or while nothing can, is not taken for confirmed', async () => {
    const { sid } = await modes.waba();
    await modes.activate(sid);
    const { id } = allocations().at(-1)!;
    const { body } = await modes.revert(sid);
    app.simulator.control.configure({ creditDelayMs: 600_000 });
    await modes.runRevert(body.sid);
    app.simulator.control.addRule({
      match: { path: 'node', phoneNumberId: id },
      behaviour: { refuse: { code: 100 } },
    });
    app.clock.advance(60_000);
    await modes.runRevert(body.sid);
    assert.equal((await modes.mode(sid)).switch.state, 'confirming');
    app.simulator.control.forgetCreditAllocation(id);
    refuse('owning_credit_allocation_configs', 200);
    app.clock.advance(60_000);
    await modes.runRevert(body.sid);
    assert.deepEqual(
      [(await modes.mode(sid)).mode, (await modes.operation(body.sid)).state],
      ['partner', 'WAITING'],
    );
    app.simulator.control.clearRules();
    app.clock.advance(60_000);
    await modes.runRevert(body.sid);
    assert.equal((await modes.mode(sid)).mode, 'direct');
  });

  test('does not cut other accounts of the business: it waits for them and names them', async () => {
    const one = await modes.waba();
    const two = await modes.waba(one.portfolioId);
    await modes.activate(one.sid);
    await modes.activate(two.sid);
    const first = (await modes.revert(one.sid)).body.sid;
    await modes.runRevert(first);
    const waiting = await modes.operation(first);
    assert.deepEqual(
      [waiting.state, waiting.result],
      ['WAITING', { waitingFor: { wabaSids: [two.sid], others: 0 } }],
    );
    assert.deepEqual(
      [(await modes.mode(one.sid)).mode, (await modes.mode(two.sid)).mode, !!fundingOf(two.providerWabaId)],
      ['partner', 'partner', true],
    );
    const second = (await modes.revert(two.sid)).body.sid;
    await modes.runRevert(second);
    await modes.runRevert(first);
    assert.deepEqual(
      [(await modes.mode(one.sid)).mode, (await modes.mode(two.sid)).mode, fundingOf(two.providerWabaId)],
      ['direct', 'direct', null],
    );
  });

  test('of two accounts at once takes the line back once, and both are direct, whoever asked first', async () => {
    const one = await modes.waba();
    const two = await modes.waba(one.portfolioId);
    await modes.activate(one.sid);
    await modes.activate(two.sid);
    const [first, second] = [(await modes.revert(one.sid)).body.sid, (await modes.revert(two.sid)).body.sid];
    // The other one is done between our look and our asking: we are refused, and it is gone all the same.
    let others: Promise<unknown> | null = null;
    await modes.runRevert(first, async (step) => {
      if (step !== 'before revokeCreditAllocation') return;
      others ??= modes.runRevert(second);
      await others;
    });
    assert.ok(others);
    for (const { sid } of [one, two]) assert.equal((await modes.mode(sid)).mode, 'direct');
    for (const operation of [first, second])
      assert.equal((await modes.operation(operation)).state, 'SUCCEEDED');
  });

  test('counts accounts of the business that others have connected, without naming them', async () => {
    const one = await modes.waba();
    await modes.activate(one.sid);
    const [business] = await app.sql<{ id: string }>(
      'select receiving_business_id as id from billing_mode_switches where waba_sid = $1',
      [one.sid],
    );
    const strangers = await billingModesOf(app, await app.newAccount());
    const theirs = await strangers.waba();
    await strangers.activate(theirs.sid);
    await app.sql('update billing_mode_switches set receiving_business_id = $2 where waba_sid = $1', [
      theirs.sid,
      business!.id,
    ]);
    const { body } = await modes.revert(one.sid);
    await modes.runRevert(body.sid);
    assert.deepEqual((await modes.operation(body.sid)).result, { waitingFor: { wabaSids: [], others: 1 } });
    assert.equal((await modes.mode(one.sid)).mode, 'partner');
  });

  test('and a switch of the same business wait for each other', async () => {
    const one = await modes.waba();
    await modes.activate(one.sid);
    const two = await modes.waba(one.portfolioId);
    const joining = await offered(two.sid);
    await modes.accept(two.sid);
    app.simulator.control.configure({ creditDelayMs: 60_000 });
    const { body } = await modes.revert(one.sid);
    await modes.runRevert(body.sid);
    await modes.runSwitch(joining);
    assert.equal((await modes.mode(two.sid)).switch.state, 'accepted');
    app.clock.advance(60_000);
    await app.simulator.control.settle();
    await modes.runRevert(body.sid);
    app.simulator.control.configure({ creditDelayMs: 0 });
    await modes.runSwitch(joining);
    assert.deepEqual(
      [(await modes.mode(one.sid)).mode, (await modes.mode(two.sid)).mode],
      ['direct', 'partner'],
    );
  });

  test('that the provider refuses leaves the mode as it is billed, says so, and can be asked for again', async () => {
    const { sid } = await modes.waba();
    await modes.activate(sid);
    const { body } = await modes.revert(sid, 'first');
    refuse('node', 200);
    await modes.runRevert(body.sid);
    const { mode, switch: kept } = await modes.mode(sid);
    assert.deepEqual([mode, kept.state, kept.error.code !== null], ['partner', 'active', true]);
    assert.equal((await modes.operation(body.sid)).state, 'FAILED');
    assert.equal((await eventsOf(sid)).at(-1), 'revert_failed');
    const again = await modes.revert(sid, 'second');
    await modes.runRevert(again.body.sid);
    assert.equal((await modes.mode(sid)).mode, 'direct');
  });

  test('of terms nobody accepted withdraws them at once; of what is under way or over it is a conflict', async () => {
    const { sid } = await modes.waba();
    assert.equal((await modes.revert(sid, 'none')).body.error.code, 'CONFLICT');
    const operationSid = await offered(sid);
    const { body } = await modes.revert(sid, 'withdrawn');
    await modes.runRevert(body.sid);
    await modes.runSwitch(operationSid);
    assert.deepEqual(
      [(await modes.operation(body.sid)).state, (await modes.operation(operationSid)).state],
      ['SUCCEEDED', 'FAILED'],
    );
    assert.equal((await modes.accept(sid)).body.error.code, 'CONFLICT');
    await offered(sid);
    await modes.accept(sid);
    const underWay = await modes.revert(sid, 'under way');
    assert.deepEqual([underWay.status, underWay.body.error.code], [409, 'CONFLICT']);
    assert.match(underWay.body.error.message, /accepted/);
  });

  test('takes no other reason, and no body that lacks its key', async () => {
    const { sid } = await modes.waba();
    const path = `${app.at}/wabas/${sid}/billing-mode-switch/revert`;
    for (const [body, paths] of [
      [{}, ['idempotencyKey', 'reason']],
      [{ idempotencyKey: 'a', reason: 'changed_mind' }, ['reason']],
      [{ idempotencyKey: 'a'.repeat(256), reason: 'customer_disconnected' }, ['idempotencyKey']],
      [{ idempotencyKey: null, reason: null }, ['idempotencyKey', 'reason']],
      [{ idempotencyKey: 'a', reason: 'customer_disconnected', force: true }, ['force']],
    ] as const) {
      const refused = await app.post(path, body);
      assert.equal(refused.body.error.code, 'VALIDATION_ERROR', refused.text);
      assert.deepEqual(
        [...new Set(refused.body.error.details.map((one: { path: string }) => one.path))].sort(),
        paths,
      );
    }
  });

  test('needs no connected account: whoever left can be let go', async () => {
    const { sid, providerWabaId } = await modes.waba();
    await modes.activate(sid);
    await app.post(`${app.at}/wabas/${sid}/disconnect`, { reason: 'Test' });
    const { body } = await modes.revert(sid);
    await modes.runRevert(body.sid);
    assert.deepEqual([(await modes.mode(sid)).mode, fundingOf(providerWabaId)], ['direct', null]);
  });
});

test('the partner of the sandbox is nobody’s own business', () => {
  assert.ok(
    app.simulator.control.wabas().every(({ businessId }) => businessId !== sandboxPartner.businessId),
  );
});
