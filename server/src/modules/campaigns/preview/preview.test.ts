import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import type { Reply, TestApp } from '../../../../test/harness/app.ts';
import { billingOf, leaveOnly } from '../../../../test/harness/billing.ts';
import { beginDeadline } from '../../../../test/harness/deadline.ts';
import { ownAccounts } from '../../../../test/harness/own-account.ts';
import { privacyOf } from '../../../../test/harness/privacy.ts';
import { untouched } from '../../../../test/harness/untouched.ts';
import { crowd, hello, offerTo, type Scene, sceneOf } from '../campaigns.test-data.ts';
import { campaignPreview } from './preview-campaign.ts';
import type { CampaignPreview } from './schema.ts';

// `CAMPAIGN_PREVIEWS=10000` tries as many as the aim says.
const numRuns = Number(process.env.CAMPAIGN_PREVIEWS ?? 8);
const newApp = ownAccounts();

const previewOf = async (app: TestApp, { all }: Scene, sid: string): Promise<CampaignPreview> => {
  const reply = await app.post(`${all}/${sid}/preview`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
};
const refused = ({ status, body }: Reply) => [status, body.error.code];
const codesOf = ({ refusals }: CampaignPreview) =>
  Object.fromEntries(refusals.map(({ code, recipients }) => [code, recipients]));

suite('the preview of a campaign', () => {
  test('tells whom each gate refuses, with samples, what it costs where, and how long it takes', async () => {
    const app = await newApp();
    const scene = await sceneOf(app);
    const sids = await scene.contacts(14);
    const [belgian] = await scene.contacts(1, {
      identifiers: [{ identifierType: 'phone_e164', value: '+32470123456' }],
    });
    for (const sid of sids.slice(0, 12))
      await scene.people.suppress(sid, { scope: 'ALL', reason: 'COMPLAINT' });
    const { sid } = await scene.draft([...sids, belgian!], { messagesPerMinute: 1 });
    const preview = await previewOf(app, scene, sid);
    assert.deepEqual(
      [preview.campaignSid, preview.version, preview.recipients, preview.admitted, preview.refused],
      [sid, 1, 15, 3, 12],
    );
    const [refusal] = preview.refusals;
    assert.deepEqual(
      [refusal!.gate, refusal!.code, refusal!.atLaunch, refusal!.recipients, refusal!.samples.length],
      ['suppression', 'CONTACT_SUPPRESSED', 'REFUSED', 12, 10],
    );
    assert.equal(refusal!.samples[0]!.contactSid, sids.slice(0, 12).sort()[0]);
    assert.equal(refusal!.samples[0]!.evidence.reason, 'COMPLAINT');
    assert.deepEqual(
      preview.costs.map(({ market, category, recipients }) => [market, category, recipients]),
      [
        ['EUROPE_WEST', 'utility', 1],
        ['FR', 'utility', 2],
      ],
    );
    const total = preview.costs.reduce((sum, { cost }) => sum + BigInt(cost.amountMinor), 0n);
    assert.ok(total > 0n);
    assert.equal(preview.cost.amountMinor, total.toString());
    assert.deepEqual(
      preview.senders.map(({ senderSid, recipients }) => [senderSid, recipients]),
      [[scene.from, 3]],
    );
    // Three at one a minute.
    assert.equal(preview.seconds, 180);
  });

  test('counts people who were merged once, under whoever they are now', async () => {
    const app = await newApp();
    const scene = await sceneOf(app);
    const sids = (await scene.contacts(5)).sort();
    const segmentSid = (await app.post(`${app.at}/segments`, { kind: 'DYNAMIC', name: 'All' })).body.sid;
    await scene.people.merge(sids[0]!, sids[3]!);
    await scene.people.merge(sids[4]!, sids[1]!);
    const named = await scene.draft(sids);
    const cut = await scene.draft([], { audience: { segmentSid } });
    for (const { sid } of [named, cut]) assert.equal((await previewOf(app, scene, sid)).recipients, 3);
  });

  test('leaves out whoever is restricted, as the launch does', async () => {
    const app = await newApp();
    const scene = await sceneOf(app);
    const sids = await scene.contacts(3);
    await privacyOf(app).restrict(sids[1]!);
    const { sid } = await scene.draft(sids);
    const preview = await previewOf(app, scene, sid);
    assert.deepEqual([preview.recipients, preview.admitted, preview.refused], [2, 2, 0]);
  });

  test('has what people are called in their texts, and tells who has no value for them', async () => {
    const app = await newApp();
    const scene = await sceneOf(app);
    const [named] = await scene.contacts(1, { attributes: { firstName: 'Ines' } });
    const [nameless] = await scene.contacts(1);
    for (const sid of [named!, nameless!]) await scene.people.consent(sid);
    const { sid } = await scene.draft([named!, nameless!], {
      message: offerTo('{{firstName}}'),
      variables: { firstName: { attribute: 'firstName' } },
    });
    const { admitted, refusals } = await previewOf(app, scene, sid);
    assert.equal(admitted, 1);
    assert.deepEqual(
      refusals.map(({ gate, code, samples }) => [gate, code, samples[0]!.contactSid]),
      [[null, 'VALIDATION_ERROR', nameless]],
    );
  });

  test('of thousands is an operation that tells how far it is, and its result', async () => {
    const app = await newApp();
    const scene = await sceneOf(app);
    await app.sql(`update portfolios set messaging_limit = 'TIER_UNLIMITED' where account_sid = $1`, [
      app.accountSid,
    ]);
    const segmentSid = await crowd(app, 5_000);
    const { sid } = await scene.draft([], { audience: { segmentSid } });
    const reply = await app.post(`${scene.all}/${sid}/preview`);
    assert.deepEqual([reply.status, reply.body.type], [202, 'campaigns.preview'], reply.text);
    await scene.operations.run(campaignPreview, reply.body.sid);
    const { state, progress, result } = await scene.operations.get(reply.body.sid);
    assert.deepEqual([state, progress.done, progress.total], ['SUCCEEDED', 5_000, 5_000]);
    assert.deepEqual([result.object, result.recipients, result.admitted], ['campaign_preview', 5_000, 5_000]);
  });

  test('stores nothing', async () => {
    const app = await newApp();
    const scene = await sceneOf(app);
    const { sid } = await scene.draft(await scene.contacts(2));
    await untouched(app, app.accountSid, () => previewOf(app, scene, sid));
    assert.equal(await app.count('messages'), 0);
    assert.equal(await app.count('campaign_recipients'), 0);
  });

  test('is of a draft: what was launched or is gone has none', async () => {
    const app = await newApp();
    const scene = await sceneOf(app);
    const { sid } = await scene.launched(await scene.contacts(1));
    assert.deepEqual(refused(await app.post(`${scene.all}/${sid}/preview`)), [409, 'CONFLICT']);
    const gone = sid.replace(/.$/, sid.endsWith('0') ? '1' : '0');
    assert.deepEqual(refused(await app.post(`${scene.all}/${gone}/preview`)), [404, 'NOT_FOUND']);
    const segment = { kind: 'DYNAMIC', name: 'Gold', filters: { attributes: { plan: { eq: 'gold' } } } };
    await scene.contacts(1, { attributes: { plan: 'gold' } });
    const segmentSid = (await app.post(`${app.at}/segments`, segment)).body.sid;
    const drafted = await scene.draft([], { audience: { segmentSid } });
    await app.sql('update segments set member_count = 0 where sid = $1', [segmentSid]);
    const empty = await app.post(`${scene.all}/${drafted.sid}/preview`);
    assert.deepEqual(refused(empty), [400, 'VALIDATION_ERROR']);
    assert.equal(empty.body.error.details[0].path, 'audience.segmentSid');
  });
});

const person = fc.record({
  consent: fc.constantFrom('OPTED_IN', 'OPTED_IN', 'OPTED_OUT', null),
  suppressed: fc.option(fc.constantFrom('ALL', 'MARKETING'), { freq: 3 }),
  country: fc.constantFrom('+336', '+336', '+3247', '+1415'),
  named: fc.boolean(),
});
const world = fc.record({
  people: fc.array(person, { minLength: 1, maxLength: 8 }),
  message: fc.constantFrom('hello', 'offer', 'split'),
  /** How many messages can be paid for, about, and how many the budget holds; null for all. */
  funds: fc.option(fc.nat({ max: 8 }), { freq: 2 }),
  budget: fc.option(fc.integer({ min: 1, max: 8 }), { freq: 2 }),
});

suite('launching what was previewed', () => {
  test('does to everybody what was foreseen, and costs as much', async () => {
    const app = await newApp();
    const scene = await sceneOf(app);
    await app.sql(`update portfolios set messaging_limit = 'TIER_UNLIMITED' where account_sid = $1`, [
      app.accountSid,
    ]);
    let made = 0;
    const contact = async ({
      consent,
      suppressed,
      country,
      named,
    }: typeof person extends fc.Arbitrary<infer P> ? P : never) => {
      made += 1;
      const value = `${country}${String(made).padStart(12 - country.length, '7')}`;
      const { sid } = await scene.people.contact({
        identifiers: [{ identifierType: 'phone_e164', value }],
        attributes: named ? { firstName: 'Ines' } : {},
      });
      if (consent) await scene.people.consent(sid, { status: consent });
      if (suppressed) await scene.people.suppress(sid, { scope: suppressed });
      return sid as string;
    };
    const messagesFor = {
      hello: { message: hello },
      offer: { message: offerTo('{{firstName}}'), variables: { firstName: { attribute: 'firstName' } } },
      split: {
        message: undefined,
        variants: [
          { message: hello, weight: 50 },
          { message: offerTo('you'), weight: 50 },
        ],
      },
    };
    const { credit } = billingOf(app, { livemode: false });
    await fc.assert(
      fc.asyncProperty(world, async ({ people, message, funds, budget }) => {
        const sids: string[] = [];
        for (const one of people) sids.push(await contact(one));
        const { sid } = await scene.draft(sids, {
          ...messagesFor[message],
          ...(budget && { budget: { amountMinor: String(budget * 70_000), currency: 'USD', scale: 6 } }),
        });
        if (funds !== null) await leaveOnly(app, app.accountSid, BigInt(funds) * 5_000n);
        const preview = await previewOf(app, scene, sid);
        const launched = await app.post(`${scene.all}/${sid}/launch`);
        if (launched.status === 202) await compare(app, scene, sid, preview);
        // What stands against everybody is foreseen as well.
        else assert.ok(launched.body.error.code in codesOf(preview), launched.text);
        await credit(10n ** 10n);
        // However many are asked for: what is limited is the time of each.
        beginDeadline();
      }),
      { numRuns },
    );
  });
});

async function compare(app: TestApp, scene: Scene, sid: string, preview: CampaignPreview): Promise<void> {
  const { state, reason, progress } = await scene.run(sid);
  const recipients = await scene.recipients(sid);
  const paused = preview.refusals.filter(({ atLaunch }) => atLaunch === 'PAUSES');
  assert.deepEqual(
    [state, reason, progress.recipients, progress.admitted],
    [
      paused.length > 0 ? 'PAUSED' : 'COMPLETED',
      paused[0]?.code ?? null,
      preview.recipients,
      preview.admitted,
    ],
  );
  const recorded = Object.groupBy(
    recipients.filter(({ outcome }) => outcome === 'REFUSED'),
    ({ code }) => code!,
  );
  assert.deepEqual(
    Object.fromEntries(Object.entries(recorded).map(([code, some]) => [code, some!.length])),
    Object.fromEntries(
      preview.refusals
        .filter(({ atLaunch }) => atLaunch === 'REFUSED')
        .map(({ code, recipients: count }) => [code, count]),
    ),
  );
  const messages: { price: { estimate: { amountMinor: string } } }[] = await scene.messages(sid);
  const cost = messages.reduce((sum, { price }) => sum + BigInt(price.estimate.amountMinor), 0n);
  assert.equal(cost.toString(), preview.cost.amountMinor);
  if (state === 'PAUSED') await scene.done(sid, 'cancel');
  assert.equal(
    messages.length,
    await app.count(`campaign_recipients where campaign_sid = '${sid}' and state = 'ADMITTED'`),
  );
}
