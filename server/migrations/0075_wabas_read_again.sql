-- When the numbers and templates of a business account are next read from the provider: a callback that was lost is then
-- made up for within the hour.
alter table wabas add column read_due_at timestamptz;
alter table wabas add column read_at timestamptz;
alter table wabas add column read_failures integer not null default 0;
-- Row security holds for the owner too, who is to see every account's rows here.
alter table wabas no force row level security;
update wabas set read_due_at = now() + random() * interval '50 minutes' where connection_state = 'CONNECTED';
alter table wabas force row level security;
create index wabas_read_due on wabas (read_due_at) where connection_state = 'CONNECTED';
