create table organizations (
  id uuid primary key,
  name text not null check (length(name) between 1 and 200),
  country text check (country ~ '^[A-Z]{2}$'),
  created_at timestamptz not null
);
grant select, insert on organizations to godwit_system;
grant select on organizations to godwit_tenant;

-- An account stands in both environments, so it has no livemode; a request sees the accounts of its transaction.
create table accounts (
  sid text primary key,
  organization_id uuid not null references organizations,
  parent_account_sid text references accounts,
  name text not null check (length(name) between 1 and 200),
  status text not null default 'active' check (status in ('active', 'suspended')),
  region text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index accounts_by_organization on accounts (organization_id);
alter table accounts enable row level security;
alter table accounts force row level security;
create policy tenant on accounts to godwit_tenant using (sid = any (current_accounts()));
call open_to_system('accounts'); -- credentials resolve to their account before a request enters it
grant select on accounts to godwit_tenant;
grant select, insert, update on accounts to godwit_system;
