-- Where our records and the provider's differ about what was delivered or charged: a case each, found again by its fingerprint.
create table reconciliation_cases (
  account_sid text not null references accounts,
  livemode boolean not null,
  sid text not null,
  -- What the difference is about: the same difference found again is the same case.
  fingerprint text not null,
  state text not null default 'open' check (state in ('open', 'investigating', 'resolved', 'rejected')),
  outcome text not null check (outcome in ('amount_mismatch', 'missing_platform_event', 'unexpected_provider_charge',
    'missing_provider_status')),
  source text not null check (source in ('callback', 'message_history', 'analytics', 'itemised_file')),
  waba_sid text,
  bucket json,
  -- By our records and by the provider's: how many messages, and what they cost the account. An amount is missing where it would show
  -- what the provider asks for, or where nobody knows it.
  message_count integer not null,
  expected_messages integer not null,
  expected_minor bigint,
  reported_messages integer not null,
  reported_minor bigint,
  currency text,
  scale smallint,
  findings json not null default '[]',
  resolution json,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_sid, sid),
  unique (account_sid, livemode, fingerprint)
);
create index reconciliation_cases_newest on reconciliation_cases (account_sid, livemode, sid desc);
-- Few are unsettled at a time: they are counted for operators, and compared with the provider's later figures.
create index reconciliation_cases_unsettled on reconciliation_cases (account_sid, waba_sid, outcome)
  where state in ('open', 'investigating');
call protect_tenant_table('reconciliation_cases');
call open_to_system('reconciliation_cases'); -- operators see how many are open
grant select, insert, update on reconciliation_cases to godwit_tenant;
grant select on reconciliation_cases to godwit_system;

-- The messages a case is about, each once: by its SID, or by the provider's name where it is none of ours.
create table reconciliation_case_messages (
  account_sid text not null references accounts,
  livemode boolean not null,
  case_sid text not null,
  reference text not null,
  message_sid text,
  -- False for one that only may be meant, until the provider says that it was delivered.
  proven boolean not null,
  -- What was charged (above zero) or credited (below) for it to settle the case.
  adjusted_minor bigint,
  primary key (account_sid, case_sid, reference),
  foreign key (account_sid, case_sid) references reconciliation_cases
);
create index reconciliation_case_messages_adjusted on reconciliation_case_messages (account_sid, message_sid)
  where adjusted_minor is not null;
call protect_tenant_table('reconciliation_case_messages');
grant select, insert, update on reconciliation_case_messages to godwit_tenant;

-- Looks at the provider's figures of a business account: two after the end of each period, and those an operator asked for.
create table reconciliation_looks (
  account_sid text not null references accounts,
  livemode boolean not null,
  waba_sid text not null,
  period_start timestamptz not null,
  period_end timestamptz not null,
  look text not null check (look in ('first', 'second')),
  queued_at timestamptz not null,
  primary key (account_sid, waba_sid, period_end, look)
);
call protect_tenant_table('reconciliation_looks');
grant select, insert on reconciliation_looks to godwit_tenant;

-- Itemised files that were read to their end, by what is in them.
create table reconciliation_imports (
  account_sid text not null references accounts,
  livemode boolean not null,
  sha256 bytea not null,
  rows integer not null,
  bad_rows integer not null,
  imported_at timestamptz not null,
  primary key (account_sid, livemode, sha256)
);
call protect_tenant_table('reconciliation_imports');
grant select, insert on reconciliation_imports to godwit_tenant;
