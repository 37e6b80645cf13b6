-- What an API key may do has a version too: a key that a process remembers is good exactly as long as it stands.
call keep_fact_version('api_keys', 'credentials', 'account_sid, livemode, id, lookup, secret_hash, signing_secret, scopes,
  allowed_cidrs, signing_required, requests_per_second, disabled_at, expires_at', 'select account_sid from changed');
call keep_fact_version('accounts', 'credentials', 'sid, parent_account_sid, organization_id', 'select sid from changed');
-- A binding may be on a whole organization, so the account is that of the key it is for.
create index api_keys_by_id on api_keys (id);
call keep_fact_version('role_bindings', 'credentials', 'organization_id, account_sid, inbox_sid, role, scope_kind, environment,
  expires_at, principal_type, principal_ref, revoked_at',
  'select k.account_sid from changed c join api_keys k
     on k.id = case when pg_input_is_valid(c.principal_ref, ''uuid'') then c.principal_ref::uuid end
    where c.principal_type = ''API_KEY''');
