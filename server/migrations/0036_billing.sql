-- What a message costs. A card is drafted, published and never touched again; the one in force at a moment is the
-- published card that began last. Prices are the same for everybody, so these tables have no tenant.
create table rate_cards (
  version integer primary key check (version > 0),
  -- Decimals of every amount on the card; the wallets' amounts have the same.
  scale smallint not null check (scale between 0 and 9),
  effective_from timestamptz not null,
  published_at timestamptz,
  -- SHA-256 of everything the card says, taken when it is published.
  fingerprint text,
  -- Nobody learns of a price after it began.
  check (published_at <= effective_from),
  check ((published_at is null) = (fingerprint is null))
);
grant select on rate_cards to godwit_tenant, godwit_system;

-- Which market a country belongs to: one of its own, or a group. A country that is not listed belongs to OTHER.
create table rate_markets (
  version integer not null references rate_cards,
  country text not null check (country ~ '^[A-Z]{2}$'),
  market text not null check (market ~ '^[A-Z_]{2,16}$'),
  primary key (version, country)
);
grant select on rate_markets to godwit_tenant, godwit_system;

-- `platform_fee` is what an account is charged, `provider_cost` what the provider is expected to bill the business.
-- A market without a row of its own has the price of OTHER.
create table rates (
  version integer not null references rate_cards,
  kind text not null check (kind in ('platform_fee', 'provider_cost')),
  category text not null
    check (category in ('authentication', 'authentication_international', 'marketing', 'utility', 'service')),
  pricing_type text not null check (pricing_type in ('REGULAR', 'FREE_CUSTOMER_SERVICE', 'FREE_ENTRY_POINT')),
  transport text not null check (transport in ('cloud_api', 'marketing_messages')),
  market text not null check (market ~ '^[A-Z_]{2,16}$'),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  amount_minor bigint not null check (amount_minor >= 0),
  primary key (version, currency, kind, category, pricing_type, transport, market),
  check (transport = 'cloud_api' or category = 'marketing')
);
grant select on rates to godwit_tenant, godwit_system;

create function refuse_change_of_published_rates() returns trigger
  language plpgsql as $$
declare
  of_version integer := case when tg_op = 'DELETE' then old.version else new.version end;
begin
  -- Shared, so that a card is not published while its prices are still being written.
  perform from rate_cards c where c.version in (of_version, old.version) and c.published_at is not null for share;
  if found then
    raise exception 'rate card % is published and cannot change', of_version using errcode = 'insufficient_privilege';
  end if;
  return case when tg_op = 'DELETE' then old else new end;
end $$;
create trigger published before insert or update or delete on rates
  for each row execute function refuse_change_of_published_rates();
create trigger published before insert or update or delete on rate_markets
  for each row execute function refuse_change_of_published_rates();

-- A card begins as a draft. It is published once, when every category, pricing type and transport has its price for
-- OTHER in each of the card's currencies, so that no message can meet a gap.
create function guard_rate_card() returns trigger
  language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.published_at is not null then
      raise exception 'a rate card begins as a draft' using errcode = 'insufficient_privilege';
    end if;
    return new;
  end if;
  if old.published_at is not null then
    raise exception 'rate card % is published and cannot change', old.version using errcode = 'insufficient_privilege';
  end if;
  if tg_op = 'DELETE' then
    return old;
  end if;
  if new.published_at is not null then
    if not exists (select from rates r where r.version = new.version)
      or exists (
        select from (select distinct currency from rates r where r.version = new.version) priced
          cross join (values ('platform_fee'), ('provider_cost')) as k (kind)
         where 18 <> (select count(*) from rates r where r.version = new.version and r.currency = priced.currency
                         and r.kind = k.kind and r.market = 'OTHER')) then
      raise exception 'rate card % has a gap', new.version using errcode = 'check_violation';
    end if;
    new.fingerprint := (
      select encode(sha256(convert_to(string_agg(line, e'\n' order by line collate "C"), 'UTF8')), 'hex')
        from (select to_jsonb(r)::text as line from rates r where r.version = new.version
              union all select to_jsonb(m)::text from rate_markets m where m.version = new.version
              union all select jsonb_build_array(new.version, new.scale, new.effective_from)::text) said);
  end if;
  return new;
