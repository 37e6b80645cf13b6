import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { bearer, type Reply, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { runJob, write } from '../../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { waitersAre } from '../../../../test/harness/locks.ts';
import { type Person, person } from '../../../../test/harness/people.ts';
import { grantToStaff, listStaff, revokeFromStaff } from '../../../main/commands/staff/staff.ts';
import { nameOperator } from '../../accounts/index.ts';
import { holdersOf } from '../../roles/index.ts';
import { deactivateUser, reactivateUser } from '../users/users.ts';
import { endStaffGrants } from './end-grants.ts';

const hour = 3_600_000;
let app: TestApp;
let operator: Awaited<ReturnType<TestApp['newAccount']>>;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
  operator = await app.newAccount();
  await app.database.system((s) => nameOperator(s, operator.accountSid));
});

const outcome = ({ status, body }: Reply) => [status, body?.error?.code];
const strange = [403, 'AUTHORIZATION_ERROR'];
const context = () => ({ database: app.database, clock: app.clock, log: app.log });

type Wanted = { account?: string; user: string; hours?: number; case?: string };
const grant = ({ account = app.accountSid, user, hours = 2, case: about = 'CASE-7' }: Wanted) =>
  grantToStaff(context(), { account, user, hours, case: about });
const revoke = (user: string, account = app.accountSid) =>
  revokeFromStaff(context(), { account, user, reason: 'done' });

/** Somebody of the operator who has signed in; with a second factor, unless told otherwise. */
async function colleague({ proven = true } = {}): Promise<Person> {
  const who = await person(app, { accountSid: operator.accountSid, roles: ['VIEWER'] });
  // Proving it for anything makes the session one of two factors, as signing in with it does.
  if (proven) await who.stepUp('API_KEY_CREATE');
  return who;
}

async function tokenOn(who: Person, action: string, accountSid = app.accountSid): Promise<string> {
  await app.sql('update mfa_credentials set last_step = null where id = $1', [who.totp!.credentialId]);
  const asked = { action, method: 'TOTP', assertion: who.totp!.code() };
  const reply = await app.post(`/v1/accounts/${accountSid}/identity/step-up`, asked, who.headers);
  assert.equal(reply.status, 201, reply.text);
  return reply.body.stepUpToken;
}

const wallets = (who: Person, accountSid = app.accountSid) =>
  app.get(`/v1/accounts/${accountSid}/billing/wallets`, who.headers);

const profile = {
  currency: 'USD',
  invoiceProvider: 'godwit',
  taxCode: 'standard',
  taxJurisdiction: 'TEST',
  taxProvider: 'table',
  reason: 'Asked for in CASE-7',
};

const setTax = async (who: Person, stepUpToken?: string) =>
  app.put(
    `${app.at}/billing/tax-profile`,
    { ...profile, stepUpToken: stepUpToken ?? (await tokenOn(who, 'TAX_PROFILE_CHANGE')) },
    who.headers,
  );

