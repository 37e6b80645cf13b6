-- What the platform itself keeps, before any feature.

-- Living processes. A beat uses the database's clock, never the clock of business rules: moving that one in a test
-- must not expire anybody. A process that missed its beats is dead and its work is taken over.
create table processes (
  id uuid primary key,
  role text not null,
  host text not null,
  pid integer not null,
  worker_ids text[] not null default '{}',
  started_at timestamptz not null default clock_timestamp(),
  beat_at timestamptz not null default clock_timestamp()
);
grant select, insert, update, delete on processes to godwit_system;
grant select on processes to godwit_tenant;

-- A few facts about the installation, such as the proof that the master key fits this database.
create table settings (
  name text primary key,
  value bytea not null
);
grant select, insert, update on settings to godwit_system;

-- One stored answer per Idempotency-Key. `owner` is the process that still works on it, for the few operations that
-- must call outside before they can answer; null once the answer is stored.
create table idempotency_keys (
  account_sid text not null,
  livemode boolean not null,
  subject text not null,
  key text not null,
  operation_id text not null,
  fingerprint bytea not null,
  principal text not null,
  owner uuid,
  status integer,
  headers jsonb,
  body bytea,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (account_sid, livemode, subject, key)
);
create index idempotency_keys_by_expiry on idempotency_keys (expires_at);
call protect_tenant_table('idempotency_keys');
call open_to_system('idempotency_keys'); -- the sweep of expired keys
grant select, insert, update, delete on idempotency_keys to godwit_tenant;
grant select, delete on idempotency_keys to godwit_system;

-- Token buckets shared by several API processes. Losing them in a crash costs one burst, so they skip the log.
create unlogged table rate_buckets (
  name text primary key,
  tokens double precision not null,
  refilled_at timestamptz not null
);
grant select, insert, update, delete on rate_buckets to godwit_system;

-- The event log. The head row of an account and environment is locked by the transaction that takes numbers from it,
-- so the order of sequence is the order of commit and a rollback leaves no gap.
create table event_heads (
  account_sid text not null,
  livemode boolean not null,
  sequence bigint not null,
  primary key (account_sid, livemode)
) with (fillfactor = 50);
call protect_tenant_table('event_heads');
grant select, insert, update on event_heads to godwit_tenant;

create table events (
  account_sid text not null,
  livemode boolean not null,
  sequence bigint not null,
  sid text not null,
  type text not null,
  api_version text not null,
  subaccount_sid text,
  resource_sid text,
  occurred_at timestamptz not null,
  created_at timestamptz not null,
  data json not null,
  primary key (account_sid, livemode, sequence)
);
create unique index events_by_sid on events (account_sid, sid);
create index events_by_resource on events (account_sid, livemode, resource_sid, sequence) where resource_sid is not null;
call protect_tenant_table('events');
grant select, insert on events to godwit_tenant;

-- Hash chains: each link carries the hash of the one before. `chain_next` takes the next links under the head's lock.
create table chain_heads (
  account_sid text not null,
  livemode boolean not null,
  chain text not null,
  sequence bigint not null,
  hash bytea not null,
  primary key (account_sid, livemode, chain)
) with (fillfactor = 50);
call protect_tenant_table('chain_heads');
call open_to_system('chain_heads'); -- verification reads the heads of all accounts
grant select, insert, update on chain_heads to godwit_tenant;
grant select on chain_heads to godwit_system;

create function chain_hash(previous bytea, sequence bigint, payload text) returns bytea
  language sql immutable parallel safe
  return sha256(previous || int8send(sequence) || convert_to(payload, 'UTF8'));

create function chain_next(in_account_sid text, in_livemode boolean, in_chain text, payloads text[])
  returns table (link bigint, sequence bigint, previous_hash bytea, hash bytea)
  language plpgsql as $$
declare
  head chain_heads%rowtype;
begin
  insert into chain_heads values (in_account_sid, in_livemode, in_chain, 0, sha256(''))
    on conflict do nothing;
  select * into head from chain_heads h
    where h.account_sid = in_account_sid and h.livemode = in_livemode and h.chain = in_chain
    for update;
  for i in 1 .. cardinality(payloads) loop
    link := i;
    sequence := head.sequence + 1;
    previous_hash := head.hash;
    hash := chain_hash(head.hash, sequence, payloads[i]);
    head.sequence := sequence;
    head.hash := hash;
    return next;
  end loop;
  update chain_heads h set sequence = head.sequence, hash = head.hash
    where h.account_sid = in_account_sid and h.livemode = in_livemode and h.chain = in_chain;
end $$;

-- Jobs are queued in the transaction that makes them necessary. The serving role may add a job and nothing else, so
-- this function runs with its owner's rights. Each job: { task, payload, key, runAt, maxAttempts, priority, queue }.
create function enqueue_jobs(jobs json) returns void
  language plpgsql security definer set search_path = pg_catalog, public as $$
declare
  job json;
begin
  for job in select * from json_array_elements(jobs) loop
    perform graphile_worker.add_job(
      identifier => job ->> 'task',
      payload => job -> 'payload',
      queue_name => job ->> 'queue',
      run_at => (job ->> 'runAt')::timestamptz,
      max_attempts => (job ->> 'maxAttempts')::integer,
      job_key => job ->> 'key',
      priority => (job ->> 'priority')::integer);
  end loop;
end $$;
revoke execute on function enqueue_jobs(json) from public;
grant execute on function enqueue_jobs(json) to godwit_tenant, godwit_system;

-- Removes processes that stayed silent for 6 seconds and frees the jobs their workers held; the queue alone would
-- wait four hours for them.
create function bury_dead_processes() returns void
  language plpgsql security definer set search_path = pg_catalog, public as $$
declare
  orphaned text[];
begin
  with dead as (
    delete from processes where beat_at < clock_timestamp() - interval '6 seconds' returning worker_ids)
  select array_agg(id) into orphaned from dead, unnest(dead.worker_ids) as id;
  if orphaned is not null then
    perform graphile_worker.force_unlock_workers(orphaned);
  end if;
end $$;
revoke execute on function bury_dead_processes() from public;
grant execute on function bury_dead_processes() to godwit_system;

-- How many jobs are due and how long the oldest has waited, for metrics and the doctor.
create function queue_state(out due integer, out "oldestSeconds" double precision)
  language plpgsql stable security definer set search_path = pg_catalog, public as $$
begin
  select count(*), coalesce(extract(epoch from clock_timestamp() - min(run_at)), 0)
    into due, "oldestSeconds"
    from graphile_worker.jobs
   where locked_at is null and run_at <= clock_timestamp() and attempts < max_attempts;
end $$;
revoke execute on function queue_state() from public;
grant execute on function queue_state() to godwit_system;
