-- What became of each run of the contract suite: whether a version of the provider's API answers as we rely on. Evidence about the
-- installation, of no account; a row never changes.
create table provider_contract_runs (
  id uuid primary key,
  livemode boolean not null,
  version text not null check (version ~ '^v[0-9]{1,3}\.[0-9]$'),
  -- Who answered, as the answers themselves tell.
  against text not null check (against in ('simulator', 'provider')),
  -- Null where the service runs without its repository.
  suite_commit text,
  suite_digest text not null,
  started_at timestamptz not null,
  finished_at timestamptz not null check (finished_at >= started_at),
  passed integer not null check (passed >= 0),
  -- Checks that would have changed something, where nothing may be changed.
  left_out integer not null check (left_out >= 0),
  failed jsonb not null check (jsonb_typeof(failed) = 'array'),
  -- SHA-256 over everything above.
  digest text not null,
  check (passed + left_out + jsonb_array_length(failed) > 0)
);
create index provider_contract_runs_newest on provider_contract_runs (livemode, version, finished_at desc);
call make_append_only('provider_contract_runs');
grant select, insert on provider_contract_runs to godwit_system;
grant select on provider_contract_runs to godwit_tenant; -- the calendar shows it to everybody
