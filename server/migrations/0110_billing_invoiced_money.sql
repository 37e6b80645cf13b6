-- Money that is invoiced, paid, credited and refunded: the ledger's accounts and kinds of transfer for it, periods that are
-- closed for good, and credit that shrinks with what is billed and unpaid.

-- How high a balance may go; null for as high as it likes.
alter table ledger_account_types add column highest text check (highest in ('zero'));
insert into ledger_account_types (account, lowest, highest) values
  ('receivable', null, 'zero'),      -- what invoices ask for and nobody has paid yet; below zero by that
  ('tax_payable', null, null),       -- tax that was charged, owed to the authorities
  ('credit_balance', 'zero', null),  -- what credit notes owe the customer, tax included; buys no messages
  ('refunds_pending', 'zero', null), -- on its way back to the payer
  ('bad_debt', null, null),
  ('rounding', null, null),
  ('provider_payable', null, null),  -- what the provider has billed the platform for
  ('processor_fees', null, null);
insert into ledger_transfer_kinds (kind, debit_account, credit_account, beyond_limit) values
  ('play_money_back', 'available', 'funding', false),
  ('top_up', 'funding', 'available', false),
  ('top_up_tax', 'funding', 'tax_payable', false),
  -- The provider's part of a message's price, where the platform pays the provider.
  ('capture_provider', 'held', 'provider_cost', false),
  ('overage_provider', 'available', 'provider_cost', true),
  ('provider_bill', 'provider_cost', 'provider_payable', false),
  ('invoice_usage', 'receivable', 'available', false),
  ('invoice_tax', 'receivable', 'tax_payable', false),
  ('rounding_up', 'rounding', 'available', false),
  ('rounding_down', 'available', 'rounding', false),
  ('invoice_payment', 'funding', 'receivable', false),
  -- A payment of an invoice that is not open any more: it was voided or paid another way meanwhile.
  ('invoice_overpayment', 'funding', 'credit_balance', false),
  ('credit_note', 'revenue', 'receivable', false),
  ('credit_note_tax', 'tax_payable', 'receivable', false),
  ('credit_note_paid', 'revenue', 'credit_balance', false),
  ('credit_note_tax_paid', 'tax_payable', 'credit_balance', false),
  ('credit_applied', 'credit_balance', 'receivable', false),
  -- The mirror of issuing. What returns to unbilled was spent long ago, so it is taken whatever is left.
  ('void_usage', 'available', 'receivable', true),
  ('void_tax', 'tax_payable', 'receivable', false),
  ('void_rounding_up', 'available', 'rounding', true),
  ('void_rounding_down', 'rounding', 'available', false),
  ('void_credit_applied', 'receivable', 'credit_balance', false),
  ('write_off', 'bad_debt', 'receivable', false),
  ('recovery', 'receivable', 'bad_debt', false),
  ('refund_hold', 'available', 'refunds_pending', false),
  ('refund_hold_tax', 'tax_payable', 'refunds_pending', false),
  ('refund_hold_credit', 'credit_balance', 'refunds_pending', false),
  ('refund_paid', 'refunds_pending', 'funding', false),
  ('refund_failed', 'refunds_pending', 'available', false),
  ('refund_failed_tax', 'refunds_pending', 'tax_payable', false),
  ('refund_failed_credit', 'refunds_pending', 'credit_balance', false),
  -- The bank took the money back, whatever is left of it.
  ('dispute_open', 'available', 'funding', true),
  ('dispute_open_tax', 'tax_payable', 'funding', false),
  ('dispute_open_invoice', 'receivable', 'funding', false),
  ('dispute_won', 'funding', 'available', false),
  ('dispute_won_tax', 'funding', 'tax_payable', false),
  ('dispute_won_invoice', 'funding', 'receivable', false),
  ('processor_fee', 'processor_fees', 'funding', false),
  ('processor_fee_back', 'funding', 'processor_fees', false),
  ('adjust_charge', 'available', 'revenue', true),
  ('adjust_credit', 'revenue', 'available', false),
  ('adjust_charge_provider', 'available', 'provider_cost', true),
  ('adjust_credit_provider', 'provider_cost', 'available', false);

alter table ledger_accounts add column maximum_minor bigint,
  add constraint ledger_accounts_maximum check (balance_minor <= maximum_minor);

