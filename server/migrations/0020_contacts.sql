create extension if not exists pg_trgm;
create extension if not exists btree_gin;

-- A person or a business the account speaks to. `merged_into` always names a live contact: when a survivor is merged
-- itself, those merged into it before are redirected, so that one step leads from any contact to its survivor.
-- `search` is the folded name and the identifiers, with a space before each; contacts/search.ts writes and reads it.
create table contacts (
  account_sid text not null references accounts,
  livemode boolean not null,
  sid text not null,
  display_name text,
  locale text,
  timezone text,
  attributes jsonb not null default '{}' check (jsonb_typeof(attributes) = 'object'),
  search text not null,
  merged_into text check (merged_into <> sid),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_sid, sid),
  foreign key (account_sid, merged_into) references contacts (account_sid, sid)
);
create index contacts_newest on contacts (account_sid, livemode, sid desc) where merged_into is null;
create index contacts_by_survivor on contacts (account_sid, merged_into) where merged_into is not null;
-- The account stands in the index too, so that a small account does not read the matches of a large one.
create index contacts_by_search on contacts using gin (account_sid, search gin_trgm_ops);
call protect_tenant_table('contacts');
grant select, insert, update on contacts to godwit_tenant;

-- An identifier belongs to exactly one contact. `scope_ref` is '' where a type has no scope, so that equal is equal.
-- The reference to the contact is checked at commit: concurrent requests for one number first settle by this table's
-- unique index which of them makes the contact.
create table contact_identifiers (
  account_sid text not null references accounts,
  livemode boolean not null,
  id uuid not null,
  contact_sid text not null,
  identifier_type text not null check (identifier_type in ('phone_e164', 'bsuid', 'username')),
  scope_ref text not null default '',
  value text not null,
  created_at timestamptz not null,
  primary key (account_sid, id),
  foreign key (account_sid, contact_sid) references contacts (account_sid, sid) deferrable initially deferred,
  check ((identifier_type = 'bsuid') = (scope_ref <> ''))
);
create unique index contact_identifiers_once
  on contact_identifiers (account_sid, livemode, value, identifier_type, scope_ref);
create index contact_identifiers_by_contact on contact_identifiers (account_sid, contact_sid);
call protect_tenant_table('contact_identifiers');
grant select, insert, update on contact_identifiers to godwit_tenant;

-- Two contacts that one request took for the same person. `identifiers` are those that pointed at the other contact.
create table contact_conflicts (
  account_sid text not null references accounts,
  livemode boolean not null,
  id uuid not null,
  contact_sid text not null,
  other_contact_sid text not null check (other_contact_sid <> contact_sid),
  identifiers jsonb not null,
  status text not null default 'open' check (status in ('open', 'resolved')),
  resolution text check (resolution in ('merge', 'dismiss')),
  merge_id uuid,
  resolved_by text,
  resolved_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_sid, id),
  foreign key (account_sid, contact_sid) references contacts (account_sid, sid),
  foreign key (account_sid, other_contact_sid) references contacts (account_sid, sid),
  check ((status = 'resolved') = (resolution is not null and resolved_at is not null))
);
create unique index contact_conflicts_open on contact_conflicts
  (account_sid, livemode, least(contact_sid, other_contact_sid), greatest(contact_sid, other_contact_sid))
  where status = 'open';
create index contact_conflicts_newest on contact_conflicts (account_sid, livemode, created_at desc, id desc);
create index contact_conflicts_of_pair on contact_conflicts
  (account_sid, least(contact_sid, other_contact_sid), greatest(contact_sid, other_contact_sid));
call protect_tenant_table('contact_conflicts');
grant select, insert, update on contact_conflicts to godwit_tenant;

-- `snapshot` says, by the name of each follower, what moved and what the survivor held before; a revert reads it.
create table contact_merges (
  account_sid text not null references accounts,
  livemode boolean not null,
  id uuid not null,
  survivor_sid text not null,
  merged_sid text not null check (merged_sid <> survivor_sid),
  reason text not null,
  merged_by text not null,
  snapshot json not null,
  revertible_until timestamptz not null,
  reverted_at timestamptz,
  reverted_by text,
  revert_report json,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_sid, id),
  foreign key (account_sid, survivor_sid) references contacts (account_sid, sid),
  foreign key (account_sid, merged_sid) references contacts (account_sid, sid)
);
-- A contact is merged at most once at a time.
create unique index contact_merges_standing on contact_merges (account_sid, merged_sid) where reverted_at is null;
create index contact_merges_newest on contact_merges (account_sid, livemode, created_at desc, id desc);
call protect_tenant_table('contact_merges');
grant select, insert, update on contact_merges to godwit_tenant;

-- Row security lets no index judge text for a role it holds back: comparing by LIKE could tell of rows that role may
-- not see. So the search runs as a role of its own that can do nothing else, and repeats the wall in its conditions.
do $$
begin
  if not exists (select from pg_roles where rolname = 'godwit_search') then
    create role godwit_search nologin;
  end if;
exception
  when duplicate_object or unique_violation then null;
end $$;
do $$
begin
  execute format('grant godwit_search to %I', current_user);
end $$;
grant usage on schema public to godwit_search;
grant select on contacts to godwit_search;
create policy search on contacts for select to godwit_search using (true);

-- The newest contacts whose search text matches, below a SID. A common pattern is found among the newest few thousand;
-- one that is not is rare, and the index knows all of its matches. Left to itself the planner guesses which of the two
-- holds, and a wrong guess reads every contact of the account.
create function find_contacts(in_account_sid text, in_livemode boolean, pattern text, before_sid text, wanted integer)
  returns setof text
  language plpgsql stable security definer
  set search_path = pg_catalog, public set plan_cache_mode = force_custom_plan as $$
declare
  probe constant integer := 5000;
  found_sids text[];
begin
  if not (in_account_sid = any (current_accounts()) and in_livemode = current_livemode()) is true then
    return;
  end if;
  select array(
    select newest.sid
      from (select c.sid, c.search from contacts c
             where c.account_sid = in_account_sid and c.livemode = in_livemode and c.merged_into is null
               and (before_sid is null or c.sid < before_sid)
             order by c.sid desc limit probe) newest
     where newest.search like pattern
     order by newest.sid desc limit wanted)
    into found_sids;
  if cardinality(found_sids) >= wanted then
    return query select unnest(found_sids);
    return;
  end if;
  return query
    with hits as materialized (
      select c.sid from contacts c
       where c.account_sid = in_account_sid and c.livemode = in_livemode and c.merged_into is null
         and c.search like pattern and (before_sid is null or c.sid < before_sid))
    select hits.sid from hits order by hits.sid desc limit wanted;
end $$;
revoke execute on function find_contacts(text, boolean, text, text, integer) from public;
grant execute on function find_contacts(text, boolean, text, text, integer) to godwit_tenant;
grant create on schema public to godwit_search;
alter function find_contacts(text, boolean, text, text, integer) owner to godwit_search;
revoke create on schema public from godwit_search;
