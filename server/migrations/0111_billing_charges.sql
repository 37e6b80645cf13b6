-- What each message cost and why: written with the money that was taken, never changed. Months are partitions, so that a page and a
-- month's sum cost the same however many years there are.
-- The business account it is sent from, for the charge to come.
alter table message_holds add column waba_sid text;
-- How the provider said it charged, in its own words: type, category, model, billable.
alter table message_states add column reported json;

create table charges (
  account_sid text not null,
  livemode boolean not null,
  -- Tells when it was charged: the first 48 bits are the milliseconds of charged_at.
  id uuid not null,
  wallet_id uuid not null,
  kind text not null check (kind in ('MESSAGE', 'ADJUSTMENT')),
  message_sid text,
  sender_sid text,
  campaign_sid text,
  waba_sid text,
  category text,
  pricing_type text,
  transport text,
  market text,
  rate_card_version integer,
  basis text not null check (basis in ('PROVIDER_REPORT', 'ESTIMATE', 'REMEDIATION')),
  fee_minor bigint not null,
  -- What the provider gets of it, where the platform pays the provider.
  pass_through_minor bigint not null default 0,
  reported json,
  case_sid text,
  -- In no closed period: the time of the settlement, or the end of the last one if that is later.
  charged_at timestamptz not null,
  primary key (account_sid, livemode, charged_at, id),
  check (kind = 'ADJUSTMENT' or message_sid is not null and fee_minor >= 0 and pass_through_minor >= 0)
) partition by range (charged_at);
create index charges_by_sender on charges (account_sid, livemode, sender_sid, charged_at, id);
create index charges_by_campaign on charges (account_sid, livemode, campaign_sid, charged_at, id) where campaign_sid is not null;
create index charges_of_adjustments on charges (account_sid, message_sid) where kind = 'ADJUSTMENT';
call make_append_only('charges');
call protect_tenant_table('charges');
call open_to_system('charges'); -- `godwit ledger verify` compares them with what was taken
grant select, insert on charges to godwit_tenant;
grant select on charges to godwit_system;

create function charge_id(at timestamptz) returns uuid
  language sql volatile parallel safe
  return encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
    placing substring(int8send((extract(epoch from at) * 1000)::bigint) from 3) from 1 for 6), 52, 1), 53, 1), 'hex')::uuid;

-- Makes the month of a moment if it is not there. Asked before every charge, so that none ever meets a missing month, whatever the
-- clock says; made ahead by a cron, so that it is nearly always there.
create function keep_charges_month(at timestamptz) returns void
  language plpgsql security definer set search_path = pg_catalog, public as $$
declare
  month text := 'charges_' || to_char(at at time zone 'UTC', 'YYYYMM');
  start timestamptz := date_trunc('month', at, 'UTC');
begin
  if to_regclass('public.' || month) is not null then
    return;
  end if;
  perform pg_advisory_xact_lock(hashtext('charges months'));
  if to_regclass('public.' || month) is not null then
    return;
  end if;
  -- Made apart and attached: that leaves those who read and write the other months alone.
  execute format('create table public.%I (like public.charges including defaults including constraints)', month);
  execute format('alter table public.%I enable row level security', month);
  execute format('alter table public.charges attach partition public.%I for values from (%L) to (%L)', month, start,
    (start at time zone 'UTC' + interval '1 month') at time zone 'UTC');
end $$;
revoke execute on function keep_charges_month(timestamptz) from public;
grant execute on function keep_charges_month(timestamptz) to godwit_tenant, godwit_system;

-- What was settled before there were charges.
alter table message_holds no force row level security;
alter table messages no force row level security;
alter table message_states no force row level security;
alter table charges no force row level security;
select keep_charges_month(months.at)
  from (select distinct date_trunc('month', closed_at, 'UTC') as at from message_holds where state = 'settled') as months;
insert into charges (account_sid, livemode, id, wallet_id, kind, message_sid, sender_sid, campaign_sid, category, pricing_type,
    transport, market, rate_card_version, basis, fee_minor, charged_at)
  select h.account_sid, h.livemode, charge_id(h.closed_at), h.wallet_id, 'MESSAGE', h.message_sid, m.sender_sid, m.campaign_sid,
    m.category, coalesce(s.pricing_type, m.estimate_pricing_type), m.transport, m.market, m.rate_card_version,
    case when s.priced_minor is null then 'ESTIMATE' else 'PROVIDER_REPORT' end, h.final_minor, h.closed_at
    from message_holds h
    left join messages m on m.account_sid = h.account_sid and m.sid = h.message_sid
    left join message_states s on s.account_sid = h.account_sid and s.sid = h.message_sid
   where h.state = 'settled';
alter table message_holds force row level security;
alter table messages force row level security;
alter table message_states force row level security;
alter table charges force row level security;
