-- When people are told that little is left, and how much an account may spend in a month. Both stand with the wallet, so that a send
-- reads them with the row it locks anyway.
alter table wallets
  add column alert_minor bigint check (alert_minor >= 0),
  -- Whether it is still to be told. It is once, until money comes in or another threshold is set.
  add column alert_armed boolean not null default false,
  add column alert_fired_at timestamptz,
  add column budget_minor bigint check (budget_minor >= 0),
  add check (not alert_armed or alert_minor is not null);
grant update (alert_minor, alert_armed, alert_fired_at, budget_minor) on wallets to godwit_tenant;

-- What messages cost in a month, counted where it goes: `revenue` and `provider_cost`.
alter table ledger_accounts
  add column spent_minor bigint not null default 0,
  add column spent_month timestamptz not null default '-infinity';
-- Brings the balances along with the transfers of a statement. The minimum of `available` is the wallet's credit, and sinks only
-- with what is taken beyond it, by exactly that; it rises again with whatever is paid in. A transfer dated into closed time was
-- dated before somebody else closed it, and is made again. What messages cost is counted by the
-- month; a clock that is behind counts into the month that has begun.
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
           else a.minimum_minor end,
         spent_minor = case when a.spent_month >= m.month then a.spent_minor else 0 end + m.spent,
         spent_month = greatest(a.spent_month, m.month)
    from (select e.account_sid, e.livemode, e.wallet_id, e.account, sum(e.change)::bigint as change,
            coalesce(sum(-e.change) filter (where k.beyond_limit and k.debit_account = e.account), 0)::bigint as beyond,
            coalesce(sum(e.change) filter (where k.credit_account = e.account
              and e.kind in ('capture', 'overage', 'capture_provider', 'overage_provider')), 0)::bigint as spent,
            date_trunc('month', max(e.created_at), 'UTC') as month
            from (select p.account_sid, p.livemode, p.wallet_id, p.kind, p.created_at, p.credit_account as account,
                    p.amount_minor as change from posted p
                  union all
                  select p.account_sid, p.livemode, p.wallet_id, p.kind, p.created_at, p.debit_account, -p.amount_minor
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
