import { sampleOwner, sampleSid, sampleTime, sampleTimes } from '../../platform/samples.ts';
import type { Conversation } from './schema.ts';

export const conversationSample: Conversation = {
  object: 'conversation',
  sid: sampleSid('CO'),
  ...sampleOwner,
  senderSid: sampleSid('WA'),
  contactSid: sampleSid('CT'),
  inboxSid: sampleSid('IB'),
  status: 'open',
  assigneeSid: sampleSid('US'),
  version: 4,
  mergedInto: null,
  composerHeldBy: null,
  composerHeldUntil: null,
  lastInboundAt: sampleTime,
  lastMessageAt: sampleTime,
  lastMessageSid: sampleSid('SM'),
  closedAt: null,
  ...sampleTimes,
};
