import { type Static, Type } from 'typebox';
import {
  Closed,
  DateTime,
  NamedObject,
  Nullable,
  Sid,
  sample,
  Text,
  Word,
} from '../../platform/http/input/schema.ts';
import { sampleOwner, sampleSid, sampleTime } from '../../platform/samples.ts';

const days = Type.Integer({ minimum: 30, maximum: 3650 });
const months = Type.Integer({ minimum: 1, maximum: 120 });
const analyticsMonths = Type.Integer({ minimum: 1, maximum: 36 });

export const NewPolicy = NamedObject('SetRetentionPolicyRequest', {
  messageContentDays: Nullable(days),
  messageMetadataMonths: Nullable(months),
  analyticsMonths: Type.Optional(analyticsMonths),
  stepUpToken: Type.Optional(Text(256)),
});
export type NewPolicy = Static<typeof NewPolicy>;

const windows = {
  messageContentDays: Nullable(Type.Integer()),
  messageMetadataMonths: Nullable(Type.Integer()),
  analyticsMonths: Nullable(Type.Integer()),
};
/** How long each kind of data is kept; null until the customer deletes it. */
export type Windows = { [Name in keyof typeof windows]: number | null };

const policy = {
  object: Word('retention_policy'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  ...windows,
  /** When a shorter window begins to count; null when all of them do. */
  effectiveFrom: Nullable(DateTime),
  /** What counts until then. */
  inForce: NamedObject('RetentionWindows', windows),
  nextRunAt: Nullable(DateTime),
  /** The operation that last removed something, or is about to. */
  operationSid: Nullable(Sid('OP')),
  updatedAt: Nullable(DateTime),
};
export const RetentionPolicy = NamedObject('RetentionPolicy', policy);
export type RetentionPolicy = Static<typeof RetentionPolicy>;

const Removes = NamedObject('RetentionRemoval', {
  /** Messages that lose what was said in them, and stay. */
  messageContents: Type.Integer(),
  /** Messages of which nothing stays but what was paid. */
  messages: Type.Integer(),
  mediaFiles: Type.Integer(),
  mediaBytes: Type.Integer(),
  analyticsDays: Type.Integer(),
});
export type Removes = Static<typeof Removes>;

const estimate = {
  removes: Removes,
  /** What would go but for the legal holds that the account can see. */
  heldBack: NamedObject('RetentionHeldBack', { messageContents: Type.Integer(), messages: Type.Integer() }),
  /** False when there was too much to count: there is more than what is told. */
  exact: Type.Boolean(),
};

export const ChangedPolicy = NamedObject('ChangedRetentionPolicy', {
  ...policy,
  nextRun: Nullable(NamedObject('RetentionNextRun', { at: DateTime, ...estimate })),
});
export type ChangedPolicy = Static<typeof ChangedPolicy>;

export const PreviewQuery = Closed({
  messageContentDays: Type.Optional(days),
  messageMetadataMonths: Type.Optional(months),
});
export type PreviewQuery = Static<typeof PreviewQuery>;

const cutoffs = {
  messageContent: Nullable(DateTime),
  messageMetadata: Nullable(DateTime),
  analytics: Nullable(DateTime),
};

export const RetentionPreview = NamedObject('RetentionPreview', {
  object: Word('retention_preview'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  /** What came to be before these goes; null where everything is kept. */
  cutoffs: NamedObject('RetentionCutoffs', cutoffs),
  ...estimate,
  asOf: DateTime,
});
export type RetentionPreview = Static<typeof RetentionPreview>;
export type Estimate = Pick<RetentionPreview, 'removes' | 'heldBack' | 'exact'>;

export const RetentionRun = NamedObject('RetentionRun', {
  object: Word('retention_run'),
  operationSid: Sid('OP'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  removed: Removes,
});
export type RetentionRun = Static<typeof RetentionRun>;

const policySample = {
  object: 'retention_policy' as const,
  ...sampleOwner,
  messageContentDays: 90,
  messageMetadataMonths: 24,
  analyticsMonths: 24,
  effectiveFrom: '2026-08-22T10:00:00.000Z',
  inForce: { messageContentDays: null, messageMetadataMonths: 24, analyticsMonths: 24 },
  nextRunAt: '2026-08-22T13:00:00.000Z',
  operationSid: null,
  updatedAt: sampleTime,
};
const removes = {
  messageContents: 1204,
  messages: 0,
  mediaFiles: 31,
  mediaBytes: 5_402_112,
  analyticsDays: 0,
};
const counted = { removes, heldBack: { messageContents: 12, messages: 0 }, exact: true };

export const retentionPolicySample = sample(RetentionPolicy, policySample);
sample(ChangedPolicy, { ...policySample, nextRun: { at: policySample.nextRunAt, ...counted } });
sample(RetentionPreview, {
  object: 'retention_preview',
  ...sampleOwner,
  cutoffs: { messageContent: '2026-05-23T00:00:00.000Z', messageMetadata: null, analytics: null },
  ...counted,
  asOf: sampleTime,
});
export const retentionRunSample = sample(RetentionRun, {
  object: 'retention_run',
  operationSid: sampleSid('OP'),
  ...sampleOwner,
  removed: removes,
});
