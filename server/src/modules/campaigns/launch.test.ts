import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { bearer, type TestApp } from '../../../test/harness/app.ts';
import { leaveOnly } from '../../../test/harness/billing.ts';
import { phone, refused } from '../../../test/harness/contacts.ts';
import { runCron } from '../../../test/harness/jobs.ts';
import { ownAccounts } from '../../../test/harness/own-account.ts';
import { person } from '../../../test/harness/people.ts';
import { insertSender } from '../senders/fixtures.ts';
import { insertWaba } from '../wabas/fixtures.ts';
import { hello, offerTo, sceneOf } from './campaigns.test-data.ts';
import { endFailed } from './crons.ts';

const newApp = ownAccounts();

const setTemplate = (app: TestApp, name: string, status: string) =>
  app.sql('update templates set status = $3 where account_sid = $1 and name = $2', [
    app.accountSid,
    name,
    status,
  ]);

suite('a campaign that is launched', () => {
  test('sends each of its recipients one message that names it, and is complete', async () => {
    const app = await newApp();
    const scene = await sceneOf(app);
    const sids = await scene.contacts(3);
    const { sid, operationSid } = await scene.launched(sids);
    const complete = await scene.run(sid);
    assert.deepEqual(
      [complete.state, complete.progress],
      ['COMPLETED', { recipients: 3, pending: 0, admitted: 3, refused: 0 }],
    );
    const recipients = await scene.recipients(sid);
    assert.deepEqual(
      recipients.map(({ contactSid }) => contactSid),
      sids.toSorted(),
    );
    const messages = await scene.messages(sid);
    assert.deepEqual(
      messages
        .map((message: { sid: string; to: { contactSid: string } }) => [message.sid, message.to.contactSid])
        .toSorted(),
      recipients.map(({ messageSid, contactSid }) => [messageSid, contactSid]).toSorted(),
    );
    for (const message of messages) assert.equal(message.campaignSid, sid);
    const queued = await app.sql(
      `select data from events where account_sid = $1 and type = 'message.queued' and data ->> 'campaignSid' = $2`,
      [app.accountSid, sid],
    );
    assert.equal(queued.length, 3);
    const operation = await scene.operations.get(operationSid!);
    assert.deepEqual(
      [operation.state, operation.progress.done, operation.progress.failed, operation.progress.total],
      ['SUCCEEDED', 3, 0, 3],
    );
    const told = (await app.emitted()).filter((type) => type.startsWith('campaign.'));
    assert.deepEqual(told, [
      'campaign.created',
      'campaign.scheduled',
      'campaign.started',
      'campaign.completed',
    ]);
    assert.equal(await app.count(`notifications where type = 'campaign.completed'`), 1);
  });

  test('writes to those who were in its segment when it was launched, and to nobody who came later', async () => {
    const app = await newApp();
    const scene = await sceneOf(app);
    const sids = await scene.contacts(2);
    const segment = { kind: 'DYNAMIC', name: 'All' };
    const segmentSid = (await app.post(`${app.at}/segments`, segment)).body.sid;
    const sendAt = new Date(app.clock.now().getTime() + 3_600_000).toISOString();
    const { sid } = await scene.launched([], { audience: { segmentSid }, sendAt });
    assert.equal((await scene.run(sid)).state, 'SCHEDULED');
    await scene.contacts(1);
    await app.post(`${app.at}/segments/${segmentSid}/refresh`);
    app.clock.advance(3_600_000);
    assert.equal((await scene.run(sid)).state, 'COMPLETED');
    const written = (await scene.recipients(sid)).map(({ contactSid }) => contactSid);
    assert.deepEqual(written, sids.toSorted());
  });

  test('fills the texts of each from their attributes, or the fallback, and records who has neither', async () => {
    const app = await newApp();
    const scene = await sceneOf(app);
    const [named] = await scene.contacts(1, { attributes: { firstName: '{{age}}', age: 41 } });
    const [young] = await scene.contacts(1, { attributes: { age: 7 } });
    const [ageless] = await scene.contacts(1, { attributes: { firstName: 'Ines', age: { is: 'secret' } } });
    for (const sid of [named!, young!, ageless!]) await scene.people.consent(sid);
    const { sid } = await scene.launched([named!, young!, ageless!], {
      message: offerTo('{{firstName|you}} of {{age}}'),
      variables: { firstName: { attribute: 'firstName' }, age: { attribute: 'age' } },
    });
    await scene.run(sid);
    const textOf = (contactSid: string) => async () => {
      const found = (await scene.messages(sid)).find(
        (message: { to: { contactSid: string } }) => message.to.contactSid === contactSid,
      );
      return found?.content.components[0].parameters[0].text;
    };
    // What was filled in is not looked at again.
    assert.equal(await textOf(named!)(), '{{age}} of 41');
    assert.equal(await textOf(young!)(), 'you of 7');
    const [refusal] = await scene.recipients(sid, '&outcome=REFUSED');
    assert.deepEqual([refusal!.contactSid, refusal!.code], [ageless, 'VALIDATION_ERROR']);
    assert.deepEqual(
      (refusal!.evidence as { details: { path: string }[] }).details[0]!.path,
      'variables.age',
    );
  });

  test('records whom a gate refuses with its code and evidence, and goes on with the others', async () => {
    const app = await newApp();
    const scene = await sceneOf(app);
    const sids = await scene.contacts(3);
    await scene.people.suppress(sids[1]!, { scope: 'ALL' });
    const { sid } = await scene.launched(sids);
    const { progress, state } = await scene.run(sid);
    assert.deepEqual([state, progress.admitted, progress.refused], ['COMPLETED', 2, 1]);
    const code = 'RECIPIENT_OPTED_OUT';
    const [refusal, ...others] = await scene.recipients(sid, '&outcome=REFUSED');
    assert.deepEqual(others, []);
    assert.deepEqual([refusal!.contactSid, refusal!.messageSid], [sids[1], null]);
    assert.equal((refusal!.evidence as { gate: string }).gate, 'suppression');
    assert.deepEqual(await scene.recipients(sid, `&code=${refusal!.code}`), [refusal]);
    assert.deepEqual(await scene.recipients(sid, '&code=NOT_FOUND'), []);
    assert.ok([code, 'CONTACT_SUPPRESSED'].includes(refusal!.code!));
  });

  test('gives each the variant that is theirs', async () => {
    const app = await newApp();
    const scene = await sceneOf(app);
    const sids = await scene.contacts(20);
    const variants = [hello, { ...hello, tags: ['b'] }].map((message) => ({ message, weight: 50 }));
    const { sid } = await scene.launched(sids, { message: undefined, variants });
    await scene.run(sid);
    const tagsOf = new Map(
      (await scene.messages(sid)).map((message: { sid: string; tags: string[] }) => [
        message.sid,
        message.tags,
      ]),
    );
    for (const { messageSid, variant } of await scene.recipients(sid))
      assert.deepEqual(tagsOf.get(messageSid!), variant === 1 ? ['b'] : []);
  });

  test('is neither launched again, nor changed, nor deleted, nor paused or canceled once it has ended', async () => {
    const app = await newApp();
    const scene = await sceneOf(app);
    const draft = await scene.draft(await scene.contacts(1));
    const one = `${scene.all}/${draft.sid}`;
    const conflict = async (reply: Promise<Parameters<typeof refused>[0]>) =>
      refused(await reply, 409, 'CONFLICT');
    for (const what of ['pause', 'resume', 'cancel']) await conflict(app.post(`${one}/${what}`));
    await scene.done(draft.sid, 'launch');
    for (const what of ['launch', 'pause', 'resume']) await conflict(app.post(`${one}/${what}`));
    await conflict(app.patch(one, { name: 'Other' }));
    await conflict(app.delete(one));
    await scene.run(draft.sid);
    for (const what of ['launch', 'pause', 'resume', 'cancel']) await conflict(app.post(`${one}/${what}`));
    assert.equal((await scene.get(draft.sid)).state, 'COMPLETED');
  });

  test('is refused in the words of the gate when its template was rejected since it was drafted', async () => {
    const app = await newApp();
    const scene = await sceneOf(app);
    const { sid } = await scene.draft(await scene.contacts(1));
    await setTemplate(app, 'hello_world', 'REJECTED');
    refused(await app.post(`${scene.all}/${sid}/launch`), 422, 'TEMPLATE_NOT_APPROVED');
    await setTemplate(app, 'hello_world', 'PAUSED');
    refused(await app.post(`${scene.all}/${sid}/launch`), 422, 'TEMPLATE_PAUSED');
    await app.sql(`update senders set status = 'BANNED' where sid = $1`, [scene.from]);
    refused(await app.post(`${scene.all}/${sid}/launch`), 422, 'SENDER_RESTRICTED');
    assert.deepEqual([(await scene.get(sid)).state, await app.count('operations')], ['DRAFT', 0]);
  });

  test('is refused when its moment has passed since it was drafted', async () => {
    const app = await newApp();
    const scene = await sceneOf(app);
    const sendAt = new Date(app.clock.now().getTime() + 1000).toISOString();
    const { sid } = await scene.draft(await scene.contacts(1), { sendAt });
    app.clock.advance(2000);
    refused(await app.post(`${scene.all}/${sid}/launch`), 400, 'VALIDATION_ERROR', 'sendAt');
  });

  test('fails when its operation has given up, and says so', async () => {
    const app = await newApp();
    const scene = await sceneOf(app);
    const { sid, operationSid } = await scene.launched(await scene.contacts(2));
    await app.sql(
      `update operations set state = 'FAILED', finished_at = created_at, error = '{"code":"INTERNAL_PERMANENT_ERROR","message":"So it was"}'
        where sid = $1`,
      [operationSid],
    );
    await runCron(app, endFailed);
    const { state, reason } = await scene.get(sid);
    assert.deepEqual([state, reason], ['FAILED', 'INTERNAL_PERMANENT_ERROR']);
  });
});

