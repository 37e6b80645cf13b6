import { type Static, type TSchema, Type } from 'typebox';
import {
  Closed,
  DateTime,
  NamedObject,
  NotBlank,
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

const Shape = {
  ACCOUNT: Closed({ type: Word('ACCOUNT') }),
  CONTACT: Closed({ type: Word('CONTACT'), contactSid: Sid('CT') }),
  CONVERSATION: Closed({ type: Word('CONVERSATION'), conversationSid: Sid('CO') }),
  CAMPAIGN: Closed({ type: Word('CAMPAIGN'), campaignSid: Sid('CP') }),
  DATE_RANGE: Closed({ type: Word('DATE_RANGE'), from: DateTime, to: DateTime }),
};
/** What a hold is on. The contract leaves the object open; each type has members of its own. */
export const scopeShapes: Record<string, TSchema> = Shape;
export type Scope = Static<(typeof Shape)[keyof typeof Shape]>;

const FreeScope = named(
  'LegalHoldScope',
  Type.Unsafe<Record<string, unknown>>({ type: 'object', 'x-free-form': true }),
);

export const NewLegalHold = NamedObject('CreateLegalHoldRequest', {
  approvalSid: Type.Optional(Sid('AP')),
  caseRef: NotBlank(128),
  customerVisible: Type.Optional(Type.Boolean()),
  scope: FreeScope,
});
export type NewLegalHold = Static<typeof NewLegalHold>;

export const Release = NamedObject('ReleaseLegalHoldRequest', {
  caseRef: NotBlank(128),
  stepUpToken: Type.Optional(Text(256)),
});

export const LegalHold = NamedObject('LegalHold', {
  object: Word('legal_hold'),
  id: Uuid,
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  placedBy: named('LegalHoldOwner', Word('ACCOUNT', 'PLATFORM')),
  /** One that is PENDING waits for a second person, and keeps what it reaches meanwhile. */
  state: named('LegalHoldState', Word('PENDING', 'STANDING', 'RELEASED', 'REFUSED')),
  scope: FreeScope,
  caseRef: Type.String(),
  customerVisible: Type.Boolean(),
  approvalSid: Nullable(Sid('AP')),
  createdBy: Type.String(),
  placedAt: Nullable(DateTime),
  releasedAt: Nullable(DateTime),
  releasedBy: Nullable(Type.String()),
  releaseCaseRef: Nullable(Type.String()),
  createdAt: DateTime,
  updatedAt: DateTime,
});
export type LegalHold = Static<typeof LegalHold>;

export const LegalHoldQuery = Closed(pageQuery);

export const legalHoldSample = sample(LegalHold, {
  object: 'legal_hold',
  id: sampleUuid,
  ...sampleOwner,
  placedBy: 'ACCOUNT',
  state: 'STANDING',
  scope: { type: 'CONTACT', contactSid: sampleSid('CT') },
  caseRef: 'Case 2026-118, district court',
  customerVisible: true,
  approvalSid: null,
  createdBy: `user:${sampleSid('US')}`,
  placedAt: sampleTime,
  releasedAt: null,
  releasedBy: null,
  releaseCaseRef: null,
  ...sampleTimes,
});
