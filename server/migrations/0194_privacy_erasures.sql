-- Where the erasure of a person stands: it goes on from here, whatever dies.
create table erasures (
  account_sid text not null references accounts (sid),
  livemode boolean not null,
  request_sid text not null,
  -- Everything is looked at twice: what came while the first pass went on, or was on its way, is found by the second.
  pass smallint not null check (pass in (1, 2)),
  phase text not null check (phase in ('CANCEL', 'ERASE', 'MENTIONS', 'FINISH')),
  -- Which store, and where in it.
  place json not null,
  counts json not null,
  mentions json not null,
  -- Holds that do not cover the person, and need not be looked at again.
  cleared uuid[] not null,
  -- When the second pass begins.
  settled_at timestamptz,
  created_at timestamptz not null,
  primary key (account_sid, request_sid),
  foreign key (account_sid, request_sid) references privacy_requests (account_sid, sid)
);
call protect_tenant_table('erasures');
grant select, insert, update on erasures to godwit_tenant;
