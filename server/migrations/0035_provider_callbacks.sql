-- What the provider called us with, byte for byte, and stored before it was acknowledged. A row never changes; it is removed
-- some days after it has done its work. Whose it is shows only when it is read, so it stands under no account.
create table provider_callbacks (
  id bigint generated always as identity primary key,
  livemode boolean not null,
  received_at timestamptz not null,
  body bytea not null
);
create index provider_callbacks_by_age on provider_callbacks using brin (received_at) with (pages_per_range = 16);
grant select, insert, delete on provider_callbacks to godwit_system;

-- What is still to be done with them, narrow because it is written and removed thousands of times a second.
--   due     to be worked on once `due_at` has come; what was tried without success waits there too
--   kept    holds something nobody understands, belongs to nobody known or is handled by nobody; the rest of it is done
--   parked  failed too often; the reason stands in `note`
-- A callback that is done has no row here.
create table provider_callback_work (
  id bigint primary key,
  state text not null check (state in ('due', 'kept', 'parked')),
  bytes integer not null,
  attempts smallint not null default 0,
  due_at timestamptz not null,
  note text
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
create index provider_callback_work_due on provider_callback_work (due_at, id) where state = 'due';
create index provider_callback_work_others on provider_callback_work (state, id) where state <> 'due';
grant select, insert, update, delete on provider_callback_work to godwit_system;

-- Every change that was handed over, by what makes it the same change when the provider repeats it. Written in the
-- transaction of its effects, so that each has its effects once. Ordered by when it happened: new ones stand together.
create table provider_changes (
  account_sid text not null references accounts,
  livemode boolean not null,
  happened_at timestamptz not null,
  key bytea not null,
  seen_at timestamptz not null,
  primary key (account_sid, livemode, happened_at, key)
);
create index provider_changes_by_age on provider_changes using brin (seen_at) with (pages_per_range = 16);
call protect_tenant_table('provider_changes');
call open_to_system('provider_changes'); -- the sweep of what the provider repeats no more
grant select, insert on provider_changes to godwit_tenant;
grant select, delete on provider_changes to godwit_system;
