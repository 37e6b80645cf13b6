-- Plans: what an account may use, as the operator names and sets it. Null is without a limit; `features` null is every feature.
create table plans (
  name text primary key check (name ~ '^[a-z][a-z0-9_-]{0,39}$'),
  monthly_messages bigint check (monthly_messages between 0 and 1000000000000),
  sends_per_second integer check (sends_per_second between 1 and 1000000),
  requests_per_second integer check (requests_per_second between 1 and 1000000),
  features text[],
  created_at timestamptz not null,
  updated_at timestamptz not null
);
grant select on plans to godwit_tenant, godwit_system;
grant insert, update on plans to godwit_system;

-- An account without a plan has no limits: nothing is looked up and nothing is counted for it.
alter table accounts add column plan text references plans;
create index accounts_by_plan on accounts (plan) where plan is not null;
grant update (plan, updated_at) on accounts to godwit_tenant;

-- What an account with a limit has used of it in the newest month it sent in, and the sends that may still leave at once.
create table plan_uses (
  account_sid text not null references accounts,
  livemode boolean not null,
  month timestamptz not null,
  messages bigint not null check (messages >= 0),
  -- Of a bucket of tokens, in thousandths, as of a moment.
  tokens double precision not null,
  refilled_at timestamptz not null,
  primary key (account_sid, livemode)
) with (fillfactor = 50);
call protect_tenant_table('plan_uses');
call open_to_system('plan_uses');
grant select, insert, update on plan_uses to godwit_tenant;
grant select on plan_uses to godwit_system; -- for the metrics

-- What requests are judged by follows the plan of an account, and what plans say.
drop trigger facts_inserted on accounts;
drop trigger facts_deleted on accounts;
drop trigger facts_updated on accounts;
call keep_fact_version('accounts', 'facts', 'sid, status, plan', 'select sid from changed');
call keep_fact_version('plans', 'facts', 'name, monthly_messages, sends_per_second, requests_per_second, features',
  'select ''*'' from changed');

-- An API key may ask as often as the plan of its account says.
drop trigger credentials_inserted on accounts;
drop trigger credentials_deleted on accounts;
drop trigger credentials_updated on accounts;
call keep_fact_version('accounts', 'credentials', 'sid, parent_account_sid, organization_id, plan', 'select sid from changed');
call keep_fact_version('plans', 'credentials', 'name, requests_per_second',
  'select a.sid from accounts a join changed c on c.name = a.plan');
