import { declareEvents } from '../../platform/events.ts';
import { Account, accountSample, suspendedSample } from './schema.ts';

export const accountEvents = declareEvents('account', Account, accountSample, {
  suspended: {
    since: '2026-08-21',
    description: 'The operator suspended the account: it sends and changes nothing.',
    sample: suspendedSample,
  },
  resumed: {
    since: '2026-08-21',
    description: 'The account may act again, and what waits in it leaves.',
  },
});
