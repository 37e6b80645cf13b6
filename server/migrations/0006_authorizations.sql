-- Who instructed the platform to do which task in the customer's name, in their own words.
create table authorizations (
  account_sid text not null references accounts,
  livemode boolean not null,
  id uuid not null,
  task text not null,
  resource_ref text not null,
  instruction text not null,
  instructed_by json not null,
  created_at timestamptz not null,
  primary key (account_sid, id)
);
create index authorizations_newest on authorizations (account_sid, livemode, created_at desc, id desc);
call protect_tenant_table('authorizations');
call make_append_only('authorizations');
grant select, insert on authorizations to godwit_tenant;
