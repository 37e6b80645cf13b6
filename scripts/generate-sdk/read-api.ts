// The API as SDKs see it: groups of methods, the shapes they pass, and what is told in events. Read from the OpenAPI document, so
// that nothing reaches an SDK that is not published.
import { isDeepStrictEqual } from 'node:util';
import { api, eventTypes } from '../../server/src/main/modules.ts';
import { Components } from '../../server/src/platform/http/openapi/components.ts';
import { openApiDocument } from '../../server/src/platform/http/openapi/openapi.ts';

// biome-ignore lint/suspicious/noExplicitAny: the document is read as any reader would
export type Schema = any;

export type Field = { name: string; schema: Schema; required: boolean };

export type Method = {
  id: string;
  /** `send` of `messages.send`. */
  name: string;
  summary: string;
  description: string;
  verb: string;
  path: string;
  pathFields: Field[];
  queryFields: Field[];
  /** The shapes its body may have; none where it takes none. */
  bodies: Schema[];
  keyed: boolean;
  /** What is answered: JSON, nothing, or something to be read as it comes. */
  answer: { kind: 'json' | 'list' | 'nothing' | 'raw'; schema?: Schema };
  scopes: string[];
  alsoNeeds: string | null;
  stepUp: string | null;
};

export type Group = { name: string; description: string; methods: Method[] };

/** The beginning of the paths below an account, which the client knows itself. */
export const ofAccount = '/v1/accounts/{accountSid}';

const document: Schema = openApiDocument(api, '');

export const resolved = (part: Schema): Schema =>
  typeof part?.$ref === 'string'
    ? resolved(
        part.$ref
          .split('/')
          .slice(1)
          .reduce((at: Schema, name: string) => at[name], document),
      )
    : part;

export const nameOfRef = ({ $ref }: Schema): string => $ref.split('/').at(-1);

function* published(): Generator<[string, string, Schema]> {
  for (const [path, methods] of Object.entries<Schema>(document.paths))
    for (const [verb, operation] of Object.entries<Schema>(methods))
      yield [path, verb.toUpperCase(), operation];
}

function answerOf(verb: string, responses: Schema): Method['answer'] {
  const successes = Object.entries<Schema>(responses).filter(([status]) => status.startsWith('2'));
  const contents = successes.map(([, { content = {} }]) => content);
  if (contents.every((content) => Object.keys(content).length === 0)) return { kind: 'nothing' };
  const schemas = contents.flatMap((content) => content['application/json']?.schema ?? []);
  const distinct = [...new Map(schemas.map((one) => [JSON.stringify(one), one])).values()];
  if (distinct.length === 0) return { kind: 'raw' };
  const schema = distinct.length === 1 ? distinct[0] : { anyOf: distinct };
  const isList = verb === 'GET' && resolved(schema).properties?.object?.enum?.[0] === 'list';
  return { kind: isList ? 'list' : 'json', schema };
}

function fieldsOf(parameters: Schema[], place: string): Field[] {
  return parameters
    .filter((parameter) => parameter.in === place)
    .map(({ name, schema, required = false }) => ({ name, schema, required }));
}

function methodOf(path: string, verb: string, operation: Schema): Method {
  const parameters = (operation.parameters ?? []).map(resolved);
  const content: Schema = operation.requestBody?.content ?? {};
  return {
    id: operation.operationId,
    name: operation['x-sdk'].split('.')[1],
    summary: operation.summary,
    description: operation.description ?? '',
    verb,
    path,
    pathFields: fieldsOf(parameters, 'path').filter(
      ({ name }) => name !== 'accountSid' || !path.startsWith(ofAccount),
    ),
    queryFields: fieldsOf(parameters, 'query'),
    bodies: ['application/json', 'multipart/form-data'].flatMap((type) => content[type]?.schema ?? []),
    keyed: fieldsOf(parameters, 'header').some(({ name }) => name === 'Idempotency-Key'),
    answer: answerOf(verb, operation.responses),
    scopes: operation['x-scopes'] ?? [],
    alsoNeeds: operation['x-also-needs'] ?? null,
    stepUp: operation['x-step-up-action'] ?? null,
  };
}

export function readGroups(): Group[] {
  const groups = new Map<string, Group>();
  for (const [path, verb, operation] of published()) {
    if (!operation['x-sdk']) continue;
    const [name] = operation['x-sdk'].split('.');
    const { description } = document.tags.find((tag: Schema) => tag.name === operation.tags[0]);
    const group: Group = groups.get(name) ?? { name, description, methods: [] };
    group.methods.push(methodOf(path, verb, operation));
    groups.set(name, group);
  }
  return [...groups.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Types of event by name, each with the shape of its data. */
export type ToldEvent = { name: string; description: string; data: Schema };

export type Shapes = {
  schemas: Record<string, Schema>;
  events: ToldEvent[];
  /** Names of what the service tells: its words may grow, those of what it is told may not. */
  told: Set<string>;
};

export function readShapes(groups: Group[]): Shapes {
  const components = new Components();
  const events = [...eventTypes]
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name, description, schema }) => ({ name, description, data: components.schema(schema) }));
  const ofEvents = components.written().schemas;
  const schemas: Record<string, Schema> = { ...ofEvents, ...document.components.schemas };
  const differing = Object.keys(ofEvents).filter((name) => !isDeepStrictEqual(ofEvents[name], schemas[name]));
  if (differing.length > 0) throw new Error(`Events and answers differ under one name: ${differing}.`);
  const told = new Set<string>();
  const follow = (part: Schema): void => {
    if (Array.isArray(part)) for (const one of part) follow(one);
    else if (typeof part?.$ref === 'string') {
      const name = nameOfRef(part);
      if (told.has(name)) return;
      told.add(name);
      follow(schemas[name]);
    } else if (typeof part === 'object' && part !== null) for (const one of Object.values(part)) follow(one);
  };
  for (const { answer } of groups.flatMap(({ methods }) => methods)) follow(answer.schema);
  for (const { data } of events) follow(data);
  return { schemas: Object.fromEntries(Object.entries(schemas).sort()), events, told };
}