suite('a campaign that meets what stands against all its messages', () => {
  test('pauses with the reason, uses up nobody’s turn, and goes on when it is resumed', async () => {
    const app = await newApp();
    const scene = await sceneOf(app);
    const { sid } = await scene.launched(await scene.contacts(2));
    await setTemplate(app, 'hello_world', 'PAUSED');
    const paused = await scene.run(sid);
    assert.deepEqual(
      [paused.state, paused.reason, paused.progress.pending],
      ['PAUSED', 'TEMPLATE_PAUSED', 2],
    );
    assert.equal(await app.count(`notifications where type = 'campaign.paused'`), 1);
    await setTemplate(app, 'hello_world', 'APPROVED');
    assert.equal((await scene.done(sid, 'resume')).reason, null);
    assert.equal((await scene.run(sid)).progress.admitted, 2);
  });

  test('admits those the money suffices for, and pauses', async () => {
    const app = await newApp();
    const scene = await sceneOf(app);
    const { sid } = await scene.launched(await scene.contacts(3));
    const price = await priceOfOne(app, scene.from);
    await leaveOnly(app, app.accountSid, price * 2n + price / 2n);
    const { state, reason, progress } = await scene.run(sid);
    assert.deepEqual(
      [state, reason, progress.admitted, progress.pending],
      ['PAUSED', 'INSUFFICIENT_FUNDS', 2, 1],
    );
  });
});

