-- What a link of a chain says in people's own words stands beside the chain, which only knows a salted commitment to it: it can be
-- removed, and every hash still holds. Nothing of it is ever changed.
create table chain_details (
  account_sid text not null references accounts (sid),
  livemode boolean not null,
  chain text not null,
  sequence bigint not null,
  salt bytea not null,
  text text not null,
  primary key (account_sid, livemode, chain, sequence)
);
call protect_tenant_table('chain_details');
call open_to_system('chain_details'); -- verification reads the chains of all accounts
grant select, insert, delete on chain_details to godwit_tenant;
grant select on chain_details to godwit_system;
call without_samples('chain_details', 'salt', 'text');
