import { declareEvents } from '../../../platform/events.ts';
import { Invoice, invoiceSample } from './schema.ts';

const since = '2026-08-21';
const { total, outstanding } = invoiceSample;
const nothing = { ...outstanding, amountMinor: '0' };
const unissued = { number: null, issuedAt: null, dueAt: null };
const unsubmitted = { provider: 'godwit', reference: null, attempts: 0, error: null };

export const invoiceEvents = declareEvents('invoice', Invoice, invoiceSample, {
  created: {
    since,
    description: 'A period was closed, and what it left owed is being invoiced.',
    sample: { state: 'draft', ...unissued, submission: unsubmitted },
  },
  issued: { since, description: 'The invoice has its number and its document, and can be paid.' },
  submission_failed: {
    since,
    description: 'The invoice was refused where it has to be registered. It can be submitted again.',
    sample: { state: 'failed', ...unissued, submission: { ...unsubmitted, attempts: 1, error: 'rejected' } },
  },
  paid: {
    since,
    description: 'Nothing of the invoice is outstanding any more.',
    sample: { state: 'paid', paid: total, outstanding: nothing },
  },
  past_due: {
    since,
    description: 'A payment failed, was taken back, or did not come in time.',
    sample: {
      state: 'past_due',
      collection: { attempts: 1, nextAttemptAt: '2026-08-22T10:00:00.000Z', lastFailure: 'card_declined' },
    },
  },
  voided: {
    since,
    description: 'The invoice was issued in error and counts no more.',
    sample: { state: 'void' },
  },
  written_off: {
    since,
    description: 'Nobody expects the invoice to be paid any more.',
    sample: { state: 'uncollectible', outstanding: nothing },
  },
});
