// Events of a business account that stopped coming: seen by the hourly look, brought back by a reconcile.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { bearer, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { type Connections, connectionsOf } from '../../../../test/harness/connections.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { insertWaba } from '../fixtures.ts';

let app: TestApp;
let connections: Connections;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime, { simulator: true });
  connections = await connectionsOf(app);
});

const change = (wabaId: string, facts: Record<string, unknown>) =>
  app.simulator.control.change('wabas', wabaId, facts);
const seen = async (sid: string) => {
  const { state, token, subscription } = (await connections.get(sid)).connection;
  return [state, token, subscription];
};
const told = async (resource: string) =>
  (await app.get(`${app.at}/notifications?limit=100`)).body.data
    .filter((notification: { resource: string }) => notification.resource === resource)
    .map(({ type }: { type: string }) => type);
const subscribes = (wabaId: string) =>
  app.simulator.control
    .commands(0, 10_000)
    .data.filter(({ id, path, method }) => id === wabaId && path === 'subscribed_apps' && method === 'POST')
    .length;

suite('the hourly look', () => {
  test('marks a missing subscription and one that is told elsewhere, never disconnects, and sees it come back', async () => {
    const { sid, providerWabaId } = await connections.waba();
    assert.deepEqual(await seen(sid), ['CONNECTED', 'VALID', 'SUBSCRIBED']);
    // Another app being told is none of ours being told.
    change(providerWabaId, { subscribed: false, otherAppIds: ['777'] });
    await connections.look(sid);
    assert.deepEqual(await seen(sid), ['CONNECTED', 'VALID', 'MISSING']);
    assert.deepEqual(await told(sid), ['waba.subscription_missing']);
    change(providerWabaId, { subscribed: true });
    await connections.look(sid);
    assert.deepEqual(await seen(sid), ['CONNECTED', 'VALID', 'SUBSCRIBED']);
    change(providerWabaId, { overrideUrl: 'https://elsewhere.example/x' });
    await connections.look(sid);
    assert.deepEqual(await seen(sid), ['CONNECTED', 'VALID', 'MISSING']);
    assert.equal(subscribes(providerWabaId), 0);
  });

  test('marks a token that is refused, and tells people once', async () => {
    const { sid, providerWabaId } = await connections.waba();
    app.simulator.control.revokeTokens(providerWabaId);
    for (let i = 0; i < 2; i += 1) await connections.look(sid);
    assert.deepEqual(await seen(sid), ['CONNECTED', 'INVALID', 'SUBSCRIBED']);
    assert.deepEqual(await told(sid), ['waba.token_refused']);
  });
});

suite('right after connecting', () => {
  const asksToLook = (sid: string) =>
    app.count(`graphile_worker.jobs where task_identifier = 'wabas.read' and key like '%${sid}%'`);

  test('the sandbox knows that its token is taken and its events come', async () => {
    const { body } = await app.post(`${app.at}/wabas`, { name: 'Depot' });
    assert.deepEqual([body.connection.token, body.connection.subscription], ['VALID', 'SUBSCRIBED']);
  });

  test('an account is looked at, and not only within the hour', async () => {
    const { sid } = await connections.waba();
    await app.sql(
      `update waba_connections set token = 'UNKNOWN', subscription = 'UNKNOWN' where waba_sid = $1`,
      [sid],
    );
    await connections.firstLook(sid);
    assert.deepEqual(await seen(sid), ['CONNECTED', 'VALID', 'SUBSCRIBED']);
  });

  test('an unsubscribe of before that comes late is undone, at once and for a day', async () => {
    const { sid, providerWabaId } = await connections.waba();
    const isSubscribed = () =>
      app.simulator.control.wabas().find(({ id }) => id === providerWabaId)!.subscribed;
    await connections.disconnect(sid, async (step) => {
      if (step !== 'before unsubscribe') return;
      await connections.connectAgain(sid, providerWabaId);
      assert.ok(isSubscribed());
      await app.sql(`select graphile_worker.remove_job('waba/' || $1)`, [sid]);
    });
    assert.deepEqual([isSubscribed(), await seen(sid)], [false, ['CONNECTED', 'VALID', 'SUBSCRIBED']]);
    assert.equal(await asksToLook(sid), 1);
    await connections.firstLook(sid);
    assert.deepEqual([isSubscribed(), await seen(sid)], [true, ['CONNECTED', 'VALID', 'SUBSCRIBED']]);

    app.clock.advance(23 * 3_600_000);
    change(providerWabaId, { subscribed: false });
    await connections.look(sid);
    assert.deepEqual([isSubscribed(), await seen(sid)], [true, ['CONNECTED', 'VALID', 'SUBSCRIBED']]);
    // From then on it is somebody else's doing.
    app.clock.advance(3_600_000);
    change(providerWabaId, { subscribed: false });
    await connections.look(sid);
    assert.deepEqual([isSubscribed(), await seen(sid)], [false, ['CONNECTED', 'VALID', 'MISSING']]);
  });

  test('a job that finds the account connected again asks to look, for what an earlier run of it may have done', async () => {
    const { sid } = await connections.waba();
    const queued = await asksToLook(sid);
    await connections.unsubscribe(sid);
    assert.deepEqual([queued, await asksToLook(sid)], [0, 1]);
  });
});

