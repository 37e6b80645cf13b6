// What a run of a workflow may do: what the scopes it was published with let it, and never what takes a person.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { operations } from '../src/main/modules.ts';
import { approveInSandbox, queueApproval } from '../src/modules/approvals/index.ts';
import { audit } from '../src/modules/audit/index.ts';
import { demandOrganizationReach } from '../src/modules/identity/organization-reach.ts';
import { stepUpGate } from '../src/modules/identity/step-up/step-up-tokens.ts';
import { holdsOnAccount } from '../src/modules/inboxes/index.ts';
import { admitEach, judgeMessage } from '../src/modules/messages/index.ts';
import { refuseMoreThanHeld } from '../src/modules/roles/held-scopes.ts';
import type { TenantTx } from '../src/platform/db/database.ts';
import { sql } from '../src/platform/db/query.ts';
import { ApiError } from '../src/platform/errors/errors.ts';
import { refuseStrangers, scopesOf } from '../src/platform/http/operations/access.ts';
import { demandStepUp } from '../src/platform/http/operations/step-up.ts';
import { newSid } from '../src/platform/ids.ts';
import { silentLog } from '../src/platform/observability/logging.ts';
import { type Principal, workflowPrincipal } from '../src/platform/principal.ts';
import { bearer, startTestApp, type TestApp } from './harness/app.ts';
import { sharedLifetime } from './harness/lifetime.ts';
import { person } from './harness/people.ts';

let app: TestApp;
let runSid: string;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
  runSid = newSid('WR', app.clock.now());
});

const run = (...scopes: string[]): Principal =>
  workflowPrincipal(runSid, { accountSid: app.accountSid, livemode: false }, new Set(scopes));
const as = <T>(principal: Principal, work: (t: TenantTx) => Promise<T>) =>
  app.database.write(
    { accountSid: app.accountSid, livemode: false },
    { principal, now: app.clock.now(), requestId: 'req_test', log: silentLog },
    work,
  );
const refusal = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code;

suite('a run of a workflow', () => {
  test('enters exactly the operations its scopes open, on its own account only', () => {
    const principal = run('messages:send', 'contacts:write');
    const enters = (operation: (typeof operations)[number], accountSid: string) => {
      try {
        refuseStrangers(operation, principal, accountSid);
        return true;
      } catch {
        return false;
      }
    };
    const held = principal.scopesOn(app.accountSid)!;
    for (const operation of operations.filter((one) => scopesOf(one).length > 0)) {
      const expected =
        scopesOf(operation).some((scope) => held.has(scope)) &&
        (operation.alsoNeeds === undefined || held.has(operation.alsoNeeds));
      assert.equal(enters(operation, app.accountSid), expected, operation.id);
      assert.equal(enters(operation, 'AC01K3SAMP1E0000000000000000'), false, operation.id);
    }
  });

  test('reaches inboxes and conversations by its scopes, and nothing without them', () => {
    const asking = { accountSid: app.accountSid, livemode: false };
    assert.equal(holdsOnAccount({ ...asking, principal: run('inboxes:write') }, 'inboxes:write'), true);
    assert.equal(holdsOnAccount({ ...asking, principal: run() }, 'inboxes:write'), false);
  });

  test('sees the rows of its own account and of no other', async () => {
    const other = await app.newAccount();
    const body = { identifiers: [{ identifierType: 'phone_e164', value: '+33612345670' }] };
    for (const { accountSid, sandboxKey } of [app, other]) {
      const made = await app.post(`/v1/accounts/${accountSid}/contacts`, body, bearer(sandboxKey));
      assert.equal(made.status, 201, made.text);
    }
    const seen = await as(run('contacts:read'), (t) =>
      t.many<{ accountSid: string }>(sql`select distinct account_sid as "accountSid" from contacts`),
    );
    assert.deepEqual(seen, [{ accountSid: app.accountSid }]);
  });

  test('passes no step-up, whatever token it shows and whoever is asked for one', async () => {
    const owner = await person(app);
    const stepUpToken = await owner.stepUp('API_KEY_CREATE');
    for (const from of ['people', 'everyone'] as const) {
      const operation = { stepUp: { action: 'API_KEY_CREATE', from } } as never;
      const serving = { stepUp: stepUpGate } as never;
      const demand = (principal: Principal) =>
        as(principal, (t) => demandStepUp(operation, serving, t, { body: { stepUpToken } } as never));
      await assert.rejects(demand(run('api_keys:write')), refusal('STEP_UP_REQUIRED'), from);
    }
    const unspent = await app.count(`step_up_tokens where user_sid = '${owner.userSid}' and used_at is null`);
    assert.equal(unspent, 1);
  });

  test('asks for no approval and gives none', async () => {
    const asked = { action: 'test', summary: 'Test.', request: {} };
    const nothing = async () => ({});
    await assert.rejects(
      as(run('approvals:write'), (t) => queueApproval(t, asked)),
      refusal('AUTHORIZATION_ERROR'),
    );
    await assert.rejects(
      as(run('approvals:write'), (t) => approveInSandbox(t, asked, nothing)),
      refusal('AUTHORIZATION_ERROR'),
    );
  });

  test('reaches no organization and hands out no role', async () => {
    const principal = run('users:write', 'organization:own');
    await assert.rejects(
      as(principal, (t) => demandOrganizationReach(t, 'users:write')),
      refusal('AUTHORIZATION_ERROR'),
    );
    const grant = {
      role: 'VIEWER',
      accountSid: app.accountSid,
      inboxSid: null,
      scopeKind: 'ACCOUNT',
      environment: 'sandbox',
    } as const;
    await assert.rejects(
      as(principal, (t) => refuseMoreThanHeld(t, grant)),
      refusal('AUTHORIZATION_ERROR'),
    );
  });

  test('is named in the audit log', async () => {
    await as(run(), async (t) => audit(t, { action: 'test.done', resource: 'X1' }));
    const reply = await app.get(`${app.at}/audit-events?action=test.done`);
    assert.deepEqual(
      reply.body.data.map(({ actor }: { actor: string }) => actor),
      [`workflow:${runSid}`],
    );
  });
});

