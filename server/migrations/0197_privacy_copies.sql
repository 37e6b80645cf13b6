-- Copies of what is kept of a person, until they are fetched or their days are over: pages, each sealed by itself.
create table privacy_copy_parts (
  account_sid text not null references accounts (sid),
  livemode boolean not null,
  request_sid text not null,
  position integer not null,
  store text not null,
  entries integer not null,
  -- Before it was sealed.
  size_bytes integer not null,
  -- The files that go with it, from where they are kept.
  media_sids text[] not null,
  body bytea not null,
  primary key (account_sid, request_sid, position),
  foreign key (account_sid, request_sid) references privacy_requests (account_sid, sid)
);
call protect_tenant_table('privacy_copy_parts');
call without_samples('privacy_copy_parts', 'body');
grant select, insert, delete on privacy_copy_parts to godwit_tenant;
call open_to_system('privacy_copy_parts'); -- what is over is swept across accounts
grant select (account_sid, request_sid, position), delete on privacy_copy_parts to godwit_system;
grant select (export_expires_at) on privacy_requests to godwit_system;

create index media_uses_of_contact on media_uses (account_sid, contact_sid);
