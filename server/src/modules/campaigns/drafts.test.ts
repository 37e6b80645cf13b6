import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { bearer, type TestApp } from '../../../test/harness/app.ts';
import { refused } from '../../../test/harness/contacts.ts';
import { ownAccounts } from '../../../test/harness/own-account.ts';
import { hello, offerTo, sceneOf } from './campaigns.test-data.ts';

const newApp = ownAccounts();

const segmentIn = async (app: TestApp, filters: object = {}) =>
  (await app.post(`${app.at}/segments`, { kind: 'DYNAMIC', name: 'All', filters })).body.sid as string;

suite('a draft', () => {
  test('is kept, listed, changed part by part and deleted, and each is told', async () => {
    const app = await newApp();
    const scene = await sceneOf(app);
    const sids = await scene.contacts(2);
    const draft = await scene.draft(sids, { budget: { amountMinor: '500', currency: 'USD', scale: 2 } });
    assert.deepEqual([draft.state, draft.version, draft.audience.contactSids], ['DRAFT', 1, sids]);
    assert.deepEqual(await scene.get(draft.sid), draft);
    const list = (await app.get(scene.all)).body.data;
    assert.deepEqual(list, [{ ...draft, audience: { ...draft.audience, contactSids: null } }]);

    const change = {
      name: 'Two ways',
      budget: null,
      variants: [hello, offerTo('you')].map((message) => ({ message, weight: 50 })),
    };
    const changed = await app.patch(`${scene.all}/${draft.sid}`, change);
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual(
      [
        changed.body.version,
        changed.body.message,
        changed.body.variants.length,
        changed.body.budget,
        changed.body.from,
      ],
      [2, null, 2, null, scene.from],
    );
    assert.equal((await app.delete(`${scene.all}/${draft.sid}`)).status, 204);
    refused(await app.get(`${scene.all}/${draft.sid}`), 404, 'NOT_FOUND');
    const told = (await app.emitted()).filter((type) => type.startsWith('campaign.'));
    assert.deepEqual(told, ['campaign.created', 'campaign.updated', 'campaign.deleted']);
  });

  test('keeps the segment it names from being deleted, until it is deleted itself, or its people are cut', async () => {
    const app = await newApp();
    const scene = await sceneOf(app);
    await scene.contacts(1);
    const segmentSid = await segmentIn(app);
    const { sid } = await scene.draft([], { audience: { segmentSid } });
    refused(await app.delete(`${app.at}/segments/${segmentSid}`), 409, 'CONFLICT');
    await app.delete(`${scene.all}/${sid}`);
    assert.equal((await app.delete(`${app.at}/segments/${segmentSid}`)).status, 200);

    for (const end of [scene.run, (one: string) => scene.done(one, 'cancel')]) {
      const other = await segmentIn(app);
      const launched = await scene.launched([], { audience: { segmentSid: other } });
      refused(await app.delete(`${app.at}/segments/${other}`), 409, 'CONFLICT');
      await end(launched.sid);
      assert.equal((await app.delete(`${app.at}/segments/${other}`)).status, 200);
    }
  });

  test('is refused at the path of each thing that is wrong with it, and nothing is kept', async () => {
    const app = await newApp();
    const scene = await sceneOf(app);
    const [sid] = await scene.contacts(1);
    const empty = await segmentIn(app, { displayNameContains: 'nobody is called so' });
    const other = await app.newAccount();
    const there = { at: `/v1/accounts/${other.accountSid}`, headers: bearer(other.sandboxKey) };
    const stranger = await app.post(`${there.at}/segments`, { kind: 'DYNAMIC', name: 'All' }, there.headers);
    const phone = [{ identifierType: 'phone_e164', value: '+33612345678' }];
    const foreign = await app.post(`${there.at}/contacts`, { identifiers: phone }, there.headers);
    const theirs = (await app.get(`${there.at}/senders`, there.headers)).body.data[0].sid;
    const weighted = (...weights: number[]) => ({
      message: undefined,
      variants: weights.map((weight) => ({ message: hello, weight })),
    });
    const wrong: [object, ...string[]][] = [
      [{ audience: {} }, 'audience.segmentSid'],
      [
        { audience: { segmentSid: empty, contactSids: [sid] } },
        'audience.segmentSid',
        'audience.contactSids',
      ],
      [{ audience: { segmentSid: empty } }, 'audience.segmentSid'],
      [{ audience: { segmentSid: stranger.body.sid } }, 'audience.segmentSid'],
      [{ audience: { contactSids: [] } }, 'audience.contactSids'],
      [{ audience: { contactSids: [sid, foreign.body.sid] } }, 'audience.contactSids[1]'],
      [{ audience: { contactSids: [sid, sid] } }, 'audience.contactSids'],
      [{ name: '  ' }, 'name'],
      [{ message: { ...hello, to: '+33612345678' } }, 'message.to'],
      [{ message: { ...hello, contactSid: sid } }, 'message.contactSid'],
      [{ message: { ...hello, sendAt: '2027-01-01T00:00:00Z' } }, 'message.sendAt'],
      [{ message: { ...hello, from: scene.from } }, 'message.from'],
      [{ message: { type: 'text' } }, 'message.text'],
      [{ message: undefined }, 'message'],
      [weighted(50, 51), 'variants[0].weight', 'variants[1].weight'],
      [weighted(99), 'variants'],
      [weighted(20, 20, 20, 20, 20), 'variants'],
      [{ ...weighted(50, 50), message: hello }, 'message', 'variants'],
      [{ message: offerTo('{{firstName}}') }, 'message.template.components[0].parameters[0].text'],
      [{ message: offerTo('{{firstName') }, 'message.template.components[0].parameters[0].text'],
      [{ message: offerTo('{{constructor}}') }, 'message.template.components[0].parameters[0].text'],
      [{ variables: { firstName: {} } }, 'variables.firstName'],
      [{ variables: { firstName: { attribute: 'a', field: 'locale' } } }, 'variables.firstName.field'],
      [{ variables: { 'a b': { attribute: 'a' } } }, 'variables.a b'],
      [{ from: theirs }, 'from'],
      [{ senderPoolSid: 'SP01K3SAMP1E0000000000000000' }, 'senderPoolSid'],
      [{ sendAt: '2026-08-21T09:59:59Z' }, 'sendAt'],
      [{ sendAt: '2026-08-20T21:59:59Z', localTime: true }, 'sendAt'],
      [{ sendAt: '2027-08-22T10:00:01Z' }, 'sendAt'],
      [{ localTime: true }, 'localTime'],
      [{ quietHours: { from: '08:00', to: '08:00' } }, 'quietHours.to'],
      [{ quietHours: { from: '24:00', to: '08:00' } }, 'quietHours.from'],
      [{ messagesPerMinute: 0 }, 'messagesPerMinute'],
      [{ budget: { amountMinor: '100', currency: 'EUR', scale: 2 } }, 'budget.currency'],
      [{ budget: { amountMinor: '100', currency: 'USD', scale: 9 } }, 'budget.scale'],
      [{ budget: { amountMinor: '0', currency: 'USD', scale: 2 } }, 'budget.amountMinor'],
      [{ budget: { amountMinor: '-5', currency: 'USD', scale: 2 } }, 'budget.amountMinor'],
      [{ budget: { amountMinor: '9'.repeat(30), currency: 'USD', scale: 2 } }, 'budget.amountMinor'],
    ];
    for (const [more, ...paths] of wrong) {
      const reply = await app.post(scene.all, scene.asked([sid!], more));
      for (const path of paths) refused(reply, 400, 'VALIDATION_ERROR', path);
    }
    assert.equal(await app.count('campaigns'), 0);

    const draft = await scene.draft([sid!]);
    for (const [more, ...paths] of wrong.filter(([one]) => !('message' in one))) {
      const reply = await app.patch(`${scene.all}/${draft.sid}`, more);
      for (const path of paths) refused(reply, 400, 'VALIDATION_ERROR', path);
    }
    assert.deepEqual(await scene.get(draft.sid), draft);
  });
});

suite('the settings of an account', () => {
  test('are those of nobody until somebody changes them, and are per environment', async () => {
    const app = await newApp();
    const path = `${app.at}/campaign-settings`;
    const { body } = await app.get(path);
    assert.deepEqual([body.approvalAbove, body.fallbackTimezone, body.updatedAt], [10_000, 'UTC', null]);
  });
});
