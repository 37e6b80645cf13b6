-- What people should know of, written with what happened. A row says what it is about by SIDs only; its words are made when
-- somebody reads it, in their language.
create table notifications (
  account_sid text not null references accounts (sid),
  livemode boolean not null,
  -- Begins with its time, so that the order of ids is that of creation.
  id uuid not null,
  type text not null,
  category text not null check (category in ('sender_health', 'template_status', 'action_required', 'operation_complete',
    'security', 'billing', 'conversation')),
  -- Whom it is for: 'scope:wabas:write', 'inbox:IB…', 'user:US…' or 'api_key:…'.
  audience text not null,
  -- For a single person, when what it is about lies in an inbox: whoever left that inbox sees it no more.
  inbox_sid text,
  resource text not null,
  params jsonb not null,
  -- Names the type and the audience too, so that rows that count up are always for the same people.
  dedupe_key text not null,
  -- Whether the same again is counted here. A row older than a day is closed by the next of its kind.
  counting boolean not null default true,
  count integer not null default 1,
  -- How often it had happened when mail was last sent about it, or found not to be wanted.
  mailed_count integer not null default 0,
  created_at timestamptz not null,
  last_at timestamptz not null,
  primary key (account_sid, id)
);
create unique index notifications_counting on notifications (account_sid, livemode, dedupe_key) where counting;
create index notifications_by_audience on notifications (account_sid, livemode, audience, id desc);
create index notifications_to_mail on notifications (last_at) where mailed_count < count;
create index notifications_by_last_at on notifications (last_at); -- for the sweep
call protect_tenant_table('notifications');
call open_to_system('notifications'); -- mail looks over all accounts, and old rows are swept
grant select, insert, update on notifications to godwit_tenant;
grant select, delete on notifications to godwit_system;
grant update (mailed_count) on notifications to godwit_system;

-- Who has read what. No foreign key: announcements are read as well, and both are swept.
create table notification_reads (
  account_sid text not null references accounts (sid),
  livemode boolean not null,
  -- 'user:US…' or 'api_key:…'
  principal text not null,
  notification_id uuid not null,
  -- How often it had happened by then: what happens again is unread again.
  count integer not null,
  read_at timestamptz not null,
  primary key (account_sid, livemode, principal, notification_id)
);
create index notification_reads_by_time on notification_reads (read_at); -- for the sweep
call protect_tenant_table('notification_reads');
call open_to_system('notification_reads');
grant select, insert, update on notification_reads to godwit_tenant;
grant select, delete on notification_reads to godwit_system;

-- What somebody set for themselves. A category without a row is as the service sets it.
create table notification_preferences (
  account_sid text not null references accounts (sid),
  livemode boolean not null,
  principal text not null,
  category text not null check (category in ('sender_health', 'template_status', 'action_required', 'operation_complete',
    'security', 'incident', 'product_update', 'billing', 'conversation')),
  email boolean not null,
  in_app boolean not null,
  updated_at timestamptz not null,
  primary key (account_sid, livemode, principal, category)
);
call protect_tenant_table('notification_preferences');
grant select, insert, update on notification_preferences to godwit_tenant;

create table notification_languages (
  account_sid text not null references accounts (sid),
  livemode boolean not null,
  principal text not null,
  locale text not null check (locale in ('en', 'fr')),
  updated_at timestamptz not null,
  primary key (account_sid, livemode, principal)
);
call protect_tenant_table('notification_languages');
grant select, insert, update, delete on notification_languages to godwit_tenant;

-- What the operator tells everybody, in every account and environment: one row, however many read it.
create table announcements (
  id uuid primary key,
  category text not null check (category in ('incident', 'product_update')),
  -- {"en": {"title": …, "body": …}, "fr": {…}}
  words jsonb not null,
  created_at timestamptz not null
);
grant select on announcements to godwit_tenant;
grant select, insert, delete on announcements to godwit_system;
