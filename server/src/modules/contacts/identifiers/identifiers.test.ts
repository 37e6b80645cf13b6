import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import {
  identifierFilter,
  judgeIdentifier,
  judgeIdentifiers,
  normalizePhone,
  normalizeUsername,
} from './identifiers.ts';

suite('a phone number', () => {
  const cases: [string, 'FR' | 'US' | 'IT' | undefined, string][] = [
    ['+33 6 12 34 56 78', undefined, '+33612345678'],
    ['0033612345678', undefined, '+33612345678'],
    ['00 33 6 12 34 56 78', undefined, '+33612345678'],
    ['00-33-6-12-34-56-78', 'US', '+33612345678'],
    ['(00) 33 6 12 34 56 78', undefined, '+33612345678'],
    ['00 (33) 6 12 34 56 78', undefined, '+33612345678'],
    ['06 12 34 56 78', 'FR', '+33612345678'],
    ['(415) 555-0132', 'US', '+14155550132'],
    ['+1 (415) 555-0132', 'FR', '+14155550132'],
    ['+1.415.555.0132', undefined, '+14155550132'],
    ['+39 06 1234 5678', undefined, '+390612345678'],
    ['06 1234 5678', 'IT', '+390612345678'],
    ['+15550001111', undefined, '+15550001111'],
  ];
  for (const [given, country, stored] of cases) {
    test(`${given}${country ? ` in ${country}` : ''} is stored as ${stored}`, () => {
      assert.deepEqual(normalizePhone(given, country), { value: stored });
    });
  }
  const impossible = [
    '',
    '+',
    'phone',
    '+33',
    '+33612',
    '+3361234567890123',
    '+999123456789',
    '+33612345678x5',
    '+1415555०१३२',
    '++33612345678',
    'tel:+33612345678',
    '+33 6 12 34 56 78 ext. 5',
  ];
  for (const given of impossible) {
    test(`${JSON.stringify(given)} is refused`, () => {
      assert.match(normalizePhone(given, 'FR').issue ?? 'accepted', /can exist/);
    });
  }
  test('without a country, the national form is refused with what to do', () => {
    assert.match(normalizePhone('06 12 34 56 78').issue!, /has no country.*defaultCountry/);
  });
  test('what is stored is stored the same again', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\+[1-9][0-9 ().-]{3,18}$/), (text) => {
        const once = normalizePhone(text);
        if (once.value === undefined) return;
        assert.match(once.value, /^\+[1-9]\d{3,16}$/);
        assert.deepEqual(normalizePhone(once.value), once);
      }),
      { numRuns: 2_000 },
    );
  });
  test('no text makes it throw', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 256 }), (text) => {
        const { value, issue } = normalizePhone(text, 'FR');
        assert.ok((value === undefined) !== (issue === undefined));
      }),
      { numRuns: 2_000 },
    );
  });
});

suite('a username', () => {
  test('is the same in any case, and without its @', () => {
    for (const given of ['Ines.M', '@ines.m', 'INES.M']) {
      assert.deepEqual(normalizeUsername(given), { value: 'ines.m' });
    }
  });
  for (const given of ['ab', 'a'.repeat(36), '1234', '.ines', 'ines.', 'in..es', 'inès', 'in es', '@@ines']) {
    test(`${given} is refused`, () => {
      assert.ok(normalizeUsername(given).issue);
    });
  }
  for (const given of ['www.ines', 'wwwines', 'ines.com', 'Ines.COM', 'shop.co.uk', 'ines.fr', 'ines.html']) {
    test(`${given} is a web address and no username`, () => {
      assert.match(normalizeUsername(given).issue ?? 'accepted', /web address/);
    });
  }
  for (const given of ['ines.www', 'ines.comet', 'com.ines', 'ines_com', 'inescom', 'fr.ines']) {
    test(`${given} is a username`, () => assert.deepEqual(normalizeUsername(given), { value: given }));
  }
});

suite('the scope of an identifier', () => {
  const places = { value: 'value', scopeRef: 'scopeRef' };
  const detailsOf = (identifierType: 'bsuid' | 'username', value: string, scopeRef?: string | null) =>
    judgeIdentifier({ identifierType, value, scopeRef }, places).details.map(({ path }) => path);
  test('is required for a bsuid', () => {
    assert.deepEqual(detailsOf('bsuid', 'FR.48120077310552911'), ['scopeRef']);
    assert.deepEqual(detailsOf('bsuid', 'FR.48120077310552911', '  '), ['scopeRef']);
    assert.deepEqual(detailsOf('bsuid', 'FR.48120077310552911', 'portfolio-1'), []);
  });
  test('is refused for any other', () => {
    assert.deepEqual(detailsOf('username', 'ines', 'portfolio-1'), ['scopeRef']);
    assert.deepEqual(detailsOf('username', 'ines', null), []);
  });
});

suite('a list of identifiers', () => {
  const phone = (value: string) => ({ identifierType: 'phone_e164' as const, value });
  test('names every bad one by its place', () => {
    const { details } = judgeIdentifiers([phone('+33612345678'), phone('0612345678'), phone('nobody')]);
    assert.deepEqual(
      details.map(({ path }) => path),
      ['identifiers[1].value', 'identifiers[2].value'],
    );
  });
  test('counts one that is repeated in another form once', () => {
    const { identifiers, details } = judgeIdentifiers([phone('+33612345678'), phone('06 12 34 56 78')], 'fr');
    assert.deepEqual([identifiers.length, details], [1, []]);
  });
  test('has 1 to 50 members', () => {
    const paths = (count: number) =>
      judgeIdentifiers(Array.from({ length: count }, () => phone('+33612345678'))).details.map(
        ({ path }) => path,
      );
    assert.deepEqual([paths(0), paths(1), paths(50), paths(51)], [['identifiers'], [], [], ['identifiers']]);
  });
  test('needs a country that exists', () => {
    const { details } = judgeIdentifiers([phone('0612345678')], 'ZZ');
    assert.deepEqual(
      details.map(({ path }) => path),
      ['defaultCountry'],
    );
  });
});

suite('asking for an identifier', () => {
  test('finds a number whose + was lost on the way', () => {
    assert.deepEqual(identifierFilter({ identifier: ' 33612345678', identifierType: 'phone_e164' }), {
      values: ['+33612345678'],
      identifierType: 'phone_e164',
      scopeRef: null,
    });
  });
  test('without a type looks for every form it may have', () => {
    const filter = identifierFilter({ identifier: 'Ines' });
    assert.ok(filter && 'values' in filter);
    assert.deepEqual(filter.values, ['ines', 'Ines']);
  });
  test('by type or scope alone is refused', () => {
    const filter = identifierFilter({ identifierType: 'bsuid', scopeRef: 'x' });
    assert.ok(filter && 'details' in filter);
    assert.deepEqual(
      filter.details.map(({ path }) => path),
      ['identifierType', 'scopeRef'],
    );
  });
});
