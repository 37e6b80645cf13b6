-- Whose turn it was last in each inbox, where conversations are given to its members in turn.
create table assignment_turns (
  account_sid text not null,
  livemode boolean not null,
  inbox_sid text not null,
  user_sid text not null,
  primary key (account_sid, inbox_sid),
  foreign key (account_sid, inbox_sid) references inboxes
);
call protect_tenant_table('assignment_turns');
grant select, insert, update on assignment_turns to godwit_tenant;
