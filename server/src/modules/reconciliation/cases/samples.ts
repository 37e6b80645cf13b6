import { sampleOwner, sampleSid, sampleTimes } from '../../../platform/samples.ts';
import type { ReconciliationCase } from './schema.ts';

const usd = (amountMinor: string) => ({ amountMinor, currency: 'USD', scale: 6 });

export const caseSample: ReconciliationCase = {
  object: 'reconciliation_case',
  sid: sampleSid('CS'),
  ...sampleOwner,
  state: 'open',
  outcome: 'amount_mismatch',
  source: 'callback',
  wabaSid: sampleSid('WB'),
  bucket: null,
  messageSids: [sampleSid('SM')],
  messageCount: 1,
  expected: { messages: 1, amount: usd('4000') },
  reported: { messages: 1, amount: usd('9000') },
  difference: { messages: 0, amount: usd('5000') },
  findings: [
    {
      at: sampleTimes.createdAt,
      text: 'The provider priced it as marketing, regular, after it was settled.',
      messageSid: sampleSid('SM'),
    },
  ],
  resolution: null,
  version: 1,
  ...sampleTimes,
};
