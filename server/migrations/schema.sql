-- The schema as the migrations leave it. Generated: run "npm run generate" after adding a migration.

create extension btree_gin;
create extension pg_trgm;

create table accounts (
  sid text not null,
  organization_id uuid not null,
  parent_account_sid text,
  name text not null,
  status text not null default 'active'::text,
  region text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  plan text,
  suspended_at timestamp with time zone,
  suspension_reason text,
  counted_with text,
  parent_suspended boolean not null default false,
  constraint accounts_pkey PRIMARY KEY (sid),
  constraint accounts_counted_with_fkey FOREIGN KEY (counted_with) REFERENCES accounts(sid),
  constraint accounts_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint accounts_parent_account_sid_fkey FOREIGN KEY (parent_account_sid) REFERENCES accounts(sid),
  constraint accounts_plan_fkey FOREIGN KEY (plan) REFERENCES plans(name),
  constraint accounts_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint accounts_status_check CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text]))),
  constraint accounts_suspension_reason_check CHECK (((length(suspension_reason) >= 1) AND (length(suspension_reason) <= 500)))
);
CREATE INDEX accounts_by_organization ON public.accounts USING btree (organization_id);
CREATE INDEX accounts_by_parent ON public.accounts USING btree (parent_account_sid, sid) WHERE (parent_account_sid IS NOT NULL);
CREATE INDEX accounts_by_plan ON public.accounts USING btree (plan) WHERE (plan IS NOT NULL);
CREATE TRIGGER credentials_deleted AFTER DELETE ON public.accounts REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('credentials', 'sid, parent_account_sid, organization_id, plan, status', 'select sid from changed');
CREATE TRIGGER credentials_inserted AFTER INSERT ON public.accounts REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('credentials', 'sid, parent_account_sid, organization_id, plan, status', 'select sid from changed');
CREATE TRIGGER credentials_updated AFTER UPDATE ON public.accounts REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('credentials', 'sid, parent_account_sid, organization_id, plan, status', 'select sid from changed');
CREATE TRIGGER facts_deleted AFTER DELETE ON public.accounts REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('facts', 'sid, status, plan, counted_with', 'select sid from changed');
CREATE TRIGGER facts_inserted AFTER INSERT ON public.accounts REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('facts', 'sid, status, plan, counted_with', 'select sid from changed');
CREATE TRIGGER facts_updated AFTER UPDATE ON public.accounts REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('facts', 'sid, status, plan, counted_with', 'select sid from changed');
CREATE TRIGGER followed_below AFTER UPDATE ON public.accounts FOR EACH ROW WHEN (((new.parent_account_sid IS NULL) AND ((old.plan IS DISTINCT FROM new.plan) OR (old.status IS DISTINCT FROM new.status)))) EXECUTE FUNCTION follow_account_above();
create policy below to godwit_tenant using (parent_account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[]));
create policy new_below to godwit_tenant with check (parent_account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[]));
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using (sid = ANY (current_accounts()));
grant insert, select to godwit_tenant;
grant insert, select, update to godwit_system;

create table analytics_counted (
  account_sid text not null,
  livemode boolean not null,
  message_sid text not null,
  direction text not null,
  sender_sid text not null,
  template text not null,
  category text not null,
  country text not null,
  campaign_sid text not null,
  currency text not null,
  scale smallint not null,
  status text not null,
  code text not null,
  charged_minor bigint not null,
  expected_minor bigint not null,
  constraint analytics_counted_pkey PRIMARY KEY (account_sid, message_sid)
);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select, update to godwit_tenant;

create table analytics_days (
  account_sid text not null,
  livemode boolean not null,
  day date not null,
  direction text not null,
  sender_sid text not null,
  category text not null,
  country text not null,
  campaign_sid text not null,
  status text not null,
  currency text not null,
  scale smallint not null,
  messages bigint not null,
  charged_minor bigint not null,
  expected_minor bigint not null,
  constraint analytics_days_pkey PRIMARY KEY (account_sid, livemode, day, direction, sender_sid, category, country, campaign_sid, status, currency, scale),
  constraint analytics_days_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid)
);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select, update to godwit_tenant;
grant delete, select, update to godwit_system;

create table analytics_hours (
  account_sid text not null,
  livemode boolean not null,
  hour timestamp with time zone not null,
  direction text not null,
  sender_sid text not null,
  template text not null,
  category text not null,
  country text not null,
  campaign_sid text not null,
  status text not null,
  code text not null,
  currency text not null,
  scale smallint not null,
  messages bigint not null,
  charged_minor bigint not null,
  expected_minor bigint not null,
  constraint analytics_hours_pkey PRIMARY KEY (account_sid, livemode, hour, direction, sender_sid, template, category, country, campaign_sid, status, code, currency, scale),
  constraint analytics_hours_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid)
);
CREATE INDEX analytics_hours_old ON public.analytics_hours USING btree (hour);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select, update to godwit_tenant;
grant delete, select, update to godwit_system;

create table analytics_starts (
  account_sid text not null,
  livemode boolean not null,
  day date not null,
  constraint analytics_starts_pkey PRIMARY KEY (account_sid, livemode),
  constraint analytics_starts_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid)
);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;

create table announcements (
  id uuid not null,
  category text not null,
  words jsonb not null,
  created_at timestamp with time zone not null,
  mailed_up_to text not null default ''::text,
  mailed_at timestamp with time zone,
  constraint announcements_pkey PRIMARY KEY (id),
  constraint announcements_category_check CHECK ((category = ANY (ARRAY['incident'::text, 'product_update'::text])))
);
CREATE INDEX announcements_to_mail ON public.announcements USING btree (created_at) WHERE (mailed_at IS NULL);
grant delete, insert, select to godwit_system;
grant select to godwit_tenant;

create table api_keys (
  account_sid text not null,
  livemode boolean not null,
  id uuid not null,
  lookup text not null,
  secret_hash bytea not null,
  signing_secret bytea not null,
  name text not null,
  scopes text[] not null,
  allowed_cidrs text[] not null,
  signing_required boolean not null,
  requests_per_second integer,
  created_by text not null,
  disabled_at timestamp with time zone,
  expires_at timestamp with time zone,
  last_used_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint api_keys_lookup_key UNIQUE (lookup),
  constraint api_keys_pkey PRIMARY KEY (account_sid, id),
  constraint api_keys_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint api_keys_requests_per_second_check CHECK ((requests_per_second > 0))
);
CREATE INDEX api_keys_by_id ON public.api_keys USING btree (id);
CREATE INDEX api_keys_newest ON public.api_keys USING btree (account_sid, livemode, created_at DESC, id DESC);
CREATE TRIGGER announce AFTER UPDATE OF lookup, secret_hash, signing_secret, scopes, allowed_cidrs, signing_required, requests_per_second, disabled_at, expires_at ON public.api_keys FOR EACH ROW EXECUTE FUNCTION announce_api_key();
CREATE TRIGGER credentials_deleted AFTER DELETE ON public.api_keys REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('credentials', 'account_sid, livemode, id, lookup, secret_hash, signing_secret, scopes,
  allowed_cidrs, signing_required, requests_per_second, disabled_at, expires_at', 'select account_sid from changed');
CREATE TRIGGER credentials_inserted AFTER INSERT ON public.api_keys REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('credentials', 'account_sid, livemode, id, lookup, secret_hash, signing_secret, scopes,
  allowed_cidrs, signing_required, requests_per_second, disabled_at, expires_at', 'select account_sid from changed');
CREATE TRIGGER credentials_updated AFTER UPDATE ON public.api_keys REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('credentials', 'account_sid, livemode, id, lookup, secret_hash, signing_secret, scopes,
  allowed_cidrs, signing_required, requests_per_second, disabled_at, expires_at', 'select account_sid from changed');
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;
grant select, update to godwit_system;

create table approvals (
  account_sid text not null,
  livemode boolean not null,
  sid text not null,
  action text not null,
  summary text not null,
  request bytea not null,
  state text not null,
  requested_by text not null,
  decided_by text,
  decision_reason text,
  result json,
  expires_at timestamp with time zone not null,
  decided_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  vouched_by text,
  only_for text,
  constraint approvals_pkey PRIMARY KEY (account_sid, sid),
  constraint approvals_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint approvals_state_check CHECK ((state = ANY (ARRAY['PENDING'::text, 'APPROVED'::text, 'REJECTED'::text, 'EXPIRED'::text])))
);
CREATE INDEX approvals_due ON public.approvals USING btree (expires_at) WHERE (state = 'PENDING'::text);
CREATE INDEX approvals_newest ON public.approvals USING btree (account_sid, livemode, sid DESC);
create policy system to godwit_system using true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;

create table assignment_turns (
  account_sid text not null,
  livemode boolean not null,
  inbox_sid text not null,
  user_sid text not null,
  constraint assignment_turns_pkey PRIMARY KEY (account_sid, inbox_sid),
  constraint assignment_turns_account_sid_inbox_sid_fkey FOREIGN KEY (account_sid, inbox_sid) REFERENCES inboxes(account_sid, sid)
);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;

create table attempt_counters (
  subject text not null,
  failures integer not null,
  locks integer not null default 0,
  window_started_at timestamp with time zone not null,
  locked_until timestamp with time zone,
  constraint attempt_counters_pkey PRIMARY KEY (subject)
);
grant delete, insert, select, update to godwit_system;

create table audit_entries (
  account_sid text not null,
  livemode boolean not null,
  sequence bigint not null,
  id uuid not null,
  action text not null,
  resource text,
  actor text not null,
  occurred_at timestamp with time zone not null,
  payload text not null,
  previous_hash bytea not null,
  hash bytea not null,
  constraint audit_entries_pkey PRIMARY KEY (account_sid, livemode, sequence)
);
CREATE INDEX audit_entries_by_action ON public.audit_entries USING btree (account_sid, livemode, action, sequence DESC);
CREATE INDEX audit_entries_by_actor ON public.audit_entries USING btree (account_sid, livemode, actor, sequence DESC);
CREATE INDEX audit_entries_by_resource ON public.audit_entries USING btree (account_sid, livemode, resource, sequence DESC) WHERE (resource IS NOT NULL);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.audit_entries FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON public.audit_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select to godwit_tenant;
grant select to godwit_system;

create table auth_policies (
  organization_id uuid not null,
  version integer not null,
  auto_disable_inactive_api_keys boolean not null,
  mfa_required_for_all_roles boolean not null,
  password_login_enabled boolean not null,
  recovery_revokes_mfa boolean not null,
  session_absolute_timeout_hours integer not null,
  session_idle_timeout_minutes integer not null,
  sso_enforced boolean not null,
  updated_at timestamp with time zone not null,
  updated_by text not null,
  constraint auth_policies_pkey PRIMARY KEY (organization_id),
  constraint auth_policies_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint auth_policies_session_absolute_timeout_hours_check CHECK (((session_absolute_timeout_hours >= 1) AND (session_absolute_timeout_hours <= 2160))),
  constraint auth_policies_session_idle_timeout_minutes_check CHECK (((session_idle_timeout_minutes >= 15) AND (session_idle_timeout_minutes <= 1440)))
);
create policy organization to godwit_tenant using (organization_id IN ( SELECT a.organization_id
   FROM accounts a
  WHERE (a.sid = ANY (current_accounts())))) with check (organization_id IN ( SELECT a.organization_id
   FROM accounts a
  WHERE (a.sid = ANY (current_accounts()))));
create policy system to godwit_system using true with check true;
grant delete, insert, select, update to godwit_system;
grant delete, insert, select, update to godwit_tenant;

create table authorizations (
  account_sid text not null,
  livemode boolean not null,
  id uuid not null,
  task text not null,
  resource_ref text not null,
  instruction text not null,
  instructed_by json not null,
  created_at timestamp with time zone not null,
  constraint authorizations_pkey PRIMARY KEY (account_sid, id),
  constraint authorizations_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid)
);
CREATE INDEX authorizations_by_resource ON public.authorizations USING btree (account_sid, resource_ref);
CREATE INDEX authorizations_newest ON public.authorizations USING btree (account_sid, livemode, created_at DESC, id DESC);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OF account_sid, livemode, id, task, instructed_by, created_at ON public.authorizations FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON public.authorizations FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only_words BEFORE UPDATE ON public.authorizations FOR EACH ROW WHEN (((new.instruction <> '[erased]'::text) OR ((new.resource_ref <> old.resource_ref) AND (new.resource_ref <> '[erased]'::text)))) EXECUTE FUNCTION refuse_change();
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select to godwit_tenant;

create table billing_automations (
  account_sid text not null,
  livemode boolean not null,
  wallet_id uuid not null,
  next_starts_at timestamp with time zone not null,
  next_ends_at timestamp with time zone not null,
  step json not null,
  payment_intent_id uuid not null,
  retry_delays_hours integer[] not null,
  provider_statement json,
  version integer not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint billing_automations_pkey PRIMARY KEY (account_sid, wallet_id),
  constraint billing_automations_account_sid_wallet_id_fkey FOREIGN KEY (account_sid, wallet_id) REFERENCES wallets(account_sid, id),
  constraint billing_automations_check CHECK ((next_starts_at < next_ends_at)),
  constraint billing_automations_retry_delays_hours_check CHECK ((cardinality(retry_delays_hours) <= 24)),
  constraint billing_automations_version_check CHECK ((version > 0))
);
CREATE INDEX billing_automations_due ON public.billing_automations USING btree (next_ends_at);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;
grant select to godwit_system;

create table billing_document_heads (
  account_sid text not null,
  livemode boolean not null,
  sequence bigint not null,
  sha256 bytea not null,
  constraint billing_document_heads_pkey PRIMARY KEY (account_sid, livemode),
  constraint billing_document_heads_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint billing_document_heads_sequence_check CHECK ((sequence >= 0))
);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;
grant select to godwit_system;

create table billing_document_numbers (
  account_sid text not null,
  livemode boolean not null,
  series text not null,
  last_number bigint not null,
  constraint billing_document_numbers_pkey PRIMARY KEY (account_sid, livemode, series),
  constraint billing_document_numbers_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint billing_document_numbers_last_number_check CHECK ((last_number > 0)),
  constraint billing_document_numbers_series_check CHECK ((series = ANY (ARRAY['invoice'::text, 'credit_note'::text, 'receipt'::text, 'statement'::text])))
);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;
grant select to godwit_system;

create table billing_document_pdfs (
  account_sid text not null,
  livemode boolean not null,
  sequence bigint not null,
  renderer text not null,
  pdf bytea not null,
  sha256 bytea not null,
  rendered_at timestamp with time zone not null,
  constraint billing_document_pdfs_pkey PRIMARY KEY (account_sid, livemode, sequence),
  constraint billing_document_pdfs_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint billing_document_pdfs_account_sid_livemode_sequence_fkey FOREIGN KEY (account_sid, livemode, sequence) REFERENCES billing_documents(account_sid, livemode, sequence)
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.billing_document_pdfs FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON public.billing_document_pdfs FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select to godwit_tenant;
grant select to godwit_system;

create table billing_documents (
  account_sid text not null,
  livemode boolean not null,
  sequence bigint not null,
  kind text not null,
  subject text not null,
  number text not null,
  issued_at timestamp with time zone not null,
  "json" text not null,
  sha256 bytea not null,
  previous_sha256 bytea not null,
  constraint billing_documents_account_sid_livemode_kind_subject_key UNIQUE (account_sid, livemode, kind, subject),
  constraint billing_documents_account_sid_livemode_number_key UNIQUE (account_sid, livemode, number),
  constraint billing_documents_pkey PRIMARY KEY (account_sid, livemode, sequence),
  constraint billing_documents_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint billing_documents_kind_check CHECK ((kind = ANY (ARRAY['receipt'::text, 'statement'::text, 'invoice'::text, 'credit_note'::text]))),
  constraint billing_documents_sequence_check CHECK ((sequence > 0))
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.billing_documents FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON public.billing_documents FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select to godwit_tenant;
grant select to godwit_system;

create table billing_documents_undrawn (
  account_sid text not null,
  livemode boolean not null,
  sequence bigint not null,
  issued_at timestamp with time zone not null,
  constraint billing_documents_undrawn_pkey PRIMARY KEY (account_sid, livemode, sequence),
  constraint billing_documents_undrawn_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint billing_documents_undrawn_account_sid_livemode_sequence_fkey FOREIGN KEY (account_sid, livemode, sequence) REFERENCES billing_documents(account_sid, livemode, sequence)
);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select to godwit_tenant;
grant select to godwit_system;

create table billing_mode_switches (
  account_sid text not null,
  livemode boolean not null,
  id uuid not null,
  waba_sid text not null,
  state text not null,
  currency text not null,
  terms_version text not null,
  receiving_business_id text not null,
  provider_waba_id text not null,
  operation_sid text not null,
  credit_line_id text,
  allocation_id text,
  receiving_credential_id text,
  sharing_since timestamp with time zone,
  accepted_by text,
  accepted_at timestamp with time zone,
  verifying_since timestamp with time zone,
  activated_at timestamp with time zone,
  error json,
  revert_operation_sid text,
  reverted_from text,
  deleting_since timestamp with time zone,
  request_status text,
  revoked_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint billing_mode_switches_pkey PRIMARY KEY (account_sid, id),
  constraint billing_mode_switches_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint billing_mode_switches_account_sid_waba_sid_fkey FOREIGN KEY (account_sid, waba_sid) REFERENCES wabas(account_sid, sid),
  constraint billing_mode_switches_state_check CHECK ((state = ANY (ARRAY['requested'::text, 'awaiting_acceptance'::text, 'accepted'::text, 'allocating'::text, 'verifying'::text, 'active'::text, 'failed'::text, 'revoking'::text, 'confirming'::text, 'direct'::text])))
);
CREATE INDEX billing_mode_switches_newest ON public.billing_mode_switches USING btree (account_sid, livemode, waba_sid, id DESC);
CREATE INDEX billing_mode_switches_of_business ON public.billing_mode_switches USING btree (receiving_business_id, livemode) WHERE (state <> ALL (ARRAY['failed'::text, 'direct'::text]));
CREATE UNIQUE INDEX billing_mode_switches_open ON public.billing_mode_switches USING btree (account_sid, livemode, waba_sid) WHERE (state <> ALL (ARRAY['failed'::text, 'direct'::text]));
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;
grant select, update to godwit_system;

create table billing_periods (
  account_sid text not null,
  livemode boolean not null,
  wallet_id uuid not null,
  n integer not null,
  starts_at timestamp with time zone not null,
  ends_at timestamp with time zone not null,
  position_minor bigint not null,
  closed_at timestamp with time zone not null,
  invoice_sid text,
  statement_sid text,
  constraint billing_periods_pkey PRIMARY KEY (account_sid, wallet_id, n),
  constraint billing_periods_account_sid_wallet_id_fkey FOREIGN KEY (account_sid, wallet_id) REFERENCES wallets(account_sid, id),
  constraint billing_periods_check CHECK ((starts_at < ends_at)),
  constraint billing_periods_n_check CHECK ((n > 0))
);
CREATE INDEX billing_periods_by_invoice ON public.billing_periods USING btree (account_sid, invoice_sid) WHERE (invoice_sid IS NOT NULL);
CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON public.billing_periods FOR EACH ROW EXECUTE FUNCTION guard_billing_period();
CREATE TRIGGER kept BEFORE DELETE ON public.billing_periods FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER kept_truncate BEFORE TRUNCATE ON public.billing_periods FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE UNIQUE INDEX billing_periods_by_end ON public.billing_periods USING btree (account_sid, wallet_id, ends_at);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select to godwit_tenant;
grant select to godwit_system;

create table campaign_recipients (
  account_sid text not null,
  livemode boolean not null,
  campaign_sid text not null,
  "position" integer not null,
  contact_sid text not null,
  timezone text,
  due_at timestamp with time zone not null,
  state text not null default 'PENDING'::text,
  variant smallint,
  message_sid text,
  code text,
  message text,
  evidence json,
  decided_at timestamp with time zone,
  constraint campaign_recipients_pkey PRIMARY KEY (account_sid, campaign_sid, "position"),
  constraint campaign_recipients_check CHECK (((state = 'ADMITTED'::text) = (message_sid IS NOT NULL))),
  constraint campaign_recipients_check1 CHECK (((state = 'REFUSED'::text) = (code IS NOT NULL))),
  constraint campaign_recipients_state_check CHECK ((state = ANY (ARRAY['PENDING'::text, 'ADMITTED'::text, 'REFUSED'::text])))
);
CREATE INDEX campaign_recipients_due ON public.campaign_recipients USING btree (account_sid, campaign_sid, due_at, "position") WHERE (state = 'PENDING'::text);
CREATE INDEX campaign_recipients_refused ON public.campaign_recipients USING btree (account_sid, campaign_sid, code, "position") WHERE (state = 'REFUSED'::text);
CREATE UNIQUE INDEX campaign_recipients_once ON public.campaign_recipients USING btree (account_sid, campaign_sid, contact_sid);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;

create table campaign_settings (
  account_sid text not null,
  livemode boolean not null,
  approval_above integer,
  fallback_timezone text not null,
  updated_by text not null,
  updated_at timestamp with time zone not null,
  constraint campaign_settings_pkey PRIMARY KEY (account_sid, livemode),
  constraint campaign_settings_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid)
);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;

create table campaigns (
  account_sid text not null,
  livemode boolean not null,
  sid text not null,
  name text not null,
  state text not null,
  reason text,
  version integer not null default 1,
  segment_sid text,
  contact_sids text[],
  definition json not null,
  fallback_timezone text,
  budget_minor bigint,
  budget_currency text,
  budget_scale smallint,
  approval_sid text,
  operation_sid text,
  recipients integer not null default 0,
  admitted integer not null default 0,
  refused integer not null default 0,
  reserved_minor bigint not null default 0,
  pace_from timestamp with time zone,
  pace_taken integer not null default 0,
  rests_until timestamp with time zone,
  cut_at timestamp with time zone,
  created_by text not null,
  launched_by text,
  launched_at timestamp with time zone,
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint campaigns_pkey PRIMARY KEY (account_sid, sid),
  constraint campaigns_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint campaigns_check CHECK (((segment_sid IS NULL) <> (contact_sids IS NULL))),
  constraint campaigns_check1 CHECK ((reserved_minor <= budget_minor)),
  constraint campaigns_check2 CHECK (((admitted + refused) <= recipients)),
  constraint campaigns_state_check CHECK ((state = ANY (ARRAY['DRAFT'::text, 'SCHEDULED'::text, 'RUNNING'::text, 'PAUSED'::text, 'COMPLETED'::text, 'CANCELED'::text, 'FAILED'::text])))
);
CREATE INDEX campaigns_newest ON public.campaigns USING btree (account_sid, livemode, sid DESC);
CREATE INDEX campaigns_under_way ON public.campaigns USING btree (sid) WHERE (state = ANY (ARRAY['SCHEDULED'::text, 'RUNNING'::text, 'PAUSED'::text]));
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select, update to godwit_tenant;
grant select to godwit_system;

create table certificate_keys (
  kid text not null,
  public_key json not null,
  private_key bytea not null,
  created_at timestamp with time zone not null,
  constraint certificate_keys_pkey PRIMARY KEY (kid)
);
grant insert, select to godwit_tenant;
grant select to godwit_system;

create table chain_details (
  account_sid text not null,
  livemode boolean not null,
  chain text not null,
  sequence bigint not null,
  salt bytea not null,
  text text not null,
  constraint chain_details_pkey PRIMARY KEY (account_sid, livemode, chain, sequence),
  constraint chain_details_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid)
);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select to godwit_tenant;
grant select to godwit_system;

create table chain_heads (
  account_sid text not null,
  livemode boolean not null,
  chain text not null,
  sequence bigint not null,
  hash bytea not null,
  previous_hash bytea,
  constraint chain_heads_pkey PRIMARY KEY (account_sid, livemode, chain)
);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;
grant select to godwit_system;

create table charges (
  account_sid text not null,
  livemode boolean not null,
  id uuid not null,
  wallet_id uuid not null,
  kind text not null,
  message_sid text,
  sender_sid text,
  campaign_sid text,
  waba_sid text,
  category text,
  pricing_type text,
  transport text,
  market text,
  rate_card_version integer,
  basis text not null,
  fee_minor bigint not null,
  pass_through_minor bigint not null default 0,
  reported json,
  case_sid text,
  charged_at timestamp with time zone not null,
  constraint charges_pkey PRIMARY KEY (account_sid, livemode, charged_at, id),
  constraint charges_basis_check CHECK ((basis = ANY (ARRAY['PROVIDER_REPORT'::text, 'ESTIMATE'::text, 'REMEDIATION'::text]))),
  constraint charges_check CHECK (((kind = 'ADJUSTMENT'::text) OR ((message_sid IS NOT NULL) AND (fee_minor >= 0) AND (pass_through_minor >= 0)))),
  constraint charges_kind_check CHECK ((kind = ANY (ARRAY['MESSAGE'::text, 'ADJUSTMENT'::text])))
);
CREATE INDEX charges_by_campaign ON ONLY public.charges USING btree (campaign_sid, id) WHERE (campaign_sid IS NOT NULL);
CREATE INDEX charges_by_sender ON ONLY public.charges USING btree (sender_sid, id);
CREATE INDEX charges_of_adjustments ON ONLY public.charges USING btree (account_sid, message_sid) WHERE (kind = 'ADJUSTMENT'::text);
CREATE INDEX charges_passed_on ON ONLY public.charges USING btree (livemode, charged_at) INCLUDE (account_sid, wallet_id, pass_through_minor) WHERE (pass_through_minor <> 0);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.charges FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON public.charges FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select to godwit_tenant;
grant select to godwit_system;

create table composer_claims (
  account_sid text not null,
  livemode boolean not null,
  conversation_sid text not null,
  token_hash bytea not null,
  holder text not null,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  constraint composer_claims_pkey PRIMARY KEY (account_sid, conversation_sid),
  constraint composer_claims_account_sid_conversation_sid_fkey FOREIGN KEY (account_sid, conversation_sid) REFERENCES conversations(account_sid, sid),
  constraint composer_claims_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid)
);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select, update to godwit_tenant;

create table consent_states (
  account_sid text not null,
  livemode boolean not null,
  contact_sid text not null,
  purpose text not null,
  consent_sid text not null,
  sequence bigint not null,
  status text not null,
  expires_at timestamp with time zone,
  recorded_at timestamp with time zone not null,
  constraint consent_states_pkey PRIMARY KEY (account_sid, contact_sid, purpose),
  constraint consent_states_account_sid_consent_sid_fkey FOREIGN KEY (account_sid, consent_sid) REFERENCES consents(account_sid, sid),
  constraint consent_states_account_sid_contact_sid_fkey FOREIGN KEY (account_sid, contact_sid) REFERENCES contacts(account_sid, sid)
);
CREATE INDEX consent_states_by_status ON public.consent_states USING btree (account_sid, livemode, purpose, status, contact_sid) INCLUDE (expires_at);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select, update to godwit_tenant;

create table consents (
  account_sid text not null,
  livemode boolean not null,
  sequence bigint not null,
  sid text not null,
  contact_sid text not null,
  purpose text not null,
  status text not null,
  expires_at timestamp with time zone,
  created_at timestamp with time zone not null,
  payload text not null,
  previous_hash bytea not null,
  hash bytea not null,
  constraint consents_pkey PRIMARY KEY (account_sid, sid),
  constraint consents_account_sid_contact_sid_fkey FOREIGN KEY (account_sid, contact_sid) REFERENCES contacts(account_sid, sid),
  constraint consents_purpose_check CHECK ((purpose = ANY (ARRAY['TRANSACTIONAL'::text, 'AUTHENTICATION'::text, 'MARKETING'::text, 'SUPPORT'::text]))),
  constraint consents_status_check CHECK ((status = ANY (ARRAY['OPTED_IN'::text, 'OPTED_OUT'::text, 'UNKNOWN'::text, 'REVOKED'::text, 'EXPIRED'::text])))
);
CREATE INDEX consents_by_contact ON public.consents USING btree (account_sid, contact_sid, sequence);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.consents FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON public.consents FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE UNIQUE INDEX consents_in_order ON public.consents USING btree (account_sid, livemode, sequence);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select to godwit_tenant;
grant select to godwit_system;

create table contact_conflicts (
  account_sid text not null,
  livemode boolean not null,
  id uuid not null,
  contact_sid text not null,
  other_contact_sid text not null,
  identifiers jsonb not null,
  status text not null default 'open'::text,
  resolution text,
  merge_id uuid,
  resolved_by text,
  resolved_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint contact_conflicts_pkey PRIMARY KEY (account_sid, id),
  constraint contact_conflicts_account_sid_contact_sid_fkey FOREIGN KEY (account_sid, contact_sid) REFERENCES contacts(account_sid, sid),
  constraint contact_conflicts_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint contact_conflicts_account_sid_other_contact_sid_fkey FOREIGN KEY (account_sid, other_contact_sid) REFERENCES contacts(account_sid, sid),
  constraint contact_conflicts_check CHECK ((other_contact_sid <> contact_sid)),
  constraint contact_conflicts_check1 CHECK (((status = 'resolved'::text) = ((resolution IS NOT NULL) AND (resolved_at IS NOT NULL)))),
  constraint contact_conflicts_resolution_check CHECK ((resolution = ANY (ARRAY['merge'::text, 'dismiss'::text]))),
  constraint contact_conflicts_status_check CHECK ((status = ANY (ARRAY['open'::text, 'resolved'::text])))
);
CREATE INDEX contact_conflicts_by_contact ON public.contact_conflicts USING btree (account_sid, contact_sid);
CREATE INDEX contact_conflicts_by_other ON public.contact_conflicts USING btree (account_sid, other_contact_sid);
CREATE INDEX contact_conflicts_newest ON public.contact_conflicts USING btree (account_sid, livemode, created_at DESC, id DESC);
CREATE INDEX contact_conflicts_of_pair ON public.contact_conflicts USING btree (account_sid, LEAST(contact_sid, other_contact_sid), GREATEST(contact_sid, other_contact_sid));
CREATE UNIQUE INDEX contact_conflicts_open ON public.contact_conflicts USING btree (account_sid, livemode, LEAST(contact_sid, other_contact_sid), GREATEST(contact_sid, other_contact_sid)) WHERE (status = 'open'::text);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select, update to godwit_tenant;

create table contact_file_parts (
  account_sid text not null,
  livemode boolean not null,
  operation_sid text not null,
  kind text not null,
  "position" bigint not null,
  size_bytes integer not null,
  body bytea not null,
  constraint contact_file_parts_pkey PRIMARY KEY (account_sid, operation_sid, kind, "position"),
  constraint contact_file_parts_account_sid_operation_sid_kind_fkey FOREIGN KEY (account_sid, operation_sid, kind) REFERENCES contact_files(account_sid, operation_sid, kind) ON DELETE CASCADE
);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select to godwit_tenant;
grant delete, select to godwit_system;

create table contact_files (
  account_sid text not null,
  livemode boolean not null,
  operation_sid text not null,
  kind text not null,
  format text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint contact_files_pkey PRIMARY KEY (account_sid, operation_sid, kind),
  constraint contact_files_account_sid_operation_sid_fkey FOREIGN KEY (account_sid, operation_sid) REFERENCES operations(account_sid, sid) ON DELETE CASCADE,
  constraint contact_files_format_check CHECK ((format = ANY (ARRAY['csv'::text, 'ndjson'::text]))),
  constraint contact_files_kind_check CHECK ((kind = ANY (ARRAY['source'::text, 'errors'::text, 'export'::text])))
);
CREATE INDEX contact_files_by_expiry ON public.contact_files USING btree (expires_at);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select to godwit_tenant;
grant delete, select to godwit_system;

create table contact_identifiers (
  account_sid text not null,
  livemode boolean not null,
  id uuid not null,
  contact_sid text not null,
  identifier_type text not null,
  scope_ref text not null default ''::text,
  value text not null,
  created_at timestamp with time zone not null,
  constraint contact_identifiers_pkey PRIMARY KEY (id, account_sid),
  constraint contact_identifiers_account_sid_contact_sid_fkey FOREIGN KEY (account_sid, contact_sid) REFERENCES contacts(account_sid, sid) DEFERRABLE INITIALLY DEFERRED,
  constraint contact_identifiers_check CHECK (((identifier_type = 'bsuid'::text) = (scope_ref <> ''::text))),
  constraint contact_identifiers_identifier_type_check CHECK ((identifier_type = ANY (ARRAY['phone_e164'::text, 'bsuid'::text, 'username'::text])))
);
CREATE INDEX contact_identifiers_by_contact ON public.contact_identifiers USING btree (contact_sid, account_sid);
CREATE UNIQUE INDEX contact_identifiers_once ON public.contact_identifiers USING btree (value, account_sid, livemode, identifier_type, scope_ref);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select, update to godwit_tenant;

create table contact_merges (
  account_sid text not null,
  livemode boolean not null,
  id uuid not null,
  survivor_sid text not null,
  merged_sid text not null,
  reason text not null,
  merged_by text not null,
  snapshot json not null,
  revertible_until timestamp with time zone not null,
  reverted_at timestamp with time zone,
  reverted_by text,
  revert_report json,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint contact_merges_pkey PRIMARY KEY (account_sid, id),
  constraint contact_merges_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint contact_merges_account_sid_merged_sid_fkey FOREIGN KEY (account_sid, merged_sid) REFERENCES contacts(account_sid, sid),
  constraint contact_merges_account_sid_survivor_sid_fkey FOREIGN KEY (account_sid, survivor_sid) REFERENCES contacts(account_sid, sid),
  constraint contact_merges_check CHECK ((merged_sid <> survivor_sid))
);
CREATE INDEX contact_merges_by_merged ON public.contact_merges USING btree (account_sid, merged_sid);
CREATE INDEX contact_merges_by_survivor ON public.contact_merges USING btree (account_sid, survivor_sid);
CREATE INDEX contact_merges_newest ON public.contact_merges USING btree (account_sid, livemode, created_at DESC, id DESC);
CREATE INDEX contact_merges_reverted ON public.contact_merges USING btree (account_sid, survivor_sid) WHERE (reverted_at IS NOT NULL);
CREATE UNIQUE INDEX contact_merges_standing ON public.contact_merges USING btree (account_sid, merged_sid) WHERE (reverted_at IS NULL);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;

create table contact_restrictions (
  account_sid text not null,
  livemode boolean not null,
  contact_sid text not null,
  request_sid text not null,
  created_at timestamp with time zone not null,
  constraint contact_restrictions_pkey PRIMARY KEY (account_sid, contact_sid, request_sid),
  constraint contact_restrictions_account_sid_contact_sid_fkey FOREIGN KEY (account_sid, contact_sid) REFERENCES contacts(account_sid, sid),
  constraint contact_restrictions_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid)
);
CREATE TRIGGER facts_deleted AFTER DELETE ON public.contact_restrictions REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('facts', 'account_sid, livemode, contact_sid', 'select account_sid from changed');
CREATE TRIGGER facts_inserted AFTER INSERT ON public.contact_restrictions REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('facts', 'account_sid, livemode, contact_sid', 'select account_sid from changed');
CREATE TRIGGER facts_updated AFTER UPDATE ON public.contact_restrictions REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('facts', 'account_sid, livemode, contact_sid', 'select account_sid from changed');
create policy search to godwit_search using true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select to godwit_tenant;
grant select to godwit_search;

