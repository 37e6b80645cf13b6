-- A business portfolio: what the provider limits as a whole. Its messaging limit is shared by every number of its WABAs.
create table portfolios (
  account_sid text not null references accounts,
  livemode boolean not null,
  id uuid not null,
  provider_business_id text not null,
  name text not null,
  messaging_limit text not null
    check (messaging_limit in ('TIER_50', 'TIER_250', 'TIER_2K', 'TIER_10K', 'TIER_100K', 'TIER_UNLIMITED')),
  phone_number_cap integer not null check (phone_number_cap >= 0),
  limits_updated_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_sid, id),
  unique (account_sid, livemode, provider_business_id)
);
call protect_tenant_table('portfolios');
grant select, insert, update on portfolios to godwit_tenant;

-- When a business last wrote to somebody outside a service window, one row a person: who counts against the messaging
-- limit in the 24 hours before now. A contact goes only through its own module, so no reference is checked per row.
create table portfolio_recipients (
  account_sid text not null,
  livemode boolean not null,
  portfolio_id uuid not null,
  contact_sid text not null,
  started_at timestamptz not null,
  primary key (account_sid, portfolio_id, contact_sid)
);
create index portfolio_recipients_recent on portfolio_recipients (account_sid, portfolio_id, started_at);
create index portfolio_recipients_by_age on portfolio_recipients (started_at);
call protect_tenant_table('portfolio_recipients');
call open_to_system('portfolio_recipients'); -- the sweep of people who no longer count
grant select, insert, update on portfolio_recipients to godwit_tenant;
grant select, delete on portfolio_recipients to godwit_system;

-- A business messaging account at the provider, and the connection to it. The token is sealed; a disconnected account keeps
-- it only until the provider was told to send nothing more.
create table wabas (
  account_sid text not null references accounts,
  livemode boolean not null,
  sid text not null,
  portfolio_id uuid not null,
  provider_waba_id text not null,
  name text not null,
  connection_state text not null check (connection_state in ('CONNECTED', 'DISCONNECTED')),
  access_token bytea,
  connected_at timestamptz not null,
  disconnected_at timestamptz,
  disconnect_reason text,
  ban_state text not null default 'NONE' check (ban_state in ('NONE', 'SCHEDULED', 'DISABLED')),
  review_status text,
  restrictions jsonb not null default '[]',
  template_cap integer not null default 250 check (template_cap > 0),
  -- The moment of the last word of the provider about this account; an older word arriving later changes nothing.
  provider_said_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_sid, sid),
  foreign key (account_sid, portfolio_id) references portfolios,
  check ((connection_state = 'DISCONNECTED') = (disconnected_at is not null)),
  check (connection_state = 'DISCONNECTED' or access_token is not null)
);
create index wabas_newest on wabas (account_sid, livemode, sid desc);
create index wabas_of_portfolio on wabas (account_sid, portfolio_id);
-- A callback names the account by the provider's id alone: it can be connected in one place only.
create unique index wabas_by_provider_id on wabas (provider_waba_id, livemode) where connection_state = 'CONNECTED';
create index wabas_of_provider on wabas (provider_waba_id, livemode);
call protect_tenant_table('wabas');
call open_to_system('wabas'); -- a callback is routed before its account is known
grant select, insert, update on wabas to godwit_tenant;
grant select on wabas to godwit_system;

-- What the provider says about a number.
alter table senders
  add column provider_phone_number_id text,
  add column quality text not null default 'UNKNOWN' check (quality in ('GREEN', 'YELLOW', 'RED', 'UNKNOWN')),
  add column throughput_level text not null default 'STANDARD',
  add column throughput_per_second integer not null default 80 check (throughput_per_second > 0),
  add column name_status text,
  add column verification_status text,
  add column on_business_app boolean not null default false,
  add column status_changed_at timestamptz,
  add column provider_said_at timestamptz,
  add check (status in ('CONNECTED', 'DISCONNECTED', 'PENDING', 'UNVERIFIED', 'FLAGGED', 'RESTRICTED', 'RATE_LIMITED',
    'BANNED', 'DELETED', 'MIGRATED')),
  add foreign key (account_sid, waba_sid) references wabas;
create index senders_of_waba on senders (account_sid, waba_sid) where waba_sid is not null;
-- A number belongs to one account at a time; one that left may have come back elsewhere.
create unique index senders_by_provider_id on senders (provider_phone_number_id, livemode)
  where status not in ('DISCONNECTED', 'DELETED', 'MIGRATED');
create index senders_of_provider on senders (provider_phone_number_id, livemode) where provider_phone_number_id is not null;
call open_to_system('senders'); -- a callback is routed before its account is known
grant select on senders to godwit_system;

-- How a sender came to be what it is: every status with the reason it was given for.
create table sender_status_history (
  account_sid text not null references accounts,
  livemode boolean not null,
  sender_sid text not null,
  sequence bigint generated always as identity,
  status text not null,
  previous_status text,
  quality text not null,
  reason text not null,
  occurred_at timestamptz not null,
  created_at timestamptz not null,
  primary key (account_sid, sender_sid, sequence),
  foreign key (account_sid, sender_sid) references senders
);
call protect_tenant_table('sender_status_history');
call make_append_only('sender_status_history');
grant select, insert on sender_status_history to godwit_tenant;

-- Several senders that share the work.
create table sender_pools (
  account_sid text not null references accounts,
  livemode boolean not null,
  sid text not null,
  name text not null,
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_sid, sid)
);
create index sender_pools_newest on sender_pools (account_sid, livemode, sid desc) where deleted_at is null;
call protect_tenant_table('sender_pools');
grant select, insert, update on sender_pools to godwit_tenant;

-- `assigned` counts the contacts this member was chosen for: counting them each time would take longer the better a pool works.
create table sender_pool_members (
  account_sid text not null references accounts,
  livemode boolean not null,
  pool_sid text not null,
  sender_sid text not null,
  weight integer not null check (weight between 1 and 100),
  priority integer not null check (priority between 0 and 9),
  assigned bigint not null default 0,
  created_at timestamptz not null,
  primary key (account_sid, pool_sid, sender_sid),
  foreign key (account_sid, pool_sid) references sender_pools,
  foreign key (account_sid, sender_sid) references senders
) with (fillfactor = 50);
call protect_tenant_table('sender_pool_members');
grant select, insert, update, delete on sender_pool_members to godwit_tenant;

-- Which member speaks with whom, so that a person keeps hearing from one number.
create table sender_pool_contacts (
  account_sid text not null,
  livemode boolean not null,
  pool_sid text not null,
  contact_sid text not null,
  sender_sid text not null,
  chosen_at timestamptz not null,
  primary key (account_sid, pool_sid, contact_sid)
);
call protect_tenant_table('sender_pool_contacts');
grant select, insert, update, delete on sender_pool_contacts to godwit_tenant;
