-- How long an account keeps messages. A null window keeps until the customer deletes.
create table retention_policies (
  account_sid text not null references accounts,
  livemode boolean not null,
  content_days integer check (content_days between 30 and 3650),
  metadata_months integer check (metadata_months between 1 and 120),
  analytics_months integer check (analytics_months between 1 and 36),
  -- Until then the windows before hold: a shorter one can be taken back.
  effective_from timestamptz,
  content_days_before integer,
  metadata_months_before integer,
  analytics_months_before integer,
  -- Null while nothing is ever removed.
  next_run_at timestamptz,
  operation_sid text,
  -- No message before this one has its content any more.
  content_gone_before text not null default '',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_sid, livemode)
);
create index retention_policies_due on retention_policies (next_run_at) where next_run_at is not null;
call protect_tenant_table('retention_policies');
grant select, insert, update on retention_policies to godwit_tenant;
call open_to_system('retention_policies'); -- a clock finds those whose run is due
grant select (account_sid, livemode, next_run_at) on retention_policies to godwit_system;

-- What a run removed so far: counted with each of its transactions.
create table retention_runs (
  account_sid text not null references accounts,
  livemode boolean not null,
  operation_sid text not null,
  message_contents bigint not null default 0,
  messages bigint not null default 0,
  media_files bigint not null default 0,
  media_bytes bigint not null default 0,
  analytics_days bigint not null default 0,
  -- The first message it came by whose content is still there; null while there was none.
  first_left text,
  -- Up to where contents were looked at.
  contents_until text,
  created_at timestamptz not null,
  primary key (account_sid, operation_sid)
);
call protect_tenant_table('retention_runs');
grant select, insert, update on retention_runs to godwit_tenant;

alter table messages add column content_removed_at timestamptz;
grant delete on messages, message_states, message_attempts, provider_messages to godwit_tenant;
-- The data of events whose message lost its content.
grant update (data) on events to godwit_tenant;
