-- A phone-number identity messages are sent from.
create table senders (
  account_sid text not null references accounts,
  livemode boolean not null,
  sid text not null,
  waba_sid text,
  phone_number text not null,
  display_name text not null,
  status text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_sid, sid)
);
create index senders_newest on senders (account_sid, livemode, sid desc);
call protect_tenant_table('senders');
grant select, insert, update on senders to godwit_tenant;
