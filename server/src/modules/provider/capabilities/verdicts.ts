import type { ErrorCode } from '../../../platform/errors/errors.ts';

export const capabilityStatuses = ['AVAILABLE', 'LIMITED', 'UNAVAILABLE', 'PLANNED'] as const;
export type CapabilityStatus = (typeof capabilityStatuses)[number];

/** What is told of a capability, and what whoever uses it anyway is answered: null unless it is refused. */
export type Verdict = {
  status: CapabilityStatus;
  reason: string | null;
  errorCode: ErrorCode | null;
};

export const available: Verdict = { status: 'AVAILABLE', reason: null, errorCode: null };

/** It can be used, with less than one would expect or without a promise. */
export const limited = (reason: string): Verdict => ({ status: 'LIMITED', reason, errorCode: null });

export const unavailable = (reason: string, errorCode: ErrorCode = 'CAPABILITY_UNAVAILABLE'): Verdict => ({
  status: 'UNAVAILABLE',
  reason,
  errorCode,
});

/** It comes by itself with a version that is not spoken yet. */
export const planned = (reason: string): Verdict => ({
  status: 'PLANNED',
  reason,
  errorCode: 'CAPABILITY_UNAVAILABLE',
});
