// Why the provider did not do what it was asked.
import type { ErrorCode } from '../../platform/errors/errors.ts';

export type ProviderFailure = {
  code: ErrorCode;
  /** Whether the same request may succeed later without anybody changing anything. */
  retryable: boolean;
  /** What the provider said, word for word as far as it may be shown; null when it did not answer. */
  providerCode: number | null;
  providerSubcode: number | null;
  reason: string;
  /** When the provider says so, or the code implies it. */
  retryAfterMs: number | null;
  /** What it counts as once it was tried again in vain, where that is another code. */
  endsAs?: ErrorCode;
};
