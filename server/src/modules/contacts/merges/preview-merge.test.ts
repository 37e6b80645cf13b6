import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { bearer, type TestApp } from '../../../../test/harness/app.ts';
import { peopleOf, phone, portrait, refused } from '../../../../test/harness/contacts.ts';
import { ownAccounts } from '../../../../test/harness/own-account.ts';

const newApp = ownAccounts();

const preview = (app: TestApp, survivorSid: string, mergeContactSid: string, headers: object = {}) =>
  app.post(`${app.at}/contacts/${survivorSid}/merge/preview`, { mergeContactSid }, headers);

suite('the preview of a merge', () => {
  test('tells what the merge then does, and changes nothing', async () => {
    const app = await newApp();
    const people = peopleOf(app);
    const sender = await people.sender();
    const survivor = await people.contact({ displayName: 'Survivor', attributes: { a: 1 } });
    const merged = await people.contact({ displayName: 'Merged' });
    await people.consent(merged.sid);
    await people.suppress(merged.sid);
    await people.inbound(sender, merged.sid);
    app.clock.advance(1_000);
    const look = () => Promise.all([survivor, merged].map(({ sid }) => portrait(app, sid, sender)));
    const before = [await look(), await app.emitted(), await app.count('audit_entries')];
    const seen = await preview(app, survivor.sid, merged.sid);
    assert.equal(seen.status, 200, seen.text);
    assert.deepEqual([await look(), await app.emitted(), await app.count('audit_entries')], before);
    assert.equal(await app.count('contact_merges'), 0);
    const done = await people.merge(survivor.sid, merged.sid);
    const { moved, survivor: after, survivorContactSid, mergedContactSid, revertibleUntil } = seen.body;
    assert.deepEqual(
      [moved, survivorContactSid, mergedContactSid, revertibleUntil],
      [done.moved, done.survivorContactSid, done.mergedContactSid, done.revertibleUntil],
    );
    assert.equal(moved.suppressions.length, 1);
    assert.deepEqual(after, await people.read(survivor.sid));
  });

  test('is refused where the merge would be', async () => {
    const app = await newApp();
    const people = peopleOf(app);
    const [one, other, gone] = [await people.contact(), await people.contact(), await people.contact()];
    await people.merge(other.sid, gone.sid);
    refused(await preview(app, one.sid, one.sid), 400, 'VALIDATION_ERROR', 'mergeContactSid');
    refused(await preview(app, one.sid, gone.sid), 409, 'CONFLICT');
    refused(await preview(app, gone.sid, one.sid), 409, 'CONFLICT');
  });

  test('knows nobody of another account or of the other environment', async () => {
    const app = await newApp();
    const own = await peopleOf(app).contact();
    const stranger = await app.newAccount();
    const at = `/v1/accounts/${stranger.accountSid}/contacts`;
    const foreign = await app.post(at, { identifiers: [phone()] }, bearer(stranger.sandboxKey));
    const live = await app.post(`${app.at}/contacts`, { identifiers: [phone()] }, bearer(app.liveKey));
    const unknown = own.sid.replace(/....$/, '0000');
    const answers = [];
    for (const sid of [foreign.body.sid, live.body.sid, unknown]) {
      for (const reply of [await preview(app, own.sid, sid), await preview(app, sid, own.sid)])
        answers.push([reply.status, reply.body.error.code, reply.body.error.details]);
    }
    assert.deepEqual(answers.slice(2, 4), answers.slice(0, 2));
    assert.deepEqual(answers.slice(4), answers.slice(0, 2));
    assert.deepEqual(
      answers.map(([status]) => status),
      [404, 404, 404, 404, 404, 404],
    );
  });
});
