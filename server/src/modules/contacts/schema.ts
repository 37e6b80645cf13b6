import { type Static, Type } from 'typebox';
import {
  Closed,
  DateTime,
  ListOf,
  NamedObject,
  Nullable,
  named,
  notEmpty,
  pageQuery,
  Sid,
  Text,
  Uuid,
  Word,
  Words,
} from '../../platform/http/input/schema.ts';
import { sampleOwner, sampleSid, sampleTime, sampleTimes, sampleUuid } from '../../platform/samples.ts';
import { fieldSamples, forEachField } from './fields.ts';

export const IdentifierType = named('IdentifierType', Word('phone_e164', 'bsuid', 'username'));
export type IdentifierType = Static<typeof IdentifierType>;

/** As stored: a phone as E.164, a username in lower case, a bsuid as it came. */
export const Identifier = NamedObject('Identifier', {
  identifierType: IdentifierType,
  value: Type.String(),
  scopeRef: Nullable(Type.String()),
});
export type Identifier = Static<typeof Identifier>;

export const GivenIdentifier = NamedObject('GivenIdentifier', {
  identifierType: IdentifierType,
  value: Text(256, 1),
  scopeRef: Type.Optional(Nullable(Text(64))),
});
export type GivenIdentifier = Static<typeof GivenIdentifier>;

const FreeForm = Type.Unsafe<Record<string, unknown>>({ type: 'object', 'x-free-form': true });

export const NewContact = NamedObject('CreateContactRequest', {
  identifiers: Type.Array(GivenIdentifier, notEmpty),
  attributes: Type.Optional(FreeForm),
  defaultCountry: Type.Optional(Type.String({ pattern: '^[A-Za-z]{2}$' })),
  ...forEachField((_, { maxLength }) => Type.Optional(Text(maxLength))),
});
export type NewContact = Static<typeof NewContact>;

export const ContactChange = NamedObject('UpdateContactRequest', {
  attributes: Type.Optional(FreeForm),
  ...forEachField((_, { maxLength }) => Type.Optional(Nullable(Text(maxLength)))),
  expectedUpdatedAt: Type.Optional(DateTime),
});
export type ContactChange = Static<typeof ContactChange>;

export const consentPurposes = ['TRANSACTIONAL', 'AUTHENTICATION', 'MARKETING', 'SUPPORT'] as const;
export const consentStatuses = ['OPTED_IN', 'OPTED_OUT', 'UNKNOWN', 'REVOKED', 'EXPIRED'] as const;
export const ConsentStatus = named('ConsentStatus', Word(...consentStatuses));
export type ConsentPurpose = (typeof consentPurposes)[number];

/** What holds now for one purpose, and the record that says so; UNKNOWN when there is none. */
const PurposeState = NamedObject('ConsentState', {
  status: ConsentStatus,
  consentSid: Nullable(Sid('CV')),
  recordedAt: Nullable(DateTime),
  expiresAt: Nullable(DateTime),
});

export const ConsentSummary = NamedObject('ConsentSummary', {
  TRANSACTIONAL: PurposeState,
  AUTHENTICATION: PurposeState,
  MARKETING: PurposeState,
  SUPPORT: PurposeState,
});
export type ConsentSummary = Static<typeof ConsentSummary>;

