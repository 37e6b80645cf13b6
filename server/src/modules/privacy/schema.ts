import { type Static, Type } from 'typebox';
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
import { sampleOwner, sampleSid, sampleTimes } from '../../platform/samples.ts';
import { requestKinds, requestStates } from './states.ts';

const FreeForm = Type.Unsafe<Record<string, unknown>>({ type: 'object', 'x-free-form': true });

/** The contract leaves the object open; it is one of two forms. */
const Subject = named(
  'PrivacySubject',
  Type.Unsafe<Record<string, unknown>>({ type: 'object', 'x-free-form': true }),
);

const Changes = NamedObject('PrivacyChanges', {
  attributes: Type.Optional(FreeForm),
  displayName: Type.Optional(Nullable(Text(128))),
  locale: Type.Optional(Nullable(Text(16))),
  timezone: Type.Optional(Nullable(Text(64))),
});
export type Changes = Static<typeof Changes>;

export const RequestKind = named('PrivacyRequestKind', Word(...requestKinds));

export const NewPrivacyRequest = NamedObject('CreatePrivacyRequestRequest', {
  kind: RequestKind,
  reason: NotBlank(2000),
  subject: Subject,
  changes: Type.Optional(Changes),
  stepUpToken: Text(256),
});
export type NewPrivacyRequest = Static<typeof NewPrivacyRequest>;

export const LiftRestriction = NamedObject('LiftPrivacyRestrictionRequest', {
  reason: NotBlank(2000),
  stepUpToken: Text(256),
});

export const PrivacyRequestQuery = Closed(pageQuery);

export const PrivacyRequest = NamedObject('PrivacyRequest', {
  object: Word('privacy_request'),
  sid: Sid('DR'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  kind: RequestKind,
  state: named('PrivacyRequestState', Word(...requestStates)),
  /** False when the account knows nobody of that identifier: there was nothing to do. */
  found: Type.Boolean(),
  /** The contact alone: what people are known by is not shown here. */
  subject: NamedObject('PrivacyRequestSubject', { contactSid: Nullable(Sid('CT')) }),
  /** Null in events, and once the person was erased. */
  reason: Nullable(Type.String()),
  /** What was corrected, by name. */
  changedFields: Nullable(Type.Array(Type.String())),
  operationSid: Nullable(Sid('OP')),
  dueAt: DateTime,
  overdue: Type.Boolean(),
  /** Until then an erasure can be withdrawn. */
  startsAt: Nullable(DateTime),
  /** The legal holds an erasure waits for, as far as the account may know of them. */
  parkedBy: Type.Array(Uuid),
  /** What was removed, blanked or copied, by store. */
  counts: Nullable(
    Type.Unsafe<Record<string, number>>({ type: 'object', additionalProperties: { type: 'integer' } }),
  ),
  /** Where others, or the business, name the person: for somebody to look at. */
  mentions: Nullable(
    Type.Array(NamedObject('PrivacyMention', { resource: Type.String(), sid: Type.String() })),
  ),
  /** The signed statement of an erasure, as a JWS. */
  certificate: Nullable(Type.String()),
  export: Nullable(NamedObject('PrivacyExport', { url: Type.String(), expiresAt: DateTime })),
  restriction: Nullable(
    NamedObject('PrivacyRestriction', {
      active: Type.Boolean(),
      liftedAt: Nullable(DateTime),
      liftedBy: Nullable(Type.String()),
    }),
  ),
  createdBy: Type.String(),
  completedAt: Nullable(DateTime),
  createdAt: DateTime,
  updatedAt: DateTime,
});
export type PrivacyRequest = Static<typeof PrivacyRequest>;

export const privacyRequestSample = sample(PrivacyRequest, {
  object: 'privacy_request',
  sid: sampleSid('DR'),
  ...sampleOwner,
  kind: 'RESTRICTION',
  state: 'ACTIVE',
  found: true,
  subject: { contactSid: sampleSid('CT') },
  reason: 'The customer disputes what we keep of them',
  changedFields: null,
  operationSid: null,
  dueAt: '2026-09-20T10:00:00.000Z',
  overdue: false,
  startsAt: null,
  parkedBy: [],
  counts: null,
  mentions: null,
  certificate: null,
  export: null,
  restriction: { active: true, liftedAt: null, liftedBy: null },
  createdBy: `user:${sampleSid('US')}`,
  completedAt: null,
  ...sampleTimes,
});
