import { type Static, Type } from 'typebox';
import {
  BusinessKey,
  DateTime,
  NamedObject,
  Nullable,
  named,
  Sid,
  sample,
  Text,
  Uuid,
  Word,
} from '../../platform/http/input/schema.ts';
import { sampleOwner, sampleSid, sampleTime, sampleTimes, sampleUuid } from '../../platform/samples.ts';
import { switchStates } from './states.ts';

const SwitchError = NamedObject('BillingModeError', { code: Type.String(), message: Type.String() });
export type SwitchError = Static<typeof SwitchError>;

const BillingModeSwitch = NamedObject('BillingModeSwitch', {
  id: Uuid,
  state: named('BillingModeSwitchState', Word(...switchStates)),
  /** What an owner accepts, to the letter. */
  termsVersion: Type.String(),
  /** What the provider bills in. */
  currency: Type.String(),
  acceptedBy: Nullable(Type.String()),
  acceptedAt: Nullable(DateTime),
  error: Nullable(SwitchError),
  /** Follows the switch to its end. */
  operationSid: Sid('OP'),
  /** Follows its revert; null while none was asked for. */
  revertOperationSid: Nullable(Sid('OP')),
  createdAt: DateTime,
  updatedAt: DateTime,
});

export const BillingModeResource = NamedObject('BillingMode', {
  object: Word('billing_mode'),
  wabaSid: Sid('WB'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  mode: Word('direct', 'partner'),
  effectiveFrom: DateTime,
  /** The newest; null when the mode was never to change. */
  switch: Nullable(BillingModeSwitch),
});
export type BillingModeResource = Static<typeof BillingModeResource>;

export const AcceptSwitch = NamedObject('AcceptBillingModeSwitchRequest', {
  stepUpEvidence: Text(4096),
  termsVersion: Text(128),
});

export const RevertSwitch = NamedObject('RevertBillingModeSwitchRequest', {
  idempotencyKey: BusinessKey,
  reason: Word('customer_disconnected'),
});
export type RevertSwitch = Static<typeof RevertSwitch>;

export const billingModeSample: BillingModeResource = {
  object: 'billing_mode',
  wabaSid: sampleSid('WB'),
  ...sampleOwner,
  mode: 'direct',
  effectiveFrom: sampleTime,
  switch: {
    id: sampleUuid,
    state: 'awaiting_acceptance',
    termsVersion: '2026-11-16',
    currency: 'USD',
    acceptedBy: null,
    acceptedAt: null,
    error: null,
    operationSid: sampleSid('OP'),
    revertOperationSid: null,
    ...sampleTimes,
  },
};
sample(BillingModeResource, billingModeSample);
