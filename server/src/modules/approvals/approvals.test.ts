import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { bearer, type Reply, type TestApp } from '../../../test/harness/app.ts';
import { waitersAre } from '../../../test/harness/locks.ts';
import { ownAccounts } from '../../../test/harness/own-account.ts';
import { type Person, person } from '../../../test/harness/people.ts';
import type { TenantTx } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { defineApprovable } from '../../platform/http/operations/approvable.ts';
import { newSid } from '../../platform/ids.ts';
import { silentLog } from '../../platform/observability/logging.ts';
import { type Principal, systemPrincipal } from '../../platform/principal.ts';
import { verifyAudit } from '../audit/index.ts';
import { expireApprovals } from './crons.ts';
import { approve } from './decisions.ts';
import { fixtures } from './fixtures.ts';
import { approveInSandbox } from './sandbox.ts';

const day = 24 * 60 * 60 * 1000;

const ownAccount = ownAccounts();

/** Two owners and somebody who is to become the third. */
async function start() {
  const app = await ownAccount();
  const [asking, other, candidate] = [await person(app), await person(app), await person(app, { roles: [] })];
  return { app, asking, other, candidate };
}

async function askFor(app: TestApp, by: Person, candidate: Person, headers: object = {}): Promise<Reply> {
  const stepUpToken = await by.stepUp('ROLE_BINDING_CREATE');
  const body = {
    principalType: 'USER',
    principalRef: candidate.userSid,
    role: 'OWNER',
    scopeKind: 'ORGANIZATION',
    stepUpToken,
  };
  return app.post(`${app.at}/role-bindings`, body, { ...by.headers, ...headers });
}

async function asked(app: TestApp, by: Person, candidate: Person, headers?: object): Promise<string> {
  const reply = await askFor(app, by, candidate, headers);
  assert.deepEqual([reply.status, reply.body.error.code], [403, 'APPROVAL_REQUIRED'], reply.text);
  const [detail] = reply.body.error.details;
  assert.equal(detail.path, 'approvalSid');
  return detail.issue;
}

const decide = (app: TestApp, by: Person, sid: string, how: 'approve' | 'reject' = 'approve') =>
  app.post(`${app.at}/approvals/${sid}/${how}`, how === 'reject' ? { reason: 'No' } : {}, by.headers);

const read = async (app: TestApp, sid: string) => (await app.get(`${app.at}/approvals/${sid}`)).body;

async function ownerBindings(app: TestApp, { userSid }: Person): Promise<number> {
  const bindings = await app.sql(
    "select from role_bindings where role = 'OWNER' and principal_ref = $1 and revoked_at is null",
    [userSid],
  );
  return bindings.length;
}

/** An action of the test's own that waits, and a way to decide it inside transactions of the test's own. */
async function waitingAction(app: TestApp) {
  const runs: unknown[] = [];
  const approvable = defineApprovable<object>({
    action: 'TEST',
    scope: 'test:run',
    async run(_t, request) {
      runs.push(request);
      return null;
    },
  });
  const principal: Principal = {
    ...systemPrincipal('test', false),
    kind: 'user',
    ref: newSid('US', app.clock.now()),
    scopesOn: () => new Set(['test:run']),
  };
  const sid = await fixtures.approvalSid!({
    app,
    owner: { accountSid: app.accountSid, livemode: false, key: app.sandboxKey },
  });
  return {
    sid,
    runs,
    hooks: { approvables: () => [approvable], makersOf: async () => [] },
    inTransaction: <T>(work: (t: TenantTx) => Promise<T>) =>
      app.database.write(
        { accountSid: app.accountSid, livemode: false },
        { principal, now: app.clock.now(), requestId: 'test', log: silentLog },
        work,
      ),
  };
}

const refused = ({ status, body }: Reply, path?: string) => {
  assert.deepEqual([status, body.error.code], [403, 'AUTHORIZATION_ERROR']);
  if (path) assert.equal(body.error.details[0].path, path);
};

