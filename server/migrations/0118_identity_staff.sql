-- The operator's staff proves its second factor on the accounts it was let into. What that takes of a person who belongs to
-- another organization can be looked at there, for as long as the grant is not revoked, and none of it can be changed. The
-- person's own row stays hidden: they are nobody of the customer's.
create function visiting_staff() returns setof text language sql stable as $$
  select principal_ref from role_bindings
   where account_sid = any (current_accounts()) and principal_type = 'USER' and role = 'PLATFORM_STAFF'
     and scope_kind = 'SUBACCOUNT' and revoked_at is null
$$;
create policy staff on sessions for select to godwit_tenant using (user_sid in (select visiting_staff()));
create policy staff on mfa_credentials for select to godwit_tenant using (user_sid in (select visiting_staff()));
create policy staff on recovery_codes for select to godwit_tenant using (user_sid in (select visiting_staff()));
create policy staff on recovery_code_sets for select to godwit_tenant using (user_sid in (select visiting_staff()));
create policy staff on mfa_ceremonies for insert to godwit_tenant with check (user_sid in (select visiting_staff()));
