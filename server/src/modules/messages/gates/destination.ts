import { fail, type Gate, isUnusable, pass } from './case.ts';

/** Where the provider delivers nothing at all. */
const embargoed = new Set(['CU', 'IR', 'KP', 'SY']);
/** Where the provider delivers no marketing. */
const withoutMarketing = new Set(['US']);

export const destination: Gate = {
  name: 'destination',
  judge({ recipient, content }, { category }) {
    const country = isUnusable(recipient) ? null : recipient.country;
    const evidence = { country, category };
    if (country === null) return pass(evidence);
    if (embargoed.has(country)) return fail('DESTINATION_POLICY_BLOCKED', evidence);
    if (category === 'marketing' && withoutMarketing.has(country)) return fail('MARKET_EXCLUDED', evidence);
    if (!isUnusable(content) && content.type === 'address' && content.address.country !== country) {
      const issue = `asks for an address in ${content.address.country}, and the recipient is in ${country}`;
      return fail('VALIDATION_ERROR', evidence, [{ path: 'address.country', issue }]);
    }
    return pass(evidence);
  },
};
