import { declareEvents } from '../../../platform/events.ts';
import { receiptSample } from '../samples.ts';
import { ReceiptSummary } from '../schema.ts';

export const receiptEvents = declareEvents('receipt', ReceiptSummary, receiptSample, {
  created: { since: '2026-08-21', description: 'A receipt was issued for a top-up that was paid.' },
});
