-- A number whose display name was changed must be registered again within 14 days: each one is looked at several times a day.
alter table managed_applications add column name_due_at timestamptz;
create index managed_applications_names on managed_applications (name_due_at) where name_due_at is not null;
alter table managed_applications no force row level security;
update managed_applications set name_due_at = updated_at where state = 'COMPLETED';
alter table managed_applications force row level security;
