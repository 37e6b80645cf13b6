-- Headers an account wants with every request to its endpoint. Names are shown, values are sealed together and never shown.
alter table webhook_endpoints add column header_names text[] not null default '{}';
alter table webhook_endpoints add column sealed_headers bytea;
