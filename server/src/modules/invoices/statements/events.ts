import { declareEvents } from '../../../platform/events.ts';
import { Statement, statementSample } from './schema.ts';

export const statementEvents = declareEvents('statement', Statement, statementSample, {
  created: {
    since: '2026-08-21',
    description: 'A period was closed: what was paid in, what messages cost, and what is left.',
  },
});
