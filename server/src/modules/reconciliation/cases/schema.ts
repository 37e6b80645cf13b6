import { type Static, Type } from 'typebox';
import {
  Closed,
  DateTime,
  Money,
  NamedObject,
  NotBlank,
  Nullable,
  named,
  pageQuery,
  Sid,
  Word,
} from '../../../platform/http/input/schema.ts';
import { caseStates } from './states.ts';

export const outcomes = [
  'amount_mismatch',
  'missing_platform_event',
  'unexpected_provider_charge',
  'missing_provider_status',
] as const;
export type Outcome = (typeof outcomes)[number];
export const sources = ['callback', 'message_history', 'analytics', 'itemised_file'] as const;
export type Source = (typeof sources)[number];

const state = named('ReconciliationCaseState', Word(...caseStates));
const outcome = named('ReconciliationCaseOutcome', Word(...outcomes));
const FreeForm = Type.Unsafe<Record<string, unknown>>({ type: 'object', 'x-free-form': true });

export const CaseBucket = NamedObject('ReconciliationBucket', {
  senderSid: Nullable(Sid('WA')),
  phoneNumber: Nullable(Type.String()),
  /** In UTC. */
  day: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }),
  country: Nullable(Type.String()),
  category: Nullable(Type.String()),
  pricingType: Nullable(Type.String()),
});
export type CaseBucket = Static<typeof CaseBucket>;

export const CaseFigure = NamedObject('ReconciliationFigure', {
  messages: Type.Integer(),
  amount: Nullable(Money),
});
export type CaseFigure = Static<typeof CaseFigure>;

export const CaseFinding = NamedObject('ReconciliationFinding', {
  at: DateTime,
  /** What somebody on call reads. */
  text: Type.String(),
  messageSid: Nullable(Sid('SM')),
});
export type CaseFinding = Static<typeof CaseFinding>;

export const CaseResolution = NamedObject('ReconciliationResolution', {
  decision: Word('resolved', 'rejected'),
  reason: Type.String(),
  evidence: FreeForm,
  decidedBy: Type.String(),
  decidedAt: DateTime,
  /** What was charged (above zero) or credited (below) to settle it; null when nothing moved. */
  adjusted: Nullable(Money),
});
export type CaseResolution = Static<typeof CaseResolution>;

export const ReconciliationCase = NamedObject('ReconciliationCase', {
  object: Word('reconciliation_case'),
  sid: Sid('CS'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  state,
  outcome,
  source: Word(...sources),
  wabaSid: Nullable(Sid('WB')),
  bucket: Nullable(CaseBucket),
  messageSids: Type.Array(Sid('SM')),
  messageCount: Type.Integer(),
  expected: CaseFigure,
  reported: CaseFigure,
  difference: Nullable(CaseFigure),
  findings: Type.Array(CaseFinding),
  resolution: Nullable(CaseResolution),
  version: Type.Integer(),
  createdAt: DateTime,
  updatedAt: DateTime,
});
export type ReconciliationCase = Static<typeof ReconciliationCase>;

export const CaseQuery = Closed({
  state: Type.Optional(state),
  outcome: Type.Optional(outcome),
  ...pageQuery,
});
export type CaseQuery = Static<typeof CaseQuery>;

export const CaseDecision = NamedObject('ResolveReconciliationCaseRequest', {
  evidence: FreeForm,
  reason: NotBlank(500),
  resolution: Word('resolved', 'rejected'),
});
export type CaseDecision = Static<typeof CaseDecision>;
