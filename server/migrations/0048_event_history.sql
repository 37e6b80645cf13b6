-- Where the kept history of an account and environment begins: the number of its oldest event, and of the oldest that has
-- deliveries. It only grows. There is no row before anything was removed.
create table event_log_starts (
  account_sid text not null references accounts,
  livemode boolean not null,
  sequence bigint not null,
  updated_at timestamptz not null,
  primary key (account_sid, livemode)
);
call protect_tenant_table('event_log_starts');
grant select, insert, update on event_log_starts to godwit_tenant;

-- What is old goes, with everything that was done about it.
grant delete on events, webhook_deliveries, webhook_attempts to godwit_tenant;
