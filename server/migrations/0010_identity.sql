-- People. Users, their sessions and factors belong to an organization; a request reaches them through one of the
-- organization's accounts, so their policy follows that account to its organization.
create procedure protect_organization_table(organization_table regclass)
  language plpgsql as $$
begin
  execute format('alter table %s enable row level security', organization_table);
  execute format('alter table %s force row level security', organization_table);
  execute format(
    'create policy organization on %s to godwit_tenant
       using (organization_id in (select a.organization_id from accounts a where a.sid = any (current_accounts())))
       with check (organization_id in (select a.organization_id from accounts a where a.sid = any (current_accounts())))',
    organization_table);
  -- Signing in happens before any account is entered.
  execute format('create policy system on %s to godwit_system using (true) with check (true)', organization_table);
  execute format('grant select, insert, update, delete on %s to godwit_tenant, godwit_system', organization_table);
end $$;

create table auth_policies (
  organization_id uuid primary key references organizations,
  version integer not null,
  auto_disable_inactive_api_keys boolean not null,
  mfa_required_for_all_roles boolean not null,
  password_login_enabled boolean not null,
  recovery_revokes_mfa boolean not null,
  session_absolute_timeout_hours integer not null check (session_absolute_timeout_hours between 1 and 2160),
  session_idle_timeout_minutes integer not null check (session_idle_timeout_minutes between 15 and 1440),
  sso_enforced boolean not null,
  updated_at timestamptz not null,
  updated_by text not null
);
call protect_organization_table('auth_policies');

create table users (
  sid text primary key,
  organization_id uuid not null references organizations,
  email text not null,
  display_name text,
  status text not null check (status in ('INVITED', 'ACTIVE', 'DEACTIVATED')),
  password_hash text,
  password_changed_at timestamptz,
  -- What a directory calls this person, and its whole record of them.
  directory_provider_id uuid,
  external_id text,
  directory_attributes json,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (organization_id, sid)
);
create unique index users_by_email on users (organization_id, lower(email));
-- A password signs in by e-mail alone, so only one person of all organizations can have one for an address.
create unique index users_by_sign_in on users (lower(email)) where password_hash is not null;
create unique index users_by_external_id on users (directory_provider_id, external_id) where external_id is not null;
call protect_organization_table('users');

create table invitations (
  id uuid primary key,
  organization_id uuid not null references organizations,
  user_sid text not null references users,
  token_hash bytea not null unique,
  invited_by text not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  created_at timestamptz not null
);
call protect_organization_table('invitations');

create table password_resets (
  id uuid primary key,
  organization_id uuid not null references organizations,
  user_sid text not null references users,
  token_hash bytea not null unique,
  expires_at timestamptz not null,
  used_at timestamptz,
  created_at timestamptz not null
);
call protect_organization_table('password_resets');

-- Failed attempts, counted even though the attempt fails. `subject` is "password:<user>", "factor:<user>" or
-- "address:<ip>".
create table attempt_counters (
  subject text primary key,
  failures integer not null,
  locks integer not null default 0,
  window_started_at timestamptz not null,
  locked_until timestamptz
);
grant select, insert, update, delete on attempt_counters to godwit_system;

create table identity_providers (
  id uuid primary key,
  organization_id uuid not null references organizations,
  protocol text not null check (protocol in ('OIDC', 'SAML', 'SCIM', 'WEBAUTHN', 'TOTP')),
  provider_key text not null,
  public_config json not null,
  credential_ref text,
  -- A secret the provider needs (an OIDC client secret), sealed; and for SCIM the hash of its bearer token.
  sealed_credential bytea,
  token_hash bytea unique,
  state text not null check (state in ('STAGED', 'VERIFIED', 'ACTIVE', 'SUSPENDED')),
  reason text not null,
  verified_at timestamptz,
  activated_at timestamptz,
  suspended_at timestamptz,
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (organization_id, provider_key)
);
call protect_organization_table('identity_providers');

-- A person at a provider is (provider, subject), never an e-mail address.
create table external_identities (
  provider_id uuid not null references identity_providers,
  subject text not null,
  organization_id uuid not null references organizations,
  user_sid text not null references users,
  created_at timestamptz not null,
  primary key (provider_id, subject)
);
call protect_organization_table('external_identities');

