import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { compareCounts, type Place, type PlaceCount } from './compare-counts.ts';

const place = (given: Partial<Place> = {}): Place => ({
  phoneNumber: '33180001000',
  day: '2026-10-10',
  country: 'FR',
  category: 'utility',
  type: 'regular',
  ...given,
});
const count = (volume: number, given: Partial<Place> = {}): PlaceCount => ({ ...place(given), volume });
const shown = (counts: Parameters<typeof compareCounts>[0]) =>
  compareCounts(counts).map(({ outcome, messages, place, countedHereAs }) => [
    outcome,
    messages,
    place.category,
    countedHereAs?.category ?? null,
  ]);

suite('what is left between the counts', () => {
  test('is nothing where they agree, in the words of either side', () => {
    const ours = [
      count(3),
      count(2, { category: 'marketing' }),
      count(1, { category: 'service', type: 'free_entry_point' }),
      count(4, { category: 'authentication_international' }),
    ];
    const theirs = [
      count(1),
      count(2),
      count(2, { category: 'marketing_lite' }),
      count(1, { category: 'referral_conversion', type: 'free_entry_point' }),
      count(4, { category: 'authentication-international' }),
    ];
    assert.deepEqual(compareCounts({ ours, theirs, uncharged: [] }), []);
  });

  test('is a missing event as far as messages were handed over and never charged, and an unexpected charge beyond', () => {
    const uncharged = [{ ...count(2), type: undefined }];
    assert.deepEqual(shown({ ours: [count(10)], theirs: [count(15)], uncharged }), [
      ['missing_platform_event', 2, 'utility', null],
      ['unexpected_provider_charge', 3, 'utility', null],
    ]);
    const elsewhere = [{ ...count(9, { country: 'DE' }) }, { ...count(9, { category: 'marketing' }) }];
    assert.deepEqual(shown({ ours: [count(10)], theirs: [count(15)], uncharged: elsewhere }), [
      ['unexpected_provider_charge', 5, 'utility', null],
    ]);
  });

  test('is a missing status where the provider counts fewer', () => {
    assert.deepEqual(shown({ ours: [count(5)], theirs: [count(2)], uncharged: [] }), [
      ['missing_provider_status', 3, 'utility', null],
    ]);
  });

  test('is a mismatch of the amount where it counts another category or type, on that day or next to it', () => {
    for (const day of ['2026-10-09', '2026-10-10', '2026-10-11']) {
      assert.deepEqual(
        shown({
          ours: [count(5)],
          theirs: [count(3), count(2, { category: 'marketing', day })],
          uncharged: [],
        }),
        [['amount_mismatch', 2, 'marketing', 'utility']],
      );
    }
    const [free] = compareCounts({
      ours: [count(2, { category: 'service', type: 'free_customer_service' })],
      theirs: [count(2, { category: 'service' })],
      uncharged: [],
    });
    assert.deepEqual(
      [free!.outcome, free!.messages, free!.countedHereAs!.type],
      ['amount_mismatch', 2, 'free_customer_service'],
    );
  });

  test('does not cancel out across numbers, countries, or more than a day', () => {
    for (const apart of [{ phoneNumber: '1' }, { country: 'DE' }, { day: '2026-10-12' }]) {
      assert.deepEqual(
        shown({ ours: [count(1)], theirs: [count(1, { ...apart, category: 'marketing' })], uncharged: [] })
          .map(([outcome]) => outcome)
          .sort(),
        ['missing_provider_status', 'unexpected_provider_charge'],
      );
    }
  });

  test('is nothing where a message was only put on the next day', () => {
    const theirs = [count(4, { day: '2026-10-09' }), count(1, { day: '2026-10-11' })];
    assert.deepEqual(compareCounts({ ours: [count(5)], theirs, uncharged: [] }), []);
  });

  test('is nothing where only free messages are counted by one side', () => {
    const free = [count(3, { category: 'service', type: 'free_customer_service' })];
    assert.deepEqual(compareCounts({ ours: free, theirs: [], uncharged: [] }), []);
    assert.deepEqual(compareCounts({ ours: [], theirs: free, uncharged: [] }), []);
  });
});

const places = fc.record({
  phoneNumber: fc.constantFrom('1', '2'),
  day: fc.constantFrom('2026-10-09', '2026-10-10', '2026-10-11', '2026-10-13', '2026-11-01'),
  country: fc.constantFrom('FR', 'DE', 'OTHER'),
  category: fc.constantFrom('utility', 'marketing', 'service'),
  type: fc.constantFrom('regular', 'free_customer_service', 'free_entry_point'),
});
const counts = fc.array(
  places.chain((at) => fc.nat({ max: 20 }).map((volume) => ({ ...at, volume }))),
  { maxLength: 25 },
);
const total = (list: { volume: number }[]) => list.reduce((sum, { volume }) => sum + volume, 0);

suite('whatever is counted', () => {
  test('a statement that agrees opens nothing, however it is split and shuffled', () => {
    fc.assert(
      fc.property(counts, counts, fc.infiniteStream(fc.nat({ max: 3 })), (ours, uncharged, cuts) => {
        const theirs = ours
          .flatMap((one) => {
            const first = Math.min(one.volume, cuts.next().value!);
            return [
              { ...one, volume: one.volume - first },
              { ...one, volume: first },
            ];
          })
          .reverse();
        assert.deepEqual(compareCounts({ ours, theirs, uncharged }), []);
      }),
    );
  });

  test('every difference of what is charged is named once: no message is found twice or lost', () => {
    const regular = counts.map((list) => list.map((one) => ({ ...one, type: 'regular' })));
    fc.assert(
      fc.property(regular, regular, counts, (ours, theirs, uncharged) => {
        const found = compareCounts({ ours, theirs, uncharged });
        const of = (...outcomes: string[]) =>
          found
            .filter(({ outcome }) => outcomes.includes(outcome))
            .reduce((sum, { messages }) => sum + messages, 0);
        const more = of('missing_platform_event', 'unexpected_provider_charge');
        assert.equal(more - of('missing_provider_status'), total(theirs) - total(ours));
        assert.ok(of('missing_platform_event') <= total(uncharged));
        for (const { messages, place, countedHereAs } of found) {
          assert.ok(messages > 0);
          if (countedHereAs)
            assert.notDeepEqual([place.category, place.type], [countedHereAs.category, countedHereAs.type]);
        }
        const inOnePlace = Map.groupBy(found, ({ outcome, place, countedHereAs }) =>
          JSON.stringify([outcome, place, countedHereAs]),
        );
        for (const same of inOnePlace.values()) assert.equal(same.length, 1);
      }),
    );
  });

  test('the order of the counts changes nothing', () => {
    fc.assert(
      fc.property(counts, counts, counts, (ours, theirs, uncharged) => {
        assert.deepEqual(
          compareCounts({
            ours: ours.toReversed(),
            theirs: theirs.toReversed(),
            uncharged: uncharged.toReversed(),
          }),
          compareCounts({ ours, theirs, uncharged }),
        );
      }),
    );
  });
});