suite('asking', () => {
  test('keeps the request, names its approval, and the same key answers the same approval', async () => {
    const { app, asking, candidate } = await start();
    const headers = { 'idempotency-key': 'third-owner' };
    const stepUpToken = await asking.stepUp('ROLE_BINDING_CREATE');
    const body = {
      principalType: 'USER',
      principalRef: candidate.userSid,
      role: 'OWNER',
      scopeKind: 'ORGANIZATION',
      stepUpToken,
    };
    const send = () => app.post(`${app.at}/role-bindings`, body, { ...asking.headers, ...headers });
    const first = await send();
    const again = await send();
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.deepEqual(again.body.error.details, first.body.error.details);
    assert.equal(await app.count('approvals'), 1);
    assert.equal(await ownerBindings(app, candidate), 0);
    const approval = await read(app, first.body.error.details[0].issue);
    assert.equal(approval.state, 'PENDING');
    assert.equal(approval.requestedBy, `user:${asking.userSid}`);
    assert.equal(approval.action, 'ROLE_BINDING_OWNER');
    assert.match(approval.summary, new RegExp(candidate.userSid));
    assert.equal(new Date(approval.expiresAt).getTime(), app.clock.now().getTime() + 7 * day);
    assert.deepEqual(await app.emitted(), ['approval.requested']);
  });

  test('stores what will run sealed, and without the step-up token', async () => {
    const { app, asking, candidate } = await start();
    await asked(app, asking, candidate);
    const [row] = await app.sql<{ request: Buffer; sid: string }>(
      'select request, sid from approvals where account_sid = $1',
      [app.accountSid],
    );
    assert.ok(!row!.request.includes(candidate.userSid));
    const opened = app.sealer.open(row!.request, `approval:${app.accountSid}:${row!.sid}`).toString('utf8');
    assert.ok(opened.includes(candidate.userSid) && !opened.includes('stepUpToken'));
  });
});

