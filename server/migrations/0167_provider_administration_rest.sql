-- The rent of a managed number falls due by the month, always on the day on which it began, as far as the month has it: that day is
-- kept, since after a short month it cannot be told from the last.
alter table managed_applications add column rent_from timestamptz;
alter table managed_applications no force row level security;
update managed_applications set rent_from = rent_due_at - rent_months * interval '1 month' where rent_due_at is not null;
alter table managed_applications force row level security;

-- When the provider was last asked to send nothing more about a business account. That may arrive late, and then undoes what was
-- subscribed since.
alter table waba_connections add column unsubscribed_at timestamptz;

call open_to_system('number_migrations'); -- operators see those that are under way
grant select (account_sid, livemode, operation_sid, sender_sid, country_code, phone_number, step, updated_at) on number_migrations
  to godwit_system;
