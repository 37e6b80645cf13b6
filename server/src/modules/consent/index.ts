import type { Module } from '../../platform/module.ts';
import { consentBelongings } from './belongings.ts';
import { consentEvents, suppressionEvents } from './events.ts';
import { mirrorMovedSender } from './mirror-moved-sender.ts';
import { mirrorSuppressions } from './mirror-suppressions.ts';
import { operations } from './routes.ts';

export { type ConsentFilter, isSuppressed, matchConsent, optedOutBetween } from './audience.ts';
export {
  type ConsentEntry,
  type ConsentStanding,
  consentsBySid,
  consentsOf,
  consentsOfAudience,
  judgeConsent,
  recordConsent,
  recordConsents,
  recordEach,
} from './consents.ts';
export {
  consentStandingOf,
  giveOptOutsBack,
  keepOptOuts,
  standingOf,
  standingOptOut,
} from './erased-opt-outs.ts';
export { consentsFollow, suppressionsFollow } from './followers.ts';
export { type ConsentReport, consentLinks, verifyConsentFile, verifyConsents } from './ledger.ts';
export { liftSuppressions } from './lift-suppressions.ts';
export { mirrorAnew } from './mirror-moved-sender.ts';
export { applyUserPreferences } from './provider-preferences.ts';
export { NewConsent } from './schema.ts';
export { type Standing, standingSuppressions, suppressionsOfAudience } from './standing.ts';
export { type SuppressionEntry, suppressContact, suppressEach, suppressLocked } from './suppressions.ts';
export const consentModule: Module = {
  name: 'consent',
  tables: ['consents', 'consent_states', 'suppressions', 'provider_blocks'],
  tags: {
    Consent: 'What people agreed to, recorded in a chain and never changed.',
    Suppressions: 'Who must not be written to, why, and until when.',
  },
  operations,
  events: [...Object.values(consentEvents), ...Object.values(suppressionEvents)],
  jobs: [mirrorSuppressions, mirrorMovedSender],
  crons: [],
  belongings: consentBelongings,
};
