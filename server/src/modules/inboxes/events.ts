import { declareEvents } from '../../platform/events.ts';
import { inboxMemberSample, inboxSample } from './samples.ts';
import { Inbox, InboxMember } from './schema.ts';

export const inboxEvents = {
  ...declareEvents('inbox', Inbox, inboxSample, {
    created: { since: '2026-05-04', description: 'An inbox was created.' },
    updated: { since: '2026-05-04', description: 'An inbox was changed.' },
  }),
  ...declareEvents('inbox', InboxMember, inboxMemberSample, {
    member_added: { since: '2026-05-04', description: 'Somebody joined an inbox.' },
    member_removed: { since: '2026-05-04', description: 'Somebody left an inbox.' },
  }),
};
