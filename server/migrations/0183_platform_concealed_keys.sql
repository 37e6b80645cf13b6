-- Idempotency keys and fingerprints are HMACs from now on. The secret is sealed, which SQL cannot open: what stands here in clear is
-- concealed by the first process that starts, before it serves anybody.
alter table idempotency_keys add column concealed boolean not null default false;
alter table idempotency_keys alter column concealed set default true;
create index idempotency_keys_in_clear on idempotency_keys (account_sid) where not concealed;
grant update on idempotency_keys to godwit_system;
