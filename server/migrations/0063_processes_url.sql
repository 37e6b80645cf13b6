-- Where a process answers, so that commands run beside it can tell.
alter table processes add column url text;
