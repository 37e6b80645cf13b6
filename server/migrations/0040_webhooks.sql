-- Where an account wants to hear of its events. What an endpoint is now follows from its instants: disabled, unverified,
-- suspended, paused, or else active.
create table webhook_endpoints (
  account_sid text not null references accounts,
  livemode boolean not null,
  sid text not null,
  url text not null,
  event_filters text[] not null,
  api_version text not null,
  timeout_ms integer not null check (timeout_ms between 1000 and 30000),
  concurrency_cap integer not null check (concurrency_cap between 1 and 256),
  sealed_secret bytea not null,
  sealed_previous_secret bytea,
  previous_secret_expires_at timestamptz,
  -- Events after this number are for it. Set when it is first verified, and kept when its URL changes, so that what
  -- happens until the new URL is verified waits for it.
  subscribed_after bigint,
  verified_at timestamptz,
  paused_at timestamptz,
  suspended_at timestamptz,
  disabled_at timestamptz,
  -- Since the last success: when it began to fail, how often, and how many deliveries used up their whole schedule.
  failing_since timestamptz,
  failures integer not null default 0,
  exhausted integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_sid, sid),
  check ((sealed_previous_secret is null) = (previous_secret_expires_at is null))
);
create index webhook_endpoints_newest on webhook_endpoints (account_sid, livemode, sid desc);
call protect_tenant_table('webhook_endpoints');
grant select, insert, update on webhook_endpoints to godwit_tenant;

-- How far the events of an account and environment have been handed to its endpoints. There is a row as soon as there is
-- an endpoint, so accounts without one cost nothing. Whoever hands on locks the row: no event is missed or handed on twice.
create table webhook_cursors (
  account_sid text not null references accounts,
  livemode boolean not null,
  sequence bigint not null,
  primary key (account_sid, livemode)
) with (fillfactor = 50);
call protect_tenant_table('webhook_cursors');
call open_to_system('webhook_cursors'); -- the fan-out looks for accounts that are behind
grant select, insert, update on webhook_cursors to godwit_tenant;
grant select on webhook_cursors to godwit_system;
call open_to_system('event_heads');
grant select on event_heads to godwit_system;

-- One event for one endpoint. A row never changes: how it went stands in its attempts, and that it is not over in
-- webhook_undelivered. No references: thousands come a second, and neither endpoints nor events go from under them.
create table webhook_deliveries (
  account_sid text not null,
  livemode boolean not null,
  endpoint_sid text not null,
  sid text not null,
  event_sequence bigint not null,
  event_sid text not null,
  event_type text not null,
  resource_sid text,
  -- The shape its body has at every attempt, whatever the endpoint is pinned to by then.
  api_version text not null,
  created_at timestamptz not null,
  primary key (account_sid, endpoint_sid, sid)
);
create unique index webhook_deliveries_once on webhook_deliveries (account_sid, endpoint_sid, event_sequence);
create index webhook_deliveries_by_resource on webhook_deliveries (account_sid, livemode, resource_sid, sid)
  where resource_sid is not null;
call protect_tenant_table('webhook_deliveries');
grant select, insert on webhook_deliveries to godwit_tenant;

-- The deliveries that are not acknowledged: due at an instant, or given up for the reason named.
create table webhook_undelivered (
  account_sid text not null,
  livemode boolean not null,
  endpoint_sid text not null,
  delivery_sid text not null,
  event_sequence bigint not null,
  api_version text not null,
  due_at timestamptz,
  gave_up text check (gave_up in ('exhausted', 'suspended', 'disabled')),
  -- Where it stands in the retry schedule.
  tries integer not null default 0,
  first_attempt_at timestamptz,
  -- It was acknowledged once, and somebody asked for it again.
  acknowledged_before boolean not null default false,
  primary key (account_sid, delivery_sid),
  check ((due_at is null) = (gave_up is not null))
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
create index webhook_undelivered_due on webhook_undelivered (account_sid, endpoint_sid, due_at, event_sequence);
call protect_tenant_table('webhook_undelivered');
grant select, insert, update, delete on webhook_undelivered to godwit_tenant;

-- What was sent, when, and how the endpoint answered.
create table webhook_attempts (
  account_sid text not null,
  livemode boolean not null,
  delivery_sid text not null,
  number integer not null,
  attempted_at timestamptz not null,
  duration_ms integer not null,
  url text not null,
  signature text not null,
  status integer,
  failure text check (failure in ('dns', 'connect', 'tls', 'timeout', 'status', 'blocked')),
  reason text,
  answer text,
  primary key (account_sid, delivery_sid, number)
);
call protect_tenant_table('webhook_attempts');
grant select, insert on webhook_attempts to godwit_tenant;

-- The lane of each endpoint: when something in it is next due, and which process delivers it. One process at a time, so
-- that an endpoint's concurrency cap holds across all of them. Workers look across accounts here and nowhere else.
create table webhook_lanes (
  account_sid text not null,
  livemode boolean not null,
  endpoint_sid text not null,
  -- Whether anything may be sent: the endpoint is active.
  open boolean not null,
  -- Empty while nothing is due, and while a process holds the lane until something more becomes due in it.
  due_at timestamptz,
  holder uuid,
  generation bigint not null default 0,
  primary key (account_sid, endpoint_sid),
  foreign key (account_sid, endpoint_sid) references webhook_endpoints
) with (fillfactor = 50);
create index webhook_lanes_due on webhook_lanes (due_at) where open and due_at is not null;
create index webhook_lanes_held on webhook_lanes (holder) where holder is not null;
call protect_tenant_table('webhook_lanes');
call open_to_system('webhook_lanes'); -- workers look for lanes in which something is due
grant select, insert, update on webhook_lanes to godwit_tenant;
grant select, update on webhook_lanes to godwit_system;

-- Whether filters subscribe to a type: an exact name, `prefix.*`, or `*`; no filters at all subscribe to everything.
create function webhook_subscribes(filters text[], event_type text) returns boolean
  language sql immutable parallel safe
  return cardinality(filters) = 0 or exists (
    select from unnest(filters) as filter
     where filter in ('*', event_type) or (filter like '%.*' and starts_with(event_type, left(filter, -1))));