async function priceOfOne(app: TestApp, from: string): Promise<bigint> {
  const { body } = await app.post(`${app.at}/messages/preflight`, { ...hello, from, to: '+33612345678' });
  return BigInt(body.cost.total.amountMinor);
}

suite('a budget', () => {
  test('is never passed by what its messages can cost, and whoever does not fit is recorded', async () => {
    const app = await newApp();
    const scene = await sceneOf(app);
    const sids = await scene.contacts(5);
    const { body: marketing } = await app.post(`${app.at}/messages/preflight`, {
      ...offerTo('you'),
      from: scene.from,
      to: '+33612345678',
    });
    const most = BigInt(marketing.cost.total.amountMinor);
    // One unit too little for the fourth.
    const budget = { amountMinor: (most * 4n - 1n).toString(), currency: 'USD', scale: 6 };
    const { sid } = await scene.launched(sids, { budget });
    const { state, progress, budgetUsed } = await scene.run(sid);
    assert.equal(state, 'COMPLETED');
    const used = BigInt(budgetUsed!.amountMinor);
    assert.ok(used <= BigInt(budget.amountMinor) && used > 0n);
    assert.equal(progress.admitted + progress.refused, 5);
    const refusals = await scene.recipients(sid, '&outcome=REFUSED');
    assert.ok(refusals.length >= 2, 'a utility message may be charged as the dearest one');
    for (const { code, evidence } of refusals)
      assert.deepEqual([code, (evidence as { gate: string }).gate], ['INSUFFICIENT_FUNDS', 'allowance']);
    const [{ held }] = (await app.sql(
      `select sum(amount_minor)::text as held from message_holds where account_sid = $1`,
      [app.accountSid],
    )) as [{ held: string }];
    assert.ok(BigInt(held) <= used);
  });
});