-- A sign-in under way at a provider; and assertions that have been used. Each works once.
create table sso_requests (
  state_hash bytea primary key,
  organization_id uuid not null references organizations,
  provider_id uuid not null references identity_providers,
  sealed_secrets bytea not null,
  binding_hash bytea not null,
  livemode boolean not null,
  return_to text not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  created_at timestamptz not null
);
call protect_organization_table('sso_requests');

create table used_assertions (
  provider_id uuid not null references identity_providers,
  assertion_id text not null,
  organization_id uuid not null references organizations,
  expires_at timestamptz not null,
  primary key (provider_id, assertion_id)
);
call protect_organization_table('used_assertions');

create table sessions (
  id uuid primary key,
  organization_id uuid not null references organizations,
  user_sid text not null references users,
  token_hash bytea not null unique,
  livemode boolean not null,
  provider_id uuid references identity_providers,
  -- How the person proved who they are: password, oidc, saml, webauthn, totp, recovery_code.
  methods text[] not null,
  address text not null,
  user_agent text not null,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  absolute_expires_at timestamptz not null,
  revoked_at timestamptz,
  revoke_reason text
);
create index sessions_by_user on sessions (user_sid, created_at desc) where revoked_at is null;
create index sessions_by_provider on sessions (provider_id) where revoked_at is null;
call protect_organization_table('sessions');

create table mfa_credentials (
  id uuid primary key,
  organization_id uuid not null references organizations,
  user_sid text not null references users,
  method text not null check (method in ('WEBAUTHN', 'TOTP')),
  provider_key text not null,
  display_name text,
  -- WebAuthn: the authenticator's id and public key. TOTP: the sealed secret and the last accepted step.
  webauthn_id text unique,
  webauthn_public_key bytea,
  webauthn_counter bigint,
  webauthn_transports text[],
  webauthn_backed_up boolean,
  sealed_secret bytea,
  last_step bigint,
  disabled_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null
);
create index mfa_credentials_by_user on mfa_credentials (user_sid, created_at desc);
call protect_organization_table('mfa_credentials');

create table mfa_enrollments (
  id uuid primary key,
  organization_id uuid not null references organizations,
  user_sid text not null references users,
  session_id uuid not null references sessions,
  method text not null check (method in ('WEBAUTHN', 'TOTP')),
  provider_key text not null,
  display_name text,
  ceremony_hash bytea not null,
  sealed_ceremony bytea not null,
  expires_at timestamptz not null,
  completed_at timestamptz,
  created_at timestamptz not null
);
call protect_organization_table('mfa_enrollments');

-- A WebAuthn challenge for one verification: bound to person, session and action, spent once.
create table mfa_ceremonies (
  challenge_hash bytea primary key,
  organization_id uuid not null references organizations,
  user_sid text not null references users,
  session_id uuid,
  account_sid text,
  action text not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  created_at timestamptz not null
);
call protect_organization_table('mfa_ceremonies');

create table recovery_codes (
  user_sid text not null references users,
  code_hash bytea not null,
  organization_id uuid not null references organizations,
  used_at timestamptz,
  created_at timestamptz not null,
  primary key (user_sid, code_hash)
);
call protect_organization_table('recovery_codes');

create table step_up_tokens (
  account_sid text not null references accounts,
  livemode boolean not null,
  id uuid not null,
  token_hash bytea not null unique,
  user_sid text not null references users,
  session_id uuid not null references sessions,
  credential_id uuid references mfa_credentials,
  action text not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  used_by text,
  created_at timestamptz not null,
  primary key (account_sid, id)
);
call protect_tenant_table('step_up_tokens');
grant select, insert, update on step_up_tokens to godwit_tenant;

create table directory_groups (
  id uuid primary key,
  organization_id uuid not null references organizations,
  provider_id uuid not null references identity_providers,
  display_name text not null,
  external_id text,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index directory_groups_by_name on directory_groups (provider_id, lower(display_name));
call protect_organization_table('directory_groups');

create table directory_group_members (
  group_id uuid not null references directory_groups on delete cascade,
  user_sid text not null references users,
  organization_id uuid not null references organizations,
  primary key (group_id, user_sid)
);
call protect_organization_table('directory_group_members');
