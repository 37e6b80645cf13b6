import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import fc from 'fast-check';
import { startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { peopleOf } from '../../../test/harness/contacts.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { silentLog } from '../../platform/observability/logging.ts';
import { systemPrincipal } from '../../platform/principal.ts';
import { noteEntryPoints } from './service-windows.ts';

let app: TestApp;
let people: ReturnType<typeof peopleOf>;
let sender: string;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
  people = peopleOf(app);
  sender = await people.sender();
});

const hour = 3_600_000;
const fromNow = (hours: number) => new Date(app.clock.now().getTime() + hours * hour);
const arrives = (sid: string, hoursAgo: number, referred = true) =>
  people.inbound(sender, sid, fromNow(-hoursAgo), { referred });
const freeUntil = async (sid: string) => (await people.window(sender, sid)).freeUntil;

/** The provider says that it sent something in a free entry point which ends then. */
const told = (...entryPoints: { contactSid: string; freeUntil: Date }[]) =>
  app.database.write(
    { accountSid: app.accountSid, livemode: false },
    { principal: systemPrincipal('test', false), now: app.clock.now(), requestId: 'test', log: silentLog },
    (t) =>
      noteEntryPoints(
        t,
        entryPoints.map((one) => ({ senderSid: sender, ...one })),
      ),
  );

suite('whoever comes from an advertisement', () => {
  test('may be answered for nothing for a day', async () => {
    const { sid } = await people.contact();
    await arrives(sid, 1, false);
    assert.equal(await freeUntil(sid), null);
    await arrives(sid, 1);
    assert.equal(await freeUntil(sid), fromNow(23).toISOString());
  });

  test('and is answered may be written to for nothing for as long as the provider says', async () => {
    const { sid } = await people.contact();
    await arrives(sid, 1);
    await told({ contactSid: sid, freeUntil: fromNow(72) });
    assert.equal(await freeUntil(sid), fromNow(72).toISOString());
    await arrives(sid, 0, false);
    assert.equal(await freeUntil(sid), fromNow(72).toISOString());
  });

  test('is told apart from everybody else, and from those of other senders', async () => {
    const [{ sid }, stranger] = [await people.contact(), await people.contact()];
    await arrives(sid, 1);
    await arrives(stranger.sid, 1, false);
    await told(
      { contactSid: sid, freeUntil: fromNow(72) },
      { contactSid: stranger.sid, freeUntil: fromNow(72) },
    );
    assert.equal(await freeUntil(stranger.sid), null);
    assert.equal((await people.window(await people.sender(), sid)).freeUntil, null);
  });

  test('keeps it in whatever order, and however often, messages and reports come', async () => {
    const word = fc.record({
      referredHoursAgo: fc.integer({ min: 0, max: 60 }),
      ends: fc.integer({ min: -60, max: 72 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 5 }), async (words) => {
        const { sid } = await people.contact();
        for (const { referredHoursAgo } of words) await arrives(sid, referredHoursAgo);
        await told(...words.map(({ ends }) => ({ contactSid: sid, freeUntil: fromNow(ends) })));
        const first = 24 - Math.min(...words.map(({ referredHoursAgo }) => referredHoursAgo));
        const latest = Math.max(first, ...words.map(({ ends }) => ends));
        assert.equal(await freeUntil(sid), fromNow(latest).toISOString());
      }),
      { numRuns: 30 },
    );
  });

  test('is free under the name that is left when contacts are merged, and under their own when that is taken back', async () => {
    const [survivor, merged] = [await people.contact(), await people.contact()];
    await arrives(merged.sid, 1);
    await arrives(survivor.sid, 0, false);
    const merge = await people.merge(survivor.sid, merged.sid);
    await told({ contactSid: survivor.sid, freeUntil: fromNow(72) });
    assert.equal(await freeUntil(survivor.sid), fromNow(72).toISOString());
    assert.equal((await people.revert(merge.id)).status, 200);
    assert.deepEqual(
      [await freeUntil(survivor.sid), await freeUntil(merged.sid)],
      [null, fromNow(72).toISOString()],
    );
  });
});