suite('people who became one since the audience was cut', () => {
  test('get one message, under whichever name their turn comes first', async () => {
    const app = await newApp();
    const scene = await sceneOf(app);
    const sids = (await scene.contacts(4)).toSorted();
    const sendAt = new Date(app.clock.now().getTime() + 1000).toISOString();
    const { sid } = await scene.launched(sids, { sendAt, messagesPerMinute: 1 });
    await scene.run(sid);
    app.clock.advance(1000);
    // The first is written to, and only then found to be the second; the third and the fourth are one before.
    await scene.people.merge(sids[3]!, sids[2]!);
    assert.equal((await scene.run(sid)).progress.admitted, 1);
    await scene.people.merge(sids[1]!, sids[0]!);
    for (let turn = 0; turn < 4; turn += 1) {
      app.clock.advance(60_000);
      await scene.run(sid);
    }
    const outcomes = (await scene.recipients(sid)).map(({ outcome, code }) => code ?? outcome);
    assert.deepEqual(outcomes, ['ADMITTED', 'CONFLICT', 'ADMITTED', 'CONFLICT']);
    assert.equal((await scene.get(sid)).state, 'COMPLETED');
  });
});

suite('a live campaign to more people than the account’s threshold', () => {
  test('is launched by whoever else agrees, and only as it was asked for', async () => {
    const app = await newApp();
    const live = { accountSid: app.accountSid, livemode: true };
    const asker = await person(app, { livemode: true });
    const other = await person(app, { livemode: true });
    const from = await insertSender(app, live);
    const wabaSid = await insertWaba(app, live);
    await app.sql('update senders set waba_sid = $2, provider_phone_number_id = $1 where sid = $1', [
      from,
      wabaSid,
    ]);
    const post = (path: string, body?: object) => app.post(`${app.at}${path}`, body, asker.headers);
    const contact = async () => (await post('/contacts', { identifiers: [phone()] })).body.sid;
    const contactSids = [await contact(), await contact()];
    const stepUpToken = await asker.stepUp('CAMPAIGN_SETTINGS_CHANGE');
    const settings = await app.patch(
      `${app.at}/campaign-settings`,
      { approvalAbove: 1, stepUpToken },
      asker.headers,
    );
    assert.equal(settings.status, 200, settings.text);
    const drafted = await post('/campaigns', {
      name: 'Hello',
      audience: { contactSids },
      message: { type: 'text', text: { body: 'Hello' } },
      from,
    });
    assert.equal(drafted.status, 201, drafted.text);
    const { sid } = drafted.body;
    const asked = await post(`/campaigns/${sid}/launch`);
    refused(asked, 403, 'APPROVAL_REQUIRED', 'approvalSid');
    const approvalSid = asked.body.error.details[0].issue;
    // Asked for again, it is the same request.
    const again = await post(`/campaigns/${sid}/launch`);
    assert.equal(again.body.error.details[0].issue, approvalSid);
    const approve = (by: typeof other, of: string) =>
      app.post(`${app.at}/approvals/${of}/approve`, {}, by.headers);
    refused(await approve(asker, approvalSid), 403, 'AUTHORIZATION_ERROR');

    await app.patch(`${app.at}/campaigns/${sid}`, { name: 'Something else' }, asker.headers);
    refused(await approve(other, approvalSid), 409, 'CONFLICT');
    const anew = (await post(`/campaigns/${sid}/launch`)).body.error.details[0].issue;
    assert.notEqual(anew, approvalSid);
    const agreed = await approve(other, anew);
    assert.equal(agreed.status, 200, agreed.text);
    const { body } = await app.get(`${app.at}/campaigns/${sid}`, asker.headers);
    assert.deepEqual(
      [body.state, body.approvalSid, body.launchedBy],
      ['SCHEDULED', anew, `user:${other.userSid}`],
    );
  });

  test('has a threshold that an administrator lowers, and only an owner raises', async () => {
    const app = await newApp();
    const admin = await person(app, { livemode: true, roles: ['ADMIN'] });
    const set = async (approvalAbove: number | null) => {
      const stepUpToken = await admin.stepUp('CAMPAIGN_SETTINGS_CHANGE');
      return app.patch(`${app.at}/campaign-settings`, { approvalAbove, stepUpToken }, admin.headers);
    };
    assert.equal((await set(5)).status, 200);
    refused(await set(6), 403, 'AUTHORIZATION_ERROR', 'approvalAbove');
    refused(await set(null), 403, 'AUTHORIZATION_ERROR', 'approvalAbove');
    assert.equal((await app.get(`${app.at}/campaign-settings`, admin.headers)).body.approvalAbove, 5);
    // The sandbox has a threshold of its own, which asks nobody.
    assert.equal(
      (await app.get(`${app.at}/campaign-settings`, bearer(app.sandboxKey))).body.approvalAbove,
      10_000,
    );
  });
});
