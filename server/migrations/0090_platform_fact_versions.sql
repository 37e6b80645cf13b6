-- Processes keep facts that rarely change: whose they are, and as of which version. A version changes in the transaction that
-- changes a row the fact is read from, whoever changes it, so a kept fact is good exactly as long as its version stands here.
-- Versions are random and never come again: one read in a transaction that was rolled back, or in a database that was
-- restored, stands for nothing else later.
--   facts         what requests are judged by
--   credentials   the API keys of the account, and what they may do
-- `scope` is an account, or * for what is the same for everybody.
create table fact_versions (
  scope text primary key,
  facts uuid not null default gen_random_uuid(),
  credentials uuid not null default gen_random_uuid()
) with (fillfactor = 50);
alter table fact_versions enable row level security;
alter table fact_versions force row level security;
create policy tenant on fact_versions for select to godwit_tenant
  using (scope = '*' or scope = any ((select current_accounts())::text[]));
call open_to_system('fact_versions'); -- the trigger below serves every account
grant select on fact_versions to godwit_tenant;
grant select, insert, update on fact_versions to godwit_system;

-- Arguments of the trigger: which version, the columns facts are read from, and the scopes of rows that `changed`.
create function note_changed_facts() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public as $$
declare
  which constant text := tg_argv[0];
  columns constant text := tg_argv[1];
  scopes constant text := tg_argv[2];
  changed text;
  bumped integer;
begin
  -- A row that has the same values in these columns as before changes nothing; that of two rows that swap theirs does.
  changed := case tg_op
    when 'INSERT' then format('select %s from new_rows', columns)
    when 'DELETE' then format('select %s from old_rows', columns)
    else format('(select %1$s from old_rows except all select %1$s from new_rows)
      union all (select %1$s from new_rows except all select %1$s from old_rows)', columns) end;
  execute format('with changed as (%1$s)
    insert into fact_versions (scope) select distinct named.scope from (%2$s) as named (scope) order by 1
    on conflict (scope) do update set %3$I = excluded.%3$I', changed, scopes, which);
  get diagnostics bumped = row_count;
  -- It would keep, under the version everybody sees, what only it sees.
  if bumped > 0 and which = 'facts' and current_setting('app.uses_kept_facts', true) = 'true' then
    raise exception 'a transaction that uses kept facts cannot change %', tg_table_name;
  end if;
  return null;
end $$;
revoke execute on function note_changed_facts() from public;
grant create on schema public to godwit_system;
alter function note_changed_facts() owner to godwit_system;
revoke create on schema public from godwit_system;

-- Lets the version follow these columns of a table.
create procedure keep_fact_version(watched regclass, which text, columns text, scopes text)
  language plpgsql as $$
begin
  execute format('create trigger %I after insert on %s referencing new table as new_rows
    for each statement execute function note_changed_facts(%L, %L, %L)', which || '_inserted', watched, which, columns, scopes);
  execute format('create trigger %I after delete on %s referencing old table as old_rows
    for each statement execute function note_changed_facts(%L, %L, %L)', which || '_deleted', watched, which, columns, scopes);
  execute format('create trigger %I after update on %s referencing old table as old_rows new table as new_rows
    for each statement execute function note_changed_facts(%L, %L, %L)', which || '_updated', watched, which, columns, scopes);
end $$;

call keep_fact_version('accounts', 'facts', 'sid, status', 'select sid from changed');
call keep_fact_version('wallets', 'facts', 'account_sid, livemode, currency, scale, pays', 'select account_sid from changed');
call keep_fact_version('rate_cards', 'facts', 'version, scale, effective_from, published_at, fingerprint',
  'select ''*'' from changed');
call keep_fact_version('senders', 'facts', 'account_sid, livemode, sid, waba_sid, phone_number, provider_phone_number_id,
  display_name, status, quality, throughput_level, throughput_per_second, name_status, verification_status, on_business_app,
  flow_key, status_changed_at, created_at, updated_at', 'select account_sid from changed');
call keep_fact_version('wabas', 'facts', 'account_sid, livemode, sid, portfolio_id, provider_waba_id, name, connection_state,
  connected_at, disconnected_at, disconnect_reason, ban_state, review_status, restrictions, template_cap, marketing_messages,
  catalog_ids, created_at, updated_at', 'select account_sid from changed');
call keep_fact_version('portfolios', 'facts', 'account_sid, livemode, id, messaging_limit', 'select account_sid from changed');
call keep_fact_version('templates', 'facts', 'account_sid, livemode, sid, waba_sid, name, language, status, category,
  parameter_format, components, message_send_ttl_seconds, deleted_at', 'select account_sid from changed');

-- Row security holds for the owner too, who is to see every account here.
alter table accounts no force row level security;
insert into fact_versions (scope) select sid from accounts union all select '*';
alter table accounts force row level security;
