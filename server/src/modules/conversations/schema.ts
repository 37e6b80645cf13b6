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
  Uuid,
  Word,
} from '../../platform/http/input/schema.ts';
import { sampleOwner, sampleSid, sampleTime, sampleTimes, sampleUuid } from '../../platform/samples.ts';

const status = named('ConversationStatus', Word('open', 'closed'));

export const Conversation = NamedObject('Conversation', {
  object: Word('conversation'),
  sid: Sid('CO'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  senderSid: Sid('WA'),
  contactSid: Sid('CT'),
  inboxSid: Nullable(Sid('IB')),
  status,
  assigneeSid: Nullable(Sid('US')),
  /** Grows with everything that happens in it; whoever changes it says which version they have seen. */
  version: Type.Integer(),
  /** The conversation it goes on in, since its contact was merged with one that had spoken later. */
  mergedInto: Nullable(Sid('CO')),
  /** Who is writing an answer, and until when unless they renew it. */
  composerHeldBy: Nullable(Type.String()),
  composerHeldUntil: Nullable(DateTime),
  lastInboundAt: Nullable(DateTime),
  lastMessageAt: DateTime,
  lastMessageSid: Sid('SM'),
  closedAt: Nullable(DateTime),
  createdAt: DateTime,
  updatedAt: DateTime,
});
export type Conversation = Static<typeof Conversation>;

export const ConversationQuery = Closed({
  inboxSid: Type.Optional(Sid('IB')),
  status: Type.Optional(status),
  assigneeSid: Type.Optional(Sid('US')),
  contactSid: Type.Optional(Sid('CT')),
  senderSid: Type.Optional(Sid('WA')),
  ...pageQuery,
});
export type ConversationQuery = Static<typeof ConversationQuery>;

const expectedVersion = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

export const Seen = NamedObject('ConversationVersionRequest', { expectedVersion });
export const Assignment = NamedObject('AssignConversationRequest', {
  expectedVersion,
  assigneeSid: Nullable(Sid('US')),
});
export const Move = NamedObject('MoveConversationRequest', {
  expectedVersion,
  inboxSid: Nullable(Sid('IB')),
});

export const NewComposerClaim = NamedObject('AcquireComposerClaimRequest', {
  composerOverrideReason: Type.Optional(Text(1000, 1)),
});
export const HeldComposerClaim = NamedObject('ComposerClaimRequest', { composerClaimToken: Uuid });

export const ComposerClaim = NamedObject('ComposerClaim', {
  object: Word('composer_claim'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  conversationSid: Sid('CO'),
  /** Told once, to whoever made the claim. */
  composerClaimToken: Nullable(Uuid),
  heldBy: Type.String(),
  expiresAt: DateTime,
  createdAt: DateTime,
});
export type ComposerClaim = Static<typeof ComposerClaim>;

export const SenderInbox = NamedObject('SenderInbox', {
  object: Word('sender_inbox'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  senderSid: Sid('WA'),
  inboxSid: Sid('IB'),
  createdAt: DateTime,
  updatedAt: DateTime,
});
export type SenderInbox = Static<typeof SenderInbox>;

export const ServiceWindow = NamedObject('ServiceWindow', {
  object: Word('service_window'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  senderSid: Sid('WA'),
  /** The contact asked for, or the survivor it was merged into. */
  contactSid: Sid('CT'),
  open: Type.Boolean(),
  /** When the contact first wrote in this window; null when it never has. */
  openedAt: Nullable(DateTime),
  lastInboundAt: Nullable(DateTime),
  expiresAt: Nullable(DateTime),
  /** Until when everything to the contact is free, since it came from an advertisement or a page's button. */
  freeUntil: Nullable(DateTime),
  createdAt: Nullable(DateTime),
  updatedAt: Nullable(DateTime),
});
export type ServiceWindow = Static<typeof ServiceWindow>;

sample(ComposerClaim, {
  object: 'composer_claim',
  ...sampleOwner,
  conversationSid: sampleSid('CO'),
  composerClaimToken: sampleUuid,
  heldBy: `user:${sampleSid('US')}`,
  expiresAt: '2026-08-21T10:01:00.000Z',
  createdAt: sampleTime,
});

sample(SenderInbox, {
  object: 'sender_inbox',
  ...sampleOwner,
  senderSid: sampleSid('WA'),
  inboxSid: sampleSid('IB'),
  ...sampleTimes,
});

sample(ServiceWindow, {
  object: 'service_window',
  ...sampleOwner,
  senderSid: sampleSid('WA'),
  contactSid: sampleSid('CT'),
  open: true,
  openedAt: sampleTime,
  lastInboundAt: sampleTime,
  expiresAt: '2026-08-22T10:00:00.000Z',
  freeUntil: null,
  ...sampleTimes,
});
