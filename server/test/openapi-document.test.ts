// What generators and readers of the OpenAPI document rely on. No service is started.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { api, operations } from '../src/main/modules.ts';
import { ListOf, NamedObject, Nullable, named, nameOf, Word } from '../src/platform/http/input/schema.ts';
import { judgeBy } from '../src/platform/http/input/validation.ts';
import { Components } from '../src/platform/http/openapi/components.ts';
import { answerExample, itemOf } from '../src/platform/http/openapi/examples.ts';
import { openApiDocument } from '../src/platform/http/openapi/openapi.ts';
import { clashesOf, sdkNameOf } from '../src/platform/http/openapi/sdk-names.ts';
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

test('every operation has a method of its own in SDKs, except what only a browser can follow', () => {
  assert.deepEqual(clashesOf(operations), {}, 'say `sdk` in the declaration of one of them');
  const nameless = published.filter((operation) => operation['x-sdk'] === undefined);
  assert.deepEqual(nameless.map(({ operationId }) => operationId).sort(), [
    'finishOidcSignIn',
    'finishSamlSignIn',
    'startSsoSignIn',
  ]);
  for (const { 'x-sdk': name } of published.filter((operation) => operation['x-sdk']))
    assert.match(name, /^[a-z][A-Za-z0-9]*\.[a-z][A-Za-z0-9]*$/);
});

test('the method of an operation is its id without what its heading says, unless it is given a name', () => {
  const named = (id: string, tag: string, sdk?: string) =>
    sdkNameOf({ id, tag, sdk, responses: { 200: null } } as unknown as Operation);
  assert.equal(named('sendMessage', 'Messages'), 'messages.send');
  assert.equal(named('listSenderPools', 'Sender pools'), 'senderPools.list');
  assert.equal(named('getInboxes', 'Inboxes'), 'inboxes.get');
  assert.equal(named('createMigration', 'Number migrations'), 'numberMigrations.create');
  assert.equal(named('getOptInForm', 'Opt-in links'), 'optInLinks.getForm');
  assert.equal(named('getMe', 'Identity'), 'identity.getMe');
  assert.equal(named('sendMessages', 'Messages', 'messages.sendBatch'), 'messages.sendBatch');
  const twice = ['sendMessage', 'sendMessages'].map((id) => ({
    id,
    tag: 'Messages',
    responses: { 200: null },
  }));
  assert.deepEqual(clashesOf(twice as unknown as Operation[]), {
    'messages.send': ['sendMessage', 'sendMessages'],
  });
});

/** Objects without a name below a schema, each with where it stands. */
function* inlineObjects(schema: Json, where: string): Generator<[string, string]> {
  const parts = { ...schema?.properties, items: schema?.items };
  const branches = [...(schema?.anyOf ?? []), ...(schema?.oneOf ?? [])];
  for (const [name, part] of [...Object.entries<Json>(parts), ...branches.entries()]) {
    if (!part || part.$ref) continue;
    const { description: _, ...shape } = part;
    if (part.properties) yield [JSON.stringify({ ...shape, type: 'object' }), `${where}.${name}`];
    yield* inlineObjects(part, `${where}.${name}`);
  }
}

test('an object that is told in more than one place has a name', () => {
  const all = Object.entries(document.components.schemas).flatMap(([name, schema]) => [
    ...inlineObjects(schema, name),
  ]);
  const places = Object.values(Object.groupBy(all, ([shape]) => shape)).map((same) =>
    same!.map(([, where]) => where),
  );
  assert.deepEqual(
    places.filter((same) => same.length > 1),
    [],
    'define it once, as a NamedObject',
  );
});

test('every operation says in sentences what it does, and every heading what it is about', () => {
  const isProse = (text: string | undefined) => /^[A-Z`].*[.]$/s.test(text ?? '');
  assert.deepEqual(
    operations.filter(({ description }) => !isProse(description)).map(({ id }) => id),
    [],
  );
  assert.deepEqual(
    document.tags.filter(({ description }: Json) => !isProse(description)),
    [],
  );
  const used = new Set(operations.map(({ tag }) => tag));
  assert.deepEqual(
    Object.keys(api.tags).filter((tag) => !used.has(tag)),
    [],
  );
});

/** What is wrong with the examples of an operation. */
function faultsOf(operation: Operation): string[] {
  const faults: string[] = [];
  if (operation.body && operation.example === undefined) faults.push('no example of a body');
  else if (operation.body) faults.push(...judged('body', operation.body, operation.example));
  for (const [status, schema] of Object.entries(operation.responses)) {
    const example = answerExample(operation, Number(status));
    if (schema && example === undefined) faults.push(`no example of ${status}`);
    else if (schema) faults.push(...judgedAnswer(status, schema, example));
  }
  return faults.map((fault) => `${operation.id}: ${fault}`);
}

const judged = (what: string, schema: Json, example: unknown) =>
  judgeBy(schema)(example).map(({ path, issue }) => `${what} ${path} ${issue}`);

/** An answer of several types has examples of some of them, each a text. */
function judgedAnswer(status: string, schema: Json, example: unknown): string[] {
  const types = mediaTypesOf(schema);
  if (types.length === 1) return judged(status, schema, example);
  return Object.entries(example as object)
    .filter(([type, text]) => !types.includes(type) || typeof text !== 'string')
    .map(([type]) => `${status} ${type} is no type of the answer, or no text`);
}

test('every body and every answer has an example, and each passes the schema that judges it', () => {
  assert.deepEqual(operations.flatMap(faultsOf), []);
});

test('an operation without examples, or with wrong ones, would be found', () => {
  const Bird = NamedObject('Bird', { wings: Type.Integer() });
  const declared = { id: 'putBird', body: Bird, responses: { 200: ListOf(Bird) } } as unknown as Operation;
  assert.deepEqual(faultsOf(declared), ['putBird: no example of a body', 'putBird: no example of 200']);
  const wrong = { example: { wings: 'two' }, answerExample: { object: 'list' } };
  assert.match(
    faultsOf({ ...declared, ...wrong }).join(),
    /body wings must be integer.*200 data is required/,
  );
});

test('the sample of a resource is the example wherever it is answered with, and stands in the document once', () => {
  const sampleIn = (id: string, status: number) =>
    publishedOperation(id).responses[status].content['application/json'].examples.sample;
  assert.deepEqual(sampleIn('getContact', 200), { $ref: '#/components/examples/Contact' });
  assert.deepEqual(sampleIn('createContact', 201), sampleIn('getContact', 200));
  const [listed] = resolved(sampleIn('listContacts', 200)).value.data;
  assert.deepEqual(listed, resolved(sampleIn('getContact', 200)).value);
});

test('an answer of several media types shows the example of each', () => {
  const { content } = publishedOperation('downloadContactExport').responses[200];
  assert.match(content['text/csv'].example, /^contactSid,/);
  assert.doesNotThrow(() => JSON.parse(content['application/x-ndjson'].example));
});

test('nothing but the address of the service is different in another installation', () => {
  const here = JSON.stringify(openApiDocument(api, 'https://one.example'));
  const there = JSON.stringify(openApiDocument(api, 'https://two.example'));
  assert.equal(here.replaceAll('https://one.example', 'https://two.example'), there);
});
