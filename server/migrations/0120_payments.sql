-- Who an account is at the payment service, in each environment: the service keeps saved cards by this customer.
create table payment_customers (
  account_sid text not null references accounts,
  livemode boolean not null,
  customer_id text not null,
  created_at timestamptz not null,
  primary key (account_sid, livemode),
  unique (livemode, customer_id)
);
call protect_tenant_table('payment_customers');
grant select, insert on payment_customers to godwit_tenant;

-- Payments: what is asked of somebody once, through the payment service or by transfer, and what became of it. Amounts are in
-- the minor units of the currency itself, not in those of the wallet.
create table payment_intents (
  account_sid text not null references accounts,
  livemode boolean not null,
  id uuid not null,
  purpose text not null check (purpose in ('top_up', 'invoice')),
  provider text not null check (provider in ('stripe', 'transfer')),
  state text not null check (state in ('created', 'requires_action', 'processing', 'succeeded', 'failed', 'canceled',
    'expired', 'partially_refunded', 'refunded', 'disputed', 'charged_back')),
  wallet_id uuid not null,
  currency text not null,
  scale integer not null check (scale between 0 and 4),
  net_minor bigint not null check (net_minor > 0),
  tax_minor bigint not null check (tax_minor >= 0),
  tax_lines json not null,
  refunded_minor bigint not null default 0 check (refunded_minor >= 0),
  -- Refunds that are asked for and not decided.
  refunding_minor bigint not null default 0 check (refunding_minor >= 0),
  -- What banks hold back or have taken back; a dispute can be about more than was paid.
  disputed_minor bigint not null default 0 check (disputed_minor >= 0),
  -- What the service kept for itself; null until it has told.
  fee_minor bigint check (fee_minor >= 0),
  invoice_sid text,
  operation_sid text,
  receipt_sid text,
  save_card boolean not null,
  -- Of the link on which it is paid only a SHA-256 finds the row; sealed, the token is shown again to whoever may read the payment.
  token_hash bytea unique,
  sealed_token bytea,
  -- Its names at the service.
  customer_id text,
  method_id text,
  payment_id text,
  -- The reference of a transfer.
  reference text,
  card json,
  failure json,
  -- Why a person must look: what the service tells does not fit what was asked for.
  parked text,
  expires_at timestamptz,
  succeeded_at timestamptz,
  -- When to ask the service, if it says nothing by itself; null when nothing more is expected.
  look_at timestamptz,
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_sid, id),
  foreign key (account_sid, wallet_id) references wallets (account_sid, id),
  check (purpose = 'invoice' or invoice_sid is null),
  check (provider = 'stripe' or reference is not null)
);
create index payment_intents_newest on payment_intents (account_sid, livemode, id desc);
create index payment_intents_of_invoice on payment_intents (account_sid, livemode, invoice_sid) where invoice_sid is not null;
create unique index payment_intents_by_payment on payment_intents (livemode, payment_id) where payment_id is not null;
create unique index payment_intents_by_reference on payment_intents (account_sid, livemode, reference)
  where reference is not null;
create index payment_intents_to_look_at on payment_intents (look_at) where look_at is not null;
create index payment_intents_parked on payment_intents (updated_at) where parked is not null;
call protect_tenant_table('payment_intents');
call open_to_system('payment_intents'); -- found by links and by what the service calls them, before their account is known
grant select, insert, update on payment_intents to godwit_tenant;
grant select on payment_intents to godwit_system;

-- What was asked of the service, committed before it is asked: a page to pay on, a charge of a saved card, a refund. An attempt
-- is asked for under one idempotency key, however often, and is resolved once nothing more can come of it.
create table payment_attempts (
  account_sid text not null references accounts,
  livemode boolean not null,
  id uuid not null,
  intent_id uuid not null,
  step text not null check (step in ('session', 'charge', 'refund')),
  attempt integer not null check (attempt > 0),
  idempotency_key text not null,
  invoice_sid text,
  -- The refund it is for, and how much of it: another module's.
  refund_id uuid,
  amount_minor bigint,
  reason text,
  -- Of a page: until when somebody can pay on it, and where it is.
  expires_at timestamptz,
  url text,
  -- What the service calls what was made.
  object_id text,
  outcome text,
  created_at timestamptz not null,
  answered_at timestamptz,
  resolved_at timestamptz,
  primary key (account_sid, id),
  unique (account_sid, livemode, idempotency_key),
  foreign key (account_sid, intent_id) references payment_intents (account_sid, id),
  check ((step = 'refund') = (refund_id is not null and amount_minor is not null))
);
create index payment_attempts_of_intent on payment_attempts (account_sid, livemode, intent_id, created_at);
create index payment_attempts_unresolved on payment_attempts (created_at) where resolved_at is null;
-- Nobody can pay an invoice twice: no card is charged while a page is open, no page opens while a card is charged.
create unique index payment_attempts_one_of_invoice on payment_attempts (account_sid, livemode, invoice_sid)
  where invoice_sid is not null and resolved_at is null and step <> 'refund';
call protect_tenant_table('payment_attempts');
call open_to_system('payment_attempts'); -- metrics count them
grant select, insert, update on payment_attempts to godwit_tenant;
grant select on payment_attempts to godwit_system;

create table payment_disputes (
  account_sid text not null references accounts,
  livemode boolean not null,
  id uuid not null,
  intent_id uuid not null,
  dispute_id text not null,
  -- An inquiry takes no money.
  state text not null check (state in ('inquiry', 'open', 'won', 'lost')),
  amount_minor bigint not null check (amount_minor >= 0),
  reason text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_sid, id),
  unique (account_sid, livemode, dispute_id),
  foreign key (account_sid, intent_id) references payment_intents (account_sid, id)
);
create index payment_disputes_of_intent on payment_disputes (account_sid, livemode, intent_id);
call protect_tenant_table('payment_disputes');
grant select, insert, update on payment_disputes to godwit_tenant;

create table receipts (
  account_sid text not null references accounts,
  livemode boolean not null,
  sid text not null,
  number text not null,
  intent_id uuid not null,
  created_at timestamptz not null,
  primary key (account_sid, sid),
  unique (account_sid, intent_id),
  unique (account_sid, livemode, number),
  foreign key (account_sid, intent_id) references payment_intents (account_sid, id)
);
create index receipts_newest on receipts (account_sid, livemode, sid desc);
call protect_tenant_table('receipts');
grant select, insert on receipts to godwit_tenant;

-- Webhooks of the payment service, and what its list of events told that no webhook did. Only what leads to the payment is
-- kept: what happened is asked of the service anyway.
create table payment_callbacks (
  livemode boolean not null,
  event_id text not null,
  type text not null,
  object_id text not null,
  payment_id text,
  account_sid text,
  intent_id uuid,
  happened_at timestamptz not null,
  received_at timestamptz not null,
  listed boolean not null,
  -- `passed` is about no payment of ours.
  state text not null check (state in ('due', 'done', 'passed')),
  attempts integer not null default 0,
  due_at timestamptz not null,
  primary key (livemode, event_id)
);
create index payment_callbacks_due on payment_callbacks (due_at) where state = 'due';
create index payment_callbacks_by_age on payment_callbacks (received_at) where state <> 'due';
grant select, insert, update, delete on payment_callbacks to godwit_system;

-- How far the service's own list of events has been read.
create table payment_event_lists (
  livemode boolean primary key,
  read_until timestamptz not null
);
grant select, insert, update on payment_event_lists to godwit_system;
