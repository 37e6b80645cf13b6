-- no transaction
-- The first page of what is in force must not wade through what was lifted.
create index concurrently suppressions_newest_standing on suppressions (account_sid, livemode, sid desc)
  where lifted_at is null;
