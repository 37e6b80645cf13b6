-- How the time of a wallet is divided, and from which card its invoices are collected. A wallet without a row goes by calendar
-- months, and nothing is collected.
create table billing_automations (
  account_sid text not null,
  livemode boolean not null,
  wallet_id uuid not null,
  -- The period that runs or is to be closed next, and the step to those after it.
  next_starts_at timestamptz not null,
  next_ends_at timestamptz not null,
  step json not null,
  -- The payment whose card was saved; invoices are charged to that card.
  payment_intent_id uuid not null,
  retry_delays_hours integer[] not null check (cardinality(retry_delays_hours) <= 24),
  provider_statement json,
  version integer not null check (version > 0),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_sid, wallet_id),
  foreign key (account_sid, wallet_id) references wallets (account_sid, id),
  check (next_starts_at < next_ends_at)
);
create index billing_automations_due on billing_automations (next_ends_at);
call protect_tenant_table('billing_automations');
call open_to_system('billing_automations'); -- what is due is looked for in all accounts at once
grant select, insert, update on billing_automations to godwit_tenant;
grant select on billing_automations to godwit_system;

-- What a closed period came to. Written once; its document says the same.
create table statements (
  account_sid text not null references accounts,
  livemode boolean not null,
  sid text not null,
  wallet_id uuid not null,
  -- Which period of the wallet.
  n integer not null,
  number text not null,
  currency text not null,
  scale integer not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  opening_minor bigint not null,
  closing_minor bigint not null,
  movements json not null,
  usage json not null,
  documents json not null,
  created_at timestamptz not null,
  primary key (account_sid, sid),
  unique (account_sid, wallet_id, n),
  foreign key (account_sid, wallet_id, n) references billing_periods (account_sid, wallet_id, n)
);
create index statements_newest on statements (account_sid, livemode, sid desc);
call protect_tenant_table('statements');
call make_append_only('statements');
grant select, insert on statements to godwit_tenant;

-- Amounts are in the minor units of the currency itself, but for `due_minor`, which is exact and in those of the wallet.
create table invoices (
  account_sid text not null references accounts,
  livemode boolean not null,
  sid text not null,
  wallet_id uuid not null,
  state text not null check (state in ('draft', 'pending_provider', 'open', 'past_due', 'paid', 'void', 'uncollectible', 'failed')),
  number text,
  currency text not null,
  scale integer not null,
  periods json not null,
  lines json not null,
  tax_lines json not null,
  due_minor bigint not null check (due_minor > 0),
  net_minor bigint not null check (net_minor > 0),
  tax_minor bigint not null check (tax_minor >= 0),
  paid_minor bigint not null default 0 check (paid_minor >= 0),
  credited_net_minor bigint not null default 0 check (credited_net_minor between 0 and net_minor),
  credited_tax_minor bigint not null default 0 check (credited_tax_minor between 0 and tax_minor),
  -- How much of what was credited was not paid yet, and so lessens what is owed.
  credited_open_minor bigint not null default 0 check (credited_open_minor between 0 and credited_net_minor + credited_tax_minor),
  written_off_minor bigint not null default 0 check (written_off_minor >= 0),
  -- When the ledger was told of the debt: what was closed before that still counts it as owed by the wallet.
  booked_at timestamptz not null,
  issued_at timestamptz,
  due_at timestamptz,
  -- How it is collected, as the automation said when it was issued.
  card_intent_id uuid,
  retry_delays_hours integer[] not null default '{}',
  collect_attempts integer not null default 0,
  next_attempt_at timestamptz,
  last_failure text,
  dunning text not null default 'none' check (dunning in ('none', 'retrying', 'action_required', 'exhausted', 'written_off')),
  -- The try of the card whose outcome is not known yet.
  attempt_intent_id uuid,
  -- Where it can be paid by card, sealed: whoever has the link sees what is asked for.
  sealed_hosted_url bytea,
  submission_provider text not null,
  submission_reference text,
  submission_attempts integer not null default 0,
  submission_error text,
  -- The evidence it was voided or written off with.
  ended_by text,
  ended_reason text,
  ended_evidence json,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_sid, sid),
  unique (account_sid, livemode, number),
  foreign key (account_sid, wallet_id) references wallets (account_sid, id),
  check ((number is null) = (issued_at is null)),
  check (paid_minor + credited_open_minor + written_off_minor <= net_minor + tax_minor)
);
create index invoices_newest on invoices (account_sid, livemode, sid desc);
create index invoices_of_wallet on invoices (account_sid, wallet_id, booked_at);
create index invoices_to_submit on invoices (updated_at) where state in ('draft', 'pending_provider');
create index invoices_to_collect on invoices (next_attempt_at) where next_attempt_at is not null;
create index invoices_to_fall_due on invoices (due_at) where state = 'open';
call protect_tenant_table('invoices');
call open_to_system('invoices'); -- what is due is looked for in all accounts at once
grant select, insert, update on invoices to godwit_tenant;
grant select on invoices to godwit_system;

-- Closed periods whose debt no invoice has: it was below what can be paid, or its invoice was voided. The next invoice takes them.
create table unbilled_periods (
  account_sid text not null,
  livemode boolean not null,
  wallet_id uuid not null,
  n integer not null,
  -- Since when the debt is the wallet's: a period that ended before does not know of it.
  since timestamptz not null,
  primary key (account_sid, wallet_id, n),
  foreign key (account_sid, wallet_id, n) references billing_periods (account_sid, wallet_id, n)
);
call protect_tenant_table('unbilled_periods');
grant select, insert, delete on unbilled_periods to godwit_tenant;

create table credit_notes (
  account_sid text not null references accounts,
  livemode boolean not null,
  id uuid not null,
  invoice_sid text not null,
  number text not null,
  currency text not null,
  scale integer not null,
  net_minor bigint not null check (net_minor > 0),
  tax_minor bigint not null check (tax_minor >= 0),
  reason text not null,
  evidence json not null,
  approval_sid text,
  created_by text not null,
  created_at timestamptz not null,
  primary key (account_sid, id),
  unique (account_sid, livemode, number),
  foreign key (account_sid, invoice_sid) references invoices (account_sid, sid)
);
create index credit_notes_of_invoice on credit_notes (account_sid, invoice_sid, id);
call protect_tenant_table('credit_notes');
call make_append_only('credit_notes');
grant select, insert on credit_notes to godwit_tenant;

-- What the platform owes a customer of an invoice that was paid: by a credit note, or by a payment too much. Taken up by the next
-- invoices, oldest first, or refunded.
create table invoice_credits (
  account_sid text not null,
  livemode boolean not null,
  id uuid not null,
  wallet_id uuid not null,
  invoice_sid text not null,
  amount_minor bigint not null check (amount_minor > 0),
  used_minor bigint not null default 0 check (used_minor between 0 and amount_minor),
  created_at timestamptz not null,
  primary key (account_sid, id),
  foreign key (account_sid, invoice_sid) references invoices (account_sid, sid)
);
create index invoice_credits_left on invoice_credits (account_sid, wallet_id, id) where used_minor < amount_minor;
create index invoice_credits_of_invoice on invoice_credits (account_sid, invoice_sid);
call protect_tenant_table('invoice_credits');
grant select, insert, update (used_minor) on invoice_credits to godwit_tenant;
