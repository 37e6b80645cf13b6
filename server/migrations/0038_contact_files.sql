-- Files of contacts: what an import reads, the rows it refused, and what an export wrote. They belong to their operation,
-- are kept for some days, and lie sealed: a copy of the database shows no number.
create table contact_files (
  account_sid text not null,
  livemode boolean not null,
  operation_sid text not null,
  kind text not null check (kind in ('source', 'errors', 'export')),
  format text not null check (format in ('csv', 'ndjson')),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (account_sid, operation_sid, kind),
  foreign key (account_sid, operation_sid) references operations (account_sid, sid) on delete cascade
);
create index contact_files_by_expiry on contact_files (expires_at);
call protect_tenant_table('contact_files');
call open_to_system('contact_files'); -- the sweep of expired files
grant select, insert on contact_files to godwit_tenant;
grant select, delete on contact_files to godwit_system;

-- In the order of `position`; `size_bytes` is that of the text before it was sealed.
create table contact_file_parts (
  account_sid text not null,
  livemode boolean not null,
  operation_sid text not null,
  kind text not null,
  position bigint not null,
  size_bytes integer not null,
  body bytea not null,
  primary key (account_sid, operation_sid, kind, position),
  foreign key (account_sid, operation_sid, kind) references contact_files on delete cascade
);
call protect_tenant_table('contact_file_parts');
call open_to_system('contact_file_parts'); -- the sweep of expired files
grant select, insert on contact_file_parts to godwit_tenant;
grant select, delete on contact_file_parts to godwit_system;

-- A dry run keeps what it has seen in memory, and when it begins anew it forgets the refusals it wrote before.
grant delete on operation_children to godwit_tenant;
