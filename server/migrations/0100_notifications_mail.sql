-- Mail about notifications. Each person has a mailbox in each environment of an account: a lane, in which one process at a time
-- sends what is due.
create table notification_mailboxes (
  account_sid text not null references accounts (sid),
  livemode boolean not null,
  -- 'live:US…' or 'sandbox:US…': the key of a lane is unique in its account.
  mailbox text not null,
  due_at timestamptz,
  holder uuid,
  generation bigint not null default 0,
  -- Attempts in a row that failed.
  failures integer not null default 0,
  -- How many mails were sent on the last day on which any were, in UTC.
  mailed_on date,
  mailed_that_day integer not null default 0,
  last_mailed_at timestamptz,
  primary key (account_sid, mailbox)
);
create index notification_mailboxes_due on notification_mailboxes (due_at) where due_at is not null;
create index notification_mailboxes_held on notification_mailboxes (holder) where holder is not null;
call protect_tenant_table('notification_mailboxes');
call open_to_system('notification_mailboxes'); -- workers take what is due in any account; announcements go to all of them
grant select, insert, update on notification_mailboxes to godwit_tenant;
grant select, insert, update on notification_mailboxes to godwit_system;

-- What is to be told to whom by mail, and what was. Which of them share a mail is written down before it is sent, so that a
-- repeated one is the same mail.
create table notification_mails (
  account_sid text not null references accounts (sid),
  livemode boolean not null,
  user_sid text not null,
  -- Of a notification or an announcement; both are swept, and so is this.
  notification_id uuid not null,
  category text not null,
  -- How often it had happened.
  count integer not null,
  due_at timestamptz not null,
  letter uuid,
  mailed_at timestamptz,
  primary key (account_sid, livemode, user_sid, notification_id)
);
create index notification_mails_waiting on notification_mails (account_sid, livemode, user_sid) where mailed_at is null;
create index notification_mails_by_due_at on notification_mails (due_at); -- for the sweep
call protect_tenant_table('notification_mails');
call open_to_system('notification_mails'); -- announcements go to all accounts, and old rows are swept
grant select, insert, update, delete on notification_mails to godwit_tenant;
grant select, insert, delete on notification_mails to godwit_system;

-- What the links in mails turn off. Kept for ever, for a mail may lie anywhere for years; found by the hash of the token, so that
-- links made under an earlier master key work on.
create table notification_unsubscribe_tokens (
  token_hash bytea primary key,
  account_sid text not null references accounts (sid),
  livemode boolean not null,
  user_sid text not null,
  categories text[] not null,
  created_at timestamptz not null
);
call protect_tenant_table('notification_unsubscribe_tokens');
call open_to_system('notification_unsubscribe_tokens'); -- whoever follows a link has no account yet
grant select, insert on notification_unsubscribe_tokens to godwit_tenant;
grant select on notification_unsubscribe_tokens to godwit_system;

-- How far the mail about an announcement has come: everybody up to this SID has been thought of.
alter table announcements
  add column mailed_up_to text not null default '',
  add column mailed_at timestamptz;
create index announcements_to_mail on announcements (created_at) where mailed_at is null;
grant update (mailed_up_to, mailed_at) on announcements to godwit_system;

-- What somebody wants of announcements may stand in any of their accounts.
create index notification_preferences_by_principal on notification_preferences (principal, category);
call open_to_system('notification_preferences');
grant select on notification_preferences to godwit_system;