suite('staff that was let in', () => {
  test('acts on that account with its own second factor until the hours are over, and not a moment longer', async () => {
    const who = await colleague();
    assert.deepEqual(outcome(await wallets(who)), strange);
    await grant({ user: who.userSid, hours: 1 });
    assert.equal((await wallets(who)).status, 200);
    assert.deepEqual(outcome(await setTax(who, 'not a token')), [403, 'STEP_UP_REQUIRED']);
    const done = await setTax(who);
    assert.equal(done.status, 200, done.text);
    app.clock.advance(hour - 1);
    assert.equal((await wallets(who)).status, 200);
    app.clock.advance(1);
    assert.deepEqual(outcome(await wallets(who)), strange);
    assert.deepEqual(outcome(await setTax(who, 'any')), strange);
  });

  test('stands in the audit chain of the customer, with the case, and so does what it did there', async () => {
    const who = await colleague();
    await grant({ user: who.email, case: 'CASE-8 <b>' });
    await setTax(who);
    await revoke(who.userSid);
    const entries = await app.sql<{ action: string; actor: string; payload: string; livemode: boolean }>(
      `select action, actor, payload, livemode from audit_entries where account_sid = $1
         and (payload like $2 or actor like $2) order by livemode desc, sequence`,
      [app.accountSid, `%${who.userSid}%`],
    );
    assert.deepEqual(
      entries.map(({ action, actor }) => `${action} by ${actor}`),
      [
        'staff.granted by system:operator',
        'role_binding.revoked by system:operator',
        `step_up.granted by user:${who.userSid}`,
        `step_up.used by user:${who.userSid}`,
        `tax_profile.updated by user:${who.userSid}`,
      ],
    );
    assert.equal(JSON.parse(entries[0]!.payload).facts.case, 'CASE-8 <b>');
    assert.equal(
      await app.count(`audit_entries where account_sid = '${operator.accountSid}' and action like 'staff%'`),
      0,
    );
  });

  test('is seen by the customer among the roles, who can neither give nor end it', async () => {
    const who = await colleague();
    await grant({ user: who.userSid });
    const owner = await person(app);
    const listed = await app.get(`${app.at}/role-bindings?limit=100`, owner.headers);
    const seen = listed.body.data.find(
      ({ principalRef }: { principalRef: string }) => principalRef === who.userSid,
    );
    assert.deepEqual(
      [seen.role, seen.accountSid, seen.source, seen.createdBy],
      ['PLATFORM_STAFF', app.accountSid, 'staff:CASE-7', 'system:operator'],
    );
    const stepUpToken = await owner.stepUp('ROLE_BINDING_REVOKE');
    const ended = await app.delete(
      `${app.at}/role-bindings/${seen.id}`,
      { reason: 'no', stepUpToken },
      owner.headers,
    );
    assert.deepEqual(outcome(ended), strange);
    assert.equal((await wallets(who)).status, 200);
  });

  test('can do what staff can and nothing else: it makes no keys and gives no roles', async () => {
    const who = await colleague();
    await grant({ user: who.userSid });
    const asked = [
      app.post(`${app.at}/api-keys`, { name: 'x', scopes: ['contacts:read'], stepUpToken: 'x' }, who.headers),
      app.post(`${app.at}/contacts`, {}, who.headers),
      app.post(`${app.at}/messages`, {}, who.headers),
    ];
    for (const reply of await Promise.all(asked)) assert.deepEqual(outcome(reply), strange, reply.text);
  });

  test('is let into that account alone: neither its siblings, nor those below it, nor other customers', async () => {
    const who = await colleague();
    await grant({ user: who.userSid });
    const other = await app.newAccount();
    const now = app.clock.now();
    const below = `AC${'Z'.repeat(26)}`;
    await app.sql(
      `insert into accounts (sid, organization_id, parent_account_sid, name, region, created_at, updated_at)
       select $1, organization_id, sid, 'Below', 'local', $3, $3 from accounts where sid = $2`,
      [below, app.accountSid, now],
    );
    for (const accountSid of [other.accountSid, below])
      assert.deepEqual(outcome(await wallets(who, accountSid)), strange);
    await app.sql('delete from accounts where sid = $1', [below]);
  });

  test('is out at once when it is revoked, deactivated, or its organization no longer runs the platform', async () => {
    const [ended, left, moved] = [await colleague(), await colleague(), await colleague()];
    for (const { userSid } of [ended, left, moved]) await grant({ user: userSid });
    assert.equal(await revoke(ended.userSid), 1);
    assert.equal(await revoke(ended.userSid), 0);
    assert.deepEqual(outcome(await wallets(ended)), strange);
    await app.sql("update users set status = 'DEACTIVATED' where sid = $1", [left.userSid]);
    assert.deepEqual(outcome(await wallets(left)), [401, 'AUTHENTICATION_ERROR']);
    const successor = await app.newAccount();
    await app.database.system((s) => nameOperator(s, successor.accountSid));
    assert.deepEqual(outcome(await wallets(moved)), strange);
    await app.database.system((s) => nameOperator(s, operator.accountSid));
    assert.equal((await wallets(moved)).status, 200);
  });

  test('that is deactivated has lost it for good: reactivated it must be let in anew, and every customer has it in writing', async () => {
    const who = await colleague();
    const chief = await person(app, { accountSid: operator.accountSid });
    const other = await app.newAccount();
    await grant({ user: who.userSid });
    await grant({ user: who.userSid, account: other.accountSid });
    const users = `/v1/accounts/${operator.accountSid}/users/${who.userSid}`;
    const left = await app.post(`${users}/deactivate`, { reason: 'Left' }, chief.headers);
    assert.equal(left.status, 200, left.text);
    const back = await app.post(`${users}/reactivate`, undefined, chief.headers);
    assert.equal(back.status, 200, back.text);
    app.clock.advance(1_000);
    await grant({ user: who.userSid, account: other.accountSid, case: 'CASE-10' });
    const queued = await app.sql<{ payload: { payload: { userSid: string; until: string } } }>(
      `delete from graphile_worker._private_jobs j using graphile_worker._private_tasks k
        where k.id = j.task_id and k.identifier = $1 returning j.payload`,
      [endStaffGrants.name],
    );
    const mine = queued.filter(({ payload }) => payload.payload.userSid === who.userSid);
    assert.equal(mine.length, 1);
    // However late it runs, and twice: what was given since stays.
    for (let i = 0; i < 2; i += 1)
      await runJob({ app, accountSid: operator.accountSid }, endStaffGrants, mine[0]!.payload.payload);
    // At home the role is given anew, so that the second factor can be proven there.
    await app.sql(
      `update role_bindings set revoked_at = null, revoked_by = null, revoke_reason = null
        where principal_ref = $1 and role = 'VIEWER'`,
      [who.userSid],
    );
    const { headers } = await who.signInAgain();
    await who.stepUp('API_KEY_CREATE', headers);
    const again = { ...who, headers };
    assert.deepEqual(outcome(await wallets(again)), strange);
    assert.equal((await wallets(again, other.accountSid)).status, 200);
    const ended = await app.sql<{ accountSid: string; actor: string; payload: string }>(
      `select account_sid as "accountSid", actor, payload from audit_entries
        where action = 'role_binding.revoked' and payload like $1 order by account_sid`,
      [`%${who.userSid}%`],
    );
    assert.deepEqual(
      ended
        .filter(({ accountSid }) => accountSid !== operator.accountSid)
        .map(({ accountSid, actor, payload }) => [accountSid, actor, JSON.parse(payload).facts.reason]),
      [app.accountSid, other.accountSid]
        .sort()
        .map((sid) => [sid, 'system:job:identity.end-staff-grants', 'deactivated']),
    );
  });

  const inForce = async ({ userSid }: Person) =>
    (await listStaff(context())).filter((grant) => grant.userSid === userSid);
  /** Does what deactivating and reactivating a person has queued. */
  async function endGrants({ userSid }: Person): Promise<void> {
    const queued = await app.sql<{ payload: { payload: { userSid: string; until: string } } }>(
      `delete from graphile_worker._private_jobs j using graphile_worker._private_tasks k
        where k.id = j.task_id and k.identifier = $1 and j.payload -> 'payload' ->> 'userSid' = $2 returning j.payload`,
      [endStaffGrants.name, userSid],
    );
    assert.equal(queued.length, 1);
    await runJob({ app, accountSid: operator.accountSid }, endStaffGrants, queued[0]!.payload.payload);
  }
  const asOperatorsOwn = <T>(work: Parameters<typeof write<T>>[1]) =>
    write({ app, accountSid: operator.accountSid }, work);

  test('while they are being deactivated is let in before that and loses it, or not at all: 20 at once each', async () => {
    for (let i = 0; i < 20; i += 1) {
      const who = await colleague();
      // Its time is that of this moment, and the grant's is later.
      const deactivate = () => asOperatorsOwn((t) => deactivateUser(t, who.userSid, 'Left'));
      const letIn = () => {
        app.clock.advance(1);
        return grant({ user: who.userSid });
      };
      const acts = i % 2 === 0 ? [deactivate, letIn] : [letIn, deactivate];
      const ended = await Promise.allSettled(acts.map((act) => act()));
      for (const one of ended)
        if (one.status === 'rejected') assert.match(String(one.reason), /is not an active person/);
      await endGrants(who);
      assert.deepEqual(await inForce(who), []);
    }
  });

  test('after the moment their deactivation began, which commits later, loses it all the same', async () => {
    for (const back of [false, true]) {
      const who = await colleague();
      await asOperatorsOwn(async (t) => {
        app.clock.advance(1_000);
        await grant({ user: who.userSid });
        await deactivateUser(t, who.userSid, 'Left');
      });
      app.clock.advance(1_000);
      if (back) await asOperatorsOwn((t) => reactivateUser(t, who.userSid));
      assert.equal((await inForce(who)).length, 1);
      await endGrants(who);
      assert.deepEqual(await inForce(who), []);
    }
  });

  test('and is held by a deactivation that has begun is not let in', async () => {
    const who = await colleague();
    let late: Promise<unknown> = Promise.resolve();
    await asOperatorsOwn(async (t) => {
      await deactivateUser(t, who.userSid, 'Left');
      late = grant({ user: who.userSid });
      late.catch(() => {});
      await waitersAre(app, 1);
    });
    await assert.rejects(late, /is not an active person/);
    assert.deepEqual(await inForce(who), []);
  });

  test('is revoked by SID or address also when they are deactivated', async () => {
    for (const by of ['userSid', 'email'] as const) {
      const who = await colleague();
      await grant({ user: who.userSid });
      await app.sql("update users set status = 'DEACTIVATED' where sid = $1", [who.userSid]);
      assert.equal(await revoke(who[by]), 1);
      assert.deepEqual(await inForce(who), []);
    }
    await assert.rejects(revoke('nobody@example.com'), /There is nobody called nobody@example\.com/);
  });

  test('without a second factor in its session is a stranger', async () => {
    const who = await colleague({ proven: false });
    await grant({ user: who.userSid });
    assert.deepEqual(outcome(await wallets(who)), strange);
    await who.stepUp('API_KEY_CREATE');
    assert.equal((await wallets(who)).status, 200);
  });

  test('lends its second factor to no key of the customer', async () => {
    const who = await colleague();
    await grant({ user: who.userSid });
    const stepUpToken = await tokenOn(who, 'TAX_PROFILE_CHANGE');
    const { key } = await app.key(['billing:write', 'platform:staff']);
    const reply = await app.put(`${app.at}/billing/tax-profile`, { ...profile, stepUpToken }, bearer(key));
    assert.deepEqual(outcome(reply), [403, 'STEP_UP_REQUIRED']);
    assert.equal((await setTax(who, stepUpToken)).status, 200);
  });

  test('loses the token with the factor it came from', async () => {
    const who = await colleague();
    await grant({ user: who.userSid });
    const token = await tokenOn(who, 'TAX_PROFILE_CHANGE');
    await app.sql('update mfa_credentials set disabled_at = $2 where id = $1', [
      who.totp!.credentialId,
      app.clock.now(),
    ]);
    assert.deepEqual(outcome(await setTax(who, token)), [403, 'STEP_UP_REQUIRED']);
  });

  test('can ask there what it may prove itself with, passkeys included', async () => {
    const who = await colleague();
    await app.sql(
      `insert into mfa_credentials (id, organization_id, user_sid, method, provider_key, webauthn_id,
         webauthn_public_key, webauthn_counter, created_at)
       values (gen_random_uuid(), $1, $2, 'WEBAUTHN', 'passkey', $3, 'key', 0, $4)`,
      [who.organizationId, who.userSid, `id-${who.userSid}`, app.clock.now()],
    );
    await grant({ user: who.userSid });
    const reply = await app.post(
      `${app.at}/identity/mfa/verification-options`,
      { action: 'TAX_PROFILE_CHANGE' },
      who.headers,
    );
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.body.factors.length, 2);
    assert.equal(typeof reply.body.challenge, 'string');
  });
});

