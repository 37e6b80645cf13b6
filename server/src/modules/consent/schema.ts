import { type Static, Type } from 'typebox';
import {
  Closed,
  DateTime,
  ListOf,
  NamedObject,
  Nullable,
  named,
  pageQuery,
  Sid,
  sample,
  Text,
  Word,
  Words,
} from '../../platform/http/input/schema.ts';
import { sampleOwner, sampleTime } from '../../platform/samples.ts';
import { ChainDetail } from '../audit/index.ts';
import { ConsentStatus, consentPurposes, consentStatuses, IdentifierType } from '../contacts/index.ts';

const purpose = named('ConsentPurpose', Word(...consentPurposes));
const status = ConsentStatus;
const source = named('ConsentSource', Word('API', 'IMPORT', 'KEYWORD', 'FORM', 'PROVIDER', 'DASHBOARD'));

export const ConsentEvidence = NamedObject('ConsentEvidence', {
  application: Type.Optional(Text(128)),
  campaignRef: Type.Optional(Text(128)),
  capturedAt: Type.Optional(DateTime),
  proofRef: Type.Optional(Text(512)),
  reOptIn: Type.Optional(Type.Boolean()),
  reason: Type.Optional(Text(1000)),
  sourcePage: Type.Optional(Text(2048)),
  supersedesConsentSid: Type.Optional(Sid('CV')),
  withdrawnAt: Type.Optional(DateTime),
  wording: Type.Optional(Text(4096)),
  wordingVersion: Type.Optional(Text(128)),
});

export const NewConsent = NamedObject('CreateContactConsentRequest', {
  purpose,
  source,
  status,
  evidenceRef: Type.Optional(Text(512)),
  expiresAt: Type.Optional(DateTime),
  evidence: Type.Optional(ConsentEvidence),
});
export type NewConsent = Static<typeof NewConsent>;

/** What the ledger keeps and hashes. */
const record = {
  sid: Sid('CV'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  contactSid: Sid('CT'),
  purpose,
  status,
  source,
  evidenceRef: Nullable(Type.String()),
  evidence: Nullable(ConsentEvidence),
  expiresAt: Nullable(DateTime),
  supersedesConsentSid: Nullable(Sid('CV')),
  recordedBy: Type.String(),
  createdAt: DateTime,
};
export type ConsentRecord = Static<ReturnType<typeof Closed<typeof record>>>;

export const Consent = NamedObject('Consent', {
  object: Word('consent'),
  ...record,
  /** Its place in the chain: what an export must contain for it. */
  ledger: Closed({
    sequence: Type.String(),
    previousHash: Type.String(),
    hash: Type.String(),
    detail: Nullable(ChainDetail),
  }),
});
export type Consent = Static<typeof Consent>;

export const ConsentList = ListOf(Consent);
export const PageQuery = Closed(pageQuery);

const reason = named(
  'SuppressionReason',
  Word(
    'CUSTOMER_OPT_OUT',
    'PROVIDER_MARKETING_OPT_OUT',
    'KEYWORD_OPT_OUT',
    'COMPLAINT',
    'LEGAL_SUPPRESSION',
    'TENANT_BLOCKLIST',
    'RISK_BLOCK',
  ),
);
const scope = named('SuppressionScope', Word('MARKETING', 'ALL'));

const terms = {
  reason,
  scope,
  expiresAt: Type.Optional(DateTime),
  mirrorToProvider: Type.Optional(Type.Boolean()),
  senderSid: Type.Optional(Sid('WA')),
};

export const NewContactSuppression = NamedObject('CreateContactSuppressionRequest', {
  ...terms,
  source: Words(64),
});

export const NewSuppression = NamedObject('CreateSuppressionRequest', {
  contactSid: Type.Optional(Sid('CT')),
  identifier: Type.Optional(Text(256)),
  identifierType: Type.Optional(IdentifierType),
  scopeRef: Type.Optional(Text(64)),
  ...terms,
  source: Type.Optional(Words(64)),
});
export type NewSuppression = Static<typeof NewSuppression>;

export type SuppressionTerms = Static<typeof NewContactSuppression>;

export const SuppressionsToLift = NamedObject('DeleteSuppressionsRequest', {
  contactSid: Type.Optional(Sid('CT')),
  identifier: Type.Optional(Text(256)),
  identifierType: Type.Optional(IdentifierType),
  reason: Type.Optional(Text(500)),
  scope: Type.Optional(scope),
  scopeRef: Type.Optional(Text(64)),
  suppressionSid: Type.Optional(Sid('SU')),
});
export type SuppressionsToLift = Static<typeof SuppressionsToLift>;

export const LiftQuery = Closed({ reason: Type.Optional(Text(500)) });

export const SuppressionQuery = Closed({
  contactSid: Type.Optional(Sid('CT')),
  identifier: Type.Optional(Text(256)),
  identifierType: Type.Optional(IdentifierType),
  scopeRef: Type.Optional(Text(64)),
  reason: Type.Optional(Text(64)),
  scope: Type.Optional(scope),
  active: Type.Optional(Type.Boolean()),
  ...pageQuery,
});
export type SuppressionQuery = Static<typeof SuppressionQuery>;

export const Suppression = NamedObject('Suppression', {
  object: Word('suppression'),
  sid: Sid('SU'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  contactSid: Sid('CT'),
  reason,
  scope,
  senderSid: Nullable(Sid('WA')),
  source: Type.String(),
  /** In force now: neither lifted nor expired. */
  active: Type.Boolean(),
  expiresAt: Nullable(DateTime),
  mirrorToProvider: Type.Boolean(),
  /** When the provider had blocked the contact on every sender it is for. */
  mirroredAt: Nullable(DateTime),
  /** The code of its refusal. */
  mirrorFailure: Nullable(Type.String()),
  createdBy: Type.String(),
  liftedAt: Nullable(DateTime),
  liftedBy: Nullable(Type.String()),
  liftReason: Nullable(Type.String()),
  createdAt: DateTime,
  updatedAt: DateTime,
});
export type Suppression = Static<typeof Suppression>;

export const SuppressionList = ListOf(Suppression);

const Counts = NamedObject(
  'ConsentCounts',
  Object.fromEntries(consentStatuses.map((name) => [name, Type.Integer()])) as Record<
    (typeof consentStatuses)[number],
    ReturnType<typeof Type.Integer>
  >,
);

export const ConsentCoverage = NamedObject('ConsentCoverage', {
  object: Word('consent_coverage'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  /** Live contacts; for each purpose the counts add up to it. */
  contacts: Type.Integer(),
  purposes: Closed({
    TRANSACTIONAL: Counts,
    AUTHENTICATION: Counts,
    MARKETING: Counts,
    SUPPORT: Counts,
  }),
  /** Contacts with a suppression in force: with any, and by scope. */
  suppressed: Closed({ contacts: Type.Integer(), ALL: Type.Integer(), MARKETING: Type.Integer() }),
  asOf: DateTime,
});
export type ConsentCoverage = Static<typeof ConsentCoverage>;

const counts = { OPTED_IN: 30, OPTED_OUT: 2, UNKNOWN: 10, REVOKED: 0, EXPIRED: 0 };

sample(ConsentCoverage, {
  object: 'consent_coverage',
  ...sampleOwner,
  contacts: 42,
  purposes: { TRANSACTIONAL: counts, AUTHENTICATION: counts, MARKETING: counts, SUPPORT: counts },
  suppressed: { contacts: 3, ALL: 1, MARKETING: 2 },
  asOf: sampleTime,
});
