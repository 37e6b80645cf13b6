import { ApiError } from '../../platform/errors/errors.ts';
import type { Answered } from './ports.ts';

/** What the provider answered; its refusal becomes the caller's error, in the provider's own words. */
export function answerOf<T>(answered: Answered<T>): T {
  if (answered.ok) return answered.value;
  const { code, providerCode, retryAfterMs, reason } = answered.failure;
  throw new ApiError(code, {
    details: [{ path: 'provider', issue: reason }],
    ...(providerCode !== null && { providerCode }),
    ...(retryAfterMs !== null && { retryAfterSeconds: Math.ceil(retryAfterMs / 1_000) }),
  });
}
