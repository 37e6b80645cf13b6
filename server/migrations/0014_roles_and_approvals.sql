-- Which requests have waited too long: the sweep sees where and until when, never what was asked.
create index approvals_due on approvals (expires_at) where state = 'PENDING';
create policy system on approvals for select to godwit_system using (true);
grant select (account_sid, livemode, sid, state, expires_at) on approvals to godwit_system;

-- The ways the audit chain is searched.
create index audit_entries_by_action on audit_entries (account_sid, livemode, action, sequence desc);
create index audit_entries_by_actor on audit_entries (account_sid, livemode, actor, sequence desc);
create index audit_entries_by_resource on audit_entries (account_sid, livemode, resource, sequence desc)
  where resource is not null;

-- The person whose second factor a key presented when it asked: they cannot approve it either.
alter table approvals add column vouched_by text;
