import { declareEvents } from '../../../platform/events.ts';
import { sampleTime } from '../../../platform/samples.ts';
import { caseSample } from './samples.ts';
import { ReconciliationCase } from './schema.ts';

export const caseEvents = declareEvents('reconciliation_case', ReconciliationCase, caseSample, {
  opened: {
    since: '2026-08-21',
    description: 'Our records and those of the provider differ about a message or its price.',
  },
  updated: {
    since: '2026-08-21',
    description: 'More was found out about a case, or more messages belong to it.',
    sample: { state: 'investigating', version: 2 },
  },
  resolved: {
    since: '2026-08-21',
    description: 'A case was settled: resolved or rejected.',
    sample: {
      state: 'resolved',
      version: 2,
      resolution: {
        decision: 'resolved',
        reason: 'The provider confirmed the lower price.',
        evidence: {},
        decidedBy: 'system:job:reconciliation.doubted-prices',
        decidedAt: sampleTime,
        adjusted: { amountMinor: '-5000', currency: 'USD', scale: 6 },
      },
    },
  },
});
