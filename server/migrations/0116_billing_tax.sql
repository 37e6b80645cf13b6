-- The operator's tax rates. A jurisdiction and code may have several, by their names, and each gives a line of its own. Of
-- one name the newest that has begun counts; one without a rate ends it. Rates are added and never changed, so that what
-- was taxed can be computed again.
create table tax_rates (
  jurisdiction text not null check (length(jurisdiction) between 1 and 128),
  code text not null check (length(code) between 1 and 128),
  name text not null check (length(name) between 1 and 128),
  valid_from date not null,
  rate_ppm integer check (rate_ppm between 0 and 1000000),
  created_by text not null,
  created_at timestamptz not null,
  primary key (jurisdiction, code, name, valid_from)
);
call make_append_only('tax_rates');
grant select on tax_rates to godwit_tenant;
grant select, insert on tax_rates to godwit_system;

-- A jurisdiction that does not exist, for the sandbox.
insert into tax_rates (jurisdiction, code, name, valid_from, rate_ppm, created_by, created_at) values
  ('TEST', 'standard', 'Test VAT', '2000-01-01', 200000, 'system:migration', '2026-11-16'),
  ('TEST', 'reduced', 'Test VAT', '2000-01-01', 55000, 'system:migration', '2026-11-16'),
  ('TEST', 'two_rates', 'Test GST', '2000-01-01', 50000, 'system:migration', '2026-11-16'),
  ('TEST', 'two_rates', 'Test QST', '2000-01-01', 99750, 'system:migration', '2026-11-16'),
  ('TEST', 'exempt', 'Exempt', '2000-01-01', 0, 'system:migration', '2026-11-16');

-- How an account is taxed in a currency. Set by the operator's staff; what it was before stands in the audit chain.
create table tax_profiles (
  account_sid text not null references accounts,
  livemode boolean not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  tax_provider text not null,
  tax_jurisdiction text not null,
  tax_code text not null,
  invoice_provider text not null,
  reason text not null,
  version integer not null check (version > 0),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_sid, livemode, currency)
);
call protect_tenant_table('tax_profiles');
grant select, insert, update on tax_profiles to godwit_tenant;
