-- What the ledger knows, as rows: a new account or a new kind of transfer is a row of a migration, and the code that moves
-- money names only the kind. A constraint on the transfers would have to be checked against all of them each time.
create table ledger_account_types (
  account text primary key,
  -- How low the balance may go; null for as low as it likes.
  lowest text check (lowest in ('zero', 'credit_limit'))
);
create table ledger_transfer_kinds (
  kind text primary key,
  debit_account text not null references ledger_account_types,
  credit_account text not null references ledger_account_types,
  -- Whether it is made even when it takes more than the credit limit allows. The minimum then sinks with it.
  beyond_limit boolean not null default false,
  check (debit_account <> credit_account)
);
insert into ledger_account_types (account, lowest) values
  ('available', 'credit_limit'),
  ('held', 'zero'),
  ('revenue', null),
  ('provider_cost', null),
  ('funding', null);
insert into ledger_transfer_kinds (kind, debit_account, credit_account, beyond_limit) values
  ('play_money', 'funding', 'available', false),
  ('operator_credit', 'funding', 'available', false),
  ('hold', 'available', 'held', false),
  ('release', 'held', 'available', false),
  ('capture', 'held', 'revenue', false),
  -- The message was delivered at a price above what was held.
  ('overage', 'available', 'revenue', true);
-- A transfer means for ever what its kind meant when it was made.
call make_append_only('ledger_account_types');
call make_append_only('ledger_transfer_kinds');
grant select on ledger_account_types, ledger_transfer_kinds to godwit_ledger, godwit_tenant, godwit_system;

alter table ledger_accounts drop constraint ledger_accounts_account_check,
  add foreign key (account) references ledger_account_types;
alter table ledger_transfers drop constraint ledger_transfers_moves;

create or replace function keep_ledger_accounts() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public as $$
begin
  if tg_op = 'INSERT' then
    insert into ledger_accounts (account_sid, livemode, wallet_id, account, balance_minor, minimum_minor)
    select new.account_sid, new.livemode, new.id, opened.account, 0,
      case opened.lowest when 'zero' then 0 when 'credit_limit' then -new.credit_limit_minor end
      from ledger_account_types opened;
  else
    update ledger_accounts a set minimum_minor = least(-new.credit_limit_minor, a.balance_minor)
      from ledger_account_types y
     where a.account_sid = new.account_sid and a.wallet_id = new.id and a.account = y.account
       and y.lowest = 'credit_limit';
  end if;
  return null;
end $$;

-- Brings the balances along with the transfers of a statement. The minimum of `available` is the credit limit, and sinks only
-- with what is taken beyond it, by exactly that; it rises again with whatever is paid in.
create or replace function post_transfers() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public as $$
declare
  touched integer;
  moved integer;
begin
  if exists (
    select from posted p where not exists (
      select from ledger_transfer_kinds k
       where k.kind = p.kind and k.debit_account = p.debit_account and k.credit_account = p.credit_account)) then
    raise exception 'a transfer is none that ledger_transfer_kinds lists'
      using errcode = 'check_violation', constraint = 'ledger_transfers_moves', table = 'ledger_transfers';
  end if;
  perform from wallets w
    where (w.account_sid, w.id) in (select p.account_sid, p.wallet_id from posted p)
    order by w.account_sid, w.id for no key update;
  select count(*) into touched from (
    select p.account_sid, p.livemode, p.wallet_id, p.debit_account from posted p
    union select p.account_sid, p.livemode, p.wallet_id, p.credit_account from posted p) named;
  update ledger_accounts a
     set balance_minor = a.balance_minor + m.change,
         minimum_minor = case when y.lowest = 'credit_limit'
           then least(-w.credit_limit_minor, greatest(a.minimum_minor, a.balance_minor + m.change + m.beyond) - m.beyond)
           else a.minimum_minor end
    from (select e.account_sid, e.livemode, e.wallet_id, e.account, sum(e.change)::bigint as change,
            coalesce(sum(-e.change) filter (where k.beyond_limit and k.debit_account = e.account), 0)::bigint as beyond
            from (select p.account_sid, p.livemode, p.wallet_id, p.kind, p.credit_account as account,
                    p.amount_minor as change from posted p
                  union all
                  select p.account_sid, p.livemode, p.wallet_id, p.kind, p.debit_account, -p.amount_minor
                    from posted p) e
            join ledger_transfer_kinds k on k.kind = e.kind
           group by e.account_sid, e.livemode, e.wallet_id, e.account) m
    join wallets w on w.account_sid = m.account_sid and w.livemode = m.livemode and w.id = m.wallet_id
    join ledger_account_types y on y.account = m.account
   where a.account_sid = m.account_sid and a.livemode = m.livemode and a.wallet_id = m.wallet_id
     and a.account = m.account;
  get diagnostics moved = row_count;
  if moved <> touched then
    raise exception 'a transfer names an account that does not exist' using errcode = 'foreign_key_violation';
  end if;
  return null;
end $$;
