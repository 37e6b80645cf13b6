-- no transaction
-- The same as suppressions_whole_key, which takes its place.
drop index concurrently suppressions_by_contact;
