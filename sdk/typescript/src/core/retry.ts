// Whether and when the same request goes again.
import { ConnectionError, type GodwitError } from './errors.ts';

export type Patience = {
  /** How often a request goes again after the first time. */
  retries: number;
  /** When no further attempt begins, counted from the first. */
  totalMs: number;
  /** How long one attempt may take until its answer is there. */
  attemptMs: number;
};

export const usualPatience: Patience = { retries: 4, totalMs: 60_000, attemptMs: 30_000 };

/** Milliseconds to wait before the next attempt; null where asking again could change nothing, or do it twice. */
export function waitBefore(attempt: number, failure: GodwitError | ConnectionError): number | null {
  if (failure instanceof ConnectionError) return backOff(attempt);
  // It may have been sent: the message's own status will tell.
  if (!failure.retryable || failure.is('PROVIDER_RESULT_UNKNOWN')) return null;
  const { retryAfterSeconds } = failure;
  return retryAfterSeconds === null ? backOff(attempt) : retryAfterSeconds * 1000;
}

/** Half a second, then twice as long each time, and up to a quarter more so that not everybody comes back at once. */
const backOff = (attempt: number) => 500 * 2 ** (attempt - 1) * (1 + Math.random() / 4);

export function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done, fail) => {
    signal?.throwIfAborted();
    const stopped = () => {
      clearTimeout(timer);
      fail(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stopped);
      done();
    }, ms);
    signal?.addEventListener('abort', stopped, { once: true });
  });
}
