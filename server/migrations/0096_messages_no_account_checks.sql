-- Five times a message, on its way from the queue to its last report, PostgreSQL looked whether the account exists, and locked its
-- row. Accounts are never removed, and these rows are written for messages of the account, which are there.
alter table message_attempts drop constraint message_attempts_account_sid_fkey;
alter table pair_rates drop constraint pair_rates_account_sid_fkey;
alter table provider_changes drop constraint provider_changes_account_sid_fkey;
alter table provider_messages drop constraint provider_messages_account_sid_fkey;
