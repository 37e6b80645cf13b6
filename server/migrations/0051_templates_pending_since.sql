-- Since when the provider is being told of a change: what it has not taken after days is given up, and said to be.
alter table templates add column pending_since timestamptz;
-- Row security holds for the owner too, who is to see every account's rows here.
alter table templates no force row level security;
update templates set pending_since = updated_at where pending_change is not null;
alter table templates force row level security;
alter table templates add constraint templates_pending_since_check check ((pending_change is null) = (pending_since is null));
