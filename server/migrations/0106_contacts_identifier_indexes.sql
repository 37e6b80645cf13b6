-- Each index begins with what its look-ups are by. While they all began with the account, row security's condition on it made any
-- of them look as good as the right one to a planner without statistics, and it read an account's identifiers one by one.
drop index contact_identifiers_once;
create unique index contact_identifiers_once
  on contact_identifiers (value, account_sid, livemode, identifier_type, scope_ref);
drop index contact_identifiers_by_contact;
create index contact_identifiers_by_contact on contact_identifiers (contact_sid, account_sid);
alter table contact_identifiers drop constraint contact_identifiers_pkey, add primary key (id, account_sid);
