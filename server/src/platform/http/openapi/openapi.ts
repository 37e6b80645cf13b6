// The OpenAPI 3.1 document, made from the declared operations.
import type { TSchema } from 'typebox';
import { type ErrorCode, errorCatalogue } from '../../errors/error-catalogue.ts';
import { docUrlOf } from '../../errors/errors.ts';
import { apiVersion } from '../../events.ts';
import { ErrorAnswer, nameOf } from '../input/schema.ts';
import { type AnswerHeader, answerHeaders } from '../operations/answer-headers.ts';
import { errorHeadersOf, headersOf, mediaTypesOf } from '../operations/documented-headers.ts';
import { formType } from '../operations/html-answer.ts';
import type { Operation } from '../operations/operation.ts';
import { Components, type Json } from './components.ts';
import { answerExample, isSharedExample, itemOf } from './examples.ts';
import { type ObjectSchema, parametersOf, shareParameters } from './parameters.ts';
import { sdkNameOf } from './sdk-names.ts';
import { securityOf, securitySchemes } from './security.ts';

const errorStatuses = [400, 401, 403, 404, 409, 422, 429, 500, 503];

/** `about` says what the service is for, `tags` what each heading of the reference is about. */
export type Api = { operations: Operation[]; about?: string; tags: Record<string, string> };

/** Without a `publicUrl` it belongs to no installation, and its addresses are relative. */
export function openApiDocument({ operations, about = '', tags }: Api, publicUrl: string): Json {
  const components = new Components();
  const described = operations.map((operation) => describe(operation, components));
  const parameters = shareParameters(described);
  const responses = Object.fromEntries(
    errorStatuses.map((status) => [`Error${status}`, errorResponse(status, components, publicUrl)]),
  );
  const used = [...new Set(operations.map(({ tag }) => tag))];
  return {
    openapi: '3.1.0',
    info: {
      title: 'Godwit',
      version: apiVersion,
      description:
        `${about}${about && ' '}Every mutating call takes an Idempotency-Key; every error has one shape, ` +
        `listed at [${publicUrl}/docs/errors](${publicUrl}/docs/errors).`,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl || '/' }],
    tags: used.map((name) => ({ name, ...(tags[name] && { description: tags[name] }) })),
    paths: pathsOf(operations, described),
    components: { securitySchemes, parameters, headers: answerHeaders, responses, ...components.written() },
  };
}

function pathsOf(operations: Operation[], described: Json[]): Json {
  const paths: Record<string, Json> = {};
  for (const [index, { path, method }] of operations.entries()) {
    paths[path] ??= {};
    paths[path][method.toLowerCase()] = described[index];
  }
  return paths;
}

function errorResponse(status: number, components: Components, publicUrl: string): Json {
  const codes = (Object.keys(errorCatalogue) as ErrorCode[]).filter(
    (code) => errorCatalogue[code].status === status,
  );
  return {
    description: codes.join(', '),
    headers: references(errorHeadersOf(status)),
    content: {
      'application/json': {
        schema: components.schema(ErrorAnswer),
        example: errorExample(codes[0]!, `${publicUrl}/docs/errors`),
      },
    },
  };
}

function errorExample(code: ErrorCode, docsUrl: string): Json {
  const { type, message, retryable, retryAfterSeconds } = errorCatalogue[code];
  const docUrl = docUrlOf(docsUrl, code);
  return {
    error: { code, type, message, retryable, retryAfterSeconds, docUrl, requestId: 'req_4c9b2k7xq0m3t8wz' },
  };
}

const references = (names: AnswerHeader[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

function describe(operation: Operation, components: Components) {
  const scopes = Array.isArray(operation.access) ? operation.access : [];
  const sdkName = sdkNameOf(operation);
  return {
    operationId: operation.id,
    summary: operation.summary,
    ...(operation.description && { description: operation.description }),
    tags: [operation.tag],
    parameters: parametersOf(operation, components),
    ...(operation.body && { requestBody: requestBody(operation, operation.body, components) }),
    responses: { ...successes(operation, components), ...errors() },
    ...(sdkName && { 'x-sdk': sdkName }),
    ...(isPaged(operation) && { 'x-pagination': pagination }),
    ...(scopes.length > 0 && { 'x-scopes': scopes }),
    ...(operation.alsoNeeds && { 'x-also-needs': operation.alsoNeeds }),
    ...(operation.stepUp && { 'x-step-up-action': operation.stepUp.action }),
    security: securityOf(operation),
  };
}

/** For generators: ask again with `cursorParameter` set to what stands at `nextCursor`, until `hasMore` is false. */
const pagination = {
  cursorParameter: 'cursor',
  limitParameter: 'limit',
  items: 'data',
  nextCursor: 'nextCursor',
  hasMore: 'hasMore',
};

function isPaged({ query, responses }: Operation): boolean {
  const answer = responses[200];
  return Boolean((query as ObjectSchema | undefined)?.properties?.cursor && answer && itemOf(answer));
}

function requestBody(
  { example, bodyFormat, upload, form }: Operation,
  schema: TSchema,
  components: Components,
): Json {
  const demanded = ((schema as ObjectSchema).required ?? []).length > 0;
  const type = bodyFormat === 'form' ? formType : 'application/json';
  return {
    required: demanded,
    content: {
      [type]: { schema: components.schema(schema), ...(example !== undefined && { example }) },
      ...(form && { [formType]: { schema: components.schema(form) } }),
      ...(upload && { 'multipart/form-data': { schema: components.schema(withFile(upload.fields)) } }),
    },
  };
}

/** The form as it is sent: its fields, and the file. */
function withFile(fields: TSchema): Json {
  const { properties, required = [] } = fields as ObjectSchema;
  const file = { type: 'string', contentMediaType: 'application/octet-stream' };
  return { ...fields, properties: { file, ...properties }, required: ['file', ...required] };
}

function successes(operation: Operation, components: Components): Json {
  return Object.fromEntries(
    Object.entries(operation.responses).map(([status, schema]) => [
      status,
      {
        description: operation.summary,
        headers: references(headersOf(operation, Number(status))),
        ...(schema && { content: contentOf(operation, Number(status), schema, components) }),
      },
    ]),
  );
}

function contentOf(operation: Operation, status: number, schema: TSchema, components: Components): Json {
  const types = mediaTypesOf(schema);
  const example = answerExample(operation, status);
  if (types.length === 1) {
    return {
      [types[0]!]: { schema: components.schema(schema), ...shown(operation, schema, example, components) },
      ...(operation.page && asText('text/html')),
      ...(operation.alsoAnswers && asText(operation.alsoAnswers)),
    };
  }
  const byType = (example ?? {}) as Json;
  return Object.fromEntries(
    types.map((type) => [
      type,
      {
        schema: { type: 'string', contentMediaType: type },
        ...(byType[type] !== undefined && { example: byType[type] }),
      },
    ]),
  );
}

const asText = (type: string): Json => ({ [type]: { schema: { type: 'string', contentMediaType: type } } });

function shown(operation: Operation, schema: TSchema, example: unknown, components: Components): Json {
  if (example === undefined) return {};
  if (!isSharedExample(operation, schema)) return { example };
  return { examples: { sample: components.example(nameOf(schema)!, example) } };
}

function errors(): Json {
  return Object.fromEntries(
    errorStatuses.map((status) => [String(status), { $ref: `#/components/responses/Error${status}` }]),
  );
}
