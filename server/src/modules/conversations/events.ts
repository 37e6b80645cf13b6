import { declareEvents } from '../../platform/events.ts';
import { sampleTime } from '../../platform/samples.ts';
import { conversationSample } from './samples.ts';
import { Conversation } from './schema.ts';

export const conversationEvents = declareEvents('conversation', Conversation, conversationSample, {
  opened: {
    since: '2026-08-21',
    description: 'A customer wrote for the first time.',
    sample: { assigneeSid: null, version: 1 },
  },
  assigned: { since: '2026-08-21', description: 'A conversation was given to somebody, or to nobody.' },
  closed: {
    since: '2026-08-21',
    description: 'A conversation was closed.',
    sample: { status: 'closed', closedAt: sampleTime },
  },
  reopened: {
    since: '2026-08-21',
    description: 'A closed conversation goes on: a customer wrote again, or somebody opened it.',
  },
  moved: {
    since: '2026-08-21',
    description: 'A conversation went to another inbox, or out of its inbox.',
  },
});
