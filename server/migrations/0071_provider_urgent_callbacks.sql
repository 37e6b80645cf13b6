-- People who ask to be left alone come first: their callbacks wait in a line of their own.
alter table provider_callback_work add column urgent boolean not null default false;
create index provider_callback_work_urgent on provider_callback_work (due_at, id) where state = 'due' and urgent;