create table contacts (
  account_sid text not null,
  livemode boolean not null,
  sid text not null,
  display_name text,
  locale text,
  timezone text,
  attributes jsonb not null default '{}'::jsonb,
  search text not null,
  merged_into text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  erased_at timestamp with time zone,
  constraint contacts_pkey PRIMARY KEY (account_sid, sid),
  constraint contacts_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint contacts_account_sid_merged_into_fkey FOREIGN KEY (account_sid, merged_into) REFERENCES contacts(account_sid, sid),
  constraint contacts_attributes_check CHECK ((jsonb_typeof(attributes) = 'object'::text)),
  constraint contacts_check CHECK ((merged_into <> sid))
);
CREATE INDEX contacts_by_search ON public.contacts USING gin (account_sid, search gin_trgm_ops);
CREATE INDEX contacts_by_survivor ON public.contacts USING btree (account_sid, merged_into) WHERE (merged_into IS NOT NULL);
CREATE INDEX contacts_newest ON public.contacts USING btree (account_sid, livemode, sid DESC) WHERE (merged_into IS NULL);
create policy search to godwit_search using true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;
grant select to godwit_search;

create table contents (
  account_sid text not null,
  livemode boolean not null,
  sid text not null,
  name text not null,
  version integer not null,
  type text not null,
  body jsonb not null,
  variables text[] not null,
  deleted_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint contents_pkey PRIMARY KEY (account_sid, sid),
  constraint contents_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid)
);
CREATE INDEX contents_newest ON public.contents USING btree (account_sid, livemode, sid DESC) WHERE (deleted_at IS NULL);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;

create table conversations (
  account_sid text not null,
  livemode boolean not null,
  sid text not null,
  sender_sid text not null,
  contact_sid text not null,
  inbox_sid text,
  status text not null,
  assignee_sid text,
  version bigint not null default 1,
  last_inbound_at timestamp with time zone,
  last_message_at timestamp with time zone,
  last_message_sid text,
  closed_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  merged_into text,
  origin_contact_sid text,
  constraint conversations_pkey PRIMARY KEY (account_sid, sid),
  constraint conversations_account_sid_contact_sid_fkey FOREIGN KEY (account_sid, contact_sid) REFERENCES contacts(account_sid, sid),
  constraint conversations_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint conversations_account_sid_inbox_sid_fkey FOREIGN KEY (account_sid, inbox_sid) REFERENCES inboxes(account_sid, sid),
  constraint conversations_account_sid_merged_into_fkey FOREIGN KEY (account_sid, merged_into) REFERENCES conversations(account_sid, sid),
  constraint conversations_account_sid_sender_sid_fkey FOREIGN KEY (account_sid, sender_sid) REFERENCES senders(account_sid, sid),
  constraint conversations_status_check CHECK ((status = ANY (ARRAY['open'::text, 'closed'::text])))
);
CREATE INDEX conversations_by_assignee ON public.conversations USING btree (account_sid, assignee_sid, last_message_at DESC) WHERE (assignee_sid IS NOT NULL);
CREATE INDEX conversations_by_contact ON public.conversations USING btree (account_sid, contact_sid);
CREATE INDEX conversations_by_inbox ON public.conversations USING btree (account_sid, inbox_sid, last_message_at DESC) WHERE (inbox_sid IS NOT NULL);
CREATE INDEX conversations_newest ON public.conversations USING btree (account_sid, livemode, last_message_at DESC, sid DESC);
CREATE UNIQUE INDEX conversations_of_pair ON public.conversations USING btree (account_sid, livemode, sender_sid, contact_sid) WHERE (merged_into IS NULL);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;

create table credit_notes (
  account_sid text not null,
  livemode boolean not null,
  id uuid not null,
  invoice_sid text not null,
  number text not null,
  currency text not null,
  scale integer not null,
  net_minor bigint not null,
  tax_minor bigint not null,
  reason text not null,
  evidence json not null,
  approval_sid text,
  created_by text not null,
  created_at timestamp with time zone not null,
  constraint credit_notes_account_sid_livemode_number_key UNIQUE (account_sid, livemode, number),
  constraint credit_notes_pkey PRIMARY KEY (account_sid, id),
  constraint credit_notes_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint credit_notes_account_sid_invoice_sid_fkey FOREIGN KEY (account_sid, invoice_sid) REFERENCES invoices(account_sid, sid),
  constraint credit_notes_net_minor_check CHECK ((net_minor > 0)),
  constraint credit_notes_tax_minor_check CHECK ((tax_minor >= 0))
);
CREATE INDEX credit_notes_of_invoice ON public.credit_notes USING btree (account_sid, invoice_sid, id);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.credit_notes FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON public.credit_notes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select to godwit_tenant;

create table directory_group_members (
  group_id uuid not null,
  user_sid text not null,
  organization_id uuid not null,
  constraint directory_group_members_pkey PRIMARY KEY (group_id, user_sid),
  constraint directory_group_members_group_id_fkey FOREIGN KEY (group_id) REFERENCES directory_groups(id) ON DELETE CASCADE,
  constraint directory_group_members_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint directory_group_members_user_sid_fkey FOREIGN KEY (user_sid) REFERENCES users(sid)
);
CREATE INDEX directory_group_members_by_user ON public.directory_group_members USING btree (user_sid);
create policy organization to godwit_tenant using (organization_id IN ( SELECT a.organization_id
   FROM accounts a
  WHERE (a.sid = ANY (current_accounts())))) with check (organization_id IN ( SELECT a.organization_id
   FROM accounts a
  WHERE (a.sid = ANY (current_accounts()))));
create policy system to godwit_system using true with check true;
grant delete, insert, select, update to godwit_system;
grant delete, insert, select, update to godwit_tenant;

create table directory_groups (
  id uuid not null,
  organization_id uuid not null,
  provider_id uuid not null,
  display_name text not null,
  external_id text,
  version integer not null default 1,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint directory_groups_pkey PRIMARY KEY (id),
  constraint directory_groups_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint directory_groups_provider_id_fkey FOREIGN KEY (provider_id) REFERENCES identity_providers(id)
);
CREATE UNIQUE INDEX directory_groups_by_external_id ON public.directory_groups USING btree (provider_id, external_id) WHERE (external_id IS NOT NULL);
CREATE UNIQUE INDEX directory_groups_by_name ON public.directory_groups USING btree (provider_id, lower(display_name));
create policy organization to godwit_tenant using (organization_id IN ( SELECT a.organization_id
   FROM accounts a
  WHERE (a.sid = ANY (current_accounts())))) with check (organization_id IN ( SELECT a.organization_id
   FROM accounts a
  WHERE (a.sid = ANY (current_accounts()))));
create policy system to godwit_system using true with check true;
grant delete, insert, select, update to godwit_system;
grant delete, insert, select, update to godwit_tenant;

create table dispatch_lanes (
  account_sid text not null,
  livemode boolean not null,
  sender_sid text not null,
  due_at timestamp with time zone,
  holder uuid,
  generation bigint not null default 0,
  constraint dispatch_lanes_pkey PRIMARY KEY (account_sid, sender_sid),
  constraint dispatch_lanes_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid)
);
CREATE INDEX dispatch_lanes_due ON public.dispatch_lanes USING btree (due_at);
CREATE INDEX dispatch_lanes_held ON public.dispatch_lanes USING btree (holder) WHERE (holder IS NOT NULL);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;
grant select, update to godwit_system;

create table erased_identifiers (
  account_sid text not null,
  livemode boolean not null,
  hash bytea not null,
  contact_sid text not null,
  erased_at timestamp with time zone not null,
  constraint erased_identifiers_pkey PRIMARY KEY (account_sid, livemode, hash, contact_sid),
  constraint erased_identifiers_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid)
);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select to godwit_tenant;

create table erased_opt_outs (
  account_sid text not null,
  livemode boolean not null,
  hash bytea not null,
  person uuid not null,
  suppressions json not null,
  consents json not null,
  returned_to text,
  created_at timestamp with time zone not null,
  blocked_sender_sids text[] not null default '{}'::text[],
  constraint erased_opt_outs_pkey PRIMARY KEY (account_sid, livemode, hash, person),
  constraint erased_opt_outs_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid)
);
CREATE INDEX erased_opt_outs_by_person ON public.erased_opt_outs USING btree (account_sid, livemode, person);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select, update to godwit_tenant;

create table erasures (
  account_sid text not null,
  livemode boolean not null,
  request_sid text not null,
  pass smallint not null,
  phase text not null,
  place json not null,
  counts json not null,
  mentions json not null,
  cleared uuid[] not null,
  settled_at timestamp with time zone,
  created_at timestamp with time zone not null,
  journaled_at timestamp with time zone,
  simulator_forgot boolean not null default false,
  constraint erasures_pkey PRIMARY KEY (account_sid, request_sid),
  constraint erasures_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint erasures_account_sid_request_sid_fkey FOREIGN KEY (account_sid, request_sid) REFERENCES privacy_requests(account_sid, sid),
  constraint erasures_pass_check CHECK ((pass = ANY (ARRAY[1, 2]))),
  constraint erasures_phase_check CHECK ((phase = ANY (ARRAY['CANCEL'::text, 'ERASE'::text, 'FORGET'::text, 'MENTIONS'::text, 'FINISH'::text])))
);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;

create table event_cursors (
  account_sid text not null,
  livemode boolean not null,
  consumer text not null,
  sequence bigint not null,
  failures integer not null default 0,
  retry_at timestamp with time zone,
  constraint event_cursors_pkey PRIMARY KEY (account_sid, livemode, consumer),
  constraint event_cursors_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint event_cursors_check CHECK (((failures = 0) OR (retry_at IS NOT NULL)))
);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select, update to godwit_tenant;
grant select to godwit_system;

create table event_heads (
  account_sid text not null,
  livemode boolean not null,
  sequence bigint not null,
  constraint event_heads_pkey PRIMARY KEY (account_sid, livemode)
);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;
grant select to godwit_system;

create table event_log_starts (
  account_sid text not null,
  livemode boolean not null,
  sequence bigint not null,
  updated_at timestamp with time zone not null,
  constraint event_log_starts_pkey PRIMARY KEY (account_sid, livemode),
  constraint event_log_starts_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid)
);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;

create table events (
  account_sid text not null,
  livemode boolean not null,
  sequence bigint not null,
  sid text not null,
  type text not null,
  api_version text not null,
  resource_sid text,
  occurred_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  data json not null,
  constraint events_pkey PRIMARY KEY (account_sid, livemode, sequence)
);
CREATE INDEX events_by_resource ON public.events USING btree (account_sid, livemode, resource_sid, sequence) WHERE (resource_sid IS NOT NULL);
CREATE UNIQUE INDEX events_by_sid ON public.events USING btree (account_sid, sid);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select to godwit_tenant;

create table external_identities (
  provider_id uuid not null,
  subject text not null,
  organization_id uuid not null,
  user_sid text not null,
  created_at timestamp with time zone not null,
  constraint external_identities_pkey PRIMARY KEY (provider_id, subject),
  constraint external_identities_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint external_identities_provider_id_fkey FOREIGN KEY (provider_id) REFERENCES identity_providers(id),
  constraint external_identities_user_sid_fkey FOREIGN KEY (user_sid) REFERENCES users(sid)
);
CREATE INDEX external_identities_by_user ON public.external_identities USING btree (user_sid);
create policy organization to godwit_tenant using (organization_id IN ( SELECT a.organization_id
   FROM accounts a
  WHERE (a.sid = ANY (current_accounts())))) with check (organization_id IN ( SELECT a.organization_id
   FROM accounts a
  WHERE (a.sid = ANY (current_accounts()))));
create policy system to godwit_system using true with check true;
grant delete, insert, select, update to godwit_system;
grant delete, insert, select, update to godwit_tenant;

create table fact_versions (
  scope text not null,
  facts uuid not null default gen_random_uuid(),
  credentials uuid not null default gen_random_uuid(),
  constraint fact_versions_pkey PRIMARY KEY (scope)
);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((scope = '*'::text) OR (scope = ANY (( SELECT current_accounts() AS current_accounts)::text[])));
grant insert, select, update to godwit_system;
grant select to godwit_tenant;

create table flows (
  account_sid text not null,
  livemode boolean not null,
  sid text not null,
  waba_sid text not null,
  provider_flow_id text not null,
  name text not null,
  status text not null,
  exchanges_data boolean not null,
  status_changed_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  said_at jsonb not null default '{}'::jsonb,
  constraint flows_pkey PRIMARY KEY (account_sid, sid),
  constraint flows_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint flows_account_sid_waba_sid_fkey FOREIGN KEY (account_sid, waba_sid) REFERENCES wabas(account_sid, sid),
  constraint flows_status_check CHECK ((status = ANY (ARRAY['DRAFT'::text, 'PUBLISHED'::text, 'DEPRECATED'::text, 'BLOCKED'::text, 'THROTTLED'::text])))
);
CREATE INDEX flows_newest ON public.flows USING btree (account_sid, livemode, sid DESC) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX flows_by_provider_id ON public.flows USING btree (account_sid, waba_sid, provider_flow_id) WHERE (deleted_at IS NULL);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;

create table idempotency_keys (
  account_sid text not null,
  livemode boolean not null,
  subject text not null,
  key text not null,
  operation_id text not null,
  fingerprint bytea not null,
  principal text not null,
  owner uuid,
  status integer,
  headers jsonb,
  body bytea,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  event_sid text,
  concealed boolean not null default true,
  constraint idempotency_keys_pkey PRIMARY KEY (account_sid, livemode, subject, key)
);
CREATE INDEX idempotency_keys_by_expiry ON public.idempotency_keys USING btree (expires_at);
CREATE INDEX idempotency_keys_in_clear ON public.idempotency_keys USING btree (account_sid) WHERE (NOT concealed);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select, update to godwit_tenant;
grant delete, select, update to godwit_system;

