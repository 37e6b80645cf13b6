-- Two roles serve; neither owns a table, so neither can change its shape or step around row security.
--   godwit_tenant   requests and jobs inside one account and environment
--   godwit_system   what must look across accounts: credentials, queues, sweeps, liveness
-- Roles belong to the whole cluster, so another database of the same cluster may have created them already.
do $$
begin
  if not exists (select from pg_roles where rolname = 'godwit_tenant') then
    create role godwit_tenant nologin;
  end if;
  if not exists (select from pg_roles where rolname = 'godwit_system') then
    create role godwit_system nologin;
  end if;
exception
  when duplicate_object or unique_violation then null;
end $$;

do $$
begin
  execute format('grant godwit_tenant, godwit_system to %I', current_user);
end $$;

grant usage on schema public to godwit_tenant, godwit_system;

-- The accounts and the environment of the current transaction. Unset means no rows.
create function current_accounts() returns text[]
  language sql stable parallel safe
  return string_to_array(nullif(current_setting('app.accounts', true), ''), ',');

create function current_livemode() returns boolean
  language sql stable parallel safe
  return nullif(current_setting('app.livemode', true), '')::boolean;

-- Gives a tenant table its second wall. Every tenant table calls this once. The settings are read by sub-selects, which
-- PostgreSQL evaluates once a statement; called bare they would be evaluated for every row.
create procedure protect_tenant_table(tenant_table regclass)
  language plpgsql as $$
begin
  execute format('alter table %s enable row level security', tenant_table);
  execute format('alter table %s force row level security', tenant_table);
  execute format(
    'create policy tenant on %s to godwit_tenant
       using (account_sid = any ((select current_accounts())::text[]) and livemode = (select current_livemode()))
       with check (account_sid = any ((select current_accounts())::text[]) and livemode = (select current_livemode()))',
    tenant_table);
end $$;

-- Lets godwit_system see rows across accounts; granted table by table, with the reason beside the call.
create procedure open_to_system(tenant_table regclass)
  language plpgsql as $$
begin
  execute format('create policy system on %s to godwit_system using (true) with check (true)', tenant_table);
end $$;

-- For tables whose rows are history: refuses to change or remove them, whoever asks.
create function refuse_change() returns trigger
  language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end $$;

create procedure make_append_only(history regclass)
  language plpgsql as $$
begin
  execute format(
    'create trigger append_only before update or delete on %s
       for each row execute function refuse_change()', history);
  execute format(
    'create trigger append_only_truncate before truncate on %s
       for each statement execute function refuse_change()', history);
end $$;
