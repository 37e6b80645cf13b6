import { accountPath, Closed, Sid } from '../../../platform/http/input/schema.ts';
import { operation } from '../../../platform/http/operations/operation.ts';
import { AskWhyNot, WhyNot } from './schema.ts';
import { issuesOfWhyNot, whyNot } from './why-not.ts';

export const whyNotOperations = [
  operation({
    id: 'explainSegment',
    method: 'POST',
    path: '/v1/accounts/{accountSid}/segments/{segmentSid}/why-not',
    summary: 'Ask why members of a segment would not be reached',
    description:
      'A message is judged for each of up to 100 members, page by page or for those that are named: every gate of sending that refuses, ' +
      'with the records that decided, and what it would cost. Each is judged alone; what an audience uses up together, such as funds and ' +
      'limits, is told by the preview of a campaign. Nothing is stored. Whoever is restricted is in no page.',
    tag: 'Segments',
    sdk: 'segments.whyNot',
    access: ['messages:send'],
    alsoNeeds: 'contacts:read',
    whileSuspended: true,
    idempotency: 'required',
    params: Closed({ ...accountPath, segmentSid: Sid('SG') }),
    body: AskWhyNot,
    responses: { 200: WhyNot },
    example: { message: { type: 'template', template: { name: 'hello_world', language: 'en' } } },
    issues: (_t, { body, refused }) => issuesOfWhyNot(body, refused),
    handler: (t, { params, body }) => whyNot(t, params.segmentSid, body),
  }),
];
