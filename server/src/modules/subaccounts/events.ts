import { declareEvents } from '../../platform/events.ts';
import { sampleSid } from '../../platform/samples.ts';
import { Account, accountSample } from '../accounts/index.ts';

/** A subaccount as it is told: an account that stands below another. */
export const subaccountSample: Account = {
  ...accountSample,
  sid: sampleSid('AC', '1'),
  parentAccountSid: sampleSid('AC'),
  name: 'Shop in Lyon',
};

export const subaccountEvents = declareEvents('subaccount', Account, subaccountSample, {
  created: {
    since: '2026-08-21',
    description: 'An account was made below the account; told in the one above.',
  },
});
