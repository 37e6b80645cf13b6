import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { TestApp } from '../../../../test/harness/app.ts';
import { peopleOf, phone, refused } from '../../../../test/harness/contacts.ts';
import { ownAccounts } from '../../../../test/harness/own-account.ts';

const newApp = ownAccounts();

async function twoInConflict(app: TestApp) {
  const people = peopleOf(app);
  const numbers = [phone(), phone()];
  const older = await people.contact({ identifiers: [numbers[0]] });
  app.clock.advance(1_000);
  const newer = await people.contact({ identifiers: [numbers[1]] });
  // The newer one is named first, so it answers; resolving keeps the older one all the same.
  const answer = await people.contact({ identifiers: [numbers[1], numbers[0]] });
  assert.equal(answer.sid, newer.sid);
  return { older, newer, numbers };
}

const conflictsOf = async (app: TestApp) => (await app.get(`${app.at}/contacts/conflicts`)).body.data;
const resolve = (app: TestApp, id: string, action: string) =>
  app.post(`${app.at}/contacts/conflicts/${id}/resolve`, { action });

suite('an identity conflict', () => {
  test('opens once when identifiers point at different contacts, and moves nothing', async () => {
    const app = await newApp();
    const { older, newer, numbers } = await twoInConflict(app);
    await peopleOf(app).contact({ identifiers: numbers });
    const conflicts = await conflictsOf(app);
    assert.equal(conflicts.length, 1);
    const [conflict] = conflicts;
    assert.deepEqual(
      [conflict.status, conflict.contactSid, conflict.otherContactSid],
      ['open', newer.sid, older.sid],
    );
    assert.deepEqual(conflict.identifiers, older.identifiers);
    assert.equal((await peopleOf(app).read(older.sid)).identifiers.length, 1);
    assert.equal((await app.emitted()).filter((type) => type === 'contact.conflict_opened').length, 1);
  });

  test('among three contacts opens one with each of the others, and unknown identifiers join the first', async () => {
    const app = await newApp();
    const people = peopleOf(app);
    const numbers = [phone(), phone(), phone()];
    const sids: string[] = [];
    for (const number of numbers) sids.push((await people.contact({ identifiers: [number] })).sid);
    const answer = await people.contact({ identifiers: [phone(), ...numbers] });
    assert.deepEqual([answer.sid, answer.identifiers.length], [sids[0], 2]);
    const pairs = (await conflictsOf(app)).map(({ contactSid, otherContactSid }: Record<string, string>) => [
      contactSid,
      otherContactSid,
    ]);
    assert.deepEqual(pairs.sort(), [
      [sids[0], sids[1]],
      [sids[0], sids[2]],
    ]);
  });

  test('resolved by merge keeps the older contact', async () => {
    const app = await newApp();
    const { older, newer } = await twoInConflict(app);
    const [conflict] = await conflictsOf(app);
    const resolved = await resolve(app, conflict.id, 'merge');
    assert.deepEqual(
      [resolved.status, resolved.body.status, resolved.body.resolution],
      [200, 'resolved', 'merge'],
    );
    assert.equal((await peopleOf(app).read(newer.sid)).mergedInto, older.sid);
    const merge = await app.get(`${app.at}/contacts/merges/${resolved.body.mergeId}`);
    assert.deepEqual([merge.body.survivorContactSid, merge.body.mergedContactSid], [older.sid, newer.sid]);
    assert.equal((await app.emitted()).filter((type) => type === 'contact.conflict_resolved').length, 1);
    refused(await resolve(app, conflict.id, 'merge'), 409, 'CONFLICT');
    refused(await resolve(app, conflict.id, 'dismiss'), 409, 'CONFLICT');
  });

  test('dismissed stays dismissed for the same identifiers, and opens again for others', async () => {
    const app = await newApp();
    const people = peopleOf(app);
    const { older, newer, numbers } = await twoInConflict(app);
    const [conflict] = await conflictsOf(app);
    const dismissed = await resolve(app, conflict.id, 'dismiss');
    assert.deepEqual([dismissed.body.resolution, dismissed.body.mergeId], ['dismiss', null]);
    await people.contact({ identifiers: [numbers[1], numbers[0]] });
    assert.equal((await conflictsOf(app)).length, 1);
    const extra = { identifierType: 'username', value: 'older' };
    await people.contact({ identifiers: [numbers[0], extra] });
    await people.contact({ identifiers: [numbers[1], extra] });
    assert.deepEqual((await conflictsOf(app)).map(({ status }: { status: string }) => status).sort(), [
      'open',
      'resolved',
    ]);
    for (const { sid } of [older, newer]) assert.equal((await people.read(sid)).status, 'ACTIVE');
  });

  test('is settled by a merge of its contacts, however that came about', async () => {
    const app = await newApp();
    const { older, newer } = await twoInConflict(app);
    const merge = await peopleOf(app).merge(newer.sid, older.sid);
    const [conflict] = await conflictsOf(app);
    assert.deepEqual([conflict.resolution, conflict.mergeId], ['merge', merge.id]);
  });

  test('of contacts that were merged elsewhere since is settled between their survivors', async () => {
    const app = await newApp();
    const people = peopleOf(app);
    const { older, newer } = await twoInConflict(app);
    const third = await people.contact();
    await people.merge(third.sid, older.sid);
    const [conflict] = await conflictsOf(app);
    const resolved = await resolve(app, conflict.id, 'merge');
    assert.equal(resolved.status, 200, resolved.text);
    assert.deepEqual(
      [(await people.read(third.sid)).mergedInto, (await people.read(older.sid)).mergedInto],
      [newer.sid, newer.sid],
    );
  });

  test('of contacts that are one already is settled without another merge', async () => {
    const app = await newApp();
    const people = peopleOf(app);
    const { older, newer } = await twoInConflict(app);
    const third = await people.contact();
    await people.merge(third.sid, older.sid);
    await people.merge(third.sid, newer.sid);
    const [conflict] = await conflictsOf(app);
    const resolved = await resolve(app, conflict.id, 'merge');
    assert.deepEqual([resolved.status, resolved.body.mergeId], [200, null]);
    assert.equal(await app.count('contact_merges'), 2);
  });

  test('20 clients that resolve it at once resolve it once', async () => {
    const app = await newApp();
    await twoInConflict(app);
    const [conflict] = await conflictsOf(app);
    const replies = await Promise.all(Array.from({ length: 20 }, () => resolve(app, conflict.id, 'merge')));
    assert.equal(replies.filter(({ status }) => status === 200).length, 1);
    assert.equal(replies.filter(({ status }) => status === 409).length, 19);
    assert.equal(await app.count('contact_merges'), 1);
  });
});
