import { declareEvents, heardBy } from '../../platform/events.ts';
import { sampleSid } from '../../platform/samples.ts';
import { Application, applicationSample } from './schema.ts';

const since = '2026-08-21';
const amount = { amountMinor: '33500000', currency: 'USD', scale: 6 };
const underWay = { operationSid: sampleSid('OP'), fee: { state: 'HELD' as const, amount } };

/** What is sealed is in none of them. */
export const applicationEvents = heardBy(
  ['accounts:read'],
  declareEvents('managed_application', Application, applicationSample, {
    submitted: { since, description: 'Somebody applied to be set up by the operator.' },
    updated: {
      since,
      description: 'An application moved on, or what is told of it changed.',
      sample: { state: 'IN_REVIEW' },
    },
    information_requested: {
      since,
      description: 'The operator asks for something before it decides.',
      sample: {
        state: 'INFORMATION_REQUESTED',
        informationRequest: 'Please send an extract of the register.',
      },
    },
    quote_changed: {
      since,
      description: 'The operator offers other prices or terms, which wait to be accepted.',
      sample: {
        state: 'QUOTE_CHANGED',
        offeredQuoteFingerprint: applicationSample.acceptedQuote.fingerprint,
      },
    },
    approved: {
      since,
      description: 'An application was approved: the fee is set aside, and the work begins.',
      sample: { state: 'APPROVED', ...underWay },
    },
    rejected: {
      since,
      description: 'The operator will not set the business up.',
      sample: { state: 'REJECTED', reason: 'The register does not know the company.' },
    },
    withdrawn: {
      since,
      description: 'An application was withdrawn before it was approved.',
      sample: { state: 'WITHDRAWN' },
    },
    completed: {
      since,
      description: 'The business account and its number are connected, and the fee was taken.',
      sample: {
        state: 'COMPLETED',
        operationSid: sampleSid('OP'),
        fee: { state: 'CAPTURED', amount },
        phoneNumber: '+33180001000',
        wabaSid: sampleSid('WB'),
        senderSid: sampleSid('WA'),
      },
    },
    failed: {
      since,
      description: 'The work came to nothing; the fee was given back.',
      sample: {
        state: 'FAILED',
        operationSid: sampleSid('OP'),
        fee: { state: 'RELEASED', amount },
        error: { code: 'DISPLAY_NAME_NOT_APPROVED', message: 'The provider declined the display name.' },
      },
    },
  }),
);
