-- Links to hosted forms on which people agree to be written to. A link never changes but by being revoked, so what its form
-- says is known for ever. Of its token only a SHA-256 is kept.
create table opt_in_links (
  account_sid text not null references accounts,
  livemode boolean not null,
  sid text not null,
  token_hash bytea not null unique,
  label text not null,
  purpose text not null check (purpose in ('MARKETING', 'TRANSACTIONAL', 'SUPPORT')),
  consent_text text not null,
  wording_version text not null,
  default_country text,
  expires_at timestamptz,
  revoked_at timestamptz,
  submissions bigint not null default 0,
  last_submitted_at timestamptz,
  -- Submissions within the hour that began then.
  hour_started_at timestamptz,
  hour_submissions integer not null default 0,
  created_by text not null,
  created_at timestamptz not null,
  primary key (account_sid, sid)
);
create index opt_in_links_newest on opt_in_links (account_sid, livemode, sid desc);
call protect_tenant_table('opt_in_links');
call open_to_system('opt_in_links'); -- a link is found by its token before its account is known
grant select, insert, update on opt_in_links to godwit_tenant;
grant select on opt_in_links to godwit_system;

-- What was accepted from a form in the last 30 days: against a second use of its ticket, for the limit of a person, and to
-- recognise the code by which the person's own phone confirms it. The answer is sealed, and shown again to the same ticket.
create table opt_in_submissions (
  account_sid text not null references accounts,
  livemode boolean not null,
  id uuid not null,
  link_sid text not null,
  contact_sid text not null,
  ticket_hash bytea,
  code_hash bytea not null,
  wording_version text not null,
  answer bytea,
  confirmed_at timestamptz,
  created_at timestamptz not null,
  primary key (account_sid, id),
  foreign key (account_sid, link_sid) references opt_in_links
);
create unique index opt_in_submissions_by_ticket on opt_in_submissions (account_sid, link_sid, ticket_hash)
  where ticket_hash is not null;
create index opt_in_submissions_by_contact on opt_in_submissions (account_sid, livemode, contact_sid, created_at);
create index opt_in_submissions_by_age on opt_in_submissions (created_at);
call protect_tenant_table('opt_in_submissions');
call open_to_system('opt_in_submissions'); -- swept when they are old
grant select, insert, update on opt_in_submissions to godwit_tenant;
grant select, delete on opt_in_submissions to godwit_system;

-- How often an address submitted forms lately. The address itself is not kept: the subject is a keyed hash of it.
create table opt_in_counters (
  subject bytea primary key,
  submissions integer not null,
  -- When the count begins anew.
  ends_at timestamptz not null
);
grant select, insert, update, delete on opt_in_counters to godwit_system;

-- The keys that sign receipts. All of them are published, so that a receipt can be verified for ever.
create table receipt_keys (
  kid text primary key,
  public_key json not null,
  private_key bytea not null,
  created_at timestamptz not null
);
grant select, insert on receipt_keys to godwit_system;
