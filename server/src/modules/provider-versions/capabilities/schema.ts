import { type Static, Type } from 'typebox';
import {
  Closed,
  DateTime,
  NamedObject,
  Nullable,
  named,
  pageQuery,
  Sid,
  sample,
  Word,
} from '../../../platform/http/input/schema.ts';
import { sampleOwner, sampleSid, sampleTime } from '../../../platform/samples.ts';
import { type CapabilityName, capabilities, capabilityStatuses, factSources } from '../../provider/index.ts';

const names = Object.keys(capabilities) as CapabilityName[];

export const ProviderCapability = NamedObject('ProviderCapability', {
  object: Word('provider_capability'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  name: named('ProviderCapabilityName', Word(...names)),
  status: named('ProviderCapabilityStatus', Word(...capabilityStatuses)),
  /** The business account it is about; null for what is the same in the whole environment. */
  wabaSid: Nullable(Sid('WB')),
  /** The number it is about; null for what all numbers of the business account share. */
  senderSid: Nullable(Sid('WA')),
  /** The versions of the provider's API that have it; null where that makes no difference. */
  sinceVersion: Nullable(Type.String()),
  untilVersion: Nullable(Type.String()),
  /** Null when nothing is in the way. */
  reason: Nullable(Type.String()),
  /** What whoever uses it now is refused with; null when they are not. */
  errorCode: Nullable(Type.String()),
  evidence: Closed({
    source: Word(...factSources),
    /** When the fact was last looked at; for what the operator has set, now. */
    observedAt: DateTime,
  }),
});
export type ProviderCapability = Static<typeof ProviderCapability>;

export const PageQuery = Closed(pageQuery);

sample(ProviderCapability, {
  object: 'provider_capability',
  ...sampleOwner,
  name: 'MARKETING_MESSAGES',
  status: 'UNAVAILABLE',
  wabaSid: sampleSid('WB'),
  senderSid: null,
  sinceVersion: null,
  untilVersion: null,
  reason: 'The provider says of marketing messages: PENDING_VALID_PAYMENT_METHOD.',
  errorCode: 'MARKETING_MESSAGES_NOT_ONBOARDED',
  evidence: { source: 'PROVIDER', observedAt: sampleTime },
});