create table identity_credentials (
  organization_id uuid not null,
  ref text not null,
  sealed bytea not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint identity_credentials_pkey PRIMARY KEY (organization_id, ref),
  constraint identity_credentials_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
create policy organization to godwit_tenant using (organization_id IN ( SELECT a.organization_id
   FROM accounts a
  WHERE (a.sid = ANY (current_accounts())))) with check (organization_id IN ( SELECT a.organization_id
   FROM accounts a
  WHERE (a.sid = ANY (current_accounts()))));
create policy system to godwit_system using true with check true;
grant delete, insert, select, update to godwit_system;
grant delete, insert, select, update to godwit_tenant;

create table identity_providers (
  id uuid not null,
  organization_id uuid not null,
  protocol text not null,
  provider_key text not null,
  public_config json not null,
  credential_ref text,
  token_hash bytea,
  state text not null,
  reason text not null,
  verified_at timestamp with time zone,
  activated_at timestamp with time zone,
  suspended_at timestamp with time zone,
  created_by text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  role_account_sid text,
  role_environment text not null default 'sandbox'::text,
  vouches_for_owners boolean not null default false,
  constraint identity_providers_organization_id_provider_key_key UNIQUE (organization_id, provider_key),
  constraint identity_providers_token_hash_key UNIQUE (token_hash),
  constraint identity_providers_pkey PRIMARY KEY (id),
  constraint identity_providers_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint identity_providers_role_account_sid_fkey FOREIGN KEY (role_account_sid) REFERENCES accounts(sid),
  constraint identity_providers_protocol_check CHECK ((protocol = ANY (ARRAY['OIDC'::text, 'SAML'::text, 'SCIM'::text, 'WEBAUTHN'::text, 'TOTP'::text]))),
  constraint identity_providers_role_environment_check CHECK ((role_environment = ANY (ARRAY['live'::text, 'sandbox'::text, 'both'::text]))),
  constraint identity_providers_state_check CHECK ((state = ANY (ARRAY['STAGED'::text, 'VERIFIED'::text, 'ACTIVE'::text, 'SUSPENDED'::text])))
);
create policy organization to godwit_tenant using (organization_id IN ( SELECT a.organization_id
   FROM accounts a
  WHERE (a.sid = ANY (current_accounts())))) with check (organization_id IN ( SELECT a.organization_id
   FROM accounts a
  WHERE (a.sid = ANY (current_accounts()))));
create policy system to godwit_system using true with check true;
grant delete, insert, select, update to godwit_system;
grant delete, insert, select, update to godwit_tenant;

create table inbox_members (
  account_sid text not null,
  livemode boolean not null,
  inbox_sid text not null,
  user_sid text not null,
  created_at timestamp with time zone not null,
  constraint inbox_members_pkey PRIMARY KEY (account_sid, inbox_sid, user_sid),
  constraint inbox_members_account_sid_inbox_sid_fkey FOREIGN KEY (account_sid, inbox_sid) REFERENCES inboxes(account_sid, sid)
);
CREATE INDEX inbox_members_by_user ON public.inbox_members USING btree (account_sid, livemode, user_sid);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select to godwit_tenant;

create table inboxes (
  account_sid text not null,
  livemode boolean not null,
  sid text not null,
  name text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint inboxes_pkey PRIMARY KEY (account_sid, sid),
  constraint inboxes_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint inboxes_name_check CHECK (((length(name) >= 1) AND (length(name) <= 128)))
);
CREATE INDEX inboxes_newest ON public.inboxes USING btree (account_sid, livemode, sid DESC);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;

create table invitations (
  id uuid not null,
  organization_id uuid not null,
  user_sid text not null,
  token_hash bytea not null,
  invited_by text not null,
  expires_at timestamp with time zone not null,
  accepted_at timestamp with time zone,
  created_at timestamp with time zone not null,
  sent_at timestamp with time zone,
  constraint invitations_token_hash_key UNIQUE (token_hash),
  constraint invitations_pkey PRIMARY KEY (id),
  constraint invitations_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint invitations_user_sid_fkey FOREIGN KEY (user_sid) REFERENCES users(sid)
);
CREATE INDEX invitations_by_user ON public.invitations USING btree (user_sid, created_at DESC);
create policy organization to godwit_tenant using (organization_id IN ( SELECT a.organization_id
   FROM accounts a
  WHERE (a.sid = ANY (current_accounts())))) with check (organization_id IN ( SELECT a.organization_id
   FROM accounts a
  WHERE (a.sid = ANY (current_accounts()))));
create policy system to godwit_system using true with check true;
grant delete, insert, select, update to godwit_system;
grant delete, insert, select, update to godwit_tenant;

create table invoice_credits (
  account_sid text not null,
  livemode boolean not null,
  id uuid not null,
  wallet_id uuid not null,
  invoice_sid text not null,
  amount_minor bigint not null,
  used_minor bigint not null default 0,
  created_at timestamp with time zone not null,
  constraint invoice_credits_pkey PRIMARY KEY (account_sid, id),
  constraint invoice_credits_account_sid_invoice_sid_fkey FOREIGN KEY (account_sid, invoice_sid) REFERENCES invoices(account_sid, sid),
  constraint invoice_credits_amount_minor_check CHECK ((amount_minor > 0)),
  constraint invoice_credits_check CHECK (((used_minor >= 0) AND (used_minor <= amount_minor)))
);
CREATE INDEX invoice_credits_left ON public.invoice_credits USING btree (account_sid, wallet_id, id) WHERE (used_minor < amount_minor);
CREATE INDEX invoice_credits_of_invoice ON public.invoice_credits USING btree (account_sid, invoice_sid);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select to godwit_tenant;

create table invoices (
  account_sid text not null,
  livemode boolean not null,
  sid text not null,
  wallet_id uuid not null,
  state text not null,
  number text,
  currency text not null,
  scale integer not null,
  periods json not null,
  lines json not null,
  tax_lines json not null,
  due_minor bigint not null,
  net_minor bigint not null,
  tax_minor bigint not null,
  paid_minor bigint not null default 0,
  credited_net_minor bigint not null default 0,
  credited_tax_minor bigint not null default 0,
  credited_open_minor bigint not null default 0,
  written_off_minor bigint not null default 0,
  booked_at timestamp with time zone not null,
  issued_at timestamp with time zone,
  due_at timestamp with time zone,
  card_intent_id uuid,
  retry_delays_hours integer[] not null default '{}'::integer[],
  collect_attempts integer not null default 0,
  next_attempt_at timestamp with time zone,
  last_failure text,
  dunning text not null default 'none'::text,
  attempt_intent_id uuid,
  sealed_hosted_url bytea,
  submission_provider text not null,
  submission_reference text,
  submission_attempts integer not null default 0,
  submission_error text,
  ended_by text,
  ended_reason text,
  ended_evidence json,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint invoices_account_sid_livemode_number_key UNIQUE (account_sid, livemode, number),
  constraint invoices_pkey PRIMARY KEY (account_sid, sid),
  constraint invoices_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint invoices_account_sid_wallet_id_fkey FOREIGN KEY (account_sid, wallet_id) REFERENCES wallets(account_sid, id),
  constraint invoices_check CHECK (((credited_net_minor >= 0) AND (credited_net_minor <= net_minor))),
  constraint invoices_check1 CHECK (((credited_tax_minor >= 0) AND (credited_tax_minor <= tax_minor))),
  constraint invoices_check2 CHECK (((credited_open_minor >= 0) AND (credited_open_minor <= (credited_net_minor + credited_tax_minor)))),
  constraint invoices_check3 CHECK (((number IS NULL) = (issued_at IS NULL))),
  constraint invoices_check4 CHECK ((((paid_minor + credited_open_minor) + written_off_minor) <= (net_minor + tax_minor))),
  constraint invoices_due_minor_check CHECK ((due_minor > 0)),
  constraint invoices_dunning_check CHECK ((dunning = ANY (ARRAY['none'::text, 'retrying'::text, 'action_required'::text, 'exhausted'::text, 'written_off'::text]))),
  constraint invoices_net_minor_check CHECK ((net_minor > 0)),
  constraint invoices_paid_minor_check CHECK ((paid_minor >= 0)),
  constraint invoices_state_check CHECK ((state = ANY (ARRAY['draft'::text, 'pending_provider'::text, 'open'::text, 'past_due'::text, 'paid'::text, 'void'::text, 'uncollectible'::text, 'failed'::text]))),
  constraint invoices_tax_minor_check CHECK ((tax_minor >= 0)),
  constraint invoices_written_off_minor_check CHECK ((written_off_minor >= 0))
);
CREATE INDEX invoices_newest ON public.invoices USING btree (account_sid, livemode, sid DESC);
CREATE INDEX invoices_of_wallet ON public.invoices USING btree (account_sid, wallet_id, booked_at);
CREATE INDEX invoices_to_collect ON public.invoices USING btree (next_attempt_at) WHERE (next_attempt_at IS NOT NULL);
CREATE INDEX invoices_to_fall_due ON public.invoices USING btree (due_at) WHERE (state = 'open'::text);
CREATE INDEX invoices_to_submit ON public.invoices USING btree (updated_at) WHERE (state = ANY (ARRAY['draft'::text, 'pending_provider'::text]));
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;
grant select to godwit_system;

create table ledger_account_types (
  account text not null,
  lowest text,
  highest text,
  constraint ledger_account_types_pkey PRIMARY KEY (account),
  constraint ledger_account_types_highest_check CHECK ((highest = 'zero'::text)),
  constraint ledger_account_types_lowest_check CHECK ((lowest = ANY (ARRAY['zero'::text, 'credit_limit'::text])))
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.ledger_account_types FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON public.ledger_account_types FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant select to godwit_ledger;
grant select to godwit_system;
grant select to godwit_tenant;

create table ledger_accounts (
  account_sid text not null,
  livemode boolean not null,
  wallet_id uuid not null,
  account text not null,
  balance_minor bigint not null,
  minimum_minor bigint,
  maximum_minor bigint,
  spent_minor bigint not null default 0,
  spent_month timestamp with time zone not null default '-infinity'::timestamp with time zone,
  constraint ledger_accounts_pkey PRIMARY KEY (account_sid, wallet_id, account),
  constraint ledger_accounts_account_fkey FOREIGN KEY (account) REFERENCES ledger_account_types(account),
  constraint ledger_accounts_account_sid_wallet_id_fkey FOREIGN KEY (account_sid, wallet_id) REFERENCES wallets(account_sid, id),
  constraint ledger_accounts_maximum CHECK ((balance_minor <= maximum_minor)),
  constraint ledger_accounts_minimum CHECK ((balance_minor >= minimum_minor))
);
create policy ledger to godwit_ledger using true with check true;
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_ledger;
grant select to godwit_system;
grant select to godwit_tenant;

create table ledger_transfer_kinds (
  kind text not null,
  debit_account text not null,
  credit_account text not null,
  beyond_limit boolean not null default false,
  constraint ledger_transfer_kinds_pkey PRIMARY KEY (kind),
  constraint ledger_transfer_kinds_credit_account_fkey FOREIGN KEY (credit_account) REFERENCES ledger_account_types(account),
  constraint ledger_transfer_kinds_debit_account_fkey FOREIGN KEY (debit_account) REFERENCES ledger_account_types(account),
  constraint ledger_transfer_kinds_check CHECK ((debit_account <> credit_account))
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.ledger_transfer_kinds FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON public.ledger_transfer_kinds FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant select to godwit_ledger;
grant select to godwit_system;
grant select to godwit_tenant;

create table ledger_transfers (
  account_sid text not null,
  livemode boolean not null,
  wallet_id uuid not null,
  kind text not null,
  reference text not null,
  debit_account text not null,
  credit_account text not null,
  amount_minor bigint not null,
  created_at timestamp with time zone not null,
  members json,
  constraint ledger_transfers_pkey PRIMARY KEY (account_sid, reference, kind),
  constraint ledger_transfers_amount_minor_check CHECK ((amount_minor > 0)),
  constraint ledger_transfers_members_check CHECK (((members IS NULL) OR (kind = 'hold'::text))),
  constraint ledger_transfers_reference_check CHECK (((length(reference) >= 1) AND (length(reference) <= 128)))
);
CREATE INDEX ledger_transfers_not_of_messages ON public.ledger_transfers USING btree (account_sid, wallet_id, created_at) WHERE (kind <> ALL (ARRAY['hold'::text, 'release'::text, 'capture'::text, 'overage'::text, 'capture_provider'::text, 'overage_provider'::text]));
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.ledger_transfers FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON public.ledger_transfers FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER post AFTER INSERT ON public.ledger_transfers REFERENCING NEW TABLE AS posted FOR EACH STATEMENT EXECUTE FUNCTION post_transfers();
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select to godwit_tenant;
grant select to godwit_system;

create table legal_hold_marks (
  account_sid text not null,
  livemode boolean not null,
  hold_id uuid not null,
  ref text,
  sender_sid text,
  from_at timestamp with time zone,
  to_at timestamp with time zone,
  until timestamp with time zone,
  visible boolean not null,
  constraint legal_hold_marks_account_sid_hold_id_ref_key UNIQUE NULLS NOT DISTINCT (account_sid, hold_id, ref),
  constraint legal_hold_marks_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint legal_hold_marks_account_sid_hold_id_fkey FOREIGN KEY (account_sid, hold_id) REFERENCES legal_holds(account_sid, id),
  constraint legal_hold_marks_check CHECK (((ref IS NULL) = ((from_at IS NOT NULL) AND (to_at IS NOT NULL))))
);
CREATE INDEX legal_hold_marks_by_ref ON public.legal_hold_marks USING btree (account_sid, ref) WHERE (ref IS NOT NULL);
CREATE INDEX legal_hold_marks_of_times ON public.legal_hold_marks USING btree (account_sid) WHERE (ref IS NULL);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select, update to godwit_tenant;

create table legal_holds (
  account_sid text not null,
  livemode boolean not null,
  id uuid not null,
  placed_by text not null,
  state text not null,
  scope json not null,
  case_ref text not null,
  customer_visible boolean not null,
  approval_sid text,
  expires_at timestamp with time zone,
  created_by text not null,
  placed_at timestamp with time zone,
  released_at timestamp with time zone,
  released_by text,
  release_case_ref text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint legal_holds_pkey PRIMARY KEY (account_sid, id),
  constraint legal_holds_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint legal_holds_check CHECK (((state = 'PENDING'::text) = (expires_at IS NOT NULL))),
  constraint legal_holds_check1 CHECK (((state = ANY (ARRAY['STANDING'::text, 'RELEASED'::text])) = (placed_at IS NOT NULL))),
  constraint legal_holds_check2 CHECK (((state = 'RELEASED'::text) = (released_at IS NOT NULL))),
  constraint legal_holds_placed_by_check CHECK ((placed_by = ANY (ARRAY['ACCOUNT'::text, 'PLATFORM'::text]))),
  constraint legal_holds_state_check CHECK ((state = ANY (ARRAY['PENDING'::text, 'STANDING'::text, 'RELEASED'::text, 'REFUSED'::text])))
);
CREATE INDEX legal_holds_newest ON public.legal_holds USING btree (account_sid, livemode, id DESC);
CREATE UNIQUE INDEX legal_holds_of_approval ON public.legal_holds USING btree (account_sid, approval_sid) WHERE (approval_sid IS NOT NULL);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;

create table managed_acceptances (
  account_sid text not null,
  livemode boolean not null,
  application_sid text not null,
  fingerprint text not null,
  quote text not null,
  terms_text text not null,
  accepted_by text not null,
  accepted_at timestamp with time zone not null,
  constraint managed_acceptances_pkey PRIMARY KEY (account_sid, application_sid, fingerprint),
  constraint managed_acceptances_account_sid_application_sid_fkey FOREIGN KEY (account_sid, application_sid) REFERENCES managed_applications(account_sid, sid)
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.managed_acceptances FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON public.managed_acceptances FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select to godwit_tenant;

create table managed_applications (
  account_sid text not null,
  livemode boolean not null,
  sid text not null,
  state text not null,
  display_name text not null,
  country text not null,
  number_source text not null,
  requested_number text,
  website text,
  details bytea not null,
  document_sids text[] not null default '{}'::text[],
  information_request text,
  reason text,
  error json,
  accepted json not null,
  accepted_by text not null,
  accepted_at timestamp with time zone not null,
  offer json,
  attempt integer not null default 0,
  fee_state text not null default 'NONE'::text,
  fee_wallet_id uuid,
  fee_minor bigint not null default 0,
  rent_months integer not null default 0,
  rent_due_at timestamp with time zone,
  operation_sid text,
  phone_number text,
  waba_sid text,
  sender_sid text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  name_due_at timestamp with time zone,
  rent_from timestamp with time zone,
  constraint managed_applications_pkey PRIMARY KEY (account_sid, sid),
  constraint managed_applications_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint managed_applications_check CHECK (((state = 'QUOTE_CHANGED'::text) = (offer IS NOT NULL))),
  constraint managed_applications_check1 CHECK (((state = 'INFORMATION_REQUESTED'::text) <= (information_request IS NOT NULL))),
  constraint managed_applications_check2 CHECK (((fee_state = 'HELD'::text) = (state = ANY (ARRAY['APPROVED'::text, 'PROVISIONING'::text, 'PORTING'::text])))),
  constraint managed_applications_fee_minor_check CHECK ((fee_minor >= 0)),
  constraint managed_applications_fee_state_check CHECK ((fee_state = ANY (ARRAY['NONE'::text, 'HELD'::text, 'CAPTURED'::text, 'RELEASED'::text]))),
  constraint managed_applications_number_source_check CHECK ((number_source = ANY (ARRAY['PORT'::text, 'PURCHASE'::text]))),
  constraint managed_applications_state_check CHECK ((state = ANY (ARRAY['SUBMITTED'::text, 'IN_REVIEW'::text, 'INFORMATION_REQUESTED'::text, 'QUOTE_CHANGED'::text, 'APPROVED'::text, 'PROVISIONING'::text, 'PORTING'::text, 'COMPLETED'::text, 'REJECTED'::text, 'FAILED'::text, 'WITHDRAWN'::text])))
);
CREATE INDEX managed_applications_names ON public.managed_applications USING btree (name_due_at) WHERE (name_due_at IS NOT NULL);
CREATE INDEX managed_applications_newest ON public.managed_applications USING btree (account_sid, livemode, sid DESC);
CREATE INDEX managed_applications_rent ON public.managed_applications USING btree (rent_due_at) WHERE (rent_due_at IS NOT NULL);
CREATE UNIQUE INDEX managed_applications_open ON public.managed_applications USING btree (account_sid, livemode) WHERE (state <> ALL (ARRAY['COMPLETED'::text, 'REJECTED'::text, 'FAILED'::text, 'WITHDRAWN'::text]));
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;
grant select to godwit_system;

create table managed_intents (
  account_sid text not null,
  livemode boolean not null,
  application_sid text not null,
  n integer not null,
  call text not null,
  outcome text,
  begun_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint managed_intents_pkey PRIMARY KEY (account_sid, application_sid, n),
  constraint managed_intents_account_sid_application_sid_fkey FOREIGN KEY (account_sid, application_sid) REFERENCES managed_applications(account_sid, sid),
  constraint managed_intents_check CHECK (((outcome IS NULL) = (ended_at IS NULL)))
);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;

create table managed_provisioning (
  account_sid text not null,
  livemode boolean not null,
  application_sid text not null,
  step text not null,
  vendor_reference text not null,
  number text,
  provider_business_id text,
  provider_waba_id text,
  access_token bytea,
  phone_number_id text,
  pin bytea,
  code bytea,
  code_requested_at timestamp with time zone,
  codes_tried integer not null default 0,
  registered_name text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint managed_provisioning_pkey PRIMARY KEY (account_sid, application_sid),
  constraint managed_provisioning_account_sid_application_sid_fkey FOREIGN KEY (account_sid, application_sid) REFERENCES managed_applications(account_sid, sid)
);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;

create table managed_tasks (
  account_sid text not null,
  livemode boolean not null,
  application_sid text not null,
  n integer not null,
  attempt integer not null,
  task text not null,
  state text not null,
  reason text,
  created_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  ended_by text,
  constraint managed_tasks_pkey PRIMARY KEY (account_sid, application_sid, n),
  constraint managed_tasks_account_sid_application_sid_fkey FOREIGN KEY (account_sid, application_sid) REFERENCES managed_applications(account_sid, sid),
  constraint managed_tasks_check CHECK (((state = 'OPEN'::text) = (ended_at IS NULL))),
  constraint managed_tasks_state_check CHECK ((state = ANY (ARRAY['OPEN'::text, 'DONE'::text, 'FAILED'::text, 'DROPPED'::text]))),
  constraint managed_tasks_task_check CHECK ((task = ANY (ARRAY['ORDER_NUMBER'::text, 'PORT_NUMBER'::text, 'CREATE_ACCOUNT'::text, 'READ_CODE'::text, 'RELEASE_NUMBER'::text])))
);
CREATE UNIQUE INDEX managed_tasks_open ON public.managed_tasks USING btree (account_sid, application_sid, task) WHERE (state = 'OPEN'::text);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;
grant select to godwit_system;

create table marketing_caps (
  account_sid text not null,
  livemode boolean not null,
  contact_sid text not null,
  until timestamp with time zone not null,
  created_at timestamp with time zone not null,
  constraint marketing_caps_pkey PRIMARY KEY (account_sid, contact_sid),
  constraint marketing_caps_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid)
);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select, update to godwit_tenant;

create table media (
  account_sid text not null,
  livemode boolean not null,
  sid text not null,
  direction text not null,
  status text not null,
  requested_type text not null,
  type text,
  declared_mime text,
  mime_type text,
  filename text,
  source_url text,
  provider_media_id text,
  provider_sha256 text,
  waba_sid text,
  sender_sid text,
  file_id uuid,
  size_bytes bigint,
  sha256 text,
  sendable boolean not null default false,
  scanner text,
  reasons json not null default '[]'::json,
  scan_started_at timestamp with time zone,
  scanned_at timestamp with time zone,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  kept_for text,
  constraint media_pkey PRIMARY KEY (account_sid, sid),
  constraint media_account_sid_file_id_fkey FOREIGN KEY (account_sid, file_id) REFERENCES media_files(account_sid, id),
  constraint media_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint media_check CHECK (((status <> 'READY'::text) OR ((file_id IS NOT NULL) AND (scanned_at IS NOT NULL) AND (type IS NOT NULL)))),
  constraint media_direction_check CHECK ((direction = ANY (ARRAY['OUTBOUND'::text, 'INBOUND'::text]))),
  constraint media_requested_type_check CHECK ((requested_type = ANY (ARRAY['AUTO'::text, 'IMAGE'::text, 'AUDIO'::text, 'VIDEO'::text, 'DOCUMENT'::text, 'STICKER'::text]))),
  constraint media_status_check CHECK ((status = ANY (ARRAY['PENDING'::text, 'SCANNING'::text, 'READY'::text, 'REJECTED'::text, 'EXPIRED'::text, 'DELETED'::text]))),
  constraint media_type_check CHECK ((type = ANY (ARRAY['IMAGE'::text, 'AUDIO'::text, 'VIDEO'::text, 'DOCUMENT'::text, 'STICKER'::text])))
);
CREATE INDEX media_by_expiry ON public.media USING btree (expires_at) WHERE (status = ANY (ARRAY['READY'::text, 'REJECTED'::text]));
CREATE INDEX media_by_file ON public.media USING btree (account_sid, file_id) WHERE (file_id IS NOT NULL);
CREATE INDEX media_kept ON public.media USING btree (account_sid, kept_for) WHERE (kept_for IS NOT NULL);
CREATE INDEX media_kept_by_hold ON public.media USING btree (account_sid, sid) WHERE ((file_id IS NOT NULL) AND (status = ANY (ARRAY['EXPIRED'::text, 'DELETED'::text])));
CREATE INDEX media_newest ON public.media USING btree (account_sid, livemode, sid DESC) WHERE (status <> 'DELETED'::text);
CREATE INDEX media_unfinished ON public.media USING btree (created_at) WHERE (status = ANY (ARRAY['PENDING'::text, 'SCANNING'::text]));
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;
grant select to godwit_system;

create table media_files (
  account_sid text not null,
  livemode boolean not null,
  id uuid not null,
  sha256 text not null,
  size_bytes bigint not null,
  stored_at timestamp with time zone,
  touched_at timestamp with time zone not null,
  doomed_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint media_files_pkey PRIMARY KEY (account_sid, id),
  constraint media_files_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint media_files_sha256_check CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text)),
  constraint media_files_size_bytes_check CHECK ((size_bytes >= 0))
);
CREATE INDEX media_files_by_touch ON public.media_files USING btree (touched_at);
CREATE UNIQUE INDEX media_files_by_content ON public.media_files USING btree (account_sid, livemode, sha256) WHERE (doomed_at IS NULL);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, select, update to godwit_system;
grant insert, select, update to godwit_tenant;

create table media_provider_ids (
  account_sid text not null,
  livemode boolean not null,
  media_sid text not null,
  phone_number_id text not null,
  provider_media_id text,
  usable_until timestamp with time zone,
  claimed_until timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint media_provider_ids_pkey PRIMARY KEY (account_sid, media_sid, phone_number_id),
  constraint media_provider_ids_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint media_provider_ids_account_sid_media_sid_fkey FOREIGN KEY (account_sid, media_sid) REFERENCES media(account_sid, sid)
);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select, update to godwit_tenant;

create table media_uses (
  account_sid text not null,
  livemode boolean not null,
  media_sid text not null,
  message_sid text not null,
  contact_sid text not null,
  sender_sid text not null,
  campaign_sid text,
  created_at timestamp with time zone not null,
  constraint media_uses_pkey PRIMARY KEY (account_sid, media_sid, message_sid),
  constraint media_uses_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid)
);
CREATE INDEX media_uses_of_contact ON public.media_uses USING btree (account_sid, contact_sid);
CREATE INDEX media_uses_of_message ON public.media_uses USING btree (account_sid, message_sid);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select to godwit_tenant;

create table message_attempts (
  account_sid text not null,
  livemode boolean not null,
  message_sid text not null,
  number smallint not null,
  process_id uuid not null,
  started_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  outcome text,
  code text,
  provider_code integer,
  reason text,
  provider_message_id text,
  constraint message_attempts_pkey PRIMARY KEY (account_sid, message_sid, number),
  constraint message_attempts_outcome_check CHECK ((outcome = ANY (ARRAY['accepted'::text, 'refused'::text, 'retry'::text, 'unknown'::text])))
);
CREATE INDEX message_attempts_open ON public.message_attempts USING btree (process_id) WHERE (ended_at IS NULL);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select, update to godwit_tenant;
grant select to godwit_system;

create table message_holds (
  account_sid text not null,
  livemode boolean not null,
  message_sid text not null,
  wallet_id uuid not null,
  amount_minor bigint not null,
  state text not null default 'held'::text,
  final_minor bigint,
  held_at timestamp with time zone not null,
  closed_at timestamp with time zone,
  waba_sid text,
  constraint message_holds_pkey PRIMARY KEY (account_sid, message_sid),
  constraint message_holds_amount_minor_check CHECK ((amount_minor >= 0)),
  constraint message_holds_check CHECK (((state = 'held'::text) = (closed_at IS NULL))),
  constraint message_holds_check1 CHECK (((state = 'settled'::text) = (final_minor IS NOT NULL))),
  constraint message_holds_final_minor_check CHECK ((final_minor >= 0)),
  constraint message_holds_state_check CHECK ((state = ANY (ARRAY['held'::text, 'settled'::text, 'released'::text])))
);
CREATE TRIGGER closed BEFORE UPDATE ON public.message_holds FOR EACH ROW WHEN ((old.state <> 'held'::text)) EXECUTE FUNCTION refuse_change_of_closed_hold();
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select to godwit_tenant;
grant select to godwit_system;

create table message_states (
  account_sid text not null,
  livemode boolean not null,
  sid text not null,
  sender_sid text not null,
  status text not null,
  rank smallint not null,
  waiting boolean not null,
  due_at timestamp with time zone,
  turn_at timestamp with time zone,
  expires_at timestamp with time zone,
  attempts smallint not null default 0,
  error json,
  final_minor bigint,
  pricing_type text,
  sent_at timestamp with time zone,
  delivered_at timestamp with time zone,
  read_at timestamp with time zone,
  failed_at timestamp with time zone,
  canceled_at timestamp with time zone,
  updated_at timestamp with time zone not null,
  priced_minor bigint,
  reported json,
  constraint message_states_pkey PRIMARY KEY (account_sid, sid),
  constraint message_states_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'scheduled'::text, 'deferred'::text, 'sending'::text, 'unknown'::text, 'sent'::text, 'delivered'::text, 'read'::text, 'failed'::text, 'canceled'::text, 'expired'::text, 'received'::text])))
);
CREATE INDEX message_states_in_line ON public.message_states USING btree (account_sid, sender_sid, turn_at, sid) WHERE waiting;
CREATE INDEX message_states_to_expire ON public.message_states USING btree (expires_at) WHERE (waiting AND (expires_at IS NOT NULL));
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select, update to godwit_tenant;
grant select to godwit_system;

