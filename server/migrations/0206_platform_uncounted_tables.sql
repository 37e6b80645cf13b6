-- PostgreSQL counts what changed since it last analysed a table, and a crash takes those counts: a table that was filled shortly before is never
-- analysed until a tenth of it changes again, and is planned for in the dark until then. Answers with the tables it has analysed.
create function analyze_uncounted_tables() returns setof text
  language plpgsql security definer set search_path = pg_catalog, public as $$
declare
  uncounted regclass;
begin
  for uncounted in
    -- Small ones are read as fast in any way.
    select oid from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r' and reltuples < 0 and pg_relation_size(oid) >= 512 * 1024
  loop
    -- Whoever holds it analyses it now, or it is there the next time.
    execute format('analyze (skip_locked) %s', uncounted);
    return next uncounted::text;
  end loop;
end $$;
revoke execute on function analyze_uncounted_tables() from public;
grant execute on function analyze_uncounted_tables() to godwit_system;
