import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { bearer, startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { type Counting, countingIn, regular } from './analytics.test-data.ts';

let app: TestApp;
let account: Counting;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
  account = await countingIn(app, lifetime);
});

const asked = (question: string) =>
  app.send('GET', `${account.at}/analytics/messages?${question}`, { headers: account.headers });
const refused = async (question: string) => {
  const { status, body } = await asked(question);
  return [status, body.error.code, ...(body.error.details ?? []).map(({ path }: { path: string }) => path)];
};

suite('a question that cannot be answered', () => {
  test('says where it is wrong', async () => {
    for (const [question, path] of [
      ['groupBy=weekday', 'groupBy'],
      ['groupBy=day,', 'groupBy'],
      ['groupBy=', 'groupBy'],
      ['groupBy=constructor', 'groupBy'],
      ['groupBy=day,day', 'groupBy'],
      ['groupBy=day,hour', 'groupBy'],
      ['groupBy=day&groupBy=hour', 'groupBy'],
      ['from=2026-08-22&to=2026-08-21', 'from'],
      ['from=2025-08-01&to=2026-08-21', 'from'],
      ['from=2026-02-30', 'from'],
      ['to=2026-08-21T00:00:00Z', 'to'],
      ['to=99999-01-01', 'to'],
      ['status=gone', 'status'],
      ['country=France', 'country'],
      ['senderSid=CT01', 'senderSid'],
      ['contactSid=CT01', 'contactSid'],
      ['limit=101', 'limit'],
      ['groupBy=day&cursor=eyJ9', 'cursor'],
    ] as const)
      assert.deepEqual(await refused(question), [400, 'VALIDATION_ERROR', path], question);
    assert.deepEqual(await refused('from=2026-08-22&to=2026-08-21&groupBy=weekday'), [
      400,
      'VALIDATION_ERROR',
      'from',
      'groupBy',
    ]);
  });

  test('in detail goes back 7 days and no further', async () => {
    for (const detail of [
      'groupBy=hour',
      'groupBy=day,template',
      'groupBy=errorCode',
      'template=a',
      'errorCode=B',
    ]) {
      assert.equal((await asked(`from=2026-08-14&${detail}`)).status, 200, detail);
      assert.deepEqual(
        await refused(`from=2026-08-13&${detail}`),
        [422, 'ANALYTICS_RANGE_UNAVAILABLE'],
        detail,
      );
    }
    assert.equal((await asked('from=2025-08-22&to=2026-08-21&groupBy=day')).status, 200);
  });

  test('needs the scope messages:read for the whole account, and shows nobody the numbers of another', async () => {
    const url = `${account.at}/analytics/messages`;
    const of = { accountSid: account.accountSid };
    const key = async (scope: string) => bearer((await app.key([scope], of)).key);
    assert.equal((await app.send('GET', url, { headers: await key('messages:send') })).status, 403);
    assert.equal((await app.send('GET', url, { headers: await key('messages:read') })).status, 200);
    assert.equal((await app.get(url)).status, 403);
  });
});

const campaignSid = 'CP01K3SAMP1E0000000000000000';

suite('an answer', () => {
  before(async () => {
    for (let day = 0; day < 3; day += 1) {
      const sids = [await account.send(), await account.send({ type: 'template' }), await account.send()];
      await account.report(sids[0]!, 'delivered', { pricing: regular });
      if (day < 2) app.clock.advance(24 * 3_600_000);
    }
    await app.sql('update messages set campaign_sid = $2 where sid = $1', [
      await account.send(),
      campaignSid,
    ]);
    await account.receive(account.inbound({ type: 'text', body: 'Hello' } as never));
    await account.count();
  });

  test('comes in pages that leave out nothing and repeat nothing', async () => {
    const whole = await account.ask('groupBy=day,status,direction');
    assert.equal(whole.length, 7);
    const found: object[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await asked(`groupBy=day,status,direction&limit=2${cursor}`);
      found.push(...body.data);
      if (!body.hasMore) break;
      cursor = `&cursor=${body.nextCursor}`;
    }
    assert.deepEqual(found, whole);
  });

  test('has the costs of a group in each currency, wherever a page ends', async () => {
    const day = app.clock.now().toISOString().slice(0, 10);
    for (const currency of ['EUR', 'GBP', 'CHF', 'SEK'])
      await app.sql(
        `insert into analytics_days select account_sid, livemode, day, direction, sender_sid, category, country, campaign_sid, status, $2,
           4, 1, 7, 0 from analytics_days where account_sid = $1 and currency = 'USD'`,
        [account.accountSid, currency],
      );
    const page = async (cursor: string) => (await asked(`groupBy=day,status&limit=1${cursor}`)).body;
    const [whole] = [await account.ask('groupBy=day,status')];
    const found: { costs: { total: { currency: string } }[] }[] = [];
    for (let body = await page(''); ; body = await page(`&cursor=${body.nextCursor}`)) {
      found.push(...body.data);
      if (!body.hasMore) break;
    }
    assert.deepEqual(found, whole);
    assert.deepEqual(
      found[0]!.costs.map(({ total }) => total.currency),
      ['CHF', 'EUR', 'GBP', 'SEK', 'USD'],
    );
    const [{ costs }] = await account.ask(`from=${day}&to=${day}`);
    assert.equal(costs.length, 5);
    await app.sql(`delete from analytics_days where account_sid = $1 and currency not in ('', 'USD')`, [
      account.accountSid,
    ]);
  });

  test('counts what the filters let pass', async () => {
    const count = async (filter: string) =>
      (await account.ask(filter)).map(({ messages }: { messages: number }) => messages);
    assert.deepEqual(await count(''), [11]);
    assert.deepEqual(await count('direction=outbound'), [10]);
    assert.deepEqual(await count('status=delivered&country=FR'), [3]);
    assert.deepEqual(await count('status=delivered&from=2026-08-22&to=2026-08-22'), [1]);
    assert.deepEqual(await count(`senderSid=${account.from}&category=utility`), [10]);
    assert.deepEqual(await count(`senderSid=${account.senderSid}`), [1]);
    assert.deepEqual(await count('template=hello_world&groupBy=status'), [3, 7]);
    assert.deepEqual(await count('template=other'), []);
    assert.deepEqual(await count(`campaignSid=${campaignSid}&groupBy=day,campaign`), [1]);
    assert.deepEqual(await count('campaignSid=CP01K3SAMP1E0000000000000001'), []);
  });

  test('leaves empty what was not grouped by', async () => {
    const [{ day, senderSid, status, costs }] = await account.ask('groupBy=status&status=delivered');
    assert.deepEqual([day, senderSid, status, costs.length], [null, null, 'delivered', 1]);
  });

  test('sums in the same question what its groups have', async () => {
    const [total] = await account.ask('');
    for (const groups of [
      'day',
      'hour',
      'sender',
      'template',
      'category',
      'country',
      'campaign',
      'status',
      'errorCode,direction',
    ]) {
      const rows: { messages: number; costs: { total: { amountMinor: string } }[] }[] = await account.ask(
        `groupBy=${groups}`,
      );
      assert.equal(
        rows.reduce((sum, { messages }) => sum + messages, 0),
        total.messages,
        groups,
      );
      const cost = rows
        .flatMap(({ costs }) => costs)
        .reduce((sum, one) => sum + BigInt(one.total.amountMinor), 0n);
      assert.equal(cost.toString(), total.costs[0].total.amountMinor, groups);
    }
  });
});
