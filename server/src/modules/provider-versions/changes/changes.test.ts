import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { bearer, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { capabilities, findVersion, providerVersions } from '../../provider/index.ts';
import { allChanges } from './list-changes.ts';
import type { ProviderChange } from './schema.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime, { env: { SANDBOX_PROVIDER_API_VERSION: 'v23.0' } });
});

async function listed(headers = {}): Promise<ProviderChange[]> {
  const reply = await app.get(`${app.at}/provider-changes?limit=100`, headers);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.data;
}
const change = async (id: string, headers = {}) => (await listed(headers)).find((one) => one.id === id)!;

suite('the reviewed entries', () => {
  test('have days that exist, the first of a month where only that is known, and ids of their own', () => {
    for (const { id, on } of allChanges) {
      assert.equal(new Date(on.date).toISOString().slice(0, 10), on.date, id);
      if (on.precision === 'MONTH') assert.match(on.date, /-01$/, id);
    }
    assert.equal(new Set(allChanges.map(({ id }) => id)).size, allChanges.length);
  });

  test('name only capabilities and versions there are', () => {
    const words = allChanges.flatMap(({ affects }) => affects);
    for (const word of words.filter((one) => /^[A-Z_]+$/.test(one))) assert.ok(word in capabilities, word);
    for (const word of words.filter((one) => /^v\d/.test(one))) assert.ok(findVersion(word), word);
  });

  test('tell of the beginning and the end of every version, in both languages', () => {
    for (const { version, endsOn } of providerVersions) {
      assert.ok(allChanges.some(({ id }) => id === `${version}-released`));
      assert.equal(
        allChanges.some(({ id }) => id === `${version}-ends`),
        endsOn !== null,
      );
    }
    for (const { title } of allChanges)
      assert.ok(title.en !== '' && title.fr !== '' && title.en !== title.fr);
  });
});

suite('the feed', () => {
  test('begins with what lies furthest ahead, and is the same page by page', async () => {
    const whole = await listed();
    assert.equal(whole.length, allChanges.length);
    const dates = whole.map(({ date }) => date);
    assert.deepEqual(dates, dates.toSorted().reverse());
    const paged: ProviderChange[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const from: string = cursor && `&cursor=${cursor}`;
      const { body } = await app.get(`${app.at}/provider-changes?limit=7${from}`);
      paged.push(...body.data);
      cursor = body.nextCursor;
    }
    assert.deepEqual(paged, whole);
  });

  test('says that the end of a version concerns whoever speaks it', async () => {
    const [ours, live] = [await change('v23.0-ends'), await change('v23.0-ends', bearer(app.liveKey))];
    assert.deepEqual([ours.relevant, live.relevant], [true, false]);
    assert.match(live.because.en, /^v24\.0 is spoken/);
  });

  test('says where only a month is known', async () => {
    const { date, datePrecision } = await change('bsuid-recipients');
    assert.deepEqual([date, datePrecision], ['2026-05-01', 'MONTH']);
  });

  test('asks something only of those it concerns', async () => {
    const id = 'people-without-phone-number';
    const [ours, live] = [await change(id), await change(id, bearer(app.liveKey))];
    assert.deepEqual([ours.relevant, ours.actionRequired], [true, true]);
    // Nothing is connected in live.
    assert.deepEqual([live.relevant, live.actionRequired], [false, false]);
    assert.ok(live.action !== null);
  });

  test('tells who can send marketing messages by what the provider last said', async () => {
    const id = 'marketing-messages-for-all';
    assert.equal((await change(id)).relevant, true);
    await app.sql(`update wabas set marketing_messages = 'ELIGIBLE' where account_sid = $1`, [
      app.accountSid,
    ]);
    assert.equal((await change(id)).relevant, false);
  });
});
