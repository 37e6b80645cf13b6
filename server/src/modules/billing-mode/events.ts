import { declareEvents } from '../../platform/events.ts';
import { sampleTime } from '../../platform/samples.ts';
import { BillingModeResource, billingModeSample } from './schema.ts';
import type { SwitchState } from './states.ts';

const since = '2026-08-21';
const standing = (state: SwitchState, more: object = {}) => ({
  switch: { ...billingModeSample.switch!, state, ...more },
});
const accepted = { acceptedBy: 'user:US01K3SAMP1E0000000000000000', acceptedAt: sampleTime };

/** A mode has no SID of its own: it is a fact of its business account. */
export const billingModeEvents = declareEvents(
  'billing_mode',
  BillingModeResource,
  billingModeSample,
  {
    switch_requested: {
      since,
      description: 'Somebody asked that the operator pay the provider for a business account.',
      sample: standing('requested'),
    },
    acceptance_required: {
      since,
      description: 'The terms of a switch can be accepted by an owner.',
    },
    switch_accepted: {
      since,
      description: 'An owner accepted the terms of a switch.',
      sample: standing('accepted', accepted),
    },
    activated: {
      since,
      description: 'From now on the operator pays the provider for the account, and charges it.',
      sample: { mode: 'partner', ...standing('active', accepted) },
    },
    switch_failed: {
      since,
      description: 'A switch came to nothing; the mode is what it was.',
      sample: standing('failed', {
        error: { code: 'PAYMENT_REQUIRED', message: 'The operator has no credit line at the provider.' },
      }),
    },
    revert_requested: {
      since,
      description: 'Somebody asked that the account pay the provider itself again.',
      sample: { mode: 'partner', ...standing('revoking', accepted) },
    },
    revert_failed: {
      since,
      description: 'The provider refused to take the credit line back; the mode is what it was.',
      sample: { mode: 'partner', ...standing('active', accepted) },
    },
    reverted: {
      since,
      description:
        'The credit line was taken back, as the provider has confirmed; the account pays the provider itself again.',
      sample: standing('direct', accepted),
    },
  },
  'wabaSid',
);
