import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { bearer } from '../../../../test/harness/app.ts';
import { peopleOf, phone, portrait, refused } from '../../../../test/harness/contacts.ts';
import { ownAccounts } from '../../../../test/harness/own-account.ts';
import type { ContactMerge } from '../schema.ts';

const newApp = ownAccounts();

const day = 24 * 3_600_000;
const mergeBody = (sid: string) => ({ mergeContactSid: sid, reason: 'The same person' });

suite('merging', () => {
  test('identifiers, consents, suppressions and windows move to the survivor; its own words stay', async () => {
    const app = await newApp();
    const people = peopleOf(app);
    const sender = await people.sender();
    const survivor = await people.contact({ displayName: 'Survivor', attributes: { a: 1 } });
    app.clock.advance(1_000);
    const merged = await people.contact({ displayName: 'Merged', attributes: { b: 2 } });
    const optOut = await people.consent(survivor.sid, { status: 'OPTED_OUT' });
    const optIn = await people.consent(merged.sid);
    const suppression = await people.suppress(merged.sid);
    await people.inbound(sender, survivor.sid, new Date('2026-08-20T12:00:00Z'));
    await people.inbound(sender, merged.sid, new Date('2026-08-21T09:00:00Z'));
    app.clock.advance(1_000);
    const merge: ContactMerge = await people.merge(survivor.sid, merged.sid);
    assert.deepEqual(
      [merge.status, merge.survivorContactSid, merge.mergedContactSid],
      ['MERGED', survivor.sid, merged.sid],
    );
    assert.deepEqual(merge.moved, {
      identifiers: merged.identifiers,
      consents: [optIn.sid],
      suppressions: [suppression.sid],
      serviceWindows: [sender],
      conversations: [],
      pendingMessages: [],
      workflowRuns: [],
    });
    const now = await people.read(survivor.sid);
    assert.deepEqual([now.displayName, now.attributes], ['Survivor', { a: 1 }]);
    assert.deepEqual(now.identifiers, [...survivor.identifiers, ...merged.identifiers]);
    assert.deepEqual(
      [now.consent.MARKETING.status, now.consent.MARKETING.consentSid],
      ['OPTED_IN', optIn.sid],
    );
    assert.deepEqual(
      (await people.consents(survivor.sid)).map(({ sid }: { sid: string }) => sid),
      [optIn.sid, optOut.sid],
    );
    assert.equal((await people.suppressions(survivor.sid))[0].sid, suppression.sid);
    assert.equal((await people.window(sender, survivor.sid)).expiresAt, '2026-08-22T09:00:00.000Z');

    const old = await people.read(merged.sid);
    assert.deepEqual(
      [old.status, old.mergedInto, old.identifiers, old.consent.MARKETING.status],
      ['MERGED', survivor.sid, [], 'UNKNOWN'],
    );
    assert.deepEqual([await people.consents(merged.sid), await people.suppressions(merged.sid)], [[], []]);
    assert.equal((await people.window(sender, merged.sid)).contactSid, survivor.sid);
    const listed = await app.get(`${app.at}/contacts`);
    assert.deepEqual(
      listed.body.data.map(({ sid }: { sid: string }) => sid),
      [survivor.sid],
    );
    const found = await app.post(`${app.at}/contacts`, {
      identifiers: merged.identifiers.map(({ scopeRef: _, ...rest }: { scopeRef: null }) => rest),
    });
    assert.equal(found.body.sid, survivor.sid);
    assert.equal(await app.count("audit_entries where action = 'contact.merged'"), 1);
    assert.equal((await app.emitted()).filter((type) => type === 'contact.merged').length, 1);
  });

  test('every write to a merged contact is refused, naming the survivor', async () => {
    const app = await newApp();
    const people = peopleOf(app);
    const [survivor, merged, other] = [
      await people.contact(),
      await people.contact(),
      await people.contact(),
    ];
    const { sid } = await people.suppress(merged.sid);
    await people.merge(survivor.sid, merged.sid);
    const path = `${app.at}/contacts/${merged.sid}`;
    const terms = { reason: 'COMPLAINT', scope: 'ALL', source: 'test' };
    const writes = [
      app.patch(path, { displayName: 'x' }),
      app.post(`${path}/consents`, { purpose: 'MARKETING', source: 'API', status: 'OPTED_IN' }),
      app.post(`${path}/suppressions`, terms),
      app.post(`${app.at}/suppressions`, { ...terms, contactSid: merged.sid }),
      app.delete(`${app.at}/suppressions`, { contactSid: merged.sid }),
      app.delete(`${path}/suppressions/${sid}`),
      app.post(`${path}/merge`, mergeBody(other.sid)),
      app.post(`${app.at}/contacts/${other.sid}/merge`, mergeBody(merged.sid)),
      app.post(`${app.at}/contacts/${survivor.sid}/merge`, mergeBody(merged.sid)),
    ];
    for (const reply of await Promise.all(writes)) {
      refused(reply, 409, 'CONFLICT');
      assert.ok(reply.text.includes(survivor.sid), reply.text);
    }
  });

  test('with oneself, with nobody, with another environment or account: refused, and nothing changed', async () => {
    const app = await newApp();
    const stranger = await app.newAccount();
    const people = peopleOf(app);
    const { sid } = await people.contact();
    const body = { identifiers: [phone()] };
    const live = await app.post(`${app.at}/contacts`, body, bearer(app.liveKey));
    const foreign = await app.post(
      `/v1/accounts/${stranger.accountSid}/contacts`,
      body,
      bearer(stranger.sandboxKey),
    );
    const merge = (other: string, more: object = {}) =>
      app.post(`${app.at}/contacts/${sid}/merge`, { ...mergeBody(other), ...more });
    refused(await merge(sid), 400, 'VALIDATION_ERROR', 'mergeContactSid');
    for (const other of [live.body.sid, foreign.body.sid, `CT${'0'.repeat(26)}`]) {
      refused(await merge(other), 404, 'NOT_FOUND', 'mergeContactSid');
    }
    const another = await people.contact();
    refused(await merge(another.sid, { reason: '  ' }), 400, 'VALIDATION_ERROR', 'reason');
    assert.equal(await app.count('contacts where merged_into is not null'), 0);
    assert.equal(await app.count('contact_merges'), 0);
  });
});

