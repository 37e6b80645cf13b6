// What a call that brought no result says about whether it was done.
import type Stripe from 'stripe';
import { type CallOutcome, PaymentCallFailed } from '../../modules/payments/index.ts';

/** The service refuses these before it looks at the idempotency key, or while another request has it. */
const notTaken = new Set([401, 403, 429]);

export function callFailed(error: unknown): PaymentCallFailed {
  const { statusCode, code, message = String(error), headers } = error as Partial<Stripe.errors.StripeError>;
  const replayed = headers?.['idempotent-replayed'] === 'true';
  return new PaymentCallFailed(outcomeOf(statusCode, replayed, error), code ?? null, message, error);
}

function outcomeOf(status: number | undefined, replayed: boolean, error: unknown): CallOutcome {
  if (status === undefined) return wasNeverSent(error) ? 'not_taken' : 'unknown';
  if (notTaken.has(status)) return 'not_taken';
  // In use: another request with this key is under way, and will have done it.
  if (status === 409) return 'unknown';
  // The key was used with other parameters: what there is was asked for then.
  if ((error as { type?: string }).type === 'StripeIdempotencyError') return 'kept';
  if (status >= 500) return replayed ? 'kept' : 'unknown';
  return 'refused';
}

/** No connection came about, so nothing was asked. */
function wasNeverSent(error: unknown): boolean {
  const cause = (error as { detail?: { code?: string } }).detail?.code;
  return (
    cause === 'ECONNREFUSED' || cause === 'ENOTFOUND' || cause === 'EAI_AGAIN' || cause === 'EHOSTUNREACH'
  );
}
