-- What the provider billed the operator for a month, against what accounts were charged for it: one row a month and currency,
-- written anew by each look. Of no account: it is the operator's own bill.
create table partner_totals (
  livemode boolean not null,
  month date not null check (extract(day from month) = 1),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  -- In millionths of the currency.
  billed_minor numeric(30) not null,
  passed_on_minor numeric(30) not null,
  is_off boolean not null,
  looked_at timestamptz not null,
  primary key (livemode, month, currency)
);
grant select, insert, update on partner_totals to godwit_system;
