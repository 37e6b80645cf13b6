import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { GodwitError, type SegmentFilters } from '@godwit/sdk';
import fc from 'fast-check';
import { issuesBeside, issueWithin, problemOf } from '../../src/api/problem.ts';
import { attributeLines, attributesIn } from '../../src/features/segments/attributes.ts';
import { definitionIn, fieldsOf, unreadableIn } from '../../src/features/segments/definition.ts';

/** A form as it is opened for these filters, with some fields changed. */
function formOf(filters: SegmentFilters, changed: Partial<ReturnType<typeof fieldsOf>> = {}): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries({ ...fieldsOf(filters), ...changed })) form.set(name, value);
  return form;
}

// What a field cannot say: a time of day, an end that is trimmed, a locale with a space, comparisons.
const odd: SegmentFilters = {
  displayNameContains: ' Jo ',
  localeIn: ['fr', 'en GB'],
  timezoneIn: ['Europe/Paris'],
  consent: { purpose: 'MARKETING', status: 'OPTED_IN' },
  suppressed: false,
  createdAfter: '2026-02-03T04:05:06+02:00',
  attributes: { plan: 'gold', visits: { gte: 3, lt: 9 }, zip: '75011', ' a=b ': null, vip: true },
};

suite('the definition of a segment in a form', () => {
  test('is the same after it was opened and saved, whatever it asks for', () => {
    for (const filters of [odd, {}, { suppressed: true }] as SegmentFilters[]) {
      const { filters: saved = {} } = definitionIn(formOf(filters), filters);
      assert.deepEqual(saved, filters);
    }
  });
  test('changes in what was touched, and in nothing else', () => {
    const changed = { status: 'OPTED_OUT', since: '2026-03-01', locales: 'de, it', timezones: '' };
    const { filters } = definitionIn(formOf(odd, changed), odd);
    const { timezoneIn: _, ...others } = odd;
    assert.deepEqual(filters, {
      ...others,
      consent: { purpose: 'MARKETING', status: 'OPTED_OUT' },
      createdAfter: '2026-03-01T00:00:00Z',
      localeIn: ['de', 'it'],
    });
    assert.deepEqual(definitionIn(formOf(odd, { status: '' }), odd).filters?.consent, undefined);
  });
  test('asks for everybody where every field is empty', () => {
    const emptied = Object.fromEntries(Object.keys(fieldsOf(odd)).map((name) => [name, '']));
    assert.deepEqual(definitionIn(formOf(odd, emptied), odd), { kind: 'DYNAMIC' });
  });
  test('has attributes as they are, a line each: texts, numbers, comparisons', () => {
    const { attributes } = attributesIn(
      'plan = gold\n\nvisits={"gte":3}\r\nzip=007\nid="5"\nage=-1.5\nvip=true\n',
    );
    assert.deepEqual(attributes, {
      plan: 'gold',
      visits: { gte: 3 },
      zip: '007',
      id: '5',
      age: -1.5,
      vip: true,
    });
    for (const line of ['plan', '=gold', 'visits={gte:3}', 'in=["a"', '"a=1'])
      assert.equal(unreadableIn(formOf({}, { attributes: `ok=1\n${line}` })), line);
  });
  test('has attributes that come back as they were, whatever their names and values', () => {
    const plain = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
    );
    const value = fc.oneof(plain, fc.constant(null), fc.record({ in: fc.array(plain) }));
    const names = fc.string({ unit: 'grapheme' }).filter((name) => name !== '__proto__');
    fc.assert(
      fc.property(fc.dictionary(names, value), (attributes) => {
        const lines = attributeLines(attributes);
        // As a request carries them: it knows no -0.
        assert.deepEqual(attributesIn(lines).attributes, JSON.parse(JSON.stringify(attributes)));
      }),
    );
  });
});

test('what is wrong inside a field stands at the field, all of it, and not beside it', () => {
  const details = [
    { path: '/filters/attributes/visits/gte', issue: 'must be a number or a string' },
    { path: 'filters.attributes.age.near', issue: 'is not one of eq, ne' },
    { path: 'filters.attributesOfOthers', issue: 'is unknown' },
  ];
  const refusal = {
    code: 'VALIDATION_ERROR',
    type: 'invalid_request',
    message: '',
    retryable: false,
    details,
  };
  const error = new GodwitError(400, refusal as never, { method: 'PATCH', path: '/' } as never);
  const told = 'visits.gte must be a number or a string, age.near is not one of eq, ne';
  assert.equal(issueWithin(error, 'filters.attributes'), told);
  assert.equal(issueWithin(error, 'name'), null);
  assert.deepEqual(issuesBeside(problemOf(error), ['filters.attributes.*']), [details[2]]);
});