-- What the wallet may spend beyond its balance, and until when its time is closed: nothing is dated before that any more.
alter table wallets add column credit_minor bigint not null default 0 check (credit_minor >= 0),
  add column closed_until timestamptz;

-- Row security holds for the owner too, who is to see every account's rows here.
alter table wallets no force row level security;
update wallets set credit_minor = credit_limit_minor;
alter table wallets force row level security;
-- Wallets that are there already get the new accounts.
set local role godwit_ledger;
insert into ledger_accounts (account_sid, livemode, wallet_id, account, balance_minor, minimum_minor, maximum_minor)
  select w.account_sid, w.livemode, w.id, y.account, 0, case y.lowest when 'zero' then 0 end, case y.highest when 'zero' then 0 end
    from wallets w cross join ledger_account_types y
   where y.account in ('receivable', 'tax_payable', 'credit_balance', 'refunds_pending', 'bad_debt', 'rounding',
     'provider_payable', 'processor_fees');
reset role;

-- The credit follows from the terms, from what is billed and unpaid, and from whether the wallet is suspended. It stands with the
-- wallet, so that a send reads it with the row it locks anyway.
create function keep_wallet_credit() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public as $$
begin
  new.credit_minor := case
    when new.billing_status = 'suspended' then 0
    when new.commercial_mode in ('credit_line', 'hybrid') then greatest(0, new.credit_limit_minor + coalesce((
      select a.balance_minor from ledger_accounts a
       where a.account_sid = new.account_sid and a.wallet_id = new.id and a.account = 'receivable'), 0))
    else new.credit_limit_minor end;
  if tg_op = 'UPDATE' and (new.closed_until is null and old.closed_until is not null or new.closed_until < old.closed_until) then
    raise exception 'the time of wallet % is closed until %', old.id, old.closed_until using errcode = 'insufficient_privilege';
  end if;
  return new;
end $$;
create trigger keep_credit before insert or update on wallets
  for each row execute function keep_wallet_credit();

create or replace function keep_ledger_accounts() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public as $$
begin
  if tg_op = 'INSERT' then
    insert into ledger_accounts (account_sid, livemode, wallet_id, account, balance_minor, minimum_minor, maximum_minor)
    select new.account_sid, new.livemode, new.id, opened.account, 0,
      case opened.lowest when 'zero' then 0 when 'credit_limit' then -new.credit_minor end,
      case opened.highest when 'zero' then 0 end
      from ledger_account_types opened;
  else
    update ledger_accounts a set minimum_minor = least(-new.credit_minor, a.balance_minor)
      from ledger_account_types y
     where a.account_sid = new.account_sid and a.wallet_id = new.id and a.account = y.account
       and y.lowest = 'credit_limit';
  end if;
  return null;
end $$;
drop trigger move_minimum on wallets;
create trigger move_minimum after update on wallets
  for each row when (new.credit_minor <> old.credit_minor) execute function keep_ledger_accounts();

-- Brings the balances along with the transfers of a statement. The minimum of `available` is the wallet's credit, and sinks only
-- with what is taken beyond it, by exactly that; it rises again with whatever is paid in. A transfer dated into closed time was
-- dated before somebody else closed it, and is made again.
create or replace function post_transfers() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public as $$
declare
  touched integer;
  moved integer;
  unlisted boolean;
  late boolean;
  billed boolean;
begin
  perform from wallets w
    where (w.account_sid, w.id) in (select p.account_sid, p.wallet_id from posted p)
    order by w.account_sid, w.id for no key update;
  select bool_or(k.kind is null), bool_or(p.created_at < w.closed_until), bool_or('receivable' in (p.debit_account, p.credit_account))
    into unlisted, late, billed
    from posted p
    left join ledger_transfer_kinds k
      on k.kind = p.kind and k.debit_account = p.debit_account and k.credit_account = p.credit_account
    left join wallets w on w.account_sid = p.account_sid and w.id = p.wallet_id;
  if unlisted then
    raise exception 'a transfer is none that ledger_transfer_kinds lists'
      using errcode = 'check_violation', constraint = 'ledger_transfers_moves', table = 'ledger_transfers';
  end if;
  if late then
    raise exception 'a transfer is dated into time that is closed'
      using errcode = 'serialization_failure', constraint = 'ledger_transfers_closed', table = 'ledger_transfers';
  end if;
  select count(*) into touched from (
    select p.account_sid, p.livemode, p.wallet_id, p.debit_account from posted p
    union select p.account_sid, p.livemode, p.wallet_id, p.credit_account from posted p) named;
  update ledger_accounts a
     set balance_minor = a.balance_minor + m.change,
         minimum_minor = case when y.lowest = 'credit_limit'
           then least(-w.credit_minor, greatest(a.minimum_minor, a.balance_minor + m.change + m.beyond) - m.beyond)
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
  if billed then
    -- The credit is worked out anew with the row, and the minimum of `available` with it.
    update wallets w set credit_minor = w.credit_minor
     where w.commercial_mode in ('credit_line', 'hybrid')
       and (w.account_sid, w.id) in (select p.account_sid, p.wallet_id from posted p);
  end if;
  return null;
