-- Long work that somebody watches. A row is written with its job; `run_id` names the run that may write to it now, so
-- that a run which was thought dead and is not, or was canceled, can commit nothing more. `checkpoint` and the counts
-- change in the same transaction as the effects they tell of.
create table operations (
  account_sid text not null references accounts,
  livemode boolean not null,
  sid text not null,
  type text not null,
  kind text not null check (kind in ('STEP', 'ITEMS', 'CHUNKS')),
  state text not null check (state in ('PENDING', 'RUNNING', 'WAITING', 'SUCCEEDED', 'FAILED', 'CANCELED')),
  input json not null,
  checkpoint json,
  result json,
  error json,
  done bigint not null default 0,
  failed bigint not null default 0,
  total bigint,
  cancelable boolean not null,
  retry_eligible boolean not null default false,
  run_id uuid,
  tries integer not null default 0,
  -- The rate is measured from here; a crash or a retry begins a new measure.
  measured_at timestamptz,
  measured_done bigint not null default 0,
  progressed_at timestamptz,
  created_by text not null,
  created_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  updated_at timestamptz not null,
  primary key (account_sid, sid)
);
create index operations_newest on operations (account_sid, livemode, sid desc);
create index operations_unfinished on operations (created_at) where finished_at is null;
create index operations_to_sweep on operations (finished_at) where finished_at is not null;
call protect_tenant_table('operations');
call open_to_system('operations'); -- the guard looks for work nobody does, the sweep for what is old
grant select, insert, update on operations to godwit_tenant;
grant select, delete on operations to godwit_system;

-- The results of single items. Work on few items lists them all; work on millions of rows only those that failed.
create table operation_children (
  account_sid text not null,
  livemode boolean not null,
  operation_sid text not null,
  position bigint not null,
  ref text,
  state text not null check (state in ('PENDING', 'SUCCEEDED', 'FAILED', 'CANCELED')),
  input json,
  result json,
  error json,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_sid, operation_sid, position),
  foreign key (account_sid, operation_sid) references operations (account_sid, sid) on delete cascade
);
create index operation_children_pending on operation_children (account_sid, operation_sid, position) where state = 'PENDING';
call protect_tenant_table('operation_children');
call open_to_system('operation_children'); -- the sweep
grant select, insert, update on operation_children to godwit_tenant;
grant select, delete on operation_children to godwit_system;

-- Which of these job keys no job stands for: none is queued or running under them.
create function unqueued_job_keys(keys text[]) returns setof text
  language plpgsql stable security definer set search_path = pg_catalog, public as $$
begin
  return query
    select wanted from unnest(keys) as wanted
     where not exists (
       select from graphile_worker.jobs job
        where job.key = wanted and (job.locked_at is not null or job.attempts < job.max_attempts));
end $$;
revoke execute on function unqueued_job_keys(text[]) from public;
grant execute on function unqueued_job_keys(text[]) to godwit_system;
