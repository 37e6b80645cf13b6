-- People whose data is kept and not used: who asked for it is restricted until the request says otherwise, and who is erased stays so.
create table contact_restrictions (
  account_sid text not null references accounts (sid),
  livemode boolean not null,
  contact_sid text not null,
  -- The privacy request that restricts; there may be several.
  request_sid text not null,
  created_at timestamptz not null,
  primary key (account_sid, contact_sid, request_sid),
  foreign key (account_sid, contact_sid) references contacts (account_sid, sid)
);
call protect_tenant_table('contact_restrictions');
grant select, insert, delete on contact_restrictions to godwit_tenant;
call keep_fact_version('contact_restrictions', 'facts', 'account_sid, livemode, contact_sid', 'select account_sid from changed');

-- A contact that was erased: what is left of it is its SID.
alter table contacts add column erased_at timestamptz;

-- Search leaves out whoever is restricted.
create policy search on contact_restrictions for select to godwit_search using (true);
grant select on contact_restrictions to godwit_search;
create or replace function find_contacts(in_account_sid text, in_livemode boolean, pattern text, before_sid text, wanted integer)
  returns setof text language plpgsql stable security definer
  set search_path = pg_catalog, public
  set plan_cache_mode = force_custom_plan
as $$
declare
  probe constant integer := 5000;
  found_sids text[];
begin
  if not (in_account_sid = any (current_accounts()) and in_livemode = current_livemode()) is true then
    return;
  end if;
  select array(
    select newest.sid
      from (select c.account_sid, c.sid, c.search from contacts c
             where c.account_sid = in_account_sid and c.livemode = in_livemode and c.merged_into is null
               and (before_sid is null or c.sid < before_sid)
             order by c.sid desc limit probe) newest
     where newest.search like pattern
       and not exists (select from contact_restrictions r where r.account_sid = newest.account_sid and r.contact_sid = newest.sid)
     order by newest.sid desc limit wanted)
    into found_sids;
  if cardinality(found_sids) >= wanted then
    return query select unnest(found_sids);
    return;
  end if;
  return query
    with hits as materialized (
      select c.account_sid, c.sid from contacts c
       where c.account_sid = in_account_sid and c.livemode = in_livemode and c.merged_into is null
         and c.search like pattern and (before_sid is null or c.sid < before_sid))
    select hits.sid from hits
     where not exists (select from contact_restrictions r where r.account_sid = hits.account_sid and r.contact_sid = hits.sid)
     order by hits.sid desc limit wanted;
end $$;
