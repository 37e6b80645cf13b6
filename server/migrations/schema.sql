-- The schema as the migrations leave it. Generated: run "npm run generate" after adding a migration.

create table accounts (
  sid text not null,
  organization_id uuid not null,
  parent_account_sid text,
  name text not null,
  status text not null default 'active'::text,
  region text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint accounts_pkey PRIMARY KEY (sid),
  constraint accounts_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint accounts_parent_account_sid_fkey FOREIGN KEY (parent_account_sid) REFERENCES accounts(sid),
  constraint accounts_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint accounts_status_check CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text])))
);
CREATE INDEX accounts_by_organization ON public.accounts USING btree (organization_id);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using (sid = ANY (current_accounts()));
grant insert, select, update to godwit_system;
grant select to godwit_tenant;

create table api_keys (
  account_sid text not null,
  livemode boolean not null,
  id uuid not null,
  lookup text not null,
  secret_hash bytea not null,
  signing_secret bytea not null,
  name text not null,
  scopes text[] not null,
  allowed_cidrs text[] not null,
  signing_required boolean not null,
  requests_per_second integer,
  created_by text not null,
  disabled_at timestamp with time zone,
  expires_at timestamp with time zone,
  last_used_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint api_keys_lookup_key UNIQUE (lookup),
  constraint api_keys_pkey PRIMARY KEY (account_sid, id),
  constraint api_keys_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint api_keys_requests_per_second_check CHECK ((requests_per_second > 0))
);
CREATE INDEX api_keys_newest ON public.api_keys USING btree (account_sid, livemode, created_at DESC, id DESC);
CREATE TRIGGER announce AFTER UPDATE OF lookup, secret_hash, signing_secret, scopes, allowed_cidrs, signing_required, requests_per_second, disabled_at, expires_at ON public.api_keys FOR EACH ROW EXECUTE FUNCTION announce_api_key();
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (current_accounts())) AND (livemode = current_livemode())) with check ((account_sid = ANY (current_accounts())) AND (livemode = current_livemode()));
grant insert, select, update to godwit_tenant;
grant select, update to godwit_system;

create table audit_entries (
  account_sid text not null,
  livemode boolean not null,
  sequence bigint not null,
  id uuid not null,
  action text not null,
  resource text,
  actor text not null,
  occurred_at timestamp with time zone not null,
  payload text not null,
  previous_hash bytea not null,
  hash bytea not null,
  constraint audit_entries_pkey PRIMARY KEY (account_sid, livemode, sequence),
  constraint audit_entries_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid)
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.audit_entries FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON public.audit_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE UNIQUE INDEX audit_entries_by_id ON public.audit_entries USING btree (account_sid, id);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (current_accounts())) AND (livemode = current_livemode())) with check ((account_sid = ANY (current_accounts())) AND (livemode = current_livemode()));
grant insert, select to godwit_tenant;
grant select to godwit_system;

create table authorizations (
  account_sid text not null,
  livemode boolean not null,
  id uuid not null,
  task text not null,
  resource_ref text not null,
  instruction text not null,
  instructed_by json not null,
  created_at timestamp with time zone not null,
  constraint authorizations_pkey PRIMARY KEY (account_sid, id),
  constraint authorizations_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid)
);
CREATE INDEX authorizations_newest ON public.authorizations USING btree (account_sid, livemode, created_at DESC, id DESC);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.authorizations FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON public.authorizations FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
create policy tenant to godwit_tenant using ((account_sid = ANY (current_accounts())) AND (livemode = current_livemode())) with check ((account_sid = ANY (current_accounts())) AND (livemode = current_livemode()));
grant insert, select to godwit_tenant;

create table chain_heads (
  account_sid text not null,
  livemode boolean not null,
  chain text not null,
  sequence bigint not null,
  hash bytea not null,
  constraint chain_heads_pkey PRIMARY KEY (account_sid, livemode, chain)
);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (current_accounts())) AND (livemode = current_livemode())) with check ((account_sid = ANY (current_accounts())) AND (livemode = current_livemode()));
grant insert, select, update to godwit_tenant;
grant select to godwit_system;

create table event_heads (
  account_sid text not null,
  livemode boolean not null,
  sequence bigint not null,
  constraint event_heads_pkey PRIMARY KEY (account_sid, livemode)
);
create policy tenant to godwit_tenant using ((account_sid = ANY (current_accounts())) AND (livemode = current_livemode())) with check ((account_sid = ANY (current_accounts())) AND (livemode = current_livemode()));
grant insert, select, update to godwit_tenant;

create table events (
  account_sid text not null,
  livemode boolean not null,
  sequence bigint not null,
  sid text not null,
  type text not null,
  api_version text not null,
  subaccount_sid text,
  resource_sid text,
  occurred_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  data json not null,
  constraint events_pkey PRIMARY KEY (account_sid, livemode, sequence)
);
CREATE INDEX events_by_resource ON public.events USING btree (account_sid, livemode, resource_sid, sequence) WHERE (resource_sid IS NOT NULL);
CREATE UNIQUE INDEX events_by_sid ON public.events USING btree (account_sid, sid);
create policy tenant to godwit_tenant using ((account_sid = ANY (current_accounts())) AND (livemode = current_livemode())) with check ((account_sid = ANY (current_accounts())) AND (livemode = current_livemode()));
grant insert, select to godwit_tenant;

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
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint idempotency_keys_pkey PRIMARY KEY (account_sid, livemode, subject, key)
);
CREATE INDEX idempotency_keys_by_expiry ON public.idempotency_keys USING btree (expires_at);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (current_accounts())) AND (livemode = current_livemode())) with check ((account_sid = ANY (current_accounts())) AND (livemode = current_livemode()));
grant delete, insert, select, update to godwit_tenant;
grant delete, select to godwit_system;

