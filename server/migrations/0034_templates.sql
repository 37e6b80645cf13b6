-- A message the provider has reviewed, by name and language. `components` are in the provider's own words, so that what
-- it sends back, also what we do not know yet, is kept as it came.
create table templates (
  account_sid text not null references accounts,
  livemode boolean not null,
  sid text not null,
  waba_sid text not null,
  provider_template_id text,
  name text not null,
  language text not null,
  category text not null check (category in ('AUTHENTICATION', 'UTILITY', 'MARKETING')),
  status text not null check (status in ('DRAFT', 'PENDING', 'APPROVED', 'REJECTED', 'PAUSED', 'DISABLED', 'IN_APPEAL',
    'PENDING_DELETION', 'DELETED', 'LIMIT_EXCEEDED', 'ARCHIVED', 'LOCKED')),
  quality text not null default 'UNKNOWN' check (quality in ('GREEN', 'YELLOW', 'RED', 'UNKNOWN')),
  parameter_format text not null check (parameter_format in ('POSITIONAL', 'NAMED')),
  components jsonb not null,
  message_send_ttl_seconds integer,
  rejected_reason text,
  -- Why the provider did not take what was last submitted: { code, message, providerCode }.
  failure jsonb,
  -- Counts what is submitted; a job that submits works for one revision and leaves a newer one alone.
  revision integer not null default 1,
  -- What the provider has not been told yet: CREATE, EDIT or DELETE.
  pending_change text check (pending_change in ('CREATE', 'EDIT', 'DELETE')),
  -- Whether it was ever approved: only such names stay locked after a deletion.
  approved_at timestamptz,
  status_changed_at timestamptz not null,
  provider_said_at timestamptz,
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_sid, sid),
  foreign key (account_sid, waba_sid) references wabas
);
create unique index templates_by_name on templates (account_sid, waba_sid, name, language) where deleted_at is null;
create index templates_newest on templates (account_sid, livemode, sid desc) where deleted_at is null;
create index templates_by_provider_id on templates (account_sid, livemode, provider_template_id);
call protect_tenant_table('templates');
grant select, insert, update on templates to godwit_tenant;

create table template_status_history (
  account_sid text not null references accounts,
  livemode boolean not null,
  template_sid text not null,
  sequence bigint generated always as identity,
  status text not null,
  previous_status text,
  category text not null,
  reason text,
  occurred_at timestamptz not null,
  created_at timestamptz not null,
  primary key (account_sid, template_sid, sequence),
  foreign key (account_sid, template_sid) references templates
);
call protect_tenant_table('template_status_history');
call make_append_only('template_status_history');
grant select, insert on template_status_history to godwit_tenant;

-- The names of deleted approved templates, which the provider does not give again for 30 days.
create table template_name_locks (
  account_sid text not null references accounts,
  livemode boolean not null,
  waba_sid text not null,
  name text not null,
  language text not null,
  locked_until timestamptz not null,
  primary key (account_sid, waba_sid, name, language),
  foreign key (account_sid, waba_sid) references wabas
);
call protect_tenant_table('template_name_locks');
grant select, insert, update on template_name_locks to godwit_tenant;

-- Content to be used again, with variables in its texts. `version` counts the changes, so that two editors notice each other.
create table contents (
  account_sid text not null references accounts,
  livemode boolean not null,
  sid text not null,
  name text not null,
  version integer not null,
  type text not null,
  body jsonb not null,
  variables text[] not null,
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_sid, sid)
);
create index contents_newest on contents (account_sid, livemode, sid desc) where deleted_at is null;
call protect_tenant_table('contents');
grant select, insert, update on contents to godwit_tenant;

-- A form a recipient fills in, made at the provider and known here by its id there.
create table flows (
  account_sid text not null references accounts,
  livemode boolean not null,
  sid text not null,
  waba_sid text not null,
  provider_flow_id text not null,
  name text not null,
  status text not null check (status in ('DRAFT', 'PUBLISHED', 'DEPRECATED', 'BLOCKED', 'THROTTLED')),
  exchanges_data boolean not null,
  status_changed_at timestamptz not null,
  provider_said_at timestamptz,
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_sid, sid),
  foreign key (account_sid, waba_sid) references wabas
);
create unique index flows_by_provider_id on flows (account_sid, waba_sid, provider_flow_id) where deleted_at is null;
create index flows_newest on flows (account_sid, livemode, sid desc) where deleted_at is null;
call protect_tenant_table('flows');
grant select, insert, update on flows to godwit_tenant;
