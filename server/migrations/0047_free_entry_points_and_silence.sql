-- Somebody who comes from an advertisement or a page's button and is answered within a day may be written to for nothing
-- for three more. When they came is known from their message, until when it lasts from the provider.
alter table service_windows add column referred_at timestamptz;
alter table service_windows add column free_until timestamptz;
drop index service_windows_by_contact;
create index service_windows_by_contact on service_windows (account_sid, contact_sid, sender_sid)
  include (expires_at, referred_at, free_until);

-- Up to which message an account's money has been looked through for what the provider never spoke of again. SIDs sort by
-- time, so that the primary key of the holds is the index, and no message costs anything more on its way.
create table silence_looks (
  account_sid text not null references accounts,
  livemode boolean not null,
  looked_until text not null,
  looked_at timestamptz not null,
  primary key (account_sid, livemode)
);
call protect_tenant_table('silence_looks');
grant select, insert, update on silence_looks to godwit_tenant;
