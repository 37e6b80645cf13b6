-- The language mail is written in.
alter table users add column locale text not null default 'en' check (locale in ('en', 'fr'));

-- An invitation is sent by a job, which makes its token: until then no token fits.
alter table invitations add column sent_at timestamptz;
create index invitations_by_user on invitations (user_sid, created_at desc);
create index password_resets_by_user on password_resets (user_sid, created_at desc);

-- A sign-in between its first and its second step. The token works once.
create table pending_sign_ins (
  token_hash bytea primary key,
  organization_id uuid not null references organizations,
  user_sid text not null references users,
  livemode boolean not null,
  methods text[] not null,
  provider_id uuid references identity_providers,
  expires_at timestamptz not null,
  created_at timestamptz not null
);
create index pending_sign_ins_by_user on pending_sign_ins (user_sid);
call protect_organization_table('pending_sign_ins');

-- Solved challenges: each opens one sign-in. Kept until the challenge would have expired by itself.
create table spent_challenges (
  challenge_hash bytea primary key,
  expires_at timestamptz not null
);
grant select, insert, delete on spent_challenges to godwit_system;
