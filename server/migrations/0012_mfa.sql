-- One set of recovery codes per person. Its codes are stored as hashes under the set's own sealed key.
create table recovery_code_sets (
  user_sid text primary key references users,
  organization_id uuid not null references organizations,
  sealed_key bytea not null,
  created_at timestamptz not null
);
call protect_organization_table('recovery_code_sets');

-- A step-up token dies with its factor and with its session, also where those are swept away.
alter table step_up_tokens
  drop constraint step_up_tokens_credential_id_fkey,
  add constraint step_up_tokens_credential_id_fkey
    foreign key (credential_id) references mfa_credentials on delete cascade,
  drop constraint step_up_tokens_session_id_fkey,
  add constraint step_up_tokens_session_id_fkey
    foreign key (session_id) references sessions on delete cascade;
alter table step_up_tokens add column method text not null check (method in ('WEBAUTHN', 'TOTP', 'RECOVERY_CODE'));
create index step_up_tokens_by_credential on step_up_tokens (credential_id);
create index step_up_tokens_by_session on step_up_tokens (session_id);
create index step_up_tokens_by_expiry on step_up_tokens (expires_at);
call open_to_system('step_up_tokens'); -- the sweep of expired tokens
grant select, delete on step_up_tokens to godwit_system;

alter table mfa_enrollments
  drop constraint mfa_enrollments_session_id_fkey,
  add constraint mfa_enrollments_session_id_fkey
    foreign key (session_id) references sessions on delete cascade;
create index mfa_enrollments_by_session on mfa_enrollments (session_id);
create index mfa_enrollments_by_expiry on mfa_enrollments (expires_at);
create index mfa_ceremonies_by_expiry on mfa_ceremonies (expires_at);
create index mfa_ceremonies_by_user on mfa_ceremonies (user_sid);
