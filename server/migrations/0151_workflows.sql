-- What an account has decided to happen by itself. A workflow is what its published version says; versions never change, and
-- runs keep the one they began with.
create table workflows (
  account_sid text not null references accounts,
  livemode boolean not null,
  sid text not null,
  name text not null,
  state text not null check (state in ('DRAFT', 'PUBLISHED', 'STOPPED')),
  newest_version integer not null,
  published_version integer,
  -- Exactly what the published version needs, which its publisher held: runs may do this and nothing else.
  granted_scopes text[] not null default '{}',
  published_by text,
  -- The types of event that start it, as the log names them, and from which number on.
  trigger_names text[] not null default '{}',
  subscribed_after bigint,
  published_at timestamptz,
  stopped_at timestamptz,
  -- It is gone for everybody; its rows are removed a slice at a time.
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_sid, sid),
  check (deleted_at is null or state <> 'PUBLISHED'),
  check (state = 'DRAFT' or (published_version is not null and subscribed_after is not null)),
  check ((state = 'STOPPED') = (stopped_at is not null))
);
create index workflows_newest on workflows (account_sid, livemode, sid desc);
call protect_tenant_table('workflows');
call open_to_system('workflows'); -- operators see how many are published
grant select, insert, update, delete on workflows to godwit_tenant;
grant select on workflows to godwit_system;

create table workflow_versions (
  account_sid text not null,
  livemode boolean not null,
  workflow_sid text not null,
  version integer not null,
  definition json not null,
  -- The types of event its waits listen to, as the log names them.
  wait_names text[] not null,
  created_by text not null,
  created_at timestamptz not null,
  primary key (account_sid, workflow_sid, version),
  foreign key (account_sid, workflow_sid) references workflows
);
call protect_tenant_table('workflow_versions');
-- Removed with their workflow, and never changed.
grant select, insert, delete on workflow_versions to godwit_tenant;

-- One way through a version, for one contact. Thousands come a second, so there is no reference to contacts or events.
create table workflow_runs (
  account_sid text not null,
  livemode boolean not null,
  sid text not null,
  workflow_sid text not null,
  version integer not null,
  state text not null check (state in ('RUNNING', 'WAITING', 'COMPLETED', 'FAILED', 'TIMED_OUT', 'STOPPED')),
  -- Why it was stopped, or what `stop` said of it.
  outcome text,
  error json,
  contact_sid text,
  -- What it is about: the contact, or the resource of an event that has none.
  subject_sid text not null,
  -- What started it. A run that another run started has what started that one.
  event_sequence bigint not null,
  event_sid text not null,
  event_type text not null,
  event_data json not null,
  -- How many runs stand before it, each started by what the one before did.
  depth integer not null check (depth between 0 and 5),
  started_by_run text,
  -- Where it stands and what it remembers.
  cursor json not null,
  memory json not null,
  -- The effect it stands at: one that is to be done in the next round, or one that was asked for outside and is not answered.
  effect json,
  failures integer not null default 0,
  -- How many entries its trace has.
  entries integer not null default 0,
  started_at timestamptz not null,
  timeout_at timestamptz not null,
  updated_at timestamptz not null,
  ended_at timestamptz,
  primary key (account_sid, sid),
  foreign key (account_sid, workflow_sid, version) references workflow_versions,
  check ((state in ('RUNNING', 'WAITING')) = (ended_at is null))
) with (fillfactor = 80);
-- However many tell of one event, it starts a workflow once; and nobody is in one workflow twice at a time.
create unique index workflow_runs_once on workflow_runs (account_sid, workflow_sid, event_sequence) where started_by_run is null;
create unique index workflow_runs_active on workflow_runs (account_sid, workflow_sid, subject_sid) where ended_at is null;
create index workflow_runs_newest on workflow_runs (account_sid, workflow_sid, sid desc);
create index workflow_runs_by_contact on workflow_runs (account_sid, contact_sid, started_at) where contact_sid is not null;
create index workflow_runs_ended on workflow_runs (account_sid, livemode, ended_at) where ended_at is not null;
call protect_tenant_table('workflow_runs');
grant select, insert, update, delete on workflow_runs to godwit_tenant;

-- When each active run is to be looked at next, and which events it listens to until then. Narrow: a million of them wait.
create table workflow_wakes (
  account_sid text not null,
  livemode boolean not null,
  run_sid text not null,
  workflow_sid text not null,
  contact_sid text,
  names text[] not null,
  -- Whether one of these is what it waits for: then it is due when it comes. What comes to another is kept for its next wait.
  listening boolean not null,
  -- What happened up to this number, before it began, is nothing to it.
  heard_after bigint not null default 0,
  due_at timestamptz not null,
  -- Its workflow is stopped: nobody needs to look at it.
  held boolean not null default false,
  primary key (account_sid, run_sid),
  foreign key (account_sid, run_sid) references workflow_runs
) with (fillfactor = 70);
create index workflow_wakes_due on workflow_wakes (account_sid, livemode, due_at, run_sid) where not held;
create index workflow_wakes_by_contact on workflow_wakes (account_sid, contact_sid) where contact_sid is not null;
create index workflow_wakes_by_workflow on workflow_wakes (account_sid, workflow_sid, run_sid);
call protect_tenant_table('workflow_wakes');
grant select, insert, update, delete on workflow_wakes to godwit_tenant;

