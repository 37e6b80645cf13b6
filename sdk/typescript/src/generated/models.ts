// Generated from the declared operations by "npm run generate". Changes belong there.

import type { Other } from '../words/other.ts';

export type AcceptBillingModeSwitchRequest = {
  stepUpEvidence: string;
  termsVersion: string;
};

export type AcceptInvitationRequest = {
  token: string;
  password: string;
  displayName: string;
};

export type AcceptManagedOnboardingQuoteRequest = {
  acceptQuote: boolean;
  acceptedQuoteFingerprint: string;
  acceptedTermsVersion: string;
};

export type Account = {
  object: 'account';
  sid: AccountSid;
  parentAccountSid: AccountSid | null;
  name: string;
  status: 'active' | 'suspended' | Other;
  suspendedAt: string | null;
  suspensionReason: string | null;
  region: string;
  createdAt: string;
  updatedAt: string;
};

export type AccountList = {
  object: 'list';
  data: Account[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type AccountPlan = {
  object: 'account_plan';
  accountSid: AccountSid;
  livemode: boolean;
  name: string | null;
  limits: PlanLimits;
  features: string[] | null;
  use: PlanUse;
};

export type AccountSid = string;

export type AcquireComposerClaimRequest = {
  composerOverrideReason?: string;
};

export type ActivatedIdentityProvider = {
  object: 'identity_provider';
  id: string;
  organizationId: string;
  protocol: IdentityProviderProtocol;
  providerKey: string;
  publicConfig: Record<string, unknown>;
  credentialRef: string | null;
  state: IdentityProviderState;
  reason: string;
  roleAccountSid: AccountSid | null;
  roleEnvironment: 'live' | 'sandbox' | 'both' | Other;
  urls: IdentityProviderUrls;
  verifiedAt: string | null;
  activatedAt: string | null;
  suspendedAt: string | null;
  createdBy: string;
  createdAt: string;
  updatedAt: string;
  directoryToken: string | null;
};

export type Address = {
  subtype?: 'address';
  body: string;
  country: 'IN' | 'SG' | Other;
  values?: Record<string, string>;
  validationErrors?: Record<string, string>;
  savedAddresses?: SavedAddress[];
};

export type AnalyticsCost = {
  total: Money;
  charged: Money;
  expected: Money;
};

export type ApiKey = {
  object: 'api_key';
  id: string;
  accountSid: AccountSid;
  livemode: boolean;
  name: string;
  keyId: string;
  scopes: string[];
  allowedCidrs: string[];
  signingRequired: boolean;
  requestsPerSecond: number | null;
  disabled: boolean;
  createdBy: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
  createdAt: string;
  updatedAt: string;
};

export type ApiKeyList = {
  object: 'list';
  data: ApiKey[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type ApiKeyWithSecret = {
  object: 'api_key';
  id: string;
  accountSid: AccountSid;
  livemode: boolean;
  name: string;
  keyId: string;
  scopes: string[];
  allowedCidrs: string[];
  signingRequired: boolean;
  requestsPerSecond: number | null;
  disabled: boolean;
  createdBy: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
  createdAt: string;
  updatedAt: string;
  key: string;
  signingSecret: string;
};

export type Approval = {
  object: 'approval';
  sid: ApprovalSid;
  accountSid: AccountSid;
  livemode: boolean;
  action: string;
  summary: string;
  state: ApprovalState;
  requestedBy: string;
  decidedBy: string | null;
  decisionReason: string | null;
  result: Record<string, unknown> | null;
  expiresAt: string;
  decidedAt: string | null;
  createdAt: string;
  updatedAt: string;
};

export type ApprovalList = {
  object: 'list';
  data: Approval[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type ApprovalSid = string;

export type ApprovalState = 'PENDING' | 'APPROVED' | 'REJECTED' | 'EXPIRED' | Other;

export type ApproveApprovalRequest = {
  reason?: string;
};

export type ApproveManagedApplicationRequest = {
  stepUpToken: string;
};

export type AssignConversationRequest = {
  expectedVersion: number;
  assigneeSid: UserSid | null;
};

export type AuditEvent = {
  object: 'audit_event';
  id: string;
  accountSid: AccountSid;
  livemode: boolean;
  sequence: number;
  action: string;
  resource: string | null;
  actor: string;
  requestId: string;
  occurredAt: string;
  facts: Record<string, unknown>;
  detail: ChainDetail | null;
  previousHash: string;
  hash: string;
};

export type AuditEventList = {
  object: 'list';
  data: AuditEvent[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type AuthPolicy = {
  object: 'auth_policy';
  organizationId: string;
  version: number;
  autoDisableInactiveApiKeys: boolean;
  mfaRequiredForAllRoles: boolean;
  passwordLoginEnabled: boolean;
  recoveryRevokesMfa: boolean;
  sessionAbsoluteTimeoutHours: number;
  sessionIdleTimeoutMinutes: number;
  ssoEnforced: boolean;
  updatedAt: string | null;
  updatedBy: string | null;
};

export type Authorization = {
  object: 'authorization';
  id: string;
  accountSid: AccountSid;
  livemode: boolean;
  task: AuthorizationTask;
  resourceRef: string;
  instruction: string;
  instructedBy: PrincipalRef;
  createdAt: string;
};

export type AuthorizationList = {
  object: 'list';
  data: Authorization[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type AuthorizationTask = 'DISPLAY_NAME_SUBMISSION' | 'OFFICIAL_BUSINESS_ACCOUNT_APPLICATION' | 'TEMPLATE_SUBMISSION' | 'TEMPLATE_APPEAL' | Other;

export type BillingAutomation = {
  object: 'billing_automation';
  accountSid: AccountSid;
  livemode: boolean;
  walletId: string;
  currency: string;
  nextPeriodStart: string;
  nextPeriodEnd: string;
  step: MonthStep | LengthStep;
  collection: {
    paymentIntentId: string;
    card: PaymentCard | null;
    retryDelaysHours: number[];
  };
  providerStatement: ProviderStatementAutomation | null;
  version: number;
  createdAt: string;
  updatedAt: string;
};

export type BillingCategory = 'AUTHENTICATION' | 'AUTHENTICATION_INTERNATIONAL' | 'MARKETING' | 'UTILITY' | 'SERVICE' | Other;

export type BillingDocument = {
  /** The document as canonical JSON (RFC 8785): `sha256` is the hash of exactly this text. */
  json: string;
  sha256: string;
  pdfSha256: string;
  previousSha256: string;
  pdfBase64: string;
};

export type BillingMode = {
  object: 'billing_mode';
  wabaSid: WabaSid;
  accountSid: AccountSid;
  livemode: boolean;
  mode: 'direct' | 'partner' | Other;
  effectiveFrom: string;
  switch: BillingModeSwitch | null;
};

export type BillingModeError = {
  code: string;
  message: string;
};

export type BillingModeSwitch = {
  id: string;
  state: BillingModeSwitchState;
  termsVersion: string;
  currency: string;
  acceptedBy: string | null;
  acceptedAt: string | null;
  error: BillingModeError | null;
  operationSid: OperationSid;
  revertOperationSid: OperationSid | null;
  createdAt: string;
  updatedAt: string;
};

export type BillingModeSwitchState = 'requested' | 'awaiting_acceptance' | 'accepted' | 'allocating' | 'verifying' | 'active' | 'failed' | 'revoking' | 'confirming' | 'direct' | Other;

export type BillingPeriod = {
  start: string;
  end: string;
};

export type BillingTransport = 'CLOUD_API' | 'MARKETING_MESSAGES' | Other;

export type Budget = {
  object: 'budget';
  accountSid: AccountSid;
  livemode: boolean;
  currency: string;
  monthly: Money | null;
  spent: Money | null;
  left: Money | null;
};

export type BudgetList = {
  object: 'list';
  data: Budget[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type BusinessProfile = {
  object: 'business_profile';
  senderSid: SenderSid;
  accountSid: AccountSid;
  livemode: boolean;
  about: string | null;
  address: string | null;
  description: string | null;
  email: string | null;
  websites: string[];
  vertical: string | null;
};

export type Campaign = {
  object: 'campaign';
  sid: CampaignSid;
  accountSid: AccountSid;
  livemode: boolean;
  name: string;
  state: CampaignState;
  reason: string | null;
  version: number;
  audience: {
    segmentSid: SegmentSid | null;
    contactSids: ContactSid[] | null;
    contactCount: number | null;
  };
  message: CampaignMessage | null;
  variants: CampaignVariant[] | null;
  variables: CampaignVariables;
  from: SenderSid | null;
  senderPoolSid: SenderPoolSid | null;
  sendAt: string | null;
  localTime: boolean;
  quietHours: CampaignQuietHours | null;
  messagesPerMinute: number | null;
  budget: Money | null;
  budgetUsed: Money | null;
  approvalSid: ApprovalSid | null;
  operationSid: OperationSid | null;
  progress: {
    recipients: number;
    pending: number;
    admitted: number;
    refused: number;
  };
  createdBy: string;
  launchedBy: string | null;
  launchedAt: string | null;
  startedAt: string | null;
  finishedAt: string | null;
  createdAt: string;
  updatedAt: string;
};

export type CampaignAudienceRequest = {
  segmentSid?: SegmentSid;
  contactSids?: ContactSid[];
};

export type CampaignCodeCount = {
  code: string;
  count: number;
};

export type CampaignList = {
  object: 'list';
  data: Campaign[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type CampaignMessage = {
  type?: MessageType;
  contentSid?: ContentSid;
  variables?: Record<string, string>;
  text?: TextContent;
  template?: TemplateContent;
  media?: MediaContent;
  location?: LocationContent;
  contacts?: ContactsContent;
  reaction?: ReactionContent;
  interactive?: Interactive;
  product?: ProductContent;
  catalog?: CatalogContent;
  flow?: FlowContent;
  productList?: ProductList;
  address?: Address;
  carousel?: Carousel;
  priority?: MessagePriority;
  validityPeriodSeconds?: number;
  transport?: MessageTransport;
  transportOptions?: MessageTransportOptions;
  deferIfCapped?: boolean;
  category?: MessageCategory;
  statusCallbackUrl?: string;
  statusCallbackSid?: WebhookEndpointSid;
  metadata?: Record<string, string>;
  tags?: string[];
};

export type CampaignOutcome = 'PENDING' | 'ADMITTED' | 'REFUSED' | 'CANCELED' | Other;

export type CampaignPreview = {
  object: 'campaign_preview';
  campaignSid: CampaignSid;
  accountSid: AccountSid;
  livemode: boolean;
  version: number;
  recipients: number;
  admitted: number;
  refused: number;
  refusals: CampaignPreviewRefusal[];
  costs: CampaignPreviewCost[];
  cost: Money;
  senders: CampaignPreviewSender[];
  seconds: number;
  createdAt: string;
};

export type CampaignPreviewCost = {
  market: string;
  category: string;
  recipients: number;
  cost: Money;
};

export type CampaignPreviewRefusal = {
  gate: string | null;
  code: string;
  message: string;
  atLaunch: 'REFUSED' | 'WAITS' | 'PAUSES' | Other;
  recipients: number;
  samples: CampaignPreviewSample[];
};

export type CampaignPreviewSample = {
  contactSid: ContactSid;
  evidence: Record<string, unknown>;
};

export type CampaignPreviewSender = {
  senderSid: SenderSid;
  recipients: number;
  messagesPerSecond: number;
  seconds: number;
};

export type CampaignQuietHours = {
  from: string;
  to: string;
};

export type CampaignRate = {
  share: number | null;
  low: number | null;
  high: number | null;
};

export type CampaignRates = {
  delivered: CampaignRate;
  read: CampaignRate;
  replied: CampaignRate;
  optedOut: CampaignRate;
};

export type CampaignRecipient = {
  object: 'campaign_recipient';
  campaignSid: CampaignSid;
  accountSid: AccountSid;
  livemode: boolean;
  position: number;
  contactSid: ContactSid;
  variant: number | null;
  outcome: CampaignOutcome;
  messageSid: MessageSid | null;
  code: string | null;
  message: string | null;
  evidence: Record<string, unknown> | null;
  dueAt: string;
  decidedAt: string | null;
};

export type CampaignRecipientList = {
  object: 'list';
  data: CampaignRecipient[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type CampaignResults = {
  object: 'campaign_results';
  campaignSid: CampaignSid;
  accountSid: AccountSid;
  livemode: boolean;
  recipients: number;
  pending: number;
  total: CampaignTotal;
  variants: CampaignVariantOutcome[];
  createdAt: string;
};

export type CampaignSettings = {
  object: 'campaign_settings';
  accountSid: AccountSid;
  livemode: boolean;
  approvalAbove: number | null;
  fallbackTimezone: string;
  updatedAt: string | null;
};

export type CampaignSid = string;

export type CampaignState = 'DRAFT' | 'SCHEDULED' | 'RUNNING' | 'PAUSED' | 'COMPLETED' | 'CANCELED' | 'FAILED' | Other;

export type CampaignTotal = {
  messages: number;
  queued: number;
  sent: number;
  delivered: number;
  read: number;
  replied: number;
  optedOut: number;
  failed: number;
  canceled: number;
  expired: number;
  failures: CampaignCodeCount[];
  refused: number;
  refusals: CampaignCodeCount[];
  cost: Money;
  held: Money;
  rates: CampaignRates;
};

export type CampaignVariable = {
  attribute?: string;
  field?: 'displayName' | 'locale' | Other;
  fallback?: string;
};

export type CampaignVariables = Record<string, CampaignVariable>;

export type CampaignVariant = {
  message: CampaignMessage;
  weight: number;
};

export type CampaignVariantOutcome = {
  variant: number;
  weight: number;
  messages: number;
  queued: number;
  sent: number;
  delivered: number;
  read: number;
  replied: number;
  optedOut: number;
  failed: number;
  canceled: number;
  expired: number;
  failures: CampaignCodeCount[];
  refused: number;
  refusals: CampaignCodeCount[];
  cost: Money;
  held: Money;
  rates: CampaignRates;
};

export type CanaryProviderVersion = {
  version: string;
  state: CanaryState;
  evidence: ProviderContractEvidence | null;
};

export type CanaryState = 'PASSED' | 'FAILED' | 'UNTESTED' | Other;

export type Carousel = {
  subtype?: 'carousel';
  body: string;
  cards: CarouselCard[];
};

export type CarouselCard = {
  cardIndex: number;
  catalogId: string;
  productRetailerId: string;
};

export type CatalogContent = {
  catalogId: string;
  body: string;
  footer?: string;
  thumbnailProductRetailerId?: string;
};

export type CertifiedConsent = {
  sequence: string;
  payload: string;
  previousHash: string;
  hash: string;
  detail: CertifiedDetail | null;
};

export type CertifiedDetail = {
  salt: string;
  text: string;
};

export type ChainDetail = {
  hash: string;
  salt: string | null;
  members: string[];
};

export type ChainHead = {
  chain: string;
  sequence: string;
  hash: string;
};

export type ChangePasswordRequest = {
  currentPassword: string;
  newPassword: string;
};

export type ChangedRetentionPolicy = {
  object: 'retention_policy';
  accountSid: AccountSid;
  livemode: boolean;
  messageContentDays: number | null;
  messageMetadataMonths: number | null;
  analyticsMonths: number | null;
  effectiveFrom: string | null;
  inForce: RetentionWindows;
  nextRunAt: string | null;
  operationSid: OperationSid | null;
  updatedAt: string | null;
  nextRun: RetentionNextRun | null;
};

export type Charge = {
  object: 'charge';
  id: string;
  accountSid: AccountSid;
  livemode: boolean;
  walletId: string;
  kind: ChargeKind;
  messageSid: MessageSid | null;
  senderSid: SenderSid | null;
  campaignSid: CampaignSid | null;
  wabaSid: WabaSid | null;
  category: BillingCategory | null;
  pricingType: PricingType | null;
  transport: BillingTransport | null;
  market: string | null;
  rateCardVersion: number | null;
  basis: ChargeBasis;
  lines: ChargeLine[];
  amount: Money;
  invoiceSid: InvoiceSid | null;
  statementSid: StatementSid | null;
  caseSid: ReconciliationCaseSid | null;
  chargedAt: string;
};

export type ChargeBasis = 'PROVIDER_REPORT' | 'ESTIMATE' | 'REMEDIATION' | Other;

export type ChargeExplanation = {
  object: 'charge_explanation';
  charge: Charge;
  /** The row of the rate card it was priced by: the card the message was accepted under. */
  rate: {
    version: number;
    effectiveFrom: string;
    market: string;
    lines: ChargeLine[];
  } | null;
  /** How the provider said it charged, in its own words. Null for an estimate. */
  report: {
    type: string;
    category: string;
    model: string | null;
    billable: boolean | null;
  } | null;
  /** What was set aside when the message was accepted. */
  hold: {
    amount: Money;
    heldAt: string;
    closedAt: string | null;
  } | null;
  /** The money that was moved, the earliest first. */
  movements: Array<{
    kind: string;
    amount: Money;
    at: string;
  }>;
  /** The closed period it falls into, and the documents made of it. Null while it is open. */
  period: {
    number: number;
    startsAt: string;
    endsAt: string;
    invoiceSid: InvoiceSid | null;
    statementSid: StatementSid | null;
  } | null;
  /** The number of the line of that invoice it is part of. Null without an invoice, or where corrections came to nothing. */
  invoiceLine: number | null;
};

export type ChargeKind = 'MESSAGE' | 'ADJUSTMENT' | Other;

export type ChargeLine = {
  kind: ChargeLineKind;
  price: Money;
};

export type ChargeLineKind = 'platform_fee' | 'provider_pass_through' | Other;

export type ChargeList = {
  object: 'list';
  data: Charge[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type CompleteMfaEnrollmentRequest = {
  ceremonyRef: string;
  response: string;
};

export type ComposerClaim = {
  object: 'composer_claim';
  accountSid: AccountSid;
  livemode: boolean;
  conversationSid: ConversationSid;
  composerClaimToken: string | null;
  heldBy: string;
  expiresAt: string;
  createdAt: string;
};

export type ComposerClaimRequest = {
  composerClaimToken: string;
};

export type ConnectWabaRequest = {
  name: string;
  portfolioId?: string;
  providerBusinessId?: string;
  providerWabaId?: string;
  accessToken?: string;
  stepUpToken?: string;
};

export type Consent = {
  object: 'consent';
  sid: ConsentSid;
  accountSid: AccountSid;
  livemode: boolean;
  contactSid: ContactSid;
  purpose: ConsentPurpose;
  status: ConsentStatus;
  source: ConsentSource;
  evidenceRef: string | null;
  evidence: ConsentEvidence | null;
  expiresAt: string | null;
  supersedesConsentSid: ConsentSid | null;
  recordedBy: string;
  createdAt: string;
  ledger: {
    sequence: string;
    previousHash: string;
    hash: string;
    detail: ChainDetail | null;
  };
};

export type ConsentCertificate = {
  object: 'consent_certificate';
  contactSid: ContactSid;
  accountSid: AccountSid;
  livemode: boolean;
  certificate: string;
  sha256: string;
  claims: ConsentCertificateClaims;
};

export type ConsentCertificateClaims = {
  iss: string;
  iat: number;
  jti: string;
  accountSid: AccountSid;
  livemode: boolean;
  contactSid: ContactSid;
  identities: ContactSid[];
  consents: CertifiedConsent[];
  omitted: number;
  head: ConsentChainHead;
};

export type ConsentChainHead = {
  sequence: string;
  hash: string;
};

export type ConsentCounts = {
  OPTED_IN: number;
  OPTED_OUT: number;
  UNKNOWN: number;
  REVOKED: number;
  EXPIRED: number;
};

export type ConsentCoverage = {
  object: 'consent_coverage';
  accountSid: AccountSid;
  livemode: boolean;
  contacts: number;
  purposes: {
    TRANSACTIONAL: ConsentCounts;
    AUTHENTICATION: ConsentCounts;
    MARKETING: ConsentCounts;
    SUPPORT: ConsentCounts;
  };
  suppressed: {
    contacts: number;
    ALL: number;
    MARKETING: number;
  };
  asOf: string;
};

export type ConsentEvidence = {
  application?: string;
  campaignRef?: string;
  capturedAt?: string;
  proofRef?: string;
  reOptIn?: boolean;
  reason?: string;
  sourcePage?: string;
  supersedesConsentSid?: ConsentSid;
  withdrawnAt?: string;
  wording?: string;
  wordingVersion?: string;
};

export type ConsentList = {
  object: 'list';
  data: Consent[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type ConsentPurpose = 'TRANSACTIONAL' | 'AUTHENTICATION' | 'MARKETING' | 'SUPPORT' | Other;

export type ConsentSid = string;

export type ConsentSource = 'API' | 'IMPORT' | 'KEYWORD' | 'FORM' | 'PROVIDER' | 'DASHBOARD' | Other;

export type ConsentState = {
  status: ConsentStatus;
  consentSid: ConsentSid | null;
  recordedAt: string | null;
  expiresAt: string | null;
};

export type ConsentStatus = 'OPTED_IN' | 'OPTED_OUT' | 'UNKNOWN' | 'REVOKED' | 'EXPIRED' | Other;

export type ConsentSummary = {
  TRANSACTIONAL: ConsentState;
  AUTHENTICATION: ConsentState;
  MARKETING: ConsentState;
  SUPPORT: ConsentState;
};

export type Contact = {
  object: 'contact';
  sid: ContactSid;
  accountSid: AccountSid;
  livemode: boolean;
  status: 'ACTIVE' | 'MERGED' | 'ERASED' | Other;
  mergedInto: ContactSid | null;
  restrictedBy: PrivacyRequestSid | null;
  displayName: string | null;
  locale: string | null;
  timezone: string | null;
  attributes: Record<string, unknown>;
  identifiers: Identifier[];
  consent: ConsentSummary;
  createdAt: string;
  updatedAt: string;
};

export type ContactBelongings = {
  identifiers: Identifier[];
};

export type ContactCard = {
  formattedName: string;
  firstName?: string;
  lastName?: string;
  phones?: Array<{
    value: string;
    type?: string;
  }>;
  emails?: Array<{
    value: string;
    type?: string;
  }>;
};

export type ContactConflict = {
  object: 'contact_conflict';
  id: string;
  accountSid: AccountSid;
  livemode: boolean;
  status: 'open' | 'resolved' | Other;
  contactSid: ContactSid;
  otherContactSid: ContactSid;
  identifiers: Identifier[];
  resolution: 'merge' | 'dismiss' | null | Other;
  mergeId: string | null;
  resolvedBy: string | null;
  resolvedAt: string | null;
  createdAt: string;
  updatedAt: string;
};

export type ContactConflictList = {
  object: 'list';
  data: ContactConflict[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type ContactFileFormat = 'csv' | 'ndjson';

export type ContactList = {
  object: 'list';
  data: Contact[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type ContactMerge = {
  object: 'contact_merge';
  id: string;
  accountSid: AccountSid;
  livemode: boolean;
  status: 'MERGED' | 'REVERTED' | Other;
  survivorContactSid: ContactSid;
  mergedContactSid: ContactSid;
  reason: string;
  moved: ContactBelongings;
  mergedBy: string;
  revertibleUntil: string;
  revertedAt: string | null;
  revertedBy: string | null;
  movedBack: ContactBelongings | null;
  stayed: ContactBelongings | null;
  createdAt: string;
  updatedAt: string;
};

export type ContactMergeList = {
  object: 'list';
  data: ContactMerge[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type ContactMergePreview = {
  object: 'contact_merge_preview';
  accountSid: AccountSid;
  livemode: boolean;
  survivorContactSid: ContactSid;
  mergedContactSid: ContactSid;
  moved: ContactBelongings;
  survivor: Contact;
  revertibleUntil: string;
};

export type ContactRestriction = {
  object: 'contact_restriction';
  contactSid: ContactSid;
  accountSid: AccountSid;
  livemode: boolean;
  requestSid: PrivacyRequestSid;
};

export type ContactSid = string;

export type ContactsContent = {
  contacts: ContactCard[];
};

export type Content = {
  object: 'content';
  sid: ContentSid;
  accountSid: AccountSid;
  livemode: boolean;
  name: string;
  version: number;
  type: MessageType;
  text: Record<string, unknown> | null;
  template: Record<string, unknown> | null;
  media: Record<string, unknown> | null;
  location: Record<string, unknown> | null;
  contacts: Record<string, unknown> | null;
  reaction: Record<string, unknown> | null;
  interactive: Record<string, unknown> | null;
  product: Record<string, unknown> | null;
  catalog: Record<string, unknown> | null;
  flow: Record<string, unknown> | null;
  productList: Record<string, unknown> | null;
  address: Record<string, unknown> | null;
  carousel: Record<string, unknown> | null;
  variables: string[];
  deletedAt: string | null;
  createdAt: string;
  updatedAt: string;
};

export type ContentList = {
  object: 'list';
  data: Content[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type ContentPreview = {
  object: 'content_preview';
  contentSid: ContentSid;
  accountSid: AccountSid;
  livemode: boolean;
  version: number;
  content: Record<string, unknown>;
};

export type ContentSid = string;

export type Conversation = {
  object: 'conversation';
  sid: ConversationSid;
  accountSid: AccountSid;
  livemode: boolean;
  senderSid: SenderSid;
  contactSid: ContactSid;
  inboxSid: InboxSid | null;
  status: ConversationStatus;
  assigneeSid: UserSid | null;
  version: number;
  mergedInto: ConversationSid | null;
  composerHeldBy: string | null;
  composerHeldUntil: string | null;
  lastInboundAt: string | null;
  lastMessageAt: string;
  lastMessageSid: MessageSid;
  closedAt: string | null;
  createdAt: string;
  updatedAt: string;
};

export type ConversationList = {
  object: 'list';
  data: Conversation[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type ConversationSid = string;

export type ConversationStatus = 'open' | 'closed' | Other;

export type ConversationVersionRequest = {
  expectedVersion: number;
};

export type CreateApiKeyRequest = {
  name: string;
  scopes: string[];
  allowedCidrs?: string[];
  signingRequired?: boolean;
  expiresAt?: string;
  stepUpToken?: string;
};

export type CreateAuthorizationRequest = {
  instruction: string;
  resourceRef: string;
  task: AuthorizationTask;
};

export type CreateCampaignRequest = {
  name: string;
  audience: CampaignAudienceRequest;
  message?: CampaignMessage;
  variants?: CampaignVariant[];
  variables?: CampaignVariables;
  from?: SenderSid;
  senderPoolSid?: SenderPoolSid;
  sendAt?: string;
  localTime?: boolean;
  quietHours?: CampaignQuietHours;
  messagesPerMinute?: number;
  budget?: Money;
};

export type CreateContactConsentRequest = {
  purpose: ConsentPurpose;
  source: ConsentSource;
  status: ConsentStatus;
  evidenceRef?: string;
  expiresAt?: string;
  evidence?: ConsentEvidence;
};

export type CreateContactRequest = {
  identifiers: GivenIdentifier[];
  attributes?: Record<string, unknown>;
  defaultCountry?: string;
  displayName?: string;
  locale?: string;
  timezone?: string;
};

export type CreateContactSuppressionRequest = {
  reason: SuppressionReason;
  scope: SuppressionScope;
  expiresAt?: string;
  mirrorToProvider?: boolean;
  senderSid?: SenderSid;
  source: string;
};

export type CreateContentRequest = {
  name: string;
  type: MessageType;
  text?: Record<string, unknown>;
  template?: Record<string, unknown>;
  media?: Record<string, unknown>;
  location?: Record<string, unknown>;
  contacts?: Record<string, unknown>;
  reaction?: Record<string, unknown>;
  interactive?: Record<string, unknown>;
  product?: Record<string, unknown>;
  catalog?: Record<string, unknown>;
  flow?: Record<string, unknown>;
  productList?: Record<string, unknown>;
  address?: Record<string, unknown>;
  carousel?: Record<string, unknown>;
};

export type CreateCreditNoteRequest = {
  amountMinor: string;
  taxMinor: string;
  currency: string;
  scale: number;
  evidence: Record<string, unknown>;
  idempotencyKey: string;
  reason: string;
  approvalSid?: ApprovalSid;
};

export type CreateIdentityProviderRequest = {
  protocol: IdentityProviderProtocol;
  providerKey: string;
  publicConfig: Record<string, unknown>;
  reason: string;
  stepUpToken: string;
  credentialRef?: string;
};

export type CreateInboxRequest = {
  name: string;
};

export type CreateLegalHoldRequest = {
  approvalSid?: ApprovalSid;
  caseRef: string;
  customerVisible?: boolean;
  scope: LegalHoldScope;
};

export type CreateManagedApplicationRequest = {
  acceptQuote: boolean;
  acceptedQuoteFingerprint: string;
  acceptedTermsVersion: string;
  country: string;
  displayName: string;
  instruction: string;
  legalName: string;
  numberSource: ManagedNumberSource;
  registeredAddress?: string;
  registrationNumber?: string;
  representativeEmail?: string;
  representativeName?: string;
  requestedNumber?: string;
  taxId?: string;
  website?: string;
};

export type CreateMediaForm = {
  file: Blob;
  type?: RequestedMediaType;
  declaredMime?: string;
  filename?: string;
};

export type CreateMediaRequest = {
  url: string;
  type?: RequestedMediaType;
  declaredMime?: string;
  filename?: string;
};

export type CreateMediaUploadRequest = {
  mediaSid: MediaSid;
};

export type CreateMfaEnrollmentRequest = {
  method: MfaMethod;
  providerKey: string;
  displayName?: string;
};

export type CreateMfaVerificationOptionsRequest = {
  action: string;
};

export type CreateMigrationRequest = {
  caseRef: string;
  reason: string;
  countryCode: string;
  destinationWabaSid: WabaSid;
  phoneNumber: string;
  registrationPin: string;
  senderSid: SenderSid;
  sourceWabaSid?: WabaSid;
  stepUpToken: string;
  validation: {
    contactSid: ContactSid;
    templateSid: TemplateSid;
  };
};

export type CreateOptInLinkRequest = {
  consentText: string;
  label: string;
  purpose?: OptInPurpose;
  defaultCountry?: string;
  expiresInDays?: number;
};

export type CreatePrivacyRequestRequest = {
  kind: PrivacyRequestKind;
  reason: string;
  subject: PrivacySubject;
  changes?: PrivacyChanges;
  stepUpToken: string;
};

export type CreateRefundRequest = {
  approvalSid: ApprovalSid;
  idempotencyKey: string;
  reason: RefundReason;
  stepUpToken: string;
  amountMinor?: string;
  currency?: string;
  scale?: number;
  invoiceSid?: InvoiceSid;
  paymentIntentId?: string;
};

export type CreateRoleBindingRequest = {
  principalType: RolePrincipalType;
  principalRef: string;
  role: string;
  scopeKind: RoleScopeKind;
  environment?: 'live' | 'sandbox' | 'both';
  expiresAt?: string;
  inboxSid?: InboxSid;
  stepUpToken: string;
};

export type CreateSegmentRequest = {
  kind: 'DYNAMIC';
  contactSids?: ContactSid[];
  filters?: SegmentFilters;
  name: string;
};

export type CreateSenderPoolRequest = {
  name: string;
  members?: NewSenderPoolMember[];
};

export type CreateSenderRequest = {
  displayName: string;
  wabaSid?: WabaSid;
};

export type CreateStepUpTokenRequest = {
  action: string;
  assertion: string;
  method: StepUpMethod;
  challenge?: string;
  providerKey?: string;
};

export type CreateSubaccountRequest = {
  name: string;
};

export type CreateSuppressionRequest = {
  contactSid?: ContactSid;
  identifier?: string;
  identifierType?: IdentifierType;
  scopeRef?: string;
  reason: SuppressionReason;
  scope: SuppressionScope;
  expiresAt?: string;
  mirrorToProvider?: boolean;
  senderSid?: SenderSid;
  source?: string;
};

export type CreateTemplateRequest = {
  wabaSid?: WabaSid;
  name: string;
  language: string;
  category: TemplateCategory;
  parameterFormat?: TemplateParameterFormat;
  components: TemplatePart[];
  messageSendTtlSeconds?: number;
};

export type CreateTopUpRequest = {
  amountMinor: string;
  currency: string;
  idempotencyKey: string;
  stepUpToken: string;
  saveCardForInvoices?: boolean;
};

export type CreateWebhookRequest = {
  url: string;
  apiVersion?: string;
  concurrencyCap?: number;
  eventFilters?: string[];
  stepUpToken?: string;
  timeoutMs?: number;
};

export type CreateWorkflowEventRequest = {
  eventType: string;
  contactSid: ContactSid;
  payload?: Record<string, unknown>;
};

export type CreateWorkflowRequest = {
  name: string;
  definition: WorkflowDefinition;
};

export type CreatedOptInLink = {
  object: 'opt_in_link';
  sid: OptInLinkSid;
  accountSid: AccountSid;
  livemode: boolean;
  label: string;
  purpose: OptInPurpose;
  consentText: string;
  wordingVersion: string;
  defaultCountry: string | null;
  state: OptInLinkState;
  expiresAt: string | null;
  revokedAt: string | null;
  submissions: number;
  lastSubmittedAt: string | null;
  createdAt: string;
  token: string;
  url: string;
};

export type CreditNote = {
  object: 'credit_note';
  id: string;
  accountSid: AccountSid;
  livemode: boolean;
  number: string;
  invoiceSid: InvoiceSid;
  amount: Money;
  tax: Money;
  total: Money;
  reason: string;
  evidence: Record<string, unknown>;
  approvalSid: ApprovalSid | null;
  createdBy: string;
  createdAt: string;
};

export type CreditNoteWithDocument = {
  object: 'credit_note';
  id: string;
  accountSid: AccountSid;
  livemode: boolean;
  number: string;
  invoiceSid: InvoiceSid;
  amount: Money;
  tax: Money;
  total: Money;
  reason: string;
  evidence: Record<string, unknown>;
  approvalSid: ApprovalSid | null;
  createdBy: string;
  createdAt: string;
  document: BillingDocument;
};

export type CustomEvent = {
  object: 'custom_event';
  accountSid: AccountSid;
  livemode: boolean;
  eventType: WorkflowEventType;
  contactSid: ContactSid;
  payload: Record<string, unknown>;
  createdAt: string;
};

export type DatePrecision = 'DAY' | 'MONTH' | Other;

export type DeactivateUserRequest = {
  reason: string;
};

export type DefinedWorkflow = {
  object: 'workflow';
  sid: WorkflowSid;
  accountSid: AccountSid;
  livemode: boolean;
  name: string;
  status: WorkflowStatus;
  latestVersion: number;
  publishedVersion: number | null;
  grantedScopes: string[];
  publishedBy: PrincipalRef | null;
  publishedAt: string | null;
  stoppedAt: string | null;
  createdAt: string;
  updatedAt: string;
  definition: WorkflowDefinition;
  issues: WorkflowIssue[];
};

export type DeleteSuppressionsRequest = {
  contactSid?: ContactSid;
  identifier?: string;
  identifierType?: IdentifierType;
  reason?: string;
  scope?: SuppressionScope;
  scopeRef?: string;
  suppressionSid?: SuppressionSid;
};

export type DisconnectWabaRequest = {
  reason: string;
  stepUpToken?: string;
};

export type EndManagedTaskRequest = {
  task: ManagedTaskName;
  outcome: 'DONE' | 'FAILED';
  number?: string;
  providerWabaId?: string;
  code?: string;
  reason?: string;
};

export type EnrolledMfaCredential = {
  object: 'mfa_credential';
  id: string;
  accountSid: AccountSid;
  livemode: boolean;
  userSid: UserSid;
  method: MfaMethod;
  providerKey: string;
  displayName: string | null;
  backedUp: boolean | null;
  disabled: boolean;
  usable: boolean;
  lastUsedAt: string | null;
  createdAt: string;
  recoveryCodes: string[] | null;
};

export type Environment = 'live' | 'sandbox' | Other;

export type ErasureCertificate = {
  object: 'erasure_certificate';
  requestSid: PrivacyRequestSid;
  accountSid: AccountSid;
  livemode: boolean;
  certificate: string;
  sha256: string;
  claims: ErasureCertificateClaims;
};

export type ErasureCertificateClaims = {
  iss: string;
  iat: number;
  jti: PrivacyRequestSid;
  accountSid: AccountSid;
  livemode: boolean;
  contactSid: ContactSid | null;
  requestedAt: string;
  completedAt: string;
  counts: Record<string, number>;
  kept: KeptStore[];
  tails: ErasureTail[];
  provider: string;
  told: string[];
  backupsUntil: string;
  chains: ChainHead[];
};

export type ErasureTail = {
  store: string;
  what: string;
  until: string;
};

export type ErrorBody = {
  error: {
    code: string;
    type: string;
    message: string;
    retryable: boolean;
    retryAfterSeconds: number | null;
    docUrl: string;
    requestId?: string;
    providerCode?: number;
    details?: ErrorDetail[];
  };
};

export type ErrorDetail = {
  path: string;
  issue: string;
};

export type ErrorEntry = {
  code: string;
  group: string;
  httpStatus: number;
  type: string;
  retryable: boolean;
  retryAfterSeconds: number | null;
  message: string;
  remedy: string;
};

export type ErrorEntryList = {
  object: 'list';
  data: ErrorEntry[];
  hasMore: boolean;
  nextCursor: string | null;
};

/** What the data of an event is, by its type. */
export type EventData = {
  /** The account may act again, and what waits in it leaves. */
  'account.resumed': Account;
  /** The operator suspended the account: it sends and changes nothing. */
  'account.suspended': Account;
  /** A second person agreed, and the action ran. */
  'approval.approved': Approval;
  /** Nobody decided in time. */
  'approval.expired': Approval;
  /** A second person refused. */
  'approval.rejected': Approval;
  /** An action waits for a second person. */
  'approval.requested': Approval;
  /** An instruction to act for the business was recorded. */
  'authorization.recorded': Authorization;
  /** How periods follow each other, or how invoices are collected, was set. */
  'billing_automation.updated': BillingAutomation;
  /** The terms of a switch can be accepted by an owner. */
  'billing_mode.acceptance_required': BillingMode;
  /** From now on the operator pays the provider for the account, and charges it. */
  'billing_mode.activated': BillingMode;
  /** The provider refused to take the credit line back; the mode is what it was. */
  'billing_mode.revert_failed': BillingMode;
  /** Somebody asked that the account pay the provider itself again. */
  'billing_mode.revert_requested': BillingMode;
  /**
   * The credit line was taken back, as the provider has confirmed; the account pays the provider itself
   * again.
   */
  'billing_mode.reverted': BillingMode;
  /** An owner accepted the terms of a switch. */
  'billing_mode.switch_accepted': BillingMode;
  /** A switch came to nothing; the mode is what it was. */
  'billing_mode.switch_failed': BillingMode;
  /** Somebody asked that the operator pay the provider for a business account. */
  'billing_mode.switch_requested': BillingMode;
  /** A campaign was canceled: nobody else is written to. */
  'campaign.canceled': Campaign;
  /** Each recipient of a campaign has a message or a recorded refusal. */
  'campaign.completed': Campaign;
  /** A campaign was drafted. */
  'campaign.created': Campaign;
  /** The draft of a campaign was deleted. */
  'campaign.deleted': Campaign;
  /** A campaign came to an end that nobody expected: nobody else is written to. */
  'campaign.failed': Campaign;
  /** A campaign rests: somebody paused it, or it met what `reason` names. */
  'campaign.paused': Campaign;
  /** A campaign goes on. */
  'campaign.resumed': Campaign;
  /** A campaign was launched: its audience is cut, and it begins when its time has come. */
  'campaign.scheduled': Campaign;
  /** A campaign began to admit messages. */
  'campaign.started': Campaign;
  /** The draft of a campaign was changed. */
  'campaign.updated': Campaign;
  /** Consent was given, withdrawn or otherwise recorded. */
  'consent.recorded': Consent;
  /** Identifiers of one request belong to two contacts. */
  'contact.conflict_opened': ContactConflict;
  /** An identity conflict was settled. */
  'contact.conflict_resolved': ContactConflict;
  /** A contact was created. */
  'contact.created': Contact;
  /** A person was erased. Whoever was told of them before is to forget them too. */
  'contact.erased': Contact;
  /** A merge was taken back. */
  'contact.merge_reverted': ContactMerge;
  /** Two contacts became one. */
  'contact.merged': ContactMerge;
  /** A contact is kept and not used until its privacy request says otherwise. */
  'contact.restricted': ContactRestriction;
  /** A privacy request no longer restricts a contact. Another may. */
  'contact.unrestricted': ContactRestriction;
  /** A contact was changed. */
  'contact.updated': Contact;
  /** A conversation was given to somebody, or to nobody. */
  'conversation.assigned': Conversation;
  /** A conversation was closed. */
  'conversation.closed': Conversation;
  /** A conversation went to another inbox, or out of its inbox. */
  'conversation.moved': Conversation;
  /** A customer wrote for the first time. */
  'conversation.opened': Conversation;
  /** A closed conversation goes on: a customer wrote again, or somebody opened it. */
  'conversation.reopened': Conversation;
  /** A part of an invoice was credited. */
  'credit_note.created': CreditNote;
  /** Something happened to a contact that the business told of itself. */
  'custom.event': CustomEvent;
  /** A flow is registered no more; it stays at the provider. */
  'flow.forgotten': Flow;
  /** A flow was registered. */
  'flow.registered': Flow;
  /** A flow changed. */
  'flow.updated': Flow;
  /** An inbox was created. */
  'inbox.created': Inbox;
  /** Somebody joined an inbox. */
  'inbox.member_added': InboxMember;
  /** Somebody left an inbox. */
  'inbox.member_removed': InboxMember;
  /** An inbox was changed. */
  'inbox.updated': Inbox;
  /** A period was closed, and what it left owed is being invoiced. */
  'invoice.created': Invoice;
  /** The invoice has its number and its document, and can be paid. */
  'invoice.issued': Invoice;
  /** Nothing of the invoice is outstanding any more. */
  'invoice.paid': Invoice;
  /** A payment failed, was taken back, or did not come in time. */
  'invoice.past_due': Invoice;
  /** The invoice was refused where it has to be registered. It can be submitted again. */
  'invoice.submission_failed': Invoice;
  /** The invoice was issued in error and counts no more. */
  'invoice.voided': Invoice;
  /** Nobody expects the invoice to be paid any more. */
  'invoice.written_off': Invoice;
  /** A legal hold stands: nothing it reaches is removed. */
  'legal_hold.placed': LegalHold;
  /** A legal hold was released: what it kept may be removed again. */
  'legal_hold.released': LegalHold;
  /** An application was approved: the fee is set aside, and the work begins. */
  'managed_application.approved': ManagedApplication;
  /** The business account and its number are connected, and the fee was taken. */
  'managed_application.completed': ManagedApplication;
  /** The work came to nothing; the fee was given back. */
  'managed_application.failed': ManagedApplication;
  /** The operator asks for something before it decides. */
  'managed_application.information_requested': ManagedApplication;
  /** The operator offers other prices or terms, which wait to be accepted. */
  'managed_application.quote_changed': ManagedApplication;
  /** The operator will not set the business up. */
  'managed_application.rejected': ManagedApplication;
  /** Somebody applied to be set up by the operator. */
  'managed_application.submitted': ManagedApplication;
  /** An application moved on, or what is told of it changed. */
  'managed_application.updated': ManagedApplication;
  /** An application was withdrawn before it was approved. */
  'managed_application.withdrawn': ManagedApplication;
  /** A file was deleted. */
  'media.deleted': Media;
  /** A file was kept long enough and is gone. */
  'media.expired': Media;
  /** A file was scanned and can be sent. */
  'media.ready': Media;
  /** A file was refused. */
  'media.rejected': Media;
  /** A message was canceled before it was handed over. */
  'message.canceled': Message;
  /** A message waits until its recipient may get it. */
  'message.deferred': Message;
  /** A message reached its recipient. */
  'message.delivered': Message;
  /** A message was not sent within its validity period. */
  'message.expired': Message;
  /** A message failed; data.error says why. */
  'message.failed': Message;
  /**
   * The final price of a message is known, after its delivery was told without it; data.price.final says what
   * it is.
   */
  'message.priced': Message;
  /** A message was accepted and waits for its turn. */
  'message.queued': Message;
  /** The recipient read a message. */
  'message.read': Message;
  /** A customer wrote. */
  'message.received': Message;
  /** A message was accepted for later. */
  'message.scheduled': Message;
  /** A message is being handed to the provider. */
  'message.sending': Message;
  /** The provider took a message. */
  'message.sent': Message;
  /** The provider's answer was lost; the message is not sent again, and its final status follows. */
  'message.unknown': Message;
  /** An asynchronous operation waits for somebody to act. Secret parts of the next action are left out. */
  'operation.action_required': Operation;
  /** An asynchronous operation was canceled. */
  'operation.canceled': Operation;
  /** An asynchronous operation is done. */
  'operation.completed': Operation;
  /** An asynchronous operation failed. */
  'operation.failed': Operation;
  /** The payment was called off before anything was paid. */
  'payment.canceled': PaymentIntent;
  /** A dispute was lost: the money stays away. */
  'payment.charged_back': PaymentIntent;
  /** A payment was asked for: a top-up, or the amount of an invoice. */
  'payment.created': PaymentIntent;
  /** The bank of whoever paid took the money back, until the dispute is decided. */
  'payment.disputed': PaymentIntent;
  /** Nobody paid in time. */
  'payment.expired': PaymentIntent;
  /** The money will not come: `failure` says why. */
  'payment.failed': PaymentIntent;
  /** The payer has done everything, and the money is on its way. */
  'payment.processing': PaymentIntent;
  /** Money that had gone back returned: the card could not take it. */
  'payment.refund_failed': PaymentIntent;
  /** Money of it went back, all or in part; `refunded` says how much by now. */
  'payment.refunded': PaymentIntent;
  /** A dispute was won, and the money is back. */
  'payment.reinstated': PaymentIntent;
  /** The money has come in. */
  'payment.succeeded': PaymentIntent;
  /** The operator gave the account another plan. */
  'plan.changed': AccountPlan;
  /** Four fifths of the month's messages are used. */
  'plan.quota_nearly_used': AccountPlan;
  /** The month's messages are used up: more are refused until the next month. */
  'plan.quota_used': AccountPlan;
  /** The limits of a portfolio changed. */
  'portfolio.updated': Portfolio;
  /** A privacy request is done. */
  'privacy_request.completed': PrivacyRequest;
  /** A person asked for something about their data. */
  'privacy_request.created': PrivacyRequest;
  /** An erasure waits until no legal hold covers the person any more. */
  'privacy_request.parked': PrivacyRequest;
  /** An erasure goes on: no legal hold covers the person any more. */
  'privacy_request.resumed': PrivacyRequest;
  /** An erasure was taken back before it began. */
  'privacy_request.withdrawn': PrivacyRequest;
  /** A receipt was issued for a top-up that was paid. */
  'receipt.created': ReceiptSummary;
  /** Our records and those of the provider differ about a message or its price. */
  'reconciliation_case.opened': ReconciliationCase;
  /** A case was settled: resolved or rejected. */
  'reconciliation_case.resolved': ReconciliationCase;
  /** More was found out about a case, or more messages belong to it. */
  'reconciliation_case.updated': ReconciliationCase;
  /** A refund was asked for; its money is set aside. */
  'refund.created': Refund;
  /** A refund did not go through, or came back; its money is where it was before. */
  'refund.failed': Refund;
  /** A refund went through. */
  'refund.succeeded': Refund;
  /** What was kept long enough was removed. */
  'retention.completed': RetentionRun;
  /** How long data is kept was changed. */
  'retention_policy.changed': RetentionPolicy;
  /** Somebody was given a role. */
  'role_binding.created': RoleBinding;
  /** A role was taken back. */
  'role_binding.revoked': RoleBinding;
  /** A segment was defined and cut. */
  'segment.created': {
    object: 'segment';
    sid: SegmentSid;
    accountSid: AccountSid;
    livemode: boolean;
    name: string;
    kind: 'DYNAMIC';
    filters: SegmentFilters | null;
    filterVersion: number;
    memberCount: number;
    materializedAt: string;
    deletedAt: string | null;
    createdAt: string;
    updatedAt: string;
  };
  /** A segment was deleted. */
  'segment.deleted': {
    object: 'segment';
    sid: SegmentSid;
    accountSid: AccountSid;
    livemode: boolean;
    name: string;
    kind: 'DYNAMIC';
    filters: SegmentFilters | null;
    filterVersion: number;
    memberCount: number;
    materializedAt: string;
    deletedAt: string | null;
    createdAt: string;
    updatedAt: string;
  };
  /** A segment was cut again with the filters it had. */
  'segment.refreshed': {
    object: 'segment';
    sid: SegmentSid;
    accountSid: AccountSid;
    livemode: boolean;
    name: string;
    kind: 'DYNAMIC';
    filters: SegmentFilters | null;
    filterVersion: number;
    memberCount: number;
    materializedAt: string;
    deletedAt: string | null;
    createdAt: string;
    updatedAt: string;
  };
  /** A segment was redefined and cut again. */
  'segment.updated': {
    object: 'segment';
    sid: SegmentSid;
    accountSid: AccountSid;
    livemode: boolean;
    name: string;
    kind: 'DYNAMIC';
    filters: SegmentFilters | null;
    filterVersion: number;
    memberCount: number;
    materializedAt: string;
    deletedAt: string | null;
    createdAt: string;
    updatedAt: string;
  };
  /** A sender can send. */
  'sender.connected': Sender;
  /** A sender was disconnected. */
  'sender.disconnected': Sender;
  /** A sender changed. */
  'sender.updated': Sender;
  /** A period was closed: what was paid in, what messages cost, and what is left. */
  'statement.created': Statement;
  /** An account was made below the account; told in the one above. */
  'subaccount.created': Account;
  /** A contact is left alone from now on. */
  'suppression.created': Suppression;
  /** A suppression was lifted. */
  'suppression.removed': Suppression;
  /** A suppression in force was made to last longer or to be mirrored. */
  'suppression.updated': Suppression;
  /** How the account is taxed in a currency was set. */
  'tax_profile.updated': TaxProfile;
  /** A template was approved. */
  'template.approved': Template;
  /** A template was archived. */
  'template.archived': Template;
  /** A template was made, or found at the provider. */
  'template.created': Template;
  /** A template was deleted. */
  'template.deleted': Template;
  /** A template was disabled. */
  'template.disabled': Template;
  /** A decision about a template is being appealed. */
  'template.in_appeal': Template;
  /** A template exceeded a limit of the provider. */
  'template.limit_exceeded': Template;
  /** A template was locked. */
  'template.locked': Template;
  /** A template was paused for its quality. */
  'template.paused': Template;
  /** A template is under review. */
  'template.pending': Template;
  /** A template is being deleted. */
  'template.pending_deletion': Template;
  /** A template was rejected. */
  'template.rejected': Template;
  /** A template was changed. */
  'template.updated': Template;
  /** A test, or the challenge that verifies an endpoint. */
  'test.ping': {
    object: 'ping';
    id: string;
    endpointSid: WebhookEndpointSid | null;
    challenge: string | null;
    sample?: {
      type: string;
      data: Record<string, unknown>;
    };
  };
  /** A business messaging account was connected. */
  'waba.connected': Waba;
  /** A connection ended. */
  'waba.disconnected': Waba;
  /** A business messaging account changed. */
  'waba.updated': Waba;
  /** What a wallet can spend fell below the threshold that was set for it. */
  'wallet.low_balance': Wallet;
  /** A wallet was suspended or made active again, or collecting what it owes came to another state. */
  'wallet.status_changed': Wallet;
  /** An endpoint kept failing and gets nothing until it is resumed. What it missed can be redelivered. */
  'webhook.suspended': WebhookEndpoint;
  /** A part of the service asks one endpoint, and it alone, for an answer. */
  'webhook_request.made': WebhookRequest;
  /** A workflow may be started again for a contact it was stopped for. */
  'workflow.contact_resumed': WorkflowContactStop;
  /** A workflow was stopped for one contact. */
  'workflow.contact_stopped': WorkflowContactStop;
  /** A workflow was deleted, with its versions and finished runs. */
  'workflow.deleted': Workflow;
  /** A workflow was published, or a newer version of it. */
  'workflow.published': Workflow;
  /** A workflow was stopped: nothing of it happens until it is published again. */
  'workflow.stopped': Workflow;
  /** A run came to its end. */
  'workflow_run.completed': WorkflowRun;
  /** A step of a run failed, and the run with it. */
  'workflow_run.failed': WorkflowRun;
  /** A run was stopped before its end; `outcome` says why. */
  'workflow_run.stopped': WorkflowRun;
  /** A run took longer than its workflow allows. */
  'workflow_run.timed_out': WorkflowRun;
};

export type EventType = keyof EventData;

/**
 * An event of one type. `object` stands in answers of the API, and not in what webhooks bring; `sample` in
 * what was sent to try an endpoint.
 */
export type EventOf<Type extends EventType> = {
  id: EventSid;
  apiVersion: string;
  occurredAt: string;
  createdAt: string;
  sequence: number;
  livemode: boolean;
  accountSid: AccountSid;
  subaccountSid: AccountSid | null;
  object?: 'event';
  sample?: true;
  type: Type;
  data: EventData[Type];
};

/** Any event. Types that came to the service later pass too: give a `switch` over `type` a `default`. */
export type Event = { [Type in EventType]: EventOf<Type> }[EventType];

export type EventList = {
  object: 'list';
  data: Event[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type EventSid = string;

export type ExplainWorkflowRequest = {
  eventSid: EventSid;
};

export type ExportContactsRequest = {
  format: ContactFileFormat;
  segmentSid?: SegmentSid;
  q?: string;
  identifier?: string;
  identifierType?: IdentifierType;
  scopeRef?: string;
};

export type FinishSamlSignInRequest = {
  SAMLResponse: string;
  RelayState: string;
};

export type Flow = {
  object: 'flow';
  sid: FlowSid;
  accountSid: AccountSid;
  livemode: boolean;
  wabaSid: WabaSid;
  providerFlowId: string;
  name: string;
  status: FlowStatus;
  statusChangedAt: string;
  exchangesData: boolean;
  deletedAt: string | null;
  createdAt: string;
  updatedAt: string;
};

export type FlowContent = {
  flowSid: FlowSid;
  body: string;
  ctaText: string;
  action?: 'navigate' | 'data_exchange' | Other;
  screen?: string;
  data?: Record<string, unknown>;
};

export type FlowList = {
  object: 'list';
  data: Flow[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type FlowSid = string;

export type FlowStatus = 'DRAFT' | 'PUBLISHED' | 'DEPRECATED' | 'BLOCKED' | 'THROTTLED' | Other;

export type GivenIdentifier = {
  identifierType: IdentifierType;
  value: string;
  scopeRef?: string | null;
};

export type HiddenWebhookHeader = {
  name: string;
  value: string;
};

export type Identifier = {
  identifierType: IdentifierType;
  value: string;
  scopeRef: string | null;
};

export type IdentifierType = 'phone_e164' | 'bsuid' | 'username' | Other;

export type IdentityProvider = {
  object: 'identity_provider';
  id: string;
  organizationId: string;
  protocol: IdentityProviderProtocol;
  providerKey: string;
  publicConfig: Record<string, unknown>;
  credentialRef: string | null;
  state: IdentityProviderState;
  reason: string;
  roleAccountSid: AccountSid | null;
  roleEnvironment: 'live' | 'sandbox' | 'both' | Other;
  urls: IdentityProviderUrls;
  verifiedAt: string | null;
  activatedAt: string | null;
  suspendedAt: string | null;
  createdBy: string;
  createdAt: string;
  updatedAt: string;
};

export type IdentityProviderList = {
  object: 'list';
  data: IdentityProvider[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type IdentityProviderProtocol = 'OIDC' | 'SAML' | 'SCIM' | 'WEBAUTHN' | 'TOTP' | Other;

export type IdentityProviderState = 'STAGED' | 'VERIFIED' | 'ACTIVE' | 'SUSPENDED' | Other;

export type IdentityProviderStateRequest = {
  reason: string;
  stepUpToken: string;
};

export type IdentityProviderUrls = {
  signIn: string | null;
  redirectUri: string | null;
  assertionConsumer: string | null;
  entityId: string | null;
  metadata: string | null;
  directory: string | null;
};

export type ImportContactsRequest = {
  format: ContactFileFormat;
  defaultCountry?: string;
  consent?: ImportedConsent;
  content?: string;
  mediaSid?: MediaSid;
  dryRun?: boolean;
};

export type ImportedConsent = {
  purpose: ConsentPurpose;
  status: ConsentStatus;
  evidenceRef?: string;
  expiresAt?: string;
  evidence?: {
    application?: string;
    campaignRef?: string;
    capturedAt?: string;
    proofRef?: string;
    reOptIn?: boolean;
    reason?: string;
    sourcePage?: string;
    withdrawnAt?: string;
    wording?: string;
    wordingVersion?: string;
  };
};

export type Inbox = {
  object: 'inbox';
  sid: InboxSid;
  accountSid: AccountSid;
  livemode: boolean;
  name: string;
  memberCount: number;
  createdAt: string;
  updatedAt: string;
};

export type InboxList = {
  object: 'list';
  data: Inbox[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type InboxMember = {
  object: 'inbox_member';
  accountSid: AccountSid;
  livemode: boolean;
  inboxSid: InboxSid;
  userSid: UserSid;
  createdAt: string;
};

export type InboxMemberList = {
  object: 'list';
  data: InboxMember[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type InboxSid = string;

export type Interactive = InteractiveButton | InteractiveList | InteractiveCtaUrl | InteractiveLocationRequest | InteractiveProductList | InteractiveAddress | InteractiveCarousel;

export type InteractiveAddress = {
  subtype: 'address';
  body: string;
  country: 'IN' | 'SG' | Other;
  values?: Record<string, string>;
  validationErrors?: Record<string, string>;
  savedAddresses?: SavedAddress[];
};

export type InteractiveButton = {
  subtype: 'button';
  body: string;
  footer?: string;
  buttons: Array<{
    id: string;
    title: string;
  }>;
};

export type InteractiveCarousel = {
  subtype: 'carousel';
  body: string;
  cards: CarouselCard[];
};

export type InteractiveCtaUrl = {
  subtype: 'cta_url';
  body: string;
  displayText: string;
  url: string;
};

export type InteractiveList = {
  subtype: 'list';
  body: string;
  footer?: string;
  button: string;
  sections: Array<{
    title?: string;
    rows: Array<{
      id: string;
      title: string;
      description?: string;
    }>;
  }>;
};

export type InteractiveLocationRequest = {
  subtype: 'location_request';
  body: string;
};

export type InteractiveProductList = {
  subtype: 'product_list';
  catalogId: string;
  header: string;
  body?: string;
  footer?: string;
  sections: ProductSection[];
};

export type InviteUserRequest = {
  email: string;
  displayName?: string;
  locale?: NotificationLocale;
};

export type Invoice = {
  object: 'invoice';
  sid: InvoiceSid;
  accountSid: AccountSid;
  livemode: boolean;
  number: string | null;
  state: InvoiceState;
  walletId: string;
  currency: string;
  periods: BillingPeriod[];
  lines: InvoiceLine[];
  subtotal: Money;
  balanceApplied: Money;
  taxLines: TaxLine[];
  total: Money;
  credited: Money;
  paid: Money;
  outstanding: Money;
  issuedAt: string | null;
  dueAt: string | null;
  hostedUrl: string | null;
  collection: InvoiceCollection;
  submission: InvoiceSubmission;
  createdAt: string;
  updatedAt: string;
};

export type InvoiceCollection = {
  attempts: number;
  nextAttemptAt: string | null;
  lastFailure: string | null;
};

export type InvoiceLine = {
  n: number;
  kind: 'usage' | 'fee' | 'adjustment' | 'payment_reversal' | 'balance_applied' | Other;
  description: string;
  quantity: number | null;
  unitPrice: Money | null;
  amount: Money;
  usage: InvoiceLineUsage | null;
  taxRef: string | null;
};

export type InvoiceLineUsage = {
  category: string | null;
  market: string | null;
  pricingType: string | null;
  transport: string | null;
};

export type InvoiceList = {
  object: 'list';
  data: Invoice[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type InvoicePreview = {
  object: 'invoice_preview';
  accountSid: AccountSid;
  livemode: boolean;
  walletId: string;
  currency: string;
  periods: BillingPeriod[];
  lines: InvoiceLine[];
  subtotal: Money;
  balanceApplied: Money;
  taxLines: TaxLine[];
  total: Money;
  notInvoiced: 'prepaid' | 'nothing_due' | 'below_minimum' | null | Other;
};

export type InvoiceSid = string;

export type InvoiceState = 'draft' | 'pending_provider' | 'open' | 'past_due' | 'paid' | 'void' | 'uncollectible' | 'failed' | Other;

export type InvoiceSubmission = {
  provider: string;
  reference: string | null;
  attempts: number;
  error: string | null;
};

export type InvoiceWithDocument = {
  object: 'invoice';
  sid: InvoiceSid;
  accountSid: AccountSid;
  livemode: boolean;
  number: string | null;
  state: InvoiceState;
  walletId: string;
  currency: string;
  periods: BillingPeriod[];
  lines: InvoiceLine[];
  subtotal: Money;
  balanceApplied: Money;
  taxLines: TaxLine[];
  total: Money;
  credited: Money;
  paid: Money;
  outstanding: Money;
  issuedAt: string | null;
  dueAt: string | null;
  hostedUrl: string | null;
  collection: InvoiceCollection;
  submission: InvoiceSubmission;
  createdAt: string;
  updatedAt: string;
  document: BillingDocument | null;
};

export type KeptStore = {
  store: string;
  why: string;
};

export type LegalHold = {
  object: 'legal_hold';
  id: string;
  accountSid: AccountSid;
  livemode: boolean;
  placedBy: LegalHoldOwner;
  state: LegalHoldState;
  scope: LegalHoldScope;
  caseRef: string;
  customerVisible: boolean;
  approvalSid: ApprovalSid | null;
  createdBy: string;
  placedAt: string | null;
  releasedAt: string | null;
  releasedBy: string | null;
  releaseCaseRef: string | null;
  createdAt: string;
  updatedAt: string;
};

export type LegalHoldList = {
  object: 'list';
  data: LegalHold[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type LegalHoldOwner = 'ACCOUNT' | 'PLATFORM' | Other;

export type LegalHoldScope = Record<string, unknown>;

export type LegalHoldState = 'PENDING' | 'STANDING' | 'RELEASED' | 'REFUSED' | Other;

export type LengthStep = {
  unit: 'millisecond';
  count: number;
};

export type LiftPrivacyRestrictionRequest = {
  reason: string;
  stepUpToken: string;
};

export type LimitUse = {
  limit: number | null;
  used: number;
};

export type LocationContent = {
  latitude: number;
  longitude: number;
  name?: string;
  address?: string;
};

export type LowBalanceAlert = {
  object: 'low_balance_alert';
  accountSid: AccountSid;
  livemode: boolean;
  currency: string;
  threshold: Money | null;
  armed: boolean;
  lastFiredAt: string | null;
};

export type LowBalanceAlertList = {
  object: 'list';
  data: LowBalanceAlert[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type ManagedAcceptedQuote = {
  fingerprint: string;
  termsVersion: string;
  acceptedBy: string;
  acceptedAt: string;
};

export type ManagedApplication = {
  object: 'managed_application';
  sid: ManagedApplicationSid;
  accountSid: AccountSid;
  livemode: boolean;
  state: ManagedApplicationState;
  displayName: string;
  country: string;
  numberSource: ManagedNumberSource;
  requestedNumber: string | null;
  website: string | null;
  documentSids: MediaSid[];
  informationRequest: string | null;
  reason: string | null;
  error: ManagedApplicationError | null;
  acceptedQuote: ManagedAcceptedQuote;
  offeredQuoteFingerprint: string | null;
  fee: ManagedApplicationFee;
  openTasks: ManagedTaskName[];
  operationSid: OperationSid | null;
  phoneNumber: string | null;
  wabaSid: WabaSid | null;
  senderSid: SenderSid | null;
  createdAt: string;
  updatedAt: string;
};

export type ManagedApplicationDetails = {
  legalName: string;
  instruction: string;
  representativeName: string | null;
  representativeEmail: string | null;
  registeredAddress: string | null;
  registrationNumber: string | null;
  taxId: string | null;
  handoverPhoneNumber: string | null;
  information: ManagedApplicationInformation[];
};

export type ManagedApplicationError = {
  code: string;
  message: string;
};

export type ManagedApplicationFee = {
  state: 'NONE' | 'HELD' | 'CAPTURED' | 'RELEASED' | Other;
  amount: Money;
};

export type ManagedApplicationInformation = {
  text: string;
  givenAt: string;
};

export type ManagedApplicationSid = string;

export type ManagedApplicationState = 'SUBMITTED' | 'IN_REVIEW' | 'INFORMATION_REQUESTED' | 'QUOTE_CHANGED' | 'APPROVED' | 'PROVISIONING' | 'PORTING' | 'COMPLETED' | 'REJECTED' | 'FAILED' | 'WITHDRAWN' | Other;

export type ManagedApplicationWithDetails = {
  object: 'managed_application';
  sid: ManagedApplicationSid;
  accountSid: AccountSid;
  livemode: boolean;
  state: ManagedApplicationState;
  displayName: string;
  country: string;
  numberSource: ManagedNumberSource;
  requestedNumber: string | null;
  website: string | null;
  documentSids: MediaSid[];
  informationRequest: string | null;
  reason: string | null;
  error: ManagedApplicationError | null;
  acceptedQuote: ManagedAcceptedQuote;
  offeredQuoteFingerprint: string | null;
  fee: ManagedApplicationFee;
  openTasks: ManagedTaskName[];
  operationSid: OperationSid | null;
  phoneNumber: string | null;
  wabaSid: WabaSid | null;
  senderSid: SenderSid | null;
  createdAt: string;
  updatedAt: string;
  detailsState: ManagedDetailsState;
  details: ManagedApplicationDetails | null;
};

export type ManagedDetailsState = 'OPEN' | 'WITHHELD' | 'UNREADABLE' | Other;

export type ManagedNumberSource = 'PORT' | 'PURCHASE' | Other;

export type ManagedOnboarding = {
  object: 'managed_onboarding';
  accountSid: AccountSid;
  livemode: boolean;
  permitted: boolean;
  reason: 'CLOSED' | 'CURRENCY_NOT_OFFERED' | null | Other;
  open: ManagedApplicationSid | null;
  applications: ManagedApplicationWithDetails[];
};

export type ManagedOnboardingQuote = {
  object: 'managed_onboarding_quote';
  accountSid: AccountSid;
  livemode: boolean;
  applicationSid: ManagedApplicationSid | null;
  numberSource: ManagedNumberSource;
  lines: ManagedOnboardingQuoteLine[];
  currency: string;
  dueOnApproval: Money;
  terms: ManagedOnboardingTerms;
  fingerprint: string;
  accepted: boolean;
};

export type ManagedOnboardingQuoteLine = {
  kind: 'SETUP' | 'NUMBER' | 'PORTING' | 'NUMBER_RENT' | Other;
  recurrence: 'ONCE' | 'MONTHLY' | Other;
  amountMinor: string;
  scale: number;
};

export type ManagedOnboardingTerms = {
  version: string;
  hash: string;
  text: string;
};

export type ManagedTaskName = 'ORDER_NUMBER' | 'PORT_NUMBER' | 'CREATE_ACCOUNT' | 'READ_CODE' | 'RELEASE_NUMBER' | Other;

export type Market = {
  market: string;
  countries: string[];
};

export type Me = {
  object: 'me';
  principal: PrincipalRef;
  accountSid: AccountSid | null;
  accountName: string | null;
  accountStatus: 'active' | 'suspended' | null | Other;
  parentAccountSid: AccountSid | null;
  organizationId: string;
  organizationName: string;
  livemode: boolean;
  region: string;
  scopes: string[];
  apiVersion: string;
  user?: User;
  accounts?: ReachableAccount[];
};

export type Media = {
  object: 'media';
  sid: MediaSid;
  accountSid: AccountSid;
  livemode: boolean;
  direction: 'OUTBOUND' | 'INBOUND' | Other;
  status: 'PENDING' | 'SCANNING' | 'READY' | 'REJECTED' | 'EXPIRED' | 'DELETED' | Other;
  type: 'IMAGE' | 'AUDIO' | 'VIDEO' | 'DOCUMENT' | 'STICKER' | null | Other;
  requestedType: RequestedMediaType;
  mimeType: string | null;
  declaredMime: string | null;
  filename: string | null;
  sizeBytes: number | null;
  sha256: string | null;
  sourceUrl: string | null;
  sendable: boolean;
  scan: {
    result: 'CLEAN' | 'REJECTED' | null | Other;
    scanner: string | null;
    scannedAt: string | null;
    reasons: MediaReason[];
  };
  expiresAt: string;
  createdAt: string;
  updatedAt: string;
};

export type MediaContent = {
  sid: MediaSid;
  caption?: string;
  filename?: string;
  voice?: boolean;
};

export type MediaList = {
  object: 'list';
  data: Media[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type MediaReason = {
  code: 'EMPTY' | 'TOO_LARGE' | 'UNSUPPORTED_TYPE' | 'TYPE_MISMATCH' | 'EXTENSION_MISMATCH' | 'CORRUPT' | 'POLYGLOT' | 'TOO_MANY_PIXELS' | 'UNSUPPORTED_FORM' | 'DECOMPRESSION_BOMB' | 'MACROS' | 'MALWARE' | 'SCANNER_UNAVAILABLE' | 'SCAN_FAILED' | 'FETCH_FAILED' | Other;
  message: string;
};

export type MediaSid = string;

export type MediaUpload = {
  object: 'media_upload';
  mediaSid: MediaSid;
  accountSid: AccountSid;
  livemode: boolean;
  handle: string;
  createdAt: string;
};

export type MergeContactRequest = {
  mergeContactSid: ContactSid;
  reason: string;
};

export type Message = {
  object: 'message';
  sid: MessageSid;
  accountSid: AccountSid;
  livemode: boolean;
  direction: MessageDirection;
  status: MessageStatus;
  from: SenderSid;
  senderPoolSid: SenderPoolSid | null;
  to: {
    identifierType: IdentifierType;
    value: string;
    contactSid: ContactSid;
  };
  conversationSid: ConversationSid | null;
  type: string;
  content: Record<string, unknown> | null;
  contentRemovedAt: string | null;
  text: Record<string, unknown> | null;
  contentSid: ContentSid | null;
  variables: Record<string, unknown> | null;
  context: Record<string, unknown> | null;
  category: MessageCategory | null;
  transport: MessageTransport | null;
  transportOptions: {
    ttlSeconds: number;
  } | null;
  priority: MessagePriority;
  price: MessagePrice | null;
  error: MessageError | null;
  providerMessageId: string | null;
  statusCallbackUrl: string | null;
  statusCallbackSid: WebhookEndpointSid | null;
  campaignSid: CampaignSid | null;
  workflowRunSid: WorkflowRunSid | null;
  metadata: Record<string, unknown>;
  tags: string[];
  createdAt: string;
  updatedAt: string;
  queuedAt: string | null;
  sendAt: string | null;
  validityPeriodSeconds: number | null;
  deferIfCapped: boolean;
  sentAt: string | null;
  deliveredAt: string | null;
  readAt: string | null;
  failedAt: string | null;
  canceledAt: string | null;
  expiresAt: string | null;
};

export type MessageAnalytics = {
  object: 'message_analytics';
  day: string | null;
  hour: string | null;
  direction: MessageDirection | null;
  senderSid: SenderSid | null;
  template: string | null;
  category: MessageCategory | null;
  country: string | null;
  campaignSid: CampaignSid | null;
  status: MessageStatus | null;
  errorCode: string | null;
  messages: number;
  costs: AnalyticsCost[];
};

export type MessageAnalyticsList = {
  object: 'list';
  data: MessageAnalytics[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type MessageBatch = {
  object: 'message_batch';
  accepted: number;
  refused: number;
  results: MessageBatchResult[];
};

export type MessageBatchResult = {
  index: number;
  message: Message | null;
  error: MessageRefusal | null;
};

export type MessageCategory = 'authentication' | 'utility' | 'marketing' | 'service' | Other;

export type MessageDirection = 'outbound' | 'inbound' | Other;

export type MessageError = {
  code: string;
  type: string;
  message: string;
  retryable: boolean;
  retryAfterSeconds: number | null;
  docUrl: string;
  providerCode: number | null;
};

export type MessageList = {
  object: 'list';
  data: Message[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type MessagePrice = {
  estimate: Money;
  final: Money | null;
  pricingType: PricingType;
  rateCardVersion: number;
};

export type MessagePriority = 'P0' | 'P1' | 'P2' | 'P3' | Other;

export type MessageQuote = {
  object: 'message_quote';
  accountSid: AccountSid;
  livemode: boolean;
  senderSid: SenderSid;
  recipient: {
    identifierType: QuoteIdentifierType;
    value: string;
  };
  category: BillingCategory;
  pricingType: PricingType;
  transport: BillingTransport;
  market: string;
  rateCardVersion: number;
  lines: Array<{
    kind: 'platform_fee' | 'provider_pass_through' | Other;
    price: Money;
  }>;
  total: Money;
  createdAt: string;
};

export type MessageRefusal = {
  code: string;
  type: string;
  message: string;
  retryable: boolean;
  retryAfterSeconds: number | null;
  docUrl: string;
  details: ErrorDetail[];
};

export type MessageSid = string;

export type MessageStatus = 'queued' | 'scheduled' | 'deferred' | 'sending' | 'unknown' | 'sent' | 'failed' | 'delivered' | 'read' | 'canceled' | 'expired' | 'received' | Other;

export type MessageTimeline = {
  object: 'message_timeline';
  messageSid: MessageSid;
  status: MessageStatus;
  entries: MessageTimelineEntry[];
};

export type MessageTimelineEntry = {
  kind: 'status' | 'attempt' | 'money' | 'delivery' | Other;
  at: string;
  status: string;
  attempt: number | null;
  code: string | null;
  providerCode: number | null;
  reason: string | null;
  durationMs: number | null;
  amount: Money | null;
  delivery: {
    deliverySid: WebhookDeliverySid;
    endpointSid: WebhookEndpointSid;
    eventSid: EventSid;
    eventType: string;
    httpStatus: number | null;
  } | null;
};

export type MessageTransport = 'cloud_api' | 'marketing_messages' | Other;

export type MessageTransportOptions = {
  ttlSeconds?: number;
};

export type MessageType = 'text' | 'template' | 'image' | 'video' | 'audio' | 'document' | 'sticker' | 'location' | 'contacts' | 'reaction' | 'interactive' | 'product' | 'catalog' | 'flow' | 'product_list' | 'address' | 'carousel' | Other;

export type MfaCredential = {
  object: 'mfa_credential';
  id: string;
  accountSid: AccountSid;
  livemode: boolean;
  userSid: UserSid;
  method: MfaMethod;
  providerKey: string;
  displayName: string | null;
  backedUp: boolean | null;
  disabled: boolean;
  usable: boolean;
  lastUsedAt: string | null;
  createdAt: string;
};

export type MfaCredentialList = {
  object: 'list';
  data: MfaCredential[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type MfaEnrollment = {
  object: 'mfa_enrollment';
  id: string;
  accountSid: AccountSid;
  livemode: boolean;
  method: MfaMethod;
  providerKey: string;
  displayName: string | null;
  ceremonyRef: string;
  publicKey: PublicKeyOptions | null;
  totp: {
    secret: string;
    uri: string;
  } | null;
  expiresAt: string;
  createdAt: string;
};

export type MfaMethod = 'WEBAUTHN' | 'TOTP' | Other;

export type MfaRecoveryCodes = {
  object: 'recovery_codes';
  accountSid: AccountSid;
  livemode: boolean;
  codes: string[];
  createdAt: string;
};

export type MfaReset = {
  object: 'mfa_reset';
  accountSid: AccountSid;
  livemode: boolean;
  userSid: UserSid;
  credentialsRemoved: number;
  recoveryCodesRemoved: number;
  sessionsEnded: number;
  resetAt: string;
};

export type MfaVerificationOptions = {
  object: 'mfa_verification_options';
  accountSid: AccountSid;
  livemode: boolean;
  action: string;
  factors: Array<{
    credentialId: string;
    method: MfaMethod;
    providerKey: string;
    displayName: string | null;
  }>;
  recoveryCodesLeft: number;
  publicKey: PublicKeyOptions | null;
  challenge: string | null;
  expiresAt: string | null;
};

export type Money = {
  amountMinor: string;
  currency: string;
  scale: number;
};

export type MonthStep = {
  unit: 'month';
  count: number;
  day: number;
};

export type MoveConversationRequest = {
  expectedVersion: number;
  inboxSid: InboxSid | null;
};

export type NamedTemplateExample = {
  paramName: string;
  example: string;
};

export type NewSenderPoolMember = {
  senderSid: SenderSid;
  weight?: number;
  priority?: number;
};

export type NextProviderVersion = {
  version: string;
  deprecationDate: string | null;
  datePrecision: DatePrecision | null;
  daysLeft: number | null;
};

export type Notification = {
  object: 'notification';
  id: string;
  accountSid: AccountSid;
  livemode: boolean;
  category: NotificationCategory;
  type: string;
  title: string;
  body: string;
  resource: string | null;
  count: number;
  readAt: string | null;
  createdAt: string;
  lastAt: string;
};

export type NotificationCategory = 'sender_health' | 'template_status' | 'action_required' | 'operation_complete' | 'security' | 'incident' | 'product_update' | 'billing' | 'conversation' | Other;

export type NotificationLanguage = {
  object: 'notification_language';
  accountSid: AccountSid;
  livemode: boolean;
  locale: 'en' | 'fr' | null | Other;
};

export type NotificationList = {
  object: 'list';
  data: Notification[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type NotificationLocale = 'en' | 'fr' | Other;

export type NotificationPreference = {
  category: NotificationCategory;
  email: boolean;
  inApp: boolean;
};

export type NotificationPreferences = {
  object: 'notification_preferences';
  accountSid: AccountSid;
  livemode: boolean;
  locale: 'en' | 'fr' | null | Other;
  categories: NotificationPreference[];
};

export type NotificationUnsubscribe = {
  object: 'notification_unsubscribe';
  categories: UnsubscribeCategory[];
};

export type NumberMigration = {
  object: 'number_migration';
  sid: OperationSid;
  accountSid: AccountSid;
  livemode: boolean;
  senderSid: SenderSid;
  phoneNumber: string;
  sourceWabaSid: WabaSid;
  destinationWabaSid: WabaSid;
  providerPhoneNumberId: string | null;
  state: NumberMigrationState;
  step: NumberMigrationStep;
  awaits: NumberMigrationAwaited | null;
  nextAction: NumberMigrationAction | null;
  cancelable: boolean;
  retryEligible: boolean;
  pinTriesLeft: number;
  validation: NumberMigrationValidation;
  impact: NumberMigrationImpact;
  caseRef: string;
  reason: string;
  error: NumberMigrationError | null;
  createdBy: string;
  createdAt: string;
  updatedAt: string;
};

export type NumberMigrationAction = {
  method: 'POST';
  url: string;
  expiresAt: string;
};

export type NumberMigrationAwaited = 'VERIFICATION_CODE' | 'REGISTRATION_PIN' | Other;

export type NumberMigrationEntry = {
  object: 'number_migration_entry';
  step: NumberMigrationStep;
  outcome: 'STARTED' | 'DONE' | 'REFUSED' | 'AWAITED' | 'RECEIVED' | 'PUT_OFF' | Other;
  detail: string | null;
  providerCode: number | null;
  createdBy: string;
  createdAt: string;
};

export type NumberMigrationEntryList = {
  object: 'list';
  data: NumberMigrationEntry[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type NumberMigrationError = {
  code: string;
  message: string;
};

export type NumberMigrationImpact = {
  queuedMessages: number;
  missingTemplates: {
    total: number;
    templates: Array<{
      name: string;
      language: string;
    }>;
  };
  missingFlows: {
    total: number;
    flows: Array<{
      sid: FlowSid;
      name: string;
    }>;
  };
  workflows: Array<{
    sid: WorkflowSid;
    name: string;
  }>;
};

export type NumberMigrationList = {
  object: 'list';
  data: NumberMigration[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type NumberMigrationState = 'PENDING' | 'RUNNING' | 'WAITING' | 'SUCCEEDED' | 'FAILED' | 'CANCELED' | Other;

export type NumberMigrationStep = 'ADD' | 'REQUEST_CODE' | 'VERIFY' | 'PAUSE' | 'REGISTER' | 'CUT_OVER' | 'SUBSCRIBE' | 'VALIDATE' | 'DONE' | Other;

export type NumberMigrationValidation = {
  contactSid: ContactSid;
  templateSid: TemplateSid;
  messageSid: MessageSid | null;
};

export type NumberMigrationWithHistory = {
  object: 'number_migration';
  sid: OperationSid;
  accountSid: AccountSid;
  livemode: boolean;
  senderSid: SenderSid;
  phoneNumber: string;
  sourceWabaSid: WabaSid;
  destinationWabaSid: WabaSid;
  providerPhoneNumberId: string | null;
  state: NumberMigrationState;
  step: NumberMigrationStep;
  awaits: NumberMigrationAwaited | null;
  nextAction: NumberMigrationAction | null;
  cancelable: boolean;
  retryEligible: boolean;
  pinTriesLeft: number;
  validation: NumberMigrationValidation;
  impact: NumberMigrationImpact;
  caseRef: string;
  reason: string;
  error: NumberMigrationError | null;
  createdBy: string;
  createdAt: string;
  updatedAt: string;
  history: NumberMigrationEntryList;
};

export type Operation = {
  object: 'operation';
  sid: OperationSid;
  accountSid: AccountSid;
  livemode: boolean;
  type: string;
  state: OperationState;
  progress: OperationProgress;
  cancelable: boolean;
  retryEligible: boolean;
  awaits: string | null;
  nextAction: Record<string, unknown> | null;
  result: Record<string, unknown> | null;
  error: OperationFailure | null;
  createdBy: string;
  startedAt: string | null;
  finishedAt: string | null;
  createdAt: string;
  updatedAt: string;
};

export type OperationChild = {
  object: 'operation_child';
  operationSid: OperationSid;
  accountSid: AccountSid;
  livemode: boolean;
  position: number;
  ref: string | null;
  state: 'PENDING' | 'SUCCEEDED' | 'FAILED' | 'CANCELED' | Other;
  result: Record<string, unknown> | null;
  error: OperationFailure | null;
  createdAt: string;
  updatedAt: string;
};

export type OperationChildList = {
  object: 'list';
  data: OperationChild[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type OperationFailure = {
  code: string;
  message: string;
};

export type OperationList = {
  object: 'list';
  data: Operation[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type OperationProgress = {
  done: number;
  failed: number;
  total: number | null;
  ratePerSecond: number | null;
  estimatedEndAt: string | null;
};

export type OperationResult = {
  object: 'operation_result';
  operationSid: OperationSid;
  accountSid: AccountSid;
  livemode: boolean;
  type: string;
  state: 'SUCCEEDED' | 'FAILED' | 'CANCELED' | Other;
  result: Record<string, unknown> | null;
  error: OperationFailure | null;
  finishedAt: string;
};

export type OperationSid = string;

export type OperationState = 'PENDING' | 'RUNNING' | 'WAITING' | 'SUCCEEDED' | 'FAILED' | 'CANCELED' | Other;

export type OptInForm = {
  object: 'opt_in_form';
  organizationName: string;
  purpose: OptInPurpose;
  consentText: string;
  wordingVersion: string;
  locale: 'en' | 'fr' | Other;
  defaultCountry: string | null;
};

export type OptInFormFields = {
  phone: string;
  name?: string;
  agreed?: string;
  ticket: string;
  website?: string;
  solution?: string;
};

export type OptInLink = {
  object: 'opt_in_link';
  sid: OptInLinkSid;
  accountSid: AccountSid;
  livemode: boolean;
  label: string;
  purpose: OptInPurpose;
  consentText: string;
  wordingVersion: string;
  defaultCountry: string | null;
  state: OptInLinkState;
  expiresAt: string | null;
  revokedAt: string | null;
  submissions: number;
  lastSubmittedAt: string | null;
  createdAt: string;
};

export type OptInLinkList = {
  object: 'list';
  data: OptInLink[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type OptInLinkSid = string;

export type OptInLinkState = 'ACTIVE' | 'EXPIRED' | 'REVOKED' | Other;

export type OptInPurpose = 'MARKETING' | 'TRANSACTIONAL' | 'SUPPORT' | Other;

export type OptInReceipt = {
  object: 'opt_in_receipt';
  phone: string;
  organizationName: string;
  purpose: OptInPurpose;
  wordingVersion: string;
  submittedAt: string;
  receipt: string;
  confirmation: {
    text: string;
    url: string;
  } | null;
};

export type OwnSession = {
  object: 'session';
  id: string;
  userSid: UserSid;
  organizationId: string;
  environment: Environment;
  livemode: boolean;
  methods: Array<'password' | 'oidc' | 'saml' | 'webauthn' | 'totp' | 'recovery_code' | Other>;
  enrollmentOnly: boolean;
  address: string;
  userAgent: string;
  createdAt: string;
  lastSeenAt: string;
  expiresAt: string;
  csrfToken: string;
  user: User;
};

export type PasswordRecovery = {
  object: 'password_recovery';
  status: 'accepted';
};

export type PasswordReset = {
  object: 'password_reset';
  status: 'completed';
  mfaRevoked: boolean;
};

export type PaymentCard = {
  brand: string;
  last4: string;
  expMonth: number;
  expYear: number;
};

export type PaymentFailure = {
  code: string;
  declineCode: string | null;
  message: string;
};

export type PaymentIntent = {
  object: 'payment_intent';
  id: string;
  accountSid: AccountSid;
  livemode: boolean;
  purpose: 'top_up' | 'invoice' | Other;
  state: PaymentState;
  amount: Money;
  net: Money;
  tax: Money;
  refunded: Money;
  disputed: Money;
  hostedUrl: string | null;
  card: PaymentCard | null;
  invoiceSid: InvoiceSid | null;
  receiptSid: ReceiptSid | null;
  failure: PaymentFailure | null;
  provider: 'stripe' | 'transfer' | Other;
  expiresAt: string | null;
  succeededAt: string | null;
  createdAt: string;
  updatedAt: string;
};

export type PaymentIntentList = {
  object: 'list';
  data: PaymentIntent[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type PaymentPage = {
  object: 'payment_page';
  state: 'open' | 'processing' | 'paid' | 'expired' | 'canceled' | 'failed' | Other;
  amount: Money;
};

export type PaymentState = 'created' | 'requires_action' | 'processing' | 'succeeded' | 'failed' | 'canceled' | 'expired' | 'partially_refunded' | 'refunded' | 'disputed' | 'charged_back' | Other;

export type PinnedProviderVersion = {
  version: string;
  deprecationDate: string | null;
  datePrecision: DatePrecision | null;
  daysLeft: number | null;
  servedVersion: string;
  evidence: ProviderContractEvidence | null;
};

export type PlanLimits = {
  monthlyMessages: number | null;
  sendsPerSecond: number | null;
  requestsPerSecond: number | null;
};

export type PlanUse = {
  monthStartsAt: string;
  monthEndsAt: string;
  messages: number | null;
  messagesLeft: number | null;
  sendsNow: number | null;
};

export type Portfolio = {
  object: 'portfolio';
  id: string;
  accountSid: AccountSid;
  livemode: boolean;
  name: string;
  providerBusinessId: string;
  limits: {
    messaging: {
      tier: 'TIER_50' | 'TIER_250' | 'TIER_2K' | 'TIER_10K' | 'TIER_100K' | 'TIER_UNLIMITED' | Other;
      limit: number | null;
      used: number;
      windowHours: number;
    };
    phoneNumbers: LimitUse;
    templates: Array<{
      wabaSid: WabaSid;
      limit: number | null;
      used: number;
    }>;
  };
  limitsUpdatedAt: string;
  createdAt: string;
  updatedAt: string;
};

export type PortfolioList = {
  object: 'list';
  data: Portfolio[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type PreferOnPhone = {
  senderSid: SenderSid;
  marketing: 'STOP' | 'RESUME';
};

export type Preflight = {
  object: 'preflight';
  accountSid: AccountSid;
  livemode: boolean;
  accepted: boolean;
  checks: PreflightCheck[];
  error: MessageRefusal | null;
  resolved: {
    senderSid: SenderSid | null;
    contactSid: ContactSid | null;
    identifier: Identifier | null;
    conversationSid: ConversationSid | null;
    category: MessageCategory;
    transport: MessageTransport;
    window: {
      open: boolean;
      expiresAt: string | null;
      freeUntil: string | null;
    };
  };
  cost: {
    total: Money;
    lines: Array<{
      kind: string;
      amount: Money;
    }>;
    pricingType: PricingType;
    market: string;
    rateCardVersion: number;
  } | null;
  wouldSendAt: string | null;
};

export type PreflightCheck = {
  gate: string;
  outcome: 'pass' | 'fail' | 'skip' | 'warn' | Other;
  code: string | null;
  message: string | null;
  evidence: Record<string, unknown>;
};

export type PressOnPhone = {
  messageId: string;
  button: string;
};

export type PreviewContactMergeRequest = {
  mergeContactSid: ContactSid;
};

export type PreviewContentRequest = {
  variables?: Record<string, string>;
};

export type PreviewSegmentRequest = {
  kind: 'DYNAMIC';
  contactSids?: ContactSid[];
  filters?: SegmentFilters;
};

export type PricingType = 'REGULAR' | 'FREE_CUSTOMER_SERVICE' | 'FREE_ENTRY_POINT' | Other;

export type PrincipalRef = {
  type: 'api_key' | 'user' | 'directory' | 'workflow' | 'system' | Other;
  ref: string;
};

export type PrivacyChanges = {
  attributes?: Record<string, unknown>;
  displayName?: string | null;
  locale?: string | null;
  timezone?: string | null;
};

export type PrivacyExport = {
  url: string;
  expiresAt: string;
};

export type PrivacyMention = {
  resource: string;
  sid: string;
};

export type PrivacyRequest = {
  object: 'privacy_request';
  sid: PrivacyRequestSid;
  accountSid: AccountSid;
  livemode: boolean;
  kind: PrivacyRequestKind;
  state: PrivacyRequestState;
  found: boolean;
  subject: PrivacyRequestSubject;
  reason: string | null;
  changedFields: string[] | null;
  operationSid: OperationSid | null;
  dueAt: string;
  overdue: boolean;
  startsAt: string | null;
  parkedBy: string[];
  counts: Record<string, number> | null;
  mentions: PrivacyMention[] | null;
  certificate: string | null;
  export: PrivacyExport | null;
  restriction: PrivacyRestriction | null;
  createdBy: string;
  completedAt: string | null;
  createdAt: string;
  updatedAt: string;
};

export type PrivacyRequestKind = 'ERASURE' | 'ACCESS' | 'PORTABILITY' | 'RECTIFICATION' | 'RESTRICTION' | Other;

export type PrivacyRequestList = {
  object: 'list';
  data: PrivacyRequest[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type PrivacyRequestSid = string;

export type PrivacyRequestState = 'PENDING' | 'IN_PROGRESS' | 'PARKED' | 'SETTLING' | 'COMPLETED' | 'WITHDRAWN' | 'ACTIVE' | 'LIFTED' | Other;

export type PrivacyRequestSubject = {
  contactSid: ContactSid | null;
};

export type PrivacyRestriction = {
  active: boolean;
  liftedAt: string | null;
  liftedBy: string | null;
};

export type PrivacySubject = Record<string, unknown>;

export type ProductContent = {
  catalogId: string;
  productRetailerId: string;
  body?: string;
  footer?: string;
};

export type ProductItem = {
  productRetailerId: string;
};

export type ProductList = {
  subtype?: 'product_list';
  catalogId: string;
  header: string;
  body?: string;
  footer?: string;
  sections: ProductSection[];
};

export type ProductSection = {
  title: string;
  productItems: ProductItem[];
};

export type ProviderCapability = {
  object: 'provider_capability';
  accountSid: AccountSid;
  livemode: boolean;
  name: ProviderCapabilityName;
  status: ProviderCapabilityStatus;
  wabaSid: WabaSid | null;
  senderSid: SenderSid | null;
  sinceVersion: string | null;
  untilVersion: string | null;
  reason: string | null;
  errorCode: string | null;
  evidence: {
    source: 'PROVIDER' | 'CONFIGURATION' | 'REVIEWED_FACTS' | Other;
    observedAt: string;
  };
};

export type ProviderCapabilityList = {
  object: 'list';
  data: ProviderCapability[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type ProviderCapabilityName = 'EMBEDDED_SIGNUP' | 'PARTNER_BILLING' | 'BSUID_RECIPIENTS' | 'USERNAME_RECIPIENTS' | 'CONVERSATION_REPORTS' | 'PORTFOLIO_LIMIT_REPORTS' | 'TEMPLATE_MANAGEMENT' | 'MARKETING_MESSAGES' | 'PRODUCT_MESSAGES' | 'SERVICE_WINDOW_MESSAGES' | 'OPENING_TEMPLATES' | 'UTILITY_TEMPLATES' | 'FLOW_DATA_EXCHANGE' | 'NUMBER_MIGRATION' | Other;

export type ProviderCapabilityStatus = 'AVAILABLE' | 'LIMITED' | 'UNAVAILABLE' | 'PLANNED' | Other;

export type ProviderChange = {
  object: 'provider_change';
  accountSid: AccountSid;
  livemode: boolean;
  id: string;
  kind: ProviderChangeKind;
  title: TextByLanguage;
  date: string;
  datePrecision: DatePrecision;
  affects: string[];
  relevant: boolean;
  because: TextByLanguage;
  actionRequired: boolean;
  action: TextByLanguage | null;
  source: string;
  revisedAt: string;
};

export type ProviderChangeKind = 'VERSION_RELEASED' | 'VERSION_ENDS' | 'BREAKING' | 'PRICING' | 'POLICY' | 'FEATURE' | Other;

export type ProviderChangeList = {
  object: 'list';
  data: ProviderChange[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type ProviderContractEvidence = {
  id: string;
  version: string;
  against: 'simulator' | 'provider' | Other;
  suiteCommit: string | null;
  suiteDigest: string;
  startedAt: string;
  finishedAt: string;
  passed: number;
  leftOut: number;
  failed: ProviderContractFailure[];
  digest: string;
};

export type ProviderContractFailure = {
  check: string;
  expected: string;
  got: string;
};

export type ProviderStatementAutomation = {
  provider: string;
  wabaSid: WabaSid;
  nextPeriodStart: string;
  nextPeriodEnd: string;
};

export type ProviderVersion = {
  version: string;
  releaseDate: string;
  releaseDatePrecision: DatePrecision;
  deprecationDate: string | null;
  datePrecision: DatePrecision | null;
  daysLeft: number | null;
  ended: boolean;
};

export type ProviderVersionCalendar = {
  object: 'provider_version_calendar';
  accountSid: AccountSid;
  livemode: boolean;
  environments: ProviderVersionsOfEnvironment[];
  calendar: ProviderVersion[];
  revisedAt: string;
};

export type ProviderVersionsOfEnvironment = {
  environment: 'live' | 'sandbox' | Other;
  pinned: PinnedProviderVersion;
  next: NextProviderVersion | null;
  canary: CanaryProviderVersion | null;
};

export type PublicKeyOptions = {
  challenge: string;
  [name: string]: unknown;
};

export type PublicPricing = {
  object: 'pricing';
  rateCardVersion: number;
  effectiveFrom: string;
  defaultMarket: string;
  markets: Market[];
  rates: Rate[];
};

export type QuoteIdentifierType = 'PHONE_E164' | 'BSUID' | 'USERNAME' | Other;

export type QuoteMessageRequest = {
  category: string;
  identifierType: QuoteIdentifierType;
  recipient: string;
  senderSid: SenderSid;
  transport?: BillingTransport;
};

export type Rate = {
  category: BillingCategory;
  pricingType: PricingType;
  transport: BillingTransport;
  market: string;
  price: Money;
};

export type RateCard = {
  object: 'rate_card';
  accountSid: AccountSid;
  livemode: boolean;
  version: number;
  effectiveFrom: string;
  currency: string;
  defaultMarket: string;
  markets: Market[];
  rates: Rate[];
  passThroughRates: Rate[];
};

export type ReachableAccount = {
  accountSid: AccountSid;
  accountName: string;
  accountStatus: 'active' | 'suspended' | Other;
  parentAccountSid: AccountSid | null;
  region: string;
  scopes: string[];
};

export type ReactionContent = {
  targetMessageId: string;
  emoji: string;
};

export type Receipt = {
  object: 'receipt';
  sid: ReceiptSid;
  accountSid: AccountSid;
  livemode: boolean;
  number: string;
  paymentIntentId: string;
  net: Money;
  taxLines: TaxLine[];
  total: Money;
  card: PaymentCard | null;
  createdAt: string;
  document: BillingDocument;
};

export type ReceiptKey = {
  kty: 'EC';
  crv: 'P-256';
  x: string;
  y: string;
  kid: string;
  alg: 'ES256';
  use: 'sig';
};

export type ReceiptKeySet = {
  keys: ReceiptKey[];
};

export type ReceiptSid = string;

export type ReceiptSummary = {
  object: 'receipt';
  sid: ReceiptSid;
  accountSid: AccountSid;
  livemode: boolean;
  number: string;
  paymentIntentId: string;
  net: Money;
  taxLines: TaxLine[];
  total: Money;
  card: PaymentCard | null;
  createdAt: string;
};

export type ReceiptSummaryList = {
  object: 'list';
  data: ReceiptSummary[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type ReconcileSubscriptionRequest = {
  caseRef: string;
  reason: string;
};

export type ReconciliationBucket = {
  senderSid: SenderSid | null;
  phoneNumber: string | null;
  day: string;
  country: string | null;
  category: string | null;
  pricingType: string | null;
};

export type ReconciliationCase = {
  object: 'reconciliation_case';
  sid: ReconciliationCaseSid;
  accountSid: AccountSid;
  livemode: boolean;
  state: ReconciliationCaseState;
  outcome: ReconciliationCaseOutcome;
  source: 'callback' | 'message_history' | 'analytics' | 'itemised_file' | Other;
  wabaSid: WabaSid | null;
  bucket: ReconciliationBucket | null;
  messageSids: MessageSid[];
  messageCount: number;
  expected: ReconciliationFigure;
  reported: ReconciliationFigure;
  difference: ReconciliationFigure | null;
  findings: ReconciliationFinding[];
  resolution: ReconciliationResolution | null;
  version: number;
  createdAt: string;
  updatedAt: string;
};

export type ReconciliationCaseList = {
  object: 'list';
  data: ReconciliationCase[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type ReconciliationCaseOutcome = 'amount_mismatch' | 'missing_platform_event' | 'unexpected_provider_charge' | 'missing_provider_status' | Other;

export type ReconciliationCaseSid = string;

export type ReconciliationCaseState = 'open' | 'investigating' | 'resolved' | 'rejected' | Other;

export type ReconciliationFigure = {
  messages: number;
  amount: Money | null;
};

export type ReconciliationFinding = {
  at: string;
  text: string;
  messageSid: MessageSid | null;
};

export type ReconciliationResolution = {
  decision: 'resolved' | 'rejected' | Other;
  reason: string;
  evidence: Record<string, unknown>;
  decidedBy: string;
  decidedAt: string;
  adjusted: Money | null;
};

export type ReconnectWabaRequest = {
  caseRef: string;
  reason: string;
  stepUpToken: string;
};

export type RecoverPasswordRequest = {
  email: string;
  captcha?: string;
};

export type RedeliverEventRequest = {
  endpointSid?: WebhookEndpointSid;
};

export type RedeliverEventsRequest = {
  eventSids: EventSid[];
  endpointSid?: WebhookEndpointSid;
};

export type Refund = {
  object: 'refund';
  id: string;
  accountSid: AccountSid;
  livemode: boolean;
  state: RefundState;
  reason: RefundReason;
  amount: Money;
  paymentIntentId: string;
  invoiceSid: InvoiceSid | null;
  approvalSid: ApprovalSid;
  operationSid: OperationSid;
  failure: string | null;
  createdBy: string;
  createdAt: string;
  updatedAt: string;
};

export type RefundList = {
  object: 'list';
  data: Refund[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type RefundReason = 'duplicate' | 'fraudulent' | 'requested_by_customer' | Other;

export type RefundState = 'pending' | 'submitted' | 'unknown' | 'succeeded' | 'failed' | Other;

export type RegisterFlowRequest = {
  wabaSid?: WabaSid;
  providerFlowId: string;
};

export type RejectApprovalRequest = {
  reason: string;
};

export type RejectManagedApplicationRequest = {
  reason: string;
};

export type ReleaseLegalHoldRequest = {
  caseRef: string;
  stepUpToken?: string;
};

export type RemediatePricingRequest = {
  signature: string;
  stepUpToken: string;
  pricing: RemediationPricing;
};

export type RemediationPricing = {
  billable: boolean;
  category: string;
  customerCurrency: string;
  market: string;
  pricingModel: string;
  pricingType: PricingType;
  providerEvidence: Record<string, unknown>;
  transport: string;
};

export type ReplayEventsRequest = {
  endpointSid: WebhookEndpointSid;
  fromSequence: number;
  toSequence: number;
  unacknowledgedOnly?: boolean;
};

export type RequestManagedInformationRequest = {
  request: string;
};

export type RequestMigrationCodeRequest = {
  caseRef: string;
  reason: string;
  method: 'SMS' | 'VOICE';
  stepUpToken: string;
};

export type RequestRefundRequest = {
  reason: RefundReason;
  amountMinor?: string;
  currency?: string;
  scale?: number;
  invoiceSid?: InvoiceSid;
  paymentIntentId?: string;
};

export type RequestedMediaType = 'AUTO' | 'IMAGE' | 'AUDIO' | 'VIDEO' | 'DOCUMENT' | 'STICKER' | Other;

export type RequoteManagedApplicationRequest = {
  lines?: RequotedLines;
  reason: string;
};

export type RequotedLines = {
  setup: string;
  number: string;
  rent: string;
};

export type ResetPasswordRequest = {
  token: string;
  newPassword: string;
};

export type ResolveContactConflictRequest = {
  action: 'merge' | 'dismiss';
};

export type ResolveReconciliationCaseRequest = {
  evidence: Record<string, unknown>;
  reason: string;
  resolution: 'resolved' | 'rejected';
};

export type Restriction = {
  type: string;
  expiresAt: string | null;
};

export type ResubmitInvoiceRequest = {
  stepUpToken: string;
};

export type ResumeAccountRequest = {
  reason: string;
  stepUpToken: string;
};

export type RetentionCutoffs = {
  messageContent: string | null;
  messageMetadata: string | null;
  analytics: string | null;
};

export type RetentionHeldBack = {
  messageContents: number;
  messages: number;
};

export type RetentionNextRun = {
  at: string;
  removes: RetentionRemoval;
  heldBack: RetentionHeldBack;
  exact: boolean;
};

export type RetentionPolicy = {
  object: 'retention_policy';
  accountSid: AccountSid;
  livemode: boolean;
  messageContentDays: number | null;
  messageMetadataMonths: number | null;
  analyticsMonths: number | null;
  effectiveFrom: string | null;
  inForce: RetentionWindows;
  nextRunAt: string | null;
  operationSid: OperationSid | null;
  updatedAt: string | null;
};

export type RetentionPreview = {
  object: 'retention_preview';
  accountSid: AccountSid;
  livemode: boolean;
  cutoffs: RetentionCutoffs;
  removes: RetentionRemoval;
  heldBack: RetentionHeldBack;
  exact: boolean;
  asOf: string;
};

export type RetentionRemoval = {
  messageContents: number;
  messages: number;
  mediaFiles: number;
  mediaBytes: number;
  analyticsDays: number;
};

export type RetentionRun = {
  object: 'retention_run';
  operationSid: OperationSid;
  accountSid: AccountSid;
  livemode: boolean;
  removed: RetentionRemoval;
};

export type RetentionWindows = {
  messageContentDays: number | null;
  messageMetadataMonths: number | null;
  analyticsMonths: number | null;
};

export type RetryWebhookDeliveriesRequest = {
  deliverySids?: WebhookDeliverySid[];
  state?: 'pending' | 'failed';
};

export type RevealManagedDetailsRequest = {
  reason: string;
  stepUpToken: string;
};

export type RevealedManagedApplicationDetails = {
  object: 'managed_application_details';
  applicationSid: ManagedApplicationSid;
  accountSid: AccountSid;
  livemode: boolean;
  detailsState: ManagedDetailsState;
  details: ManagedApplicationDetails | null;
};

export type RevertBillingModeSwitchRequest = {
  idempotencyKey: string;
  reason: 'customer_disconnected';
};

export type RevokeRoleBindingRequest = {
  reason: string;
  stepUpToken: string;
};

export type Role = {
  object: 'role';
  role: string;
  summary: string;
  scopes: string[];
  grantable: boolean;
};

export type RoleBinding = {
  object: 'role_binding';
  id: string;
  organizationId: string;
  accountSid: AccountSid | null;
  inboxSid: InboxSid | null;
  principalType: RolePrincipalType;
  principalRef: string;
  role: string;
  scopeKind: RoleScopeKind;
  environment: 'live' | 'sandbox' | 'both' | Other;
  source: string;
  createdBy: string;
  expiresAt: string | null;
  revokedAt: string | null;
  revokedBy: string | null;
  revokeReason: string | null;
  createdAt: string;
};

export type RoleBindingList = {
  object: 'list';
  data: RoleBinding[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type RoleList = {
  object: 'list';
  data: Role[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type RolePrincipalType = 'USER' | 'API_KEY' | Other;

export type RoleScopeKind = 'ORGANIZATION' | 'ACCOUNT' | 'SUBACCOUNT' | 'INBOX' | Other;

export type RotateApiKeyRequest = {
  stepUpToken?: string;
};

export type RotateWebhookSecretRequest = {
  expiresAt?: string;
  stepUpToken?: string;
};

export type SandboxPhone = {
  object: 'sandbox_phone';
  accountSid: AccountSid;
  livemode: boolean;
  phoneNumber: string;
  name: string | null;
  senderSids: SenderSid[];
  lastMessageAt: string;
};

export type SandboxPhoneButton = {
  id: string;
  kind: 'REPLY' | 'LINK' | 'CALL' | 'CODE' | 'OTHER' | Other;
  title: string;
};

export type SandboxPhoneCard = {
  header: string | null;
  body: string | null;
  buttons: SandboxPhoneButton[];
};

export type SandboxPhoneList = {
  object: 'list';
  data: SandboxPhone[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type SandboxPhoneMessage = {
  id: string;
  senderSid: SenderSid;
  messageSid: MessageSid | null;
  writtenBy: 'CUSTOMER' | 'BUSINESS' | Other;
  type: string;
  state: 'ACCEPTED' | 'SENT' | 'DELIVERED' | 'READ' | 'PLAYED' | 'FAILED' | 'DROPPED' | null | Other;
  answers: string | null;
  header: string | null;
  body: string | null;
  buttons: SandboxPhoneButton[];
  footer: string | null;
  cards: SandboxPhoneCard[];
  at: string;
};

export type SandboxPhoneScreen = {
  object: 'sandbox_phone_screen';
  accountSid: AccountSid;
  livemode: boolean;
  phoneNumber: string;
  name: string | null;
  marketingStoppedFor: SenderSid[];
  messages: SandboxPhoneMessage[];
};

export type SavedAddress = {
  id: string;
  value: Record<string, string>;
};

export type Segment = {
  object: 'segment';
  sid: SegmentSid;
  accountSid: AccountSid;
  livemode: boolean;
  name: string;
  kind: 'DYNAMIC';
  contactSids: ContactSid[] | null;
  filters: SegmentFilters | null;
  filterVersion: number;
  memberCount: number;
  materializedAt: string;
  deletedAt: string | null;
  createdAt: string;
  updatedAt: string;
};

export type SegmentFilters = {
  attributes?: Record<string, unknown>;
  consent?: Record<string, unknown>;
  createdAfter?: string;
  displayNameContains?: string;
  localeIn?: string[];
  suppressed?: boolean;
  timezoneIn?: string[];
};

export type SegmentList = {
  object: 'list';
  data: Segment[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type SegmentMember = {
  object: 'segment_member';
  segmentSid: SegmentSid;
  contactSid: ContactSid;
  accountSid: AccountSid;
  livemode: boolean;
  provenance: {
    filterVersion: number;
    matchedAt: string;
    matched: string[];
    consentSid: ConsentSid | null;
  };
};

export type SegmentMemberList = {
  object: 'list';
  data: SegmentMember[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type SegmentPreview = {
  object: 'segment_preview';
  accountSid: AccountSid;
  livemode: boolean;
  kind: 'DYNAMIC';
  count: number;
  sample: ContactSid[];
  asOf: string;
};

export type SegmentSid = string;

export type SegmentWhyNot = {
  object: 'segment_why_not';
  segmentSid: SegmentSid;
  accountSid: AccountSid;
  livemode: boolean;
  judged: number;
  reached: number;
  reasons: WhyNotCount[];
  members: WhyNotMember[];
  nextAfter: ContactSid | null;
};

export type SegmentWhyNotRequest = {
  message: WhyNotMessage;
  contactSids?: ContactSid[];
  after?: ContactSid;
  limit?: number;
};

export type SendMessageRequest = {
  conversationSid?: ConversationSid;
  composerClaimToken?: string;
  composerOverrideReason?: string;
  from?: SenderSid;
  senderPoolSid?: SenderPoolSid;
  to?: string;
  recipient?: {
    identifierType: IdentifierType;
    value: string;
  };
  contactSid?: ContactSid;
  defaultCountry?: string;
  type?: MessageType;
  contentSid?: ContentSid;
  variables?: Record<string, string>;
  text?: TextContent;
  template?: TemplateContent;
  media?: MediaContent;
  location?: LocationContent;
  contacts?: ContactsContent;
  reaction?: ReactionContent;
  interactive?: Interactive;
  product?: ProductContent;
  catalog?: CatalogContent;
  flow?: FlowContent;
  productList?: ProductList;
  address?: Address;
  carousel?: Carousel;
  context?: {
    replyToMessageId?: MessageSid;
    providerMessageId?: string;
  };
  priority?: MessagePriority;
  sendAt?: string;
  validityPeriodSeconds?: number;
  transport?: MessageTransport;
  transportOptions?: MessageTransportOptions;
  deferIfCapped?: boolean;
  category?: MessageCategory;
  statusCallbackUrl?: string;
  statusCallbackSid?: WebhookEndpointSid;
  metadata?: Record<string, string>;
  tags?: string[];
};

export type SendMessagesRequest = {
  messages: SendMessageRequest[];
};

export type SendWebhookSampleRequest = {
  eventType: string;
};

export type Sender = {
  object: 'sender';
  sid: SenderSid;
  accountSid: AccountSid;
  livemode: boolean;
  wabaSid: WabaSid | null;
  phoneNumber: string;
  providerPhoneNumberId: string | null;
  displayName: string;
  nameStatus: string | null;
  status: SenderStatus;
  statusChangedAt: string;
  ready: boolean;
  quality: SenderQuality;
  verificationStatus: string | null;
  onBusinessApp: boolean;
  flowKey: 'VALID' | 'MISMATCH' | 'NONE' | null | Other;
  throughput: {
    level: string;
    messagesPerSecond: number;
  };
  pairRate: {
    secondsPerMessage: number;
    burst: number;
  };
  restrictions: Restriction[];
  createdAt: string;
  updatedAt: string;
};

export type SenderInbox = {
  object: 'sender_inbox';
  accountSid: AccountSid;
  livemode: boolean;
  senderSid: SenderSid;
  inboxSid: InboxSid;
  createdAt: string;
  updatedAt: string;
};

export type SenderInboxList = {
  object: 'list';
  data: SenderInbox[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type SenderList = {
  object: 'list';
  data: Sender[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type SenderPool = {
  object: 'sender_pool';
  sid: SenderPoolSid;
  accountSid: AccountSid;
  livemode: boolean;
  name: string;
  members: SenderPoolMember[];
  deletedAt: string | null;
  createdAt: string;
  updatedAt: string;
};

export type SenderPoolList = {
  object: 'list';
  data: SenderPool[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type SenderPoolMember = {
  senderSid: SenderSid;
  weight: number;
  priority: number;
  status: SenderStatus;
  assignedContacts: number;
};

export type SenderPoolSid = string;

export type SenderQuality = 'GREEN' | 'YELLOW' | 'RED' | 'UNKNOWN' | Other;

export type SenderSid = string;

export type SenderStatus = 'CONNECTED' | 'DISCONNECTED' | 'PENDING' | 'UNVERIFIED' | 'FLAGGED' | 'RESTRICTED' | 'RATE_LIMITED' | 'BANNED' | 'DELETED' | 'MIGRATED' | Other;

export type SenderStatusChange = {
  object: 'sender_status_change';
  senderSid: SenderSid;
  accountSid: AccountSid;
  livemode: boolean;
  status: SenderStatus;
  previousStatus: SenderStatus | null;
  quality: SenderQuality;
  reason: string;
  occurredAt: string;
  createdAt: string;
};

export type SenderStatusChangeList = {
  object: 'list';
  data: SenderStatusChange[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type SentWebhookRequest = {
  method: 'POST';
  url: string;
  headers: Record<string, string>;
  body: string;
};

export type ServiceWindow = {
  object: 'service_window';
  accountSid: AccountSid;
  livemode: boolean;
  senderSid: SenderSid;
  contactSid: ContactSid;
  open: boolean;
  openedAt: string | null;
  lastInboundAt: string | null;
  expiresAt: string | null;
  freeUntil: string | null;
  createdAt: string | null;
  updatedAt: string | null;
};

export type Session = {
  object: 'session';
  id: string;
  userSid: UserSid;
  organizationId: string;
  environment: Environment;
  livemode: boolean;
  methods: Array<'password' | 'oidc' | 'saml' | 'webauthn' | 'totp' | 'recovery_code' | Other>;
  enrollmentOnly: boolean;
  address: string;
  userAgent: string;
  createdAt: string;
  lastSeenAt: string;
  expiresAt: string;
  current: boolean;
};

export type SessionList = {
  object: 'list';
  data: Session[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type SessionRevocation = {
  object: 'session_revocation';
  accountSid: AccountSid;
  livemode: boolean;
  userSid: UserSid;
  revoked: number;
  revokedAt: string;
};

export type SetAuthPolicyRequest = {
  autoDisableInactiveApiKeys: boolean;
  mfaRequiredForAllRoles: boolean;
  passwordLoginEnabled: boolean;
  recoveryRevokesMfa: boolean;
  sessionAbsoluteTimeoutHours: number;
  sessionIdleTimeoutMinutes: number;
  ssoEnforced: boolean;
  expectedVersion: number;
  stepUpToken: string;
};

export type SetBillingAutomationRequest = {
  currency: string;
  nextPeriodStart: string;
  nextPeriodEnd: string;
  collection: {
    paymentIntentId: string;
    retryDelaysHours: number[];
    stepUpToken: string;
  };
  providerStatement?: ProviderStatementAutomation;
};

export type SetBudgetRequest = {
  monthly: string | null;
};

export type SetLowBalanceAlertRequest = {
  threshold: string | null;
};

export type SetManagedHandoverPhoneRequest = {
  handoverPhoneNumber: string;
};

export type SetNotificationLanguageRequest = {
  locale: 'en' | 'fr' | null;
};

export type SetNotificationPreferenceRequest = {
  category: NotificationCategory;
  email: boolean;
  inApp: boolean;
};

export type SetRetentionPolicyRequest = {
  messageContentDays: number | null;
  messageMetadataMonths: number | null;
  analyticsMonths?: number;
  stepUpToken?: string;
};

export type SetSenderPoolMemberRequest = {
  weight?: number;
  priority?: number;
};

export type SetTaxProfileRequest = {
  currency: string;
  invoiceProvider: string;
  taxCode: string;
  taxJurisdiction: string;
  taxProvider: string;
  reason: string;
  stepUpToken: string;
};

export type SetWebhookHeadersRequest = {
  headers: WebhookHeader[];
  stepUpToken?: string;
};

export type SignIn = {
  object: 'sign_in';
  status: 'signed_in' | 'second_factor_required' | Other;
  session: OwnSession | null;
  signInToken: string | null;
  methods: Array<'WEBAUTHN' | 'TOTP' | 'RECOVERY_CODE' | Other>;
  webauthn: Record<string, unknown> | null;
};

export type SignInChallenge = {
  object: 'challenge';
  parameters: Record<string, unknown>;
  signature: string;
  expiresAt: string;
};

export type SignInRequest = {
  email: string;
  password: string;
  environment?: Environment;
  captcha?: string;
};

export type SignInSecondFactorRequest = {
  signInToken: string;
  method: 'WEBAUTHN' | 'TOTP' | 'RECOVERY_CODE';
  assertion: string;
  challenge?: string;
  providerKey?: string;
};

export type SigningKey = {
  kty: 'OKP' | 'EC' | Other;
  crv: 'Ed25519' | 'P-256' | Other;
  x: string;
  y?: string;
  kid: string;
  alg: 'EdDSA' | 'ES256' | Other;
  use: 'sig';
};

export type SigningKeySet = {
  keys: SigningKey[];
};

export type Statement = {
  object: 'statement';
  sid: StatementSid;
  accountSid: AccountSid;
  livemode: boolean;
  number: string;
  walletId: string;
  period: BillingPeriod;
  opening: Money;
  movements: StatementMovement[];
  closing: Money;
  usage: StatementUsage[];
  documents: StatementDocument[];
  createdAt: string;
};

export type StatementDocument = {
  kind: 'invoice' | 'credit_note' | 'receipt' | Other;
  number: string;
  total: Money;
};

export type StatementList = {
  object: 'list';
  data: Statement[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type StatementMovement = {
  kind: string;
  amount: Money;
};

export type StatementSid = string;

export type StatementUsage = {
  category: string | null;
  market: string | null;
  pricingType: string | null;
  transport: string | null;
  unitPrice: Money;
  quantity: number;
  amount: Money;
};

export type StatementWithDocument = {
  object: 'statement';
  sid: StatementSid;
  accountSid: AccountSid;
  livemode: boolean;
  number: string;
  walletId: string;
  period: BillingPeriod;
  opening: Money;
  movements: StatementMovement[];
  closing: Money;
  usage: StatementUsage[];
  documents: StatementDocument[];
  createdAt: string;
  document: BillingDocument;
};

export type StepUpGrant = {
  object: 'step_up_token';
  id: string;
  accountSid: AccountSid;
  livemode: boolean;
  action: string;
  method: StepUpMethod;
  stepUpToken: string;
  expiresAt: string;
  createdAt: string;
};

export type StepUpMethod = 'WEBAUTHN' | 'TOTP' | 'RECOVERY_CODE' | Other;

export type StepUpRequest = {
  stepUpToken: string;
};

export type StopWorkflowContactRequest = {
  reason?: string;
};

export type StoppedWorkflowRuns = {
  object: 'stopped_workflow_runs';
  workflowSid: WorkflowSid;
  accountSid: AccountSid;
  livemode: boolean;
  stopped: number;
  remaining: number;
};

export type SubmitMigrationCodeRequest = {
  caseRef: string;
  reason: string;
  code: string;
  stepUpToken: string;
};

export type SubmitMigrationPinRequest = {
  caseRef: string;
  reason: string;
  registrationPin: string;
  stepUpToken: string;
};

export type SubmitOptInFormRequest = {
  agreed: boolean;
  phone: string;
  name?: string;
};

export type Suppression = {
  object: 'suppression';
  sid: SuppressionSid;
  accountSid: AccountSid;
  livemode: boolean;
  contactSid: ContactSid;
  reason: SuppressionReason;
  scope: SuppressionScope;
  senderSid: SenderSid | null;
  source: string;
  active: boolean;
  expiresAt: string | null;
  mirrorToProvider: boolean;
  mirroredAt: string | null;
  mirrorFailure: string | null;
  createdBy: string;
  liftedAt: string | null;
  liftedBy: string | null;
  liftReason: string | null;
  createdAt: string;
  updatedAt: string;
};

export type SuppressionList = {
  object: 'list';
  data: Suppression[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type SuppressionReason = 'CUSTOMER_OPT_OUT' | 'PROVIDER_MARKETING_OPT_OUT' | 'KEYWORD_OPT_OUT' | 'COMPLAINT' | 'LEGAL_SUPPRESSION' | 'TENANT_BLOCKLIST' | 'RISK_BLOCK' | Other;

export type SuppressionScope = 'MARKETING' | 'ALL' | Other;

export type SuppressionSid = string;

export type SuspendAccountRequest = {
  reason: string;
  stepUpToken: string;
};

export type SyncTemplatesRequest = {
  wabaSid?: WabaSid;
};

export type TaxLine = {
  jurisdiction: string;
  code: string;
  name: string;
  /** In millionths: 200000 is 20 %. */
  ratePpm: number;
  base: Money;
  amount: Money;
};

export type TaxProfile = {
  object: 'tax_profile';
  accountSid: AccountSid;
  livemode: boolean;
  currency: string;
  invoiceProvider: string;
  taxCode: string;
  taxJurisdiction: string;
  taxProvider: string;
  reason: string;
  version: number;
  createdAt: string;
  updatedAt: string;
};

export type Template = {
  object: 'template';
  sid: TemplateSid;
  accountSid: AccountSid;
  livemode: boolean;
  wabaSid: WabaSid;
  providerTemplateId: string | null;
  name: string;
  language: string;
  category: TemplateCategory;
  status: TemplateStatus;
  statusChangedAt: string;
  quality: 'GREEN' | 'YELLOW' | 'RED' | 'UNKNOWN' | Other;
  parameterFormat: TemplateParameterFormat;
  components: Array<Record<string, unknown>>;
  messageSendTtlSeconds: number | null;
  rejectedReason: string | null;
  pendingChange: 'CREATE' | 'EDIT' | 'DELETE' | null | Other;
  failure: {
    code: string;
    message: string;
    providerCode: number | null;
  } | null;
  approvedAt: string | null;
  deletedAt: string | null;
  createdAt: string;
  updatedAt: string;
};

export type TemplateButton = {
  type: 'QUICK_REPLY' | 'URL' | 'PHONE_NUMBER' | 'COPY_CODE' | 'OTP' | 'FLOW' | 'CATALOG' | 'MPM' | 'SPM';
  text?: string;
  url?: string;
  phoneNumber?: string;
  example?: string[];
  otpType?: 'COPY_CODE' | 'ONE_TAP' | 'ZERO_TAP';
  autofillText?: string;
  zeroTapTermsAccepted?: boolean;
  supportedApps?: Array<{
    packageName: string;
    signatureHash: string;
  }>;
  flowId?: string;
  flowName?: string;
  flowAction?: 'navigate' | 'data_exchange';
  navigateScreen?: string;
};

export type TemplateCategory = 'AUTHENTICATION' | 'UTILITY' | 'MARKETING' | Other;

export type TemplateComponent = {
  type: 'header' | 'body' | 'button' | 'limited_time_offer' | 'tap_target_configuration' | Other;
  subType?: 'quick_reply' | 'url' | 'copy_code' | 'otp' | 'catalog' | 'flow' | 'mpm' | 'spm' | Other;
  index?: number;
  parameters?: TemplateParameter[];
};

export type TemplateContent = {
  name: string;
  language: string;
  components?: TemplateComponent[];
};

export type TemplateList = {
  object: 'list';
  data: Template[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type TemplateParameter = TemplateParameterText | TemplateParameterCurrency | TemplateParameterDateTime | TemplateParameterPayload | TemplateParameterImage | TemplateParameterVideo | TemplateParameterDocument | TemplateParameterLocation | TemplateParameterCouponCode | TemplateParameterLimitedTimeOffer | TemplateParameterTapTarget | TemplateParameterAction | TemplateParameterProduct;

export type TemplateParameterAction = {
  type: 'action';
  thumbnailProductRetailerId?: string;
  sections?: ProductSection[];
};

export type TemplateParameterCouponCode = {
  type: 'coupon_code';
  couponCode: string;
};

export type TemplateParameterCurrency = {
  type: 'currency';
  fallbackValue: string;
  code: string;
  amount1000: number;
};

export type TemplateParameterDateTime = {
  type: 'date_time';
  fallbackValue: string;
};

export type TemplateParameterDocument = {
  type: 'document';
  sid: MediaSid;
  filename?: string;
};

export type TemplateParameterFormat = 'POSITIONAL' | 'NAMED' | Other;

export type TemplateParameterImage = {
  type: 'image';
  sid: MediaSid;
};

export type TemplateParameterLimitedTimeOffer = {
  type: 'limited_time_offer';
  expirationTimeMs: number;
};

export type TemplateParameterLocation = {
  type: 'location';
  latitude: number;
  longitude: number;
  name?: string;
  address?: string;
};

export type TemplateParameterPayload = {
  type: 'payload';
  payload: string;
};

export type TemplateParameterProduct = {
  type: 'product';
  catalogId: string;
  productRetailerId: string;
};

export type TemplateParameterTapTarget = {
  type: 'tap_target_configuration';
  url: string;
  title: string;
};

export type TemplateParameterText = {
  type: 'text';
  text: string;
  parameterName?: string;
};

export type TemplateParameterVideo = {
  type: 'video';
  sid: MediaSid;
};

export type TemplatePart = {
  type: 'HEADER' | 'BODY' | 'FOOTER' | 'BUTTONS' | 'LIMITED_TIME_OFFER';
  format?: 'TEXT' | 'IMAGE' | 'VIDEO' | 'DOCUMENT' | 'LOCATION' | 'PRODUCT';
  text?: string;
  example?: {
    headerText?: string[];
    headerTextNamedParams?: NamedTemplateExample[];
    headerHandle?: string[];
    bodyText?: string[][];
    bodyTextNamedParams?: NamedTemplateExample[];
  };
  buttons?: TemplateButton[];
  addSecurityRecommendation?: boolean;
  codeExpirationMinutes?: number;
  limitedTimeOffer?: {
    text: string;
    hasExpiration?: boolean;
  };
};

export type TemplateSid = string;

export type TemplateStatus = 'DRAFT' | 'PENDING' | 'APPROVED' | 'REJECTED' | 'PAUSED' | 'DISABLED' | 'IN_APPEAL' | 'PENDING_DELETION' | 'DELETED' | 'LIMIT_EXCEEDED' | 'ARCHIVED' | 'LOCKED' | Other;

export type TemplateStatusChange = {
  object: 'template_status_change';
  templateSid: TemplateSid;
  accountSid: AccountSid;
  livemode: boolean;
  status: TemplateStatus;
  previousStatus: TemplateStatus | null;
  category: TemplateCategory;
  reason: string | null;
  occurredAt: string;
  createdAt: string;
};

export type TemplateStatusChangeList = {
  object: 'list';
  data: TemplateStatusChange[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type TestWorkflowRequest = {
  eventType: WorkflowEventType;
  contactSid?: ContactSid;
  conversationSid?: ConversationSid;
  messageSid?: MessageSid;
  payload?: Record<string, unknown>;
};

export type TextByLanguage = {
  en: string;
  fr: string;
};

export type TextContent = {
  body: string;
  previewUrl?: boolean;
};

export type TriggerEventRequest = {
  type: string;
};

export type TriggeredEvent = {
  object: 'triggered_event';
  accountSid: AccountSid;
  livemode: boolean;
  type: string;
  createdAt: string;
};

export type UnsubscribeCategory = {
  category: NotificationCategory;
  email: boolean;
};

export type UpdateApiKeyRequest = {
  name?: string;
  allowedCidrs?: string[];
  signingRequired?: boolean;
  disabled?: boolean;
  expiresAt?: string | null;
};

export type UpdateCampaignRequest = {
  name?: string;
  audience?: CampaignAudienceRequest;
  message?: CampaignMessage;
  variants?: CampaignVariant[];
  variables?: CampaignVariables;
  from?: SenderSid | null;
  senderPoolSid?: SenderPoolSid | null;
  sendAt?: string | null;
  localTime?: boolean;
  quietHours?: CampaignQuietHours | null;
  messagesPerMinute?: number | null;
  budget?: Money | null;
};

export type UpdateCampaignSettingsRequest = {
  approvalAbove?: number | null;
  fallbackTimezone?: string;
  stepUpToken: string;
};

export type UpdateContactRequest = {
  attributes?: Record<string, unknown>;
  displayName?: string | null;
  locale?: string | null;
  timezone?: string | null;
  expectedUpdatedAt?: string;
};

export type UpdateContentRequest = {
  expectedVersion: number;
  name?: string;
  type?: MessageType;
  text?: Record<string, unknown>;
  template?: Record<string, unknown>;
  media?: Record<string, unknown>;
  location?: Record<string, unknown>;
  contacts?: Record<string, unknown>;
  reaction?: Record<string, unknown>;
  interactive?: Record<string, unknown>;
  product?: Record<string, unknown>;
  catalog?: Record<string, unknown>;
  flow?: Record<string, unknown>;
  productList?: Record<string, unknown>;
  address?: Record<string, unknown>;
  carousel?: Record<string, unknown>;
};

export type UpdateInboxRequest = {
  name?: string;
};

export type UpdateManagedApplicationRequest = {
  information: string;
};

export type UpdateProfileRequest = {
  displayName?: string;
  locale?: NotificationLocale;
};

export type UpdateSegmentRequest = {
  kind: 'DYNAMIC';
  contactSids?: ContactSid[];
  filters?: SegmentFilters;
  name?: string;
};

export type UpdateSenderPoolRequest = {
  name: string;
};

export type UpdateSenderProfileRequest = {
  about?: string;
  address?: string;
  description?: string;
  email?: string;
  websites?: string[];
  vertical?: string;
};

export type UpdateSessionRequest = {
  environment: Environment;
};

export type UpdateTemplateRequest = {
  category?: TemplateCategory;
  components?: TemplatePart[];
  messageSendTtlSeconds?: number;
};

export type UpdateWebhookRequest = {
  url?: string;
  apiVersion?: string;
  concurrencyCap?: number;
  eventFilters?: string[];
  stepUpToken?: string;
  timeoutMs?: number;
};

export type User = {
  object: 'user';
  sid: UserSid;
  organizationId: string;
  email: string;
  displayName: string | null;
  status: UserStatus;
  locale: NotificationLocale;
  invitation: {
    sentAt: string | null;
    expiresAt: string;
    invitedBy: string;
    createdAt: string;
  } | null;
  createdAt: string;
  updatedAt: string;
};

export type UserList = {
  object: 'list';
  data: User[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type UserSid = string;

export type UserStatus = 'INVITED' | 'ACTIVE' | 'DEACTIVATED' | Other;

export type VoidInvoiceRequest = {
  evidence: Record<string, unknown>;
  idempotencyKey: string;
  reason: string;
};

export type Waba = {
  object: 'waba';
  sid: WabaSid;
  accountSid: AccountSid;
  livemode: boolean;
  name: string;
  providerWabaId: string;
  portfolio: {
    id: string;
    name: string;
    providerBusinessId: string;
  };
  connection: {
    state: 'CONNECTED' | 'DISCONNECTED' | Other;
    token: 'VALID' | 'INVALID' | 'UNKNOWN' | Other;
    subscription: 'SUBSCRIBED' | 'MISSING' | 'UNKNOWN' | Other;
    operationSid: OperationSid | null;
    apiVersion: string;
    baseUrl: string;
    connectedAt: string;
    disconnectedAt: string | null;
    disconnectReason: string | null;
  };
  status: 'ACTIVE' | 'RESTRICTED' | 'DISABLED' | Other;
  banState: 'NONE' | 'SCHEDULED' | 'DISABLED' | Other;
  reviewStatus: string | null;
  restrictions: Restriction[];
  templateCap: number;
  marketingMessages: string | null;
  catalogIds: string[] | null;
  senders: Array<{
    sid: SenderSid;
    phoneNumber: string;
    displayName: string;
    status: string;
    quality: string;
  }>;
  createdAt: string;
  updatedAt: string;
};

export type WabaList = {
  object: 'list';
  data: Waba[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type WabaSid = string;

export type Wallet = {
  object: 'wallet';
  id: string;
  accountSid: AccountSid;
  livemode: boolean;
  currency: string;
  commercialMode: WalletCommercialMode;
  billingStatus: string;
  dunningState: string;
  available: Money;
  held: Money;
  creditLimit: Money;
  spendable: Money;
  createdAt: string;
  updatedAt: string;
};

export type WalletCommercialMode = 'prepaid' | 'postpaid' | 'credit_line' | 'invoice' | 'hybrid' | Other;

export type WalletList = {
  object: 'list';
  data: Wallet[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type WebhookAttempt = {
  number: number;
  attemptedAt: string;
  durationMs: number;
  url: string;
  signature: string;
  status: number | null;
  error: WebhookDeliveryError | null;
  answer: string | null;
};

export type WebhookDelivery = {
  object: 'webhook_delivery';
  sid: WebhookDeliverySid;
  accountSid: AccountSid;
  livemode: boolean;
  endpointSid: WebhookEndpointSid;
  eventSid: EventSid;
  eventType: string;
  sequence: number;
  resourceSid: string | null;
  apiVersion: string;
  state: WebhookDeliveryState;
  attemptCount: number;
  lastAttemptAt: string | null;
  lastStatus: number | null;
  error: WebhookDeliveryError | null;
  nextAttemptAt: string | null;
  createdAt: string;
};

export type WebhookDeliveryError = {
  code: 'WEBHOOK_DELIVERY_ERROR';
  failure: WebhookFailure | null;
  message: string;
};

export type WebhookDeliveryList = {
  object: 'list';
  data: WebhookDelivery[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type WebhookDeliverySid = string;

export type WebhookDeliveryState = 'pending' | 'delivered' | 'failed' | Other;

export type WebhookDeliveryWithHistory = {
  object: 'webhook_delivery';
  sid: WebhookDeliverySid;
  accountSid: AccountSid;
  livemode: boolean;
  endpointSid: WebhookEndpointSid;
  eventSid: EventSid;
  eventType: string;
  sequence: number;
  resourceSid: string | null;
  apiVersion: string;
  state: WebhookDeliveryState;
  attemptCount: number;
  lastAttemptAt: string | null;
  lastStatus: number | null;
  error: WebhookDeliveryError | null;
  nextAttemptAt: string | null;
  createdAt: string;
  request: SentWebhookRequest;
  attempts: WebhookAttempt[];
};

export type WebhookEndpoint = {
  object: 'webhook_endpoint';
  sid: WebhookEndpointSid;
  accountSid: AccountSid;
  livemode: boolean;
  url: string;
  status: WebhookStatus;
  eventFilters: string[];
  apiVersion: string;
  timeoutMs: number;
  concurrencyCap: number;
  headers: HiddenWebhookHeader[];
  verifiedAt: string | null;
  pausedAt: string | null;
  suspendedAt: string | null;
  disabledAt: string | null;
  previousSecretExpiresAt: string | null;
  failingSince: string | null;
  failures: number;
  warnings: ErrorDetail[];
  createdAt: string;
  updatedAt: string;
};

export type WebhookEndpointList = {
  object: 'list';
  data: WebhookEndpoint[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type WebhookEndpointSid = string;

export type WebhookEndpointWithSecret = {
  object: 'webhook_endpoint';
  sid: WebhookEndpointSid;
  accountSid: AccountSid;
  livemode: boolean;
  url: string;
  status: WebhookStatus;
  eventFilters: string[];
  apiVersion: string;
  timeoutMs: number;
  concurrencyCap: number;
  headers: HiddenWebhookHeader[];
  verifiedAt: string | null;
  pausedAt: string | null;
  suspendedAt: string | null;
  disabledAt: string | null;
  previousSecretExpiresAt: string | null;
  failingSince: string | null;
  failures: number;
  warnings: ErrorDetail[];
  createdAt: string;
  updatedAt: string;
  secret: string;
};

export type WebhookEventType = {
  object: 'webhook_event_type';
  name: string;
  since: string;
  description: string;
  sample: Record<string, unknown>;
};

export type WebhookEventTypeList = {
  object: 'list';
  data: WebhookEventType[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type WebhookFailure = 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked' | Other;

export type WebhookFailureCounts = {
  dns: number;
  connect: number;
  tls: number;
  timeout: number;
  status: number;
  blocked: number;
};

export type WebhookGap = {
  object: 'webhook_gap';
  sequence: number;
  eventSid: EventSid;
  eventType: string;
  deliverySid: WebhookDeliverySid | null;
  state: 'pending' | 'failed' | 'none' | Other;
};

export type WebhookGapList = {
  object: 'list';
  data: WebhookGap[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type WebhookHeader = {
  name: string;
  value: string;
};

export type WebhookRedelivery = {
  object: 'webhook_redelivery';
  accountSid: AccountSid;
  livemode: boolean;
  accepted: number;
  deliverySids: WebhookDeliverySid[];
  hasMore: boolean;
};

export type WebhookRequest = {
  object: 'webhook_request';
  id: string;
  endpointSid: WebhookEndpointSid;
  body: Record<string, unknown>;
};

export type WebhookStatistics = {
  object: 'webhook_statistics';
  accountSid: AccountSid;
  livemode: boolean;
  endpointSid: WebhookEndpointSid;
  from: string;
  to: string;
  attempts: number;
  succeeded: number;
  failed: number;
  failures: WebhookFailureCounts;
  p50Ms: number | null;
  p95Ms: number | null;
  days: WebhookStatisticsDay[];
};

export type WebhookStatisticsDay = {
  day: string;
  attempts: number;
  succeeded: number;
  failed: number;
  failures: WebhookFailureCounts;
  p50Ms: number | null;
  p95Ms: number | null;
};

export type WebhookStatus = 'unverified' | 'active' | 'paused' | 'suspended' | 'disabled' | Other;

export type WebhookTestReport = {
  object: 'webhook_test';
  accountSid: AccountSid;
  livemode: boolean;
  endpointSid: WebhookEndpointSid;
  eventSid: EventSid;
  deliverySid: WebhookDeliverySid;
  delivered: boolean;
  status: number | null;
  durationMs: number;
  tls: 'verified' | 'refused' | 'none' | null | Other;
  failure: WebhookFailure | null;
  problems: string[];
  answer: string | null;
  request: SentWebhookRequest;
  createdAt: string;
};

export type WhyNotCount = {
  gate: string | null;
  code: string;
  contacts: number;
  samples: ContactSid[];
};

export type WhyNotMember = {
  contactSid: ContactSid;
  reached: boolean;
  reasons: WhyNotReason[];
  cost: Money | null;
};

export type WhyNotMessage = {
  from?: SenderSid;
  senderPoolSid?: SenderPoolSid;
  type?: MessageType;
  contentSid?: ContentSid;
  variables?: Record<string, string>;
  text?: TextContent;
  template?: TemplateContent;
  media?: MediaContent;
  location?: LocationContent;
  contacts?: ContactsContent;
  reaction?: ReactionContent;
  interactive?: Interactive;
  product?: ProductContent;
  catalog?: CatalogContent;
  flow?: FlowContent;
  productList?: ProductList;
  address?: Address;
  carousel?: Carousel;
  priority?: MessagePriority;
  validityPeriodSeconds?: number;
  transport?: MessageTransport;
  transportOptions?: MessageTransportOptions;
  deferIfCapped?: boolean;
  category?: MessageCategory;
  statusCallbackUrl?: string;
  statusCallbackSid?: WebhookEndpointSid;
  metadata?: Record<string, string>;
  tags?: string[];
};

export type WhyNotReason = {
  gate: string | null;
  code: string;
  message: string;
  evidence: Record<string, unknown>;
};

export type Workflow = {
  object: 'workflow';
  sid: WorkflowSid;
  accountSid: AccountSid;
  livemode: boolean;
  name: string;
  status: WorkflowStatus;
  latestVersion: number;
  publishedVersion: number | null;
  grantedScopes: string[];
  publishedBy: PrincipalRef | null;
  publishedAt: string | null;
  stoppedAt: string | null;
  createdAt: string;
  updatedAt: string;
};

export type WorkflowContactStop = {
  object: 'workflow_contact_stop';
  workflowSid: WorkflowSid;
  contactSid: ContactSid;
  accountSid: AccountSid;
  livemode: boolean;
  reason: string | null;
  stoppedBy: PrincipalRef;
  createdAt: string;
};

export type WorkflowDecision = {
  object: 'workflow_decision';
  workflowSid: WorkflowSid;
  eventSid: EventSid;
  eventType: WorkflowEventType;
  contactSid: ContactSid | null;
  decision: 'started' | 'condition' | 'reentry' | 'stopped_contact' | 'restricted_contact' | 'caused_by_self' | 'limit' | 'no_subject' | 'before_publishing' | Other;
  detail: Record<string, unknown> | null;
  runSid: WorkflowRunSid | null;
  at: string;
};

export type WorkflowDecisionList = {
  object: 'list';
  data: WorkflowDecision[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type WorkflowDefinition = {
  trigger: WorkflowTrigger;
  conditions: Array<Record<string, unknown>>;
  actions: Array<Record<string, unknown>>;
  failureActions?: Array<Record<string, unknown>>;
  timeoutActions?: Array<Record<string, unknown>>;
};

export type WorkflowEventType = string;

export type WorkflowIssue = {
  path: string;
  severity: 'error' | 'warning' | Other;
  code: string;
  message: string;
};

export type WorkflowList = {
  object: 'list';
  data: Workflow[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type WorkflowRun = {
  object: 'workflow_run';
  sid: WorkflowRunSid;
  accountSid: AccountSid;
  livemode: boolean;
  workflowSid: WorkflowSid;
  version: number;
  status: 'RUNNING' | 'WAITING' | 'COMPLETED' | 'FAILED' | 'TIMED_OUT' | 'STOPPED' | Other;
  outcome: string | null;
  error: WorkflowStepError | null;
  contactSid: ContactSid | null;
  subjectSid: string;
  eventSid: EventSid;
  eventType: string;
  startedByRunSid: WorkflowRunSid | null;
  waiting: WorkflowRunWait | null;
  held: boolean;
  startedAt: string;
  timeoutAt: string;
  endedAt: string | null;
  updatedAt: string;
};

export type WorkflowRunList = {
  object: 'list';
  data: WorkflowRun[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type WorkflowRunSid = string;

export type WorkflowRunStep = {
  object: 'workflow_run_step';
  entry: number;
  position: number;
  path: string;
  id: string | null;
  type: string;
  outcome: 'done' | 'skipped' | 'failed' | 'timed_out' | 'waiting' | 'chose' | Other;
  chose: string | null;
  output: Record<string, unknown> | null;
  error: WorkflowStepError | null;
  saw: WorkflowSaw[];
  eventSid: EventSid | null;
  at: string;
};

export type WorkflowRunStepList = {
  object: 'list';
  data: WorkflowRunStep[];
  hasMore: boolean;
  nextCursor: string | null;
};

export type WorkflowRunWait = {
  kind: 'time' | 'reply' | 'event' | 'answer' | Other;
  position: number;
  until: string;
};

export type WorkflowSaw = {
  path: string;
  value: unknown;
};

export type WorkflowSid = string;

export type WorkflowStatus = 'DRAFT' | 'PUBLISHED' | 'STOPPED' | Other;

export type WorkflowStepError = {
  code: string;
  message: string;
  path: string;
};

export type WorkflowTest = {
  object: 'workflow_test';
  sid: WorkflowRunSid;
  accountSid: AccountSid;
  livemode: boolean;
  workflowSid: WorkflowSid;
  version: number;
  test: true;
  eventType: WorkflowEventType;
  contactSid: ContactSid | null;
  started: boolean;
  failedCondition: number | null;
  saw: Array<Record<string, unknown>>;
  status: 'COMPLETED' | 'FAILED' | 'TIMED_OUT' | 'CUT_SHORT' | null | Other;
  outcome: string | null;
  error: WorkflowStepError | null;
  startedAt: string;
  endedAt: string;
  trace: Array<Record<string, unknown>>;
  issues: WorkflowIssue[];
  createdBy: PrincipalRef;
  createdAt: string;
  expiresAt: string;
};

export type WorkflowTrigger = {
  eventTypes: WorkflowEventType[];
  allowReentry?: boolean;
  timeoutSeconds?: number;
};

export type WorkflowVersion = {
  object: 'workflow_version';
  workflowSid: WorkflowSid;
  accountSid: AccountSid;
  livemode: boolean;
  version: number;
  definition: WorkflowDefinition;
  issues: WorkflowIssue[];
  createdBy: PrincipalRef;
  createdAt: string;
};

export type WriteOffInvoiceRequest = {
  evidence: Record<string, unknown>;
  idempotencyKey: string;
  reason: string;
};

export type WriteOnPhone = {
  senderSid: SenderSid;
  type?: 'TEXT' | 'IMAGE' | 'VIDEO' | 'DOCUMENT' | 'AUDIO' | 'STICKER' | 'LOCATION';
  text?: string;
  answers?: string;
};
