import { declareEvents } from '../../platform/events.ts';
import { authorizationSample } from './samples.ts';
import { Authorization } from './schema.ts';

export const authorizationEvents = declareEvents('authorization', Authorization, authorizationSample, {
  recorded: {
    since: '2026-05-04',
    description: 'An instruction to act for the business was recorded.',
  },
});
