import { type Static, Type } from 'typebox';
import {
  Closed,
  DateTime,
  NamedObject,
  pageQuery,
  Sid,
  Word,
  Words,
} from '../../platform/http/input/schema.ts';

const name = Words(128, 1);

export const NewInbox = NamedObject('CreateInboxRequest', { name });
export const InboxChange = NamedObject('UpdateInboxRequest', { name: Type.Optional(name) });
export type InboxChange = Static<typeof InboxChange>;

export const Inbox = NamedObject('Inbox', {
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

export const InboxMember = NamedObject('InboxMember', {
  object: Word('inbox_member'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  inboxSid: Sid('IB'),
  userSid: Sid('US'),
  createdAt: DateTime,
});
export type InboxMember = Static<typeof InboxMember>;

export const InboxQuery = Closed(pageQuery);