create table messages (
  account_sid text not null,
  livemode boolean not null,
  sid text not null,
  direction text not null,
  type text not null,
  category text,
  transport text,
  sender_sid text not null,
  contact_sid text not null,
  conversation_sid text,
  identifier_type text not null,
  address text,
  content json,
  extras json not null,
  tags text[],
  campaign_sid text,
  priority smallint not null default 1,
  send_at timestamp with time zone,
  expires_at timestamp with time zone,
  defer_if_capped boolean not null default false,
  status_callback_sid text,
  currency text,
  scale smallint,
  estimate_minor bigint,
  estimate_pricing_type text,
  market text,
  rate_card_version integer,
  created_by text not null,
  created_at timestamp with time zone not null,
  origin_contact_sid text,
  partner_billed boolean,
  content_removed_at timestamp with time zone,
  constraint messages_pkey PRIMARY KEY (account_sid, sid),
  constraint messages_category_check CHECK ((category = ANY (ARRAY['authentication'::text, 'utility'::text, 'marketing'::text, 'service'::text]))),
  constraint messages_direction_check CHECK ((direction = ANY (ARRAY['outbound'::text, 'inbound'::text]))),
  constraint messages_identifier_type_check CHECK ((identifier_type = ANY (ARRAY['phone_e164'::text, 'bsuid'::text, 'username'::text]))),
  constraint messages_transport_check CHECK ((transport = ANY (ARRAY['cloud_api'::text, 'marketing_messages'::text])))
);
CREATE INDEX messages_by_campaign ON public.messages USING btree (account_sid, campaign_sid, sid DESC) WHERE (campaign_sid IS NOT NULL);
CREATE INDEX messages_by_contact ON public.messages USING btree (account_sid, contact_sid, sid DESC);
CREATE INDEX messages_by_tag ON public.messages USING gin (tags) WHERE (tags IS NOT NULL);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select, update to godwit_tenant;

create table mfa_ceremonies (
  challenge_hash bytea not null,
  organization_id uuid not null,
  user_sid text not null,
  session_id uuid,
  account_sid text,
  action text not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint mfa_ceremonies_pkey PRIMARY KEY (challenge_hash),
  constraint mfa_ceremonies_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint mfa_ceremonies_user_sid_fkey FOREIGN KEY (user_sid) REFERENCES users(sid)
);
CREATE INDEX mfa_ceremonies_by_expiry ON public.mfa_ceremonies USING btree (expires_at);
CREATE INDEX mfa_ceremonies_by_user ON public.mfa_ceremonies USING btree (user_sid);
create policy organization to godwit_tenant using (organization_id IN ( SELECT a.organization_id
   FROM accounts a
  WHERE (a.sid = ANY (current_accounts())))) with check (organization_id IN ( SELECT a.organization_id
   FROM accounts a
  WHERE (a.sid = ANY (current_accounts()))));
create policy staff to godwit_tenant with check (user_sid IN ( SELECT visiting_staff() AS visiting_staff));
create policy system to godwit_system using true with check true;
grant delete, insert, select, update to godwit_system;
grant delete, insert, select, update to godwit_tenant;

create table mfa_credentials (
  id uuid not null,
  organization_id uuid not null,
  user_sid text not null,
  method text not null,
  provider_key text not null,
  display_name text,
  webauthn_id text,
  webauthn_public_key bytea,
  webauthn_counter bigint,
  webauthn_transports text[],
  webauthn_backed_up boolean,
  sealed_secret bytea,
  last_step bigint,
  disabled_at timestamp with time zone,
  last_used_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint mfa_credentials_webauthn_id_key UNIQUE (webauthn_id),
  constraint mfa_credentials_pkey PRIMARY KEY (id),
  constraint mfa_credentials_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint mfa_credentials_user_sid_fkey FOREIGN KEY (user_sid) REFERENCES users(sid),
  constraint mfa_credentials_method_check CHECK ((method = ANY (ARRAY['WEBAUTHN'::text, 'TOTP'::text])))
);
CREATE INDEX mfa_credentials_by_user ON public.mfa_credentials USING btree (user_sid, created_at DESC);
create policy organization to godwit_tenant using (organization_id IN ( SELECT a.organization_id
   FROM accounts a
  WHERE (a.sid = ANY (current_accounts())))) with check (organization_id IN ( SELECT a.organization_id
   FROM accounts a
  WHERE (a.sid = ANY (current_accounts()))));
create policy staff to godwit_tenant using (user_sid IN ( SELECT visiting_staff() AS visiting_staff));
create policy system to godwit_system using true with check true;
grant delete, insert, select, update to godwit_system;
grant delete, insert, select, update to godwit_tenant;

create table mfa_enrollments (
  id uuid not null,
  organization_id uuid not null,
  user_sid text not null,
  session_id uuid not null,
  method text not null,
  provider_key text not null,
  display_name text,
  ceremony_hash bytea not null,
  sealed_ceremony bytea not null,
  expires_at timestamp with time zone not null,
  completed_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint mfa_enrollments_pkey PRIMARY KEY (id),
  constraint mfa_enrollments_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint mfa_enrollments_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE,
  constraint mfa_enrollments_user_sid_fkey FOREIGN KEY (user_sid) REFERENCES users(sid),
  constraint mfa_enrollments_method_check CHECK ((method = ANY (ARRAY['WEBAUTHN'::text, 'TOTP'::text])))
);
CREATE INDEX mfa_enrollments_by_expiry ON public.mfa_enrollments USING btree (expires_at);
CREATE INDEX mfa_enrollments_by_session ON public.mfa_enrollments USING btree (session_id);
create policy organization to godwit_tenant using (organization_id IN ( SELECT a.organization_id
   FROM accounts a
  WHERE (a.sid = ANY (current_accounts())))) with check (organization_id IN ( SELECT a.organization_id
   FROM accounts a
  WHERE (a.sid = ANY (current_accounts()))));
create policy system to godwit_system using true with check true;
grant delete, insert, select, update to godwit_system;
grant delete, insert, select, update to godwit_tenant;

create table notification_languages (
  account_sid text not null,
  livemode boolean not null,
  principal text not null,
  locale text not null,
  updated_at timestamp with time zone not null,
  constraint notification_languages_pkey PRIMARY KEY (account_sid, livemode, principal),
  constraint notification_languages_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint notification_languages_locale_check CHECK ((locale = ANY (ARRAY['en'::text, 'fr'::text])))
);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select, update to godwit_tenant;

create table notification_mailboxes (
  account_sid text not null,
  livemode boolean not null,
  mailbox text not null,
  due_at timestamp with time zone,
  holder uuid,
  generation bigint not null default 0,
  failures integer not null default 0,
  mailed_on date,
  mailed_that_day integer not null default 0,
  last_mailed_at timestamp with time zone,
  constraint notification_mailboxes_pkey PRIMARY KEY (account_sid, mailbox),
  constraint notification_mailboxes_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid)
);
CREATE INDEX notification_mailboxes_due ON public.notification_mailboxes USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX notification_mailboxes_held ON public.notification_mailboxes USING btree (holder) WHERE (holder IS NOT NULL);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_system;
grant insert, select, update to godwit_tenant;

create table notification_mails (
  account_sid text not null,
  livemode boolean not null,
  user_sid text not null,
  notification_id uuid not null,
  category text not null,
  count integer not null,
  due_at timestamp with time zone not null,
  letter uuid,
  mailed_at timestamp with time zone,
  constraint notification_mails_pkey PRIMARY KEY (account_sid, livemode, user_sid, notification_id),
  constraint notification_mails_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid)
);
CREATE INDEX notification_mails_by_due_at ON public.notification_mails USING btree (due_at);
CREATE INDEX notification_mails_waiting ON public.notification_mails USING btree (account_sid, livemode, user_sid) WHERE (mailed_at IS NULL);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select to godwit_system;
grant delete, insert, select, update to godwit_tenant;

create table notification_preferences (
  account_sid text not null,
  livemode boolean not null,
  principal text not null,
  category text not null,
  email boolean not null,
  in_app boolean not null,
  updated_at timestamp with time zone not null,
  constraint notification_preferences_pkey PRIMARY KEY (account_sid, livemode, principal, category),
  constraint notification_preferences_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint notification_preferences_category_check CHECK ((category = ANY (ARRAY['sender_health'::text, 'template_status'::text, 'action_required'::text, 'operation_complete'::text, 'security'::text, 'incident'::text, 'product_update'::text, 'billing'::text, 'conversation'::text])))
);
CREATE INDEX notification_preferences_by_principal ON public.notification_preferences USING btree (principal, category);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;
grant select to godwit_system;

create table notification_reads (
  account_sid text not null,
  livemode boolean not null,
  principal text not null,
  notification_id uuid not null,
  count integer not null,
  read_at timestamp with time zone not null,
  constraint notification_reads_pkey PRIMARY KEY (account_sid, livemode, principal, notification_id),
  constraint notification_reads_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid)
);
CREATE INDEX notification_reads_by_time ON public.notification_reads USING btree (read_at);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, select to godwit_system;
grant insert, select, update to godwit_tenant;

create table notification_unsubscribe_tokens (
  token_hash bytea not null,
  account_sid text not null,
  livemode boolean not null,
  user_sid text not null,
  categories text[] not null,
  created_at timestamp with time zone not null,
  constraint notification_unsubscribe_tokens_pkey PRIMARY KEY (token_hash),
  constraint notification_unsubscribe_tokens_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid)
);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select to godwit_tenant;
grant select to godwit_system;

create table notifications (
  account_sid text not null,
  livemode boolean not null,
  id uuid not null,
  type text not null,
  category text not null,
  audience text not null,
  inbox_sid text,
  resource text not null,
  params jsonb not null,
  dedupe_key text not null,
  counting boolean not null default true,
  count integer not null default 1,
  mailed_count integer not null default 0,
  created_at timestamp with time zone not null,
  last_at timestamp with time zone not null,
  constraint notifications_pkey PRIMARY KEY (account_sid, id),
  constraint notifications_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint notifications_category_check CHECK ((category = ANY (ARRAY['sender_health'::text, 'template_status'::text, 'action_required'::text, 'operation_complete'::text, 'security'::text, 'billing'::text, 'conversation'::text])))
);
CREATE INDEX notifications_by_audience ON public.notifications USING btree (account_sid, livemode, audience, id DESC);
CREATE INDEX notifications_by_last_at ON public.notifications USING btree (last_at);
CREATE INDEX notifications_to_mail ON public.notifications USING btree (last_at) WHERE (mailed_count < count);
CREATE UNIQUE INDEX notifications_counting ON public.notifications USING btree (account_sid, livemode, dedupe_key) WHERE counting;
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, select to godwit_system;
grant insert, select, update to godwit_tenant;

create table number_migration_history (
  account_sid text not null,
  livemode boolean not null,
  operation_sid text not null,
  sequence bigint not null,
  step text not null,
  outcome text not null,
  detail text,
  provider_code integer,
  created_by text not null,
  created_at timestamp with time zone not null,
  constraint number_migration_history_pkey PRIMARY KEY (account_sid, operation_sid, sequence),
  constraint number_migration_history_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint number_migration_history_account_sid_operation_sid_fkey FOREIGN KEY (account_sid, operation_sid) REFERENCES number_migrations(account_sid, operation_sid),
  constraint number_migration_history_outcome_check CHECK ((outcome = ANY (ARRAY['STARTED'::text, 'DONE'::text, 'REFUSED'::text, 'AWAITED'::text, 'RECEIVED'::text, 'PUT_OFF'::text])))
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.number_migration_history FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON public.number_migration_history FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select to godwit_tenant;

create table number_migrations (
  account_sid text not null,
  livemode boolean not null,
  operation_sid text not null,
  sender_sid text not null,
  country_code text not null,
  phone_number text not null,
  source_waba_sid text not null,
  destination_waba_sid text not null,
  source_phone_number_id text not null,
  phone_number_id text,
  step text not null,
  code_method text not null default 'SMS'::text,
  code_sent_at timestamp with time zone,
  sealed_code bytea,
  sealed_pin bytea,
  wrong_pins integer not null default 0,
  put_off integer not null default 0,
  awaited_until timestamp with time zone,
  contact_sid text not null,
  template_sid text not null,
  message_sid text,
  message_sent_at timestamp with time zone,
  impact json not null,
  case_ref text not null,
  reason text not null,
  outcome text,
  error json,
  created_by text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint number_migrations_pkey PRIMARY KEY (account_sid, operation_sid),
  constraint number_migrations_account_sid_destination_waba_sid_fkey FOREIGN KEY (account_sid, destination_waba_sid) REFERENCES wabas(account_sid, sid),
  constraint number_migrations_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint number_migrations_account_sid_sender_sid_fkey FOREIGN KEY (account_sid, sender_sid) REFERENCES senders(account_sid, sid),
  constraint number_migrations_account_sid_source_waba_sid_fkey FOREIGN KEY (account_sid, source_waba_sid) REFERENCES wabas(account_sid, sid),
  constraint number_migrations_code_method_check CHECK ((code_method = ANY (ARRAY['SMS'::text, 'VOICE'::text]))),
  constraint number_migrations_outcome_check CHECK ((outcome = ANY (ARRAY['SUCCEEDED'::text, 'FAILED'::text]))),
  constraint number_migrations_step_check CHECK ((step = ANY (ARRAY['ADD'::text, 'REQUEST_CODE'::text, 'VERIFY'::text, 'PAUSE'::text, 'REGISTER'::text, 'CUT_OVER'::text, 'SUBSCRIBE'::text, 'VALIDATE'::text, 'DONE'::text])))
);
CREATE INDEX number_migrations_newest ON public.number_migrations USING btree (account_sid, livemode, operation_sid DESC);
CREATE INDEX number_migrations_of_sender ON public.number_migrations USING btree (account_sid, sender_sid, operation_sid DESC);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;

create table operation_children (
  account_sid text not null,
  livemode boolean not null,
  operation_sid text not null,
  "position" bigint not null,
  ref text,
  state text not null,
  input json,
  result json,
  error json,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint operation_children_pkey PRIMARY KEY (account_sid, operation_sid, "position"),
  constraint operation_children_account_sid_operation_sid_fkey FOREIGN KEY (account_sid, operation_sid) REFERENCES operations(account_sid, sid) ON DELETE CASCADE,
  constraint operation_children_state_check CHECK ((state = ANY (ARRAY['PENDING'::text, 'SUCCEEDED'::text, 'FAILED'::text, 'CANCELED'::text])))
);
CREATE INDEX operation_children_pending ON public.operation_children USING btree (account_sid, operation_sid, "position") WHERE (state = 'PENDING'::text);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select, update to godwit_tenant;
grant delete, select to godwit_system;

create table operations (
  account_sid text not null,
  livemode boolean not null,
  sid text not null,
  type text not null,
  kind text not null,
  state text not null,
  input json not null,
  checkpoint json,
  result json,
  error json,
  done bigint not null default 0,
  failed bigint not null default 0,
  total bigint,
  cancelable boolean not null,
  retry_eligible boolean not null default false,
  tries integer not null default 0,
  measured_at timestamp with time zone,
  measured_done bigint not null default 0,
  progressed_at timestamp with time zone,
  created_by text not null,
  created_at timestamp with time zone not null,
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  updated_at timestamp with time zone not null,
  holder uuid,
  generation bigint not null default 0,
  sealed_result bytea,
  awaits text,
  awaits_until timestamp with time zone,
  next_action json,
  sealed_next_action bytea,
  overdue boolean not null default false,
  constraint operations_pkey PRIMARY KEY (account_sid, sid),
  constraint operations_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint operations_awaits_check CHECK ((((awaits IS NULL) AND (awaits_until IS NULL) AND (next_action IS NULL) AND (sealed_next_action IS NULL)) OR ((awaits IS NOT NULL) AND (awaits_until IS NOT NULL) AND (state = 'WAITING'::text)))),
  constraint operations_kind_check CHECK ((kind = ANY (ARRAY['STEP'::text, 'ITEMS'::text, 'CHUNKS'::text]))),
  constraint operations_state_check CHECK ((state = ANY (ARRAY['PENDING'::text, 'RUNNING'::text, 'WAITING'::text, 'SUCCEEDED'::text, 'FAILED'::text, 'CANCELED'::text])))
);
CREATE INDEX operations_awaiting ON public.operations USING btree (awaits_until) WHERE (awaits IS NOT NULL);
CREATE INDEX operations_newest ON public.operations USING btree (account_sid, livemode, sid DESC);
CREATE INDEX operations_to_sweep ON public.operations USING btree (finished_at) WHERE (finished_at IS NOT NULL);
CREATE INDEX operations_unfinished ON public.operations USING btree (created_at) WHERE (finished_at IS NULL);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, select to godwit_system;
grant insert, select, update to godwit_tenant;

create table opt_in_counters (
  subject bytea not null,
  submissions integer not null,
  ends_at timestamp with time zone not null,
  constraint opt_in_counters_pkey PRIMARY KEY (subject)
);
grant delete, insert, select, update to godwit_system;

create table opt_in_links (
  account_sid text not null,
  livemode boolean not null,
  sid text not null,
  token_hash bytea not null,
  label text not null,
  purpose text not null,
  consent_text text not null,
  wording_version text not null,
  default_country text,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  submissions bigint not null default 0,
  last_submitted_at timestamp with time zone,
  hour_started_at timestamp with time zone,
  hour_submissions integer not null default 0,
  created_by text not null,
  created_at timestamp with time zone not null,
  constraint opt_in_links_token_hash_key UNIQUE (token_hash),
  constraint opt_in_links_pkey PRIMARY KEY (account_sid, sid),
  constraint opt_in_links_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint opt_in_links_purpose_check CHECK ((purpose = ANY (ARRAY['MARKETING'::text, 'TRANSACTIONAL'::text, 'SUPPORT'::text])))
);
CREATE INDEX opt_in_links_newest ON public.opt_in_links USING btree (account_sid, livemode, sid DESC);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;
grant select to godwit_system;

create table opt_in_submissions (
  account_sid text not null,
  livemode boolean not null,
  id uuid not null,
  link_sid text not null,
  contact_sid text not null,
  ticket_hash bytea,
  code_hash bytea not null,
  wording_version text not null,
  answer bytea,
  confirmed_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint opt_in_submissions_pkey PRIMARY KEY (account_sid, id),
  constraint opt_in_submissions_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint opt_in_submissions_account_sid_link_sid_fkey FOREIGN KEY (account_sid, link_sid) REFERENCES opt_in_links(account_sid, sid)
);
CREATE INDEX opt_in_submissions_by_age ON public.opt_in_submissions USING btree (created_at);
CREATE INDEX opt_in_submissions_by_contact ON public.opt_in_submissions USING btree (account_sid, livemode, contact_sid, created_at);
CREATE UNIQUE INDEX opt_in_submissions_by_ticket ON public.opt_in_submissions USING btree (account_sid, link_sid, ticket_hash) WHERE (ticket_hash IS NOT NULL);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select, update to godwit_tenant;
grant delete, select to godwit_system;

create table opt_out_keys (
  account_sid text not null,
  livemode boolean not null,
  sealed bytea not null,
  created_at timestamp with time zone not null,
  constraint opt_out_keys_pkey PRIMARY KEY (account_sid, livemode),
  constraint opt_out_keys_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid)
);
CREATE TRIGGER facts_deleted AFTER DELETE ON public.opt_out_keys REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('facts', 'account_sid, livemode, sealed', 'select account_sid from changed');
CREATE TRIGGER facts_inserted AFTER INSERT ON public.opt_out_keys REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('facts', 'account_sid, livemode, sealed', 'select account_sid from changed');
CREATE TRIGGER facts_updated AFTER UPDATE ON public.opt_out_keys REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('facts', 'account_sid, livemode, sealed', 'select account_sid from changed');
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select to godwit_tenant;

create table organizations (
  id uuid not null,
  name text not null,
  country text,
  created_at timestamp with time zone not null,
  is_operator boolean not null default false,
  legal_details text[] not null default '{}'::text[],
  constraint organizations_pkey PRIMARY KEY (id),
  constraint organizations_country_check CHECK ((country ~ '^[A-Z]{2}$'::text)),
  constraint organizations_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200)))
);
CREATE UNIQUE INDEX organizations_operator ON public.organizations USING btree (is_operator) WHERE is_operator;
grant insert, select to godwit_system;
grant select to godwit_tenant;

create table pair_rates (
  account_sid text not null,
  livemode boolean not null,
  sender_sid text not null,
  address text not null,
  free_at timestamp with time zone not null,
  constraint pair_rates_pkey PRIMARY KEY (account_sid, sender_sid, address)
);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, select to godwit_system;
grant insert, select, update to godwit_tenant;

create table parked_statuses (
  account_sid text not null,
  livemode boolean not null,
  id uuid not null,
  provider_message_id text not null,
  status json not null,
  parked_at timestamp with time zone not null,
  constraint parked_statuses_pkey PRIMARY KEY (account_sid, id),
  constraint parked_statuses_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid)
);
CREATE INDEX parked_statuses_by_age ON public.parked_statuses USING btree (parked_at);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select to godwit_tenant;
grant delete, select to godwit_system;

create table partner_totals (
  livemode boolean not null,
  month date not null,
  currency text not null,
  billed_minor numeric(30,0) not null,
  passed_on_minor numeric(30,0) not null,
  is_off boolean not null,
  looked_at timestamp with time zone not null,
  constraint partner_totals_pkey PRIMARY KEY (livemode, month, currency),
  constraint partner_totals_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint partner_totals_month_check CHECK ((EXTRACT(day FROM month) = (1)::numeric))
);
grant insert, select, update to godwit_system;

create table password_resets (
  id uuid not null,
  organization_id uuid not null,
  user_sid text not null,
  token_hash bytea not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint password_resets_token_hash_key UNIQUE (token_hash),
  constraint password_resets_pkey PRIMARY KEY (id),
  constraint password_resets_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint password_resets_user_sid_fkey FOREIGN KEY (user_sid) REFERENCES users(sid)
);
CREATE INDEX password_resets_by_user ON public.password_resets USING btree (user_sid, created_at DESC);
create policy organization to godwit_tenant using (organization_id IN ( SELECT a.organization_id
   FROM accounts a
  WHERE (a.sid = ANY (current_accounts())))) with check (organization_id IN ( SELECT a.organization_id
   FROM accounts a
  WHERE (a.sid = ANY (current_accounts()))));
create policy system to godwit_system using true with check true;
grant delete, insert, select, update to godwit_system;
grant delete, insert, select, update to godwit_tenant;

create table payment_attempts (
  account_sid text not null,
  livemode boolean not null,
  id uuid not null,
  intent_id uuid not null,
  step text not null,
  attempt integer not null,
  idempotency_key text not null,
  invoice_sid text,
  refund_id uuid,
  amount_minor bigint,
  reason text,
  expires_at timestamp with time zone,
  url text,
  object_id text,
  outcome text,
  created_at timestamp with time zone not null,
  answered_at timestamp with time zone,
  resolved_at timestamp with time zone,
  constraint payment_attempts_account_sid_livemode_idempotency_key_key UNIQUE (account_sid, livemode, idempotency_key),
  constraint payment_attempts_pkey PRIMARY KEY (account_sid, id),
  constraint payment_attempts_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint payment_attempts_account_sid_intent_id_fkey FOREIGN KEY (account_sid, intent_id) REFERENCES payment_intents(account_sid, id),
  constraint payment_attempts_attempt_check CHECK ((attempt > 0)),
  constraint payment_attempts_check CHECK (((step = 'refund'::text) = ((refund_id IS NOT NULL) AND (amount_minor IS NOT NULL)))),
  constraint payment_attempts_step_check CHECK ((step = ANY (ARRAY['session'::text, 'charge'::text, 'refund'::text])))
);
CREATE INDEX payment_attempts_of_intent ON public.payment_attempts USING btree (account_sid, livemode, intent_id, created_at);
CREATE INDEX payment_attempts_unresolved ON public.payment_attempts USING btree (created_at) WHERE (resolved_at IS NULL);
CREATE UNIQUE INDEX payment_attempts_one_of_invoice ON public.payment_attempts USING btree (account_sid, livemode, invoice_sid) WHERE ((invoice_sid IS NOT NULL) AND (resolved_at IS NULL) AND (step <> 'refund'::text));
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;
grant select to godwit_system;

create table payment_callbacks (
  livemode boolean not null,
  event_id text not null,
  type text not null,
  object_id text not null,
  payment_id text,
  account_sid text,
  intent_id uuid,
  happened_at timestamp with time zone not null,
  received_at timestamp with time zone not null,
  listed boolean not null,
  state text not null,
  attempts integer not null default 0,
  due_at timestamp with time zone not null,
  constraint payment_callbacks_pkey PRIMARY KEY (livemode, event_id),
  constraint payment_callbacks_state_check CHECK ((state = ANY (ARRAY['due'::text, 'done'::text, 'passed'::text])))
);
CREATE INDEX payment_callbacks_by_age ON public.payment_callbacks USING btree (received_at) WHERE (state <> 'due'::text);
CREATE INDEX payment_callbacks_due ON public.payment_callbacks USING btree (due_at) WHERE (state = 'due'::text);
grant delete, insert, select, update to godwit_system;

create table payment_customers (
  account_sid text not null,
  livemode boolean not null,
  customer_id text not null,
  created_at timestamp with time zone not null,
  constraint payment_customers_livemode_customer_id_key UNIQUE (livemode, customer_id),
  constraint payment_customers_pkey PRIMARY KEY (account_sid, livemode),
  constraint payment_customers_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid)
);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select to godwit_tenant;

create table payment_disputes (
  account_sid text not null,
  livemode boolean not null,
  id uuid not null,
  intent_id uuid not null,
  dispute_id text not null,
  state text not null,
  amount_minor bigint not null,
  reason text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  withdrawn_minor bigint not null default 0,
  fee_minor bigint not null default 0,
  moves integer not null default 0,
  constraint payment_disputes_account_sid_livemode_dispute_id_key UNIQUE (account_sid, livemode, dispute_id),
  constraint payment_disputes_pkey PRIMARY KEY (account_sid, id),
  constraint payment_disputes_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint payment_disputes_account_sid_intent_id_fkey FOREIGN KEY (account_sid, intent_id) REFERENCES payment_intents(account_sid, id),
  constraint payment_disputes_amount_minor_check CHECK ((amount_minor >= 0)),
  constraint payment_disputes_state_check CHECK ((state = ANY (ARRAY['inquiry'::text, 'open'::text, 'won'::text, 'lost'::text])))
);
CREATE INDEX payment_disputes_of_intent ON public.payment_disputes USING btree (account_sid, livemode, intent_id);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;
grant select to godwit_system;

