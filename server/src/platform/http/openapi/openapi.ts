// The OpenAPI 3.1 document, made from the declared operations.
import type { TSchema } from 'typebox';
import { type ErrorCode, errorCatalogue } from '../../errors/error-catalogue.ts';
import { apiVersion } from '../../events.ts';
import { ErrorAnswer } from '../input/schema.ts';
import {
  type AnswerHeader,
  answerHeaders,
  errorHeadersOf,
  headersOf,
  mediaTypesOf,
} from '../operations/answer-headers.ts';
import type { Operation } from '../operations/operation.ts';
import { stepUpHeader, stepUpHeaderSchema } from '../operations/step-up.ts';

const errorStatuses = [400, 401, 403, 404, 409, 422, 429, 500, 503];

type Json = Record<string, unknown>;

export function openApiDocument(operations: Operation[], publicUrl: string): Json {
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    paths[operation.path] ??= {};
    paths[operation.path]![operation.method.toLowerCase()] = describe(operation);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Godwit',
      version: apiVersion,
      description:
        'Business messaging over WhatsApp. Every mutating call takes an Idempotency-Key; every error has one shape, ' +
        `listed at [${publicUrl}/docs/errors](${publicUrl}/docs/errors).`,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key: `gw_live_…` or, for the sandbox, `gw_test_…`.',
        },
        ...signing,
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-godwit-session',
          description: 'A signed-in person. What they may do comes from their role bindings.',
        },
        csrfToken: {
          type: 'apiKey',
          in: 'header',
          name: 'X-CSRF-Token',
          description: 'The `csrfToken` of the session, repeated on every write that carries its cookie.',
        },
      },
      schemas: { Error: ErrorAnswer },
      headers: answerHeaders,
      responses: Object.fromEntries(errorStatuses.map((status) => [`Error${status}`, errorResponse(status)])),
    },
  };
}

function errorResponse(status: number): Json {
  const codes = (Object.keys(errorCatalogue) as ErrorCode[]).filter(
    (code) => errorCatalogue[code].status === status,
  );
  return {
    description: codes.join(', '),
    headers: references(errorHeadersOf(status)),
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  };
}

