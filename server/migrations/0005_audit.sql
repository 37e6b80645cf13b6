-- The audit chain of an account and environment. `payload` is the exact text that was hashed.
create table audit_entries (
  account_sid text not null references accounts,
  livemode boolean not null,
  sequence bigint not null,
  id uuid not null,
  action text not null,
  resource text,
  actor text not null,
  occurred_at timestamptz not null,
  payload text not null,
  previous_hash bytea not null,
  hash bytea not null,
  primary key (account_sid, livemode, sequence)
);
create unique index audit_entries_by_id on audit_entries (account_sid, id);
call protect_tenant_table('audit_entries');
call open_to_system('audit_entries'); -- verification reads the chains of all accounts
call make_append_only('audit_entries');
grant select, insert on audit_entries to godwit_tenant;
grant select on audit_entries to godwit_system;