-- What happened while a run was on its way to wait for it, or waits for it. Each holds a copy: the history may be trimmed before.
create table workflow_mail (
  account_sid text not null,
  livemode boolean not null,
  run_sid text not null,
  -- In the order of the log; an answer to a request has the number of the step that made it, below all of them.
  number bigint not null,
  kind text not null check (kind in ('event', 'result')),
  event_sid text,
  type text,
  data json not null,
  created_at timestamptz not null,
  primary key (account_sid, run_sid, kind, number),
  foreign key (account_sid, run_sid) references workflow_runs
);
call protect_tenant_table('workflow_mail');
grant select, insert, delete on workflow_mail to godwit_tenant;

-- Who has been in a workflow, whatever version, and how often lately. Outlives its runs.
create table workflow_entries (
  account_sid text not null,
  livemode boolean not null,
  workflow_sid text not null,
  subject_sid text not null,
  last_run_sid text not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  primary key (account_sid, workflow_sid, subject_sid),
  foreign key (account_sid, workflow_sid) references workflows
);
create index workflow_entries_by_subject on workflow_entries (account_sid, subject_sid);
call protect_tenant_table('workflow_entries');
grant select, insert, update, delete on workflow_entries to godwit_tenant;

-- For whom a workflow does nothing, because somebody said so.
create table workflow_contact_stops (
  account_sid text not null,
  livemode boolean not null,
  workflow_sid text not null,
  contact_sid text not null,
  reason text,
  stopped_by text not null,
  created_at timestamptz not null,
  primary key (account_sid, workflow_sid, contact_sid),
  foreign key (account_sid, workflow_sid) references workflows
);
call protect_tenant_table('workflow_contact_stops');
grant select, insert, update, delete on workflow_contact_stops to godwit_tenant;

-- What a run did, step by step. A position is used once: with the row an effect is done, without it it is not.
create table workflow_steps (
  account_sid text not null,
  livemode boolean not null,
  run_sid text not null,
  entry integer not null,
  position integer not null,
  trace json not null,
  -- What it caused, so that a workflow is not started by itself.
  event_sid text,
  at timestamptz not null,
  primary key (account_sid, run_sid, entry),
  foreign key (account_sid, run_sid) references workflow_runs
);
create index workflow_steps_by_event on workflow_steps (account_sid, event_sid) where event_sid is not null;
call protect_tenant_table('workflow_steps');
-- Changed by nobody but an erasure, which takes out what was seen.
grant select, insert, update, delete on workflow_steps to godwit_tenant;

-- When runs wrote to whom, for an hour: nobody is written to without measure.
create table workflow_sends (
  account_sid text not null,
  livemode boolean not null,
  contact_sid text not null,
  run_sid text not null,
  position integer not null,
  sent_at timestamptz not null,
  primary key (account_sid, contact_sid, run_sid, position)
);
create index workflow_sends_oldest on workflow_sends (account_sid, livemode, sent_at);
call protect_tenant_table('workflow_sends');
grant select, insert, update, delete on workflow_sends to godwit_tenant;

-- Why an event started a workflow, or did not. The newest of each workflow are kept.
create table workflow_decisions (
  account_sid text not null,
  livemode boolean not null,
  workflow_sid text not null,
  event_sequence bigint not null,
  event_sid text not null,
  event_type text not null,
  contact_sid text,
  decision text not null check (decision in ('started', 'condition', 'reentry', 'stopped_contact', 'caused_by_self', 'limit',
    'no_subject')),
  detail json,
  run_sid text,
  created_at timestamptz not null,
  -- A run that was started may meet a limit later.
  primary key (account_sid, workflow_sid, event_sequence, decision),
  foreign key (account_sid, workflow_sid) references workflows
);
create index workflow_decisions_by_contact on workflow_decisions (account_sid, contact_sid) where contact_sid is not null;
call protect_tenant_table('workflow_decisions');
grant select, insert, update, delete on workflow_decisions to godwit_tenant;

-- Who takes the runs of an account and environment further: one process at a time, so that what happens to a contact has an order.
create table workflow_lanes (
  account_sid text not null references accounts,
  livemode boolean not null,
  lane text not null,
  due_at timestamptz,
  holder uuid,
  generation bigint not null default 0,
  primary key (account_sid, lane)
) with (fillfactor = 50);
create index workflow_lanes_due on workflow_lanes (due_at) where due_at is not null;
create index workflow_lanes_held on workflow_lanes (holder) where holder is not null;
call protect_tenant_table('workflow_lanes');
call open_to_system('workflow_lanes'); -- workers look for lanes in which something is due
grant select, insert, update on workflow_lanes to godwit_tenant;
grant select, update on workflow_lanes to godwit_system;

-- Test runs: what would have happened, and nothing else.
create table workflow_tests (
  account_sid text not null,
  livemode boolean not null,
  sid text not null,
  workflow_sid text not null,
  version integer not null,
  result json not null,
  created_by text not null,
  created_at timestamptz not null,
  primary key (account_sid, sid),
  foreign key (account_sid, workflow_sid) references workflows
);
create index workflow_tests_newest on workflow_tests (account_sid, workflow_sid, sid desc);
create index workflow_tests_oldest on workflow_tests (created_at);
call protect_tenant_table('workflow_tests');
call open_to_system('workflow_tests'); -- those whose time is over are removed in all accounts at once
grant select, insert, delete on workflow_tests to godwit_tenant;
grant select, delete on workflow_tests to godwit_system;
