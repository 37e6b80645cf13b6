-- A refund that had gone through came back from the bank: the money is on its way again before it returns to where it was.
insert into ledger_transfer_kinds (kind, debit_account, credit_account, beyond_limit) values
  ('refund_returned', 'funding', 'refunds_pending', false);

-- What the platform agreed to refund, by the approval that says so. It is good for one refund.
create table refund_consents (
  account_sid text not null references accounts,
  livemode boolean not null,
  approval_sid text not null,
  invoice_sid text,
  payment_intent_id uuid,
  currency text not null,
  amount_minor bigint not null check (amount_minor > 0),
  reason text not null,
  refund_id uuid,
  created_at timestamptz not null,
  primary key (account_sid, approval_sid),
  check (num_nonnulls(invoice_sid, payment_intent_id) = 1)
);
call protect_tenant_table('refund_consents');
grant select, insert, update on refund_consents to godwit_tenant;

-- Money that goes back to whoever paid. Amounts are in minor units of the currency itself.
create table refunds (
  account_sid text not null references accounts,
  livemode boolean not null,
  id uuid not null,
  state text not null check (state in ('pending', 'submitted', 'unknown', 'succeeded', 'failed')),
  reason text not null,
  approval_sid text not null,
  operation_sid text not null,
  wallet_id uuid not null,
  payment_intent_id uuid not null,
  invoice_sid text,
  currency text not null,
  scale smallint not null,
  amount_minor bigint not null check (amount_minor > 0),
  -- How much of it is tax that was paid with a top-up; null where it comes out of an invoice's credit.
  tax_minor bigint check (tax_minor between 0 and amount_minor),
  failure text,
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_sid, id),
  check ((tax_minor is null) = (invoice_sid is not null))
);
create unique index refunds_by_approval on refunds (account_sid, approval_sid);
create index refunds_newest on refunds (account_sid, livemode, id desc);
create index refunds_by_payment on refunds (account_sid, payment_intent_id);
call protect_tenant_table('refunds');
grant select, insert, update on refunds to godwit_tenant;
