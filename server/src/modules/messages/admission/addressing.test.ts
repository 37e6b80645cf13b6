import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { getCountries, getCountryCallingCode, parsePhoneNumberFromString } from 'libphonenumber-js';
import { countryByPrefix } from './addressing.ts';

const codes = getCountries().map((country) => getCountryCallingCode(country));
const digits = fc.stringMatching(/^[0-9]{0,16}$/);

suite('the country of a number', () => {
  test('told by its calling code alone is the one that the whole number tells', () => {
    let told = 0;
    fc.assert(
      fc.property(fc.oneof(fc.constantFrom(...codes), digits), digits, (code, rest) => {
        const value = `+${code}${rest}`;
        const country = countryByPrefix(value);
        if (country === null) return;
        told += 1;
        assert.equal(country, parsePhoneNumberFromString(value)?.country, value);
      }),
      { numRuns: 5_000 },
    );
    assert.ok(told > 500, `told of ${told}`);
  });
  test('is left to the whole number where several countries share the code', () => {
    for (const shared of ['+14155550123', '+447700900123', '+79161234567', '+390612345678'])
      assert.equal(countryByPrefix(shared), null);
    for (const unclear of ['+33', '33612345678', '+3361234567890123', '+33 6 12 34 56 78', ''])
      assert.equal(countryByPrefix(unclear), null);
    assert.equal(countryByPrefix('+33612345678'), 'FR');
  });
});