end $$;
revoke execute on function keep_wallet_credit() from public;
grant create on schema public to godwit_ledger;
alter function keep_wallet_credit() owner to godwit_ledger;
revoke create on schema public from godwit_ledger;
grant update (closed_until) on wallets to godwit_tenant;

-- What is not about messages is little, and read by time: what an invoice and a statement list.
create index ledger_transfers_not_of_messages on ledger_transfers (account_sid, wallet_id, created_at)
  where kind not in ('hold', 'release', 'capture', 'overage', 'capture_provider', 'overage_provider');

-- Closed time of a wallet, in pieces that follow each other without a gap. The first takes everything before it too. A piece is
-- written once; afterwards only the documents made of it are named.
create table billing_periods (
  account_sid text not null,
  livemode boolean not null,
  wallet_id uuid not null,
  n integer not null check (n > 0),
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  -- What was available and held together at the end: what the next piece begins with.
  position_minor bigint not null,
  closed_at timestamptz not null,
  invoice_sid text,
  statement_sid text,
  primary key (account_sid, wallet_id, n),
  foreign key (account_sid, wallet_id) references wallets,
  check (starts_at < ends_at)
);
create unique index billing_periods_by_end on billing_periods (account_sid, wallet_id, ends_at);
create index billing_periods_by_invoice on billing_periods (account_sid, invoice_sid) where invoice_sid is not null;

create function guard_billing_period() returns trigger
  language plpgsql as $$
declare
  last billing_periods;
begin
  if tg_op = 'INSERT' then
    select * into last from billing_periods b
      where b.account_sid = new.account_sid and b.wallet_id = new.wallet_id order by b.n desc limit 1;
    if new.n <> coalesce(last.n, 0) + 1 or new.starts_at <> last.ends_at then
      raise exception 'the next period of wallet % is number %, from %', new.wallet_id, coalesce(last.n, 0) + 1, last.ends_at
        using errcode = 'check_violation', constraint = 'billing_periods_follow', table = 'billing_periods';
    end if;
    if not exists (select from wallets w
        where w.account_sid = new.account_sid and w.id = new.wallet_id and w.closed_until >= new.ends_at) then
      raise exception 'the time of wallet % is not closed until %', new.wallet_id, new.ends_at
        using errcode = 'check_violation', constraint = 'billing_periods_closed', table = 'billing_periods';
    end if;
    return new;
  end if;
  -- A voided invoice leaves its periods, and the next one takes them.
  if (old.account_sid, old.livemode, old.wallet_id, old.n, old.starts_at, old.ends_at, old.position_minor, old.closed_at)
      is distinct from (new.account_sid, new.livemode, new.wallet_id, new.n, new.starts_at, new.ends_at, new.position_minor, new.closed_at)
    or old.statement_sid <> coalesce(new.statement_sid, '') or old.invoice_sid <> new.invoice_sid then
    raise exception 'period % of wallet % is closed', old.n, old.wallet_id using errcode = 'insufficient_privilege';
  end if;
  return new;
end $$;
create trigger guard before insert or update on billing_periods
  for each row execute function guard_billing_period();
create trigger kept before delete on billing_periods for each row execute function refuse_change();
create trigger kept_truncate before truncate on billing_periods for each statement execute function refuse_change();
call protect_tenant_table('billing_periods');
call open_to_system('billing_periods'); -- `godwit ledger verify` recomputes what each ended with
grant select, insert, update (invoice_sid, statement_sid) on billing_periods to godwit_tenant;
grant select on billing_periods to godwit_system;
