import { sampleOwner, sampleSid, sampleTime, sampleTimes } from '../../platform/samples.ts';
import type { Inbox, InboxMember } from './schema.ts';

export const inboxSample: Inbox = {
  object: 'inbox',
  sid: sampleSid('IB'),
  ...sampleOwner,
  name: 'Support',
  memberCount: 1,
  ...sampleTimes,
};

export const inboxMemberSample: InboxMember = {
  object: 'inbox_member',
  ...sampleOwner,
  inboxSid: sampleSid('IB'),
  userSid: sampleSid('US'),
  createdAt: sampleTime,
};
