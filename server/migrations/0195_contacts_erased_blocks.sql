-- Where the provider blocks somebody who was erased: their number is gone, and the block stays with their no.
alter table erased_opt_outs add column blocked_sender_sids text[] not null default '{}';

-- What people were known by who were erased a short time ago, as hashes: work that began before must not make them anew.
create table erased_identifiers (
  account_sid text not null references accounts (sid),
  livemode boolean not null,
  hash bytea not null,
  contact_sid text not null,
  erased_at timestamptz not null,
  primary key (account_sid, livemode, hash, contact_sid)
);
call protect_tenant_table('erased_identifiers');
call without_samples('erased_identifiers', 'hash');
grant select, insert, delete on erased_identifiers to godwit_tenant;
