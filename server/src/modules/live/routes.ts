import { Type } from 'typebox';
import { accountPath, Closed } from '../../platform/http/input/schema.ts';
import { operation } from '../../platform/http/operations/operation.ts';
import { sampleSid } from '../../platform/samples.ts';
import { followAccount } from './follow.ts';

const hint = { sequence: 1204, type: 'message.delivered', resourceSid: sampleSid('SM') };

export const operations = [
  operation({
    id: 'followAccount',
    method: 'GET',
    path: '/v1/accounts/{accountSid}/live',
    summary: 'Hear of what happens, as server-sent events',
    description:
      'An event `hint` says that something happened, and to what: `sequence`, `type` and `resourceSid`, and no data. Only what the ' +
      'caller may read is told of; whoever may read single inboxes hears of what is in those. A client that connects again with ' +
      '`Last-Event-ID` goes on where it was, without a loss or a double; where that is too long ago, an event `reset` bids it read ' +
      'anew what it shows. The stream ends when the session ends or the key is revoked. Beyond 100 streams of an account the answer ' +
      'is RATE_LIMITED.',
    tag: 'Live',
    sdk: 'live.follow',
    access: ['api:access'],
    partScoped: true,
    params: Closed(accountPath),
    responses: { 200: Type.String({ contentMediaType: 'text/event-stream' }) },
    answerExample: `id: 1204\nevent: hint\ndata: ${JSON.stringify(hint)}\n\n`,
    stream: (call, { header }) => followAccount(call, header('last-event-id')),
  }),
];
