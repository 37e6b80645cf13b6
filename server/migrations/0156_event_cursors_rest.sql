-- Whoever hears of something told earlier asks whether a merge into the contact it names was taken back since. Few merges are.
create index contact_merges_reverted on contact_merges (account_sid, survivor_sid) where reverted_at is not null;

-- A consumer of events may rest though nothing failed.
alter table event_cursors drop constraint event_cursors_check;
alter table event_cursors add constraint event_cursors_check check (failures = 0 or retry_at is not null);
