import { accountPath, Closed, ListOf } from '../../platform/http/input/schema.ts';
import { type Operation, operation } from '../../platform/http/operations/operation.ts';
import { messageAnalytics } from './asking/ask.ts';
import { issuesOf } from './asking/range.ts';
import { MessageAnalytics, MessageAnalyticsQuery } from './schema.ts';

export const operations: Operation[] = [
  operation({
    id: 'getMessageAnalytics',
    method: 'GET',
    path: '/v1/accounts/{accountSid}/analytics/messages',
    summary: 'Count messages and what they cost',
    description:
      'Counts the messages of the days `from` to `to` (UTC, both counting; at most 366, the last 7 by default), in groups: `groupBy` ' +
      'names any of day or hour, direction, sender, template, category, country, campaign, status and errorCode, with commas between. ' +
      'Without it there is one group. A message counts in the day it was accepted, or arrived, under the status it has now. Its cost is the ' +
      'final price, or the estimate while that is not known. Hour, template and errorCode can be asked for the last 7 days; ' +
      'beyond them the answer is ANALYTICS_RANGE_UNAVAILABLE. The numbers follow what happens within seconds.',
    tag: 'Analytics',
    access: ['messages:read'],
    params: Closed(accountPath),
    query: MessageAnalyticsQuery,
    responses: { 200: ListOf(MessageAnalytics) },
    issues: async (t, { query }) => issuesOf(query, t.now),
    handler: (t, { query, pager }) => messageAnalytics(t, query, pager),
  }),
];