end $$;
create trigger guard before insert or update or delete on rate_cards
  for each row execute function guard_rate_card();

-- Version 1: amounts in millionths. The provider's costs are estimates near its public prices, by market.
insert into rate_cards (version, scale, effective_from) values (1, 6, '2025-07-01');

insert into rate_markets (version, country, market)
  select 1, country, coalesce(grouped.market, country)
    from (values
      (null, 'AE AR BR CL CO DE EG ES FR GB ID IL IN IT MX MY NG NL PE PK RU SA TR ZA'),
      ('NORTH_AMERICA', 'CA US'),
      ('AFRICA', 'AO BF BI BJ BW CG CI CM DZ ER ET GA GH GM GW KE LR LS LY MA MG ML MR MW MZ NA NE RW SD SL SN SO SS SZ TD TG TN TZ UG ZM'),
      ('ASIA_PACIFIC', 'AF AU BD CN HK JP KH LA LK MN NP NZ PG PH SG TH TJ TM TW UZ VN'),
      ('EUROPE_EAST', 'AL AM AZ BG BY CZ GE GR HR HU LT LV MD MK PL RO RS SI SK UA'),
      ('EUROPE_WEST', 'AT BE CH DK FI IE NO PT SE'),
      ('LATIN_AMERICA', 'BO CR DO EC GT HN HT JM NI PA PR PY SV UY VE'),
      ('MIDDLE_EAST', 'BH IQ JO KW LB OM QA YE')) as grouped (market, countries),
    regexp_split_to_table(grouped.countries, ' ') as country;

-- One price in dollars, the same in euros at nine tenths; all amounts below divide by ten.
with price (kind, category, pricing_type, transport, market, usd) as (
  -- What is free at the provider is free here.
  select kind, category, pricing_type, 'cloud_api', 'OTHER', 0
    from (values ('platform_fee'), ('provider_cost')) as k (kind),
      unnest('{authentication,authentication_international,marketing,utility,service}'::text[]) as category,
      unnest('{FREE_CUSTOMER_SERVICE,FREE_ENTRY_POINT}'::text[]) as pricing_type
  union all
  select kind, 'marketing', pricing_type, 'marketing_messages', 'OTHER', 0
    from (values ('platform_fee'), ('provider_cost')) as k (kind),
      unnest('{FREE_CUSTOMER_SERVICE,FREE_ENTRY_POINT}'::text[]) as pricing_type
  union all
  select 'platform_fee', fee.category, 'REGULAR', fee.transport, where_sent.market, fee.usd / where_sent.divisor
    from (values ('authentication', 'cloud_api', 4000), ('authentication_international', 'cloud_api', 4000),
        ('marketing', 'cloud_api', 6000), ('marketing', 'marketing_messages', 7000), ('utility', 'cloud_api', 4000),
        ('service', 'cloud_api', 2000)) as fee (category, transport, usd),
      (values ('OTHER', 1), ('IN', 2), ('ID', 2), ('PK', 2)) as where_sent (market, divisor)
  union all
  -- Free-form messages cost what utility templates do.
  select 'provider_cost', cost.category, 'REGULAR', cost.transport, of_market.market,
      case cost.category when 'marketing' then of_market.marketing when 'authentication_international'
        then coalesce(of_market.international, of_market.utility) else of_market.utility end
    from (values ('authentication', 'cloud_api'), ('authentication_international', 'cloud_api'), ('marketing', 'cloud_api'),
        ('marketing', 'marketing_messages'), ('utility', 'cloud_api'), ('service', 'cloud_api')) as cost (category, transport),
      (values
        ('OTHER', 60400, 7700, null), ('NORTH_AMERICA', 25000, 3400, null), ('AFRICA', 22500, 4000, null),
        ('ASIA_PACIFIC', 73200, 11300, null), ('EUROPE_EAST', 86000, 21200, null), ('EUROPE_WEST', 59200, 17100, null),
        ('LATIN_AMERICA', 74000, 11300, null), ('MIDDLE_EAST', 34100, 9100, null), ('AE', 38400, 15700, 51000),
        ('AR', 61800, 26000, null), ('BR', 62500, 6800, null), ('CL', 88900, 20000, null), ('CO', 12500, 800, null),
        ('DE', 136500, 55000, null), ('EG', 64400, 3600, 65000), ('ES', 61500, 20000, null), ('FR', 85900, 30000, null),
        ('GB', 52900, 22000, null), ('ID', 41100, 25000, 136000), ('IL', 35300, 5300, null), ('IN', 11800, 1400, 30400),
        ('IT', 69100, 30000, null), ('MX', 30500, 8500, null), ('MY', 86000, 14000, 41800), ('NG', 51600, 6700, 75000),
        ('NL', 159700, 50000, null), ('PE', 70300, 20000, null), ('PK', 47300, 5400, 75000), ('RU', 80200, 40000, null),
        ('SA', 45500, 10700, 59800), ('TR', 10900, 5300, null), ('ZA', 37900, 7600, 20000))
        as of_market (market, marketing, utility, international))
