-- Which provider backed the second factor a session was begun with: suspending that provider ends the session.
alter table sessions
  add column factor_method text,
  add column factor_provider_key text,
  add constraint sessions_factor_whole check ((factor_method is null) = (factor_provider_key is null));

-- For sessions that are open now, the factor their person used last is as near as can be known.
update sessions s
   set (factor_method, factor_provider_key) = (
     select c.method, c.provider_key from mfa_credentials c
      where c.user_sid = s.user_sid and lower(c.method) = any (s.methods)
      order by c.last_used_at desc nulls last, c.id limit 1)
 where s.revoked_at is null and s.methods && array['totp', 'webauthn'];
