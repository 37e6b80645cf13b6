-- Who pays the provider for a business account's messages: the business itself (direct), or the operator by its credit line, who
-- then charges the account for it (partner).
alter table wabas add column billing_mode text not null default 'direct' check (billing_mode in ('direct', 'partner')),
  -- Null for one that was never in another mode.
  add column billing_mode_since timestamptz;
drop trigger facts_inserted on wabas;
drop trigger facts_deleted on wabas;
drop trigger facts_updated on wabas;
call keep_fact_version('wabas', 'facts', 'account_sid, livemode, sid, portfolio_id, provider_waba_id, name, connection_state,
  connected_at, disconnected_at, disconnect_reason, ban_state, review_status, restrictions, template_cap, marketing_messages,
  catalog_ids, billing_mode, billing_mode_since, created_at, updated_at', 'select account_sid from changed');

-- As of its admission: what a message is charged never follows a later change of the mode. Null for direct.
alter table messages add column partner_billed boolean;

-- What an account is charged for the provider's bill, where the operator pays it.
alter table rates drop constraint rates_kind_check,
  add constraint rates_kind_check check (kind in ('platform_fee', 'provider_cost', 'provider_pass_through'));

-- A card has all prices of a kind or none, so that no message can meet a gap; and once accounts can be billed through the
-- operator, no later card may leave them without a price.
create or replace function guard_rate_card() returns trigger
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
          cross join (values ('platform_fee', true), ('provider_cost', true), ('provider_pass_through', exists (
              select from rates r join rate_cards c on c.version = r.version
               where r.kind = 'provider_pass_through' and (r.version = new.version
                 or (c.published_at is not null and c.effective_from <= new.effective_from))))) as k (kind, needed)
         where k.needed
           and 18 <> (select count(*) from rates r where r.version = new.version and r.currency = priced.currency
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

-- Version 2: fees and costs as on the first; what the provider is expected to bill is passed on as it is.
insert into rate_cards (version, scale, effective_from) values (2, 6, '2026-11-16');
insert into rate_markets (version, country, market) select 2, country, market from rate_markets where version = 1;
insert into rates (version, kind, category, pricing_type, transport, market, currency, amount_minor)
  select 2, kind, category, pricing_type, transport, market, currency, amount_minor from rates where version = 1
  union all
  select 2, 'provider_pass_through', category, pricing_type, transport, market, currency, amount_minor
    from rates where version = 1 and kind = 'provider_cost';
update rate_cards set published_at = effective_from where version = 2;

-- A change of a business account's billing mode, from the request to its revocation.
create table billing_mode_switches (
  account_sid text not null references accounts,
  livemode boolean not null,
  id uuid not null,
  waba_sid text not null,
  state text not null check (state in ('requested', 'awaiting_acceptance', 'accepted', 'allocating', 'verifying', 'active',
    'failed', 'revoking', 'confirming', 'direct')),
  currency text not null,
  terms_version text not null,
  -- The business at the provider that receives the credit line, and its account.
  receiving_business_id text not null,
  provider_waba_id text not null,
  operation_sid text not null,
  credit_line_id text,
  allocation_id text,
  receiving_credential_id text,
  -- When the provider was last asked to share the line: written before it is asked.
  sharing_since timestamptz,
  accepted_by text,
  accepted_at timestamptz,
  verifying_since timestamptz,
  activated_at timestamptz,
  error json,
  revert_operation_sid text,
  -- The state the revert began in, to which it returns when the provider refuses it.
  reverted_from text,
  -- From here on the provider is being told; nobody else of this business may be given the line meanwhile.
  deleting_since timestamptz,
  -- What the provider said of the allocation when it was gone.
  request_status text,
  revoked_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_sid, id),
  foreign key (account_sid, waba_sid) references wabas
);
-- One at a time for an account at the provider.
create unique index billing_mode_switches_open on billing_mode_switches (account_sid, livemode, waba_sid)
  where state not in ('failed', 'direct');
create index billing_mode_switches_newest on billing_mode_switches (account_sid, livemode, waba_sid, id desc);
-- Whose credit line hangs on the same allocation, in whatever account.
create index billing_mode_switches_of_business on billing_mode_switches (receiving_business_id, livemode)
  where state not in ('failed', 'direct');
call protect_tenant_table('billing_mode_switches');
call open_to_system('billing_mode_switches'); -- one allocation serves all accounts of a business
grant select, insert, update on billing_mode_switches to godwit_tenant;
grant select, update on billing_mode_switches to godwit_system;