suite('approving', () => {
  test('runs the action under the approver’s name, keeps its result, and says so', async () => {
    const { app, asking, other, candidate } = await start();
    const sid = await asked(app, asking, candidate);
    const reply = await decide(app, other, sid);
    assert.equal(reply.status, 200, reply.text);
    const { state, decidedBy, result } = reply.body;
    assert.deepEqual([state, decidedBy], ['APPROVED', `user:${other.userSid}`]);
    assert.deepEqual(
      [result.object, result.role, result.createdBy],
      ['role_binding', 'OWNER', `user:${asking.userSid}`],
    );
    assert.equal(await ownerBindings(app, candidate), 1);
    assert.deepEqual(await app.emitted(), [
      'approval.requested',
      'role_binding.created',
      'approval.approved',
    ]);
    const acts = await app.sql<{ action: string; actor: string }>(
      `select action, actor from audit_entries
       where account_sid = $1 and (action like 'approval%' or action like 'role%') order by sequence`,
      [app.accountSid],
    );
    assert.deepEqual(acts, [
      { action: 'approval.requested', actor: `user:${asking.userSid}` },
      { action: 'role_binding.created', actor: `user:${other.userSid}` },
      { action: 'approval.approved', actor: `user:${other.userSid}` },
    ]);
    for await (const { broken } of verifyAudit(app.database, app.accountSid)) assert.equal(broken, null);
  });

  test('by fifty at once runs the action once', async () => {
    const { app, asking, other, candidate } = await start();
    const sid = await asked(app, asking, candidate);
    const replies = await Promise.all(Array.from({ length: 50 }, () => decide(app, other, sid)));
    const statuses = replies.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [200, ...Array(49).fill(409)]);
    assert.equal(await ownerBindings(app, candidate), 1);
    assert.equal(await app.count("audit_entries where action = 'approval.approved'"), 1);
  });

  test('while another approval is about to commit waits for it, and does not run the action again', async () => {
    const app = await ownAccount();
    const { sid, runs, hooks, inTransaction } = await waitingAction(app);
    const paused = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const first = inTransaction(async (t) => {
      await approve(hooks, t, sid);
      paused.resolve();
      await go.promise;
    });
    await paused.promise;
    const second = inTransaction((t) => approve(hooks, t, sid));
    await Promise.race([second.catch(() => {}), waitersAre(app, 1)]);
    go.resolve();
    await first;
    await assert.rejects(second, (error) => error instanceof ApiError && error.code === 'CONFLICT');
    assert.equal(runs.length, 1);
  });

  test('and rejecting at once end in one of the two', async () => {
    const { app, asking, other, candidate } = await start();
    const sid = await asked(app, asking, candidate);
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, i) => decide(app, other, sid, i % 2 ? 'approve' : 'reject')),
    );
    assert.equal(replies.filter(({ status }) => status === 200).length, 1);
    const { state } = await read(app, sid);
    assert.equal(await ownerBindings(app, candidate), state === 'APPROVED' ? 1 : 0);
  });

  test('is refused to whoever asked', async () => {
    const { app, asking, candidate } = await start();
    const sid = await asked(app, asking, candidate);
    refused(await decide(app, asking, sid), 'approvalSid');
    assert.equal((await read(app, sid)).state, 'PENDING');
  });

  test('is refused to whoever made the key that asked, and to whoever lent it their second factor', async () => {
    const { app, asking, other, candidate } = await start();
    const maker = await person(app);
    const scopes = ['roles:write', 'api:access'];
    const stepUpToken = await maker.stepUp('API_KEY_CREATE');
    const { body: key } = await app.post(
      `${app.at}/api-keys`,
      { name: 'k', scopes, stepUpToken },
      maker.headers,
    );
    // The key has become an organization-wide owner's equal by a binding of its own, made by the operator.
    await app.sql(
      `insert into role_bindings (id, organization_id, principal_type, principal_ref, role, scope_kind, environment,
         created_by, created_at) values (gen_random_uuid(), $1, 'API_KEY', $2, 'OWNER', 'ORGANIZATION', 'both', 'x', $3)`,
      [maker.organizationId, key.id, app.clock.now()],
    );
    const sid = await asked(app, asking, candidate, { cookie: undefined, ...bearer(key.key) });
    assert.equal((await read(app, sid)).requestedBy, `api_key:${key.id}`);
    refused(await decide(app, maker, sid), 'approvalSid');
    refused(await decide(app, asking, sid), 'approvalSid');
    assert.equal((await decide(app, other, sid)).status, 200);
  });

  test('is refused to a key, and to who lacks the scope of the action itself', async () => {
    const { app, asking, candidate } = await start();
    const sid = await asked(app, asking, candidate);
    refused(await app.post(`${app.at}/approvals/${sid}/approve`, {}), 'principal');
    for (const role of ['ADMIN', 'BILLING_MANAGER']) {
      const weaker = await person(app, { roles: [role] });
      refused(await decide(app, weaker, sid), 'scope');
      refused(await decide(app, weaker, sid, 'reject'), 'scope');
    }
    const viewer = await person(app, { roles: ['VIEWER'] });
    refused(await decide(app, viewer, sid), 'scope');
  });

  test('tells why the action fails now, and leaves it pending for another try', async () => {
    const { app, asking, other, candidate } = await start();
    const sid = await asked(app, asking, candidate);
    await app.sql("update users set status = 'DEACTIVATED' where sid = $1", [candidate.userSid]);
    const failed = await decide(app, other, sid);
    assert.deepEqual([failed.status, failed.body.error.code], [409, 'CONFLICT']);
    assert.equal((await read(app, sid)).state, 'PENDING');
    await app.sql("update users set status = 'ACTIVE' where sid = $1", [candidate.userSid]);
    assert.equal((await decide(app, other, sid)).status, 200);
  });

  test('twice with one key answers the first answer; with another it is a conflict', async () => {
    const { app, asking, other, candidate } = await start();
    const sid = await asked(app, asking, candidate);
    const headers = { ...other.headers, 'idempotency-key': 'yes' };
    const send = () => app.post(`${app.at}/approvals/${sid}/approve`, {}, headers);
    const first = await send();
    assert.deepEqual((await send()).body, first.body);
    assert.equal((await decide(app, other, sid)).status, 409);
  });
});

