import { declareEvents } from '../../platform/events.ts';
import { Refund, refundSample } from './schema.ts';

const since = '2026-08-21';

export const refundEvents = declareEvents('refund', Refund, refundSample, {
  created: { since, description: 'A refund was asked for; its money is set aside.' },
  succeeded: {
    since,
    description: 'A refund went through.',
    sample: { state: 'succeeded' },
  },
  failed: {
    since,
    description: 'A refund did not go through, or came back; its money is where it was before.',
    sample: { state: 'failed', failure: 'lost_or_stolen_card' },
  },
});