insert into rates (version, kind, category, pricing_type, transport, market, currency, amount_minor)
  select 1, kind, category, pricing_type, transport, market, currency,
      case currency when 'EUR' then usd * 9 / 10 else usd end
    from price, unnest('{USD,EUR}'::text[]) as currency;

update rate_cards set published_at = effective_from where version = 1;

-- Money of one account, environment and currency. All changes of a wallet's balances happen under the lock of its row
-- here: one lock, taken first, in the order of ids.
create table wallets (
  account_sid text not null references accounts,
  livemode boolean not null,
  id uuid not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  scale smallint not null check (scale between 0 and 9),
  commercial_mode text not null default 'prepaid'
    check (commercial_mode in ('prepaid', 'postpaid', 'credit_line', 'invoice', 'hybrid')),
  credit_limit_minor bigint not null default 0 check (credit_limit_minor >= 0),
  billing_status text not null default 'active' check (length(billing_status) between 1 and 64),
  dunning_state text not null default 'none' check (length(dunning_state) between 1 and 64),
  -- The wallet messages are paid from.
  pays boolean not null default true,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_sid, id),
  check (commercial_mode <> 'prepaid' or credit_limit_minor = 0)
) with (fillfactor = 50);
create unique index wallets_by_currency on wallets (account_sid, livemode, currency);
create unique index wallets_paying on wallets (account_sid, livemode) where pays;

-- The ledger's accounts, those of the platform too: each wallet has its own, so that no two customers ever wait for the
-- same row. A balance is what was credited less what was debited; the balances of a wallet sum to zero.
--   available, held            what the customer can still spend, what is set aside for messages on their way
--   revenue, provider_cost     what the platform earned, what it owes the provider
--   funding                    where money came from; as far below zero as was ever paid in
create table ledger_accounts (
  account_sid text not null,
  livemode boolean not null,
  wallet_id uuid not null,
  account text not null check (account in ('available', 'held', 'revenue', 'provider_cost', 'funding')),
  balance_minor bigint not null,
  -- How low the balance may go; null for the platform's accounts.
  minimum_minor bigint,
  primary key (account_sid, wallet_id, account),
  foreign key (account_sid, wallet_id) references wallets,
  constraint ledger_accounts_minimum check (balance_minor >= minimum_minor)
) with (fillfactor = 50);

