import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { bearer, type Reply, startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { accepted, dispatcherOf, fakeProvider, messagesOf } from '../../../test/harness/messages.ts';
import { type Person, person } from '../../../test/harness/people.ts';
import { holdTime } from '../../../test/harness/time.ts';
import { until } from '../../../test/harness/until.ts';
import { resume, suspend } from '../../main/commands/accounts/accounts.ts';
import { grantToStaff } from '../../main/commands/staff/staff.ts';
import { newPhone } from '../contacts/fixtures.ts';
import { nameOperator, suspendAccount } from './index.ts';

const lifetime = sharedLifetime();
let app: TestApp;
let operator: Awaited<ReturnType<TestApp['newAccount']>>;
before(async () => {
  app = await startTestApp(lifetime);
  operator = await app.newAccount();
  await app.database.system((s) => nameOperator(s, operator.accountSid));
});

const context = () => ({ database: app.database, clock: app.clock, log: app.log });
const outcome = ({ status, body }: Reply) => [status, body?.error?.code];
const refused = [403, 'ACCOUNT_SUSPENDED'];

/** An account of the test's own, with what an operator does to it. */
async function business() {
  const account = await app.newAccount();
  const { accountSid, sandboxKey } = account;
  const key = bearer(sandboxKey);
  const at = `/v1/accounts/${accountSid}`;
  const template = { name: 'hello_world', language: 'en' };
  return {
    ...account,
    key,
    at,
    hello: () => ({ to: newPhone(), type: 'template', template }),
    suspend: () => suspend(context(), { account: accountSid, reason: 'Complaints' }),
    resume: () => resume(context(), { account: accountSid, reason: 'Settled' }),
  };
}

suite('a suspended account', () => {
  test('is refused every change and every message, by every kind of credential, and may look at everything', async () => {
    const { at, key, hello, suspend, accountSid } = await business();
    const owner = await person(app, { accountSid });
    const sent = await app.post(`${at}/messages`, hello(), key);
    assert.equal(sent.status, 201);
    await suspend();
    for (const who of [key, owner.headers]) {
      assert.deepEqual(outcome(await app.post(`${at}/messages`, hello(), who)), refused);
      assert.deepEqual(
        outcome(await app.post(`${at}/messages/batch`, { messages: [hello()] }, who)),
        refused,
      );
      assert.deepEqual(outcome(await app.post(`${at}/contacts`, { displayName: 'Ada' }, who)), refused);
      assert.deepEqual(
        outcome(await app.post(`${at}/segments`, {}, who)),
        refused,
        'before its input is judged',
      );
      const shown = await app.get(`${at}/messages/${sent.body.sid}`, who);
      assert.equal(shown.status, 200, shown.text);
      const account = await app.get(at, who);
      assert.deepEqual(
        [account.body.status, account.body.suspensionReason, account.body.suspendedAt],
        ['suspended', 'Complaints', app.clock.now().toISOString()],
      );
    }
    const stranger = bearer((await app.newAccount()).sandboxKey);
    assert.deepEqual(outcome(await app.post(`${at}/contacts`, {}, stranger)), [403, 'AUTHORIZATION_ERROR']);
  });

  test('may ask what sending would say, cancel what waits, write down a no, and take a key away', async () => {
    const { at, key, hello, suspend } = await business();
    const later = new Date(app.clock.now().getTime() + 3_600_000).toISOString();
    const { body: waiting } = await app.post(`${at}/messages`, { ...hello(), sendAt: later }, key);
    await suspend();
    const asked = await app.post(`${at}/messages/preflight`, hello(), key);
    assert.deepEqual(
      [asked.status, asked.body.accepted, asked.body.checks[0].code, asked.body.checks[0].evidence],
      [200, false, 'ACCOUNT_SUSPENDED', { status: 'suspended' }],
    );
    assert.equal((await app.post(`${at}/messages/${waiting.sid}/cancel`, undefined, key)).status, 200);
    const no = { reason: 'COMPLAINT', scope: 'ALL', source: 'support desk' };
    const suppressed = await app.post(`${at}/contacts/${waiting.to.contactSid}/suppressions`, no, key);
    assert.equal(suppressed.status, 201, suppressed.text);
  });

  test('acts again at once when it is resumed, also for a process that knew its key as suspended', async () => {
    const { at, key, hello, suspend, resume } = await business();
    for (let round = 0; round < 3; round += 1) {
      assert.equal((await app.post(`${at}/messages`, hello(), key)).status, 201);
      await suspend();
      assert.deepEqual(outcome(await app.post(`${at}/messages`, hello(), key)), refused);
      await resume();
    }
    assert.equal((await app.get(at, key)).body.status, 'active');
  });

  test('is suspended once and resumed once, told by event, notification and audit chain with the reason', async () => {
    const { accountSid, liveKey, at, suspend, resume } = await business();
    await assert.rejects(resume(), /is not suspended/);
    await suspend();
    await assert.rejects(suspend(), /suspended already/);
    await resume();
    const live = bearer(liveKey);
    const events = await app.get(`${at}/events?type=account.*&sort=sequence`, live);
    assert.deepEqual(
      events.body.data.map(({ type, data }: { type: string; data: { status: string } }) => [
        type,
        data.status,
      ]),
      [
        ['account.suspended', 'suspended'],
        ['account.resumed', 'active'],
      ],
    );
    const feed = await app.get(`${at}/notifications`, live);
    assert.deepEqual(feed.body.data.map(({ type }: { type: string }) => type).sort(), [
      'account.resumed',
      'account.suspended',
    ]);
    const audited = await app.sql<{ action: string; payload: string }>(
      `select action, payload from audit_entries where account_sid = $1 and action like 'account.%' order by sequence`,
      [accountSid],
    );
    assert.deepEqual(
      audited.map(({ action, payload }) => [action, JSON.parse(payload).facts.reason]),
      [
        ['account.suspended', 'Complaints'],
        ['account.resumed', 'Settled'],
      ],
    );
  });
});

suite('staff', () => {
  /** Somebody of the operator who was let into the account. */
  async function letIn(accountSid: string): Promise<Person> {
    const who = await person(app, { accountSid: operator.accountSid, roles: ['VIEWER'] });
    await who.stepUp('API_KEY_CREATE');
    await grantToStaff(context(), { account: accountSid, user: who.userSid, hours: 1, case: 'CASE-9' });
    return who;
  }
  async function tokenOn(who: Person, accountSid: string, action: string): Promise<string> {
    await app.sql('update mfa_credentials set last_step = null where id = $1', [who.totp!.credentialId]);
    const asked = { action, method: 'TOTP', assertion: who.totp!.code() };
    const reply = await app.post(`/v1/accounts/${accountSid}/identity/step-up`, asked, who.headers);
    assert.equal(reply.status, 201, reply.text);
    return reply.body.stepUpToken;
  }

  test('suspends and resumes with a second factor, and is let through a suspension; nobody of the account can', async () => {
    const { accountSid, at, key, hello } = await business();
    const who = await letIn(accountSid);
    const owner = await person(app, { accountSid });
    const ask = async (what: 'suspend' | 'resume', by: Person) =>
      app.post(
        `${at}/${what}`,
        { reason: 'Complaints', stepUpToken: await tokenOn(by, accountSid, `ACCOUNT_${what.toUpperCase()}`) },
        by.headers,
      );
    assert.deepEqual(outcome(await ask('suspend', owner)), [403, 'AUTHORIZATION_ERROR']);
    const withoutToken = { reason: 'Complaints', stepUpToken: 'none' };
    assert.deepEqual(outcome(await app.post(`${at}/suspend`, withoutToken, who.headers)), [
      403,
      'STEP_UP_REQUIRED',
    ]);
    const suspended = await ask('suspend', who);
    assert.deepEqual([suspended.status, suspended.body.status], [200, 'suspended'], suspended.text);
    assert.deepEqual(outcome(await app.post(`${at}/messages`, hello(), key)), refused);
    assert.deepEqual(outcome(await ask('suspend', who)), [409, 'CONFLICT']);
    assert.deepEqual(outcome(await ask('resume', owner)), [403, 'AUTHORIZATION_ERROR']);
    assert.equal((await ask('resume', who)).body.status, 'active');
    assert.equal((await app.post(`${at}/messages`, hello(), key)).status, 201);
  });
});

suite('at the provider', () => {
  test('nothing of a suspended account is handed over: it stays in line, and leaves once the account is resumed', async () => {
    const messages = await messagesOf(app);
    const provider = fakeProvider();
    const dispatcher = await dispatcherOf(app, { provider });
    const sid = await messages.accepted();
    // Of other accounts of this file something may be waiting too.
    const handedOver = () => provider.sids().filter((one) => one === sid).length;
    await suspend(context(), { account: messages.accountSid, reason: 'Complaints' });
    await dispatcher.run();
    assert.deepEqual([handedOver(), (await messages.state(sid)).status], [0, 'queued']);
    await resume(context(), { account: messages.accountSid, reason: 'Settled' });
    app.clock.advance(15_000);
    await dispatcher.run();
    assert.deepEqual([handedOver(), (await messages.state(sid)).waiting], [1, false]);
  });

  test('a hand-off under way is waited for before the suspension is answered', async (context) => {
    const messages = await messagesOf(app);
    const provider = fakeProvider();
    const dispatcher = await dispatcherOf(app, { provider });
    const order: string[] = [];
    const sid = await messages.accepted();
    const { promise: answering, resolve: answer } = Promise.withResolvers<void>();
    provider.answer = async ({ message }) => {
      if (message.opaque !== sid) return accepted(message.opaque);
      await answering;
      order.push('handed over');
      return accepted(message.opaque);
    };
    await dispatcher.look();
    await until('the hand-off begins', () => provider.sids().includes(sid));
    const time = holdTime(context);
    const suspending = messages
      .write((t) => suspendAccount(t, 'Complaints'))
      .then(() => order.push('suspended'));
    await until(
      'it is stored',
      async () =>
        (await app.count(`accounts where status = 'suspended' and sid = '${messages.accountSid}'`)) === 1,
    );
    answer();
    await suspending;
    time.letGo();
    await dispatcher.settled();
    assert.deepEqual(order, ['handed over', 'suspended']);
  });

  test('what people write to a suspended account is stored, and a no of theirs is heeded', async () => {
    const messages = await messagesOf(app);
    await suspend(context(), { account: messages.accountSid, reason: 'Complaints' });
    const [hi, stop] = ['Hi', 'STOP'].map((body) => messages.inbound({ type: 'text', body }));
    await messages.receive(hi!);
    await messages.receive(stop!);
    assert.equal(
      await app.count(`messages where account_sid = '${messages.accountSid}' and direction = 'inbound'`),
      2,
    );
    assert.equal(await app.count(`suppressions where account_sid = '${messages.accountSid}'`), 1);
  });
});
