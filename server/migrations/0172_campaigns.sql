-- A message to many: what is sent to whom and when, and what became of each of them.
create table campaigns (
  account_sid text not null references accounts,
  livemode boolean not null,
  sid text not null,
  name text not null,
  state text not null check (state in ('DRAFT', 'SCHEDULED', 'RUNNING', 'PAUSED', 'COMPLETED', 'CANCELED', 'FAILED')),
  -- Why it rests or has failed by itself; null where somebody decided it.
  reason text,
  -- Counts the changes of the draft: whoever approves a launch approves one version.
  version integer not null default 1,
  -- Exactly one of them.
  segment_sid text,
  contact_sids text[],
  -- Messages, variables, sender, times, pace and budget, as they were given.
  definition json not null,
  -- Of the launch: the time zone of people who have none, and the budget in the units of the wallet.
  fallback_timezone text,
  budget_minor bigint,
  budget_currency text,
  budget_scale smallint,
  approval_sid text,
  operation_sid text,
  recipients integer not null default 0,
  admitted integer not null default 0,
  refused integer not null default 0,
  -- What the admitted messages can cost at most.
  reserved_minor bigint not null default 0,
  -- The minute that the pace is counted in, and what was admitted in it.
  pace_from timestamptz,
  pace_taken integer not null default 0,
  -- Nobody is admitted before: something that passes by itself was met.
  rests_until timestamptz,
  cut_at timestamptz,
  created_by text not null,
  launched_by text,
  launched_at timestamptz,
  started_at timestamptz,
  finished_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_sid, sid),
  check ((segment_sid is null) <> (contact_sids is null)),
  check (reserved_minor <= budget_minor),
  check (admitted + refused <= recipients)
);
create index campaigns_newest on campaigns (account_sid, livemode, sid desc);
create index campaigns_under_way on campaigns (sid) where state in ('SCHEDULED', 'RUNNING', 'PAUSED');
call protect_tenant_table('campaigns');
grant select, insert, update, delete on campaigns to godwit_tenant;
call open_to_system('campaigns'); -- those whose operation has failed are looked for across accounts
grant select on campaigns to godwit_system;

create table campaign_recipients (
  account_sid text not null,
  livemode boolean not null,
  campaign_sid text not null,
  position integer not null,
  contact_sid text not null,
  timezone text,
  due_at timestamptz not null,
  state text not null default 'PENDING' check (state in ('PENDING', 'ADMITTED', 'REFUSED')),
  -- Which of the campaign's variants, counted from zero; null where it has none.
  variant smallint,
  message_sid text,
  code text,
  message text,
  evidence json,
  decided_at timestamptz,
  -- No foreign key: a million are cut by one statement, and a campaign that has any is never deleted.
  primary key (account_sid, campaign_sid, position),
  check ((state = 'ADMITTED') = (message_sid is not null)),
  check ((state = 'REFUSED') = (code is not null))
);
create unique index campaign_recipients_once on campaign_recipients (account_sid, campaign_sid, contact_sid);
create index campaign_recipients_due on campaign_recipients (account_sid, campaign_sid, due_at, position) where state = 'PENDING';
create index campaign_recipients_refused on campaign_recipients (account_sid, campaign_sid, code, position) where state = 'REFUSED';
call protect_tenant_table('campaign_recipients');
grant select, insert, update on campaign_recipients to godwit_tenant;

create table campaign_settings (
  account_sid text not null references accounts,
  livemode boolean not null,
  -- Launching to more people than this takes a second person; null where it never does.
  approval_above integer,
  fallback_timezone text not null,
  updated_by text not null,
  updated_at timestamptz not null,
  primary key (account_sid, livemode)
);
call protect_tenant_table('campaign_settings');
grant select, insert, update on campaign_settings to godwit_tenant;
