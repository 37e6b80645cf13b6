-- How the attempts of an endpoint ended, by day (UTC): counted when they are recorded, so that telling it costs the same however
-- many there were. One worker at a time delivers to an endpoint, so nobody waits for these rows.
create table webhook_statistics (
  account_sid text not null,
  livemode boolean not null,
  endpoint_sid text not null,
  day date not null,
  -- 'success', or the class of the failure.
  outcome text not null,
  attempts bigint not null,
  -- How many took how long, by the bounds in the code.
  durations bigint[] not null,
  primary key (account_sid, endpoint_sid, day, outcome)
) with (fillfactor = 50);
call protect_tenant_table('webhook_statistics');
grant select, insert, update, delete on webhook_statistics to godwit_tenant;
