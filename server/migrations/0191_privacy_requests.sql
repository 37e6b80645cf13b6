-- What people ask for who want to know, correct, restrict or end what the account keeps of them.
create table privacy_requests (
  account_sid text not null references accounts (sid),
  livemode boolean not null,
  sid text not null,
  kind text not null check (kind in ('ERASURE', 'ACCESS', 'PORTABILITY', 'RECTIFICATION', 'RESTRICTION')),
  state text not null check (state in ('PENDING', 'IN_PROGRESS', 'PARKED', 'SETTLING', 'COMPLETED', 'WITHDRAWN', 'ACTIVE', 'LIFTED')),
  -- Whom it is about, as they were called then; null for somebody the account does not know.
  contact_sid text,
  -- Whether there was anything of them.
  found boolean not null,
  -- Removed when the person is erased.
  reason text,
  -- What was corrected, by name.
  changed_fields text[],
  operation_sid text,
  -- What the person was known by, sealed, from the moment their erasure begins until it is over.
  sealed_person bytea,
  -- The legal holds it waits for, as far as the account may know of them.
  parked_by uuid[] not null default '{}',
  counts json,
  mentions json,
  certificate text,
  export_expires_at timestamptz,
  created_by text not null,
  due_at timestamptz not null,
  -- When somebody is reminded next; null when nobody needs to be.
  remind_at timestamptz,
  -- When an erasure first changes anything: until then it can be taken back.
  starts_at timestamptz,
  started_at timestamptz,
  completed_at timestamptz,
  lifted_at timestamptz,
  lifted_by text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_sid, sid),
  foreign key (account_sid, contact_sid) references contacts (account_sid, sid),
  check ((state = 'LIFTED') = (lifted_at is not null)),
  check ((state in ('COMPLETED', 'WITHDRAWN')) = (completed_at is not null))
);
create index privacy_requests_newest on privacy_requests (account_sid, livemode, sid desc);
create index privacy_requests_of_contact on privacy_requests (account_sid, contact_sid);
create index privacy_requests_to_remind on privacy_requests (remind_at) where remind_at is not null;
create index privacy_requests_open on privacy_requests (state) where state not in ('COMPLETED', 'WITHDRAWN', 'LIFTED');
call protect_tenant_table('privacy_requests');
call without_samples('privacy_requests', 'reason', 'sealed_person', 'mentions', 'certificate');
grant select, insert, update on privacy_requests to godwit_tenant;
call open_to_system('privacy_requests'); -- reminders, and how many are open is told to operators
grant select (account_sid, livemode, sid, kind, state, due_at, remind_at) on privacy_requests to godwit_system;
