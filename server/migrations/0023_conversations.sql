-- The 24 hours in which a contact may be answered freely, per sender; written by inbound messages. One row per contact
-- the window was opened for (`origin_contact_sid`); a merge hands it to the survivor (`contact_sid`), whose window is
-- the latest of those it holds. So the later of both counts, and a revert gives each contact its own back.
create table service_windows (
  account_sid text not null references accounts,
  livemode boolean not null,
  sender_sid text not null,
  origin_contact_sid text not null,
  contact_sid text not null,
  opened_at timestamptz not null,
  last_inbound_at timestamptz not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_sid, sender_sid, origin_contact_sid),
  foreign key (account_sid, sender_sid) references senders (account_sid, sid),
  foreign key (account_sid, origin_contact_sid) references contacts (account_sid, sid),
  foreign key (account_sid, contact_sid) references contacts (account_sid, sid)
);
create index service_windows_by_contact on service_windows (account_sid, contact_sid, sender_sid) include (expires_at);
call protect_tenant_table('service_windows');
grant select, insert, update on service_windows to godwit_tenant;
