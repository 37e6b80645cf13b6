import type { ConsentStanding } from '../../consent/index.ts';
import type { ConsentPurpose } from '../../contacts/index.ts';
import { type Category, fail, type Gate, pass } from './case.ts';

const purposeOf: Record<Category, ConsentPurpose> = {
  marketing: 'MARKETING',
  utility: 'TRANSACTIONAL',
  authentication: 'AUTHENTICATION',
  service: 'SUPPORT',
};

/** What a contact last said to messages of this category. */
export function consentTo(category: Category, consents: ConsentStanding | null | undefined) {
  const purpose = purposeOf[category];
  const state = consents?.[purpose];
  const status = state?.status ?? 'UNKNOWN';
  // Marketing needs a yes; everything else is only stopped by a no.
  const agreed =
    category === 'marketing' ? status === 'OPTED_IN' : status !== 'OPTED_OUT' && status !== 'REVOKED';
  return { agreed, purpose, status, consentSid: state?.consentSid ?? null };
}

export const consent: Gate = {
  name: 'consent',
  judge({ consents }, { category }) {
    const { agreed, ...evidence } = consentTo(category, consents);
    return agreed ? pass(evidence) : fail('CONSENT_REQUIRED', evidence);
  },
};
