import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { suite, test } from 'node:test';
import { bearer, type Reply, type TestApp } from '../../../test/harness/app.ts';
import { write } from '../../../test/harness/jobs.ts';
import { ownAccounts } from '../../../test/harness/own-account.ts';
import { onPlan } from '../../../test/harness/plans.ts';
import type { TenantTx } from '../../platform/db/database.ts';
import { askedBy } from '../../platform/db/merge.ts';
import { compileQuery, type Sql } from '../../platform/db/query.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { systemPrincipal } from '../../platform/principal.ts';
import { newPhone } from '../contacts/fixtures.ts';
import { admitEach } from '../messages/index.ts';
import { sendRoom } from './index.ts';

const ownAccount = ownAccounts();

const hello = (to = newPhone()) => ({
  to,
  type: 'template' as const,
  template: { name: 'hello_world', language: 'en' },
});
const many = (count: number) => Array.from({ length: count }, () => hello());
const send = (app: TestApp, headers = {}) => app.post(`${app.at}/messages`, hello(), headers);
const sendMany = (app: TestApp, count: number) =>
  app.post(`${app.at}/messages/batch`, { messages: many(count) });
const planOf = async (app: TestApp) => (await app.get(`${app.at}/plan`)).body;
const useOf = async (app: TestApp) => (await planOf(app)).use;
const code = ({ status, body }: Reply) => (status === 201 ? 'accepted' : body.error.code);

/** How the members of a batch ended. */
const ends = ({ body }: Reply): string[] =>
  body.results.map((one: { message: object | null; error: { code: string } | null }) =>
    one.message ? 'accepted' : one.error!.code,
  );
const countOf = (all: string[], which: string) => all.filter((one) => one === which).length;

suite('an account without a plan', () => {
  test('is limited by nothing, and nothing is counted for it', async () => {
    const app = await ownAccount();
    assert.equal((await send(app)).status, 201);
    const told = await planOf(app);
    assert.deepEqual(told.limits, { monthlyMessages: null, sendsPerSecond: null, requestsPerSecond: null });
    assert.deepEqual([told.name, told.features, told.use.messages], [null, null, null]);
    assert.equal(await app.count('plan_uses'), 0);
  });

  /** The statements by which a message is admitted. */
  async function statementsOf(app: TestApp): Promise<string[]> {
    const texts: string[] = [];
    await write({ app }, async (t) => {
      const noting =
        <Answer>(run: (query: Sql) => Answer) =>
        (query: Sql) => {
          texts.push(compileQuery(query).text);
          return run(query);
        };
      const noted: TenantTx = {
        ...t,
        many: noting(t.many) as TenantTx['many'],
        one: noting(t.one) as TenantTx['one'],
        maybe: noting(t.maybe) as TenantTx['maybe'],
        run: noting(t.run),
        merged: (statement, items) =>
          items.length === 0 ? Promise.resolve([]) : statement(noted, askedBy(t.accountSid, items)),
      };
      const author = systemPrincipal('test', false);
      const [end] = await admitEach(noted, [{ body: hello(), author }]);
      assert.ok(!(end instanceof ApiError), String(end));
    });
    return texts;
  }

  test('costs no statement more for there being plans; one with limits costs three, and one without those that name it', async () => {
    const app = await ownAccount();
    const before = await statementsOf(app);
    assert.ok(before.every((text) => !/\bplan_uses\b|\bplans\b/.test(text)));
    const { change } = await onPlan(app, { monthlyMessages: 10 });
    assert.equal((await statementsOf(app)).length, before.length + 3);
    await change({ monthlyMessages: null });
    const unlimited = await statementsOf(app);
    assert.equal(unlimited.length, before.length + 1);
    assert.ok(unlimited.every((text) => !/\bplan_uses\b/.test(text)));
  });
});

