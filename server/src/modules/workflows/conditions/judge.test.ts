import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { nextLocalTime } from '../../../platform/time/local-time.ts';
import type { Predicate } from '../definition/predicates.ts';
import { predicatesOf } from '../definition/walk.ts';
import { validDefinition } from '../definitions.test-data.ts';
import { type Facts, factsNeeded, missingFacts } from './facts.ts';
import { judgeConditions } from './judge.ts';

const facts: Facts = {
  now: '2026-08-21T10:00:00.000Z', // a Friday
  run: null,
  event: { text: { body: 'Bonjour, je voudrais un DÉLAI !' }, tags: ['a', 'b'], error: null },
  contact: {
    displayName: 'Inès',
    timezone: 'America/New_York',
    locale: null,
    attributes: { age: 30, plan: 'gold', vip: true, list: [1, 'x', null], own: { toString: 'mine' } },
  },
  conversation: null,
  answers: { window: 'open', suppressed: false, 'consent:MARKETING': 'OPTED_IN', 'segment:SG1': true },
};
const remembered = { vars: { limit: 30, words: ['delai'], none: null }, steps: {}, error: null };
const holds = (predicate: Predicate, given: Facts = facts) =>
  judgeConditions([predicate], given, remembered).holds;
const of = (path: string, comparison: object) => ({ path, ...comparison }) as Predicate;
const age = 'contact.attributes.age';
const plan = 'contact.attributes.plan';
const body = 'event.text.body';