-- Every movement of money, once: a kind happens at most once to a reference, which for messages is their SID. The moves
-- that exist are listed; a new one is a migration.
create table ledger_transfers (
  account_sid text not null,
  livemode boolean not null,
  wallet_id uuid not null,
  kind text not null,
  reference text not null check (length(reference) between 1 and 128),
  debit_account text not null,
  credit_account text not null,
  amount_minor bigint not null check (amount_minor > 0),
  created_at timestamptz not null,
  primary key (account_sid, reference, kind),
  constraint ledger_transfers_moves check ((kind, debit_account, credit_account) in (
    ('play_money', 'funding', 'available'),
    ('operator_credit', 'funding', 'available'),
    ('hold', 'available', 'held'),
    ('release', 'held', 'available'),
    ('capture', 'held', 'revenue'),
    ('overage', 'available', 'revenue')))
);
call make_append_only('ledger_transfers');

-- What is set aside for each message and what became of it. A message that costs nothing has its row too. It names no
-- wallet by reference: a thousand rows come in one statement, and that statement finds the wallet.
create table message_holds (
  account_sid text not null,
  livemode boolean not null,
  message_sid text not null,
  wallet_id uuid not null,
  amount_minor bigint not null check (amount_minor >= 0),
  state text not null default 'held' check (state in ('held', 'settled', 'released')),
  final_minor bigint check (final_minor >= 0),
  held_at timestamptz not null,
  closed_at timestamptz,
  primary key (account_sid, message_sid),
  check ((state = 'held') = (closed_at is null)),
  check ((state = 'settled') = (final_minor is not null))
) with (fillfactor = 70);

create function refuse_change_of_closed_hold() returns trigger
  language plpgsql as $$
begin
  raise exception 'the hold of % is %', old.message_sid, old.state using errcode = 'insufficient_privilege';
end $$;
create trigger closed before update on message_holds
  for each row when (old.state <> 'held') execute function refuse_change_of_closed_hold();

-- Balances are written by the two functions below and by nobody else: they run as a role of their own, and the serving
-- roles cannot change a balance at all. So a balance without its transfer cannot come to be.
do $$
begin
  if not exists (select from pg_roles where rolname = 'godwit_ledger') then
    create role godwit_ledger nologin;
  end if;
exception
  when duplicate_object or unique_violation then null;
end $$;
do $$
begin
  execute format('grant godwit_ledger to %I', current_user);
end $$;
grant usage on schema public to godwit_ledger;
grant select, update on wallets to godwit_ledger;
grant select, insert, update on ledger_accounts to godwit_ledger;

-- A wallet comes with its accounts. A changed credit limit holds at once; a balance that is already lower stays where
-- it is and cannot sink further.
create function keep_ledger_accounts() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public as $$
begin
  if tg_op = 'INSERT' then
    insert into ledger_accounts (account_sid, livemode, wallet_id, account, balance_minor, minimum_minor)
    select new.account_sid, new.livemode, new.id, opened.account, 0, opened.minimum_minor
      from (values ('available', -new.credit_limit_minor), ('held', 0), ('revenue', null), ('provider_cost', null),
        ('funding', null)) as opened (account, minimum_minor);
  else
    update ledger_accounts a set minimum_minor = least(-new.credit_limit_minor, a.balance_minor)
     where a.account_sid = new.account_sid and a.wallet_id = new.id and a.account = 'available';
  end if;
  return null;
end $$;
create trigger open_accounts after insert on wallets
  for each row execute function keep_ledger_accounts();
create trigger move_minimum after update on wallets
  for each row when (new.credit_limit_minor <> old.credit_limit_minor) execute function keep_ledger_accounts();

-- Brings the balances along with the transfers of a statement. The minimum of `available` is the credit limit, with one
-- exception: a final price above what was held is taken even when nothing is left, because the message was delivered.
-- The minimum then sinks by exactly that difference, and rises again with whatever is paid in.
create function post_transfers() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public as $$
declare
  touched integer;
  moved integer;
