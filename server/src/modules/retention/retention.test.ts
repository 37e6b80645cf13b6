import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { type Reply, startTestApp, type TestApp, testStart } from '../../../test/harness/app.ts';
import { write } from '../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { waitersAre } from '../../../test/harness/locks.ts';
import { emit } from '../../platform/events.ts';
import { newSid } from '../../platform/ids.ts';
import { removing } from '../legal-holds/index.ts';
import { messageEvents } from '../messages/events.ts';
import { messageSample } from '../messages/samples.ts';
import { day, keepingIn } from './retention.test-data.ts';

const lifetime = sharedLifetime();
let app: TestApp;
before(async () => {
  app = await startTestApp(lifetime);
});

const account = () => {
  app.clock.set(testStart);
  return keepingIn(app);
};

const codeOf = ({ status, body }: Reply) => [status, body.error?.code];
const nothing = { messageContents: 0, messages: 0, mediaFiles: 0, mediaBytes: 0, analyticsDays: 0 };

suite('the policy', () => {
  test('that was never set keeps everything', async () => {
    const { get } = await account();
    const { body } = await get('/privacy/retention-policy');
    const {
      messageContentDays,
      messageMetadataMonths,
      analyticsMonths,
      effectiveFrom,
      nextRunAt,
      updatedAt,
    } = body;
    assert.deepEqual(
      [messageContentDays, messageMetadataMonths, analyticsMonths, effectiveFrom, nextRunAt, updatedAt],
      [null, null, null, null, null, null],
    );
  });

  test('that is shortened needs a second factor, counts a day later, and says what the next run removes', async () => {
    const { at, key, put, get, old, contact } = await account();
    await old({ daysAgo: 100, contactSid: await contact() });
    const body = { messageContentDays: 90, messageMetadataMonths: null };
    const path = `${at}/privacy/retention-policy`;
    const refused = await app.send('PUT', path, { body, headers: key });
    assert.deepEqual(codeOf(refused), [403, 'STEP_UP_REQUIRED']);
    assert.deepEqual(refused.body.error.details, [
      { path: 'stepUpAction', issue: 'RETENTION_POLICY_CHANGE' },
    ]);
    assert.equal((await get('/privacy/retention-policy')).body.updatedAt, null);
    const reply = await put(body);
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.body.effectiveFrom, new Date(app.clock.now().getTime() + day).toISOString());
    assert.equal(reply.body.inForce.messageContentDays, null);
    assert.ok(reply.body.nextRun.at >= reply.body.effectiveFrom);
    assert.deepEqual(reply.body.nextRun.removes, { ...nothing, messageContents: 1 });
    app.clock.advance(day);
    const { body: later } = await get('/privacy/retention-policy');
    assert.deepEqual([later.effectiveFrom, later.inForce.messageContentDays], [null, 90]);
  });

  test('that is lengthened, or taken back within the day, needs no factor and counts at once', async () => {
    const { at, key, put, get, begin, goOn, old, contact, left } = await account();
    const sid = await old({ daysAgo: 100, contactSid: await contact() });
    assert.equal((await put({ messageContentDays: 30, messageMetadataMonths: 2 })).status, 200);
    const back = await app.send('PUT', `${at}/privacy/retention-policy`, {
      body: { messageContentDays: null, messageMetadataMonths: null },
      headers: key,
    });
    assert.deepEqual([back.status, back.body.effectiveFrom, back.body.nextRun], [200, null, null]);
    app.clock.advance(2 * day);
    await goOn(await begin());
    assert.deepEqual([...(await left())], [[sid, true]]);
    assert.equal((await get('/privacy/retention-policy')).body.messageContentDays, null);
  });

  test('set again as it is changes nothing, and is announced once', async () => {
    const { put, accountSid } = await account();
    const first = await put({ messageContentDays: 90, messageMetadataMonths: 12 });
    app.clock.advance(60_000);
    const again = await put({ messageContentDays: 90, messageMetadataMonths: 12 });
    assert.deepEqual(
      [again.body.effectiveFrom, again.body.updatedAt],
      [first.body.effectiveFrom, first.body.updatedAt],
    );
    const told = await app.sql(
      "select from events where account_sid = $1 and type = 'retention_policy.changed'",
      [accountSid],
    );
    assert.equal(told.length, 1);
  });

  const wrong: [object, string[]][] = [
    [{}, ['messageContentDays', 'messageMetadataMonths']],
    [{ messageContentDays: 29, messageMetadataMonths: 0 }, ['messageContentDays', 'messageMetadataMonths']],
    [
      { messageContentDays: 3651, messageMetadataMonths: 121 },
      ['messageContentDays', 'messageMetadataMonths'],
    ],
    [
      { messageContentDays: '90', messageMetadataMonths: 1.5 },
      ['messageContentDays', 'messageMetadataMonths'],
    ],
    [{ messageContentDays: null, messageMetadataMonths: null, analyticsMonths: null }, ['analyticsMonths']],
    [{ messageContentDays: null, messageMetadataMonths: null, analyticsMonths: 37 }, ['analyticsMonths']],
    [{ messageContentDays: null, messageMetadataMonths: null, days: 30 }, ['days']],
  ];
  test('outside its limits is refused at every place', async () => {
    const { at, key, get } = await account();
    for (const [body, paths] of wrong) {
      const reply = await app.send('PUT', `${at}/privacy/retention-policy`, { body, headers: key });
      assert.deepEqual(codeOf(reply), [400, 'VALIDATION_ERROR'], reply.text);
      assert.deepEqual(reply.body.error.details.map(({ path }: { path: string }) => path).sort(), paths);
    }
    for (const query of [
      'messageContentDays=29',
      'messageMetadataMonths=121',
      'messageContentDays=x',
      'analyticsMonths=3',
    ])
      assert.deepEqual(codeOf(await get(`/privacy/retention-policy/preview?${query}`)), [
        400,
        'VALIDATION_ERROR',
      ]);
  });
});

