// A business account that is connected anew by a signup at the simulated provider, over HTTP from the request to the return page.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { bearer, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { type Connections, connectionsOf, strangersWaba, why } from '../../../../test/harness/connections.ts';
import { runCron } from '../../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { endAwaiting } from '../../operations/crons.ts';
import { insertWaba } from '../fixtures.ts';

let app: TestApp;
let connections: Connections;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime, { simulator: true });
  connections = await connectionsOf(app);
});

const titleOf = (html: string) => /<h1>(.*)<\/h1>/.exec(html)?.[1];
const plain = 'This link does not work';

suite('a reconnect', () => {
  test('waits for a signup, and connects the account with what came of it', async () => {
    const { waba, operationSid, url } = await connections.waiting();
    const waiting = await connections.operation(operationSid);
    assert.deepEqual([waiting.state, waiting.awaits, waiting.type], ['WAITING', 'SIGNUP', 'waba.reconnect']);
    const expiresAt = new Date(app.clock.now().getTime() + 30 * 60_000).toISOString();
    assert.equal(waiting.nextAction.expiresAt, expiresAt);
    assert.equal((await connections.get(waba.sid)).connection.operationSid, operationSid);

    const back = await connections.answerPage(url, 'continue', waba.providerWabaId);
    const page = await connections.comeBack(back);
    assert.deepEqual([page.status, titleOf(page.text)], [200, 'The account is being connected']);
    await connections.runReconnect(operationSid);
    assert.equal((await connections.operation(operationSid)).state, 'SUCCEEDED');
    const { connection, senders } = await connections.get(waba.sid);
    assert.deepEqual(
      [connection.state, connection.token, connection.subscription, connection.operationSid],
      ['CONNECTED', 'VALID', 'SUBSCRIBED', null],
    );
    assert.deepEqual(
      senders.map(({ status }: { status: string }) => status),
      ['CONNECTED'],
    );
    const events = await app.sql<{ type: string }>(
      `select type from events where resource_sid = $1 order by sequence`,
      [waba.sid],
    );
    assert.equal(events.filter(({ type }) => type === 'waba.connected').length, 2);
  });

  test('leaves neither state nor token in any text of the database, and no event has the link', async () => {
    const { waba, operationSid, url } = await connections.waiting();
    const state = new URL(url).searchParams.get('state')!;
    assert.equal(Buffer.from(state, 'base64url').length, 24);
    await connections.comeBack(await connections.answerPage(url, 'continue', waba.providerWabaId));
    const kept = await app.sql(
      `select (select json_agg(e) from events e)::text || (select json_agg(a) from audit_entries a)::text
         || (select json_agg(o) from operations o)::text || (select json_agg(s) from waba_signups s)::text as text`,
    );
    const { text } = kept[0] as { text: string };
    assert.ok(text.includes(operationSid));
    for (const secret of [state, 'SIM.', '/dialog/oauth']) assert.ok(!text.includes(secret), secret);
    await connections.runReconnect(operationSid);
    const [signup] = await app.sql('select * from waba_signups where operation_sid = $1', [operationSid]);
    assert.deepEqual([signup!.state_hash, signup!.sealed_token], [null, null]);
  });

  test('is for an account that is disconnected, or whose token the provider refuses', async () => {
    const waba = await connections.waba();
    const early = await connections.reconnect(waba.sid);
    assert.deepEqual([early.status, early.body.error.code], [409, 'CONFLICT']);
    app.simulator.control.revokeTokens(waba.providerWabaId);
    const { status, body, text } = await connections.reconnect(waba.sid);
    assert.equal(status, 202, text);
    const { connection } = await connections.get(waba.sid);
    assert.deepEqual([connection.state, connection.token], ['CONNECTED', 'INVALID']);
    await connections.comeBack(
      await connections.answerPage(body.nextAction.url, 'continue', waba.providerWabaId),
    );
    await connections.runReconnect(body.sid);
    assert.equal((await connections.get(waba.sid)).connection.token, 'VALID');
    await connections.look(waba.sid);
    assert.equal((await connections.get(waba.sid)).connection.subscription, 'SUBSCRIBED');
  });

  test('is refused while another works on the connection, naming it; and without case, reason, factor or account', async () => {
    const { waba, operationSid } = await connections.waiting();
    const second = await connections.reconnect(waba.sid);
    assert.equal(second.body.error.code, 'CONFLICT');
    assert.match(second.body.error.message, new RegExp(operationSid));
    for (const [change, path] of [
      [{ caseRef: undefined }, 'caseRef'],
      [{ caseRef: 'x'.repeat(129) }, 'caseRef'],
      [{ reason: 'x'.repeat(2001) }, 'reason'],
      [{ stray: 1 }, 'stray'],
    ] as const) {
      const { status, body } = await connections.reconnect(waba.sid, change);
      assert.deepEqual([status, body.error.details[0].path], [400, path]);
    }
    const { headers } = await connections.stepUp();
    const free = await connections.waba();
    const without = await app.post(`${app.at}/wabas/${free.sid}/reconnect`, why, headers);
    assert.equal(without.body.error.code, 'STEP_UP_REQUIRED');
    assert.equal((await connections.reconnect('WB00000000000000000000000000')).status, 404);
  });
});

