// What every text, json and bytea column holds: something of a contact, of somebody who signs in, of the customer's business, or
// nothing of anybody. `docs/generated/personal-data.md` is written from it, and a test fails for a column that is not here.

export type Holder = 'contact' | 'user' | 'business';
/** Of whom it is, and what becomes of it when a contact is erased. */
export type Holding = { of: Holder; erasure: string };

const contact = (erasure: string): Holding => ({ of: 'contact', erasure });
const user: Holding = { of: 'user', erasure: 'kept: of people who sign in' };
const business: Holding = {
  of: 'business',
  erasure: 'kept; exact identifiers in it are reported as mentions',
};
const secret: Holding = { of: 'business', erasure: 'kept: sealed, of the business' };
const each = (holding: Holding, ...columns: string[]) =>
  Object.fromEntries(columns.map((column) => [column, holding]));

const blanked = contact('blanked');
const deleted = contact('deleted');
const told = contact('blanked to what it is about');
const ownClock = (time: string) => contact(`ends by its own clock: ${time}`);
const detail = contact('deleted, and named by an entry of the audit chain; the chain keeps a commitment');
const skeleton = contact('kept: who agreed to what and when, without words');

export const holdings: Record<string, Record<string, Holding>> = {
  // What a contact is, and is known by.
  contacts: each(blanked, 'display_name', 'attributes', 'locale', 'timezone', 'search'),
  contact_identifiers: { ...each(deleted, 'value'), scope_ref: business },
  contact_conflicts: each(deleted, 'identifiers'),
  contact_merges: each(blanked, 'reason', 'snapshot', 'revert_report'),
  erased_opt_outs: each(
    contact('made by it: keyed hashes, and what was forbidden'),
    'hash',
    'suppressions',
    'consents',
  ),
  erased_identifiers: each(contact('made by it: keyed hashes, for a day'), 'hash'),
  opt_out_keys: each(secret, 'sealed'),
  erasures: each(business, 'phase', 'place', 'counts', 'mentions'),
  contact_file_parts: each(contact('expired at once; otherwise ends by its own clock'), 'body'),
  segment_versions: { filters: contact('values equal to an identifier are replaced') },
  opt_in_submissions: { answer: ownClock('a day'), wording_version: business },

  // What was said.
  messages: each(blanked, 'address', 'content', 'extras', 'tags'),
  message_states: { ...each(contact('blanked to its code'), 'error'), reported: business },
  message_attempts: { reason: contact('blanked to its code'), provider_message_id: blanked },
  provider_messages: each(contact('deleted: a wamid holds the number'), 'provider_message_id'),
  parked_statuses: each(ownClock('a day'), 'provider_message_id', 'status'),
  pair_rates: each(ownClock('minutes'), 'address'),
  provider_blocks: each(deleted, 'provider_user'),
  provider_callbacks: each(
    contact('deleted where parked; otherwise ends by its own clock: done a day, kept 8 days'),
    'body',
  ),
  provider_callback_work: each(ownClock('with its callback'), 'note'),
  provider_changes: each(ownClock('8 days; a hash of what happened'), 'key'),
  media: {
    ...each(
      contact('blanked, and the file deleted'),
      'filename',
      'source_url',
      'provider_media_id',
      'sha256',
      'provider_sha256',
    ),
    reasons: business,
  },
  media_files: each(contact('deleted with the file'), 'sha256'),
  media_provider_ids: each(contact('deleted, at the provider too'), 'provider_media_id'),

  // What they agreed to.
  consents: each(skeleton, 'payload'),
  chain_details: each(detail, 'salt', 'text'),
  suppressions: {
    ...each(contact('deleted; what stands becomes a keyed hash'), 'source', 'lift_reason', 'mirror_failure'),
    reason: { of: 'business', erasure: 'one of seven words, deleted with its row' },
  },

  // What is told and answered.
  events: each(told, 'data'),
  webhook_attempts: {
    answer: blanked,
    reason: blanked,
    url: business,
    signature: business,
    failure: business,
  },
  idempotency_keys: {
    ...each(ownClock('a day; an HMAC'), 'key', 'fingerprint'),
    ...each(ownClock('a day; sealed'), 'body'),
    headers: business,
    subject: business,
    principal: user,
  },
  operations: {
    ...each(
      contact('blanked; ends by its own clock after 30 days'),
      'input',
      'checkpoint',
      'result',
      'error',
    ),
    ...each(secret, 'sealed_result', 'next_action', 'sealed_next_action'),
  },
  operation_children: each(
    contact('blanked; ends by its own clock after 30 days'),
    'ref',
    'input',
    'result',
    'error',
  ),

  // What is written down about it.
  audit_entries: {
    payload: contact('kept: words stand in chain_details'),
    previous_hash: business,
    hash: business,
    actor: user,
  },
  platform_audit_entries: {
    payload: contact('kept: words stand in chain_details'),
    previous_hash: business,
    hash: business,
    actor: user,
  },
  authorizations: {
    ...each(
      contact('blanked where it is about the contact; elsewhere kept, and mentions are reported'),
      'resource_ref',
      'instruction',
    ),
    instructed_by: user,
  },
  approvals: {
    ...each(
      contact('kept: none is about a contact but by its SID'),
      'summary',
      'decision_reason',
      'request',
      'result',
    ),
  },

  // Workflows and campaigns that ran for them.
  workflow_runs: each(blanked, 'error', 'event_data', 'cursor', 'memory', 'effect'),
  workflow_steps: each(blanked, 'trace'),
  workflow_mail: each(blanked, 'data'),
  workflow_decisions: each(blanked, 'detail'),
  workflow_contact_stops: each(deleted, 'reason'),
  workflow_tests: each(blanked, 'result'),
  campaigns: each(business, 'name', 'reason', 'definition'),
  campaign_recipients: each(blanked, 'evidence', 'message'),

  // People who sign in.
  users: each(
    user,
    'email',
    'display_name',
    'password_hash',
    'external_id',
    'directory_attributes',
    'locale',
  ),
  sessions: each(user, 'address', 'user_agent', 'token_hash', 'revoke_reason'),
  external_identities: each(user, 'subject'),
  mfa_credentials: each(
    user,
    'display_name',
    'webauthn_id',
    'webauthn_public_key',
    'webauthn_transports',
    'sealed_secret',
  ),
  mfa_enrollments: each(user, 'display_name', 'ceremony_hash', 'sealed_ceremony'),
  mfa_ceremonies: each(user, 'challenge_hash'),
  recovery_code_sets: each(user, 'sealed_key'),
  recovery_codes: each(user, 'code_hash'),
  attempt_counters: each(user, 'subject'),
  notification_mailboxes: each(user, 'mailbox'),
  notification_languages: each(user, 'principal', 'locale'),
  notification_preferences: each(user, 'principal'),
  notification_reads: each(user, 'principal'),
  directory_groups: each(user, 'display_name', 'external_id'),
  sso_requests: each(user, 'state_hash', 'sealed_secrets', 'binding_hash', 'return_to'),
  used_assertions: each(user, 'assertion_id'),
  role_bindings: { principal_ref: user, revoke_reason: business },
  composer_claims: each(user, 'holder', 'token_hash'),
  opt_in_counters: each(ownClock('an hour; an HMAC of an address'), 'subject'),

  // The customer's business, and its own words.
  accounts: each(business, 'name'),
  plans: each(business, 'name'),
  organizations: each(business, 'name', 'legal_details'),
  announcements: each(business, 'words'),
  api_keys: each(business, 'name', 'secret_hash', 'signing_secret', 'lookup'),
  inboxes: each(business, 'name'),
  contents: each(business, 'name', 'body', 'variables'),
  templates: each(business, 'name', 'components', 'rejected_reason', 'failure', 'proposed', 'pending_change'),
  template_name_locks: each(business, 'name'),
  template_status_history: each(business, 'reason'),
  flows: each(business, 'name'),
  segments: each(business, 'name'),
  senders: { ...each(business, 'display_name', 'phone_number', 'flow_key'), sealed_pin: secret },
  sender_pools: each(business, 'name'),
  sender_status_history: each(business, 'reason'),
  opt_in_links: each(business, 'label', 'consent_text', 'wording_version', 'token_hash'),
  portfolios: each(business, 'name'),
  wabas: { ...each(business, 'name', 'disconnect_reason', 'restrictions'), access_token: secret },
  waba_connections: each(business, 'token', 'found'),
  waba_signups: each(secret, 'state_hash', 'sealed_token'),
  webhook_endpoints: each(
    business,
    'url',
    'sealed_secret',
    'sealed_previous_secret',
    'header_names',
    'sealed_headers',
  ),
  workflows: each(business, 'name', 'trigger_names'),
  workflow_versions: each(business, 'definition', 'wait_names'),
  workflow_wakes: each(business, 'names'),
  identity_providers: each(business, 'public_config', 'credential_ref', 'token_hash', 'reason'),
  identity_credentials: { sealed: secret, ref: business },
  legal_holds: each(business, 'scope', 'case_ref', 'release_case_ref'),
  legal_hold_marks: each(business, 'ref'),
  privacy_requests: {
    ...each(contact('blanked when the person is erased'), 'reason', 'sealed_person'),
    ...each(business, 'changed_fields', 'counts', 'mentions', 'certificate', 'lifted_by'),
  },
  notifications: each(business, 'params', 'dedupe_key', 'resource', 'audience'),
  number_migrations: {
    ...each(business, 'phone_number', 'impact', 'case_ref', 'reason', 'error'),
    ...each(secret, 'sealed_code', 'sealed_pin'),
  },
  number_migration_history: each(business, 'detail'),
  managed_acceptances: each(business, 'quote', 'terms_text'),
  managed_applications: each(
    business,
    'display_name',
    'requested_number',
    'website',
    'details',
    'information_request',
    'reason',
    'error',
    'accepted',
    'offer',
    'phone_number',
  ),
  managed_provisioning: each(
    secret,
    'vendor_reference',
    'number',
    'access_token',
    'pin',
    'code',
    'registered_name',
  ),
  managed_tasks: each(business, 'reason'),
  billing_automations: each(business, 'step', 'provider_statement'),
  billing_mode_switches: each(business, 'error'),
  billing_document_pdfs: each(business, 'pdf'),
  charges: each(business, 'reported'),
  credit_notes: each(business, 'reason', 'evidence', 'number'),
  invoices: each(
    business,
    'number',
    'periods',
    'lines',
    'tax_lines',
    'last_failure',
    'sealed_hosted_url',
    'submission_error',
    'submission_reference',
    'ended_reason',
    'ended_evidence',
  ),
  ledger_transfers: each(business, 'reference', 'members'),
  payment_attempts: each(business, 'reason', 'url'),
  payment_disputes: each(business, 'reason'),
  payment_intents: each(
    business,
    'tax_lines',
    'sealed_token',
    'token_hash',
    'reference',
    'card',
    'failure',
    'parked',
    'description',
  ),
  receipt_keys: each(secret, 'public_key', 'private_key'),
  certificate_keys: each(secret, 'public_key', 'private_key'),
  privacy_copy_parts: each(ownClock('7 days, or with the person; sealed'), 'body'),
  reconciliation_cases: each(business, 'bucket', 'findings', 'resolution'),
  refund_consents: each(business, 'reason'),
  refunds: each(business, 'reason', 'failure'),
  statements: each(business, 'number', 'movements', 'usage', 'documents'),
  tax_profiles: each(business, 'reason'),
  tax_rates: each(business, 'name'),
  provider_contract_runs: each(business, 'failed'),
  settings: { value: secret, name: business },
  schema_migrations: each(business, 'name'),
  rate_buckets: each(user, 'name'),
  billing_documents: each(business, 'json', 'subject'),
};