const references = (names: AnswerHeader[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** A schema with the conditions that stand beside it. */
function published(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(published);
  if (typeof value !== 'object' || value === null) return value;
  const {
    'x-conditions': conditions,
    'x-media-types': _,
    ...plain
  } = value as Json & { 'x-conditions'?: object[] };
  const written = Object.fromEntries(Object.entries(plain).map(([name, part]) => [name, published(part)]));
  return conditions ? { ...written, allOf: conditions } : written;
}

function describe(operation: Operation): Json {
  const scopes = Array.isArray(operation.access) ? operation.access : [];
  return {
    operationId: operation.id,
    summary: operation.summary,
    ...(operation.description && { description: operation.description }),
    tags: [operation.tag],
    parameters: [
      ...parametersOf('path', operation.params),
      ...parametersOf('query', operation.query),
      ...(operation.idempotency ? [idempotencyHeader(operation.idempotency === 'required')] : []),
      ...(operation.stepUp?.inHeader ? [stepUpTokenHeader(operation.stepUp.action)] : []),
    ],
    ...(operation.body && { requestBody: requestBody(operation, operation.body) }),
    responses: { ...successes(operation), ...errors() },
    ...(scopes.length > 0 && { 'x-scopes': scopes }),
    ...(operation.stepUp && { 'x-step-up-action': operation.stepUp.action }),
    security: securityOf(operation),
  };
}

const header = (name: string, description: string) => ({ type: 'apiKey', in: 'header', name, description });

/** A signed request carries all four. docs/request-signing.md shows the same with an example. */
const signing = {
  serviceKey: header('X-Service-Key', 'The `keyId` of the API key whose `signingSecret` signs the request.'),
  serviceTimestamp: header('X-Service-Timestamp', 'Now, in whole Unix seconds; at most 5 minutes off.'),
  serviceNonce: header(
    'X-Service-Nonce',
    '16 to 128 letters, digits, `_` or `-`, never used before: a second time is SIGNATURE_REPLAYED.',
  ),
  serviceSignature: header(
    'X-Service-Signature',
    '`v1=` and, in lower-case hexadecimal, the HMAC-SHA256 under the `signingSecret` of these seven lines, joined by a line ' +
      'feed, with none at the end: `v1`; the method in capitals; the path; the query; the timestamp; the nonce; the SHA-256 of ' +
      'the body exactly as it is sent, in lower-case hexadecimal (of nothing, where there is no body). In the path each ' +
      'segment is percent-encoded as RFC 3986 says: every byte of UTF-8 but letters, digits, `-`, `.`, `_` and `~`, in ' +
      'capitals. In the query each name and value is encoded like that, written `name=value`, sorted by name and then by ' +
      'value, joined by `&`; the line is empty where there is none.',
  ),
};

const signed = Object.fromEntries(Object.keys(signing).map((name) => [name, []]));

/** Any one of these suffices. A write with the cookie also shows that the page itself sent it. */
function securityOf({ access, method }: Operation): Json[] {
  if (access === 'public') return [];
  return [{ apiKey: [] }, signed, method === 'GET' ? { session: [] } : { session: [], csrfToken: [] }];
}

type ObjectSchema = { properties?: Record<string, TSchema>; required?: string[] };

function parametersOf(place: 'path' | 'query', schema: TSchema | undefined): Json[] {
  const { properties = {}, required = [] } = (schema ?? {}) as ObjectSchema;
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    ...(place === 'path' || required.includes(name) ? { required: true } : {}),
    schema: property,
  }));
}

function idempotencyHeader(required: boolean): Json {
  return {
    name: 'Idempotency-Key',
    in: 'header',
    required,
    description: 'The same key with the same request gives the same effect and answer for 24 hours.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7E]+$' },
  };
}

function stepUpTokenHeader(action: string): Json {
  return {
    name: stepUpHeader,
    in: 'header',
    required: false,
    description: `A step-up token for ${action}, where a STEP_UP_REQUIRED refusal asks for one.`,
    schema: stepUpHeaderSchema,
  };
}

function requestBody({ example, bodyFormat, upload }: Operation, schema: TSchema): Json {
  const demanded = ((schema as ObjectSchema).required ?? []).length > 0;
  const type = bodyFormat === 'form' ? 'application/x-www-form-urlencoded' : 'application/json';
  return {
    required: demanded,
    content: {
      [type]: { schema: published(schema), ...(example !== undefined && { example }) },
      ...(upload && { 'multipart/form-data': { schema: withFile(upload.fields) } }),
    },
  };
}

/** The form as it is sent: its fields, and the file. */
function withFile(fields: TSchema): Json {
  const { properties, required = [] } = fields as ObjectSchema;
  const file = { type: 'string', contentMediaType: 'application/octet-stream' };
  return { ...fields, properties: { file, ...properties }, required: ['file', ...required] };
}

function successes(operation: Operation): Json {
  return Object.fromEntries(
    Object.entries(operation.responses).map(([status, schema]) => [
      status,
      {
        description: operation.summary,
        headers: references(headersOf(operation, Number(status))),
        ...(schema && { content: contentOf(schema) }),
      },
    ]),
  );
}

function contentOf(schema: TSchema): Json {
  const types = mediaTypesOf(schema);
  if (types.length === 1) return { [types[0]!]: { schema: published(schema) } };
  return Object.fromEntries(
    types.map((type) => [type, { schema: { type: 'string', contentMediaType: type } }]),
  );
}

function errors(): Json {
  return Object.fromEntries(
    errorStatuses.map((status) => [String(status), { $ref: `#/components/responses/Error${status}` }]),
  );
}
