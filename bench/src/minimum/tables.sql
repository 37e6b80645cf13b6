-- What a send leaves behind, in as few rows as say it, behind the same row security as the service's own tables.
do $$
begin
  if not exists (select from pg_roles where rolname = 'bench_tenant') then
    create role bench_tenant nologin;
  end if;
  execute format('grant bench_tenant to %I', current_user);
end $$;

create function current_accounts() returns text[]
  language sql stable parallel safe
  return string_to_array(nullif(current_setting('app.accounts', true), ''), ',');

create function current_livemode() returns boolean
  language sql stable parallel safe
  return nullif(current_setting('app.livemode', true), '')::boolean;

create table contacts (
  account_sid text not null, livemode boolean not null, address text not null, sid text not null,
  primary key (account_sid, livemode, address)
);
create table wallets (
  account_sid text not null, livemode boolean not null,
  available_minor bigint not null check (available_minor >= 0), held_minor bigint not null,
  primary key (account_sid, livemode)
) with (fillfactor = 20);
create table event_heads (
  account_sid text not null, livemode boolean not null, sequence bigint not null,
  primary key (account_sid, livemode)
) with (fillfactor = 20);
create table idempotency_keys (
  account_sid text not null, livemode boolean not null, key text not null, fingerprint bytea not null,
  event_sid text not null, expires_at timestamptz not null,
  primary key (account_sid, livemode, key)
);
create table messages (
  account_sid text not null, livemode boolean not null, sid text not null, sender_sid text not null,
  contact_sid text not null, address text not null, type text not null, content json not null,
  created_by text not null, created_at timestamptz not null,
  primary key (account_sid, sid)
);
create table message_states (
  account_sid text not null, livemode boolean not null, sid text not null, sender_sid text not null, status text not null,
  waiting boolean not null, due_at timestamptz, updated_at timestamptz not null,
  primary key (account_sid, sid)
);
create index message_states_in_line on message_states (account_sid, sender_sid, due_at, sid) where waiting;
create table transfers (
  account_sid text not null, livemode boolean not null, reference text not null, kind text not null,
  amount_minor bigint not null check (amount_minor > 0), created_at timestamptz not null,
  primary key (account_sid, reference, kind)
);
create table events (
  account_sid text not null, livemode boolean not null, sequence bigint not null, sid text not null, type text not null,
  created_at timestamptz not null, data json not null,
  primary key (account_sid, livemode, sequence)
);
create unique index events_by_sid on events (account_sid, sid);

do $$
declare
  protected text;
begin
  foreach protected in array array['contacts', 'wallets', 'event_heads', 'idempotency_keys', 'messages', 'message_states',
    'transfers', 'events']
  loop
    execute format('alter table %I enable row level security', protected);
    execute format('alter table %I force row level security', protected);
    execute format(
      'create policy tenant on %I to bench_tenant
         using (account_sid = any ((select current_accounts())::text[]) and livemode = (select current_livemode()))
         with check (account_sid = any ((select current_accounts())::text[]) and livemode = (select current_livemode()))',
      protected);
    execute format('grant select, insert, update on %I to bench_tenant', protected);
  end loop;
end $$;