create table payment_event_lists (
  livemode boolean not null,
  read_until timestamp with time zone not null,
  constraint payment_event_lists_pkey PRIMARY KEY (livemode)
);
grant insert, select, update to godwit_system;

create table payment_intents (
  account_sid text not null,
  livemode boolean not null,
  id uuid not null,
  purpose text not null,
  provider text not null,
  state text not null,
  wallet_id uuid not null,
  currency text not null,
  scale integer not null,
  net_minor bigint not null,
  tax_minor bigint not null,
  tax_lines json not null,
  refunded_minor bigint not null default 0,
  refunding_minor bigint not null default 0,
  disputed_minor bigint not null default 0,
  fee_minor bigint,
  invoice_sid text,
  operation_sid text,
  receipt_sid text,
  save_card boolean not null,
  token_hash bytea,
  sealed_token bytea,
  customer_id text,
  method_id text,
  payment_id text,
  reference text,
  card json,
  failure json,
  parked text,
  expires_at timestamp with time zone,
  succeeded_at timestamp with time zone,
  look_at timestamp with time zone,
  created_by text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  description text not null default ''::text,
  cancel_asked_at timestamp with time zone,
  charge_id text,
  constraint payment_intents_token_hash_key UNIQUE (token_hash),
  constraint payment_intents_pkey PRIMARY KEY (account_sid, id),
  constraint payment_intents_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint payment_intents_account_sid_wallet_id_fkey FOREIGN KEY (account_sid, wallet_id) REFERENCES wallets(account_sid, id),
  constraint payment_intents_check CHECK (((purpose = 'invoice'::text) OR (invoice_sid IS NULL))),
  constraint payment_intents_check1 CHECK (((provider = 'stripe'::text) OR (reference IS NOT NULL))),
  constraint payment_intents_disputed_minor_check CHECK ((disputed_minor >= 0)),
  constraint payment_intents_fee_minor_check CHECK ((fee_minor >= 0)),
  constraint payment_intents_net_minor_check CHECK ((net_minor > 0)),
  constraint payment_intents_provider_check CHECK ((provider = ANY (ARRAY['stripe'::text, 'transfer'::text]))),
  constraint payment_intents_purpose_check CHECK ((purpose = ANY (ARRAY['top_up'::text, 'invoice'::text]))),
  constraint payment_intents_refunded_minor_check CHECK ((refunded_minor >= 0)),
  constraint payment_intents_refunding_minor_check CHECK ((refunding_minor >= 0)),
  constraint payment_intents_scale_check CHECK (((scale >= 0) AND (scale <= 4))),
  constraint payment_intents_state_check CHECK ((state = ANY (ARRAY['created'::text, 'requires_action'::text, 'processing'::text, 'succeeded'::text, 'failed'::text, 'canceled'::text, 'expired'::text, 'partially_refunded'::text, 'refunded'::text, 'disputed'::text, 'charged_back'::text]))),
  constraint payment_intents_tax_minor_check CHECK ((tax_minor >= 0))
);
CREATE INDEX payment_intents_by_charge ON public.payment_intents USING btree (livemode, charge_id) WHERE (charge_id IS NOT NULL);
CREATE INDEX payment_intents_newest ON public.payment_intents USING btree (account_sid, livemode, id DESC);
CREATE INDEX payment_intents_of_invoice ON public.payment_intents USING btree (account_sid, livemode, invoice_sid) WHERE (invoice_sid IS NOT NULL);
CREATE INDEX payment_intents_parked ON public.payment_intents USING btree (updated_at) WHERE (parked IS NOT NULL);
CREATE INDEX payment_intents_to_look_at ON public.payment_intents USING btree (look_at) WHERE (look_at IS NOT NULL);
CREATE UNIQUE INDEX payment_intents_by_payment ON public.payment_intents USING btree (livemode, payment_id) WHERE (payment_id IS NOT NULL);
CREATE UNIQUE INDEX payment_intents_by_reference ON public.payment_intents USING btree (account_sid, livemode, reference) WHERE (reference IS NOT NULL);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;
grant select to godwit_system;

create table pending_sign_ins (
  token_hash bytea not null,
  organization_id uuid not null,
  user_sid text not null,
  livemode boolean not null,
  methods text[] not null,
  provider_id uuid,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  constraint pending_sign_ins_pkey PRIMARY KEY (token_hash),
  constraint pending_sign_ins_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint pending_sign_ins_provider_id_fkey FOREIGN KEY (provider_id) REFERENCES identity_providers(id),
  constraint pending_sign_ins_user_sid_fkey FOREIGN KEY (user_sid) REFERENCES users(sid)
);
CREATE INDEX pending_sign_ins_by_user ON public.pending_sign_ins USING btree (user_sid);
create policy organization to godwit_tenant using (organization_id IN ( SELECT a.organization_id
   FROM accounts a
  WHERE (a.sid = ANY (current_accounts())))) with check (organization_id IN ( SELECT a.organization_id
   FROM accounts a
  WHERE (a.sid = ANY (current_accounts()))));
create policy system to godwit_system using true with check true;
grant delete, insert, select, update to godwit_system;
grant delete, insert, select, update to godwit_tenant;

create table plan_uses (
  account_sid text not null,
  livemode boolean not null,
  month timestamp with time zone not null,
  messages bigint not null,
  tokens double precision not null,
  refilled_at timestamp with time zone not null,
  constraint plan_uses_pkey PRIMARY KEY (account_sid, livemode),
  constraint plan_uses_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint plan_uses_messages_check CHECK ((messages >= 0))
);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((livemode = ( SELECT current_livemode() AS current_livemode)) AND ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) OR (account_sid = ANY (( SELECT accounts_counted_with() AS accounts_counted_with)::text[]))));
grant insert, select, update to godwit_tenant;
grant select to godwit_system;

create table plans (
  name text not null,
  monthly_messages bigint,
  sends_per_second integer,
  requests_per_second integer,
  features text[],
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint plans_pkey PRIMARY KEY (name),
  constraint plans_monthly_messages_check CHECK (((monthly_messages >= 0) AND (monthly_messages <= '1000000000000'::bigint))),
  constraint plans_name_check CHECK ((name ~ '^[a-z][a-z0-9_-]{0,39}$'::text)),
  constraint plans_requests_per_second_check CHECK (((requests_per_second >= 1) AND (requests_per_second <= 1000000))),
  constraint plans_sends_per_second_check CHECK (((sends_per_second >= 1) AND (sends_per_second <= 1000000)))
);
CREATE TRIGGER credentials_deleted AFTER DELETE ON public.plans REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('credentials', 'name, requests_per_second', 'select a.sid from accounts a join changed c on c.name = a.plan');
CREATE TRIGGER credentials_inserted AFTER INSERT ON public.plans REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('credentials', 'name, requests_per_second', 'select a.sid from accounts a join changed c on c.name = a.plan');
CREATE TRIGGER credentials_updated AFTER UPDATE ON public.plans REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('credentials', 'name, requests_per_second', 'select a.sid from accounts a join changed c on c.name = a.plan');
CREATE TRIGGER facts_deleted AFTER DELETE ON public.plans REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('facts', 'name, monthly_messages, sends_per_second, requests_per_second, features', 'select ''*'' from changed');
CREATE TRIGGER facts_inserted AFTER INSERT ON public.plans REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('facts', 'name, monthly_messages, sends_per_second, requests_per_second, features', 'select ''*'' from changed');
CREATE TRIGGER facts_updated AFTER UPDATE ON public.plans REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('facts', 'name, monthly_messages, sends_per_second, requests_per_second, features', 'select ''*'' from changed');
grant insert, select, update to godwit_system;
grant select to godwit_tenant;

create table platform_audit_entries (
  account_sid text not null,
  livemode boolean not null,
  sequence bigint not null,
  id uuid not null,
  action text not null,
  resource text,
  actor text not null,
  occurred_at timestamp with time zone not null,
  payload text not null,
  previous_hash bytea not null,
  hash bytea not null,
  constraint platform_audit_entries_pkey PRIMARY KEY (account_sid, livemode, sequence),
  constraint platform_audit_entries_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid)
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.platform_audit_entries FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON public.platform_audit_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert to godwit_tenant;
grant select to godwit_system;

create table portfolio_recipients (
  account_sid text not null,
  livemode boolean not null,
  portfolio_id uuid not null,
  contact_sid text not null,
  started_at timestamp with time zone not null,
  constraint portfolio_recipients_pkey PRIMARY KEY (account_sid, portfolio_id, contact_sid)
);
CREATE INDEX portfolio_recipients_by_age ON public.portfolio_recipients USING btree (started_at);
CREATE INDEX portfolio_recipients_recent ON public.portfolio_recipients USING btree (account_sid, portfolio_id, started_at);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, select to godwit_system;
grant insert, select, update to godwit_tenant;

create table portfolios (
  account_sid text not null,
  livemode boolean not null,
  id uuid not null,
  provider_business_id text not null,
  name text not null,
  messaging_limit text not null,
  phone_number_cap integer not null,
  limits_updated_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint portfolios_account_sid_livemode_provider_business_id_key UNIQUE (account_sid, livemode, provider_business_id),
  constraint portfolios_pkey PRIMARY KEY (account_sid, id),
  constraint portfolios_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint portfolios_messaging_limit_check CHECK ((messaging_limit = ANY (ARRAY['TIER_50'::text, 'TIER_250'::text, 'TIER_2K'::text, 'TIER_10K'::text, 'TIER_100K'::text, 'TIER_UNLIMITED'::text]))),
  constraint portfolios_phone_number_cap_check CHECK ((phone_number_cap >= 0))
);
CREATE TRIGGER facts_deleted AFTER DELETE ON public.portfolios REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('facts', 'account_sid, livemode, id, messaging_limit', 'select account_sid from changed');
CREATE TRIGGER facts_inserted AFTER INSERT ON public.portfolios REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('facts', 'account_sid, livemode, id, messaging_limit', 'select account_sid from changed');
CREATE TRIGGER facts_updated AFTER UPDATE ON public.portfolios REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('facts', 'account_sid, livemode, id, messaging_limit', 'select account_sid from changed');
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;

create table privacy_copy_parts (
  account_sid text not null,
  livemode boolean not null,
  request_sid text not null,
  "position" integer not null,
  store text not null,
  entries integer not null,
  size_bytes integer not null,
  media_sids text[] not null,
  body bytea not null,
  constraint privacy_copy_parts_pkey PRIMARY KEY (account_sid, request_sid, "position"),
  constraint privacy_copy_parts_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint privacy_copy_parts_account_sid_request_sid_fkey FOREIGN KEY (account_sid, request_sid) REFERENCES privacy_requests(account_sid, sid)
);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete to godwit_system;
grant delete, insert, select to godwit_tenant;

create table privacy_requests (
  account_sid text not null,
  livemode boolean not null,
  sid text not null,
  kind text not null,
  state text not null,
  contact_sid text,
  found boolean not null,
  reason text,
  changed_fields text[],
  operation_sid text,
  sealed_person bytea,
  parked_by uuid[] not null default '{}'::uuid[],
  counts json,
  mentions json,
  certificate text,
  export_expires_at timestamp with time zone,
  created_by text not null,
  due_at timestamp with time zone not null,
  remind_at timestamp with time zone,
  starts_at timestamp with time zone,
  started_at timestamp with time zone,
  completed_at timestamp with time zone,
  lifted_at timestamp with time zone,
  lifted_by text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint privacy_requests_pkey PRIMARY KEY (account_sid, sid),
  constraint privacy_requests_account_sid_contact_sid_fkey FOREIGN KEY (account_sid, contact_sid) REFERENCES contacts(account_sid, sid),
  constraint privacy_requests_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint privacy_requests_check CHECK (((state = 'LIFTED'::text) = (lifted_at IS NOT NULL))),
  constraint privacy_requests_check1 CHECK (((state = ANY (ARRAY['COMPLETED'::text, 'WITHDRAWN'::text])) = (completed_at IS NOT NULL))),
  constraint privacy_requests_kind_check CHECK ((kind = ANY (ARRAY['ERASURE'::text, 'ACCESS'::text, 'PORTABILITY'::text, 'RECTIFICATION'::text, 'RESTRICTION'::text]))),
  constraint privacy_requests_state_check CHECK ((state = ANY (ARRAY['PENDING'::text, 'IN_PROGRESS'::text, 'PARKED'::text, 'SETTLING'::text, 'COMPLETED'::text, 'WITHDRAWN'::text, 'ACTIVE'::text, 'LIFTED'::text])))
);
CREATE INDEX privacy_requests_newest ON public.privacy_requests USING btree (account_sid, livemode, sid DESC);
CREATE INDEX privacy_requests_of_contact ON public.privacy_requests USING btree (account_sid, contact_sid);
CREATE INDEX privacy_requests_open ON public.privacy_requests USING btree (state) WHERE (state <> ALL (ARRAY['COMPLETED'::text, 'WITHDRAWN'::text, 'LIFTED'::text]));
CREATE INDEX privacy_requests_to_remind ON public.privacy_requests USING btree (remind_at) WHERE (remind_at IS NOT NULL);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;

create table processes (
  id uuid not null,
  role text not null,
  host text not null,
  pid integer not null,
  worker_ids text[] not null default '{}'::text[],
  started_at timestamp with time zone not null default clock_timestamp(),
  beat_at timestamp with time zone not null default clock_timestamp(),
  url text,
  constraint processes_pkey PRIMARY KEY (id)
);
grant delete, insert, select, update to godwit_system;
grant select to godwit_tenant;

create table provider_blocks (
  account_sid text not null,
  livemode boolean not null,
  sender_sid text not null,
  provider_user text not null,
  contact_sid text not null,
  confirmed boolean not null,
  created_at timestamp with time zone not null,
  constraint provider_blocks_pkey PRIMARY KEY (account_sid, sender_sid, provider_user),
  constraint provider_blocks_account_sid_contact_sid_fkey FOREIGN KEY (account_sid, contact_sid) REFERENCES contacts(account_sid, sid),
  constraint provider_blocks_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint provider_blocks_account_sid_sender_sid_fkey FOREIGN KEY (account_sid, sender_sid) REFERENCES senders(account_sid, sid)
);
CREATE INDEX provider_blocks_by_contact ON public.provider_blocks USING btree (account_sid, contact_sid);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select, update to godwit_tenant;

create table provider_callback_work (
  id bigint not null,
  state text not null,
  bytes integer not null,
  attempts smallint not null default 0,
  due_at timestamp with time zone not null,
  note text,
  urgent boolean not null default false,
  constraint provider_callback_work_pkey PRIMARY KEY (id),
  constraint provider_callback_work_state_check CHECK ((state = ANY (ARRAY['due'::text, 'kept'::text, 'parked'::text])))
);
CREATE INDEX provider_callback_work_due ON public.provider_callback_work USING btree (due_at, id) WHERE (state = 'due'::text);
CREATE INDEX provider_callback_work_others ON public.provider_callback_work USING btree (state, id) WHERE (state <> 'due'::text);
CREATE INDEX provider_callback_work_urgent ON public.provider_callback_work USING btree (due_at, id) WHERE ((state = 'due'::text) AND urgent);
grant delete, insert, select, update to godwit_system;

create table provider_callbacks (
  id bigint not null,
  livemode boolean not null,
  received_at timestamp with time zone not null,
  body bytea not null,
  constraint provider_callbacks_pkey PRIMARY KEY (id)
);
CREATE INDEX provider_callbacks_by_age ON public.provider_callbacks USING brin (received_at) WITH (pages_per_range='16');
grant delete, insert, select to godwit_system;

create table provider_changes (
  account_sid text not null,
  livemode boolean not null,
  happened_at timestamp with time zone not null,
  key bytea not null,
  seen_at timestamp with time zone not null,
  constraint provider_changes_pkey PRIMARY KEY (account_sid, livemode, happened_at, key)
);
CREATE INDEX provider_changes_by_age ON public.provider_changes USING brin (seen_at) WITH (pages_per_range='16');
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, select to godwit_system;
grant insert, select to godwit_tenant;

create table provider_contract_runs (
  id uuid not null,
  livemode boolean not null,
  version text not null,
  against text not null,
  suite_commit text,
  suite_digest text not null,
  started_at timestamp with time zone not null,
  finished_at timestamp with time zone not null,
  passed integer not null,
  left_out integer not null,
  failed jsonb not null,
  digest text not null,
  constraint provider_contract_runs_pkey PRIMARY KEY (id),
  constraint provider_contract_runs_against_check CHECK ((against = ANY (ARRAY['simulator'::text, 'provider'::text]))),
  constraint provider_contract_runs_check CHECK ((finished_at >= started_at)),
  constraint provider_contract_runs_check1 CHECK ((((passed + left_out) + jsonb_array_length(failed)) > 0)),
  constraint provider_contract_runs_failed_check CHECK ((jsonb_typeof(failed) = 'array'::text)),
  constraint provider_contract_runs_left_out_check CHECK ((left_out >= 0)),
  constraint provider_contract_runs_passed_check CHECK ((passed >= 0)),
  constraint provider_contract_runs_version_check CHECK ((version ~ '^v[0-9]{1,3}\.[0-9]$'::text))
);
CREATE INDEX provider_contract_runs_newest ON public.provider_contract_runs USING btree (livemode, version, finished_at DESC);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.provider_contract_runs FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON public.provider_contract_runs FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant insert, select to godwit_system;
grant select to godwit_tenant;

create table provider_messages (
  account_sid text not null,
  livemode boolean not null,
  provider_message_id text not null,
  message_sid text not null,
  constraint provider_messages_pkey PRIMARY KEY (account_sid, livemode, provider_message_id)
);
CREATE INDEX provider_messages_by_message ON public.provider_messages USING btree (account_sid, message_sid);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select to godwit_tenant;

create table rate_buckets (
  name text not null,
  tokens double precision not null,
  refilled_at timestamp with time zone not null,
  constraint rate_buckets_pkey PRIMARY KEY (name)
);
grant delete, insert, select, update to godwit_system;

create table rate_cards (
  version integer not null,
  scale smallint not null,
  effective_from timestamp with time zone not null,
  published_at timestamp with time zone,
  fingerprint text,
  constraint rate_cards_pkey PRIMARY KEY (version),
  constraint rate_cards_check CHECK ((published_at <= effective_from)),
  constraint rate_cards_check1 CHECK (((published_at IS NULL) = (fingerprint IS NULL))),
  constraint rate_cards_scale_check CHECK (((scale >= 0) AND (scale <= 9))),
  constraint rate_cards_version_check CHECK ((version > 0))
);
CREATE TRIGGER facts_deleted AFTER DELETE ON public.rate_cards REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('facts', 'version, scale, effective_from, published_at, fingerprint', 'select ''*'' from changed');
CREATE TRIGGER facts_inserted AFTER INSERT ON public.rate_cards REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('facts', 'version, scale, effective_from, published_at, fingerprint', 'select ''*'' from changed');
CREATE TRIGGER facts_updated AFTER UPDATE ON public.rate_cards REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('facts', 'version, scale, effective_from, published_at, fingerprint', 'select ''*'' from changed');
CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE ON public.rate_cards FOR EACH ROW EXECUTE FUNCTION guard_rate_card();
grant select to godwit_system;
grant select to godwit_tenant;

create table rate_markets (
  version integer not null,
  country text not null,
  market text not null,
  constraint rate_markets_pkey PRIMARY KEY (version, country),
  constraint rate_markets_version_fkey FOREIGN KEY (version) REFERENCES rate_cards(version),
  constraint rate_markets_country_check CHECK ((country ~ '^[A-Z]{2}$'::text)),
  constraint rate_markets_market_check CHECK ((market ~ '^[A-Z_]{2,16}$'::text))
);
CREATE TRIGGER published BEFORE INSERT OR DELETE OR UPDATE ON public.rate_markets FOR EACH ROW EXECUTE FUNCTION refuse_change_of_published_rates();
grant select to godwit_system;
grant select to godwit_tenant;

create table rates (
  version integer not null,
  kind text not null,
  category text not null,
  pricing_type text not null,
  transport text not null,
  market text not null,
  currency text not null,
  amount_minor bigint not null,
  constraint rates_pkey PRIMARY KEY (version, currency, kind, category, pricing_type, transport, market),
  constraint rates_version_fkey FOREIGN KEY (version) REFERENCES rate_cards(version),
  constraint rates_amount_minor_check CHECK ((amount_minor >= 0)),
  constraint rates_category_check CHECK ((category = ANY (ARRAY['authentication'::text, 'authentication_international'::text, 'marketing'::text, 'utility'::text, 'service'::text]))),
  constraint rates_check CHECK (((transport = 'cloud_api'::text) OR (category = 'marketing'::text))),
  constraint rates_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint rates_kind_check CHECK ((kind = ANY (ARRAY['platform_fee'::text, 'provider_cost'::text, 'provider_pass_through'::text]))),
  constraint rates_market_check CHECK ((market ~ '^[A-Z_]{2,16}$'::text)),
  constraint rates_pricing_type_check CHECK ((pricing_type = ANY (ARRAY['REGULAR'::text, 'FREE_CUSTOMER_SERVICE'::text, 'FREE_ENTRY_POINT'::text]))),
  constraint rates_transport_check CHECK ((transport = ANY (ARRAY['cloud_api'::text, 'marketing_messages'::text])))
);
CREATE TRIGGER published BEFORE INSERT OR DELETE OR UPDATE ON public.rates FOR EACH ROW EXECUTE FUNCTION refuse_change_of_published_rates();
grant select to godwit_system;
grant select to godwit_tenant;

create table receipt_keys (
  kid text not null,
  public_key json not null,
  private_key bytea not null,
  created_at timestamp with time zone not null,
  constraint receipt_keys_pkey PRIMARY KEY (kid)
);
grant insert, select to godwit_system;

create table receipts (
  account_sid text not null,
  livemode boolean not null,
  sid text not null,
  number text not null,
  intent_id uuid not null,
  created_at timestamp with time zone not null,
  constraint receipts_account_sid_intent_id_key UNIQUE (account_sid, intent_id),
  constraint receipts_account_sid_livemode_number_key UNIQUE (account_sid, livemode, number),
  constraint receipts_pkey PRIMARY KEY (account_sid, sid),
  constraint receipts_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint receipts_account_sid_intent_id_fkey FOREIGN KEY (account_sid, intent_id) REFERENCES payment_intents(account_sid, id)
);
CREATE INDEX receipts_newest ON public.receipts USING btree (account_sid, livemode, sid DESC);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select to godwit_tenant;

create table reconciliation_case_messages (
  account_sid text not null,
  livemode boolean not null,
  case_sid text not null,
  reference text not null,
  message_sid text,
  proven boolean not null,
  adjusted_minor bigint,
  constraint reconciliation_case_messages_pkey PRIMARY KEY (account_sid, case_sid, reference),
  constraint reconciliation_case_messages_account_sid_case_sid_fkey FOREIGN KEY (account_sid, case_sid) REFERENCES reconciliation_cases(account_sid, sid),
  constraint reconciliation_case_messages_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid)
);
CREATE INDEX reconciliation_case_messages_adjusted ON public.reconciliation_case_messages USING btree (account_sid, message_sid) WHERE (adjusted_minor IS NOT NULL);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;

create table reconciliation_cases (
  account_sid text not null,
  livemode boolean not null,
  sid text not null,
  fingerprint text not null,
  state text not null default 'open'::text,
  outcome text not null,
  source text not null,
  waba_sid text,
  bucket json,
  message_count integer not null,
  expected_messages integer not null,
  expected_minor bigint,
  reported_messages integer not null,
  reported_minor bigint,
  currency text,
  scale smallint,
  findings json not null default '[]'::json,
  resolution json,
  version integer not null default 1,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint reconciliation_cases_account_sid_livemode_fingerprint_key UNIQUE (account_sid, livemode, fingerprint),
  constraint reconciliation_cases_pkey PRIMARY KEY (account_sid, sid),
  constraint reconciliation_cases_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint reconciliation_cases_outcome_check CHECK ((outcome = ANY (ARRAY['amount_mismatch'::text, 'missing_platform_event'::text, 'unexpected_provider_charge'::text, 'missing_provider_status'::text]))),
  constraint reconciliation_cases_source_check CHECK ((source = ANY (ARRAY['callback'::text, 'message_history'::text, 'analytics'::text, 'itemised_file'::text]))),
  constraint reconciliation_cases_state_check CHECK ((state = ANY (ARRAY['open'::text, 'investigating'::text, 'resolved'::text, 'rejected'::text])))
);
CREATE INDEX reconciliation_cases_newest ON public.reconciliation_cases USING btree (account_sid, livemode, sid DESC);
CREATE INDEX reconciliation_cases_unsettled ON public.reconciliation_cases USING btree (account_sid, waba_sid, outcome) WHERE (state = ANY (ARRAY['open'::text, 'investigating'::text]));
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;
grant select to godwit_system;

create table reconciliation_imports (
  account_sid text not null,
  livemode boolean not null,
  sha256 bytea not null,
  rows integer not null,
  bad_rows integer not null,
  imported_at timestamp with time zone not null,
  constraint reconciliation_imports_pkey PRIMARY KEY (account_sid, livemode, sha256),
  constraint reconciliation_imports_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid)
);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select to godwit_tenant;

create table reconciliation_looks (
  account_sid text not null,
  livemode boolean not null,
  waba_sid text not null,
  period_start timestamp with time zone not null,
  period_end timestamp with time zone not null,
  look text not null,
  queued_at timestamp with time zone not null,
  constraint reconciliation_looks_pkey PRIMARY KEY (account_sid, waba_sid, period_end, look),
  constraint reconciliation_looks_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint reconciliation_looks_look_check CHECK ((look = ANY (ARRAY['first'::text, 'second'::text])))
);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select to godwit_tenant;
grant select to godwit_system;

