-- What an operation shows while it waits and no table may hold in plain text, such as the link of a top-up. Gone when it ends.
alter table operations add column sealed_result bytea;
-- Links of top-ups that wait now are found at their payments, where they are sealed.
alter table operations no force row level security;
update operations set result = (result::jsonb - 'hostedUrl')::json
 where type = 'billing.top_up' and result::jsonb ? 'hostedUrl';
alter table operations force row level security;

-- Operators see how many refunds are undecided, and for how long.
create index refunds_undecided on refunds (created_at) where state in ('pending', 'submitted', 'unknown');
call open_to_system('refunds');
grant select on refunds to godwit_system;