suite('a monthly quota', () => {
  test('is reached by exactly as many messages as it allows, and refuses the others one by one', async () => {
    const app = await ownAccount();
    const { name } = await onPlan(app, { monthlyMessages: 3 });
    const batch = await sendMany(app, 5);
    assert.deepEqual(ends(batch), [
      ...['accepted', 'accepted', 'accepted'],
      ...['PLAN_MESSAGE_QUOTA_EXCEEDED', 'PLAN_MESSAGE_QUOTA_EXCEEDED'],
    ]);
    const refused = await send(app);
    assert.deepEqual([refused.status, code(refused)], [422, 'PLAN_MESSAGE_QUOTA_EXCEEDED']);
    assert.deepEqual(refused.body.error.details, [
      {
        path: 'plan',
        issue: `${name} allows 3 messages a month; the next begins at 2026-09-01T00:00:00.000Z`,
      },
    ]);
    assert.deepEqual(await useOf(app), {
      monthStartsAt: '2026-08-01T00:00:00.000Z',
      monthEndsAt: '2026-09-01T00:00:00.000Z',
      messages: 3,
      messagesLeft: 0,
      sendsNow: null,
    });
    assert.equal(await app.count('messages'), 3);
  });

  test('is asked about by preflight, which takes nothing of it', async () => {
    const app = await ownAccount();
    const { name } = await onPlan(app, { monthlyMessages: 1 });
    const ask = async () => {
      const { body } = await app.post(`${app.at}/messages/preflight`, hello());
      return [
        body.accepted,
        body.checks[0].outcome,
        body.checks[0].code,
        body.checks[0].evidence.messagesLeft,
      ];
    };
    for (let i = 0; i < 3; i += 1) assert.deepEqual(await ask(), [true, 'pass', null, 1]);
    assert.equal((await send(app)).status, 201);
    assert.deepEqual(await ask(), [false, 'fail', 'PLAN_MESSAGE_QUOTA_EXCEEDED', 0]);
    const { body } = await app.post(`${app.at}/messages/preflight`, hello());
    assert.deepEqual([body.checks[0].evidence.plan, body.checks[0].evidence.messages], [name, 1]);
  });

  test('is never exceeded and never short, however many send at once and over whichever connection', async () => {
    const rounds = Number(process.env.PLAN_ROUNDS ?? 3);
    for (let round = 0; round < rounds; round += 1) {
      const app = await ownAccount();
      const quota = 20 + round;
      await onPlan(app, { monthlyMessages: quota });
      const author = systemPrincipal('test', false);
      const directly = () =>
        write({ app }, (t) =>
          admitEach(
            t,
            many(4).map((body) => ({ body, author })),
          ),
        );
      const all = await Promise.all([
        ...Array.from({ length: 12 }, async () => [code(await send(app))]),
        ...Array.from({ length: 3 }, async () => ends(await sendMany(app, 5))),
        // Transactions that nothing in this process brings together, as those of other processes are.
        ...Array.from({ length: 4 }, async () =>
          (await directly()).map((end) => (end instanceof ApiError ? end.code : 'accepted')),
        ),
      ]);
      const found = all.flat();
      assert.equal(found.length, 12 + 15 + 16);
      assert.equal(countOf(found, 'accepted'), quota);
      assert.equal(countOf(found, 'PLAN_MESSAGE_QUOTA_EXCEEDED'), found.length - quota);
      assert.equal(await app.count('messages'), quota);
      assert.equal((await useOf(app)).messages, quota);
    }
  });

  test('begins anew with the month of the calendar in UTC, and not a moment earlier', async () => {
    const app = await ownAccount();
    await onPlan(app, { monthlyMessages: 2 });
    app.clock.set(new Date('2026-08-31T23:59:59.999Z'));
    assert.deepEqual(ends(await sendMany(app, 3)), ['accepted', 'accepted', 'PLAN_MESSAGE_QUOTA_EXCEEDED']);
    app.clock.advance(1);
    assert.deepEqual(
      [(await useOf(app)).messages, (await useOf(app)).monthStartsAt],
      [0, '2026-09-01T00:00:00.000Z'],
    );
    assert.deepEqual(ends(await sendMany(app, 3)), ['accepted', 'accepted', 'PLAN_MESSAGE_QUOTA_EXCEEDED']);
    // By the clock of another process it is still August: nothing of it comes back.
    app.clock.set(new Date('2026-08-31T23:59:59.000Z'));
    assert.equal(code(await send(app)), 'PLAN_MESSAGE_QUOTA_EXCEEDED');
    app.clock.set(new Date('2027-01-15T00:00:00.000Z'));
    assert.equal(code(await send(app)), 'accepted');
    assert.equal((await useOf(app)).messages, 1);
  });

  test('that is changed in mid-month counts what was used under the old one', async () => {
    const app = await ownAccount();
    const { change, takeAway, giveBack } = await onPlan(app, { monthlyMessages: 3 });
    assert.equal(countOf(ends(await sendMany(app, 4)), 'accepted'), 3);
    await change({ monthlyMessages: 5 });
    assert.equal(countOf(ends(await sendMany(app, 4)), 'accepted'), 2);
    await change({ monthlyMessages: 1 });
    assert.equal(code(await send(app)), 'PLAN_MESSAGE_QUOTA_EXCEEDED');
    assert.deepEqual([(await useOf(app)).messages, (await useOf(app)).messagesLeft], [5, 0]);
    await takeAway();
    assert.equal(code(await send(app)), 'accepted');
    await giveBack();
    assert.equal(code(await send(app)), 'PLAN_MESSAGE_QUOTA_EXCEEDED');
    assert.equal((await useOf(app)).messages, 5, 'without a plan nothing was counted');
  });

  test('of nothing refuses everything', async () => {
    const app = await ownAccount();
    await onPlan(app, { monthlyMessages: 0 });
    assert.equal(code(await send(app)), 'PLAN_MESSAGE_QUOTA_EXCEEDED');
    assert.equal(await app.count('plan_uses'), 0);
  });

  test('is used by what is accepted: neither by what another gate refuses nor twice by a repeated request; a cancellation gives nothing back', async () => {
    const app = await ownAccount();
    await onPlan(app, { monthlyMessages: 3 });
    const nothing = { ...hello(), template: { name: 'nothing_of_this_name', language: 'en' } };
    assert.equal((await app.post(`${app.at}/messages`, nothing)).status, 422);
    const mixed = await app.post(`${app.at}/messages/batch`, { messages: [nothing, {}, hello()] });
    assert.deepEqual(
      ends(mixed).map((end) => end === 'accepted'),
      [false, false, true],
    );
    assert.equal((await useOf(app)).messages, 1);
    const key = { 'idempotency-key': randomUUID() };
    const body = { ...hello(), sendAt: new Date(app.clock.now().getTime() + 3_600_000).toISOString() };
    const [first, second] = [
      await app.post(`${app.at}/messages`, body, key),
      await app.post(`${app.at}/messages`, body, key),
    ];
    assert.equal(first.body.sid, second.body.sid);
    assert.equal((await useOf(app)).messages, 2);
    const canceled = await app.post(`${app.at}/messages/${first.body.sid}/cancel`);
    assert.equal(canceled.status, 200, canceled.text);
    assert.equal((await useOf(app)).messages, 2);
  });

  test('counts each environment by itself', async () => {
    const app = await ownAccount();
    await onPlan(app, { monthlyMessages: 1 });
    assert.equal(code(await send(app)), 'accepted');
    const live = await app.get(`${app.at}/plan`, bearer(app.liveKey));
    assert.deepEqual([live.body.livemode, live.body.use.messages], [true, 0]);
  });

  test('is told of once at four fifths and once when it is used up', async () => {
    const app = await ownAccount();
    await onPlan(app, { monthlyMessages: 5 });
    const told = async () => (await app.emitted()).filter((type) => type.startsWith('plan.quota'));
    await sendMany(app, 3);
    assert.deepEqual(await told(), []);
    await send(app);
    assert.deepEqual(await told(), ['plan.quota_nearly_used']);
    await sendMany(app, 4);
    await send(app);
    assert.deepEqual(await told(), ['plan.quota_nearly_used', 'plan.quota_used']);
    const listed = await app.get(`${app.at}/events?type=plan.quota_used`);
    assert.equal(listed.body.data[0].data.use.messagesLeft, 0);
  });
});

