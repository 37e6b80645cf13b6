// Errors as RFC 7644 section 3.12 writes them: the one place of the service without the common error body, since every
// directory client reads this form and no other.
import { databaseFailure, isUniqueViolation } from '../../../platform/db/failures.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import type { StoredAnswer } from '../../../platform/http/operations/idempotency.ts';

export type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue';

export class ScimError extends Error {
  readonly status: number;
  readonly scimType: ScimType | undefined;
  readonly headers: Record<string, string>;

  constructor(status: number, detail: string, scimType?: ScimType, headers: Record<string, string> = {}) {
    super(detail);
    this.name = 'ScimError';
    this.status = status;
    this.scimType = scimType;
    this.headers = headers;
  }
}

export const badRequest = (scimType: ScimType, detail: string) => new ScimError(400, detail, scimType);
export const notFound = () => new ScimError(404, 'There is no such resource.');
export const unauthorized = () =>
  new ScimError(401, 'The bearer token is not one of an active directory.', undefined, {
    'www-authenticate': 'Bearer',
  });

const conflicts: Record<string, string> = {
  users_by_email: 'The organization already has a user with this e-mail address.',
  users_by_sign_in: 'The e-mail address is in use.',
  users_by_user_name: 'The directory already has a user with this userName.',
  users_by_external_id: 'The directory already has a user with this externalId.',
  directory_groups_by_name: 'The directory already has a group with this displayName.',
  directory_groups_by_external_id: 'The directory already has a group with this externalId.',
};

/** Whatever was thrown, in this form; null for a bug of ours, which is logged and never shown. */
export function asScimError(error: unknown): ScimError | null {
  if (error instanceof ScimError) return error;
  if (isUniqueViolation(error)) {
    const detail = conflicts[(error as { constraint?: string }).constraint ?? ''];
    if (detail) return new ScimError(409, detail, 'uniqueness');
  }
  const known = error instanceof ApiError ? error : databaseFailure(error);
  return known && fromApiError(known);
}

function fromApiError(error: ApiError): ScimError {
  const { retryAfterSeconds, facts } = error;
  const details = facts.details?.map(({ path, issue }) => `${path} ${issue}`).join('; ');
  const headers = {
    ...facts.headers,
    ...(retryAfterSeconds !== null && { 'retry-after': String(retryAfterSeconds) }),
  };
  const scimType = error.code === 'VALIDATION_ERROR' ? 'invalidSyntax' : undefined;
  return new ScimError(
    error.status,
    details ? `${error.message} ${details}` : error.message,
    scimType,
    headers,
  );
}

export const contentType = 'application/scim+json';

export function errorAnswer({ status, scimType, message, headers }: ScimError): StoredAnswer {
  const body = {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(status),
    ...(scimType && { scimType }),
    detail: message,
  };
  return { status, headers: { ...headers, 'content-type': contentType }, body: JSON.stringify(body) };
}
