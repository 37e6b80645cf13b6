-- The keys that sign certificates of erasure. All of them are published, so that a certificate can be verified for ever.
create table certificate_keys (
  kid text primary key,
  public_key json not null,
  private_key bytea not null,
  created_at timestamptz not null
);
-- A certificate is signed in the transaction that completes the erasure.
grant select, insert on certificate_keys to godwit_tenant;
grant select on certificate_keys to godwit_system;

-- When it was written down outside the database that the person is erased: nothing of them goes before.
alter table erasures add column journaled_at timestamptz;