create table organizations (
  id uuid not null,
  name text not null,
  country text,
  created_at timestamp with time zone not null,
  constraint organizations_pkey PRIMARY KEY (id),
  constraint organizations_country_check CHECK ((country ~ '^[A-Z]{2}$'::text)),
  constraint organizations_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200)))
);
grant insert, select to godwit_system;
grant select to godwit_tenant;

create table processes (
  id uuid not null,
  role text not null,
  host text not null,
  pid integer not null,
  worker_ids text[] not null default '{}'::text[],
  started_at timestamp with time zone not null default clock_timestamp(),
  beat_at timestamp with time zone not null default clock_timestamp(),
  constraint processes_pkey PRIMARY KEY (id)
);
grant delete, insert, select, update to godwit_system;
grant select to godwit_tenant;

create table rate_buckets (
  name text not null,
  tokens double precision not null,
  refilled_at timestamp with time zone not null,
  constraint rate_buckets_pkey PRIMARY KEY (name)
);
grant delete, insert, select, update to godwit_system;

create table request_nonces (
  account_sid text not null,
  livemode boolean not null,
  key_id uuid not null,
  nonce text not null,
  expires_at timestamp with time zone not null,
  constraint request_nonces_pkey PRIMARY KEY (key_id, nonce),
  constraint request_nonces_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid)
);
CREATE INDEX request_nonces_by_expiry ON public.request_nonces USING btree (expires_at);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (current_accounts())) AND (livemode = current_livemode())) with check ((account_sid = ANY (current_accounts())) AND (livemode = current_livemode()));
grant delete, insert, select to godwit_system;

create table schema_migrations (
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone not null default now(),
  constraint schema_migrations_pkey PRIMARY KEY (name)
);

create table settings (
  name text not null,
  value bytea not null,
  constraint settings_pkey PRIMARY KEY (name)
);
grant insert, select, update to godwit_system;

CREATE OR REPLACE FUNCTION public.announce_api_key()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('api_key_changed', old.lookup);
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.bury_dead_processes()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
declare
  orphaned text[];
begin
  with dead as (
    delete from processes where beat_at < clock_timestamp() - interval '6 seconds' returning worker_ids)
  select array_agg(id) into orphaned from dead, unnest(dead.worker_ids) as id;
  if orphaned is not null then
    perform graphile_worker.force_unlock_workers(orphaned);
  end if;
end $function$
;

CREATE OR REPLACE FUNCTION public.chain_hash(previous bytea, sequence bigint, payload text)
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN sha256(((previous || int8send(sequence)) || convert_to(payload, 'UTF8'::name)))
;

CREATE OR REPLACE FUNCTION public.chain_next(in_account_sid text, in_livemode boolean, in_chain text, payloads text[])
 RETURNS TABLE(link bigint, sequence bigint, previous_hash bytea, hash bytea)
 LANGUAGE plpgsql
AS $function$
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
end $function$
;

CREATE OR REPLACE FUNCTION public.current_accounts()
 RETURNS text[]
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN string_to_array(NULLIF(current_setting('app.accounts'::text, true), ''::text), ','::text)
;

CREATE OR REPLACE FUNCTION public.current_livemode()
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (NULLIF(current_setting('app.livemode'::text, true), ''::text))::boolean
;

CREATE OR REPLACE FUNCTION public.enqueue_jobs(jobs json)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
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
end $function$
;

CREATE OR REPLACE PROCEDURE public.make_append_only(IN history regclass)
 LANGUAGE plpgsql
AS $procedure$
begin
  execute format(
    'create trigger append_only before update or delete on %s
       for each row execute function refuse_change()', history);
  execute format(
    'create trigger append_only_truncate before truncate on %s
       for each statement execute function refuse_change()', history);
end $procedure$
;

CREATE OR REPLACE PROCEDURE public.open_to_system(IN tenant_table regclass)
 LANGUAGE plpgsql
AS $procedure$
begin
  execute format('create policy system on %s to godwit_system using (true) with check (true)', tenant_table);
end $procedure$
;

CREATE OR REPLACE PROCEDURE public.protect_tenant_table(IN tenant_table regclass)
 LANGUAGE plpgsql
AS $procedure$
begin
  execute format('alter table %s enable row level security', tenant_table);
  execute format('alter table %s force row level security', tenant_table);
  execute format(
    'create policy tenant on %s to godwit_tenant
       using (account_sid = any (current_accounts()) and livemode = current_livemode())
       with check (account_sid = any (current_accounts()) and livemode = current_livemode())',
    tenant_table);
end $procedure$
;

CREATE OR REPLACE FUNCTION public.queue_state(OUT due integer, OUT "oldestSeconds" double precision)
 RETURNS record
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
begin
  select count(*), coalesce(extract(epoch from clock_timestamp() - min(run_at)), 0)
    into due, "oldestSeconds"
    from graphile_worker.jobs
   where locked_at is null and run_at <= clock_timestamp() and attempts < max_attempts;
end $function$
;

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end $function$
;
