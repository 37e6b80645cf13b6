// How work fails: for good, by an error of the catalogue; or in a way that may pass, and is tried again.
import { ApiError } from '../../platform/errors/errors.ts';
import type { Failure } from './work.ts';

/** What a thrown error says for good; null when a later try may go better. */
export function failureOf(error: unknown): Failure | null {
  if (!(error instanceof ApiError) || error.retryAfterSeconds !== null) return null;
  return { code: error.code, message: error.message, retryable: false };
}

/** A bug of ours: once it is mended, a retry goes on. */
export const unexpected: Failure = {
  code: 'INTERNAL_PERMANENT_ERROR',
  message: new ApiError('INTERNAL_PERMANENT_ERROR').message,
  retryable: true,
};