const table: [predicate: Predicate, expected: boolean][] = [
  [of(plan, { eq: 'gold' }), true],
  [of(plan, { eq: 'Gold' }), false],
  [of(plan, { ne: 'silver' }), true],
  [of(plan, { in: ['silver', 'gold'] }), true],
  [of(plan, { in: [] }), false],
  // Nothing is coerced.
  [of(age, { eq: '30' }), false],
  [of(age, { ne: '30' }), true],
  [of(age, { gt: '29' }), false],
  [of('contact.attributes.vip', { eq: 1 }), false],
  [of('contact.attributes.vip', { eq: true }), true],
  [of(age, { gt: 29, lt: 31 }), true],
  [of(age, { gte: 30, lte: 30 }), true],
  [of(age, { gt: 30 }), false],
  [of(plan, { gt: 'fz', lt: 'h' }), true],
  [of('contact.displayName', { gt: '\u{ff5e}' }), false],
  // What is missing is equal to nothing.
  [of('contact.attributes.missing', { eq: null }), false],
  [of('contact.attributes.missing', { ne: 'gold' }), true],
  [of('contact.attributes.missing', { in: [null] }), false],
  [of('contact.attributes.missing', { lt: 5 }), false],
  [of('contact.attributes.missing', { exists: false }), true],
  [of('contact.attributes.missing.deeper', { exists: true }), false],
  [of('contact.locale', { eq: null }), true],
  [of('contact.locale', { exists: true }), false],
  [of('event.error.code', { ne: 'X' }), true],
  // Without the whole fact nothing can be said of it.
  [of('conversation.status', { eq: 'open' }), false],
  [of('conversation.status', { ne: 'open' }), false],
  [of('conversation.status', { exists: false }), true],
  [of('message.type', { ne: 'text' }), false],
  [{ not: of('conversation.status', { eq: 'open' }) }, true],
  // Other paths as values.
  [of(age, { eq: { path: 'vars.limit' } }), true],
  [of(age, { ne: { path: 'vars.missing' } }), false],
  [of(age, { eq: { path: 'conversation.version' } }), false],
  [of('vars.none', { eq: { path: 'vars.none' } }), true],
  [of(body, { words: { path: 'vars.words' } }), true],
  // Own members only.
  [of('contact.attributes.constructor', { exists: true }), false],
  [of('contact.attributes.toString', { exists: true }), false],
  [of('contact.__proto__', { exists: true }), false],
  [of('contact.attributes.own.toString', { eq: 'mine' }), true],
  [of('event.tags.length', { eq: 2 }), false],
  [of('event.text.body.length', { exists: true }), false],
  [of('event.tags.1', { eq: 'b' }), true],
  // Texts and lists.
  [of(body, { contains: 'voudrais' }), true],
  [of(body, { contains: 'VOUDRAIS' }), false],
  [of(body, { startsWith: 'Bonjour' }), true],
  [of(body, { startsWith: 'bonjour' }), false],
  [of('event.tags', { contains: 'a' }), true],
  [of('event.tags', { contains: 'c' }), false],
  [of('contact.attributes.list', { contains: null }), true],
  [of('contact.attributes.list', { contains: '1' }), false],
  [of('contact.attributes.own', { eq: 'mine' }), false],
  // Words are folded and whole.
  [of(body, { words: ['delai'] }), true],
  [of(body, { words: ['no', 'Bonjour je'] }), true],
  [of(body, { words: ['bon'] }), false],
  [of(body, { words: ['je un'] }), false],
  [of(age, { words: ['30'] }), false],
  // Groups.
  [{ all: [of(plan, { eq: 'gold' }), of(age, { eq: 30 })] }, true],
  [{ any: [of(plan, { eq: 'x' }), of(age, { eq: 30 })] }, true],
  [{ any: [of(plan, { eq: 'x' })] }, false],
  [{ not: { not: of(plan, { eq: 'gold' }) } }, true],
  // Facts by name.
  [{ window: 'open' }, true],
  [{ window: 'closed' }, false],
  [{ suppressed: false }, true],
  [{ suppressed: true }, false],
  [{ consent: { purpose: 'MARKETING', status: 'OPTED_IN' } }, true],
  [{ consent: { purpose: 'MARKETING', status: 'OPTED_OUT' } }, false],
  [{ consent: { purpose: 'SUPPORT', status: 'UNKNOWN' } }, false],
  [{ segmentSid: 'SG1' }, true],
  [{ segmentSid: 'SG2' }, false],
  // On that Friday it is noon in Paris and six in New York.
  [{ hours: { timezone: 'Europe/Paris', from: '12:00', to: '12:01' } }, true],
  [{ hours: { timezone: 'Europe/Paris', from: '09:00', to: '12:00' } }, false],
  [{ hours: { timezone: 'Europe/Paris', days: ['FRI'], from: '00:00', to: '24:00' } }, true],
  [{ hours: { timezone: 'Europe/Paris', days: ['SAT'], from: '00:00', to: '24:00' } }, false],
  [{ hours: { timezone: 'contact', from: '06:00', to: '07:00' } }, true],
  [{ hours: { timezone: 'America/New_York', days: ['THU'], from: '22:00', to: '07:00' } }, true],
  [{ hours: { timezone: 'America/New_York', days: ['FRI'], from: '22:00', to: '07:00' } }, false],
];

suite('a condition', () => {
  for (const [predicate, expected] of table) {
    test(`${JSON.stringify(predicate)} ${expected ? 'holds' : 'does not hold'}`, () => {
      assert.equal(holds(predicate), expected);
    });
  }

  test('in the hours of a contact whose zone nobody knows does not hold', () => {
    const hours: Predicate = { hours: { timezone: 'contact', from: '00:00', to: '24:00' } };
    for (const timezone of [null, undefined, 'Mars/Olympus', 5])
      assert.equal(holds(hours, { ...facts, contact: { timezone } }), false);
    assert.equal(holds(hours, { ...facts, contact: null }), false);
  });

  test('that fails is named by its place, with what was seen there', () => {
    const verdict = judgeConditions([of(plan, { eq: 'gold' }), of(age, { eq: 31 })], facts);
    assert.deepEqual(verdict, {
      holds: false,
      failed: 1,
      saw: [
        { path: plan, value: 'gold' },
        { path: age, value: 30 },
      ],
    });
  });
});