create table recovery_code_sets (
  user_sid text not null,
  organization_id uuid not null,
  sealed_key bytea not null,
  created_at timestamp with time zone not null,
  constraint recovery_code_sets_pkey PRIMARY KEY (user_sid),
  constraint recovery_code_sets_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint recovery_code_sets_user_sid_fkey FOREIGN KEY (user_sid) REFERENCES users(sid)
);
create policy organization to godwit_tenant using (organization_id IN ( SELECT a.organization_id
   FROM accounts a
  WHERE (a.sid = ANY (current_accounts())))) with check (organization_id IN ( SELECT a.organization_id
   FROM accounts a
  WHERE (a.sid = ANY (current_accounts()))));
create policy staff to godwit_tenant using (user_sid IN ( SELECT visiting_staff() AS visiting_staff));
create policy system to godwit_system using true with check true;
grant delete, insert, select, update to godwit_system;
grant delete, insert, select, update to godwit_tenant;

create table recovery_codes (
  user_sid text not null,
  code_hash bytea not null,
  organization_id uuid not null,
  used_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint recovery_codes_pkey PRIMARY KEY (user_sid, code_hash),
  constraint recovery_codes_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint recovery_codes_user_sid_fkey FOREIGN KEY (user_sid) REFERENCES users(sid)
);
create policy organization to godwit_tenant using (organization_id IN ( SELECT a.organization_id
   FROM accounts a
  WHERE (a.sid = ANY (current_accounts())))) with check (organization_id IN ( SELECT a.organization_id
   FROM accounts a
  WHERE (a.sid = ANY (current_accounts()))));
create policy staff to godwit_tenant using (user_sid IN ( SELECT visiting_staff() AS visiting_staff));
create policy system to godwit_system using true with check true;
grant delete, insert, select, update to godwit_system;
grant delete, insert, select, update to godwit_tenant;

create table refund_consents (
  account_sid text not null,
  livemode boolean not null,
  approval_sid text not null,
  invoice_sid text,
  payment_intent_id uuid,
  currency text not null,
  amount_minor bigint not null,
  reason text not null,
  refund_id uuid,
  created_at timestamp with time zone not null,
  constraint refund_consents_pkey PRIMARY KEY (account_sid, approval_sid),
  constraint refund_consents_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint refund_consents_amount_minor_check CHECK ((amount_minor > 0)),
  constraint refund_consents_check CHECK ((num_nonnulls(invoice_sid, payment_intent_id) = 1))
);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;

create table refunds (
  account_sid text not null,
  livemode boolean not null,
  id uuid not null,
  state text not null,
  reason text not null,
  approval_sid text not null,
  operation_sid text not null,
  wallet_id uuid not null,
  payment_intent_id uuid not null,
  invoice_sid text,
  currency text not null,
  scale smallint not null,
  amount_minor bigint not null,
  tax_minor bigint,
  failure text,
  created_by text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint refunds_pkey PRIMARY KEY (account_sid, id),
  constraint refunds_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint refunds_amount_minor_check CHECK ((amount_minor > 0)),
  constraint refunds_check CHECK (((tax_minor >= 0) AND (tax_minor <= amount_minor))),
  constraint refunds_check1 CHECK (((tax_minor IS NULL) = (invoice_sid IS NOT NULL))),
  constraint refunds_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'submitted'::text, 'unknown'::text, 'succeeded'::text, 'failed'::text])))
);
CREATE INDEX refunds_by_payment ON public.refunds USING btree (account_sid, payment_intent_id);
CREATE INDEX refunds_newest ON public.refunds USING btree (account_sid, livemode, id DESC);
CREATE INDEX refunds_undecided ON public.refunds USING btree (created_at) WHERE (state = ANY (ARRAY['pending'::text, 'submitted'::text, 'unknown'::text]));
CREATE UNIQUE INDEX refunds_by_approval ON public.refunds USING btree (account_sid, approval_sid);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;
grant select to godwit_system;

create table request_nonces (
  account_sid text not null,
  livemode boolean not null,
  key_id uuid not null,
  nonce text not null,
  expires_at timestamp with time zone not null,
  constraint request_nonces_pkey PRIMARY KEY (key_id, nonce),
  constraint request_nonces_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid)
);
CREATE INDEX request_nonces_by_expiry ON public.request_nonces USING btree (expires_at);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select to godwit_system;

create table retention_policies (
  account_sid text not null,
  livemode boolean not null,
  content_days integer,
  metadata_months integer,
  analytics_months integer,
  effective_from timestamp with time zone,
  content_days_before integer,
  metadata_months_before integer,
  analytics_months_before integer,
  next_run_at timestamp with time zone,
  operation_sid text,
  content_gone_before text not null default ''::text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint retention_policies_pkey PRIMARY KEY (account_sid, livemode),
  constraint retention_policies_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint retention_policies_analytics_months_check CHECK (((analytics_months >= 1) AND (analytics_months <= 36))),
  constraint retention_policies_content_days_check CHECK (((content_days >= 30) AND (content_days <= 3650))),
  constraint retention_policies_metadata_months_check CHECK (((metadata_months >= 1) AND (metadata_months <= 120)))
);
CREATE INDEX retention_policies_due ON public.retention_policies USING btree (next_run_at) WHERE (next_run_at IS NOT NULL);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;

create table retention_runs (
  account_sid text not null,
  livemode boolean not null,
  operation_sid text not null,
  message_contents bigint not null default 0,
  messages bigint not null default 0,
  media_files bigint not null default 0,
  media_bytes bigint not null default 0,
  analytics_days bigint not null default 0,
  first_left text,
  contents_until text,
  created_at timestamp with time zone not null,
  constraint retention_runs_pkey PRIMARY KEY (account_sid, operation_sid),
  constraint retention_runs_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid)
);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;

create table role_bindings (
  id uuid not null,
  organization_id uuid not null,
  account_sid text,
  inbox_sid text,
  principal_type text not null,
  principal_ref text not null,
  role text not null,
  scope_kind text not null,
  environment text not null,
  source text not null default 'api'::text,
  created_by text not null,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  revoked_by text,
  revoke_reason text,
  created_at timestamp with time zone not null,
  constraint role_bindings_pkey PRIMARY KEY (id),
  constraint role_bindings_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint role_bindings_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint role_bindings_check CHECK (((scope_kind = 'ORGANIZATION'::text) = (account_sid IS NULL))),
  constraint role_bindings_check1 CHECK (((scope_kind = 'INBOX'::text) = (inbox_sid IS NOT NULL))),
  constraint role_bindings_environment_check CHECK ((environment = ANY (ARRAY['live'::text, 'sandbox'::text, 'both'::text]))),
  constraint role_bindings_principal_type_check CHECK ((principal_type = ANY (ARRAY['USER'::text, 'API_KEY'::text]))),
  constraint role_bindings_scope_kind_check CHECK ((scope_kind = ANY (ARRAY['ORGANIZATION'::text, 'ACCOUNT'::text, 'SUBACCOUNT'::text, 'INBOX'::text])))
);
CREATE INDEX role_bindings_by_organization ON public.role_bindings USING btree (organization_id, created_at DESC, id DESC);
CREATE INDEX role_bindings_by_principal ON public.role_bindings USING btree (principal_type, principal_ref) WHERE (revoked_at IS NULL);
CREATE TRIGGER announce AFTER INSERT OR UPDATE ON public.role_bindings FOR EACH ROW WHEN ((new.principal_type = 'API_KEY'::text)) EXECUTE FUNCTION announce_key_binding();
CREATE TRIGGER credentials_deleted AFTER DELETE ON public.role_bindings REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('credentials', 'organization_id, account_sid, inbox_sid, role, scope_kind, environment,
  expires_at, principal_type, principal_ref, revoked_at', 'select k.account_sid from changed c join api_keys k
     on k.id = case when pg_input_is_valid(c.principal_ref, ''uuid'') then c.principal_ref::uuid end
    where c.principal_type = ''API_KEY''');
CREATE TRIGGER credentials_inserted AFTER INSERT ON public.role_bindings REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('credentials', 'organization_id, account_sid, inbox_sid, role, scope_kind, environment,
  expires_at, principal_type, principal_ref, revoked_at', 'select k.account_sid from changed c join api_keys k
     on k.id = case when pg_input_is_valid(c.principal_ref, ''uuid'') then c.principal_ref::uuid end
    where c.principal_type = ''API_KEY''');
