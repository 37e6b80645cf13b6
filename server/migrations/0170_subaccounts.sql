-- Accounts below an account, one level deep. They are made inside the one above, which sees them and nothing in them.
create index accounts_by_parent on accounts (parent_account_sid, sid) where parent_account_sid is not null;
create policy below on accounts for select to godwit_tenant
  using (parent_account_sid = any ((select current_accounts())::text[]));
create policy new_below on accounts for insert to godwit_tenant
  with check (parent_account_sid = any ((select current_accounts())::text[]));
grant insert on accounts to godwit_tenant;

-- The account with whose use of a plan that of this one is counted; null for one that is counted by itself.
alter table accounts add column counted_with text references accounts;
-- The account above is suspended, and this one with it.
alter table accounts add column parent_suspended boolean not null default false;
grant update (counted_with) on accounts to godwit_tenant;

drop trigger facts_inserted on accounts;
drop trigger facts_deleted on accounts;
drop trigger facts_updated on accounts;
call keep_fact_version('accounts', 'facts', 'sid, status, plan, counted_with', 'select sid from changed');

-- What is below follows: the plan of those that are counted with it, and its suspension.
create function follow_account_above() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public as $$
begin
  update accounts set plan = new.plan, updated_at = new.updated_at
   where parent_account_sid = new.sid and counted_with = new.sid and plan is distinct from new.plan;
  update accounts set parent_suspended = (new.status = 'suspended'), updated_at = new.updated_at,
      status = case when new.status = 'suspended' or suspended_at is not null then 'suspended' else 'active' end
   where parent_account_sid = new.sid and parent_suspended <> (new.status = 'suspended');
  return null;
end $$;
revoke execute on function follow_account_above() from public;
grant create on schema public to godwit_system;
alter function follow_account_above() owner to godwit_system;
revoke create on schema public from godwit_system;
create trigger followed_below after update on accounts for each row
  when (new.parent_account_sid is null and (old.plan, old.status) is distinct from (new.plan, new.status))
  execute function follow_account_above();

-- What is used is the row of the account that is counted with.
create function accounts_counted_with() returns text[]
  language sql stable as $$
  select array_agg(counted_with) from accounts where sid = any ((select current_accounts())::text[]) and counted_with is not null
$$;
drop policy tenant on plan_uses;
create policy tenant on plan_uses to godwit_tenant
  using (livemode = (select current_livemode()) and (account_sid = any ((select current_accounts())::text[])
    or account_sid = any ((select accounts_counted_with())::text[])));
