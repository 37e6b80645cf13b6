-- The consent ledger of an account and environment, one hash chain. `payload` is the record, in the exact text that was
-- hashed; the other columns repeat of it what is searched by. A record stays with the contact it was recorded for, also
-- when that contact is merged: who holds it then follows from contacts.merged_into.
create table consents (
  account_sid text not null references accounts,
  livemode boolean not null,
  sequence bigint not null,
  sid text not null,
  contact_sid text not null,
  purpose text not null check (purpose in ('TRANSACTIONAL', 'AUTHENTICATION', 'MARKETING', 'SUPPORT')),
  status text not null check (status in ('OPTED_IN', 'OPTED_OUT', 'UNKNOWN', 'REVOKED', 'EXPIRED')),
  expires_at timestamptz,
  created_at timestamptz not null,
  payload text not null,
  previous_hash bytea not null,
  hash bytea not null,
  primary key (account_sid, sid),
  foreign key (account_sid, contact_sid) references contacts (account_sid, sid)
);
create unique index consents_in_order on consents (account_sid, livemode, sequence);
create index consents_by_contact on consents (account_sid, contact_sid, sequence);
call protect_tenant_table('consents');
call open_to_system('consents'); -- verification reads the chains of all accounts
call make_append_only('consents');
grant select, insert on consents to godwit_tenant;
grant select on consents to godwit_system;

-- The newest record per live contact and purpose, kept with the ledger in one transaction; it can be made anew from it
-- at any time. Whether a record has expired is judged when it is read.
create table consent_states (
  account_sid text not null references accounts,
  livemode boolean not null,
  contact_sid text not null,
  purpose text not null,
  consent_sid text not null,
  sequence bigint not null,
  status text not null,
  expires_at timestamptz,
  recorded_at timestamptz not null,
  primary key (account_sid, contact_sid, purpose),
  foreign key (account_sid, contact_sid) references contacts (account_sid, sid),
  foreign key (account_sid, consent_sid) references consents (account_sid, sid)
);
-- Answers counts by purpose and status, and "who has opted in", without reading the table.
create index consent_states_by_status on consent_states
  (account_sid, livemode, purpose, status, contact_sid) include (expires_at);
call protect_tenant_table('consent_states');
grant select, insert, update, delete on consent_states to godwit_tenant;

-- In force while not lifted and not expired. A lifted row is kept. `mirror_requested_at` is work for the provider: to
-- block while the suppression is in force, to unblock once it is lifted; cleared when done.
create table suppressions (
  account_sid text not null references accounts,
  livemode boolean not null,
  sid text not null,
  contact_sid text not null,
  reason text not null check (reason in ('CUSTOMER_OPT_OUT', 'PROVIDER_MARKETING_OPT_OUT', 'KEYWORD_OPT_OUT',
    'COMPLAINT', 'LEGAL_SUPPRESSION', 'TENANT_BLOCKLIST', 'RISK_BLOCK')),
  scope text not null check (scope in ('MARKETING', 'ALL')),
  sender_sid text,
  source text not null,
  expires_at timestamptz,
  mirror_to_provider boolean not null,
  mirror_requested_at timestamptz,
  created_by text not null,
  lifted_at timestamptz,
  lifted_by text,
  lift_reason text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_sid, sid),
  foreign key (account_sid, contact_sid) references contacts (account_sid, sid),
  foreign key (account_sid, sender_sid) references senders (account_sid, sid)
);
create index suppressions_by_contact on suppressions (account_sid, contact_sid, sid desc);
create index suppressions_newest on suppressions (account_sid, livemode, sid desc);
-- What the gates, the segments and the coverage ask: who is suppressed now.
create index suppressions_standing on suppressions (account_sid, livemode, contact_sid)
  include (scope, sender_sid, expires_at) where lifted_at is null;
create index suppressions_to_mirror on suppressions (mirror_requested_at) where mirror_requested_at is not null;
call protect_tenant_table('suppressions');
grant select, insert, update on suppressions to godwit_tenant;
