import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import fc from 'fast-check';
import { startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { refused } from '../../../test/harness/contacts.ts';
import { write } from '../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import type { TenantTx } from '../../platform/db/database.ts';
import { newSid } from '../../platform/ids.ts';
import { type Candidate, chooseMember } from './choose-member.ts';
import { insertSender } from './fixtures.ts';
import { chooseFrom, openPools, recallChoices, rememberChoices } from './open-pools.ts';

const member = (senderSid: string, more: Partial<Candidate> = {}): Candidate => ({
  senderSid,
  weight: 1,
  priority: 0,
  assigned: 0,
  ready: true,
  ...more,
});

suite('the choice', () => {
  test('nobody who cannot send, the first priority, then the lightest share, then the name', () => {
    assert.equal(chooseMember([]), null);
    assert.equal(chooseMember([member('a', { ready: false })]), null);
    assert.equal(chooseMember([member('a', { priority: 1 }), member('b', { assigned: 99 })])?.senderSid, 'b');
    assert.equal(chooseMember([member('b'), member('a')])?.senderSid, 'a');
    assert.equal(
      chooseMember([member('a', { assigned: 1 }), member('b', { assigned: 1, weight: 2 })])?.senderSid,
      'b',
    );
  });
  test('over time everybody carries what its weight says', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 10 }), { minLength: 1, maxLength: 6 }), (weights) => {
        const members = weights.map((weight, i) => member(`s${i}`, { weight }));
        const rounds = weights.reduce((sum, weight) => sum + weight, 0) * 5;
        for (let i = 0; i < rounds; i += 1) chooseMember(members)!.assigned += 1;
        for (const { weight, assigned } of members) assert.ok(Math.abs(assigned - weight * 5) <= 1);
      }),
    );
  });
});

suite('pools', () => {
  let app: TestApp;
  const lifetime = sharedLifetime();
  before(async () => {
    app = await startTestApp(lifetime);
  });
  const contact = () => newSid('CT', app.clock.now());
  const sender = () => insertSender(app, { accountSid: app.accountSid, livemode: false });
  const pool = async (...senders: string[]) => {
    const members = senders.map((senderSid) => ({ senderSid }));
    return (await app.post(`${app.at}/sender-pools`, { name: 'Shops', members })).body.sid as string;
  };
  const pickAll = async (t: TenantTx, poolSid: string, contactSids: string[]) => {
    const pools = await openPools(t, [poolSid], { lock: true });
    const open = pools.get(poolSid);
    assert.ok(open, 'no such pool');
    await recallChoices(t, pools, contactSids);
    const choices = contactSids.flatMap((contactSid) => {
      const chosen = chooseFrom(open, { key: contactSid, talking: [], portfolios: null });
      return chosen ? [{ poolSid, contactSid, senderSid: chosen.sid }] : [];
    });
    await rememberChoices(t, choices);
    return new Map(choices.map(({ contactSid, senderSid }) => [contactSid, senderSid]));
  };
  const pick = async (poolSid: string, contactSid: string, accountSid = app.accountSid) => {
    const picked = await write({ app, accountSid }, (t) => pickAll(t, poolSid, [contactSid]));
    return picked.get(contactSid) ?? null;
  };

  test('a contact keeps its sender while that one can send, and gets another when it cannot', async () => {
    const [a, b] = [await sender(), await sender()];
    const sp = await pool(a, b);
    const ct = contact();
    const first = await pick(sp, ct);
    for (let i = 0; i < 3; i += 1) {
      await pick(sp, contact());
      assert.equal(await pick(sp, ct), first);
    }
    await app.sql("update senders set status = 'RESTRICTED' where sid = $1", [first]);
    const second = await pick(sp, ct);
    assert.notEqual(second, first);
    await app.sql("update senders set status = 'BANNED' where sid = $1", [second]);
    assert.equal(await pick(sp, ct), null);
  });
  test('forty at once for one contact agree, and forty contacts at once are shared evenly', async () => {
    const senders = [await sender(), await sender()];
    const sp = await pool(...senders);
    const ct = contact();
    const same = await Promise.all(Array.from({ length: 40 }, () => pick(sp, ct)));
    assert.equal(new Set(same).size, 1);
    const others = await Promise.all(Array.from({ length: 39 }, () => pick(sp, contact())));
    const counts = senders.map((sid) => [...others, same[0]].filter((chosen) => chosen === sid).length);
    assert.deepEqual(counts, [20, 20]);
    const { members } = (await app.get(`${app.at}/sender-pools/${sp}`)).body;
    assert.deepEqual(
      members.map(({ assignedContacts }: { assignedContacts: number }) => assignedContacts),
      [20, 20],
    );
  });
  test('many are picked for in one go, each once', async () => {
    const sp = await pool(await sender(), await sender(), await sender());
    const contacts = Array.from({ length: 30 }, contact);
    const chosen = await write({ app }, (t) => pickAll(t, sp, [...contacts, ...contacts]));
    assert.equal(chosen.size, 30);
    assert.equal(await app.count(`sender_pool_contacts where pool_sid = '${sp}'`), 30);
  });
  test('weights and priorities count, and a newcomer is not flooded', async () => {
    const [a, b, spare] = [await sender(), await sender(), await sender()];
    const sp = await pool(a);
    await app.put(`${app.at}/sender-pools/${sp}/members/${spare}`, { priority: 5 });
    for (let i = 0; i < 6; i += 1) assert.equal(await pick(sp, contact()), a);
    await app.put(`${app.at}/sender-pools/${sp}/members/${b}`, { weight: 1 });
    // The spare one carries nothing, so the newcomer starts from there: its priority decides before its load does.
    const next = await Promise.all(Array.from({ length: 4 }, () => pick(sp, contact())));
    assert.ok(next.every((chosen) => chosen !== spare));
  });
  test('a member that left is replaced; a pool that is gone picks nobody', async () => {
    const [a, b] = [await sender(), await sender()];
    const sp = await pool(a, b);
    const ct = contact();
    const first = (await pick(sp, ct))!;
    await app.delete(`${app.at}/sender-pools/${sp}/members/${first}`);
    assert.notEqual(await pick(sp, ct), first);
    const race = await Promise.allSettled([
      app.delete(`${app.at}/sender-pools/${sp}`),
      ...Array.from({ length: 10 }, () => pick(sp, contact())),
    ]);
    assert.equal(race[0].status, 'fulfilled');
    await assert.rejects(pick(sp, ct), /no such pool/);
    refused(await app.get(`${app.at}/sender-pools/${sp}`), 404, 'NOT_FOUND');
    assert.equal(await app.count(`sender_pool_contacts where pool_sid = '${sp}'`), 0);
  });
  test("another account's sender cannot be a member, and its pool cannot be picked from", async () => {
    const { accountSid } = await app.newAccount();
    const foreign = await insertSender(app, { accountSid, livemode: false });
    const members = [{ senderSid: foreign }];
    refused(
      await app.post(`${app.at}/sender-pools`, { name: 'x', members }),
      404,
      'NOT_FOUND',
      'members[0].senderSid',
    );
    const sp = await pool(await sender());
    await assert.rejects(pick(sp, contact(), accountSid), /no such pool/);
  });
});
