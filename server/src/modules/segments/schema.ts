import { type Static, Type } from 'typebox';
import {
  Closed,
  DateTime,
  NamedObject,
  Nullable,
  pageQuery,
  Sid,
  sample,
  Word,
  Words,
} from '../../platform/http/input/schema.ts';
import { sampleOwner, sampleSid, sampleTime } from '../../platform/samples.ts';
import { fieldFilters } from '../contacts/index.ts';

const FreeForm = Type.Unsafe<Record<string, unknown>>({ type: 'object', 'x-free-form': true });
const kind = Word('DYNAMIC');
const contactSids = Type.Array(Sid('CT'));

/** In the order of their names, whoever declares them. */
const sorted = <Properties extends object>(properties: Properties) =>
  Object.fromEntries(Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : 1))) as Properties;

export const SegmentFilters = NamedObject(
  'SegmentFilters',
  sorted({
    attributes: Type.Optional(FreeForm),
    consent: Type.Optional(FreeForm),
    createdAfter: Type.Optional(DateTime),
    suppressed: Type.Optional(Type.Boolean()),
    ...fieldFilters,
  }),
);
export type SegmentFilters = Static<typeof SegmentFilters>;

const definition = {
  kind,
  contactSids: Type.Optional(contactSids),
  filters: Type.Optional(SegmentFilters),
};

export const SegmentDefinition = NamedObject('PreviewSegmentRequest', definition);
export type SegmentDefinition = Static<typeof SegmentDefinition>;

export const NewSegment = NamedObject('CreateSegmentRequest', { ...definition, name: Words(128) });
export type NewSegment = Static<typeof NewSegment>;

export const SegmentChange = NamedObject('UpdateSegmentRequest', {
  ...definition,
  name: Type.Optional(Words(128)),
});
export type SegmentChange = Static<typeof SegmentChange>;

export const Segment = NamedObject('Segment', {
  object: Word('segment'),
  sid: Sid('SG'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  name: Type.String(),
  kind,
  contactSids: Nullable(contactSids),
  filters: Nullable(SegmentFilters),
  filterVersion: Type.Integer(),
  memberCount: Type.Integer(),
  materializedAt: DateTime,
  deletedAt: Nullable(DateTime),
  createdAt: DateTime,
  updatedAt: DateTime,
});
export type Segment = Static<typeof Segment>;

export const SegmentPreview = NamedObject('SegmentPreview', {
  object: Word('segment_preview'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  kind,
  count: Type.Integer(),
  sample: contactSids,
  asOf: DateTime,
});
export type SegmentPreview = Static<typeof SegmentPreview>;

export const SegmentMember = NamedObject('SegmentMember', {
  object: Word('segment_member'),
  segmentSid: Sid('SG'),
  contactSid: Sid('CT'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  provenance: Closed({
    filterVersion: Type.Integer(),
    matchedAt: DateTime,
    matched: Type.Array(Type.String()),
    consentSid: Nullable(Sid('CV')),
  }),
});
export type SegmentMember = Static<typeof SegmentMember>;

export const SegmentQuery = Closed(pageQuery);

sample(SegmentPreview, {
  object: 'segment_preview',
  ...sampleOwner,
  kind: 'DYNAMIC',
  count: 42,
  sample: [sampleSid('CT'), sampleSid('CT', '1')],
  asOf: sampleTime,
});

sample(SegmentMember, {
  object: 'segment_member',
  segmentSid: sampleSid('SG'),
  contactSid: sampleSid('CT'),
  ...sampleOwner,
  provenance: { filterVersion: 1, matchedAt: sampleTime, matched: ['attributes'], consentSid: null },
});
