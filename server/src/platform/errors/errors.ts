// The one error the service answers with. The catalogue says status, type and wording; a thrower adds only facts.
import { type ErrorCode, errorCatalogue } from './error-catalogue.ts';

export type { ErrorCode };
export type ErrorDetail = { path: string; issue: string };

type Facts = {
  /** Replaces the catalogue's sentence; may only say what the caller already knows. */
  message?: string;
  details?: ErrorDetail[];
  /** Set when the moment is known; otherwise the catalogue's default holds. */
  retryAfterSeconds?: number;
  providerCode?: number;
  headers?: Record<string, string>;
  cause?: unknown;
};

export type ErrorBody = {
  error: {
    code: ErrorCode;
    type: string;
    message: string;
    retryable: boolean;
    retryAfterSeconds: number | null;
    docUrl: string;
    requestId?: string;
    providerCode?: number;
    details?: ErrorDetail[];
  };
};

export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly facts: Facts;

  constructor(code: ErrorCode, facts: Facts = {}) {
    super(facts.message ?? errorCatalogue[code].message, { cause: facts.cause });
    this.name = 'ApiError';
    this.code = code;
    this.status = errorCatalogue[code].status;
    this.facts = facts;
  }

  get retryAfterSeconds(): number | null {
    const entry = errorCatalogue[this.code];
    return entry.retryable ? (this.facts.retryAfterSeconds ?? entry.retryAfterSeconds) : null;
  }
}

/** The error of one or more invalid fields. */
export function invalid(...details: ErrorDetail[]): ApiError {
  return new ApiError('VALIDATION_ERROR', { details });
}

/** Where an error is explained to people. */
export const docUrlOf = (docsUrl: string, code: ErrorCode) => `${docsUrl}#${code}`;

/** The page of all errors, below the address of the service. */
export const errorPageOf = ({ publicUrl }: { publicUrl: string }) => `${publicUrl}/docs/errors`;

export function errorBody(error: ApiError, context: { docsUrl: string; requestId?: string }): ErrorBody {
  const entry = errorCatalogue[error.code];
  const { providerCode, details } = error.facts;
  return {
    error: {
      code: error.code,
      type: entry.type,
      message: error.message,
      retryable: entry.retryable,
      retryAfterSeconds: error.retryAfterSeconds,
      docUrl: docUrlOf(context.docsUrl, error.code),
      ...(context.requestId && { requestId: context.requestId }),
      ...(providerCode !== undefined && { providerCode }),
      ...(details && { details }),
    },
  };
}
