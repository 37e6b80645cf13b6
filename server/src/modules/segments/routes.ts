import { accountPath, Closed, ListOf, Sid, sample } from '../../platform/http/input/schema.ts';
import { created, operation } from '../../platform/http/operations/operation.ts';
import { segmentSample } from './samples.ts';
import {
  NewSegment,
  Segment,
  SegmentChange,
  SegmentDefinition,
  SegmentMember,
  SegmentPreview,
  SegmentQuery,
} from './schema.ts';
import {
  changeSegment,
  createSegment,
  deleteSegment,
  getSegment,
  listMembers,
  listSegments,
  previewSegment,
  refreshSegment,
} from './segments.ts';

const tag = 'Segments';
const all = '/v1/accounts/{accountSid}/segments';
const one = `${all}/{segmentSid}`;
const segmentPath = Closed({ ...accountPath, segmentSid: Sid('SG') });
const example = {
  kind: 'DYNAMIC',
  filters: {
    attributes: { plan: 'gold', visits: { gte: 3 } },
    consent: { purpose: 'MARKETING', status: 'OPTED_IN' },
    suppressed: false,
  },
};

sample(Segment, segmentSample);

export const operations = [
  operation({
    id: 'listSegments',
    method: 'GET',
    path: all,
    summary: 'List segments',
    description: 'The newest first, each with its filters and how many members it had when it was last cut.',
    tag,
    access: ['contacts:read'],
    params: Closed(accountPath),
    query: SegmentQuery,
    responses: { 200: ListOf(Segment) },
    handler: (t, { pager }) => listSegments(t, pager),
  }),
  operation({
    id: 'createSegment',
    method: 'POST',
    path: all,
    summary: 'Cut an audience out of the contacts',
    description:
      'Filters combine with AND and are applied at once. An attribute is compared with a value, or by `eq`, `ne`, `in`, ' +
      '`gt`, `gte`, `lt`, `lte`, `exists`, `contains`. `contactSids` narrows the audience to that set.',
    tag,
    access: ['contacts:write'],
    idempotency: 'required',
    params: Closed(accountPath),
    body: NewSegment,
    responses: { 201: Segment },
    example: { ...example, name: 'Gold customers who agreed' },
    async handler(t, { body }) {
      const segment = await createSegment(t, body);
      return created(segment, `/v1/accounts/${t.accountSid}/segments/${segment.sid}`);
    },
  }),
  operation({
    id: 'previewSegment',
    method: 'POST',
    path: `${all}/preview`,
    summary: 'Count an audience without storing it',
    description:
      'Answers with the number of contacts the definition matches now, and a few of them. Nothing is ' +
      'stored.',
    tag,
    access: ['contacts:write'],
    whileSuspended: true,
    idempotency: 'required',
    params: Closed(accountPath),
    body: SegmentDefinition,
    responses: { 200: SegmentPreview },
    example,
    handler: (t, { body }) => previewSegment(t, body),
  }),
  operation({
    id: 'getSegment',
    method: 'GET',
    path: one,
    summary: 'Get a segment',
    description:
      '`memberCount` and `materializedAt` tell of the last cut; contacts that came later are found by a ' +
      'refresh.',
    tag,
    access: ['contacts:read'],
    params: segmentPath,
    responses: { 200: Segment },
    handler: (t, { params }) => getSegment(t, params.segmentSid),
  }),
  operation({
    id: 'updateSegment',
    method: 'PATCH',
    path: one,
    summary: 'Redefine a segment and cut it again',
    description: 'What is left out stays as it was. Every change of the definition is a new filter version.',
    tag,
    access: ['contacts:write'],
    idempotency: 'required',
    params: segmentPath,
    body: SegmentChange,
    responses: { 200: Segment },
    example,
    handler: (t, { params, body }) => changeSegment(t, params.segmentSid, body),
  }),
  operation({
    id: 'deleteSegment',
    method: 'DELETE',
    path: one,
    summary: 'Delete a segment nobody uses',
    description:
      'Answers CONFLICT while something, such as a published workflow, uses it. Its members are forgotten; the ' +
      'contacts stay.',
    tag,
    access: ['contacts:write'],
    params: segmentPath,
    responses: { 200: Segment },
    handler: (t, { params }) => deleteSegment(t, params.segmentSid),
  }),
  operation({
    id: 'listSegmentMembers',
    method: 'GET',
    path: `${one}/members`,
    summary: 'List the members of a segment and why they belong',
    description:
      'The members as the segment was last cut, each with the filters it matched and the consent record ' +
      'that counted.',
    tag,
    access: ['contacts:read'],
    params: segmentPath,
    query: SegmentQuery,
    responses: { 200: ListOf(SegmentMember) },
    handler: (t, { params, pager }) => listMembers(t, params.segmentSid, pager),
  }),
  operation({
    id: 'refreshSegment',
    method: 'POST',
    path: `${one}/refresh`,
    summary: 'Cut a segment again with the filters it has',
    description:
      'Members who no longer match leave and new ones join. The filters and their version stay the same.',
    tag,
    access: ['contacts:write'],
    idempotency: 'required',
    params: segmentPath,
    responses: { 200: Segment },
    handler: (t, { params }) => refreshSegment(t, params.segmentSid),
  }),
];
