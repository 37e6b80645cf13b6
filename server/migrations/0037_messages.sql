-- What was sent and received. A row never changes: what happens to a message afterwards stands in message_states, whose
-- rows are narrow, because a message is written once and moved four or five times.
-- No foreign keys to senders, contacts and media: they are looked up under row security in the same transaction, and a
-- check per row and reference would cost as much as storing the message.
create table messages (
  account_sid text not null references accounts,
  livemode boolean not null,
  sid text not null,
  direction text not null check (direction in ('outbound', 'inbound')),
  type text not null,
  category text check (category in ('authentication', 'utility', 'marketing', 'service')),
  transport text check (transport in ('cloud_api', 'marketing_messages')),
  sender_sid text not null,
  contact_sid text not null,
  conversation_sid text,
  -- The other side, as it was addressed or as it wrote.
  identifier_type text not null check (identifier_type in ('phone_e164', 'bsuid', 'username')),
  address text not null,
  -- The object that goes with the type, as normalised; null for what the provider calls unsupported.
  content json,
  -- What is told back and never searched: contentSid, variables, context, metadata, referral.
  extras json not null,
  tags text[],
  campaign_sid text,
  priority smallint not null default 1,
  send_at timestamptz,
  expires_at timestamptz,
  defer_if_capped boolean not null default false,
  status_callback_sid text,
  -- The estimate that was held; null for inbound.
  currency text,
  scale smallint,
  estimate_minor bigint,
  estimate_pricing_type text,
  market text,
  rate_card_version integer,
  created_by text not null,
  created_at timestamptz not null,
  primary key (account_sid, sid)
);
create index messages_by_contact on messages (account_sid, contact_sid, sid desc);
create index messages_by_campaign on messages (account_sid, campaign_sid, sid desc) where campaign_sid is not null;
create index messages_by_tag on messages using gin (tags) where tags is not null;
call protect_tenant_table('messages');
grant select, insert, update on messages to godwit_tenant;

-- Where a message stands. `rank` only grows (the moves are in modules/messages/statuses.ts). A message that waits has
-- its place in its sender's lane in `turn_at`: the moment it fell due, put off by its priority, so that an urgent one
-- overtakes and a patient one is never overtaken for ever.
create table message_states (
  account_sid text not null references accounts,
  livemode boolean not null,
  sid text not null,
  sender_sid text not null,
  status text not null check (status in ('queued', 'scheduled', 'deferred', 'sending', 'unknown', 'sent', 'delivered',
    'read', 'failed', 'canceled', 'expired', 'received')),
  rank smallint not null,
  waiting boolean not null,
  due_at timestamptz,
  turn_at timestamptz,
  expires_at timestamptz,
  attempts smallint not null default 0,
  error json,
  final_minor bigint,
  pricing_type text,
  sent_at timestamptz,
  delivered_at timestamptz,
  read_at timestamptz,
  failed_at timestamptz,
  canceled_at timestamptz,
  updated_at timestamptz not null,
  primary key (account_sid, sid)
) with (fillfactor = 70);
create index message_states_in_line on message_states (account_sid, sender_sid, turn_at) where waiting;
create index message_states_to_expire on message_states (expires_at) where waiting and expires_at is not null;
call protect_tenant_table('message_states');
call open_to_system('message_states'); -- the expiry of what still waits looks across accounts
grant select, insert, update on message_states to godwit_tenant;
grant select on message_states to godwit_system;

-- One row per hand-off to the provider, committed before the call. A row without an end whose process is dead is an
-- answer that nobody heard.
create table message_attempts (
  account_sid text not null references accounts,
  livemode boolean not null,
  message_sid text not null,
  number smallint not null,
  process_id uuid not null,
  started_at timestamptz not null,
  ended_at timestamptz,
  outcome text check (outcome in ('accepted', 'refused', 'retry', 'unknown')),
  code text,
  provider_code integer,
  reason text,
  provider_message_id text,
  primary key (account_sid, message_sid, number)
);
create index message_attempts_open on message_attempts (process_id) where ended_at is null;
call protect_tenant_table('message_attempts');
call open_to_system('message_attempts'); -- finds the hand-offs of processes that died
grant select, insert, update on message_attempts to godwit_tenant;
grant select on message_attempts to godwit_system;

-- The provider's names of messages, both ways: a second arrival of one is known by it, and so is what a reply answers.
create table provider_messages (
  account_sid text not null references accounts,
  livemode boolean not null,
  provider_message_id text not null,
  message_sid text not null,
  primary key (account_sid, livemode, provider_message_id)
);
create index provider_messages_by_message on provider_messages (account_sid, message_sid);
call protect_tenant_table('provider_messages');
grant select, insert on provider_messages to godwit_tenant;

-- One lane per sender. Whoever holds its lease dispatches it and keeps its rates; a lease that ran out is free.
create table dispatch_lanes (
  account_sid text not null references accounts,
  livemode boolean not null,
  sender_sid text not null,
  -- When something in it falls due, as far as is known; never too late.
  next_at timestamptz not null,
  leased_by uuid,
  leased_until timestamptz,
  primary key (account_sid, sender_sid)
);
create index dispatch_lanes_due on dispatch_lanes (next_at);
call protect_tenant_table('dispatch_lanes');
call open_to_system('dispatch_lanes'); -- workers look for due lanes of all accounts
grant select, insert, update on dispatch_lanes to godwit_tenant;
grant select, update on dispatch_lanes to godwit_system;

-- The pair rate: when this sender may next write to this address without borrowing.
create table pair_rates (
  account_sid text not null references accounts,
  livemode boolean not null,
  sender_sid text not null,
  address text not null,
  free_at timestamptz not null,
  primary key (account_sid, sender_sid, address)
);
call protect_tenant_table('pair_rates');
call open_to_system('pair_rates'); -- swept when long free
grant select, insert, update on pair_rates to godwit_tenant;
grant select, delete on pair_rates to godwit_system;

-- A contact that the provider lets receive no more marketing for a while.
create table marketing_caps (
  account_sid text not null references accounts,
  livemode boolean not null,
  contact_sid text not null,
  until timestamptz not null,
  created_at timestamptz not null,
  primary key (account_sid, contact_sid)
);
call protect_tenant_table('marketing_caps');
grant select, insert, update on marketing_caps to godwit_tenant;
