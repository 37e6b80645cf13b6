import { type Static, Type } from 'typebox';
import {
  Closed,
  DateTime,
  NamedObject,
  named,
  pageQuery,
  Sid,
  sample,
  Text,
  Uuid,
  Word,
} from '../../../platform/http/input/schema.ts';
import { sampleOwner, sampleTime, sampleUuid } from '../../../platform/samples.ts';
import { ProviderKey } from '../schema.ts';

export const StepUpMethod = named('StepUpMethod', Word('WEBAUTHN', 'TOTP', 'RECOVERY_CODE'));

export const StepUpRequest = NamedObject('CreateStepUpTokenRequest', {
  action: Text(256),
  assertion: Text(32_768),
  method: StepUpMethod,
  challenge: Type.Optional(Text(256)),
  providerKey: Type.Optional(ProviderKey),
});
export type StepUpRequest = Static<typeof StepUpRequest>;

/** The contract lists page parameters here; one token is never a page, so they are accepted and mean nothing. */
export const StepUpQuery = Closed(pageQuery);

export const StepUpGrant = NamedObject('StepUpGrant', {
  object: Word('step_up_token'),
  id: Uuid,
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  action: Type.String(),
  method: StepUpMethod,
  stepUpToken: Type.String(),
  expiresAt: DateTime,
  createdAt: DateTime,
});
export type StepUpGrant = Static<typeof StepUpGrant>;

sample(StepUpGrant, {
  object: 'step_up_token',
  id: sampleUuid,
  ...sampleOwner,
  action: 'WEBHOOK_ENDPOINT_CREATE',
  method: 'TOTP',
  stepUpToken: 'shown-this-once',
  expiresAt: '2026-08-21T10:05:00.000Z',
  createdAt: sampleTime,
});