suite('a run', () => {
  test('takes what was said, then the whole message, and leaves what still waits or is not paid', async () => {
    const { contact, old, keepFor, run, preview, left, get, accountSid } = await account();
    const contactSid = await contact();
    const young = await old({ daysAgo: 29, contactSid });
    const silent = await old({ daysAgo: 45, contactSid });
    const gone = await old({ daysAgo: 100, contactSid });
    const waiting = await old({ daysAgo: 100, contactSid, waiting: true });
    const unpaid = await old({ daysAgo: 45, contactSid, unsettled: true });
    const seen = await preview(30, 2);
    assert.deepEqual([seen.exact, seen.removes], [true, { ...nothing, messageContents: 1, messages: 1 }]);
    await keepFor(30, 2);
    assert.deepEqual(await run(), seen.removes);
    assert.deepEqual(
      await left(),
      new Map([
        [young, true],
        [silent, false],
        [waiting, true],
        [unpaid, true],
      ]),
    );
    const { body } = await get(`/messages/${silent}`);
    assert.deepEqual(
      [body.content, body.text, body.context, body.metadata, body.contentRemovedAt, body.to.value],
      [null, null, null, { order: '7' }, app.clock.now().toISOString(), '+33612345678'],
    );
    assert.equal((await get(`/messages/${gone}`)).status, 404);
    for (const table of ['message_states where sid', 'provider_messages where message_sid'])
      assert.deepEqual(await app.sql(`select from ${table} = $1`, [gone]), []);
    // What kept them is over.
    await app.sql("update message_states set waiting = false, status = 'expired' where sid = $1", [waiting]);
    await app.sql("update message_holds set state = 'released', closed_at = now() where message_sid = $1", [
      unpaid,
    ]);
    assert.deepEqual(await run(), { ...nothing, messageContents: 1, messages: 1 });
    assert.deepEqual(await run(), nothing);
    const told = await app.sql<{ data: { removed: object } }>(
      "select data from events where account_sid = $1 and type = 'retention.completed' order by sequence",
      [accountSid],
    );
    assert.deepEqual(
      told.map(({ data }) => data.removed),
      [seen.removes, seen.removes, nothing],
    );
  });

  test('takes files that no other message carries', async () => {
    const { contact, old, file, keepFor, run, preview, get } = await account();
    const contactSid = await contact();
    const [alone, shared, kept] = [await file(), await file(), await file()];
    await old({ daysAgo: 50, contactSid, mediaSid: alone });
    await old({ daysAgo: 40, contactSid, mediaSid: alone });
    await old({ daysAgo: 50, contactSid, mediaSid: shared });
    await old({ daysAgo: 5, contactSid, mediaSid: shared });
    await app.sql("update media set kept_for = 'somebody' where sid = $1", [kept]);
    await old({ daysAgo: 50, contactSid, mediaSid: kept });
    const { removes } = await preview(30, null);
    assert.deepEqual(removes, { ...nothing, messageContents: 4, mediaFiles: 1, mediaBytes: 1 });
    await keepFor(30, null);
    assert.deepEqual(await run(), removes);
    const statuses = [];
    for (const sid of [alone, shared, kept]) statuses.push((await get(`/media/${sid}`)).body.status);
    assert.deepEqual(statuses, ['EXPIRED', 'READY', 'READY']);
  });

  test('takes what was said out of events that still wait, and the history before it', async () => {
    const { contact, old, keepFor, run, place, accountSid } = await account();
    const sid = await old({ daysAgo: 45, contactSid: await contact() });
    const data = { ...messageSample, accountSid, sid };
    await write(place, async (t) => emit(t, messageEvents.queued, data));
    await keepFor(30, null);
    await run();
    const [event] = await app.sql<{ data: object }>('select data from events where resource_sid = $1', [sid]);
    assert.deepEqual(event!.data, { ...data, content: null, text: null, variables: null, context: null });
    app.clock.advance(31 * day);
    await run();
    assert.deepEqual(await app.sql('select from events where resource_sid = $1', [sid]), []);
  });

  test('is begun once a day at the hour of the account, and not beside one that has not ended', async () => {
    const { put, begin, goOn, get } = await account();
    const { body } = await put({ messageContentDays: 30, messageMetadataMonths: null });
    const first = await begin();
    assert.equal(await begin(), first);
    await goOn(first);
    app.clock.advance(1_000);
    assert.notEqual(await begin(), first);
    const next = (await get('/privacy/retention-policy')).body.nextRunAt;
    assert.equal(next.slice(11), body.nextRun.at.slice(11));
  });

  test('goes by the policy of the moment: what was taken back meanwhile is kept', async () => {
    const { contact, old, keepFor, begin, goOn, left, at, key } = await account();
    const sid = await old({ daysAgo: 45, contactSid: await contact() });
    await keepFor(30, null);
    const operationSid = await begin();
    const body = { messageContentDays: 60, messageMetadataMonths: null };
    assert.equal(
      (await app.send('PUT', `${at}/privacy/retention-policy`, { body, headers: key })).status,
      200,
    );
    await goOn(operationSid);
    assert.deepEqual([...(await left())], [[sid, true]]);
  });
});

