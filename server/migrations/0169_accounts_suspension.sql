-- Since when an account is suspended, and why, as its people are told.
alter table accounts add column suspended_at timestamptz;
alter table accounts add column suspension_reason text check (length(suspension_reason) between 1 and 500);
-- Staff suspends an account inside it, with the audit entry and the event.
grant update (status, suspended_at, suspension_reason) on accounts to godwit_tenant;

-- A suspended account may look and change nothing: whoever is known by a key is known to be of such an account.
drop trigger credentials_inserted on accounts;
drop trigger credentials_deleted on accounts;
drop trigger credentials_updated on accounts;
call keep_fact_version('accounts', 'credentials', 'sid, parent_account_sid, organization_id, plan, status',
  'select sid from changed');
