// Random messages, holds, merges, restrictions and windows: what the preview says, what a run removes and what a simple model expects are one.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { startTestApp, type TestApp, testStart } from '../../../test/harness/app.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { newSid } from '../../platform/ids.ts';
import { day, keepingIn } from './retention.test-data.ts';

const rounds = Number(process.env.RETENTION_MODELS ?? 12);
const lifetime = sharedLifetime();
let app: TestApp;
before(async () => {
  app = await startTestApp(lifetime);
});

const person = fc.integer({ min: 0, max: 3 });
const message = fc.record({
  daysAgo: fc.integer({ min: 0, max: 120 }),
  person,
  sender: fc.integer({ min: 0, max: 1 }),
  campaign: fc.option(fc.integer({ min: 0, max: 1 })),
  unfinished: fc.constantFrom(null, 'waiting' as const, 'unsettled' as const, null, null),
  file: fc.option(fc.integer({ min: 0, max: 2 })),
});
const hold = fc.oneof(
  fc.record({ type: fc.constant('CONTACT' as const), person }),
  fc.record({ type: fc.constant('CAMPAIGN' as const), campaign: fc.integer({ min: 0, max: 1 }) }),
  fc.record({
    type: fc.constant('DATE_RANGE' as const),
    daysAgo: fc.integer({ min: 0, max: 120 }),
    days: fc.integer({ min: 1, max: 20 }),
  }),
);
const plan = fc.record({
  messages: fc.array(message, { minLength: 1, maxLength: 25 }),
  holds: fc.array(hold, { maxLength: 2 }),
  merge: fc.option(
    fc.record({ survivor: person, merged: person, beforeHolds: fc.boolean(), takenBack: fc.boolean() }),
  ),
  /** By a request that comes last. */
  restricted: fc.option(person),
  contentDays: fc.option(fc.integer({ min: 30, max: 100 })),
  metadataMonths: fc.option(fc.integer({ min: 1, max: 3 })),
});
type Plan = typeof plan extends fc.Arbitrary<infer P> ? P : never;

/** Who is one person as far as holds go: each with those they ever were one with while a hold knew. */
function reachedPeople({ holds, merge }: Plan): Set<number> {
  const held = new Set(holds.flatMap((one) => (one.type === 'CONTACT' ? [one.person] : [])));
  if (!merge || merge.survivor === merge.merged) return held;
  const pair = [merge.survivor, merge.merged];
  // A merge that was taken back before the holds were placed is as if it had never been.
  if (merge.beforeHolds && merge.takenBack) return held;
  if (pair.some((one) => held.has(one))) for (const one of pair) held.add(one);
  return held;
}

/** Whose messages are a restricted person's: those of everybody they are one with at that moment. */
function restrictedPeople({ restricted, merge }: Plan): Set<number> {
  if (restricted === null) return new Set();
  const pair = merge && !merge.takenBack ? [merge.survivor, merge.merged] : [];
  return new Set(pair.includes(restricted) ? pair : [restricted]);
}

