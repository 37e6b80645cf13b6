-- A beat in one statement: says that a process lives, buries the dead, and tells how many live and how many of them serve the API. It
-- is worth no wait for the disk: after a crash of the database the next one says the same.
create function beat(
  in_id uuid, in_role text, in_host text, in_pid integer, in_worker_ids text[], in_url text,
  out processes integer, out apis integer)
  language plpgsql as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  insert into public.processes as p (id, role, host, pid, worker_ids, url)
  values (in_id, in_role, in_host, in_pid, in_worker_ids, in_url)
  on conflict (id) do update
    set beat_at = clock_timestamp(), worker_ids = excluded.worker_ids, url = excluded.url;
  perform public.bury_dead_processes();
  select count(*), count(*) filter (where p.role in ('all', 'api')) into processes, apis
    from public.processes p where public.is_alive(p.beat_at);
end $$;
revoke execute on function beat(uuid, text, text, integer, text[], text) from public;
grant execute on function beat(uuid, text, text, integer, text[], text) to godwit_system;

-- When a job is due next, so that its worker can sleep until then.
create function next_job_at() returns timestamptz
  language plpgsql stable security definer set search_path = pg_catalog, public as $$
begin
  -- The view of jobs joins others, and cannot say by its index what waits.
  return (select min(run_at) from graphile_worker._private_jobs where is_available);
end $$;
revoke execute on function next_job_at() from public;
grant execute on function next_job_at() to godwit_system;
