-- Actions that wait for a second person. `request` is what will run, as it was asked; sealed, since it may hold
-- anything a body may hold.
create table approvals (
  account_sid text not null references accounts,
  livemode boolean not null,
  sid text not null,
  action text not null,
  summary text not null,
  request bytea not null,
  state text not null check (state in ('PENDING', 'APPROVED', 'REJECTED', 'EXPIRED')),
  requested_by text not null,
  decided_by text,
  decision_reason text,
  result json,
  expires_at timestamptz not null,
  decided_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_sid, sid)
);
create index approvals_newest on approvals (account_sid, livemode, sid desc);
call protect_tenant_table('approvals');
grant select, insert, update on approvals to godwit_tenant;
