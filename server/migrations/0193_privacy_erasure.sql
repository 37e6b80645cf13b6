-- A message whose person was erased keeps what was paid and when, and no longer says to whom it went.
alter table messages alter column address drop not null;

-- Rows of a person go, wherever their module says that they do.
grant delete on contact_conflicts, contact_files, contact_file_parts, opt_in_submissions, media_provider_ids, suppressions,
  service_windows, marketing_caps to godwit_tenant;
grant update (answer, reason) on webhook_attempts to godwit_tenant;

-- What a receiver answered, what a customer instructed and what a segment asks for are histories: only a name in them can go.
grant update (resource_ref, instruction) on authorizations to godwit_tenant;
drop trigger append_only on authorizations;
create trigger append_only before delete or update of account_sid, livemode, id, task, instructed_by, created_at on authorizations
  for each row execute function refuse_change();
create trigger append_only_words before update on authorizations
  for each row when (new.instruction <> '[erased]' or new.resource_ref not in (old.resource_ref, '[erased]'))
  execute function refuse_change();
create index authorizations_by_resource on authorizations (account_sid, resource_ref);

grant update (filters) on segment_versions to godwit_tenant;
drop trigger append_only on segment_versions;
create trigger append_only before delete or update of account_sid, livemode, segment_sid, filter_version, contact_sids, created_by,
  created_at on segment_versions for each row execute function refuse_change();
create trigger append_only_filters before update on segment_versions
  for each row when (position('"[erased]"' in new.filters::text) = 0) execute function refuse_change();

create index contact_conflicts_by_contact on contact_conflicts (account_sid, contact_sid);
create index contact_conflicts_by_other on contact_conflicts (account_sid, other_contact_sid);
create index contact_merges_by_survivor on contact_merges (account_sid, survivor_sid);
create index contact_merges_by_merged on contact_merges (account_sid, merged_sid);

-- Callbacks that could not be applied lie there until somebody has seen to them, with what people wrote. They are of no account before
-- they are applied, so they are found by a number of the account and a name of the person that both stand in them.
create function erase_parked_callbacks(live boolean, numbers text[], names text[], at_most integer) returns integer
  language sql security definer set search_path = pg_catalog, public as $$
  with found as (
    select w.id from provider_callback_work w join provider_callbacks c using (id)
     where w.state = 'parked' and c.livemode = live
       and exists (select from unnest(numbers) as number where position(convert_to(number, 'UTF8') in c.body) > 0)
       and exists (select from unnest(names) as name where position(convert_to(name, 'UTF8') in c.body) > 0)
     order by w.id limit at_most),
  struck as (delete from provider_callback_work where id in (select id from found)),
  gone as (delete from provider_callbacks where id in (select id from found) returning id)
  select count(*)::integer from gone
$$;
revoke execute on function erase_parked_callbacks from public;
grant execute on function erase_parked_callbacks to godwit_tenant;

call without_samples('campaign_recipients', 'message');