suite('messages of a workflow', () => {
  test('carry the run wherever they are told, and those of others carry none', async () => {
    const senderSid = (await app.get(`${app.at}/senders`)).body.data[0].sid;
    const hello = (to: string) => ({
      from: senderSid,
      to,
      type: 'template',
      template: { name: 'hello_world', language: 'en' },
    });
    const [end] = await as(run('messages:send'), (t) =>
      admitEach(t, [{ body: judgeMessage(hello('+33612345671')), author: run('messages:send') }]),
    );
    assert.ok(!(end instanceof ApiError));
    const { sid } = end!;
    assert.equal(end!.workflowRunSid, runSid);
    assert.equal((await app.get(`${app.at}/messages/${sid}`)).body.workflowRunSid, runSid);
    const listed = (await app.get(`${app.at}/messages?limit=1`)).body.data[0];
    assert.deepEqual([listed.sid, listed.workflowRunSid], [sid, runSid]);
    assert.equal((await app.post(`${app.at}/messages/${sid}/cancel`)).status, 200);
    const events = await app.sql<{ type: string; run: string }>(
      `select type, data ->> 'workflowRunSid' as run from events where resource_sid = $1 order by sequence`,
      [sid],
    );
    assert.deepEqual(events, [
      { type: 'message.queued', run: runSid },
      { type: 'message.canceled', run: runSid },
    ]);
    const ofKey = await app.post(`${app.at}/messages`, hello('+33612345672'));
    assert.deepEqual([ofKey.status, ofKey.body.workflowRunSid], [201, null], ofKey.text);
  });

  test('each have their own end: one without the scope, one that is malformed, one that is stored', async () => {
    const senderSid = (await app.get(`${app.at}/senders`)).body.data[0].sid;
    const body = {
      from: senderSid,
      to: '+33612345673',
      type: 'template',
      template: { name: 'hello_world', language: 'en' },
    };
    const ends = await as(run(), (t) =>
      admitEach(t, [
        { body: judgeMessage(body), author: run('contacts:write') },
        { body: judgeMessage({ ...body, tags: 'none' }), author: run('messages:send') },
        { body: judgeMessage(body), author: run('messages:send') },
      ]),
    );
    assert.deepEqual(
      ends.map((end) => (end instanceof ApiError ? end.code : end.status)),
      ['AUTHORIZATION_ERROR', 'VALIDATION_ERROR', 'queued'],
    );
  });
});