suite('the return page', () => {
  test('has no script, is kept by nobody, and tells its address to nobody', async () => {
    const { headers, text } = await connections.comeBack(`${app.url}/provider/signup/return?state=x&code=y`);
    assert.match(headers.get('content-security-policy')!, /default-src 'none'/);
    assert.doesNotMatch(headers.get('content-security-policy')!, /script-src/);
    assert.doesNotMatch(text, /<script/);
    assert.deepEqual(
      [headers.get('cache-control'), headers.get('referrer-policy')],
      ['no-store', 'no-referrer'],
    );
  });

  test('says one and the same of an unknown, a used and an expired state, and of nonsense; nothing changes', async () => {
    const used = await connections.waiting();
    const usedBack = await connections.answerPage(used.url, 'continue', used.waba.providerWabaId);
    await connections.comeBack(usedBack);
    const kept = await connections.operation(used.operationSid);
    const expired = await connections.waiting();
    const expiredBack = await connections.answerPage(expired.url, 'continue', expired.waba.providerWabaId);
    app.clock.advance(30 * 60_000);
    const at = `${app.url}/provider/signup/return`;
    const unknown = 'A'.repeat(32);
    const tried = [usedBack, expiredBack, `${at}?code=x&state=${unknown}`, at, `${at}?state=${unknown}`];
    tried.push(
      `${at}?state=a&state=b&code=c`,
      `${at}/deeper?code=x&state=${unknown}`,
      `${at}?code=%00&state=%00`,
    );
    const pages = await Promise.all(tried.map(connections.comeBack));
    assert.deepEqual([...new Set(pages.map(({ status }) => status))], [400]);
    assert.equal(new Set(pages.map(({ text }) => text)).size, 1);
    assert.equal(titleOf(pages[0]!.text), plain);
    assert.deepEqual(await connections.operation(used.operationSid), kept);
    assert.equal((await connections.operation(expired.operationSid)).state, 'WAITING');
  });

  test('takes a state once when two come back with it at once', async () => {
    const { waba, operationSid, url } = await connections.waiting();
    const backs = await Promise.all(
      [1, 2].map(() => connections.answerPage(url, 'continue', waba.providerWabaId)),
    );
    const pages = await Promise.all(backs.map(connections.comeBack));
    assert.deepEqual(pages.map(({ status }) => status).sort(), [200, 400]);
    await connections.runReconnect(operationSid);
    assert.equal((await connections.get(waba.sid)).connection.state, 'CONNECTED');
  });

  test('drops the token of another business’s account, and gives a new link', async () => {
    const { waba, operationSid, url } = await connections.waiting();
    const page = await connections.comeBack(await connections.answerPage(url, 'continue', strangersWaba));
    assert.deepEqual([page.status, titleOf(page.text)], [409, 'You chose another account']);
    const { state, awaits, result } = await connections.operation(operationSid);
    assert.deepEqual([state, awaits, result.lastSignup.outcome], ['WAITING', 'SIGNUP', 'other_account']);
    const [kept] = await app.sql('select sealed_token from waba_signups where operation_sid = $1', [
      operationSid,
    ]);
    assert.equal(kept!.sealed_token, null);
    assert.notEqual(await connections.linkOf(operationSid), url);
    assert.equal((await connections.get(waba.sid)).connection.state, 'DISCONNECTED');
  });

  test('after 31 seconds says that it took too long, and the new link works', async () => {
    const { waba, operationSid, url } = await connections.waiting();
    const slow = await connections.answerPage(url, 'later', waba.providerWabaId);
    app.clock.advance(31_000);
    assert.equal(titleOf((await connections.comeBack(slow)).text), 'That took too long');
    const { result } = await connections.operation(operationSid);
    assert.equal(result.lastSignup.code, 'ONBOARDING_CODE_EXPIRED');
    const again = await connections.linkOf(operationSid);
    await connections.comeBack(await connections.answerPage(again, 'continue', waba.providerWabaId));
    await connections.runReconnect(operationSid);
    assert.equal((await connections.get(waba.sid)).connection.state, 'CONNECTED');
  });

  test('of who canceled says so; of a canceled operation nothing', async () => {
    const { waba, operationSid, url } = await connections.waiting();
    const left = await connections.comeBack(await connections.answerPage(url, 'cancel', waba.providerWabaId));
    assert.deepEqual([left.status, titleOf(left.text)], [200, 'You left the signup']);
    assert.equal((await connections.operation(operationSid)).result.lastSignup.outcome, 'canceled');
    const link = await connections.linkOf(operationSid);
    const back = await connections.answerPage(link, 'continue', waba.providerWabaId);
    assert.equal((await connections.cancel(operationSid)).status, 200);
    assert.equal(titleOf((await connections.comeBack(back)).text), plain);
    assert.equal((await connections.get(waba.sid)).connection.state, 'DISCONNECTED');
  });
});

suite('nobody', () => {
  test('signed up within 30 minutes: the operation fails, and a retry gives a new link', async () => {
    const { waba, operationSid } = await connections.waiting();
    app.clock.advance(30 * 60_000);
    await runCron(app, endAwaiting);
    await connections.runReconnect(operationSid);
    const failed = await connections.operation(operationSid);
    assert.deepEqual(
      [failed.state, failed.error.code, failed.retryEligible],
      ['FAILED', 'ONBOARDING_CODE_EXPIRED', true],
    );
    assert.equal((await connections.retry(operationSid)).status, 200);
    await connections.runReconnect(operationSid);
    const link = await connections.linkOf(operationSid);
    await connections.comeBack(await connections.answerPage(link, 'continue', waba.providerWabaId));
    await connections.runReconnect(operationSid);
    assert.equal((await connections.get(waba.sid)).connection.state, 'CONNECTED');
  });
});

test('live without a signup that is set up, it cannot be done', async () => {
  const sid = await insertWaba(app, { accountSid: app.accountSid, livemode: true });
  const body = { ...why, stepUpToken: 'x' };
  const reply = await app.post(`${app.at}/wabas/${sid}/reconnect`, body, bearer(app.liveKey));
  assert.deepEqual([reply.status, reply.body.error.code], [422, 'CAPABILITY_UNAVAILABLE'], reply.text);
});
