-- Who holds which role where. Bindings are immutable: they are made and revoked, never changed. One on the whole
-- organization has no account; environment null means both.
create table role_bindings (
  id uuid primary key,
  organization_id uuid not null references organizations,
  account_sid text references accounts,
  inbox_sid text,
  principal_type text not null check (principal_type in ('USER', 'API_KEY')),
  principal_ref text not null,
  role text not null,
  scope_kind text not null check (scope_kind in ('ORGANIZATION', 'ACCOUNT', 'SUBACCOUNT', 'INBOX')),
  environment text not null check (environment in ('live', 'sandbox', 'both')),
  -- The directory that made it, where one did: such a binding ends with the group's membership.
  source text not null default 'api',
  created_by text not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  revoked_by text,
  revoke_reason text,
  created_at timestamptz not null,
  check ((scope_kind = 'ORGANIZATION') = (account_sid is null)),
  check ((scope_kind = 'INBOX') = (inbox_sid is not null))
);
create index role_bindings_by_principal on role_bindings (principal_type, principal_ref) where revoked_at is null;
create index role_bindings_by_organization on role_bindings (organization_id, created_at desc, id desc);
alter table role_bindings enable row level security;
alter table role_bindings force row level security;
create policy organization on role_bindings to godwit_tenant
  using (organization_id in (select a.organization_id from accounts a where a.sid = any (current_accounts())))
  with check (organization_id in (select a.organization_id from accounts a where a.sid = any (current_accounts())));
call open_to_system('role_bindings'); -- bindings decide what a credential may do before it enters an account
grant select, insert, update on role_bindings to godwit_tenant, godwit_system;

-- A key's processes remember what it may do; a binding of a key makes them forget.
create function announce_key_binding() returns trigger
  language plpgsql as $$
begin
  perform pg_notify('api_key_changed', '*');
  return null;
end $$;
create trigger announce after insert or update on role_bindings
  for each row when (new.principal_type = 'API_KEY') execute function announce_key_binding();

-- An inbox is where people of a team read and answer. Members see it; bindings say what they may do in it.
create table inboxes (
  account_sid text not null references accounts,
  livemode boolean not null,
  sid text not null,
  name text not null check (length(name) between 1 and 128),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_sid, sid)
);
create index inboxes_newest on inboxes (account_sid, livemode, sid desc);
call protect_tenant_table('inboxes');
grant select, insert, update on inboxes to godwit_tenant;

create table inbox_members (
  account_sid text not null,
  livemode boolean not null,
  inbox_sid text not null,
  user_sid text not null,
  created_at timestamptz not null,
  primary key (account_sid, inbox_sid, user_sid),
  foreign key (account_sid, inbox_sid) references inboxes
);
call protect_tenant_table('inbox_members');
grant select, insert, delete on inbox_members to godwit_tenant;
