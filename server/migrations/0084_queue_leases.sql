-- One lease for all queues: a row names its holder, which is a process, and a generation that grows whenever the row changes
-- hands. It lasts as long as the process beats.

-- Whether a process that beat at this instant still counts as alive. The only place that knows for how long.
create function is_alive(beat_at timestamptz) returns boolean
  language sql volatile
  return beat_at > clock_timestamp() - interval '6 seconds';
revoke execute on function is_alive(timestamptz) from public;
grant execute on function is_alive(timestamptz) to godwit_tenant, godwit_system;

-- Removes processes that fell silent and frees the jobs their workers held; the queue alone would wait four hours for them.
create or replace function bury_dead_processes() returns void
  language plpgsql security definer set search_path = pg_catalog, public as $$
declare
  orphaned text[];
begin
  with dead as (delete from processes where not is_alive(beat_at) returning worker_ids)
  select array_agg(id) into orphaned from dead, unnest(dead.worker_ids) as id;
  if orphaned is not null then
    perform graphile_worker.force_unlock_workers(orphaned);
  end if;
end $$;

-- The lanes of messages get the columns that those of webhooks have.
drop index dispatch_lanes_leased;
alter table dispatch_lanes rename column next_at to due_at;
alter table dispatch_lanes rename column leased_by to holder;
alter table dispatch_lanes
  alter column due_at drop not null,
  drop column leased_until,
  add column generation bigint not null default 0;
update dispatch_lanes set due_at = null where due_at = 'infinity';
create index dispatch_lanes_held on dispatch_lanes (holder) where holder is not null;

-- A lane is made with its endpoint; announcing work in it must be able to name no other column.
alter table webhook_lanes alter column open set default false;