suite('legal holds', () => {
  test('keep what they reach, are told in the preview, and let go of it when they are released', async () => {
    const { contact, old, file, hold, release, keepFor, run, preview, left } = await account();
    const [held, other] = [await contact(), await contact()];
    const campaignSid = newSid('CP', app.clock.now());
    const mediaSid = await file();
    await old({ daysAgo: 40, contactSid: held, mediaSid });
    await old({ daysAgo: 100, contactSid: other, campaignSid });
    await old({ daysAgo: 41, contactSid: other });
    const free = await old({ daysAgo: 35, contactSid: other });
    const instant = (daysAgo: number) => new Date(app.clock.now().getTime() - daysAgo * day).toISOString();
    const holds = [
      await hold({ type: 'CONTACT', contactSid: held }),
      await hold({ type: 'CAMPAIGN', campaignSid }),
      await hold({ type: 'DATE_RANGE', from: instant(41.5), to: instant(40.5) }),
    ];
    const seen = await preview(30, 2);
    assert.deepEqual(seen.removes, { ...nothing, messageContents: 1 });
    assert.deepEqual(seen.heldBack, { messageContents: 2, messages: 1 });
    await keepFor(30, 2);
    assert.deepEqual(await run(), seen.removes);
    assert.deepEqual(
      [...(await left()).entries()].filter(([, whole]) => !whole),
      [[free, false]],
    );
    for (const id of holds) await release(id);
    assert.deepEqual(await run(), {
      ...nothing,
      messageContents: 2,
      messages: 1,
      mediaFiles: 1,
      mediaBytes: 1,
    });
  });

  test('that are placed while a run is under way keep everything from their answer on', async () => {
    const { contact, old, hold, keepFor, begin, goOn, left, place } = await account();
    const contactSid = await contact();
    const sids = [await old({ daysAgo: 45, contactSid }), await old({ daysAgo: 44, contactSid })];
    await keepFor(30, null);
    const operationSid = await begin();
    const begun = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const removal = write(place, async (t) => {
      await removing(t);
      begun.resolve();
      await end.promise;
    });
    await begun.promise;
    const placing = hold({ type: 'CONTACT', contactSid });
    await waitersAre(app, 1);
    end.resolve();
    await removal;
    await placing;
    await goOn(operationSid);
    assert.deepEqual(await left(), new Map(sids.map((sid) => [sid, true])));
  });
});
