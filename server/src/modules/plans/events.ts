import { declareEvents } from '../../platform/events.ts';
import { AccountPlan, accountPlanSample } from './schema.ts';

const { use } = accountPlanSample;

export const planEvents = declareEvents(
  'plan',
  AccountPlan,
  accountPlanSample,
  {
    changed: { since: '2026-08-21', description: 'The operator gave the account another plan.' },
    quota_nearly_used: {
      since: '2026-08-21',
      description: "Four fifths of the month's messages are used.",
      sample: { use: { ...use, messages: 80_000, messagesLeft: 20_000 } },
    },
    quota_used: {
      since: '2026-08-21',
      description: "The month's messages are used up: more are refused until the next month.",
      sample: { use: { ...use, messages: 100_000, messagesLeft: 0 } },
    },
  },
  'accountSid',
);
