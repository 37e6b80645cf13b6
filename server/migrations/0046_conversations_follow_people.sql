-- Two conversations of one sender become one when their contacts are merged: the one with the later activity goes on, and
-- the other points at it. Each remembers whom it was opened for, so that a merge that is taken back finds it.
alter table conversations add column merged_into text, add column origin_contact_sid text;
alter table conversations add foreign key (account_sid, merged_into) references conversations (account_sid, sid);
drop index conversations_of_pair;
create unique index conversations_of_pair on conversations (account_sid, livemode, sender_sid, contact_sid)
  where merged_into is null;
create index conversations_by_assignee on conversations (account_sid, assignee_sid, last_message_at desc)
  where assignee_sid is not null;

-- A claim is held by whoever made it, a person or a key: `user:US…` or `api_key:…`.
alter table composer_claims rename column user_sid to holder;

-- Where what is written to a sender arrives. A sender without a row has no inbox: its conversations wait for somebody to
-- move them into one.
create table sender_inboxes (
  account_sid text not null references accounts,
  livemode boolean not null,
  sender_sid text not null,
  inbox_sid text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_sid, sender_sid),
  foreign key (account_sid, sender_sid) references senders (account_sid, sid),
  foreign key (account_sid, inbox_sid) references inboxes (account_sid, sid)
);
call protect_tenant_table('sender_inboxes');
grant select, insert, update, delete on sender_inboxes to godwit_tenant;