suite('rejecting', () => {
  test('ends the request with its reason; whoever asked may take it back', async () => {
    const { app, asking, other, candidate } = await start();
    const first = await asked(app, asking, candidate);
    const reply = await decide(app, other, first, 'reject');
    assert.deepEqual([reply.body.state, reply.body.decisionReason], ['REJECTED', 'No']);
    assert.equal((await decide(app, other, first)).status, 409);
    const second = await asked(app, asking, candidate);
    assert.equal((await decide(app, asking, second, 'reject')).status, 200);
    assert.equal(await ownerBindings(app, candidate), 0);
  });
});

suite('seven days later', () => {
  test('a request has expired for every reader, and cannot be decided', async () => {
    const { app, asking, other, candidate } = await start();
    const sid = await asked(app, asking, candidate);
    app.clock.advance(7 * day - 1);
    assert.equal((await read(app, sid)).state, 'PENDING');
    app.clock.advance(1);
    assert.equal((await read(app, sid)).state, 'EXPIRED');
    const listed = async (state: string) =>
      (await app.get(`${app.at}/approvals?state=${state}`)).body.data.map(
        (found: { sid: string }) => found.sid,
      );
    assert.deepEqual([await listed('PENDING'), await listed('EXPIRED')], [[], [sid]]);
    const late = await other.signInAgain();
    const reply = await app.post(`${app.at}/approvals/${sid}/approve`, {}, late.headers);
    assert.deepEqual([reply.status, reply.body.error.code], [409, 'CONFLICT']);
    assert.equal(await ownerBindings(app, candidate), 0);
  });

  test('the sweep marks it once, in the chain and in the events', async () => {
    const { app, asking, candidate } = await start();
    const sid = await asked(app, asking, candidate);
    const sweep = () =>
      expireApprovals({ approvables: () => [], makersOf: async () => [] }).run({
        database: app.database,
        now: () => app.clock.now(),
        log: silentLog,
        signal: new AbortController().signal,
      } as never);
    await sweep();
    assert.equal(await app.count("approvals where state = 'EXPIRED'"), 0);
    app.clock.advance(7 * day);
    await sweep();
    await sweep();
    assert.equal(await app.count(`approvals where state = 'EXPIRED' and sid = '${sid}'`), 1);
    assert.deepEqual(await app.emitted(), ['approval.requested', 'approval.expired']);
    assert.equal(await app.count("audit_entries where action = 'approval.expired'"), 1);
  });
});

test('approvals of the other environment and of other accounts do not exist', async () => {
  const { app, asking, candidate } = await start();
  const sid = await asked(app, asking, candidate);
  assert.equal((await app.get(`${app.at}/approvals/${sid}`, bearer(app.liveKey))).status, 404);
  const stranger = await app.newAccount();
  const foreign = `/v1/accounts/${stranger.accountSid}/approvals/${sid}`;
  assert.equal((await app.get(foreign, bearer(stranger.sandboxKey))).status, 404);
});

suite('in the sandbox', () => {
  test('what would wait for the platform has its consent at once, and the approval says so', async () => {
    const app = await ownAccount();
    const approval = { action: 'TEST', summary: 'A test', request: { secret: 'sealed' } };
    const approvedIn = (livemode: boolean, run: (sid: string) => Promise<object>) =>
      app.database.write(
        { accountSid: app.accountSid, livemode },
        {
          principal: systemPrincipal('test', livemode),
          now: app.clock.now(),
          requestId: 'test',
          log: silentLog,
        },
        (t) => approveInSandbox(t, approval, run),
      );
    const ran: string[] = [];
    const result = await approvedIn(false, async (sid) => ({ number: ran.push(sid) }));
    assert.deepEqual(result, { number: 1 });
    const kept = await read(app, ran[0]!);
    assert.deepEqual([kept.state, kept.decidedBy], ['APPROVED', 'system:sandbox']);
    await assert.rejects(approvedIn(true, async () => ({})));
    await assert.rejects(
      approvedIn(false, async () => {
        throw new ApiError('CONFLICT');
      }),
    );
    assert.equal(await app.count('approvals'), 1);
  });
});
