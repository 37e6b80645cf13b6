-- Messages that are to leave at one moment, as a campaign's are, stand in the index in the order they are taken: without
-- it every claim would read and sort all of them.
drop index message_states_in_line;
create index message_states_in_line on message_states (account_sid, sender_sid, turn_at, sid) where waiting;
