// What becomes of somebody whom a gate refused. Most refusals are final: they are about the person, and are recorded. Some pass by
// themselves, and the person keeps their place. Some stand against everybody until somebody acts: the campaign pauses and says why, and
// nobody's turn is used up.
import type { ApiError, ErrorCode } from '../../../platform/errors/errors.ts';
import { Refusal } from '../../messages/index.ts';

type Disposition = 'final' | 'waits' | 'rests' | 'pauses';

const dispositions: Partial<Record<ErrorCode, Disposition>> = {
  // Of one person or of some: they are tried again later, others go on.
  PORTFOLIO_LIMIT_EXHAUSTED: 'waits',
  // Of everybody, for moments: the campaign rests.
  RATE_LIMITED: 'rests',
  PROVIDER_RATE_LIMITED: 'rests',
  PROVIDER_TEMPORARY_ERROR: 'rests',
  INTERNAL_TEMPORARY_ERROR: 'rests',
  // Of everybody, until somebody has done something.
  ACCOUNT_SUSPENDED: 'pauses',
  PLAN_MESSAGE_QUOTA_EXCEEDED: 'pauses',
  INSUFFICIENT_FUNDS: 'pauses',
  PAYMENT_REQUIRED: 'pauses',
  SENDER_NOT_READY: 'pauses',
  SENDER_RESTRICTED: 'pauses',
  SENDER_TEMPLATE_RESTRICTED: 'pauses',
  DISPLAY_NAME_NOT_APPROVED: 'pauses',
  TEMPLATE_NOT_APPROVED: 'pauses',
  TEMPLATE_PAUSED: 'pauses',
  FLOW_BLOCKED: 'pauses',
  FLOW_NOT_PUBLISHED: 'pauses',
  MEDIA_NOT_READY: 'pauses',
  STATUS_CALLBACK_NOT_VERIFIED: 'pauses',
  MARKETING_MESSAGES_NOT_ONBOARDED: 'pauses',
  WABA_NOT_CONNECTED: 'pauses',
  WABA_RESTRICTED: 'pauses',
  RISK_BLOCKED: 'pauses',
};

/** What does not fit the budget never will: whoever launched the campaign said how much it may cost. */
const isBeyondBudget = (refusal: ApiError) => refusal instanceof Refusal && refusal.gate === 'allowance';

export const dispositionOf = (refusal: ApiError): Disposition =>
  isBeyondBudget(refusal) ? 'final' : (dispositions[refusal.code] ?? 'final');

/** What a refusal is recorded with: the gate, and what it decided by. */
export function evidenceOf(refusal: ApiError): object | null {
  const { details } = refusal.facts;
  const found = {
    ...(refusal instanceof Refusal && { gate: refusal.gate, ...refusal.evidence }),
    ...(details && { details }),
  };
  return Object.keys(found).length > 0 ? found : null;
}

const hourSeconds = 60 * 60;

/** When it is worth another try. */
export const againAt = (refusal: ApiError, now: Date): Date => {
  const fallback = dispositionOf(refusal) === 'waits' ? hourSeconds : 1;
  return new Date(now.getTime() + Math.max(1, refusal.retryAfterSeconds ?? fallback) * 1000);
};
