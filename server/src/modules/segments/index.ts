import type { Module } from '../../platform/module.ts';
import { segmentBelongings } from './belongings.ts';
import { segmentEvents } from './events.ts';
import { operations } from './routes.ts';

export { isPlain, operators } from './filters.ts';
export {
  claimSegments,
  getSegment,
  inSegmentNow,
  memberSids,
  membersAmong,
  membersOf,
  segmentsAmong,
  sizeOfSegment,
} from './segments.ts';
export const segmentsModule: Module = {
  name: 'segments',
  tables: ['segments', 'segment_versions', 'segment_members', 'segment_uses'],
  tags: {
    Segments: 'Audiences cut from the contacts by filters.',
  },
  operations,
  events: Object.values(segmentEvents),
  jobs: [],
  crons: [],
  belongings: segmentBelongings,
};
