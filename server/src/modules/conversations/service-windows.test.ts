import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { startTestApp } from '../../../test/harness/app.ts';
import { peopleOf, refused } from '../../../test/harness/contacts.ts';

const hour = 3_600_000;

test('a window is open for 24 hours after the last message, and not a moment longer', async (context) => {
  const app = await startTestApp(context);
  const people = peopleOf(app);
  const [sender, other] = [await people.sender(), await people.sender()];
  const { sid } = await people.contact();
  const never = await people.window(sender, sid);
  assert.deepEqual([never.open, never.openedAt, never.expiresAt], [false, null, null]);
  await people.inbound(sender, sid);
  const open = await people.window(sender, sid);
  assert.deepEqual(
    [open.open, open.openedAt, open.expiresAt],
    [true, '2026-08-21T10:00:00.000Z', '2026-08-22T10:00:00.000Z'],
  );
  assert.equal((await people.window(other, sid)).open, false, 'each sender has its own');
  app.clock.advance(23 * hour);
  await people.inbound(sender, sid);
  const longer = await people.window(sender, sid);
  assert.deepEqual([longer.openedAt, longer.expiresAt], [open.openedAt, '2026-08-23T09:00:00.000Z']);
  app.clock.advance(24 * hour - 1);
  assert.equal((await people.window(sender, sid)).open, true);
  app.clock.advance(1);
  assert.equal((await people.window(sender, sid)).open, false);
  await people.inbound(sender, sid);
  assert.equal((await people.window(sender, sid)).openedAt, app.clock.now().toISOString());
});

test('a sender or contact that is not there has no window', async (context) => {
  const app = await startTestApp(context);
  const people = peopleOf(app);
  const [sender, { sid }] = [await people.sender(), await people.contact()];
  for (const [wa, ct] of [
    [`WA${'0'.repeat(26)}`, sid],
    [sender, `CT${'0'.repeat(26)}`],
  ]) {
    refused(await app.get(`${app.at}/senders/${wa}/contacts/${ct}/window`), 404, 'NOT_FOUND');
  }
});

test('messages in any order leave the same end, and the last of them decides it', async (context) => {
  const app = await startTestApp(context);
  const people = peopleOf(app);
  const sender = await people.sender();
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 6 }),
      async (hoursAgo) => {
        const { sid } = await people.contact();
        const now = app.clock.now().getTime();
        for (const hours of hoursAgo) await people.inbound(sender, sid, new Date(now - hours * hour));
        const window = await people.window(sender, sid);
        const latest = now - Math.min(...hoursAgo) * hour;
        assert.equal(window.lastInboundAt, new Date(latest).toISOString());
        assert.equal(window.expiresAt, new Date(latest + 24 * hour).toISOString());
        assert.ok(new Date(window.openedAt) <= new Date(latest));
      },
    ),
    { numRuns: 40 },
  );
});

test('a message to a contact that was merged opens the window of its survivor', async (context) => {
  const app = await startTestApp(context);
  const people = peopleOf(app);
  const sender = await people.sender();
  const [survivor, merged] = [await people.contact(), await people.contact()];
  await people.merge(survivor.sid, merged.sid);
  await people.inbound(sender, merged.sid);
  assert.equal((await people.window(sender, survivor.sid)).open, true);
});
