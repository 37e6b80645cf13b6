import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { bearer, type Reply, startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { runJob } from '../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { person } from '../../../test/harness/people.ts';
import { onPlan } from '../../../test/harness/plans.ts';
import { resume, suspend } from '../../main/commands/accounts/accounts.ts';
import { wabaHooks } from '../../main/hooks.ts';
import { newPhone } from '../contacts/fixtures.ts';
import { openSubaccountWith } from './jobs.ts';

const lifetime = sharedLifetime();
let app: TestApp;
before(async () => {
  app = await startTestApp(lifetime);
});

const openSubaccount = openSubaccountWith(wabaHooks);
const outcome = ({ status, body }: Reply) => [status, body?.error?.code ?? null];
const stranger = [403, 'AUTHORIZATION_ERROR'];
const scopes = ['accounts:read', 'accounts:write', 'messages:send', 'messages:read', 'webhooks:read'];

type Place = { accountSid: string; at: string; key: object };

async function place(accountSid: string, key: string): Promise<Place> {
  return { accountSid, at: `/v1/accounts/${accountSid}`, key: bearer(key) };
}

async function newParent(): Promise<Place> {
  const { accountSid, sandboxKey } = await app.newAccount();
  return place(accountSid, sandboxKey);
}

const create = ({ at, key }: Place, name = 'Lyon') => app.post(`${at}/subaccounts`, { name }, key);

/** A subaccount that a worker has opened, with a key of its own. */
async function newSubaccount(parent: Place): Promise<Place> {
  const { status, body, text } = await create(parent);
  assert.equal(status, 201, text);
  // However often it runs.
  for (let i = 0; i < 2; i += 1)
    await runJob({ app, accountSid: parent.accountSid }, openSubaccount, { subaccountSid: body.sid });
  return place(body.sid, (await app.key(scopes, { accountSid: body.sid })).key);
}

const hello = () => ({ to: newPhone(), type: 'template', template: { name: 'hello_world', language: 'en' } });
const send = ({ at, key }: Place) => app.post(`${at}/messages`, hello(), key);

suite('a subaccount', () => {
  test('is made below its account, is listed there, and has wallets and a sandbox of its own', async () => {
    const parent = await newParent();
    const made = await create(parent, '  Lyon  ');
    assert.deepEqual([made.status, made.headers.get('location')], [201, `/v1/accounts/${made.body.sid}`]);
    assert.deepEqual(
      [made.body.name, made.body.parentAccountSid, made.body.status],
      ['Lyon', parent.accountSid, 'active'],
    );
    const child = await newSubaccount(parent);
    const listed = await app.get(`${parent.at}/subaccounts?limit=1`, parent.key);
    assert.deepEqual(
      [listed.body.data.map(({ sid }: { sid: string }) => sid), listed.body.hasMore],
      [[child.accountSid], true],
    );
    assert.equal(await app.count(`wallets where account_sid = '${child.accountSid}'`), 2);
    const sent = await send(child);
    assert.deepEqual([sent.status, sent.body.accountSid], [201, child.accountSid], sent.text);
    assert.equal((await app.get(`${parent.at}/messages`, parent.key)).body.data.length, 0);
    const told = await app.get(`${parent.at}/events?type=subaccount.created`, parent.key);
    assert.equal(told.body.data.length, 2);
  });

  test('is reached by no key of the account above or beside it, and reaches neither', async () => {
    const parent = await newParent();
    const [child, sibling] = [await newSubaccount(parent), await newSubaccount(parent)];
    for (const [from, to] of [
      [parent, child],
      [child, parent],
      [sibling, child],
    ] as const)
      assert.deepEqual(outcome(await app.get(to.at, from.key)), stranger);
  });

  test('has none below it, and is refused without a name or where the plan leaves them out', async () => {
    const parent = await newParent();
    const child = await newSubaccount(parent);
    assert.deepEqual(outcome(await create(child)), [409, 'CONFLICT']);
    assert.deepEqual(outcome(await create(parent, '   ')), [400, 'VALIDATION_ERROR']);
    assert.deepEqual(outcome(await create(parent, 'x'.repeat(201))), [400, 'VALIDATION_ERROR']);
    await onPlan({ ...app, accountSid: parent.accountSid }, { features: ['workflows'] });
    assert.deepEqual(outcome(await create(parent)), [422, 'CAPABILITY_UNAVAILABLE']);
    assert.equal(await app.count(`accounts where parent_account_sid = '${parent.accountSid}'`), 1);
  });

  test('is named by its events, those of the account above are of none', async () => {
    const parent = await newParent();
    const child = await newSubaccount(parent);
    for (const one of [parent, child]) assert.equal((await send(one)).status, 201);
    const ofEvents = async ({ at, key }: Place) => {
      const { body } = await app.get(`${at}/events?type=message.queued`, key);
      return body.data.map((event: { accountSid: string; subaccountSid: string | null }) => [
        event.accountSid,
        event.subaccountSid,
      ]);
    };
    assert.deepEqual(await ofEvents(parent), [[parent.accountSid, null]]);
    assert.deepEqual(await ofEvents(child), [[child.accountSid, child.accountSid]]);
  });

  test('is reached by roles on the account above it; a role of scopeKind SUBACCOUNT reaches exactly its own', async () => {
    const parent = await newParent();
    const [child, sibling] = [await newSubaccount(parent), await newSubaccount(parent)];
    const chief = await person(app, { accountSid: parent.accountSid, scopeKind: 'ACCOUNT' });
    const mate = await person(app, { accountSid: child.accountSid, roles: [] });
    const stepUpToken = await chief.stepUp('ROLE_BINDING_CREATE');
    const bound = await app.post(
      `${parent.at}/role-bindings`,
      {
        principalType: 'USER',
        principalRef: mate.userSid,
        role: 'VIEWER',
        scopeKind: 'SUBACCOUNT',
        stepUpToken,
      },
      chief.headers,
    );
    assert.deepEqual(outcome(bound), [400, 'VALIDATION_ERROR'], 'the account above is none');
    await app.sql(
      `insert into role_bindings (id, organization_id, account_sid, principal_type, principal_ref, role, scope_kind,
         environment, source, created_by, created_at)
       select gen_random_uuid(), organization_id, sid, 'USER', $2, 'VIEWER', 'SUBACCOUNT', 'both', 'MANUAL', 'test', $3
         from accounts where sid = $1`,
      [child.accountSid, mate.userSid, app.clock.now()],
    );
    const statuses = async (headers: object) =>
      Promise.all([parent, child, sibling].map(async ({ at }) => (await app.get(at, headers)).status));
    assert.deepEqual(await statuses(chief.headers), [200, 200, 200]);
    assert.deepEqual(await statuses(mate.headers), [403, 200, 403]);
  });
});

suite('the plan of the account above', () => {
  test('is that of its subaccounts, is counted together, and is never exceeded, however many send at once', async () => {
    const parent = await newParent();
    const places = [parent, await newSubaccount(parent), await newSubaccount(parent)];
    const { change } = await onPlan({ ...app, accountSid: parent.accountSid }, { monthlyMessages: 17 });
    const replies = await Promise.all(places.flatMap((one) => Array.from({ length: 10 }, () => send(one))));
    const accepted = replies.filter(({ status }) => status === 201).length;
    assert.equal(accepted, 17);
    assert.ok(
      replies.every(
        ({ status, body }) => status === 201 || body.error.code === 'PLAN_MESSAGE_QUOTA_EXCEEDED',
      ),
    );
    for (const { at, key } of places) {
      const { use } = (await app.get(`${at}/plan`, key)).body;
      assert.deepEqual([use.messages, use.messagesLeft], [17, 0]);
    }
    await change({ monthlyMessages: 18 });
    assert.deepEqual([(await send(places[1]!)).status, (await send(places[2]!)).status], [201, 422]);
    assert.equal(await app.count(`plan_uses where account_sid = '${places[1]!.accountSid}'`), 0);
  });

  test('follows to subaccounts when it is given or taken, and not to one that has its own', async () => {
    const parent = await newParent();
    const [child, own] = [await newSubaccount(parent), await newSubaccount(parent)];
    const planOf = async ({ at, key }: Place) => (await app.get(`${at}/plan`, key)).body.name;
    const given = await onPlan({ ...app, accountSid: parent.accountSid }, { monthlyMessages: 1 });
    const ofOwn = await onPlan({ ...app, accountSid: own.accountSid }, { monthlyMessages: 5 });
    assert.deepEqual([await planOf(child), await planOf(own)], [given.name, ofOwn.name]);
    assert.deepEqual(
      [(await send(parent)).status, (await send(child)).status, (await send(own)).status],
      [201, 422, 201],
    );
    await given.takeAway();
    assert.deepEqual([await planOf(child), await planOf(own)], [null, ofOwn.name]);
    assert.equal((await send(child)).status, 201);
  });
});

suite('the suspension of the account above', () => {
  test('is that of its subaccounts, and leaves a suspension of their own in force', async () => {
    const context = { database: app.database, clock: app.clock, log: app.log };
    const parent = await newParent();
    const [child, other] = [await newSubaccount(parent), await newSubaccount(parent)];
    const reason = 'Complaints';
    const statuses = async () => Promise.all([child, other].map(async (one) => (await send(one)).status));
    await suspend(context, { account: parent.accountSid, reason });
    assert.deepEqual(await statuses(), [403, 403]);
    await suspend(context, { account: other.accountSid, reason });
    await resume(context, { account: parent.accountSid, reason });
    assert.deepEqual(await statuses(), [201, 403]);
    await suspend(context, { account: parent.accountSid, reason });
    const still = await resume(context, { account: other.accountSid, reason });
    assert.equal(still.status, 'suspended');
    assert.deepEqual(await statuses(), [403, 403]);
    await resume(context, { account: parent.accountSid, reason });
    assert.deepEqual(await statuses(), [201, 201]);
  });
});