suite('a reconcile', () => {
  test('subscribes our app where it is missing, takes away an address elsewhere, and says what was before and after', async () => {
    const missing = { subscribed: false, otherAppIds: ['777'] };
    const elsewhere = { overrideUrl: 'https://elsewhere.example/x' };
    for (const [facts, before] of [
      [missing, { subscription: 'MISSING', overrideUrl: null }],
      [elsewhere, { subscription: 'SUBSCRIBED', ...elsewhere }],
    ] as const) {
      const { sid, providerWabaId } = await connections.waba();
      change(providerWabaId, facts);
      const { status, body } = await connections.reconcile(sid);
      assert.deepEqual([status, body.type], [202, 'waba.reconcile_subscription']);
      await connections.runReconcile(body.sid);
      const { state, result } = await connections.operation(body.sid);
      assert.equal(state, 'SUCCEEDED');
      const after = { subscription: 'SUBSCRIBED', overrideUrl: null };
      const messages = { asked: 0, settled: 0 };
      assert.deepEqual(result, { wabaSid: sid, before, after, resubscribed: true, messages });
      assert.deepEqual(await seen(sid), ['CONNECTED', 'VALID', 'SUBSCRIBED']);
    }
  });

  test('changes nothing where everything is as it should be', async () => {
    const { sid, providerWabaId } = await connections.waba();
    const { body } = await connections.reconcile(sid);
    await connections.runReconcile(body.sid);
    assert.equal((await connections.operation(body.sid)).result.resubscribed, false);
    assert.equal(subscribes(providerWabaId), 0);
  });

  test('fails and can be retried when the provider takes the subscription and does not show it', async () => {
    const { sid, providerWabaId } = await connections.waba();
    change(providerWabaId, { subscribed: false });
    const match = { path: 'subscribed_apps', phoneNumberId: providerWabaId };
    const { body } = await connections.reconcile(sid);
    // Every command is answered well and none is done.
    await connections.runReconcile(body.sid, (step) => {
      if (step === 'after subscribe') change(providerWabaId, { subscribed: false });
    });
    const failed = await connections.operation(body.sid);
    assert.deepEqual([failed.state, failed.error.code], ['FAILED', 'PROVIDER_TEMPORARY_ERROR']);
    assert.deepEqual((await seen(sid))[2], 'MISSING');
    app.simulator.control.addRule({ match, behaviour: { refuse: { code: 131000 } }, count: 1 });
    await connections.retry(body.sid);
    await connections.runReconcile(body.sid);
    assert.equal((await connections.operation(body.sid)).state, 'WAITING');
    await connections.runReconcile(body.sid);
    const { state, result } = await connections.operation(body.sid);
    assert.deepEqual([state, result.before.subscription], ['SUCCEEDED', 'MISSING']);
  });

  test('is refused for an account that is not connected, while one runs, naming it, and without case or reason', async () => {
    const { sid } = await connections.waba();
    const { body } = await connections.reconcile(sid);
    const second = await connections.reconcile(sid);
    assert.deepEqual([second.status, second.body.error.code], [409, 'CONFLICT']);
    assert.match(second.body.error.message, new RegExp(body.sid));
    await connections.runReconcile(body.sid);
    assert.equal((await connections.reconcile(sid)).status, 202);
    for (const [wrong, path] of [
      [{ caseRef: null }, 'caseRef'],
      [{ caseRef: 'x'.repeat(129) }, 'caseRef'],
      [{ reason: undefined }, 'reason'],
      [{ stepUpToken: 'x' }, 'stepUpToken'],
    ] as const) {
      const reply = await connections.reconcile(sid, wrong);
      assert.deepEqual([reply.status, reply.body.error.details[0].path], [400, path]);
    }
    const gone = await connections.waba();
    await connections.disconnect(gone.sid);
    assert.equal((await connections.reconcile(gone.sid)).body.error.code, 'WABA_NOT_CONNECTED');
    assert.equal((await connections.reconcile('WB00000000000000000000000000')).status, 404);
  });

  test('live without an app id that is set up, it cannot be done', async () => {
    const owner = { accountSid: app.accountSid, livemode: true };
    const sid = await insertWaba(app, owner);
    const body = { caseRef: 'CASE-1', reason: 'None' };
    const at = `${app.at}/wabas/${sid}`;
    const reconcile = await app.post(`${at}/reconcile-subscription`, body, bearer(app.liveKey));
    assert.deepEqual([reconcile.status, reconcile.body.error.code], [422, 'CAPABILITY_UNAVAILABLE']);
  });
});