async function playedOut(given: Plan) {
  app.clock.set(testStart);
  const keeping = await keepingIn(app);
  const now = app.clock.now().getTime();
  const people: string[] = [];
  for (let n = 0; n < 4; n += 1) people.push(await keeping.contact());
  const campaigns = [newSid('CP', new Date(now)), newSid('CP', new Date(now))];
  const files = [await keeping.file(), await keeping.file(), await keeping.file()];
  const sids: string[] = [];
  for (const one of given.messages)
    sids.push(
      await keeping.old({
        daysAgo: one.daysAgo,
        contactSid: people[one.person]!,
        sender: one.sender,
        campaignSid: one.campaign === null ? null : campaigns[one.campaign]!,
        waiting: one.unfinished === 'waiting',
        unsettled: one.unfinished === 'unsettled',
        mediaSid: one.file === null ? null : files[one.file]!,
      }),
    );
  const merge = async () => {
    const { survivor, merged, takenBack } = given.merge!;
    if (survivor === merged) return;
    const body = { mergeContactSid: people[merged]!, reason: 'x' };
    const reply = await keeping.post(`/contacts/${people[survivor]!}/merge`, body);
    assert.equal(reply.status, 200, reply.text);
    if (takenBack)
      assert.equal((await keeping.post(`/contacts/merges/${reply.body.id}/revert`, {})).status, 200);
  };
  if (given.merge?.beforeHolds) await merge();
  const instant = (daysAgo: number) => new Date(now - daysAgo * day).toISOString();
  const placed = [];
  for (const one of given.holds) {
    if (one.type === 'CAMPAIGN' && !given.messages.some(({ campaign }) => campaign === one.campaign))
      continue;
    placed.push(one);
    if (one.type === 'CONTACT') await keeping.hold({ type: one.type, contactSid: people[one.person] });
    else if (one.type === 'CAMPAIGN')
      await keeping.hold({ type: one.type, campaignSid: campaigns[one.campaign] });
    else
      await keeping.hold({ type: one.type, from: instant(one.daysAgo + one.days), to: instant(one.daysAgo) });
  }
  if (given.merge && !given.merge.beforeHolds) await merge();
  if (given.restricted !== null) await keeping.restrict(people[given.restricted]!);
  return { keeping, sids, files, placed, now };
}

/** What goes, by the plain words of the documentation. */
function expected(given: Plan, placed: Plan['holds'], now: number) {
  const midnight = (ms: number) => Math.floor(ms / day) * day;
  const monthsAgo = (months: number) => {
    const date = new Date(now);
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - months, date.getUTCDate());
  };
  const metadata = given.metadataMonths === null ? Number.NEGATIVE_INFINITY : monthsAgo(given.metadataMonths);
  const own = given.contentDays === null ? Number.NEGATIVE_INFINITY : midnight(now - given.contentDays * day);
  const people = reachedPeople(given).union(restrictedPeople(given));
  return given.messages.map((one) => {
    const at = now - one.daysAgo * day;
    const isHeld =
      people.has(one.person) ||
      placed.some(
        (hold) =>
          (hold.type === 'CAMPAIGN' && hold.campaign === one.campaign) ||
          (hold.type === 'DATE_RANGE' &&
            at >= now - (hold.daysAgo + hold.days) * day &&
            at < now - hold.daysAgo * day),
      );
    if (isHeld || one.unfinished !== null) return 'stays';
    return at < metadata ? 'goes' : at < Math.max(own, metadata) ? 'loses its content' : 'stays';
  });
}

test('the preview, the run and the model agree', async () => {
  await fc.assert(
    fc.asyncProperty(plan, async (given) => {
      const { keeping, sids, files, placed, now } = await playedOut(given);
      const fates = expected(given, placed, now);
      const count = (fate: string) => fates.filter((one) => one === fate).length;
      const lost = files.filter((_, file) => {
        const uses = given.messages.flatMap((one, n) => (one.file === file ? [fates[n]] : []));
        return uses.length > 0 && uses.every((fate) => fate !== 'stays');
      });
      // A file came today: a hold on today keeps it, whatever becomes of the messages.
      const filesHeld = placed.some((one) => one.type === 'DATE_RANGE' && one.daysAgo < 0);
      const mediaFiles = filesHeld ? 0 : lost.length;
      const removes = {
        messageContents: count('loses its content'),
        messages: count('goes'),
        mediaFiles,
        mediaBytes: mediaFiles,
        analyticsDays: 0,
      };
      const preview = await keeping.preview(given.contentDays, given.metadataMonths);
      assert.deepEqual(preview.removes, removes);
      await keeping.keepFor(given.contentDays, given.metadataMonths);
      assert.deepEqual(await keeping.run(), removes);
      const left = await keeping.left();
      const seen = sids.map((sid) =>
        left.has(sid) ? (left.get(sid) ? 'stays' : 'loses its content') : 'goes',
      );
      assert.deepEqual(seen, fates);
      assert.deepEqual((await keeping.preview(given.contentDays, given.metadataMonths)).removes, {
        messageContents: 0,
        messages: 0,
        mediaFiles: 0,
        mediaBytes: 0,
        analyticsDays: 0,
      });
    }),
    { numRuns: rounds },
  );
});