suite('reverting', () => {
  test('right after the merge restores both contacts exactly', async () => {
    const app = await newApp();
    const people = peopleOf(app);
    const sender = await people.sender();
    const [survivor, merged] = [
      await people.contact({ displayName: 'One' }),
      await people.contact({
        displayName: 'Two',
        identifiers: [phone(), { identifierType: 'username', value: 'two' }],
      }),
    ];
    for (const { sid } of [survivor, merged]) {
      await people.consent(sid);
      await people.consent(sid, { purpose: 'SUPPORT', status: 'OPTED_OUT' });
      await people.suppress(sid);
      await people.inbound(
        sender,
        sid,
        new Date(app.clock.now().getTime() - (sid === merged.sid ? 0 : 3_600_000)),
      );
    }
    const before = [await portrait(app, survivor.sid, sender), await portrait(app, merged.sid, sender)];
    const merge = await people.merge(survivor.sid, merged.sid);
    app.clock.advance(1_000);
    const reverted = await people.revert(merge.id);
    assert.equal(reverted.status, 200, reverted.text);
    assert.deepEqual([reverted.body.status, reverted.body.movedBack], ['REVERTED', merge.moved]);
    assert.deepEqual(reverted.body.stayed, {
      identifiers: [],
      consents: [],
      suppressions: [],
      serviceWindows: [],
      conversations: [],
      pendingMessages: [],
      workflowRuns: [],
    });
    assert.deepEqual(
      [await portrait(app, survivor.sid, sender), await portrait(app, merged.sid, sender)],
      before,
    );
    assert.deepEqual((await app.get(`${app.at}/contacts?q=two`)).body.data[0].sid, merged.sid);
    assert.ok((await app.emitted()).includes('contact.merge_reverted'));
    assert.equal(await app.count("audit_entries where action = 'contact.merge_reverted'"), 1);
  });

  test('what was added since stays with the survivor, and the answer says what moved back and what stayed', async () => {
    const app = await newApp();
    const people = peopleOf(app);
    const sender = await people.sender();
    const [survivor, merged] = [await people.contact(), await people.contact()];
    const before = await people.consent(merged.sid);
    const held = await people.suppress(merged.sid);
    const merge = await people.merge(survivor.sid, merged.sid);
    const after = await people.consent(survivor.sid, { status: 'REVOKED' });
    const added = await people.suppress(survivor.sid, { reason: 'COMPLAINT', scope: 'ALL' });
    const lifted = await app.delete(`${app.at}/contacts/${survivor.sid}/suppressions/${held.sid}`);
    assert.deepEqual([lifted.status, lifted.body.active], [200, false], lifted.text);
    const extra = { identifierType: 'username', value: 'later' };
    await people.contact({ identifiers: [phone(merged.identifiers[0].value), extra] });
    await people.inbound(sender, survivor.sid);
    await app.patch(`${app.at}/contacts/${survivor.sid}`, { displayName: 'Changed since' });

    const { body } = await people.revert(merge.id);
    assert.deepEqual(body.movedBack, {
      identifiers: merged.identifiers,
      consents: [before.sid],
      suppressions: [held.sid],
      serviceWindows: [],
      conversations: [],
      pendingMessages: [],
      workflowRuns: [],
    });
    assert.deepEqual(body.stayed, {
      identifiers: [{ ...extra, scopeRef: null }],
      consents: [after.sid],
      suppressions: [added.sid],
      serviceWindows: [sender],
      conversations: [],
      pendingMessages: [],
      workflowRuns: [],
    });
    const [one, two] = [await people.read(survivor.sid), await people.read(merged.sid)];
    assert.deepEqual([one.consent.MARKETING.status, two.consent.MARKETING.status], ['REVOKED', 'OPTED_IN']);
    assert.deepEqual([one.displayName, two.status, two.mergedInto], ['Changed since', 'ACTIVE', null]);
    assert.equal((await people.suppressions(merged.sid))[0].active, false, 'it was lifted while merged');
    assert.deepEqual((await app.get(`${app.at}/contacts/merges/${merge.id}`)).body, body);
  });

  test('is possible for 30 days, and not a moment longer', async () => {
    const app = await newApp();
    const people = peopleOf(app);
    const pairs = [0, 1].map(async () => [(await people.contact()).sid, (await people.contact()).sid]);
    const [first, second] = (await Promise.all(pairs)) as [[string, string], [string, string]];
    const [early, late] = [await people.merge(...first), await people.merge(...second)];
    app.clock.advance(30 * day - 1);
    assert.equal((await people.revert(early.id)).status, 200);
    app.clock.advance(1);
    refused(await people.revert(late.id), 409, 'CONFLICT');
    assert.equal((await people.read(second[1])).status, 'MERGED');
  });

  test('a merge is reverted once, and can be made again', async () => {
    const app = await newApp();
    const people = peopleOf(app);
    const [one, two] = [await people.contact(), await people.contact()];
    const merge = await people.merge(one.sid, two.sid);
    assert.equal((await people.revert(merge.id)).status, 200);
    refused(await people.revert(merge.id), 409, 'CONFLICT');
    const again = await people.merge(two.sid, one.sid);
    assert.equal((await people.read(one.sid)).mergedInto, two.sid);
    assert.equal((await people.revert(again.id)).status, 200);
    const list = (await app.get(`${app.at}/contacts/merges`)).body.data;
    assert.deepEqual(list.map(({ id }: ContactMerge) => id).sort(), [merge.id, again.id].sort());
  });
});

