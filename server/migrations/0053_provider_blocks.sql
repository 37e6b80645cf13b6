-- Who is blocked at the provider because a suppression is mirrored there. A row is written before the provider is asked and goes
-- once it has unblocked them, so that nobody is left blocked of whom we do not know.
create table provider_blocks (
  account_sid text not null references accounts,
  livemode boolean not null,
  sender_sid text not null,
  -- As the provider names them: a phone number or a BSUID.
  provider_user text not null,
  contact_sid text not null,
  confirmed boolean not null,
  created_at timestamptz not null,
  primary key (account_sid, sender_sid, provider_user),
  foreign key (account_sid, sender_sid) references senders (account_sid, sid),
  foreign key (account_sid, contact_sid) references contacts (account_sid, sid)
);
create index provider_blocks_by_contact on provider_blocks (account_sid, contact_sid);
call protect_tenant_table('provider_blocks');
grant select, insert, update, delete on provider_blocks to godwit_tenant;

-- What became of mirroring, in place of a mark that it was asked for.
drop index suppressions_to_mirror;
alter table suppressions drop column mirror_requested_at;
alter table suppressions add column mirrored_at timestamptz;
alter table suppressions add column mirror_failure text;
