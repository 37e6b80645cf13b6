-- An operation may wait for somebody: for what, until when, and what they are to do. It has no job meanwhile. What of the next
-- action is secret, such as a link that carries a token, is sealed.
alter table operations
  add column awaits text,
  add column awaits_until timestamptz,
  add column next_action json,
  add column sealed_next_action bytea,
  add constraint operations_awaits_check check (
    (awaits is null and awaits_until is null and next_action is null and sealed_next_action is null)
    or (awaits is not null and awaits_until is not null and state = 'WAITING'));
create index operations_awaiting on operations (awaits_until) where awaits is not null;