suite('nobody is let in', () => {
  test('who is not an active person of the operator, or for longer than 8 hours, or into the operator’s own account', async () => {
    const stranger = await person(app);
    const who = await colleague();
    const left = await colleague();
    await app.sql("update users set status = 'DEACTIVATED' where sid = $1", [left.userSid]);
    for (const user of [stranger.userSid, stranger.email, left.userSid, 'US', 'nobody@example.com'])
      await assert.rejects(grant({ user }), /is not an active person of the operator/);
    for (const hours of [0, -1, 9, Number.NaN])
      await assert.rejects(grant({ user: who.userSid, hours }), /at most 8 hours/);
    await assert.rejects(
      grant({ user: who.userSid, account: operator.accountSid }),
      /of the operator itself/,
    );
    assert.deepEqual(outcome(await wallets(who)), strange);
  });

  test('and the list shows who is in, and no longer who was', async () => {
    const who = await colleague();
    await grant({ user: who.userSid, hours: 3, case: 'CASE-9' });
    const mine = async () =>
      (await listStaff(context(), app.accountSid)).filter(({ userSid }) => userSid === who.userSid);
    const [only] = await mine();
    assert.deepEqual([only!.accountSid, only!.case], [app.accountSid, 'CASE-9']);
    app.clock.advance(3 * hour);
    assert.deepEqual(await mine(), []);
  });
});

test('what happens to a customer is told to the customer, that staff came in included, and never to staff', async () => {
  const who = await colleague();
  const owner = await person(app, { livemode: true });
  await grant({ user: who.userSid });
  const told = await write({ app }, (t) => holdersOf(t, 'billing:read'));
  assert.ok(told.includes(owner.userSid));
  assert.ok(!told.includes(who.userSid));
  const { body } = await app.get(`${app.at}/notifications?limit=100`, owner.headers);
  const news = body.data.filter(({ type }: { type: string }) => type === 'staff.granted');
  assert.ok(
    news.some((item: object) => JSON.stringify(item).includes(who.userSid)),
    JSON.stringify(body.data),
  );
});
