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
  Text,
  Word,
  Words,
} from '../../platform/http/input/schema.ts';
import { sampleOwner, sampleSid, sampleTime, sampleTimes } from '../../platform/samples.ts';
import { ProviderRestriction } from '../wabas/index.ts';
import { qualities, senderStatuses } from './senders.ts';

const status = named('SenderStatus', Word(...senderStatuses));
const quality = named('SenderQuality', Word(...qualities));

export const SenderResource = NamedObject('Sender', {
  object: Word('sender'),
  sid: Sid('WA'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  wabaSid: Nullable(Sid('WB')),
  phoneNumber: Type.String(),
  providerPhoneNumberId: Nullable(Type.String()),
  displayName: Type.String(),
  nameStatus: Nullable(Type.String()),
  status,
  statusChangedAt: DateTime,
  /** Whether a message can leave from it now. */
  ready: Type.Boolean(),
  quality,
  verificationStatus: Nullable(Type.String()),
  onBusinessApp: Type.Boolean(),
  /** Whether it has the public key that flows with an endpoint need; null until it was read. */
  flowKey: Nullable(Word('VALID', 'MISMATCH', 'NONE')),
  throughput: Closed({ level: Type.String(), messagesPerSecond: Type.Integer() }),
  pairRate: Closed({ secondsPerMessage: Type.Integer(), burst: Type.Integer() }),
  restrictions: Type.Array(ProviderRestriction),
  createdAt: DateTime,
  updatedAt: DateTime,
});
export type SenderResource = Static<typeof SenderResource>;

export const SenderQuery = Closed({
  status: Type.Optional(status),
  wabaSid: Type.Optional(Sid('WB')),
  ...pageQuery,
});

export const NewSimulatedSender = NamedObject('CreateSenderRequest', {
  displayName: Text(128, 1),
  wabaSid: Type.Optional(Sid('WB')),
});
export type NewSimulatedSender = Static<typeof NewSimulatedSender>;

export const SenderStatusChange = NamedObject('SenderStatusChange', {
  object: Word('sender_status_change'),
  senderSid: Sid('WA'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  status,
  previousStatus: Nullable(status),
  quality,
  reason: Type.String(),
  occurredAt: DateTime,
  createdAt: DateTime,
});
export type SenderStatusChange = Static<typeof SenderStatusChange>;

// The provider's limits for the card people see behind a number.
const profile = {
  about: Type.Optional(Text(139, 1)),
  address: Type.Optional(Text(256)),
  description: Type.Optional(Text(512)),
  email: Type.Optional(Text(128)),
  websites: Type.Optional(Type.Array(Type.String({ format: 'uri', maxLength: 256 }), { maxItems: 2 })),
  vertical: Type.Optional(Type.String({ pattern: '^[A-Z_]{1,64}$' })),
};
export const BusinessProfileChange = NamedObject('UpdateSenderProfileRequest', profile);
export const BusinessProfileResource = NamedObject('BusinessProfile', {
  object: Word('business_profile'),
  senderSid: Sid('WA'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  about: Nullable(Type.String()),
  address: Nullable(Type.String()),
  description: Nullable(Type.String()),
  email: Nullable(Type.String()),
  websites: Type.Array(Type.String()),
  vertical: Nullable(Type.String()),
});
export type BusinessProfileResource = Static<typeof BusinessProfileResource>;

const member = {
  weight: Type.Integer({ minimum: 1, maximum: 100 }),
  priority: Type.Integer({ minimum: 0, maximum: 9 }),
};
const optionalMember = { weight: Type.Optional(member.weight), priority: Type.Optional(member.priority) };

export const PoolMemberChange = NamedObject('SetSenderPoolMemberRequest', optionalMember);
export type PoolMemberChange = Static<typeof PoolMemberChange>;

const NewMember = NamedObject('NewSenderPoolMember', { senderSid: Sid('WA'), ...optionalMember });
export const maxMembers = 50;

export const NewSenderPool = NamedObject('CreateSenderPoolRequest', {
  name: Words(128, 1),
  members: Type.Optional(Type.Array(NewMember, { maxItems: maxMembers })),
});
export type NewSenderPool = Static<typeof NewSenderPool>;

export const SenderPoolChange = NamedObject('UpdateSenderPoolRequest', { name: Words(128, 1) });

export const SenderPool = NamedObject('SenderPool', {
  object: Word('sender_pool'),
  sid: Sid('SP'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  name: Type.String(),
  members: Type.Array(
    NamedObject('SenderPoolMember', {
      senderSid: Sid('WA'),
      ...member,
      status,
      assignedContacts: Type.Integer(),
    }),
  ),
  deletedAt: Nullable(DateTime),
  createdAt: DateTime,
  updatedAt: DateTime,
});
export type SenderPool = Static<typeof SenderPool>;

export const PageQuery = Closed(pageQuery);

sample(SenderStatusChange, {
  object: 'sender_status_change',
  senderSid: sampleSid('WA'),
  ...sampleOwner,
  status: 'CONNECTED',
  previousStatus: null,
  quality: 'GREEN',
  reason: 'created',
  occurredAt: sampleTime,
  createdAt: sampleTime,
});

sample(BusinessProfileResource, {
  object: 'business_profile',
  senderSid: sampleSid('WA'),
  ...sampleOwner,
  about: 'Parcels, delivered today',
  address: '1 rue de la Paix, Paris',
  description: 'We deliver parcels in and around Paris.',
  email: 'hello@example.com',
  websites: ['https://example.com'],
  vertical: 'RETAIL',
});

sample(SenderPool, {
  object: 'sender_pool',
  sid: sampleSid('SP'),
  ...sampleOwner,
  name: 'Paris',
  members: [
    { senderSid: sampleSid('WA'), weight: 50, priority: 0, status: 'CONNECTED', assignedContacts: 42 },
    { senderSid: sampleSid('WA', '1'), weight: 50, priority: 0, status: 'CONNECTED', assignedContacts: 40 },
  ],
  deletedAt: null,
  ...sampleTimes,
});