suite('the facts conditions need', () => {
  test('are named once each, and only those', () => {
    const conditions: Predicate[] = [
      { all: [of('contact.locale', { eq: { path: 'message.type' } }), { window: 'open' }] },
      { not: { any: [{ segmentSid: 'SG1' }, { window: 'closed' }, of('event.type', { eq: 'text' })] } },
      { hours: { timezone: 'contact', from: '09:00', to: '10:00' } },
      { consent: { purpose: 'SUPPORT', status: 'UNKNOWN' } },
    ];
    const names = ['contact', 'message', 'window', 'segment:SG1', 'consent:SUPPORT'];
    assert.deepEqual(factsNeeded(conditions), names);
    assert.deepEqual(missingFacts(names, facts), ['message', 'consent:SUPPORT']);
  });

  test('may all be missing or anything at all: every condition is judged and none throws', () => {
    const anything = fc.oneof(fc.constant(null), fc.object(), fc.anything());
    const strangeFacts = fc.record({
      event: anything,
      contact: anything,
      message: anything,
      conversation: anything,
      answers: fc.dictionary(fc.string(), fc.boolean()),
    });
    fc.assert(
      fc.property(validDefinition, strangeFacts, (definition, strange) => {
        const given = { now: facts.now, run: null, ...strange } as Facts;
        for (const { predicate } of predicatesOf(definition)) judgeConditions([predicate], given, remembered);
      }),
      { numRuns: 100 },
    );
  });
});

suite('the next time clocks show an hour', () => {
  const cases: [
    now: string,
    at: string,
    timezone: string,
    days: ('MON' | 'SUN')[] | undefined,
    next: string,
  ][] = [
    ['2026-08-21T10:00:00.000Z', '12:00', 'Europe/Paris', undefined, '2026-08-21T10:00:00.000Z'],
    ['2026-08-21T10:00:00.001Z', '12:00', 'Europe/Paris', undefined, '2026-08-22T10:00:00.000Z'],
    ['2026-08-21T10:00:00.000Z', '09:00', 'Europe/Paris', ['MON'], '2026-08-24T07:00:00.000Z'],
    ['2026-08-24T07:00:01.000Z', '09:00', 'Europe/Paris', ['MON'], '2026-08-31T07:00:00.000Z'],
    // Clocks go back on 25 October and forward on 29 March.
    ['2026-10-24T12:00:00.000Z', '09:00', 'Europe/Paris', undefined, '2026-10-25T08:00:00.000Z'],
    ['2027-03-27T12:00:00.000Z', '09:00', 'Europe/Paris', ['SUN'], '2027-03-28T07:00:00.000Z'],
    ['2026-08-21T10:00:00.000Z', '00:00', 'Pacific/Kiritimati', undefined, '2026-08-21T10:00:00.000Z'],
  ];
  for (const [now, at, timezone, days, next] of cases)
    test(`after ${now} ${at} in ${timezone}${days ? ` on ${days}` : ''} is ${next}`, () => {
      assert.equal(nextLocalTime(now, { at, timezone, ...(days && { days }) }), next);
    });

  test('is not before now, at most a week and a day ahead, and shows that hour', () => {
    const zones = ['Europe/Paris', 'America/St_Johns', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'UTC'];
    const date = fc.date({ min: new Date('2020-01-01'), max: new Date('2035-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(date, fc.constantFrom(...zones), fc.integer({ min: 4, max: 23 }), (now, timezone, hour) => {
        const at = `${String(hour).padStart(2, '0')}:30`;
        const next = new Date(nextLocalTime(now.toISOString(), { at, timezone })!);
        assert.ok(next >= now && next.getTime() - now.getTime() <= 25 * 3_600_000);
        const shown = next.toLocaleTimeString('en-GB', {
          timeZone: timezone,
          hour: '2-digit',
          minute: '2-digit',
        });
        assert.equal(shown, at);
      }),
      { numRuns: 200 },
    );
  });
});
