-- The no of people whose data was erased. What they were known by stands here only as an HMAC under a random key of the account, so
-- that nobody can be found in it, and whoever asks for somebody finds their no.
create table opt_out_keys (
  account_sid text not null references accounts (sid),
  livemode boolean not null,
  sealed bytea not null,
  created_at timestamptz not null,
  primary key (account_sid, livemode)
);
call protect_tenant_table('opt_out_keys');
grant select, insert on opt_out_keys to godwit_tenant;
call keep_fact_version('opt_out_keys', 'facts', 'account_sid, livemode, sealed', 'select account_sid from changed');

-- One row for each thing a person was known by; those of one person share `person`.
create table erased_opt_outs (
  account_sid text not null references accounts (sid),
  livemode boolean not null,
  hash bytea not null,
  person uuid not null,
  suppressions json not null,
  consents json not null,
  -- The contact it was given back to by another of the person's identifiers.
  returned_to text,
  created_at timestamptz not null,
  primary key (account_sid, livemode, hash, person)
);
create index erased_opt_outs_by_person on erased_opt_outs (account_sid, livemode, person);
call protect_tenant_table('erased_opt_outs');
grant select, insert, update, delete on erased_opt_outs to godwit_tenant;

-- A person who is forgotten loses what they were known by first.
grant delete on contact_identifiers to godwit_tenant;