CREATE TRIGGER credentials_updated AFTER UPDATE ON public.role_bindings REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('credentials', 'organization_id, account_sid, inbox_sid, role, scope_kind, environment,
  expires_at, principal_type, principal_ref, revoked_at', 'select k.account_sid from changed c join api_keys k
     on k.id = case when pg_input_is_valid(c.principal_ref, ''uuid'') then c.principal_ref::uuid end
    where c.principal_type = ''API_KEY''');
create policy organization to godwit_tenant using (organization_id IN ( SELECT a.organization_id
   FROM accounts a
  WHERE (a.sid = ANY (current_accounts())))) with check (organization_id IN ( SELECT a.organization_id
   FROM accounts a
  WHERE (a.sid = ANY (current_accounts()))));
create policy system to godwit_system using true with check true;
grant insert, select, update to godwit_system;
grant insert, select, update to godwit_tenant;

create table schema_migrations (
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone not null default now(),
  constraint schema_migrations_pkey PRIMARY KEY (name)
);

create table segment_members (
  account_sid text not null,
  livemode boolean not null,
  segment_sid text not null,
  contact_sid text not null,
  filter_version integer not null,
  consent_sid text,
  matched_at timestamp with time zone not null,
  constraint segment_members_pkey PRIMARY KEY (account_sid, segment_sid, contact_sid)
);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select, update to godwit_tenant;

create table segment_uses (
  account_sid text not null,
  livemode boolean not null,
  segment_sid text not null,
  used_by text not null,
  created_at timestamp with time zone not null,
  constraint segment_uses_pkey PRIMARY KEY (account_sid, segment_sid, used_by),
  constraint segment_uses_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint segment_uses_account_sid_segment_sid_fkey FOREIGN KEY (account_sid, segment_sid) REFERENCES segments(account_sid, sid)
);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select to godwit_tenant;

create table segment_versions (
  account_sid text not null,
  livemode boolean not null,
  segment_sid text not null,
  filter_version integer not null,
  filters json,
  contact_sids text[],
  created_by text not null,
  created_at timestamp with time zone not null,
  constraint segment_versions_pkey PRIMARY KEY (account_sid, segment_sid, filter_version),
  constraint segment_versions_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint segment_versions_account_sid_segment_sid_fkey FOREIGN KEY (account_sid, segment_sid) REFERENCES segments(account_sid, sid)
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OF account_sid, livemode, segment_sid, filter_version, contact_sids, created_by, created_at ON public.segment_versions FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only_filters BEFORE UPDATE ON public.segment_versions FOR EACH ROW WHEN ((POSITION(('"[erased]"'::text) IN ((new.filters)::text)) = 0)) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON public.segment_versions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select to godwit_tenant;

create table segments (
  account_sid text not null,
  livemode boolean not null,
  sid text not null,
  name text not null,
  kind text not null,
  filter_version integer not null,
  member_count integer not null,
  materialized_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint segments_pkey PRIMARY KEY (account_sid, sid),
  constraint segments_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint segments_kind_check CHECK ((kind = 'DYNAMIC'::text))
);
CREATE INDEX segments_newest ON public.segments USING btree (account_sid, livemode, sid DESC) WHERE (deleted_at IS NULL);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;

create table sender_former_ids (
  account_sid text not null,
  livemode boolean not null,
  provider_phone_number_id text not null,
  sender_sid text not null,
  waba_sid text not null,
  left_at timestamp with time zone not null,
  constraint sender_former_ids_pkey PRIMARY KEY (account_sid, provider_phone_number_id, left_at),
  constraint sender_former_ids_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint sender_former_ids_account_sid_sender_sid_fkey FOREIGN KEY (account_sid, sender_sid) REFERENCES senders(account_sid, sid),
  constraint sender_former_ids_account_sid_waba_sid_fkey FOREIGN KEY (account_sid, waba_sid) REFERENCES wabas(account_sid, sid)
);
CREATE INDEX sender_former_ids_of_provider ON public.sender_former_ids USING btree (provider_phone_number_id, livemode);
CREATE INDEX sender_former_ids_of_waba ON public.sender_former_ids USING btree (account_sid, waba_sid);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select to godwit_tenant;
grant select to godwit_system;

create table sender_inboxes (
  account_sid text not null,
  livemode boolean not null,
  sender_sid text not null,
  inbox_sid text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint sender_inboxes_pkey PRIMARY KEY (account_sid, sender_sid),
  constraint sender_inboxes_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint sender_inboxes_account_sid_inbox_sid_fkey FOREIGN KEY (account_sid, inbox_sid) REFERENCES inboxes(account_sid, sid),
  constraint sender_inboxes_account_sid_sender_sid_fkey FOREIGN KEY (account_sid, sender_sid) REFERENCES senders(account_sid, sid)
);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select, update to godwit_tenant;

create table sender_pool_contacts (
  account_sid text not null,
  livemode boolean not null,
  pool_sid text not null,
  contact_sid text not null,
  sender_sid text not null,
  chosen_at timestamp with time zone not null,
  constraint sender_pool_contacts_pkey PRIMARY KEY (account_sid, pool_sid, contact_sid)
);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select, update to godwit_tenant;

create table sender_pool_members (
  account_sid text not null,
  livemode boolean not null,
  pool_sid text not null,
  sender_sid text not null,
  weight integer not null,
  priority integer not null,
  assigned bigint not null default 0,
  created_at timestamp with time zone not null,
  constraint sender_pool_members_pkey PRIMARY KEY (account_sid, pool_sid, sender_sid),
  constraint sender_pool_members_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint sender_pool_members_account_sid_pool_sid_fkey FOREIGN KEY (account_sid, pool_sid) REFERENCES sender_pools(account_sid, sid),
  constraint sender_pool_members_account_sid_sender_sid_fkey FOREIGN KEY (account_sid, sender_sid) REFERENCES senders(account_sid, sid),
  constraint sender_pool_members_priority_check CHECK (((priority >= 0) AND (priority <= 9))),
  constraint sender_pool_members_weight_check CHECK (((weight >= 1) AND (weight <= 100)))
);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select, update to godwit_tenant;

create table sender_pools (
  account_sid text not null,
  livemode boolean not null,
  sid text not null,
  name text not null,
  deleted_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint sender_pools_pkey PRIMARY KEY (account_sid, sid),
  constraint sender_pools_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid)
);
CREATE INDEX sender_pools_newest ON public.sender_pools USING btree (account_sid, livemode, sid DESC) WHERE (deleted_at IS NULL);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;

create table sender_status_history (
  account_sid text not null,
  livemode boolean not null,
  sender_sid text not null,
  sequence bigint not null,
  status text not null,
  previous_status text,
  quality text not null,
  reason text not null,
  occurred_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  constraint sender_status_history_pkey PRIMARY KEY (account_sid, sender_sid, sequence),
  constraint sender_status_history_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint sender_status_history_account_sid_sender_sid_fkey FOREIGN KEY (account_sid, sender_sid) REFERENCES senders(account_sid, sid)
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.sender_status_history FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON public.sender_status_history FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select to godwit_tenant;

create table senders (
  account_sid text not null,
  livemode boolean not null,
  sid text not null,
  waba_sid text,
  phone_number text not null,
  display_name text not null,
  status text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  provider_phone_number_id text,
  quality text not null default 'UNKNOWN'::text,
  throughput_level text not null default 'STANDARD'::text,
  throughput_per_second integer not null default 80,
  name_status text,
  verification_status text,
  on_business_app boolean not null default false,
  status_changed_at timestamp with time zone,
  said_at jsonb not null default '{}'::jsonb,
  flow_key text,
  paused_by text,
  sealed_pin bytea,
  constraint senders_pkey PRIMARY KEY (account_sid, sid),
  constraint senders_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint senders_account_sid_waba_sid_fkey FOREIGN KEY (account_sid, waba_sid) REFERENCES wabas(account_sid, sid),
  constraint senders_flow_key_check CHECK ((flow_key = ANY (ARRAY['VALID'::text, 'MISMATCH'::text, 'NONE'::text]))),
  constraint senders_quality_check CHECK ((quality = ANY (ARRAY['GREEN'::text, 'YELLOW'::text, 'RED'::text, 'UNKNOWN'::text]))),
  constraint senders_status_check CHECK ((status = ANY (ARRAY['CONNECTED'::text, 'DISCONNECTED'::text, 'PENDING'::text, 'UNVERIFIED'::text, 'FLAGGED'::text, 'RESTRICTED'::text, 'RATE_LIMITED'::text, 'BANNED'::text, 'DELETED'::text, 'MIGRATED'::text]))),
  constraint senders_throughput_per_second_check CHECK ((throughput_per_second > 0))
);
CREATE INDEX senders_newest ON public.senders USING btree (account_sid, livemode, sid DESC);
CREATE INDEX senders_of_provider ON public.senders USING btree (provider_phone_number_id, livemode) WHERE (provider_phone_number_id IS NOT NULL);
CREATE INDEX senders_of_waba ON public.senders USING btree (account_sid, waba_sid) WHERE (waba_sid IS NOT NULL);
CREATE INDEX senders_paused ON public.senders USING btree (paused_by) WHERE (paused_by IS NOT NULL);
CREATE TRIGGER facts_deleted AFTER DELETE ON public.senders REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('facts', 'account_sid, livemode, sid, waba_sid, phone_number, provider_phone_number_id,
  display_name, status, quality, throughput_level, throughput_per_second, name_status, verification_status, on_business_app,
  flow_key, paused_by, status_changed_at, created_at, updated_at', 'select account_sid from changed');
CREATE TRIGGER facts_inserted AFTER INSERT ON public.senders REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('facts', 'account_sid, livemode, sid, waba_sid, phone_number, provider_phone_number_id,
  display_name, status, quality, throughput_level, throughput_per_second, name_status, verification_status, on_business_app,
  flow_key, paused_by, status_changed_at, created_at, updated_at', 'select account_sid from changed');
CREATE TRIGGER facts_updated AFTER UPDATE ON public.senders REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('facts', 'account_sid, livemode, sid, waba_sid, phone_number, provider_phone_number_id,
  display_name, status, quality, throughput_level, throughput_per_second, name_status, verification_status, on_business_app,
  flow_key, paused_by, status_changed_at, created_at, updated_at', 'select account_sid from changed');
CREATE UNIQUE INDEX senders_by_provider_id ON public.senders USING btree (provider_phone_number_id, livemode) WHERE (status <> ALL (ARRAY['DISCONNECTED'::text, 'DELETED'::text, 'MIGRATED'::text]));
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;
grant select to godwit_system;

create table service_windows (
  account_sid text not null,
  livemode boolean not null,
  sender_sid text not null,
  origin_contact_sid text not null,
  contact_sid text not null,
  opened_at timestamp with time zone not null,
  last_inbound_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  referred_at timestamp with time zone,
  free_until timestamp with time zone,
  constraint service_windows_pkey PRIMARY KEY (account_sid, sender_sid, origin_contact_sid),
  constraint service_windows_account_sid_contact_sid_fkey FOREIGN KEY (account_sid, contact_sid) REFERENCES contacts(account_sid, sid),
  constraint service_windows_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint service_windows_account_sid_origin_contact_sid_fkey FOREIGN KEY (account_sid, origin_contact_sid) REFERENCES contacts(account_sid, sid),
  constraint service_windows_account_sid_sender_sid_fkey FOREIGN KEY (account_sid, sender_sid) REFERENCES senders(account_sid, sid)
);
CREATE INDEX service_windows_by_contact ON public.service_windows USING btree (account_sid, contact_sid, sender_sid) INCLUDE (expires_at, referred_at, free_until);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select, update to godwit_tenant;

create table sessions (
  id uuid not null,
  organization_id uuid not null,
  user_sid text not null,
  token_hash bytea not null,
  livemode boolean not null,
  provider_id uuid,
  methods text[] not null,
  address text not null,
  user_agent text not null,
  created_at timestamp with time zone not null,
  last_seen_at timestamp with time zone not null,
  absolute_expires_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  revoke_reason text,
  factor_method text,
  factor_provider_key text,
  constraint sessions_token_hash_key UNIQUE (token_hash),
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint sessions_provider_id_fkey FOREIGN KEY (provider_id) REFERENCES identity_providers(id),
  constraint sessions_user_sid_fkey FOREIGN KEY (user_sid) REFERENCES users(sid),
  constraint sessions_factor_whole CHECK (((factor_method IS NULL) = (factor_provider_key IS NULL)))
);
CREATE INDEX sessions_by_provider ON public.sessions USING btree (provider_id) WHERE (revoked_at IS NULL);
CREATE INDEX sessions_by_user ON public.sessions USING btree (user_sid, created_at DESC) WHERE (revoked_at IS NULL);
create policy organization to godwit_tenant using (organization_id IN ( SELECT a.organization_id
   FROM accounts a
  WHERE (a.sid = ANY (current_accounts())))) with check (organization_id IN ( SELECT a.organization_id
   FROM accounts a
  WHERE (a.sid = ANY (current_accounts()))));
create policy staff to godwit_tenant using (user_sid IN ( SELECT visiting_staff() AS visiting_staff));
create policy system to godwit_system using true with check true;
grant delete, insert, select, update to godwit_system;
grant delete, insert, select, update to godwit_tenant;

create table settings (
  name text not null,
  value bytea not null,
  constraint settings_pkey PRIMARY KEY (name)
);
grant insert, select, update to godwit_system;

create table silence_looks (
  account_sid text not null,
  livemode boolean not null,
  looked_until text not null,
  looked_at timestamp with time zone not null,
  constraint silence_looks_pkey PRIMARY KEY (account_sid, livemode),
  constraint silence_looks_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid)
);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;

create table spent_challenges (
  challenge_hash bytea not null,
  expires_at timestamp with time zone not null,
  constraint spent_challenges_pkey PRIMARY KEY (challenge_hash)
);
grant delete, insert, select to godwit_system;

create table sso_requests (
  state_hash bytea not null,
  organization_id uuid not null,
  provider_id uuid not null,
  sealed_secrets bytea not null,
  binding_hash bytea not null,
  livemode boolean not null,
  return_to text not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint sso_requests_pkey PRIMARY KEY (state_hash),
  constraint sso_requests_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint sso_requests_provider_id_fkey FOREIGN KEY (provider_id) REFERENCES identity_providers(id)
);
CREATE INDEX sso_requests_by_expiry ON public.sso_requests USING btree (expires_at);
create policy organization to godwit_tenant using (organization_id IN ( SELECT a.organization_id
   FROM accounts a
  WHERE (a.sid = ANY (current_accounts())))) with check (organization_id IN ( SELECT a.organization_id
   FROM accounts a
  WHERE (a.sid = ANY (current_accounts()))));
create policy system to godwit_system using true with check true;
grant delete, insert, select, update to godwit_system;
grant delete, insert, select, update to godwit_tenant;

create table statements (
  account_sid text not null,
  livemode boolean not null,
  sid text not null,
  wallet_id uuid not null,
  n integer not null,
  number text not null,
  currency text not null,
  scale integer not null,
  starts_at timestamp with time zone not null,
  ends_at timestamp with time zone not null,
  opening_minor bigint not null,
  closing_minor bigint not null,
  movements json not null,
  usage json not null,
  documents json not null,
  created_at timestamp with time zone not null,
  constraint statements_account_sid_wallet_id_n_key UNIQUE (account_sid, wallet_id, n),
  constraint statements_pkey PRIMARY KEY (account_sid, sid),
  constraint statements_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint statements_account_sid_wallet_id_n_fkey FOREIGN KEY (account_sid, wallet_id, n) REFERENCES billing_periods(account_sid, wallet_id, n)
);
CREATE INDEX statements_newest ON public.statements USING btree (account_sid, livemode, sid DESC);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.statements FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON public.statements FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select to godwit_tenant;

create table step_up_tokens (
  account_sid text not null,
  livemode boolean not null,
  id uuid not null,
  token_hash bytea not null,
  user_sid text not null,
  session_id uuid not null,
  credential_id uuid,
  action text not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  used_by text,
  created_at timestamp with time zone not null,
  method text not null,
  constraint step_up_tokens_token_hash_key UNIQUE (token_hash),
  constraint step_up_tokens_pkey PRIMARY KEY (account_sid, id),
  constraint step_up_tokens_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint step_up_tokens_credential_id_fkey FOREIGN KEY (credential_id) REFERENCES mfa_credentials(id) ON DELETE CASCADE,
  constraint step_up_tokens_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE,
  constraint step_up_tokens_user_sid_fkey FOREIGN KEY (user_sid) REFERENCES users(sid),
  constraint step_up_tokens_method_check CHECK ((method = ANY (ARRAY['WEBAUTHN'::text, 'TOTP'::text, 'RECOVERY_CODE'::text])))
);
CREATE INDEX step_up_tokens_by_credential ON public.step_up_tokens USING btree (credential_id);
CREATE INDEX step_up_tokens_by_expiry ON public.step_up_tokens USING btree (expires_at);
CREATE INDEX step_up_tokens_by_session ON public.step_up_tokens USING btree (session_id);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, select to godwit_system;
grant insert, select, update to godwit_tenant;

create table suppressions (
  account_sid text not null,
  livemode boolean not null,
  sid text not null,
  contact_sid text not null,
  reason text not null,
  scope text not null,
  sender_sid text,
  source text not null,
  expires_at timestamp with time zone,
  mirror_to_provider boolean not null,
  created_by text not null,
  lifted_at timestamp with time zone,
  lifted_by text,
  lift_reason text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  mirrored_at timestamp with time zone,
  mirror_failure text,
  constraint suppressions_pkey PRIMARY KEY (account_sid, sid),
  constraint suppressions_account_sid_contact_sid_fkey FOREIGN KEY (account_sid, contact_sid) REFERENCES contacts(account_sid, sid),
  constraint suppressions_account_sid_sender_sid_fkey FOREIGN KEY (account_sid, sender_sid) REFERENCES senders(account_sid, sid),
  constraint suppressions_reason_check CHECK ((reason = ANY (ARRAY['CUSTOMER_OPT_OUT'::text, 'PROVIDER_MARKETING_OPT_OUT'::text, 'KEYWORD_OPT_OUT'::text, 'COMPLAINT'::text, 'LEGAL_SUPPRESSION'::text, 'TENANT_BLOCKLIST'::text, 'RISK_BLOCK'::text]))),
  constraint suppressions_scope_check CHECK ((scope = ANY (ARRAY['MARKETING'::text, 'ALL'::text])))
);
CREATE INDEX suppressions_newest ON public.suppressions USING btree (account_sid, livemode, sid DESC);
CREATE INDEX suppressions_newest_standing ON public.suppressions USING btree (account_sid, livemode, sid DESC) WHERE (lifted_at IS NULL);
CREATE INDEX suppressions_standing ON public.suppressions USING btree (account_sid, livemode, contact_sid) INCLUDE (scope, sender_sid, expires_at) WHERE (lifted_at IS NULL);
CREATE INDEX suppressions_whole_key ON public.suppressions USING btree (account_sid, contact_sid, sid DESC);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select, update to godwit_tenant;

create table tax_profiles (
  account_sid text not null,
  livemode boolean not null,
  currency text not null,
  tax_provider text not null,
  tax_jurisdiction text not null,
  tax_code text not null,
  invoice_provider text not null,
  reason text not null,
  version integer not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint tax_profiles_pkey PRIMARY KEY (account_sid, livemode, currency),
  constraint tax_profiles_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint tax_profiles_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint tax_profiles_version_check CHECK ((version > 0))
);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;

create table tax_rates (
  jurisdiction text not null,
  code text not null,
  name text not null,
  valid_from date not null,
  rate_ppm integer,
  created_by text not null,
  created_at timestamp with time zone not null,
  constraint tax_rates_pkey PRIMARY KEY (jurisdiction, code, name, valid_from),
  constraint tax_rates_code_check CHECK (((length(code) >= 1) AND (length(code) <= 128))),
  constraint tax_rates_jurisdiction_check CHECK (((length(jurisdiction) >= 1) AND (length(jurisdiction) <= 128))),
  constraint tax_rates_name_check CHECK (((length(name) >= 1) AND (length(name) <= 128))),
  constraint tax_rates_rate_ppm_check CHECK (((rate_ppm >= 0) AND (rate_ppm <= 1000000)))
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.tax_rates FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON public.tax_rates FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant insert, select to godwit_system;
grant select to godwit_tenant;

create table template_name_locks (
  account_sid text not null,
  livemode boolean not null,
  waba_sid text not null,
  name text not null,
  language text not null,
  locked_until timestamp with time zone not null,
  constraint template_name_locks_pkey PRIMARY KEY (account_sid, waba_sid, name, language),
  constraint template_name_locks_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint template_name_locks_account_sid_waba_sid_fkey FOREIGN KEY (account_sid, waba_sid) REFERENCES wabas(account_sid, sid)
);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;

create table template_status_history (
  account_sid text not null,
  livemode boolean not null,
  template_sid text not null,
  sequence bigint not null,
  status text not null,
  previous_status text,
  category text not null,
  reason text,
  occurred_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  constraint template_status_history_pkey PRIMARY KEY (account_sid, template_sid, sequence),
  constraint template_status_history_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint template_status_history_account_sid_template_sid_fkey FOREIGN KEY (account_sid, template_sid) REFERENCES templates(account_sid, sid)
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.template_status_history FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON public.template_status_history FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select to godwit_tenant;

create table templates (
  account_sid text not null,
  livemode boolean not null,
  sid text not null,
  waba_sid text not null,
  provider_template_id text,
  name text not null,
  language text not null,
  category text not null,
  status text not null,
  quality text not null default 'UNKNOWN'::text,
  parameter_format text not null,
  components jsonb not null,
  message_send_ttl_seconds integer,
  rejected_reason text,
  failure jsonb,
  revision integer not null default 1,
  pending_change text,
  approved_at timestamp with time zone,
  status_changed_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  said_at jsonb not null default '{}'::jsonb,
  proposed jsonb,
  pending_since timestamp with time zone,
  constraint templates_pkey PRIMARY KEY (account_sid, sid),
  constraint templates_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint templates_account_sid_waba_sid_fkey FOREIGN KEY (account_sid, waba_sid) REFERENCES wabas(account_sid, sid),
  constraint templates_category_check CHECK ((category = ANY (ARRAY['AUTHENTICATION'::text, 'UTILITY'::text, 'MARKETING'::text]))),
  constraint templates_parameter_format_check CHECK ((parameter_format = ANY (ARRAY['POSITIONAL'::text, 'NAMED'::text]))),
  constraint templates_pending_change_check CHECK ((pending_change = ANY (ARRAY['CREATE'::text, 'EDIT'::text, 'DELETE'::text]))),
  constraint templates_pending_since_check CHECK (((pending_change IS NULL) = (pending_since IS NULL))),
  constraint templates_quality_check CHECK ((quality = ANY (ARRAY['GREEN'::text, 'YELLOW'::text, 'RED'::text, 'UNKNOWN'::text]))),
  constraint templates_status_check CHECK ((status = ANY (ARRAY['DRAFT'::text, 'PENDING'::text, 'APPROVED'::text, 'REJECTED'::text, 'PAUSED'::text, 'DISABLED'::text, 'IN_APPEAL'::text, 'PENDING_DELETION'::text, 'DELETED'::text, 'LIMIT_EXCEEDED'::text, 'ARCHIVED'::text, 'LOCKED'::text])))
);
CREATE INDEX templates_by_provider_id ON public.templates USING btree (account_sid, livemode, provider_template_id);
CREATE INDEX templates_newest ON public.templates USING btree (account_sid, livemode, sid DESC) WHERE (deleted_at IS NULL);
CREATE TRIGGER facts_deleted AFTER DELETE ON public.templates REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('facts', 'account_sid, livemode, sid, waba_sid, name, language, status, category,
  parameter_format, components, message_send_ttl_seconds, deleted_at', 'select account_sid from changed');
CREATE TRIGGER facts_inserted AFTER INSERT ON public.templates REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('facts', 'account_sid, livemode, sid, waba_sid, name, language, status, category,
  parameter_format, components, message_send_ttl_seconds, deleted_at', 'select account_sid from changed');
CREATE TRIGGER facts_updated AFTER UPDATE ON public.templates REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('facts', 'account_sid, livemode, sid, waba_sid, name, language, status, category,
  parameter_format, components, message_send_ttl_seconds, deleted_at', 'select account_sid from changed');
CREATE UNIQUE INDEX templates_by_name ON public.templates USING btree (account_sid, waba_sid, name, language) WHERE (deleted_at IS NULL);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;

create table unbilled_periods (
  account_sid text not null,
  livemode boolean not null,
  wallet_id uuid not null,
  n integer not null,
  since timestamp with time zone not null,
  constraint unbilled_periods_pkey PRIMARY KEY (account_sid, wallet_id, n),
  constraint unbilled_periods_account_sid_wallet_id_n_fkey FOREIGN KEY (account_sid, wallet_id, n) REFERENCES billing_periods(account_sid, wallet_id, n)
);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select to godwit_tenant;

create table used_assertions (
  provider_id uuid not null,
  assertion_id text not null,
  organization_id uuid not null,
  expires_at timestamp with time zone not null,
  constraint used_assertions_pkey PRIMARY KEY (provider_id, assertion_id),
  constraint used_assertions_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint used_assertions_provider_id_fkey FOREIGN KEY (provider_id) REFERENCES identity_providers(id)
);
CREATE INDEX used_assertions_by_expiry ON public.used_assertions USING btree (expires_at);
create policy organization to godwit_tenant using (organization_id IN ( SELECT a.organization_id
   FROM accounts a
  WHERE (a.sid = ANY (current_accounts())))) with check (organization_id IN ( SELECT a.organization_id
   FROM accounts a
  WHERE (a.sid = ANY (current_accounts()))));
create policy system to godwit_system using true with check true;
grant delete, insert, select, update to godwit_system;
grant delete, insert, select, update to godwit_tenant;

create table users (
  sid text not null,
  organization_id uuid not null,
  email text not null,
  display_name text,
  status text not null,
  password_hash text,
  password_changed_at timestamp with time zone,
  directory_provider_id uuid,
  external_id text,
  directory_attributes jsonb,
  version integer not null default 1,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  locale text not null default 'en'::text,
  constraint users_organization_id_sid_key UNIQUE (organization_id, sid),
  constraint users_pkey PRIMARY KEY (sid),
  constraint users_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint users_locale_check CHECK ((locale = ANY (ARRAY['en'::text, 'fr'::text]))),
  constraint users_status_check CHECK ((status = ANY (ARRAY['INVITED'::text, 'ACTIVE'::text, 'DEACTIVATED'::text])))
);
CREATE INDEX users_by_directory ON public.users USING btree (directory_provider_id, sid) WHERE (directory_provider_id IS NOT NULL);
CREATE UNIQUE INDEX users_by_email ON public.users USING btree (organization_id, lower(email));
CREATE UNIQUE INDEX users_by_external_id ON public.users USING btree (directory_provider_id, external_id) WHERE (external_id IS NOT NULL);
CREATE UNIQUE INDEX users_by_sign_in ON public.users USING btree (lower(email)) WHERE (password_hash IS NOT NULL);
CREATE UNIQUE INDEX users_by_user_name ON public.users USING btree (directory_provider_id, lower((directory_attributes ->> 'userName'::text))) WHERE (directory_provider_id IS NOT NULL);
create policy organization to godwit_tenant using (organization_id IN ( SELECT a.organization_id
   FROM accounts a
  WHERE (a.sid = ANY (current_accounts())))) with check (organization_id IN ( SELECT a.organization_id
   FROM accounts a
  WHERE (a.sid = ANY (current_accounts()))));
create policy system to godwit_system using true with check true;
grant delete, insert, select, update to godwit_system;
grant delete, insert, select, update to godwit_tenant;

create table waba_connections (
  account_sid text not null,
  livemode boolean not null,
  waba_sid text not null,
  token text not null default 'UNKNOWN'::text,
  subscription text not null default 'UNKNOWN'::text,
  operation_sid text,
  found json,
  updated_at timestamp with time zone not null,
  unsubscribed_at timestamp with time zone,
  constraint waba_connections_pkey PRIMARY KEY (account_sid, waba_sid),
  constraint waba_connections_account_sid_waba_sid_fkey FOREIGN KEY (account_sid, waba_sid) REFERENCES wabas(account_sid, sid),
  constraint waba_connections_subscription_check CHECK ((subscription = ANY (ARRAY['SUBSCRIBED'::text, 'MISSING'::text, 'UNKNOWN'::text]))),
  constraint waba_connections_token_check CHECK ((token = ANY (ARRAY['VALID'::text, 'INVALID'::text, 'UNKNOWN'::text])))
);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;

create table waba_signups (
  account_sid text not null,
  livemode boolean not null,
  operation_sid text not null,
  waba_sid text not null,
  state_hash bytea,
  expires_at timestamp with time zone not null,
  sealed_token bytea,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint waba_signups_pkey PRIMARY KEY (account_sid, operation_sid),
  constraint waba_signups_account_sid_operation_sid_fkey FOREIGN KEY (account_sid, operation_sid) REFERENCES operations(account_sid, sid) ON DELETE CASCADE,
  constraint waba_signups_account_sid_waba_sid_fkey FOREIGN KEY (account_sid, waba_sid) REFERENCES wabas(account_sid, sid)
);
CREATE UNIQUE INDEX waba_signups_by_state ON public.waba_signups USING btree (state_hash) WHERE (state_hash IS NOT NULL);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;
grant select to godwit_system;

create table wabas (
  account_sid text not null,
  livemode boolean not null,
  sid text not null,
  portfolio_id uuid not null,
  provider_waba_id text not null,
  name text not null,
  connection_state text not null,
  access_token bytea,
  connected_at timestamp with time zone not null,
  disconnected_at timestamp with time zone,
  disconnect_reason text,
  ban_state text not null default 'NONE'::text,
  review_status text,
  restrictions jsonb not null default '[]'::jsonb,
  template_cap integer not null default 250,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  said_at jsonb not null default '{}'::jsonb,
  marketing_messages text,
  catalog_ids text[],
  read_due_at timestamp with time zone,
  read_at timestamp with time zone,
  read_failures integer not null default 0,
  billing_mode text not null default 'direct'::text,
  billing_mode_since timestamp with time zone,
  constraint wabas_pkey PRIMARY KEY (account_sid, sid),
  constraint wabas_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint wabas_account_sid_portfolio_id_fkey FOREIGN KEY (account_sid, portfolio_id) REFERENCES portfolios(account_sid, id),
  constraint wabas_ban_state_check CHECK ((ban_state = ANY (ARRAY['NONE'::text, 'SCHEDULED'::text, 'DISABLED'::text]))),
  constraint wabas_billing_mode_check CHECK ((billing_mode = ANY (ARRAY['direct'::text, 'partner'::text]))),
  constraint wabas_check CHECK (((connection_state = 'DISCONNECTED'::text) = (disconnected_at IS NOT NULL))),
  constraint wabas_check1 CHECK (((connection_state = 'DISCONNECTED'::text) OR (access_token IS NOT NULL))),
  constraint wabas_connection_state_check CHECK ((connection_state = ANY (ARRAY['CONNECTED'::text, 'DISCONNECTED'::text]))),
  constraint wabas_template_cap_check CHECK ((template_cap > 0))
);
CREATE INDEX wabas_newest ON public.wabas USING btree (account_sid, livemode, sid DESC);
CREATE INDEX wabas_of_portfolio ON public.wabas USING btree (account_sid, portfolio_id);
CREATE INDEX wabas_of_provider ON public.wabas USING btree (provider_waba_id, livemode);
CREATE INDEX wabas_read_due ON public.wabas USING btree (read_due_at) WHERE (connection_state = 'CONNECTED'::text);
CREATE TRIGGER facts_deleted AFTER DELETE ON public.wabas REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('facts', 'account_sid, livemode, sid, portfolio_id, provider_waba_id, name, connection_state,
  connected_at, disconnected_at, disconnect_reason, ban_state, review_status, restrictions, template_cap, marketing_messages,
  catalog_ids, billing_mode, billing_mode_since, created_at, updated_at', 'select account_sid from changed');
CREATE TRIGGER facts_inserted AFTER INSERT ON public.wabas REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('facts', 'account_sid, livemode, sid, portfolio_id, provider_waba_id, name, connection_state,
  connected_at, disconnected_at, disconnect_reason, ban_state, review_status, restrictions, template_cap, marketing_messages,
  catalog_ids, billing_mode, billing_mode_since, created_at, updated_at', 'select account_sid from changed');
CREATE TRIGGER facts_updated AFTER UPDATE ON public.wabas REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('facts', 'account_sid, livemode, sid, portfolio_id, provider_waba_id, name, connection_state,
  connected_at, disconnected_at, disconnect_reason, ban_state, review_status, restrictions, template_cap, marketing_messages,
  catalog_ids, billing_mode, billing_mode_since, created_at, updated_at', 'select account_sid from changed');
CREATE UNIQUE INDEX wabas_by_provider_id ON public.wabas USING btree (provider_waba_id, livemode) WHERE (connection_state = 'CONNECTED'::text);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;
grant select to godwit_system;

create table wallets (
  account_sid text not null,
  livemode boolean not null,
  id uuid not null,
  currency text not null,
  scale smallint not null,
  commercial_mode text not null default 'prepaid'::text,
  credit_limit_minor bigint not null default 0,
  billing_status text not null default 'active'::text,
  dunning_state text not null default 'none'::text,
  pays boolean not null default true,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  credit_minor bigint not null default 0,
  closed_until timestamp with time zone,
  alert_minor bigint,
  alert_armed boolean not null default false,
  alert_fired_at timestamp with time zone,
  budget_minor bigint,
  constraint wallets_pkey PRIMARY KEY (account_sid, id),
  constraint wallets_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint wallets_alert_minor_check CHECK ((alert_minor >= 0)),
  constraint wallets_billing_status_check CHECK (((length(billing_status) >= 1) AND (length(billing_status) <= 64))),
  constraint wallets_budget_minor_check CHECK ((budget_minor >= 0)),
  constraint wallets_check CHECK (((commercial_mode <> 'prepaid'::text) OR (credit_limit_minor = 0))),
  constraint wallets_check1 CHECK (((NOT alert_armed) OR (alert_minor IS NOT NULL))),
  constraint wallets_commercial_mode_check CHECK ((commercial_mode = ANY (ARRAY['prepaid'::text, 'postpaid'::text, 'credit_line'::text, 'invoice'::text, 'hybrid'::text]))),
  constraint wallets_credit_limit_minor_check CHECK ((credit_limit_minor >= 0)),
  constraint wallets_credit_minor_check CHECK ((credit_minor >= 0)),
  constraint wallets_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint wallets_dunning_state_check CHECK (((length(dunning_state) >= 1) AND (length(dunning_state) <= 64))),
  constraint wallets_scale_check CHECK (((scale >= 0) AND (scale <= 9)))
);
CREATE TRIGGER facts_deleted AFTER DELETE ON public.wallets REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('facts', 'account_sid, livemode, currency, scale, pays', 'select account_sid from changed');
CREATE TRIGGER facts_inserted AFTER INSERT ON public.wallets REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('facts', 'account_sid, livemode, currency, scale, pays', 'select account_sid from changed');
CREATE TRIGGER facts_updated AFTER UPDATE ON public.wallets REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_facts('facts', 'account_sid, livemode, currency, scale, pays', 'select account_sid from changed');
CREATE TRIGGER keep_credit BEFORE INSERT OR UPDATE ON public.wallets FOR EACH ROW EXECUTE FUNCTION keep_wallet_credit();
CREATE TRIGGER move_minimum AFTER UPDATE ON public.wallets FOR EACH ROW WHEN ((new.credit_minor <> old.credit_minor)) EXECUTE FUNCTION keep_ledger_accounts();
CREATE TRIGGER open_accounts AFTER INSERT ON public.wallets FOR EACH ROW EXECUTE FUNCTION keep_ledger_accounts();
CREATE UNIQUE INDEX wallets_by_currency ON public.wallets USING btree (account_sid, livemode, currency);
CREATE UNIQUE INDEX wallets_paying ON public.wallets USING btree (account_sid, livemode) WHERE pays;
create policy ledger to godwit_ledger using true with check true;
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select to godwit_tenant;
grant select to godwit_system;
grant select, update to godwit_ledger;

create table webhook_attempts (
  account_sid text not null,
  livemode boolean not null,
  delivery_sid text not null,
  number integer not null,
  attempted_at timestamp with time zone not null,
  duration_ms integer not null,
  url text not null,
  signature text not null,
  status integer,
  failure text,
  reason text,
  answer text,
  constraint webhook_attempts_pkey PRIMARY KEY (account_sid, delivery_sid, number),
  constraint webhook_attempts_failure_check CHECK ((failure = ANY (ARRAY['dns'::text, 'connect'::text, 'tls'::text, 'timeout'::text, 'status'::text, 'blocked'::text])))
);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select to godwit_tenant;

create table webhook_deliveries (
  account_sid text not null,
  livemode boolean not null,
  endpoint_sid text not null,
  sid text not null,
  event_sequence bigint not null,
  event_sid text not null,
  event_type text not null,
  resource_sid text,
  api_version text not null,
  created_at timestamp with time zone not null,
  constraint webhook_deliveries_pkey PRIMARY KEY (account_sid, endpoint_sid, sid)
);
CREATE INDEX webhook_deliveries_by_resource ON public.webhook_deliveries USING btree (account_sid, livemode, resource_sid, sid) WHERE (resource_sid IS NOT NULL);
CREATE UNIQUE INDEX webhook_deliveries_once ON public.webhook_deliveries USING btree (account_sid, endpoint_sid, event_sequence);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select to godwit_tenant;

create table webhook_endpoints (
  account_sid text not null,
  livemode boolean not null,
  sid text not null,
  url text not null,
  event_filters text[] not null,
  api_version text not null,
  timeout_ms integer not null,
  concurrency_cap integer not null,
  sealed_secret bytea not null,
  sealed_previous_secret bytea,
  previous_secret_expires_at timestamp with time zone,
  subscribed_after bigint,
  verified_at timestamp with time zone,
  paused_at timestamp with time zone,
  suspended_at timestamp with time zone,
  disabled_at timestamp with time zone,
  failing_since timestamp with time zone,
  failures integer not null default 0,
  exhausted integer not null default 0,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  header_names text[] not null default '{}'::text[],
  sealed_headers bytea,
  constraint webhook_endpoints_pkey PRIMARY KEY (account_sid, sid),
  constraint webhook_endpoints_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint webhook_endpoints_check CHECK (((sealed_previous_secret IS NULL) = (previous_secret_expires_at IS NULL))),
  constraint webhook_endpoints_concurrency_cap_check CHECK (((concurrency_cap >= 1) AND (concurrency_cap <= 256))),
  constraint webhook_endpoints_timeout_ms_check CHECK (((timeout_ms >= 1000) AND (timeout_ms <= 30000)))
);
CREATE INDEX webhook_endpoints_newest ON public.webhook_endpoints USING btree (account_sid, livemode, sid DESC);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;

create table webhook_lanes (
  account_sid text not null,
  livemode boolean not null,
  endpoint_sid text not null,
  open boolean not null default false,
  due_at timestamp with time zone,
  holder uuid,
  generation bigint not null default 0,
  constraint webhook_lanes_pkey PRIMARY KEY (account_sid, endpoint_sid),
  constraint webhook_lanes_account_sid_endpoint_sid_fkey FOREIGN KEY (account_sid, endpoint_sid) REFERENCES webhook_endpoints(account_sid, sid)
);
CREATE INDEX webhook_lanes_due ON public.webhook_lanes USING btree (due_at) WHERE (open AND (due_at IS NOT NULL));
CREATE INDEX webhook_lanes_held ON public.webhook_lanes USING btree (holder) WHERE (holder IS NOT NULL);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;
grant select, update to godwit_system;

create table webhook_statistics (
  account_sid text not null,
  livemode boolean not null,
  endpoint_sid text not null,
  day date not null,
  outcome text not null,
  attempts bigint not null,
  durations bigint[] not null,
  constraint webhook_statistics_pkey PRIMARY KEY (account_sid, endpoint_sid, day, outcome)
);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select, update to godwit_tenant;

create table webhook_undelivered (
  account_sid text not null,
  livemode boolean not null,
  endpoint_sid text not null,
  delivery_sid text not null,
  event_sequence bigint not null,
  api_version text not null,
  due_at timestamp with time zone,
  gave_up text,
  tries integer not null default 0,
  first_attempt_at timestamp with time zone,
  acknowledged_before boolean not null default false,
  constraint webhook_undelivered_pkey PRIMARY KEY (account_sid, delivery_sid),
  constraint webhook_undelivered_check CHECK (((due_at IS NULL) = (gave_up IS NOT NULL))),
  constraint webhook_undelivered_gave_up_check CHECK ((gave_up = ANY (ARRAY['exhausted'::text, 'suspended'::text, 'disabled'::text])))
);
CREATE INDEX webhook_undelivered_due ON public.webhook_undelivered USING btree (account_sid, endpoint_sid, due_at, event_sequence);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select, update to godwit_tenant;

create table workflow_contact_stops (
  account_sid text not null,
  livemode boolean not null,
  workflow_sid text not null,
  contact_sid text not null,
  reason text,
  stopped_by text not null,
  created_at timestamp with time zone not null,
  constraint workflow_contact_stops_pkey PRIMARY KEY (account_sid, workflow_sid, contact_sid),
  constraint workflow_contact_stops_account_sid_workflow_sid_fkey FOREIGN KEY (account_sid, workflow_sid) REFERENCES workflows(account_sid, sid)
);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select, update to godwit_tenant;

create table workflow_decisions (
  account_sid text not null,
  livemode boolean not null,
  workflow_sid text not null,
  event_sequence bigint not null,
  event_sid text not null,
  event_type text not null,
  contact_sid text,
  decision text not null,
  detail json,
  run_sid text,
  created_at timestamp with time zone not null,
  constraint workflow_decisions_pkey PRIMARY KEY (account_sid, workflow_sid, event_sequence, decision),
  constraint workflow_decisions_account_sid_workflow_sid_fkey FOREIGN KEY (account_sid, workflow_sid) REFERENCES workflows(account_sid, sid),
  constraint workflow_decisions_decision_check CHECK ((decision = ANY (ARRAY['started'::text, 'condition'::text, 'reentry'::text, 'stopped_contact'::text, 'restricted_contact'::text, 'caused_by_self'::text, 'limit'::text, 'no_subject'::text])))
);
CREATE INDEX workflow_decisions_by_contact ON public.workflow_decisions USING btree (account_sid, contact_sid) WHERE (contact_sid IS NOT NULL);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select, update to godwit_tenant;

create table workflow_entries (
  account_sid text not null,
  livemode boolean not null,
  workflow_sid text not null,
  subject_sid text not null,
  last_run_sid text not null,
  first_at timestamp with time zone not null,
  last_at timestamp with time zone not null,
  constraint workflow_entries_pkey PRIMARY KEY (account_sid, workflow_sid, subject_sid),
  constraint workflow_entries_account_sid_workflow_sid_fkey FOREIGN KEY (account_sid, workflow_sid) REFERENCES workflows(account_sid, sid)
);
CREATE INDEX workflow_entries_by_subject ON public.workflow_entries USING btree (account_sid, subject_sid);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select, update to godwit_tenant;

create table workflow_lanes (
  account_sid text not null,
  livemode boolean not null,
  lane text not null,
  due_at timestamp with time zone,
  holder uuid,
  generation bigint not null default 0,
  constraint workflow_lanes_pkey PRIMARY KEY (account_sid, lane),
  constraint workflow_lanes_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid)
);
CREATE INDEX workflow_lanes_due ON public.workflow_lanes USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX workflow_lanes_held ON public.workflow_lanes USING btree (holder) WHERE (holder IS NOT NULL);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant insert, select, update to godwit_tenant;
grant select, update to godwit_system;

create table workflow_mail (
  account_sid text not null,
  livemode boolean not null,
  run_sid text not null,
  number bigint not null,
  kind text not null,
  event_sid text,
  type text,
  data json not null,
  created_at timestamp with time zone not null,
  constraint workflow_mail_pkey PRIMARY KEY (account_sid, run_sid, kind, number),
  constraint workflow_mail_account_sid_run_sid_fkey FOREIGN KEY (account_sid, run_sid) REFERENCES workflow_runs(account_sid, sid),
  constraint workflow_mail_kind_check CHECK ((kind = ANY (ARRAY['event'::text, 'result'::text])))
);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select to godwit_tenant;

create table workflow_runs (
  account_sid text not null,
  livemode boolean not null,
  sid text not null,
  workflow_sid text not null,
  version integer not null,
  state text not null,
  outcome text,
  error json,
  contact_sid text,
  subject_sid text not null,
  event_sequence bigint not null,
  event_sid text not null,
  event_type text not null,
  event_data json not null,
  depth integer not null,
  started_by_run text,
  cursor json not null,
  memory json not null,
  effect json,
  failures integer not null default 0,
  entries integer not null default 0,
  started_at timestamp with time zone not null,
  timeout_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint workflow_runs_pkey PRIMARY KEY (account_sid, sid),
  constraint workflow_runs_account_sid_workflow_sid_version_fkey FOREIGN KEY (account_sid, workflow_sid, version) REFERENCES workflow_versions(account_sid, workflow_sid, version),
  constraint workflow_runs_check CHECK (((state = ANY (ARRAY['RUNNING'::text, 'WAITING'::text])) = (ended_at IS NULL))),
  constraint workflow_runs_depth_check CHECK (((depth >= 0) AND (depth <= 5))),
  constraint workflow_runs_state_check CHECK ((state = ANY (ARRAY['RUNNING'::text, 'WAITING'::text, 'COMPLETED'::text, 'FAILED'::text, 'TIMED_OUT'::text, 'STOPPED'::text])))
);
CREATE INDEX workflow_runs_by_contact ON public.workflow_runs USING btree (account_sid, contact_sid, started_at) WHERE (contact_sid IS NOT NULL);
CREATE INDEX workflow_runs_ended ON public.workflow_runs USING btree (account_sid, livemode, ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX workflow_runs_newest ON public.workflow_runs USING btree (account_sid, workflow_sid, sid DESC);
CREATE UNIQUE INDEX workflow_runs_active ON public.workflow_runs USING btree (account_sid, workflow_sid, subject_sid) WHERE (ended_at IS NULL);
CREATE UNIQUE INDEX workflow_runs_once ON public.workflow_runs USING btree (account_sid, workflow_sid, event_sequence) WHERE (started_by_run IS NULL);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select, update to godwit_tenant;

create table workflow_sends (
  account_sid text not null,
  livemode boolean not null,
  contact_sid text not null,
  run_sid text not null,
  "position" integer not null,
  sent_at timestamp with time zone not null,
  constraint workflow_sends_pkey PRIMARY KEY (account_sid, contact_sid, run_sid, "position")
);
CREATE INDEX workflow_sends_oldest ON public.workflow_sends USING btree (account_sid, livemode, sent_at);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select, update to godwit_tenant;

create table workflow_steps (
  account_sid text not null,
  livemode boolean not null,
  run_sid text not null,
  entry integer not null,
  "position" integer not null,
  trace json not null,
  event_sid text,
  at timestamp with time zone not null,
  constraint workflow_steps_pkey PRIMARY KEY (account_sid, run_sid, entry),
  constraint workflow_steps_account_sid_run_sid_fkey FOREIGN KEY (account_sid, run_sid) REFERENCES workflow_runs(account_sid, sid)
);
CREATE INDEX workflow_steps_by_event ON public.workflow_steps USING btree (account_sid, event_sid) WHERE (event_sid IS NOT NULL);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select, update to godwit_tenant;

create table workflow_tests (
  account_sid text not null,
  livemode boolean not null,
  sid text not null,
  workflow_sid text not null,
  version integer not null,
  result json not null,
  created_by text not null,
  created_at timestamp with time zone not null,
  constraint workflow_tests_pkey PRIMARY KEY (account_sid, sid),
  constraint workflow_tests_account_sid_workflow_sid_fkey FOREIGN KEY (account_sid, workflow_sid) REFERENCES workflows(account_sid, sid)
);
CREATE INDEX workflow_tests_newest ON public.workflow_tests USING btree (account_sid, workflow_sid, sid DESC);
CREATE INDEX workflow_tests_oldest ON public.workflow_tests USING btree (created_at);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select to godwit_tenant;
grant delete, select to godwit_system;

create table workflow_versions (
  account_sid text not null,
  livemode boolean not null,
  workflow_sid text not null,
  version integer not null,
  definition json not null,
  wait_names text[] not null,
  created_by text not null,
  created_at timestamp with time zone not null,
  constraint workflow_versions_pkey PRIMARY KEY (account_sid, workflow_sid, version),
  constraint workflow_versions_account_sid_workflow_sid_fkey FOREIGN KEY (account_sid, workflow_sid) REFERENCES workflows(account_sid, sid)
);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select to godwit_tenant;

create table workflow_wakes (
  account_sid text not null,
  livemode boolean not null,
  run_sid text not null,
  workflow_sid text not null,
  contact_sid text,
  names text[] not null,
  listening boolean not null,
  heard_after bigint not null default 0,
  due_at timestamp with time zone not null,
  held boolean not null default false,
  constraint workflow_wakes_pkey PRIMARY KEY (account_sid, run_sid),
  constraint workflow_wakes_account_sid_run_sid_fkey FOREIGN KEY (account_sid, run_sid) REFERENCES workflow_runs(account_sid, sid)
);
CREATE INDEX workflow_wakes_by_contact ON public.workflow_wakes USING btree (account_sid, contact_sid) WHERE (contact_sid IS NOT NULL);
CREATE INDEX workflow_wakes_by_workflow ON public.workflow_wakes USING btree (account_sid, workflow_sid, run_sid);
CREATE INDEX workflow_wakes_due ON public.workflow_wakes USING btree (account_sid, livemode, due_at, run_sid) WHERE (NOT held);
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select, update to godwit_tenant;

create table workflows (
  account_sid text not null,
  livemode boolean not null,
  sid text not null,
  name text not null,
  state text not null,
  newest_version integer not null,
  published_version integer,
  granted_scopes text[] not null default '{}'::text[],
  published_by text,
  trigger_names text[] not null default '{}'::text[],
  subscribed_after bigint,
  published_at timestamp with time zone,
  stopped_at timestamp with time zone,
  deleted_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint workflows_pkey PRIMARY KEY (account_sid, sid),
  constraint workflows_account_sid_fkey FOREIGN KEY (account_sid) REFERENCES accounts(sid),
  constraint workflows_check CHECK (((deleted_at IS NULL) OR (state <> 'PUBLISHED'::text))),
  constraint workflows_check1 CHECK (((state = 'DRAFT'::text) OR ((published_version IS NOT NULL) AND (subscribed_after IS NOT NULL)))),
  constraint workflows_check2 CHECK (((state = 'STOPPED'::text) = (stopped_at IS NOT NULL))),
  constraint workflows_state_check CHECK ((state = ANY (ARRAY['DRAFT'::text, 'PUBLISHED'::text, 'STOPPED'::text])))
);
CREATE INDEX workflows_newest ON public.workflows USING btree (account_sid, livemode, sid DESC);
create policy system to godwit_system using true with check true;
create policy tenant to godwit_tenant using ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode))) with check ((account_sid = ANY (( SELECT current_accounts() AS current_accounts)::text[])) AND (livemode = ( SELECT current_livemode() AS current_livemode)));
grant delete, insert, select, update to godwit_tenant;
grant select to godwit_system;

CREATE OR REPLACE FUNCTION public.accounts_counted_with()
 RETURNS text[]
 LANGUAGE sql
 STABLE
AS $function$
  select array_agg(counted_with) from accounts where sid = any ((select current_accounts())::text[]) and counted_with is not null
$function$
;

CREATE OR REPLACE FUNCTION public.analyze_uncounted_tables()
 RETURNS SETOF text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
declare
  uncounted regclass;
begin
  for uncounted in
    -- Small ones are read as fast in any way.
    select oid from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r' and reltuples < 0 and pg_relation_size(oid) >= 512 * 1024
  loop
    -- Whoever holds it analyses it now, or it is there the next time.
    execute format('analyze (skip_locked) %s', uncounted);
    return next uncounted::text;
  end loop;
end $function$
;

CREATE OR REPLACE FUNCTION public.announce_api_key()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('api_key_changed', old.lookup);
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.announce_key_binding()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('api_key_changed', '*');
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.beat(in_id uuid, in_role text, in_host text, in_pid integer, in_worker_ids text[], in_url text, OUT processes integer, OUT apis integer)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
begin
  perform set_config('synchronous_commit', 'off', true);
  insert into public.processes as p (id, role, host, pid, worker_ids, url)
  values (in_id, in_role, in_host, in_pid, in_worker_ids, in_url)
  on conflict (id) do update
    set beat_at = clock_timestamp(), worker_ids = excluded.worker_ids, url = excluded.url;
  perform public.bury_dead_processes();
  select count(*), count(*) filter (where p.role in ('all', 'api')) into processes, apis
    from public.processes p where public.is_alive(p.beat_at);
end $function$
;

CREATE OR REPLACE FUNCTION public.bury_dead_processes()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
declare
  orphaned text[];
begin
  with dead as (delete from processes where not is_alive(beat_at) returning worker_ids)
  select array_agg(id) into orphaned from dead, unnest(dead.worker_ids) as id;
  if orphaned is not null then
    perform graphile_worker.force_unlock_workers(orphaned);
  end if;
end $function$
;

CREATE OR REPLACE FUNCTION public.chain_hash(previous bytea, sequence bigint, payload text)
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN sha256(((previous || int8send(sequence)) || convert_to(payload, 'UTF8'::name)))
;

CREATE OR REPLACE FUNCTION public.chain_next(in_account_sid text, in_livemode boolean, in_chain text, payloads text[])
 RETURNS TABLE(link bigint, sequence bigint, previous_hash bytea, hash bytea)
 LANGUAGE plpgsql
AS $function$
declare
  head chain_heads%rowtype;
begin
  select * into head from chain_heads h
    where h.account_sid = in_account_sid and h.livemode = in_livemode and h.chain = in_chain
    for update;
  if not found then
    insert into chain_heads values (in_account_sid, in_livemode, in_chain, 0, sha256(''))
      on conflict do nothing;
    select * into head from chain_heads h
      where h.account_sid = in_account_sid and h.livemode = in_livemode and h.chain = in_chain
      for update;
  end if;
  for i in 1 .. cardinality(payloads) loop
    link := i;
    sequence := head.sequence + 1;
    previous_hash := head.hash;
    hash := chain_hash(head.hash, sequence, payloads[i]);
    head.sequence := sequence;
    head.hash := hash;
    return next;
  end loop;
  update chain_heads h set sequence = head.sequence, hash = head.hash
    where h.account_sid = in_account_sid and h.livemode = in_livemode and h.chain = in_chain;
end $function$
;

CREATE OR REPLACE FUNCTION public.charge_id(at timestamp with time zone)
 RETURNS uuid
 LANGUAGE sql
 PARALLEL SAFE
RETURN (encode(set_bit(set_bit(OVERLAY(uuid_send(gen_random_uuid()) PLACING SUBSTRING(int8send(((EXTRACT(epoch FROM at) * (1000)::numeric))::bigint) FROM 3) FROM 1 FOR 6), (52)::bigint, 1), (53)::bigint, 1), 'hex'::text))::uuid
;

CREATE OR REPLACE FUNCTION public.current_accounts()
 RETURNS text[]
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN string_to_array(NULLIF(current_setting('app.accounts'::text, true), ''::text), ','::text)
;

CREATE OR REPLACE FUNCTION public.current_livemode()
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (NULLIF(current_setting('app.livemode'::text, true), ''::text))::boolean
;

CREATE OR REPLACE FUNCTION public.enqueue_jobs(jobs json)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
declare
  job json;
begin
  for job in select * from json_array_elements(jobs) loop
    perform graphile_worker.add_job(
      identifier => job ->> 'task',
      payload => job -> 'payload',
      queue_name => job ->> 'queue',
      run_at => (job ->> 'runAt')::timestamptz,
      max_attempts => (job ->> 'maxAttempts')::integer,
      job_key => job ->> 'key',
      priority => (job ->> 'priority')::integer);
  end loop;
end $function$
;

CREATE OR REPLACE FUNCTION public.erase_parked_callbacks(live boolean, numbers text[], names text[], at_most integer)
 RETURNS integer
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
  with found as (
    select w.id from provider_callback_work w join provider_callbacks c using (id)
     where w.state = 'parked' and c.livemode = live
       and exists (select from unnest(numbers) as number where position(convert_to(number, 'UTF8') in c.body) > 0)
       and exists (select from unnest(names) as name where position(convert_to(name, 'UTF8') in c.body) > 0)
     order by w.id limit at_most),
  struck as (delete from provider_callback_work where id in (select id from found)),
  gone as (delete from provider_callbacks where id in (select id from found) returning id)
  select count(*)::integer from gone
$function$
;

CREATE OR REPLACE FUNCTION public.find_contacts(in_account_sid text, in_livemode boolean, pattern text, before_sid text, wanted integer)
 RETURNS SETOF text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
declare
  probe constant integer := 5000;
  found_sids text[];
begin
  if not (in_account_sid = any (current_accounts()) and in_livemode = current_livemode()) is true then
    return;
  end if;
  select array(
    select newest.sid
      from (select c.account_sid, c.sid, c.search from contacts c
             where c.account_sid = in_account_sid and c.livemode = in_livemode and c.merged_into is null
               and (before_sid is null or c.sid < before_sid)
             order by c.sid desc limit probe) newest
     where newest.search like pattern
       and not exists (select from contact_restrictions r where r.account_sid = newest.account_sid and r.contact_sid = newest.sid)
     order by newest.sid desc limit wanted)
    into found_sids;
  if cardinality(found_sids) >= wanted then
    return query select unnest(found_sids);
    return;
  end if;
  return query
    with hits as materialized (
      select c.account_sid, c.sid from contacts c
       where c.account_sid = in_account_sid and c.livemode = in_livemode and c.merged_into is null
         and c.search like pattern and (before_sid is null or c.sid < before_sid))
    select hits.sid from hits
     where not exists (select from contact_restrictions r where r.account_sid = hits.account_sid and r.contact_sid = hits.sid)
     order by hits.sid desc limit wanted;
end $function$
;

CREATE OR REPLACE FUNCTION public.follow_account_above()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
begin
  update accounts set plan = new.plan, updated_at = new.updated_at
   where parent_account_sid = new.sid and counted_with = new.sid and plan is distinct from new.plan;
  update accounts set parent_suspended = (new.status = 'suspended'), updated_at = new.updated_at,
      status = case when new.status = 'suspended' or suspended_at is not null then 'suspended' else 'active' end
   where parent_account_sid = new.sid and parent_suspended <> (new.status = 'suspended');
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.guard_billing_period()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  last billing_periods;
begin
  if tg_op = 'INSERT' then
    select * into last from billing_periods b
      where b.account_sid = new.account_sid and b.wallet_id = new.wallet_id order by b.n desc limit 1;
    if new.n <> coalesce(last.n, 0) + 1 or new.starts_at <> last.ends_at then
      raise exception 'the next period of wallet % is number %, from %', new.wallet_id, coalesce(last.n, 0) + 1, last.ends_at
        using errcode = 'check_violation', constraint = 'billing_periods_follow', table = 'billing_periods';
    end if;
    if not exists (select from wallets w
        where w.account_sid = new.account_sid and w.id = new.wallet_id and w.closed_until >= new.ends_at) then
      raise exception 'the time of wallet % is not closed until %', new.wallet_id, new.ends_at
        using errcode = 'check_violation', constraint = 'billing_periods_closed', table = 'billing_periods';
    end if;
    return new;
  end if;
  -- A voided invoice leaves its periods, and the next one takes them.
  if (old.account_sid, old.livemode, old.wallet_id, old.n, old.starts_at, old.ends_at, old.position_minor, old.closed_at)
      is distinct from (new.account_sid, new.livemode, new.wallet_id, new.n, new.starts_at, new.ends_at, new.position_minor, new.closed_at)
    or old.statement_sid <> coalesce(new.statement_sid, '') or old.invoice_sid <> new.invoice_sid then
    raise exception 'period % of wallet % is closed', old.n, old.wallet_id using errcode = 'insufficient_privilege';
  end if;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.guard_rate_card()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$
;

CREATE OR REPLACE FUNCTION public.is_alive(beat_at timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
RETURN (beat_at > (clock_timestamp() - '00:00:06'::interval))
;

CREATE OR REPLACE FUNCTION public.keep_charges_month(at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
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
end $function$
;

CREATE OR REPLACE PROCEDURE public.keep_fact_version(IN watched regclass, IN which text, IN columns text, IN scopes text)
 LANGUAGE plpgsql
AS $procedure$
begin
  execute format('create trigger %I after insert on %s referencing new table as new_rows
    for each statement execute function note_changed_facts(%L, %L, %L)', which || '_inserted', watched, which, columns, scopes);
  execute format('create trigger %I after delete on %s referencing old table as old_rows
    for each statement execute function note_changed_facts(%L, %L, %L)', which || '_deleted', watched, which, columns, scopes);
  execute format('create trigger %I after update on %s referencing old table as old_rows new table as new_rows
    for each statement execute function note_changed_facts(%L, %L, %L)', which || '_updated', watched, which, columns, scopes);
end $procedure$
;

CREATE OR REPLACE FUNCTION public.keep_ledger_accounts()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
begin
  if tg_op = 'INSERT' then
    insert into ledger_accounts (account_sid, livemode, wallet_id, account, balance_minor, minimum_minor, maximum_minor)
    select new.account_sid, new.livemode, new.id, opened.account, 0,
      case opened.lowest when 'zero' then 0 when 'credit_limit' then -new.credit_minor end,
      case opened.highest when 'zero' then 0 end
      from ledger_account_types opened;
  else
    update ledger_accounts a set minimum_minor = least(-new.credit_minor, a.balance_minor)
      from ledger_account_types y
     where a.account_sid = new.account_sid and a.wallet_id = new.id and a.account = y.account
       and y.lowest = 'credit_limit';
  end if;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.keep_wallet_credit()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
begin
  new.credit_minor := case
    when new.billing_status = 'suspended' then 0
    when new.commercial_mode in ('credit_line', 'hybrid') then greatest(0, new.credit_limit_minor + coalesce((
      select a.balance_minor from ledger_accounts a
       where a.account_sid = new.account_sid and a.wallet_id = new.id and a.account = 'receivable'), 0))
    else new.credit_limit_minor end;
  if tg_op = 'UPDATE' and (new.closed_until is null and old.closed_until is not null or new.closed_until < old.closed_until) then
    raise exception 'the time of wallet % is closed until %', old.id, old.closed_until using errcode = 'insufficient_privilege';
  end if;
  return new;
end $function$
;

CREATE OR REPLACE PROCEDURE public.make_append_only(IN history regclass)
 LANGUAGE plpgsql
AS $procedure$
begin
  execute format(
    'create trigger append_only before update or delete on %s
       for each row execute function refuse_change()', history);
  execute format(
    'create trigger append_only_truncate before truncate on %s
       for each statement execute function refuse_change()', history);
end $procedure$
;

CREATE OR REPLACE FUNCTION public.next_job_at()
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
begin
  -- The view of jobs joins others, and cannot say by its index what waits.
  return (select min(run_at) from graphile_worker._private_jobs where is_available);
end $function$
;

CREATE OR REPLACE FUNCTION public.next_job_at(known text[])
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
begin
  return (
    select min(run_at) from graphile_worker._private_jobs
     where is_available and task_id = any (array(
       select id from graphile_worker._private_tasks where identifier = any (known))));
end $function$
;

CREATE OR REPLACE FUNCTION public.note_changed_facts()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
declare
  which constant text := tg_argv[0];
  columns constant text := tg_argv[1];
  scopes constant text := tg_argv[2];
  changed text;
  bumped integer;
begin
  -- A row that has the same values in these columns as before changes nothing; that of two rows that swap theirs does.
  changed := case tg_op
    when 'INSERT' then format('select %s from new_rows', columns)
    when 'DELETE' then format('select %s from old_rows', columns)
    else format('(select %1$s from old_rows except all select %1$s from new_rows)
      union all (select %1$s from new_rows except all select %1$s from old_rows)', columns) end;
  execute format('with changed as (%1$s)
    insert into fact_versions (scope) select distinct named.scope from (%2$s) as named (scope) order by 1
    on conflict (scope) do update set %3$I = excluded.%3$I', changed, scopes, which);
  get diagnostics bumped = row_count;
  -- It would keep, under the version everybody sees, what only it sees.
  if bumped > 0 and which = 'facts' and current_setting('app.uses_kept_facts', true) = 'true' then
    raise exception 'a transaction that uses kept facts cannot change %', tg_table_name;
  end if;
  return null;
end $function$
;

CREATE OR REPLACE PROCEDURE public.open_to_system(IN tenant_table regclass)
 LANGUAGE plpgsql
AS $procedure$
begin
  execute format('create policy system on %s to godwit_system using (true) with check (true)', tenant_table);
end $procedure$
;

CREATE OR REPLACE FUNCTION public.post_transfers()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
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
end $function$
;

CREATE OR REPLACE PROCEDURE public.protect_organization_table(IN organization_table regclass)
 LANGUAGE plpgsql
AS $procedure$
begin
  execute format('alter table %s enable row level security', organization_table);
  execute format('alter table %s force row level security', organization_table);
  execute format(
    'create policy organization on %s to godwit_tenant
       using (organization_id in (select a.organization_id from accounts a where a.sid = any (current_accounts())))
       with check (organization_id in (select a.organization_id from accounts a where a.sid = any (current_accounts())))',
    organization_table);
  -- Signing in happens before any account is entered.
  execute format('create policy system on %s to godwit_system using (true) with check (true)', organization_table);
  execute format('grant select, insert, update, delete on %s to godwit_tenant, godwit_system', organization_table);
end $procedure$
;

CREATE OR REPLACE PROCEDURE public.protect_tenant_table(IN tenant_table regclass)
 LANGUAGE plpgsql
AS $procedure$
begin
  execute format('alter table %s enable row level security', tenant_table);
  execute format('alter table %s force row level security', tenant_table);
  execute format(
    'create policy tenant on %s to godwit_tenant
       using (account_sid = any ((select current_accounts())::text[]) and livemode = (select current_livemode()))
       with check (account_sid = any ((select current_accounts())::text[]) and livemode = (select current_livemode()))',
    tenant_table);
end $procedure$
;

CREATE OR REPLACE FUNCTION public.queue_state(OUT due integer, OUT "oldestSeconds" double precision)
 RETURNS record
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
begin
  select count(*), coalesce(extract(epoch from clock_timestamp() - min(run_at)), 0)
    into due, "oldestSeconds"
    from graphile_worker.jobs
   where locked_at is null and run_at <= clock_timestamp() and attempts < max_attempts;
end $function$
;

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end $function$
;

CREATE OR REPLACE FUNCTION public.refuse_change_of_closed_hold()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'the hold of % is %', old.message_sid, old.state using errcode = 'insufficient_privilege';
end $function$
;

CREATE OR REPLACE FUNCTION public.refuse_change_of_published_rates()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  of_version integer := case when tg_op = 'DELETE' then old.version else new.version end;
begin
  -- Shared, so that a card is not published while its prices are still being written.
  perform from rate_cards c where c.version in (of_version, old.version) and c.published_at is not null for share;
  if found then
    raise exception 'rate card % is published and cannot change', of_version using errcode = 'insufficient_privilege';
  end if;
  return case when tg_op = 'DELETE' then old else new end;
end $function$
;

CREATE OR REPLACE FUNCTION public.unqueued_job_keys(keys text[])
 RETURNS SETOF text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
begin
  return query
    select wanted from unnest(keys) as wanted
     where not exists (
       select from graphile_worker.jobs job
        where job.key = wanted and (job.locked_at is not null or job.attempts < job.max_attempts));
end $function$
;

CREATE OR REPLACE FUNCTION public.visiting_staff()
 RETURNS SETOF text
 LANGUAGE sql
 STABLE
AS $function$
  select principal_ref from role_bindings
   where account_sid = any (current_accounts()) and principal_type = 'USER' and role = 'PLATFORM_STAFF'
     and scope_kind = 'SUBACCOUNT' and revoked_at is null
$function$
;

CREATE OR REPLACE FUNCTION public.webhook_subscribes(filters text[], event_type text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((cardinality(filters) = 0) OR (filters && ARRAY['*'::text, event_type, ("left"(event_type, strpos(event_type, '.'::text)) || '*'::text)]) OR ((event_type ~~ '%.%.%'::text) AND webhook_subscribes_one_by_one(filters, event_type)))
;

CREATE OR REPLACE FUNCTION public.webhook_subscribes_one_by_one(filters text[], event_type text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((cardinality(filters) = 0) OR (EXISTS (SELECT FROM unnest(webhook_subscribes_one_by_one.filters) filter(filter) WHERE ((filter.filter = ANY (ARRAY['*'::text, webhook_subscribes_one_by_one.event_type])) OR ((filter.filter ~~ '%.*'::text) AND starts_with(webhook_subscribes_one_by_one.event_type, "left"(filter.filter, '-1'::integer)))))))
;

CREATE OR REPLACE PROCEDURE public.without_samples(IN of_table regclass, VARIADIC names name[])
 LANGUAGE plpgsql
AS $procedure$
declare
  each_name name;
begin
  foreach each_name in array names loop
    execute format('alter table %s alter column %I set statistics 0', of_table, each_name);
    -- From version 18 on what is there can be removed; before that version only a superuser can.
    if to_regprocedure('pg_clear_attribute_stats(text,text,text,boolean)') is not null then
      execute format('select pg_clear_attribute_stats(%L, %L, %L, false)', 'public', of_table::text, each_name);
    end if;
  end loop;
end
$procedure$
;
