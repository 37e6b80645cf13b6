import type { Module } from '../../platform/module.ts';
import { copyBelongings } from './copies/belongings.ts';
import { privacyCopy } from './copies/copy-person.ts';
import { sweepCopies } from './copies/crons.ts';
import { goOnErasing, remindOfRequests } from './crons.ts';
import { privacyBelongings } from './erasure/belongings.ts';
import { erasureOfPerson } from './erasure/erase-person.ts';
import { privacyRequestEvents } from './events.ts';
import { observePrivacy } from './metrics.ts';
import { privacyNotifications } from './notifications.ts';
import { operations } from './routes.ts';

export { verifyCertificate } from './certificates/certificates.ts';
export type { CertificateClaims } from './certificates/schema.ts';
export { consentCertificateType, verifyConsentCertificate } from './consent-certificates/certify-consents.ts';
export type { ConsentCertificateClaims } from './consent-certificates/schema.ts';
export { resumeErasures } from './erasure/start-erasure.ts';
export { type JournalEntry, readJournal } from './journal/journal.ts';
export type { SimulatedPeople } from './ports.ts';
export { broughtBack, replayEntry } from './replay.ts';
export { knowStores } from './stores.ts';

export const privacyModule: Module = {
  name: 'privacy',
  tables: ['privacy_requests', 'erasures', 'privacy_copy_parts', 'certificate_keys'],
  tags: {
    'Privacy requests':
      'What people ask for about their data: to know, take along, correct, restrict or end it.',
  },
  operations,
  events: Object.values(privacyRequestEvents),
  notifications: privacyNotifications,
  jobs: [erasureOfPerson.job, privacyCopy.job],
  crons: [remindOfRequests, goOnErasing, sweepCopies],
  belongings: [...privacyBelongings, ...copyBelongings],
  observe: observePrivacy,
};
