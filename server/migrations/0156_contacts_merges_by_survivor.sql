-- Whoever hears of something told earlier asks whether a merge into the contact it names was taken back since. Few merges are.
create index contact_merges_reverted on contact_merges (account_sid, survivor_sid) where reverted_at is not null;
