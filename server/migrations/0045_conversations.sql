-- What one contact and one sender say to each other, for as long as both exist. `version` grows with everything that
-- happens in it, so that whoever answers can say up to where they have read.
create table conversations (
  account_sid text not null references accounts,
  livemode boolean not null,
  sid text not null,
  sender_sid text not null,
  contact_sid text not null,
  inbox_sid text,
  status text not null check (status in ('open', 'closed')),
  assignee_sid text,
  version bigint not null default 1,
  last_inbound_at timestamptz,
  last_message_at timestamptz,
  last_message_sid text,
  closed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_sid, sid),
  foreign key (account_sid, sender_sid) references senders (account_sid, sid),
  foreign key (account_sid, contact_sid) references contacts (account_sid, sid),
  foreign key (account_sid, inbox_sid) references inboxes (account_sid, sid)
);
create unique index conversations_of_pair on conversations (account_sid, livemode, sender_sid, contact_sid);
create index conversations_newest on conversations (account_sid, livemode, last_message_at desc, sid desc);
create index conversations_by_inbox on conversations (account_sid, inbox_sid, last_message_at desc)
  where inbox_sid is not null;
create index conversations_by_contact on conversations (account_sid, contact_sid);
call protect_tenant_table('conversations');
grant select, insert, update on conversations to godwit_tenant;

-- Who is writing an answer. A claim that was not renewed in time is free.
create table composer_claims (
  account_sid text not null references accounts,
  livemode boolean not null,
  conversation_sid text not null,
  token_hash bytea not null,
  user_sid text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  primary key (account_sid, conversation_sid),
  foreign key (account_sid, conversation_sid) references conversations (account_sid, sid)
);
call protect_tenant_table('composer_claims');
grant select, insert, update, delete on composer_claims to godwit_tenant;