suite('sends a second', () => {
  test('are a limit with a name, for single messages and each of a batch, and are there again as time passes', async () => {
    const app = await ownAccount();
    const { name } = await onPlan(app, { sendsPerSecond: 4 });
    assert.deepEqual(ends(await sendMany(app, 6)), [
      ...['accepted', 'accepted', 'accepted', 'accepted'],
      ...['RATE_LIMITED', 'RATE_LIMITED'],
    ]);
    const refused = await send(app);
    assert.deepEqual([refused.status, code(refused)], [429, 'RATE_LIMITED']);
    assert.equal(refused.headers.get('ratelimit-policy'), '"sends";q=4;w=1');
    assert.equal(refused.headers.get('ratelimit'), '"sends";r=0;t=1');
    assert.equal(refused.headers.get('retry-after'), '1');
    assert.deepEqual(refused.body.error.details, [
      { path: 'plan', issue: `${name} allows 4 sends a second` },
    ]);
    app.clock.advance(249);
    assert.equal(code(await send(app)), 'RATE_LIMITED');
    app.clock.advance(1);
    assert.deepEqual([code(await send(app)), code(await send(app))], ['accepted', 'RATE_LIMITED']);
    app.clock.advance(3_600_000);
    assert.equal(countOf(ends(await sendMany(app, 6)), 'accepted'), 4);
  });

  test('are never exceeded by many who send at once', async () => {
    const app = await ownAccount();
    await onPlan(app, { sendsPerSecond: 7 });
    const found = await Promise.all([
      ...Array.from({ length: 10 }, async () => [code(await send(app))]),
      ...Array.from({ length: 3 }, async () => ends(await sendMany(app, 5))),
    ]);
    assert.equal(countOf(found.flat(), 'accepted'), 7);
  });

  test('are told beforehand to those who would rather wait', async () => {
    const app = await ownAccount();
    const room = () => write({ app }, sendRoom);
    assert.deepEqual(await room(), { now: Number.POSITIVE_INFINITY, until: null });
    const { change } = await onPlan(app, { sendsPerSecond: 2, monthlyMessages: 5 });
    assert.deepEqual(await room(), { now: 2, until: null });
    await sendMany(app, 2);
    assert.deepEqual(await room(), { now: 0, until: new Date(app.clock.now().getTime() + 1_000) });
    app.clock.advance(1_000);
    await sendMany(app, 2);
    await change({ monthlyMessages: 4 });
    assert.deepEqual(await room(), { now: 0, until: new Date('2026-09-01T00:00:00.000Z') });
    app.clock.advance(1_000);
    await change({ monthlyMessages: 5 });
    assert.deepEqual(await room(), { now: 1, until: null });
  });
});

