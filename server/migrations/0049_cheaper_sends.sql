-- What every send pays for.

-- An answer that an event tells word for word is kept there alone.
alter table idempotency_keys add column event_sid text;

-- Two look-ups in accounts, with a lock each, for every message. Row security already holds a message to the account of
-- its transaction, and that account's status is read before anything is admitted.
alter table messages drop constraint messages_account_sid_fkey;
alter table message_states drop constraint message_states_account_sid_fkey;
