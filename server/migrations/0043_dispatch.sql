-- Statuses that name neither our message nor one the provider has named to us: kept until its name is known, a day at most.
create table parked_statuses (
  account_sid text not null references accounts,
  livemode boolean not null,
  id uuid not null,
  provider_message_id text not null,
  status json not null,
  parked_at timestamptz not null,
  primary key (account_sid, id)
);
create index parked_statuses_by_age on parked_statuses (parked_at);
call protect_tenant_table('parked_statuses');
call open_to_system('parked_statuses'); -- looked at every minute, and swept
grant select, insert, delete on parked_statuses to godwit_tenant;
grant select, delete on parked_statuses to godwit_system;

-- The contact a message was first for, where merges handed it on: a merge that is taken back finds its messages by it.
alter table messages add column origin_contact_sid text;

-- A lane whose holder fell silent is found by its lease, whatever falls due in it.
create index dispatch_lanes_leased on dispatch_lanes (leased_until) where leased_until is not null;

-- What the provider said a message costs, before it said that it was delivered.
alter table message_states add column priced_minor bigint;
