-- A business asks the operator to set it up at the provider: its application, what it agreed to, and how far the work has come.

-- The fee is set aside when the application is approved, taken when it is completed, and given back otherwise. It stays the
-- wallet's own money until it is taken.
insert into ledger_account_types (account, lowest) values ('fees_held', 'zero');
insert into ledger_transfer_kinds (kind, debit_account, credit_account, beyond_limit) values
  ('fee_hold', 'available', 'fees_held', false),
  ('fee_capture', 'fees_held', 'revenue', false),
  ('fee_release', 'fees_held', 'available', false),
  -- The rent of a number runs on like a price that was agreed to: it is taken also beyond the credit.
  ('number_rent', 'available', 'revenue', true);
-- Wallets that are there already get the new account.
set local role godwit_ledger;
insert into ledger_accounts (account_sid, livemode, wallet_id, account, balance_minor, minimum_minor)
  select account_sid, livemode, id, 'fees_held', 0, 0 from wallets;
reset role;

create table managed_applications (
  account_sid text not null references accounts,
  livemode boolean not null,
  sid text not null,
  state text not null check (state in ('SUBMITTED', 'IN_REVIEW', 'INFORMATION_REQUESTED', 'QUOTE_CHANGED', 'APPROVED',
    'PROVISIONING', 'PORTING', 'COMPLETED', 'REJECTED', 'FAILED', 'WITHDRAWN')),
  display_name text not null,
  country text not null,
  number_source text not null check (number_source in ('PORT', 'PURCHASE')),
  requested_number text,
  website text,
  -- Names, address, numbers, words and the hand-over phone, in one: opened for the account's own principals only.
  details bytea not null,
  -- Which files the business sent as documents.
  document_sids text[] not null default '{}',
  information_request text,
  reason text,
  error json,
  -- What was agreed to, and what is offered instead.
  accepted json not null,
  accepted_by text not null,
  accepted_at timestamptz not null,
  offer json,
  -- The fee of the newest attempt: where it is, and of which wallet it is.
  attempt integer not null default 0,
  fee_state text not null default 'NONE' check (fee_state in ('NONE', 'HELD', 'CAPTURED', 'RELEASED')),
  fee_wallet_id uuid,
  fee_minor bigint not null default 0 check (fee_minor >= 0),
  -- The rent: how many months were charged, and when the next begins.
  rent_months integer not null default 0,
  rent_due_at timestamptz,
  operation_sid text,
  phone_number text,
  waba_sid text,
  sender_sid text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_sid, sid),
  check ((state = 'QUOTE_CHANGED') = (offer is not null)),
  check ((state = 'INFORMATION_REQUESTED') <= (information_request is not null)),
  check ((fee_state = 'HELD') = (state in ('APPROVED', 'PROVISIONING', 'PORTING')))
);
create unique index managed_applications_open on managed_applications (account_sid, livemode)
  where state not in ('COMPLETED', 'REJECTED', 'FAILED', 'WITHDRAWN');
create index managed_applications_newest on managed_applications (account_sid, livemode, sid desc);
create index managed_applications_rent on managed_applications (rent_due_at) where rent_due_at is not null;
call protect_tenant_table('managed_applications');
call open_to_system('managed_applications'); -- operators see what waits for them, and rents fall due across accounts
grant select, insert, update on managed_applications to godwit_tenant;
grant select on managed_applications to godwit_system;

-- Every acceptance to the letter, for ever: the text whose hash is the fingerprint, and the words of the terms.
create table managed_acceptances (
  account_sid text not null,
  livemode boolean not null,
  application_sid text not null,
  fingerprint text not null,
  quote text not null,
  terms_text text not null,
  accepted_by text not null,
  accepted_at timestamptz not null,
  primary key (account_sid, application_sid, fingerprint),
  foreign key (account_sid, application_sid) references managed_applications
);
call protect_tenant_table('managed_acceptances');
call make_append_only('managed_acceptances');
grant select, insert on managed_acceptances to godwit_tenant;

-- How far the work on an application has come, and what it will need again.
create table managed_provisioning (
  account_sid text not null,
  livemode boolean not null,
  application_sid text not null,
  step text not null,
  -- What the vendor calls the number's order by: ours, and the same however often it is asked.
  vendor_reference text not null,
  number text,
  provider_business_id text,
  provider_waba_id text,
  access_token bytea,
  phone_number_id text,
  pin bytea,
  -- A code somebody read; used once.
  code bytea,
  code_requested_at timestamptz,
  codes_tried integer not null default 0,
  registered_name text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_sid, application_sid),
  foreign key (account_sid, application_sid) references managed_applications
);
call protect_tenant_table('managed_provisioning');
grant select, insert, update on managed_provisioning to godwit_tenant;

-- What was begun outside: written before each call, ended with what came of it. One that has no end may have happened.
create table managed_intents (
  account_sid text not null,
  livemode boolean not null,
  application_sid text not null,
  n integer not null,
  call text not null,
  outcome text,
  begun_at timestamptz not null,
  ended_at timestamptz,
  primary key (account_sid, application_sid, n),
  foreign key (account_sid, application_sid) references managed_applications,
  check ((outcome is null) = (ended_at is null))
);
call protect_tenant_table('managed_intents');
grant select, insert, update on managed_intents to godwit_tenant;

-- What somebody of the operator must do with their own hands.
create table managed_tasks (
  account_sid text not null,
  livemode boolean not null,
  application_sid text not null,
  n integer not null,
  -- Of which attempt at the application: what could not be done then may be possible now.
  attempt integer not null,
  task text not null check (task in ('ORDER_NUMBER', 'PORT_NUMBER', 'CREATE_ACCOUNT', 'READ_CODE', 'RELEASE_NUMBER')),
  state text not null check (state in ('OPEN', 'DONE', 'FAILED', 'DROPPED')),
  reason text,
  created_at timestamptz not null,
  ended_at timestamptz,
  ended_by text,
  primary key (account_sid, application_sid, n),
  foreign key (account_sid, application_sid) references managed_applications,
  check ((state = 'OPEN') = (ended_at is null))
);
create unique index managed_tasks_open on managed_tasks (account_sid, application_sid, task) where state = 'OPEN';
call protect_tenant_table('managed_tasks');
call open_to_system('managed_tasks');
grant select, insert, update on managed_tasks to godwit_tenant;
grant select on managed_tasks to godwit_system;

-- A file that somebody else needs does not expire and cannot be deleted.
alter table media add column kept_for text;
create index media_kept on media (account_sid, kept_for) where kept_for is not null;
