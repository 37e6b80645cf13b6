// Samples of what sending answers with, beside the message itself.
import type { Static } from 'typebox';
import { sampleOwner, sampleSid, sampleTime } from '../../platform/samples.ts';
import { messageSample } from './samples.ts';
import type { MessageBatch, Preflight, RefusedMessage, Timeline } from './schema.ts';

const fee = { amountMinor: '300', currency: 'EUR', scale: 4 };

const refusalSample: RefusedMessage = {
  code: 'RECIPIENT_OPTED_OUT',
  type: 'policy_error',
  message: 'The recipient opted out.',
  retryable: false,
  retryAfterSeconds: null,
  docUrl: 'https://api.example.com/docs/errors#RECIPIENT_OPTED_OUT',
  details: [],
};

export const preflightSample: Preflight = {
  object: 'preflight',
  ...sampleOwner,
  accepted: true,
  checks: [
    {
      gate: 'consent',
      outcome: 'pass',
      code: null,
      message: null,
      evidence: { consentSid: sampleSid('CV') },
    },
  ],
  error: null,
  resolved: {
    senderSid: sampleSid('WA'),
    contactSid: sampleSid('CT'),
    identifier: { identifierType: 'phone_e164', value: '+33612345678', scopeRef: null },
    conversationSid: sampleSid('CO'),
    category: 'utility',
    transport: 'cloud_api',
    window: { open: false, expiresAt: null, freeUntil: null },
  },
  cost: {
    total: fee,
    lines: [{ kind: 'platform_fee', amount: fee }],
    pricingType: 'REGULAR',
    market: 'FR',
    rateCardVersion: 1,
  },
  wouldSendAt: sampleTime,
};

export const batchSample: Static<typeof MessageBatch> = {
  object: 'message_batch',
  accepted: 1,
  refused: 1,
  results: [
    { index: 0, message: messageSample, error: null },
    { index: 1, message: null, error: refusalSample },
  ],
};

const nothingElse = {
  attempt: null,
  code: null,
  providerCode: null,
  reason: null,
  durationMs: null,
  amount: null,
  delivery: null,
};

export const timelineSample: Timeline = {
  object: 'message_timeline',
  messageSid: sampleSid('SM'),
  status: 'sent',
  entries: [
    { ...nothingElse, kind: 'status', at: sampleTime, status: 'queued' },
    { ...nothingElse, kind: 'money', at: sampleTime, status: 'held', amount: fee },
    {
      ...nothingElse,
      kind: 'attempt',
      at: '2026-08-21T10:00:00.120Z',
      status: 'accepted',
      attempt: 1,
      durationMs: 96,
    },
    { ...nothingElse, kind: 'status', at: '2026-08-21T10:00:00.216Z', status: 'sent' },
  ],
};
