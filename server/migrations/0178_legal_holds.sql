-- What is under a legal hold is removed by nobody until the hold is released.
create table legal_holds (
  account_sid text not null references accounts,
  livemode boolean not null,
  id uuid not null,
  placed_by text not null check (placed_by in ('ACCOUNT', 'PLATFORM')),
  state text not null check (state in ('PENDING', 'STANDING', 'RELEASED', 'REFUSED')),
  scope json not null,
  case_ref text not null,
  customer_visible boolean not null,
  approval_sid text,
  -- Until when somebody may still agree to one that waits.
  expires_at timestamptz,
  created_by text not null,
  placed_at timestamptz,
  released_at timestamptz,
  released_by text,
  release_case_ref text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_sid, id),
  check ((state = 'PENDING') = (expires_at is not null)),
  check ((state in ('STANDING', 'RELEASED')) = (placed_at is not null)),
  check ((state = 'RELEASED') = (released_at is not null))
);
create index legal_holds_newest on legal_holds (account_sid, livemode, id desc);
create unique index legal_holds_of_approval on legal_holds (account_sid, approval_sid) where approval_sid is not null;
call protect_tenant_table('legal_holds');
grant select, insert, update on legal_holds to godwit_tenant;
call open_to_system('legal_holds'); -- how many stand is told to operators
grant select (account_sid, livemode, placed_by, state) on legal_holds to godwit_system;

-- What the holds that stand, or wait, reach: asked by whoever removes something. A hold on a contact reaches everybody who is, or
-- came to be, the same person, so that neither a merge nor its reversal lets go of anything.
create table legal_hold_marks (
  account_sid text not null references accounts,
  livemode boolean not null,
  hold_id uuid not null,
  -- The account, a contact or a campaign; null where it is a time.
  ref text,
  -- A conversation is all that passed between a contact and this sender.
  sender_sid text,
  from_at timestamptz,
  to_at timestamptz,
  -- A hold that waits reaches until nobody can agree to it any more.
  until timestamptz,
  visible boolean not null,
  unique nulls not distinct (account_sid, hold_id, ref),
  foreign key (account_sid, hold_id) references legal_holds,
  check ((ref is null) = (from_at is not null and to_at is not null))
);
create index legal_hold_marks_by_ref on legal_hold_marks (account_sid, ref) where ref is not null;
create index legal_hold_marks_of_times on legal_hold_marks (account_sid) where ref is null;
call protect_tenant_table('legal_hold_marks');
grant select, insert, update, delete on legal_hold_marks to godwit_tenant;

-- Whoever does not hold this scope does not learn that there is such an approval.
alter table approvals add column only_for text;

-- What the platform does to an account and may not tell it: a chain of its own, verified as the account's is.
create table platform_audit_entries (
  account_sid text not null references accounts,
  livemode boolean not null,
  sequence bigint not null,
  id uuid not null,
  action text not null,
  resource text,
  actor text not null,
  occurred_at timestamptz not null,
  payload text not null,
  previous_hash bytea not null,
  hash bytea not null,
  primary key (account_sid, livemode, sequence)
);
call protect_tenant_table('platform_audit_entries');
call open_to_system('platform_audit_entries');
call make_append_only('platform_audit_entries');
grant insert on platform_audit_entries to godwit_tenant;
grant select on platform_audit_entries to godwit_system;
