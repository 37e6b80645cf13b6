-- Which organization runs the platform: its people may be let into the accounts of others, and documents are issued in its
-- name. At most one.
alter table organizations add column is_operator boolean not null default false;
create unique index organizations_operator on organizations (is_operator) where is_operator;
-- What stands below the name of an organization on documents: address, registration, tax numbers; a line each.
alter table organizations add column legal_details text[] not null default '{}';
grant update (is_operator, legal_details) on organizations to godwit_system;
