import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { startTestApp } from '../../../test/harness/app.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { lockTable } from '../../../test/harness/locks.ts';
import {
  callback,
  messagesChange,
  statusOf,
  wireBytes,
} from '../../adapters/whatsapp/from-wire/callbacks.test-data.ts';
import { simulatorSecrets } from '../../main/process/simulator-secrets.ts';
import { deliver, sandbox, signature } from './callbacks.test-data.ts';

const live = '/provider/callbacks/live';
const lifetime = sharedLifetime();
const env = { PROVIDER_APP_SECRET: 'live secret', PROVIDER_VERIFY_TOKEN: 'live word' };
const app = await startTestApp(lifetime, { env });
const { appSecret, verifyToken } = simulatorSecrets(app.sealer);
const stored = () => app.count('provider_callbacks');
const body = wireBytes(callback(messagesChange({ statuses: [statusOf('read', { note: 'é/' })] })));

suite('the handshake', () => {
  const ask = (path: string, token: string, mode = 'subscribe') =>
    app.get(
      `${path}?hub.mode=${mode}&hub.challenge=%3Cb%3E42%3C/b%3E&hub.verify_token=${encodeURIComponent(token)}`,
    );
  test('answers the challenge as plain text to whoever knows the word', async () => {
    for (const [path, word] of [
      [sandbox, verifyToken],
      [live, 'live word'],
    ] as const) {
      const answer = await ask(path, word);
      assert.deepEqual([answer.status, answer.text], [200, '<b>42</b>']);
      assert.match(answer.headers.get('content-type')!, /^text\/plain/);
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
    }
  });
  test('refuses everybody else', async () => {
    for (const [path, word, mode] of [
      [sandbox, 'live word'],
      [live, verifyToken],
      [live, ''],
      [live, 'live word', 'unsubscribe'],
    ] as const) {
      assert.equal((await ask(path, word, mode)).status, 403);
    }
    assert.equal((await app.get(live)).status, 403);
    const twice = await app.get(`${live}?hub.mode=subscribe&hub.verify_token=live+word&hub.verify_token=x`);
    assert.equal(twice.status, 403);
  });
});

suite('a callback', () => {
  const post = (path: string, sent: Buffer | string, header?: string) =>
    app.send('POST', path, { body: sent, headers: { 'x-hub-signature-256': header } });

  test('is stored byte for byte before it is acknowledged', async () => {
    const before = await stored();
    assert.equal((await deliver(app, body)).status, 200);
    assert.equal(await stored(), before + 1);
    const [row] = await app.sql('select * from provider_callbacks order by id desc limit 1');
    assert.deepEqual([row!.body.equals(body), row!.livemode], [true, false]);
    assert.equal((await post(live, body, signature('live secret', body))).status, 200);
    const [other] = await app.sql('select livemode from provider_callbacks order by id desc limit 1');
    assert.equal(other!.livemode, true);
  });
  test('with any other signature leaves nothing behind', async () => {
    const before = await stored();
    const right = signature(appSecret, body);
    const refused: [string, Buffer | string, string | undefined][] = [
      [sandbox, body, undefined],
      [sandbox, body, ''],
      [sandbox, body, 'sha256='],
      [sandbox, body, right.slice(7)],
      [sandbox, body, right.replace('sha256', 'sha1')],
      [sandbox, body, `${right}00`],
      [sandbox, body, right.slice(0, -2)],
      [sandbox, body, signature('live secret', body)],
      [live, body, right],
      [sandbox, Buffer.concat([body, Buffer.from(' ')]), right],
      // The same value written another way is another body.
      [sandbox, JSON.stringify(JSON.parse(body.toString())), right],
      [sandbox, body, `${right}, ${right}`],
    ];
    for (const [path, sent, header] of refused) assert.equal((await post(path, sent, header)).status, 401);
    assert.equal(await stored(), before);
  });
  test('may be as large as the provider says, and no endless one is read', async () => {
    const large = Buffer.concat([body, Buffer.alloc(3 * 1024 * 1024, ' ')]);
    assert.equal((await deliver(app, large)).status, 200);
    assert.equal((await deliver(app, Buffer.alloc(7 * 1024 * 1024, ' '))).status, 413);
  });
  test('that is empty is stored like any other: whoever signs it is the provider', async () => {
    assert.equal((await deliver(app, Buffer.alloc(0))).status, 200);
  });
  test('shares its commit with those that arrive meanwhile', async () => {
    const before = await stored();
    const answers = await Promise.all(Array.from({ length: 300 }, () => deliver(app, body)));
    assert.ok(answers.every(({ status }) => status === 200));
    assert.equal(await stored(), before + 300);
    const [row] = await app.sql<{ commits: number }>(
      'select count(distinct xmin::text)::int as commits from (select xmin from provider_callbacks order by id desc limit 300) c',
    );
    assert.ok(row!.commits < 150, `${row!.commits} commits for 300 callbacks`);
  });
  test('is told apart from what lies beside', async () => {
    assert.equal((await app.get('/provider/callbacks')).status, 404);
    assert.equal((await app.get('/provider/callbacks/prod')).status, 404);
    for (const method of ['PUT', 'QUERY', 'PROPFIND'])
      assert.equal((await app.send(method, sandbox)).status, 405, method);
  });
  test('is refused clearly where live callbacks are not set up', async (context) => {
    const bare = await startTestApp(context, { env: { PROVIDER_APP_SECRET: 'only one of two' } });
    for (const answer of [await bare.get(live), await bare.post(live, {})]) {
      assert.equal(answer.status, 404);
      assert.match(answer.text, /PROVIDER_VERIFY_TOKEN/);
    }
  });
  test('is asked for again while it cannot be stored', async (context) => {
    const other = await startTestApp(context, { impatient: true });
    const table = await lockTable(other, 'provider_callbacks');
    const refused = await deliver(other, body);
    await table.release();
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '2']);
    assert.equal((await deliver(other, body)).status, 200);
    assert.equal(await other.count('provider_callbacks'), 1);
  });
  test('is counted, stored or refused', async () => {
    const text = await (await fetch(`${app.url}/metrics`)).text();
    assert.match(text, /godwit_provider_callbacks_total\{environment="sandbox",outcome="stored"\} \d+/);
    assert.match(text, /godwit_provider_callbacks_total\{environment="sandbox",outcome="refused"\} \d+/);
  });
});