suite('chains of merges', () => {
  test('everybody points at the last survivor, and merges are reverted from the outside in', async () => {
    const app = await newApp();
    const people = peopleOf(app);
    const [a, b, c] = [await people.contact(), await people.contact(), await people.contact()];
    for (const { sid } of [a, b, c]) await people.consent(sid);
    const portraits = async () => Promise.all([a, b, c].map(({ sid }) => portrait(app, sid)));
    const before = await portraits();
    const inner = await people.merge(b.sid, c.sid);
    const between = await portraits();
    const outer = await people.merge(a.sid, b.sid);
    assert.deepEqual(
      [(await people.read(b.sid)).mergedInto, (await people.read(c.sid)).mergedInto],
      [a.sid, a.sid],
    );
    assert.equal((await people.consents(a.sid)).length, 3);
    assert.equal((await people.read(a.sid)).identifiers.length, 3);
    const tooSoon = await people.revert(inner.id);
    refused(tooSoon, 409, 'CONFLICT', 'mergeId');
    assert.ok(tooSoon.text.includes(outer.id));
    assert.equal((await people.revert(outer.id)).status, 200);
    assert.deepEqual(await portraits(), between);
    assert.equal((await people.revert(inner.id)).status, 200);
    assert.deepEqual(await portraits(), before);
  });

  test('two contacts merged into one can be given back in any order', async () => {
    const app = await newApp();
    const people = peopleOf(app);
    const sender = await people.sender();
    const [a, b, c] = [await people.contact(), await people.contact(), await people.contact()];
    for (const [hours, { sid }] of [a, b, c].entries()) {
      await people.consent(sid);
      await people.suppress(sid);
      await people.inbound(sender, sid, new Date(app.clock.now().getTime() - 10_000_000 + hours * 1_000_000));
    }
    const portraits = async () => Promise.all([a, b, c].map(({ sid }) => portrait(app, sid, sender)));
    const before = await portraits();
    const first = await people.merge(a.sid, b.sid);
    const second = await people.merge(a.sid, c.sid);
    assert.equal((await people.window(sender, a.sid)).expiresAt, before[2]!.window.expiresAt);
    assert.equal((await people.revert(first.id)).status, 200);
    assert.equal((await people.window(sender, a.sid)).expiresAt, before[2]!.window.expiresAt);
    assert.equal((await people.revert(second.id)).status, 200);
    assert.deepEqual(await portraits(), before);
  });
});
