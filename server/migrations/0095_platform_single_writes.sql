-- What a single write pays beyond its own rows.

-- The hash before the last, so that one record takes its place in a chain with one statement: it moves the head and tells what
-- the record is chained to.
alter table chain_heads add column previous_hash bytea;

-- Nobody looks for an entry by its id, and its place in the chain makes it unique.
drop index audit_entries_by_id;

-- Accounts are never removed, and no request gets here without one. The check locked the account's row at every entry, which is
-- a record in the log and, between writers of one account, a row they pass around. Rows that name a contact are the account's
-- by that key.
alter table audit_entries drop constraint audit_entries_account_sid_fkey;
alter table consents drop constraint consents_account_sid_fkey;
alter table consent_states drop constraint consent_states_account_sid_fkey;
alter table contact_identifiers drop constraint contact_identifiers_account_sid_fkey;
alter table suppressions drop constraint suppressions_account_sid_fkey;
