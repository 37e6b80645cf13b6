-- Secrets the operator stored for identity providers, such as an OIDC client secret. A provider names one by its ref
-- and never holds it, so that a secret can be replaced without touching the provider.
create table identity_credentials (
  organization_id uuid not null references organizations,
  ref text not null,
  sealed bytea not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organization_id, ref)
);
call protect_organization_table('identity_credentials');

alter table identity_providers
  drop column sealed_credential,
  -- Where the roles that it gives apply: one account, or with null the whole organization; decided when it is made,
  -- by what its maker held there.
  add column role_account_sid text references accounts,
  add column role_environment text not null default 'sandbox' check (role_environment in ('live', 'sandbox', 'both')),
  -- Set when an owner activated it: only then may its word for an e-mail address be taken for an owner's.
  add column vouches_for_owners boolean not null default false;

create index external_identities_by_user on external_identities (user_sid);
create index sso_requests_by_expiry on sso_requests (expires_at);
create index used_assertions_by_expiry on used_assertions (expires_at);

-- A directory's record of a person is searched by its attributes.
alter table users alter column directory_attributes type jsonb using directory_attributes::jsonb;
create index users_by_directory on users (directory_provider_id, sid) where directory_provider_id is not null;
create unique index users_by_user_name on users (directory_provider_id, lower(directory_attributes ->> 'userName'))
  where directory_provider_id is not null;

create unique index directory_groups_by_external_id on directory_groups (provider_id, external_id)
  where external_id is not null;
create index directory_group_members_by_user on directory_group_members (user_sid);
