-- ANALYZE copies values of a column into pg_statistic, where no erasure would find them, and a dump may carry them on. Columns that
-- hold something of a contact are therefore not sampled, and what was sampled before goes. Statements that run for every message find
-- their rows by their whole key without it (docs/decisions/0060-rows-are-found-by-their-whole-key.md).
create procedure without_samples(of_table regclass, variadic names name[]) language plpgsql as $$
declare
  each_name name;
begin
  foreach each_name in array names loop
    execute format('alter table %s alter column %I set statistics 0', of_table, each_name);
    -- From version 18 on what is there can be removed; before that version only a superuser can.
    if to_regprocedure('pg_clear_attribute_stats(text,text,text,boolean)') is not null then
      execute format('select pg_clear_attribute_stats(%L, %L, %L, false)', 'public', of_table::text, each_name);
    end if;
  end loop;
end
$$;

call without_samples('contacts', 'display_name', 'locale', 'timezone', 'attributes', 'search');
call without_samples('contact_identifiers', 'value');
call without_samples('contact_conflicts', 'identifiers');
call without_samples('contact_merges', 'reason');
call without_samples('messages', 'address', 'tags');
call without_samples('message_attempts', 'reason', 'provider_message_id');
call without_samples('provider_messages', 'provider_message_id');
call without_samples('parked_statuses', 'provider_message_id');
call without_samples('pair_rates', 'address');
call without_samples('consents', 'payload');
call without_samples('suppressions', 'source', 'lift_reason');
call without_samples('provider_blocks', 'provider_user');
call without_samples('media', 'filename', 'source_url', 'provider_media_id');
call without_samples('media_provider_ids', 'provider_media_id');
call without_samples('webhook_attempts', 'answer');
call without_samples('audit_entries', 'payload');
call without_samples('authorizations', 'resource_ref', 'instruction');
call without_samples('approvals', 'summary', 'decision_reason');
call without_samples('provider_callbacks', 'body');
call without_samples('workflow_contact_stops', 'reason');
