import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { lockRows } from '../../../test/harness/locks.ts';
import { ownAccounts } from '../../../test/harness/own-account.ts';
import { onPlan } from '../../../test/harness/plans.ts';
import { crowd, sceneOf } from './campaigns.test-data.ts';
import { runCampaign } from './run/run-campaign.ts';

const newApp = ownAccounts();
const hourMs = 3_600_000;

suite('a campaign', () => {
  test('admits as many in a minute as its pace says, by the clock', async () => {
    const app = await newApp();
    const scene = await sceneOf(app);
    const { sid } = await scene.launched(await scene.contacts(5), { messagesPerMinute: 2 });
    const admitted: number[] = [];
    for (let at = 0; at < 5; at += 1) {
      admitted.push((await scene.run(sid)).progress.admitted);
      app.clock.advance(30_000);
    }
    assert.deepEqual(admitted, [2, 2, 4, 4, 5]);
    assert.equal((await scene.get(sid)).state, 'COMPLETED');
  });

  test('keeps to the send rate of the account’s plan without one refusal, and pauses when the month’s quota is used up', async () => {
    const app = await newApp();
    const scene = await sceneOf(app);
    const { change } = await onPlan(app, { sendsPerSecond: 2, monthlyMessages: 5 });
    const { sid } = await scene.launched(await scene.contacts(7));
    const admitted: number[] = [];
    for (let at = 0; at < 3; at += 1) {
      admitted.push((await scene.run(sid)).progress.admitted);
      app.clock.advance(1000);
    }
    assert.deepEqual(admitted, [2, 4, 5]);
    const { state, reason, progress } = await scene.get(sid);
    assert.deepEqual(
      [state, reason, progress.refused, progress.pending],
      ['PAUSED', 'PLAN_MESSAGE_QUOTA_EXCEEDED', 0, 2],
    );
    await change({ monthlyMessages: 7 });
    await scene.done(sid, 'resume');
    assert.equal((await scene.run(sid)).state, 'COMPLETED');
  });

  test('writes to everybody at the hour of their own clock, across the night in which clocks are changed', async () => {
    const app = await newApp();
    app.clock.set(new Date('2027-03-27T12:00:00Z'));
    const scene = await sceneOf(app);
    const zones = ['Asia/Tokyo', 'Europe/Paris', 'America/New_York', null];
    const sids: string[] = [];
    for (const timezone of zones) sids.push(...(await scene.contacts(1, timezone ? { timezone } : {})));
    const { sid } = await scene.launched(sids, { sendAt: '2027-03-28T09:00:00Z', localTime: true });
    const due = new Map((await runThrough()).map(({ contactSid, decidedAt }) => [contactSid, decidedAt]));
    assert.deepEqual(
      sids.map((one) => due.get(one)),
      // Paris is two hours from Greenwich that morning, and was one the evening before.
      [
        '2027-03-28T00:00:00.000Z',
        '2027-03-28T07:00:00.000Z',
        '2027-03-28T13:00:00.000Z',
        '2027-03-28T09:00:00.000Z',
      ],
    );

    async function runThrough() {
      await scene.run(sid);
      for (let at = 0; at < 26; at += 1) {
        app.clock.advance(hourMs);
        await scene.run(sid);
      }
      return scene.recipients(sid);
    }
  });

  test('lets people sleep: whoever comes into their quiet hours waits for their morning', async () => {
    const app = await newApp();
    app.clock.set(new Date('2027-01-15T19:30:00Z'));
    const scene = await sceneOf(app);
    const [paris] = await scene.contacts(1, { timezone: 'Europe/Paris' });
    const [tokyo] = await scene.contacts(1, { timezone: 'Asia/Tokyo' });
    const quietHours = { from: '20:00', to: '08:00' };
    const { sid } = await scene.launched([paris!, tokyo!], { quietHours });
    assert.equal((await scene.run(sid)).progress.admitted, 0);
    app.clock.set(new Date('2027-01-15T23:00:00Z'));
    assert.deepEqual((await scene.run(sid)).progress.admitted, 1);
    app.clock.set(new Date('2027-01-16T06:59:00Z'));
    assert.equal((await scene.run(sid)).progress.admitted, 1);
    app.clock.set(new Date('2027-01-16T07:00:00Z'));
    assert.equal((await scene.run(sid)).state, 'COMPLETED');
    const [first] = await scene.recipients(sid, '&outcome=ADMITTED');
    assert.ok(first);
  });
});

suite('once it is answered that a campaign', () => {
  test('is paused at full speed, nobody is admitted until it is resumed, and then everybody else once', async () => {
    const app = await newApp();
    const scene = await sceneOf(app);
    const count = 2500;
    const segmentSid = await crowd(app, count);
    const { sid, operationSid } = await scene.launched([], {
      audience: { segmentSid },
      // So that a turn that happens to get the lock before the pause has nobody to admit.
      messagesPerMinute: 1000,
    });
    const sent = () => app.count(`messages where campaign_sid = '${sid}'`);
    // Stopped in the middle of its first turn, for which the pause then waits.
    const money = await lockRows(app, `wallets where account_sid = '${app.accountSid}'`);
    const running = scene.operations.run(runCampaign, operationSid!);
    await money.waitersAre(1);
    const pausing = app.post(`${scene.all}/${sid}/pause`);
    await money.waitersAre(2);
    await money.release();
    const paused = await pausing;
    assert.equal(paused.status, 200, paused.text);
    assert.deepEqual([paused.body.progress.admitted, await sent()], [1000, 1000]);
    await running;
    app.clock.advance(60_000);
    await scene.run(sid);
    assert.equal(await sent(), 1000);
    await scene.done(sid, 'resume');
    await scene.run(sid);
    app.clock.advance(60_000);
    const complete = await scene.run(sid);
    assert.deepEqual([complete.state, complete.progress.admitted, await sent()], ['COMPLETED', count, count]);
    assert.equal(
      await app.count(`messages where campaign_sid = '${sid}' and contact_sid in (
      select contact_sid from messages where campaign_sid = '${sid}' group by contact_sid having count(*) > 1)`),
      0,
    );
  });

  test('is canceled, nobody else is written to, and whoever waited is told as canceled', async () => {
    const app = await newApp();
    const scene = await sceneOf(app);
    const { sid, operationSid } = await scene.launched(await scene.contacts(3), { messagesPerMinute: 1 });
    await scene.run(sid);
    await scene.done(sid, 'cancel');
    app.clock.advance(600_000);
    await scene.operations.run(runCampaign, operationSid!);
    const outcomes = (await scene.recipients(sid)).map(({ outcome }) => outcome);
    assert.deepEqual(outcomes, ['ADMITTED', 'CANCELED', 'CANCELED']);
    assert.equal((await scene.recipients(sid, '&outcome=CANCELED')).length, 2);
    assert.equal((await scene.recipients(sid, '&outcome=PENDING')).length, 0);
    assert.equal((await scene.operations.get(operationSid!)).state, 'CANCELED');
    assert.equal(await app.count(`messages where campaign_sid = '${sid}'`), 1);
  });
});
