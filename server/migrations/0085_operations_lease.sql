-- A run's hold on its operation is a lease as every other: the process that runs it, and a generation that grows with every run.
alter table operations
  drop column run_id,
  add column holder uuid,
  add column generation bigint not null default 0;
