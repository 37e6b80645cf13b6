-- Facts of the provider by which messages are refused before they are handed over. Null means that nobody has told yet.
alter table wabas add column marketing_messages text;
alter table wabas add column catalog_ids text[];
alter table senders add column flow_key text check (flow_key in ('VALID', 'MISMATCH', 'NONE'));
