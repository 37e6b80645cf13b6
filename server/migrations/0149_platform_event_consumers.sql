-- How far each consumer has come in the events of an account and environment. There is a row only where the consumer has
-- something to hear for, so accounts without one cost nothing. Whoever handles events locks the row: none is missed or
-- handled twice.
create table event_cursors (
  account_sid text not null references accounts,
  livemode boolean not null,
  consumer text not null,
  sequence bigint not null,
  -- Of the batch that comes next: how often it failed, and when it is tried again.
  failures integer not null default 0,
  retry_at timestamptz,
  primary key (account_sid, livemode, consumer),
  check ((failures = 0) = (retry_at is null))
) with (fillfactor = 50);
call protect_tenant_table('event_cursors');
call open_to_system('event_cursors'); -- consumers look for accounts that are behind
grant select, insert, update, delete on event_cursors to godwit_tenant;
grant select on event_cursors to godwit_system;

insert into event_cursors (account_sid, livemode, consumer, sequence)
select account_sid, livemode, 'webhooks', sequence from webhook_cursors;
drop table webhook_cursors;

-- How old the oldest event is that a consumer has not heard: when events were made, and nothing of what they tell.
call open_to_system('events');
grant select (account_sid, livemode, sequence, created_at) on events to godwit_system;
