-- no transaction
-- Of indexes that seem to cost the same, PostgreSQL takes the one made last. Before it has counted the rows of this table it took the one of
-- what stands by age, and read all of an account for each person. This one is made after it, here and, by its name, wherever a dump is restored
-- (docs/decisions/0060-rows-are-found-by-their-whole-key.md).
create index concurrently suppressions_whole_key on suppressions (account_sid, contact_sid, sid desc);
