-- When a job is due next of those a worker knows: one that nobody knows stays due for ever, and would wake every worker each second.
create function next_job_at(known text[]) returns timestamptz
  language plpgsql stable security definer set search_path = pg_catalog, public as $$
begin
  return (
    select min(run_at) from graphile_worker._private_jobs
     where is_available and task_id = any (array(
       select id from graphile_worker._private_tasks where identifier = any (known))));
end $$;
revoke execute on function next_job_at(text[]) from public;
grant execute on function next_job_at(text[]) to godwit_system;