/** Names that hold nothing of anybody wherever they stand: references, states, codes, instants, amounts, hashes of secrets. */
const plainNames = new Set(
  `account action allocation_id counted_with features plan allowed_cidrs api_version awaits ban_state basis billing_mode billing_status budget_currency call
  catalog_ids categories category chain charge_id checksum code code_hash code_method commercial_mode connection_state consumer
  content_gone_before contents_until country country_code credit_account credit_line_id currency customer_id debit_account decision
  declared_mime default_country digest direction dispute_id document_sids dunning dunning_state environment estimate_pricing_type
  event_filters event_id event_type factor_method factor_provider_key fallback_timezone fee_state fingerprint first_left format gave_up
  granted_scopes hash highest host idempotency_key identifier_type invoice_provider jurisdiction kept_for kid kind lane language look
  looked_until lowest mailed_up_to market marketing_messages messaging_limit method method_id methods mime_type name_status nonce
  number number_source object_id only_for operation_id outcome parameter_format payment_id phone_number_id pricing_type principal_type
  previous_hash previous_sha256 previous_status protocol provider provider_business_id provider_flow_id provider_key
  provider_phone_number_id provider_template_id provider_waba_id purpose quality receiving_business_id receiving_credential_id
  reference region renderer request_status requested_type review_status role role_environment said_at scanner scope scope_kind scopes
  series sha256 source source_phone_number_id state state_hash status step store submission_provider subscription suite_commit suite_digest suspension_reason suspension_reason
  task tax_code tax_jurisdiction tax_provider template terms_version throughput_level ticket_hash timezone token_hash transport type
  verification_status version worker_ids against resource challenge_hash lookup resolution url`.split(/\s+/),
);

const isReference = (column: string) =>
  /(^|_)sids?$|_by$|_to$|_into$|_from$|_by_run$/.test(column) && column !== 'return_to';

/** Of whom a column holds something; null for nobody, undefined where nobody has said. */
export function holdingOf(table: string, column: string): Holding | null | undefined {
  const holding = Object.hasOwn(holdings, table) ? holdings[table]![column] : undefined;
  if (holding) return holding;
  return isReference(column) || plainNames.has(column) ? null : undefined;
}
