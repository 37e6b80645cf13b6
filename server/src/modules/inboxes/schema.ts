import { type Static, Type } from 'typebox';
import { Closed, DateTime, pageQuery, Sid, Word, Words } from '../../platform/http/input/schema.ts';

const name = Words(128, 1);

export const NewInbox = Closed({ name });
export const InboxChange = Closed({ name: Type.Optional(name) });
export type InboxChange = Static<typeof InboxChange>;

export const Inbox = Closed({
  object: Word('inbox'),
  sid: Sid('IB'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  name,
  memberCount: Type.Integer(),
  createdAt: DateTime,
  updatedAt: DateTime,
});
export type Inbox = Static<typeof Inbox>;

export const InboxMember = Closed({
  object: Word('inbox_member'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  inboxSid: Sid('IB'),
  userSid: Sid('US'),
  createdAt: DateTime,
});
export type InboxMember = Static<typeof InboxMember>;

export const InboxQuery = Closed(pageQuery);
