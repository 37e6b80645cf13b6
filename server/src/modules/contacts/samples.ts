import { sampleOwner, sampleSid, sampleTime, sampleTimes, sampleUuid } from '../../platform/samples.ts';
import type { Contact, ContactConflict, ContactMerge, Identifier } from './schema.ts';

const phone: Identifier = { identifierType: 'phone_e164', value: '+33612345678', scopeRef: null };
const username: Identifier = { identifierType: 'username', value: 'ines.martin', scopeRef: null };
const unknown = { status: 'UNKNOWN', consentSid: null, recordedAt: null, expiresAt: null } as const;

export const contactSample: Contact = {
  object: 'contact',
  sid: sampleSid('CT'),
  ...sampleOwner,
  status: 'ACTIVE',
  mergedInto: null,
  displayName: 'Inès Martin',
  locale: 'fr',
  timezone: 'Europe/Paris',
  attributes: { plan: 'gold' },
  identifiers: [phone],
  consent: {
    TRANSACTIONAL: unknown,
    AUTHENTICATION: unknown,
    MARKETING: {
      status: 'OPTED_IN',
      consentSid: sampleSid('CV'),
      recordedAt: sampleTime,
      expiresAt: null,
    },
    SUPPORT: unknown,
  },
  ...sampleTimes,
};

export const contactMergeSample: ContactMerge = {
  object: 'contact_merge',
  id: sampleUuid,
  ...sampleOwner,
  status: 'MERGED',
  survivorContactSid: sampleSid('CT'),
  mergedContactSid: sampleSid('CT', '1'),
  reason: 'The same person',
  moved: { identifiers: [username], consents: [sampleSid('CV')] },
  mergedBy: `user:${sampleSid('US')}`,
  revertibleUntil: '2026-09-20T10:00:00.000Z',
  revertedAt: null,
  revertedBy: null,
  movedBack: null,
  stayed: null,
  ...sampleTimes,
};

export const contactConflictSample: ContactConflict = {
  object: 'contact_conflict',
  id: sampleUuid,
  ...sampleOwner,
  status: 'open',
  contactSid: sampleSid('CT'),
  otherContactSid: sampleSid('CT', '1'),
  identifiers: [phone, username],
  resolution: null,
  mergeId: null,
  resolvedBy: null,
  resolvedAt: null,
  ...sampleTimes,
};
