import type { Content } from '../../provider/index.ts';
import { fail, type Gate, isUnusable, pass } from './case.ts';

/** Where the provider delivers nothing at all. */
const embargoed = new Set(['CU', 'IR', 'KP', 'SY']);
/** Where the provider delivers no marketing. */
const withoutMarketing = new Set(['US']);

/** The country of the address a content asks for, and where it says so. */
function addressAskedIn(content: Content): { country: string; path: string } | null {
  if (content.type === 'address') return { country: content.address.country, path: 'address.country' };
  if (content.type !== 'interactive' || content.interactive.subtype !== 'address') return null;
  return { country: content.interactive.country, path: 'interactive.country' };
}

export const destination: Gate = {
  name: 'destination',
  judge({ recipient, content }, { category }) {
    const country = isUnusable(recipient) ? null : recipient.country;
    const evidence = { country, category };
    if (country === null) return pass(evidence);
    if (embargoed.has(country)) return fail('DESTINATION_POLICY_BLOCKED', evidence);
    if (category === 'marketing' && withoutMarketing.has(country)) return fail('MARKET_EXCLUDED', evidence);
    const asked = isUnusable(content) ? null : addressAskedIn(content);
    if (asked && asked.country !== country) {
      const issue = `asks for an address in ${asked.country}, and the recipient is in ${country}`;
      return fail('VALIDATION_ERROR', evidence, [{ path: asked.path, issue }]);
    }
    return pass(evidence);
  },
};
