-- What the payer is told it is for; whether it is being called off; what the service calls the charge, by which its own account
-- with us is compared.
alter table payment_intents
  add column description text not null default '',
  add column cancel_asked_at timestamptz,
  add column charge_id text;
create index payment_intents_by_charge on payment_intents (livemode, charge_id) where charge_id is not null;

-- What a dispute took and kept so far, by how many movements of the service's account it told.
alter table payment_disputes
  add column withdrawn_minor bigint not null default 0,
  add column fee_minor bigint not null default 0,
  add column moves integer not null default 0;
