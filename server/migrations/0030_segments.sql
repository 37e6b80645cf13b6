-- An audience cut out of the contacts by filters, and stored as the set of those who matched.
create table segments (
  account_sid text not null references accounts,
  livemode boolean not null,
  sid text not null,
  name text not null,
  kind text not null check (kind in ('DYNAMIC')),
  filter_version integer not null,
  member_count integer not null,
  materialized_at timestamptz not null,
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_sid, sid)
);
create index segments_newest on segments (account_sid, livemode, sid desc) where deleted_at is null;
call protect_tenant_table('segments');
grant select, insert, update on segments to godwit_tenant;

-- What the filters were, version by version: why somebody is a member must stay answerable after they change.
create table segment_versions (
  account_sid text not null references accounts,
  livemode boolean not null,
  segment_sid text not null,
  filter_version integer not null,
  filters json,
  contact_sids text[],
  created_by text not null,
  created_at timestamptz not null,
  primary key (account_sid, segment_sid, filter_version),
  foreign key (account_sid, segment_sid) references segments
);
call protect_tenant_table('segment_versions');
call make_append_only('segment_versions');
grant select, insert on segment_versions to godwit_tenant;

-- A million rows may come and go in one statement, so this table carries one index and no reference to each contact:
-- contacts are never removed from under it, and erasure goes through the module.
create table segment_members (
  account_sid text not null,
  livemode boolean not null,
  segment_sid text not null,
  contact_sid text not null,
  filter_version integer not null,
  consent_sid text,
  matched_at timestamptz not null,
  primary key (account_sid, segment_sid, contact_sid)
);
call protect_tenant_table('segment_members');
grant select, insert, update, delete on segment_members to godwit_tenant;

-- Who relies on a segment. While anybody does it cannot be deleted.
create table segment_uses (
  account_sid text not null references accounts,
  livemode boolean not null,
  segment_sid text not null,
  used_by text not null,
  created_at timestamptz not null,
  primary key (account_sid, segment_sid, used_by),
  foreign key (account_sid, segment_sid) references segments
);
call protect_tenant_table('segment_uses');
grant select, insert, delete on segment_uses to godwit_tenant;
