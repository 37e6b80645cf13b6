// What the provider's answers mean for work that goes on for a while: try again later, or give up.
import type { ErrorCode } from '../../platform/errors/errors.ts';
import type { Verdict } from './capabilities/verdicts.ts';
import type { ProviderFailure } from './failure.ts';
import type { Answered } from './ports.ts';

const retryMs = 5_000;

/** Thrown where the work can only be tried again later. */
export class Later extends Error {
  readonly ms: number;

  constructor({ reason, retryAfterMs }: Pick<ProviderFailure, 'reason' | 'retryAfterMs'>) {
    super(reason);
    this.ms = retryAfterMs ?? retryMs;
  }
}

/** Thrown where the work cannot go on at all. */
export class Refused extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Ends the work where a capability it needs cannot be used any more. */
export function goOnWith({ errorCode, reason }: Verdict): void {
  if (errorCode !== null) throw new Refused(errorCode, reason!);
}

/** The answer's value. What the provider refused for good ends the work; everything else is asked again. */
export function answered<T>(answer: Answered<T>): T {
  if (answer.ok) return answer.value;
  const { failure } = answer;
  if (failure.retryable || failure.code === 'PROVIDER_RESULT_UNKNOWN') throw new Later(failure);
  throw new Refused(failure.code, failure.reason);
}