export const Contact = NamedObject('Contact', {
  object: Word('contact'),
  sid: Sid('CT'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  status: Word('ACTIVE', 'MERGED', 'ERASED'),
  mergedInto: Nullable(Sid('CT')),
  /** The privacy request by which the contact is kept and not used. */
  restrictedBy: Nullable(Sid('DR')),
  ...forEachField(() => Nullable(Type.String())),
  attributes: FreeForm,
  identifiers: Type.Array(Identifier),
  consent: ConsentSummary,
  createdAt: DateTime,
  updatedAt: DateTime,
});
export type Contact = Static<typeof Contact>;

/** Whom a privacy request restricts. */
export const ContactRestriction = NamedObject('ContactRestriction', {
  object: Word('contact_restriction'),
  contactSid: Sid('CT'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  requestSid: Sid('DR'),
});
export type ContactRestriction = Static<typeof ContactRestriction>;

export const ContactQuery = Closed({
  q: Type.Optional(Text(128)),
  identifier: Type.Optional(Text(256)),
  identifierType: Type.Optional(IdentifierType),
  scopeRef: Type.Optional(Text(64)),
  ...pageQuery,
});
export type ContactQuery = Static<typeof ContactQuery>;

export const ContactList = ListOf(Contact);

export const ConflictResolution = NamedObject('ResolveContactConflictRequest', {
  action: Word('merge', 'dismiss'),
});
export type ConflictResolution = Static<typeof ConflictResolution>;

export const ContactConflict = NamedObject('ContactConflict', {
  object: Word('contact_conflict'),
  id: Uuid,
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  status: Word('open', 'resolved'),
  contactSid: Sid('CT'),
  otherContactSid: Sid('CT'),
  identifiers: Type.Array(Identifier),
  resolution: Nullable(Word('merge', 'dismiss')),
  mergeId: Nullable(Uuid),
  resolvedBy: Nullable(Type.String()),
  resolvedAt: Nullable(DateTime),
  createdAt: DateTime,
  updatedAt: DateTime,
});
export type ContactConflict = Static<typeof ContactConflict>;

export const MergeRequest = NamedObject('MergeContactRequest', {
  mergeContactSid: Sid('CT'),
  reason: Words(256),
});
export type MergeRequest = Static<typeof MergeRequest>;

/** Identifiers in full; of everything else the names, by kind. */
const Belongings = Type.Unsafe<{ identifiers: Identifier[] } & Record<string, Identifier[] | string[]>>({
  title: 'ContactBelongings',
  type: 'object',
  properties: { identifiers: Type.Array(Identifier) },
  required: ['identifiers'],
  additionalProperties: Type.Array(Type.String()),
});

export const ContactMerge = NamedObject('ContactMerge', {
  object: Word('contact_merge'),
  id: Uuid,
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  status: Word('MERGED', 'REVERTED'),
  survivorContactSid: Sid('CT'),
  mergedContactSid: Sid('CT'),
  reason: Type.String(),
  moved: Belongings,
  mergedBy: Type.String(),
  revertibleUntil: DateTime,
  revertedAt: Nullable(DateTime),
  revertedBy: Nullable(Type.String()),
  movedBack: Nullable(Belongings),
  stayed: Nullable(Belongings),
  createdAt: DateTime,
  updatedAt: DateTime,
});
export type ContactMerge = Static<typeof ContactMerge>;

export const MergePreviewRequest = NamedObject('PreviewContactMergeRequest', { mergeContactSid: Sid('CT') });

export const ContactMergePreview = NamedObject('ContactMergePreview', {
  object: Word('contact_merge_preview'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  survivorContactSid: Sid('CT'),
  mergedContactSid: Sid('CT'),
  /** What would move, as the merge itself would tell it. */
  moved: Belongings,
  /** The contact as it would be afterwards. */
  survivor: Contact,
  revertibleUntil: DateTime,
});
export type ContactMergePreview = Static<typeof ContactMergePreview>;

export const PageQuery = Closed(pageQuery);

const phone: Identifier = { identifierType: 'phone_e164', value: '+33612345678', scopeRef: null };
const username: Identifier = { identifierType: 'username', value: 'ines.martin', scopeRef: null };
const unknown = { status: 'UNKNOWN', consentSid: null, recordedAt: null, expiresAt: null } as const;

export const contactSample: Contact = {
  object: 'contact',
  sid: sampleSid('CT'),
  ...sampleOwner,
  status: 'ACTIVE',
  mergedInto: null,
  restrictedBy: null,
  ...fieldSamples,
  attributes: { plan: 'gold' },
  identifiers: [phone],
  consent: {
    TRANSACTIONAL: unknown,
    AUTHENTICATION: unknown,
    MARKETING: {
      status: 'OPTED_IN',
      consentSid: sampleSid('CV'),
      recordedAt: sampleTime,
      expiresAt: null,
    },
    SUPPORT: unknown,
  },
  ...sampleTimes,
};

export const contactRestrictionSample: ContactRestriction = {
  object: 'contact_restriction',
  contactSid: sampleSid('CT'),
  ...sampleOwner,
  requestSid: sampleSid('DR'),
};

export const contactMergeSample: ContactMerge = {
  object: 'contact_merge',
  id: sampleUuid,
  ...sampleOwner,
  status: 'MERGED',
  survivorContactSid: sampleSid('CT'),
  mergedContactSid: sampleSid('CT', '1'),
  reason: 'The same person',
  moved: { identifiers: [username], consents: [sampleSid('CV')] },
  mergedBy: `user:${sampleSid('US')}`,
  revertibleUntil: '2026-09-20T10:00:00.000Z',
  revertedAt: null,
  revertedBy: null,
  movedBack: null,
  stayed: null,
  ...sampleTimes,
};

export const contactMergePreviewSample: ContactMergePreview = {
  object: 'contact_merge_preview',
  ...sampleOwner,
  survivorContactSid: sampleSid('CT'),
  mergedContactSid: sampleSid('CT', '1'),
  moved: { identifiers: [username], consents: [sampleSid('CV')] },
  survivor: { ...contactSample, identifiers: [phone, username] },
  revertibleUntil: '2026-09-20T10:00:00.000Z',
};

export const contactConflictSample: ContactConflict = {
  object: 'contact_conflict',
  id: sampleUuid,
  ...sampleOwner,
  status: 'open',
  contactSid: sampleSid('CT'),
  otherContactSid: sampleSid('CT', '1'),
  identifiers: [phone, username],
  resolution: null,
  mergeId: null,
  resolvedBy: null,
  resolvedAt: null,
  ...sampleTimes,
};
