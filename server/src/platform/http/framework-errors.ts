// What the framework has against a request, in our own words. These are the caller's mistakes: none of them is a failure of
// the service, whatever the framework may add to its list in a later version.
import type { FastifyError } from 'fastify';
import { ApiError, type ErrorDetail } from '../errors/errors.ts';

/** Null when the error is none of the framework's, or is about our own code. */
export function frameworkRefusal(error: unknown, bodyLimit: number): ApiError | null {
  const { code, statusCode = 500 } = (error ?? {}) as Partial<FastifyError>;
  if (!code?.startsWith('FST_') || statusCode >= 500) return null;
  if (statusCode === 404) return new ApiError('NOT_FOUND', { cause: error });
  const issue = issues[code]?.(bodyLimit) ?? { path: 'request', issue: 'cannot be read' };
  return new ApiError('VALIDATION_ERROR', { details: [issue], cause: error });
}

const issues: Record<string, (bodyLimit: number) => ErrorDetail> = {
  FST_ERR_CTP_BODY_TOO_LARGE: (limit) => ({ path: 'body', issue: `must be at most ${limit} bytes` }),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => ({ path: 'Content-Length', issue: 'does not match the body' }),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => ({ path: 'Content-Type', issue: 'must be application/json' }),
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: () => ({ path: 'Content-Type', issue: 'is required' }),
  FST_ERR_BAD_URL: () => ({ path: 'url', issue: 'is not a valid URL' }),
  FST_ERR_MAX_PARAM_LENGTH: () => ({ path: 'url', issue: 'has too long a part' }),
};
