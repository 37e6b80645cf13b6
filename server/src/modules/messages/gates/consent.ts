import type { ConsentPurpose } from '../../contacts/index.ts';
import { type Category, fail, type Gate, pass } from './case.ts';

export const purposeOf: Record<Category, ConsentPurpose> = {
  marketing: 'MARKETING',
  utility: 'TRANSACTIONAL',
  authentication: 'AUTHENTICATION',
  service: 'SUPPORT',
};

/** Marketing needs a yes; everything else is only stopped by a no. */
export const consent: Gate = {
  name: 'consent',
  judge({ consents }, { category }) {
    const purpose = purposeOf[category];
    const state = consents?.[purpose] ?? null;
    const status = state?.status ?? 'UNKNOWN';
    const evidence = { purpose, status, consentSid: state?.consentSid ?? null };
    if (category === 'marketing') {
      return status === 'OPTED_IN' ? pass(evidence) : fail('CONSENT_REQUIRED', evidence);
    }
    return status === 'OPTED_OUT' || status === 'REVOKED'
      ? fail('CONSENT_REQUIRED', evidence)
      : pass(evidence);
  },
};
