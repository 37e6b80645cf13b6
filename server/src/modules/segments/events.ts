import { Type } from 'typebox';
import { declareEvents, heardBy } from '../../platform/events.ts';
import { sampleTime } from '../../platform/samples.ts';
import { segmentSample } from './samples.ts';
import { Segment } from './schema.ts';

/** The list of contacts may be thousands long; whoever hears of the change reads the segment. */
const SegmentWithoutContacts = Type.Omit(Segment, ['contactSids']);
const { contactSids: _, ...sample } = segmentSample;

export const segmentEvents = heardBy(
  ['contacts:read'],
  declareEvents('segment', SegmentWithoutContacts, sample, {
    created: { since: '2026-05-04', description: 'A segment was defined and cut.' },
    updated: {
      since: '2026-05-04',
      description: 'A segment was redefined and cut again.',
      sample: { filterVersion: 2 },
    },
    refreshed: { since: '2026-05-04', description: 'A segment was cut again with the filters it had.' },
    deleted: {
      since: '2026-05-04',
      description: 'A segment was deleted.',
      sample: { memberCount: 0, deletedAt: sampleTime },
    },
  }),
);
