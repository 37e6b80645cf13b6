import { sampleOwner, sampleSid, sampleTime, sampleTimes, sampleUuid } from '../../platform/samples.ts';
import type { Consent, Suppression } from './schema.ts';

export const consentSample: Consent = {
  object: 'consent',
  sid: sampleSid('CV'),
  ...sampleOwner,
  contactSid: sampleSid('CT'),
  purpose: 'MARKETING',
  status: 'OPTED_IN',
  source: 'FORM',
  evidenceRef: 'signup-form-2026-08',
  evidence: { sourcePage: 'https://example.com/newsletter', wordingVersion: '3' },
  expiresAt: null,
  supersedesConsentSid: null,
  recordedBy: `api_key:${sampleUuid}`,
  createdAt: sampleTime,
  ledger: {
    sequence: '7',
    previousHash: '3b'.repeat(32),
    hash: 'a9'.repeat(32),
    detail: {
      hash: '5e'.repeat(32),
      salt: 'c4'.repeat(32),
      members: ['evidence.sourcePage', 'evidence.wordingVersion', 'evidenceRef'],
    },
  },
};

export const suppressionSample: Suppression = {
  object: 'suppression',
  sid: sampleSid('SU'),
  ...sampleOwner,
  contactSid: sampleSid('CT'),
  reason: 'KEYWORD_OPT_OUT',
  scope: 'MARKETING',
  senderSid: null,
  source: 'STOP',
  active: true,
  expiresAt: null,
  mirrorToProvider: false,
  mirroredAt: null,
  mirrorFailure: null,
  createdBy: 'system:sample',
  liftedAt: null,
  liftedBy: null,
  liftReason: null,
  ...sampleTimes,
};
