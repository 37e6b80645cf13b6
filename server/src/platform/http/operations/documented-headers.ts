// Which headers an answer may carry: for the OpenAPI document, and for the check in tests that no answer has others.
import type { TSchema } from 'typebox';
import { type ErrorCode, errorCatalogue } from '../../errors/error-catalogue.ts';
import type { AnswerHeader, AnswerHeaders } from './answer-headers.ts';
import { type Operation, StreamedAnswer } from './operation.ts';

const always: AnswerHeader[] = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy'];
const pointing = [201, 202, 302, 303];

/** The headers a successful answer may carry. */
export function headersOf({ idempotency, sends = [] }: Operation, status: number): AnswerHeader[] {
  const location: AnswerHeader[] = pointing.includes(status) ? ['Location'] : [];
  return [...always, ...(idempotency ? (['Idempotent-Replayed'] as const) : []), ...location, ...sends];
}

/** Those of an error. */
export function errorHeadersOf(status: number): AnswerHeader[] {
  const codes = (Object.keys(errorCatalogue) as ErrorCode[]).filter(
    (code) => errorCatalogue[code].status === status,
  );
  return [
    ...always,
    ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
    ...(codes.some((code) => errorCatalogue[code].retryable) ? (['Retry-After'] as const) : []),
    // An approval that was queued is answered again to the same key.
    ...(codes.includes('APPROVAL_REQUIRED') ? (['Idempotent-Replayed'] as const) : []),
  ];
}

/** The types an answer may have. */
export function mediaTypesOf(schema: TSchema): string[] {
  const { contentMediaType, 'x-media-types': several } = schema as {
    contentMediaType?: string;
    'x-media-types'?: string[];
  };
  return several ?? [contentMediaType ?? 'application/json'];
}

// How the answer travels and how a browser should treat it: said by HTTP itself, on any answer.
const ofHttpItself = new Set([
  'cache-control',
  'content-language',
  'content-length',
  'content-security-policy',
  'content-type',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'referrer-policy',
  'vary',
  'x-accel-buffering',
  'x-content-type-options',
  'x-robots-tag',
]);

type Answered = { status: number; headers: AnswerHeaders };

/** What an answer carries beyond what its operation documents; empty when all is said. */
export function undocumented(operation: Operation, answer: Answered | StreamedAnswer): string[] {
  const known = new Set(headersOf(operation, answer.status).map((name) => name.toLowerCase()));
  const names = Object.keys(answer.headers).filter((name) => !ofHttpItself.has(name) && !known.has(name));
  const schema = operation.responses[answer.status];
  if (!(answer instanceof StreamedAnswer) || !schema) return names;
  const type = answer.contentType.split(';')[0]!;
  return [...mediaTypesOf(schema), operation.alsoAnswers].includes(type)
    ? names
    : [...names, `content-type ${type}`];
}