suite('a plan', () => {
  test('says how often each key may ask, at once when it changes, unless the key has a rate of its own', async () => {
    const app = await ownAccount();
    const make = () => app.key(['accounts:read']);
    const [one, other, own] = await Promise.all([make(), make(), make()]);
    const ask = async ({ key }: { key: string }) => (await app.get(`${app.at}/plan`, bearer(key))).headers;
    const usual = (await ask(one)).get('ratelimit-policy');
    const { change, takeAway } = await onPlan(app, { requestsPerSecond: 3 });
    await app.sql('update api_keys set requests_per_second = 50 where id = $1', [own.id]);
    assert.equal((await ask(other)).get('ratelimit-policy'), '"key";q=6;w=2');
    assert.equal((await ask(own)).get('ratelimit-policy'), '"key";q=100;w=2');
    assert.equal((await planOf(app)).limits.requestsPerSecond, 3);
    app.clock.advance(10_000);
    assert.equal((await ask(one)).get('ratelimit-policy'), '"key";q=6;w=2');
    await change({ requestsPerSecond: 5 });
    app.clock.advance(10_000);
    assert.equal((await ask(one)).get('ratelimit-policy'), '"key";q=10;w=2');
    await takeAway();
    app.clock.advance(10_000);
    assert.equal((await ask(one)).get('ratelimit-policy'), usual);
  });

  test('can leave out features, which are refused by its name', async () => {
    const app = await ownAccount();
    const definition = {
      trigger: { eventTypes: ['MESSAGE_RECEIVED'] },
      conditions: [],
      actions: [{ type: 'stop' }],
    };
    const made = await app.post(`${app.at}/workflows`, { name: 'Greet', definition });
    assert.equal(made.status, 201, made.text);
    const { body: person } = await app.post(`${app.at}/contacts`, {
      identifiers: [{ identifierType: 'phone_e164', value: newPhone() }],
    });
    const { to: _, ...message } = hello();
    const draft = await app.post(`${app.at}/campaigns`, {
      name: 'Hello',
      audience: { contactSids: [person.sid] },
      message,
    });
    assert.equal(draft.status, 201, draft.text);
    const { name, change } = await onPlan(app, { features: [] });
    const withoutThem: [feature: string, path: string, body?: object][] = [
      ['workflows', `workflows/${made.body.sid}/publish`],
      ['campaigns', `campaigns/${draft.body.sid}/launch`],
      ['subaccounts', 'subaccounts', { name: 'Lyon' }],
    ];
    for (const [feature, path, body] of withoutThem) {
      const refused = await app.post(`${app.at}/${path}`, body);
      assert.deepEqual([refused.status, code(refused)], [422, 'CAPABILITY_UNAVAILABLE'], refused.text);
      assert.deepEqual(refused.body.error.details, [
        { path: 'plan', issue: `${name} does not include ${feature}` },
      ]);
    }
    assert.deepEqual((await planOf(app)).features, []);
    await change({ features: null });
    for (const [feature, path, body] of withoutThem)
      assert.ok((await app.post(`${app.at}/${path}`, body)).status < 300, feature);
  });

  test('that is given stands in the audit chain with its reason, and is told in the live environment', async () => {
    const app = await ownAccount();
    const { name, giveBack } = await onPlan(app, { monthlyMessages: 9 });
    await giveBack();
    const entries = await app.sql<{ payload: string }>(
      `select payload from audit_entries where account_sid = $1 and action = 'plan.changed'`,
      [app.accountSid],
    );
    assert.deepEqual(
      entries.map(({ payload }) => JSON.parse(payload).facts),
      [{ former: null, plan: name, reason: 'For a test' }],
    );
    const events = await app.get(`${app.at}/events?type=plan.changed`, bearer(app.liveKey));
    assert.deepEqual(
      events.body.data.map(({ data }: { data: { name: string } }) => data.name),
      [name],
    );
  });

  test('is shown to whoever may read the account, and to nobody of another', async () => {
    const app = await ownAccount();
    const stranger = await app.newAccount();
    assert.equal((await app.get(`${app.at}/plan`, bearer(stranger.sandboxKey))).status, 403);
    const { key } = await app.key(['messages:send']);
    assert.equal((await app.get(`${app.at}/plan`, bearer(key))).status, 403);
  });
});
