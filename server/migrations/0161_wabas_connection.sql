-- Whether the time of an operation that waited for somebody was over when it was resumed: its run judges that.
alter table operations add column overdue boolean not null default false;

-- What was last seen of the connection to a business account: whether its token is taken, and whether the provider tells us of
-- its events. Apart from the account itself, whose facts are read for every message. `operation_sid` is what works on the
-- connection, or last did, and `found` what it found before it changed anything.
create table waba_connections (
  account_sid text not null,
  livemode boolean not null,
  waba_sid text not null,
  token text not null default 'UNKNOWN' check (token in ('VALID', 'INVALID', 'UNKNOWN')),
  subscription text not null default 'UNKNOWN' check (subscription in ('SUBSCRIBED', 'MISSING', 'UNKNOWN')),
  operation_sid text,
  found json,
  updated_at timestamptz not null,
  primary key (account_sid, waba_sid),
  foreign key (account_sid, waba_sid) references wabas (account_sid, sid)
);
call protect_tenant_table('waba_connections');
grant select, insert, update on waba_connections to godwit_tenant;

-- Signups at the provider by which an account is connected anew. The state that comes back with whoever signed up is kept as a
-- hash, and is good once and until it expires; the token that came of it is sealed, and gone once the account has it.
create table waba_signups (
  account_sid text not null,
  livemode boolean not null,
  operation_sid text not null,
  waba_sid text not null,
  state_hash bytea,
  expires_at timestamptz not null,
  sealed_token bytea,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_sid, operation_sid),
  foreign key (account_sid, operation_sid) references operations (account_sid, sid) on delete cascade,
  foreign key (account_sid, waba_sid) references wabas (account_sid, sid)
);
create unique index waba_signups_by_state on waba_signups (state_hash) where state_hash is not null;
call protect_tenant_table('waba_signups');
call open_to_system('waba_signups'); -- who comes back from the provider brings nothing but the state
grant select, insert, update on waba_signups to godwit_tenant;
grant select on waba_signups to godwit_system;