begin
  perform from wallets w
    where (w.account_sid, w.id) in (select p.account_sid, p.wallet_id from posted p)
    order by w.account_sid, w.id for no key update;
  select count(*) into touched from (
    select p.account_sid, p.livemode, p.wallet_id, p.debit_account from posted p
    union select p.account_sid, p.livemode, p.wallet_id, p.credit_account from posted p) named;
  update ledger_accounts a
     set balance_minor = a.balance_minor + m.change,
         minimum_minor = case when a.account = 'available'
           then least(-w.credit_limit_minor, greatest(a.minimum_minor, a.balance_minor + m.change + m.overage) - m.overage)
           else a.minimum_minor end
    from (select e.account_sid, e.livemode, e.wallet_id, e.account, sum(e.change)::bigint as change,
            coalesce(sum(-e.change) filter (where e.kind = 'overage'), 0)::bigint as overage
            from (select p.account_sid, p.livemode, p.wallet_id, p.kind, p.credit_account as account,
                    p.amount_minor as change from posted p
                  union all
                  select p.account_sid, p.livemode, p.wallet_id, p.kind, p.debit_account, -p.amount_minor
                    from posted p) e
           group by e.account_sid, e.livemode, e.wallet_id, e.account) m
    join wallets w on w.account_sid = m.account_sid and w.livemode = m.livemode and w.id = m.wallet_id
   where a.account_sid = m.account_sid and a.livemode = m.livemode and a.wallet_id = m.wallet_id
     and a.account = m.account;
  get diagnostics moved = row_count;
  if moved <> touched then
    raise exception 'a transfer names an account that does not exist' using errcode = 'foreign_key_violation';
  end if;
  return null;
end $$;
create trigger post after insert on ledger_transfers referencing new table as posted
  for each statement execute function post_transfers();

revoke execute on function keep_ledger_accounts() from public;
revoke execute on function post_transfers() from public;
grant create on schema public to godwit_ledger;
alter function keep_ledger_accounts() owner to godwit_ledger;
alter function post_transfers() owner to godwit_ledger;
revoke create on schema public from godwit_ledger;

-- Accounts that are there already get what new ones get: a wallet in each environment, in the sandbox with play money.
call protect_tenant_table('ledger_accounts');
create policy ledger on ledger_accounts to godwit_ledger using (true) with check (true);
alter table accounts no force row level security;
insert into wallets (account_sid, livemode, id, currency, scale, created_at, updated_at)
  select a.sid, e.livemode, gen_random_uuid(), 'USD', 6, a.created_at, a.created_at
    from accounts a cross join (values (true), (false)) as e (livemode);
alter table accounts force row level security;
insert into ledger_transfers (account_sid, livemode, wallet_id, kind, reference, debit_account, credit_account,
    amount_minor, created_at)
  select w.account_sid, w.livemode, w.id, 'play_money', w.id::text, 'funding', 'available', 1000000000, w.created_at
    from wallets w where not w.livemode;

call protect_tenant_table('wallets');
create policy ledger on wallets to godwit_ledger using (true) with check (true);
call protect_tenant_table('ledger_transfers');
call protect_tenant_table('message_holds');
call open_to_system('wallets'); -- `godwit ledger verify` recomputes every wallet
call open_to_system('ledger_accounts');
call open_to_system('ledger_transfers');
call open_to_system('message_holds');
grant select, insert, update (commercial_mode, credit_limit_minor, billing_status, dunning_state, pays, updated_at)
  on wallets to godwit_tenant;
grant select on ledger_accounts to godwit_tenant;
grant select, insert on ledger_transfers to godwit_tenant;
grant select, insert, update (state, final_minor, closed_at) on message_holds to godwit_tenant;
grant select on wallets, ledger_accounts, ledger_transfers, message_holds to godwit_system;
