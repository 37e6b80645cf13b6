-- What was counted of each message, so that a change of it moves the right numbers, and the numbers stay when the message is removed.
-- Nothing here tells who wrote or was written to. The SID begins with the time the message was accepted, which is its day and hour.
-- One row a message, thousands a second: no references. What does not apply is an empty text.
create table analytics_counted (
  account_sid text not null,
  livemode boolean not null,
  message_sid text not null,
  direction text not null,
  sender_sid text not null,
  template text not null,
  category text not null,
  country text not null,
  campaign_sid text not null,
  currency text not null,
  scale smallint not null,
  status text not null,
  code text not null,
  charged_minor bigint not null,
  expected_minor bigint not null,
  primary key (account_sid, message_sid)
) with (fillfactor = 80);
call protect_tenant_table('analytics_counted');
grant select, insert, update, delete on analytics_counted to godwit_tenant;

-- How many messages of a day, in UTC, stand where, and what they cost. Written by one consumer of the events, never by who sends.
create table analytics_days (
  account_sid text not null references accounts,
  livemode boolean not null,
  day date not null,
  direction text not null,
  sender_sid text not null,
  category text not null,
  country text not null,
  campaign_sid text not null,
  status text not null,
  currency text not null,
  scale smallint not null,
  messages bigint not null,
  charged_minor bigint not null,
  expected_minor bigint not null,
  primary key (account_sid, livemode, day, direction, sender_sid, category, country, campaign_sid, status, currency, scale)
) with (fillfactor = 70);
call protect_tenant_table('analytics_days');
call open_to_system('analytics_days'); -- rows that came to nothing are removed
grant select, insert, update, delete on analytics_days to godwit_tenant;
grant select, update, delete on analytics_days to godwit_system; -- locks what it removes

-- The same by the hour, with more detail, for the last days.
create table analytics_hours (
  account_sid text not null references accounts,
  livemode boolean not null,
  hour timestamptz not null,
  direction text not null,
  sender_sid text not null,
  template text not null,
  category text not null,
  country text not null,
  campaign_sid text not null,
  status text not null,
  code text not null,
  currency text not null,
  scale smallint not null,
  messages bigint not null,
  charged_minor bigint not null,
  expected_minor bigint not null,
  primary key (account_sid, livemode, hour, direction, sender_sid, template, category, country, campaign_sid, status, code, currency, scale)
) with (fillfactor = 70);
create index analytics_hours_old on analytics_hours (hour);
call protect_tenant_table('analytics_hours');
call open_to_system('analytics_hours'); -- what is old is removed
grant select, insert, update, delete on analytics_hours to godwit_tenant;
grant select, update, delete on analytics_hours to godwit_system;

-- From which day on an account's numbers are kept: those before were removed, and nothing is counted there any more.
create table analytics_starts (
  account_sid text not null references accounts,
  livemode boolean not null,
  day date not null,
  primary key (account_sid, livemode)
);
call protect_tenant_table('analytics_starts');
grant select, insert, update on analytics_starts to godwit_tenant;
