// What generators and readers of the OpenAPI document rely on. No service is started.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { operations } from '../src/main/modules.ts';
import { ListOf, NamedObject, Nullable, named, nameOf, Word } from '../src/platform/http/input/schema.ts';
import { Components } from '../src/platform/http/openapi/components.ts';
import { itemOf } from '../src/platform/http/openapi/examples.ts';
import { mediaTypesOf } from '../src/platform/http/operations/documented-headers.ts';
import type { Operation } from '../src/platform/http/operations/operation.ts';
import { document, type Json, published, publishedOperation, resolved } from './harness/openapi.ts';

const isJson = (schema: Json) => mediaTypesOf(schema).join() === 'application/json';

/** Everything of an operation that must have a name. */
function bodiesOf({ body, upload, responses }: Operation): Json[] {
  const answers = Object.values(responses).filter((schema) => schema !== null && isJson(schema));
  const items = answers.map((schema) => itemOf(schema!)).filter((item) => item !== undefined);
  return [...(body ? [body] : []), ...(upload ? [upload.fields] : []), ...answers, ...items];
}

test('every body, answer and item of a page has a name', () => {
  const nameless = operations.filter((operation) => bodiesOf(operation).some((schema) => !nameOf(schema)));
  assert.deepEqual(
    nameless.map(({ id }) => id),
    [],
  );
});

test('names are written as types are', () => {
  const names = Object.keys(document.components.schemas);
  assert.deepEqual(
    names.filter((name) => !/^[A-Z][A-Za-z0-9]*$/.test(name)),
    [],
  );
  for (const name of [
    'Message',
    'SendMessageRequest',
    'MessageList',
    'Contact',
    'Money',
    'AccountSid',
    'ErrorBody',
  ])
    assert.ok(names.includes(name), name);
});

test('two different schemas cannot have one name, and the same schema can be met twice', () => {
  const components = new Components();
  components.schema(NamedObject('Bird', { wings: Type.Integer() }));
  components.schema(Type.Optional(NamedObject('Bird', { wings: Type.Integer() })));
  assert.throws(
    () => components.schema(Type.Array(NamedObject('Bird', { wings: Type.String() }))),
    /Two different schemas are named Bird/,
  );
});

test('a page is named after its items, and what may be null refers to what it is otherwise', () => {
  const components = new Components();
  const Bird = NamedObject('Bird', { kind: Nullable(named('Kind', Word('wader', 'gull'))) });
  const $ref = '#/components/schemas/BirdList';
  assert.deepEqual(components.schema(ListOf(Bird)), { $ref });
  assert.deepEqual(components.schema(Nullable(Bird)).anyOf, [
    { $ref: '#/components/schemas/Bird' },
    { type: 'null' },
  ]);
  const { schemas } = components.written() as Json;
  assert.deepEqual(schemas.Kind, { type: 'string', enum: ['wader', 'gull'] });
  assert.deepEqual(schemas.Bird.properties.kind.anyOf[1], { type: 'null' });
});

test('every reference leads somewhere, and every component is referred to', () => {
  const references = new Set(JSON.stringify(document).match(/#\/components\/[^"]+/g));
  for (const $ref of references) assert.ok(resolved({ $ref }), $ref);
  const { securitySchemes: _, ...components } = document.components as Record<string, object>;
  const all = Object.entries(components).flatMap(([kind, entries]) =>
    Object.keys(entries).map((name) => `#/components/${kind}/${name}`),
  );
  assert.deepEqual(
    all.filter((name) => !references.has(name)),
    [],
  );
});

test('a union says which word leads to which of its variants', () => {
  const { discriminator, oneOf } = document.components.schemas.Interactive;
  assert.equal(discriminator.propertyName, 'subtype');
  assert.equal(discriminator.mapping.cta_url, '#/components/schemas/InteractiveCtaUrl');
  assert.equal(Object.keys(discriminator.mapping).length, oneOf.length);
});

test('every list that takes a cursor says how to get its next page, by names that exist', () => {
  const paged = published.filter((operation) => operation['x-pagination']);
  const lists = operations.filter(
    ({ query, responses }) => (query as Json)?.properties?.cursor && responses[200] && itemOf(responses[200]),
  );
  assert.deepEqual(paged.map(({ operationId }) => operationId).sort(), lists.map(({ id }) => id).sort());
  assert.ok(paged.length > 40);
  for (const { 'x-pagination': paging, parameters, responses } of paged) {
    const names = parameters.map((parameter: Json) => resolved(parameter).name);
    for (const name of [paging.cursorParameter, paging.limitParameter]) assert.ok(names.includes(name));
    const { properties } = resolved(responses[200].content['application/json'].schema);
    for (const name of [paging.items, paging.nextCursor, paging.hasMore]) assert.ok(properties[name]);
  }
  assert.equal(publishedOperation('createStepUpToken')['x-pagination'], undefined);
});
