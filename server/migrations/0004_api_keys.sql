-- `lookup` is the public part of the key's text; of the secret part only a SHA-256 is kept.
create table api_keys (
  account_sid text not null references accounts,
  livemode boolean not null,
  id uuid not null,
  lookup text not null unique,
  secret_hash bytea not null,
  signing_secret bytea not null,
  name text not null,
  scopes text[] not null,
  allowed_cidrs text[] not null,
  signing_required boolean not null,
  requests_per_second integer check (requests_per_second > 0),
  created_by text not null,
  disabled_at timestamptz,
  expires_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_sid, id)
);
create index api_keys_newest on api_keys (account_sid, livemode, created_at desc, id desc);
call protect_tenant_table('api_keys');
call open_to_system('api_keys'); -- a key is looked up before its account is known
grant select, insert, update on api_keys to godwit_tenant;
grant select, update on api_keys to godwit_system;

-- Whoever changes a key tells every process to forget what it remembered of it.
create function announce_api_key() returns trigger
  language plpgsql as $$
begin
  perform pg_notify('api_key_changed', old.lookup);
  return null;
end $$;
create trigger announce after update of lookup, secret_hash, signing_secret, scopes, allowed_cidrs, signing_required,
    requests_per_second, disabled_at, expires_at on api_keys
  for each row execute function announce_api_key();

-- A nonce is kept until its timestamp can no longer be accepted.
create table request_nonces (
  account_sid text not null references accounts,
  livemode boolean not null,
  key_id uuid not null,
  nonce text not null,
  expires_at timestamptz not null,
  primary key (key_id, nonce)
);
create index request_nonces_by_expiry on request_nonces (expires_at);
call protect_tenant_table('request_nonces');
call open_to_system('request_nonces'); -- nonces are spent while the request is still being judged, and swept
grant select, insert, delete on request_nonces to godwit_system;
