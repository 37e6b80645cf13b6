-- A number that moves to another business account keeps its sender, and so everything that names the sender.

-- The migration that keeps the sender's messages in line while its number changes hands; null when they leave.
alter table senders add column paused_by text,
  -- The PIN of its two-step verification, sealed; null where we never set it.
  add column sealed_pin bytea;
drop trigger facts_inserted on senders;
drop trigger facts_deleted on senders;
drop trigger facts_updated on senders;
call keep_fact_version('senders', 'facts', 'account_sid, livemode, sid, waba_sid, phone_number, provider_phone_number_id,
  display_name, status, quality, throughput_level, throughput_per_second, name_status, verification_status, on_business_app,
  flow_key, paused_by, status_changed_at, created_at, updated_at', 'select account_sid from changed');
create index senders_paused on senders (paused_by) where paused_by is not null;

-- What the provider called a sender before it moved. Reports about messages of that time name it for days.
create table sender_former_ids (
  account_sid text not null references accounts,
  livemode boolean not null,
  provider_phone_number_id text not null,
  sender_sid text not null,
  waba_sid text not null,
  left_at timestamptz not null,
  primary key (account_sid, provider_phone_number_id, left_at),
  foreign key (account_sid, sender_sid) references senders,
  foreign key (account_sid, waba_sid) references wabas
);
create index sender_former_ids_of_provider on sender_former_ids (provider_phone_number_id, livemode);
create index sender_former_ids_of_waba on sender_former_ids (account_sid, waba_sid);
call protect_tenant_table('sender_former_ids');
grant select, insert on sender_former_ids to godwit_tenant;
call open_to_system('sender_former_ids'); -- a callback is routed before its account is known
grant select on sender_former_ids to godwit_system;

create table number_migrations (
  account_sid text not null references accounts,
  livemode boolean not null,
  operation_sid text not null,
  sender_sid text not null,
  country_code text not null,
  -- Without the country code.
  phone_number text not null,
  source_waba_sid text not null,
  destination_waba_sid text not null,
  -- What the provider calls the number at the source, and at the destination once it was added there.
  source_phone_number_id text not null,
  phone_number_id text,
  step text not null check (step in
    ('ADD', 'REQUEST_CODE', 'VERIFY', 'PAUSE', 'REGISTER', 'CUT_OVER', 'SUBSCRIBE', 'VALIDATE', 'DONE')),
  code_method text not null default 'SMS' check (code_method in ('SMS', 'VOICE')),
  code_sent_at timestamptz,
  sealed_code bytea,
  sealed_pin bytea,
  wrong_pins integer not null default 0,
  -- Tries to register that the provider put off.
  put_off integer not null default 0,
  -- Until when somebody is waited for.
  awaited_until timestamptz,
  contact_sid text not null,
  template_sid text not null,
  message_sid text,
  message_sent_at timestamptz,
  impact json not null,
  case_ref text not null,
  reason text not null,
  -- How it ended, for the time after its operation is forgotten. Null for one that was canceled.
  outcome text check (outcome in ('SUCCEEDED', 'FAILED')),
  error json,
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_sid, operation_sid),
  foreign key (account_sid, sender_sid) references senders,
  foreign key (account_sid, source_waba_sid) references wabas,
  foreign key (account_sid, destination_waba_sid) references wabas
);
create index number_migrations_newest on number_migrations (account_sid, livemode, operation_sid desc);
create index number_migrations_of_sender on number_migrations (account_sid, sender_sid, operation_sid desc);
call protect_tenant_table('number_migrations');
grant select, insert, update on number_migrations to godwit_tenant;

-- What was done, in its order. That a call is about to be made is written down before it is.
create table number_migration_history (
  account_sid text not null references accounts,
  livemode boolean not null,
  operation_sid text not null,
  sequence bigint generated always as identity,
  step text not null,
  outcome text not null check (outcome in ('STARTED', 'DONE', 'REFUSED', 'AWAITED', 'RECEIVED', 'PUT_OFF')),
  detail text,
  provider_code integer,
  created_by text not null,
  created_at timestamptz not null,
  primary key (account_sid, operation_sid, sequence),
  foreign key (account_sid, operation_sid) references number_migrations
);
call protect_tenant_table('number_migration_history');
call make_append_only('number_migration_history');
grant select, insert on number_migration_history to godwit_tenant;
