// What is generated asks for what the OpenAPI document publishes, operation by operation, and stays small.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { type CreateInboxRequest, errorCodes, type Godwit, type Message, scopes } from '@godwit/sdk';
import { access } from '@godwit/sdk/access';
import { accountSid, json, serviceSaying } from './fake-service.ts';

const root = new URL('../../../', import.meta.url);
const document = JSON.parse(readFileSync(new URL('docs/generated/openapi.json', root), 'utf8'));

type Parameter = { $ref?: string; name: string; in: string };
type Published = {
  operationId: string;
  'x-sdk'?: string;
  'x-scopes'?: string[];
  'x-step-up-action'?: string;
  parameters: Parameter[];
  requestBody?: object;
};

const published = Object.entries<Record<string, Published>>(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([verb, operation]) => ({ path, verb: verb.toUpperCase(), operation })),
);
const inSdk = published.filter(({ operation }) => operation['x-sdk']);
const resolved = (parameter: Parameter): Parameter =>
  parameter.$ref ? document.components.parameters[parameter.$ref.split('/').at(-1)!] : parameter;

type Methods = Record<string, (...given: unknown[]) => PromiseLike<unknown>>;

function methodOf(godwit: Godwit, name: string) {
  const [group, method] = name.split('.') as [string, string];
  const methods = (godwit as unknown as Record<string, Methods>)[group];
  assert.equal(typeof methods?.[method], 'function', name);
  return methods![method]!.bind(methods);
}

test('every operation is asked for by its method, at its address, with what it takes', async () => {
  assert.ok(inSdk.length > 290);
  for (const { path, verb, operation } of inSdk) {
    const parameters = operation.parameters.map(resolved);
    const own = parameters.filter(({ in: place, name }) => place === 'path' && name !== 'accountSid');
    const body = operation.requestBody ? [{ some: 'body' }] : [];
    const query = parameters.some(({ in: place }) => place === 'query') ? [{ limit: 2 }] : [];
    const service = serviceSaying(json(200, { object: 'list', data: [], hasMore: false, nextCursor: null }));
    const method = methodOf(service.client(), operation['x-sdk']!);
    await method(...own.map(({ name }) => `${name}/1`), ...body, ...query, { idempotencyKey: 'mine' });
    const [seen] = service.seen;
    const address = path
      .replace('{accountSid}', accountSid)
      .replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(`${name}/1`));
    assert.equal(`${seen!.method} ${seen!.path}`, `${verb} ${address}${query.length > 0 ? '?limit=2' : ''}`);
    assert.equal(seen!.body, body.length > 0 ? '{"some":"body"}' : '', operation.operationId);
    const isKeyed = parameters.some(({ name }) => name === 'Idempotency-Key');
    assert.equal(seen!.headers.get('idempotency-key'), isKeyed ? 'mine' : null, operation.operationId);
  }
});

test('the SDK has no method that no operation has', () => {
  const godwit = serviceSaying().client() as unknown as Record<string, object>;
  const byHand = ['events.follow', 'operations.waitFor'];
  const names = Object.entries(godwit)
    .filter(([group]) => group !== 'client')
    .flatMap(([group, methods]) => {
      const generated = Object.getPrototypeOf(methods);
      const all = [generated, Object.getPrototypeOf(generated)].flatMap(Object.getOwnPropertyNames);
      return [...new Set(all)].map((method) => `${group}.${method}`);
    })
    .filter(
      (name) =>
        !name.endsWith('.constructor') &&
        !/\.(__|hasOwn|isProto|property|toLocale|toString|valueOf)/.test(name),
    );
  const expected = [...inSdk.map(({ operation }) => operation['x-sdk']!), ...byHand];
  assert.deepEqual(names.sort(), expected.sort());
});

test('the table of access says of every operation what the document says', () => {
  const expected = inSdk.map(({ operation }) => [
    operation.operationId,
    operation['x-sdk'],
    operation['x-scopes'] ?? [],
    operation['x-step-up-action'],
  ]);
  const said = Object.entries(access).map(([id, one]) => [
    id,
    one.method,
    one.scopes,
    'stepUp' in one ? one.stepUp : undefined,
  ]);
  assert.deepEqual(said.sort(), expected.sort());
  for (const scope of Object.values(access).flatMap((one) => one.scopes))
    assert.ok(scopes.includes(scope), scope);
});

test('every code of an error is known by name', () => {
  const listed = Object.entries<{ description: string }>(document.components.responses).flatMap(
    ([, { description }]) => description.split(', '),
  );
  const known = new Set<string>(errorCodes);
  assert.deepEqual(
    listed.filter((code) => !known.has(code)),
    [],
  );
  assert.ok(listed.length >= 80);
});

test('words of answers may grow, and those of requests are held to what is known', () => {
  const status: Message['status'] = 'a-status-of-next-year';
  // @ts-expect-error: a member nobody knows
  const inbox: CreateInboxRequest = { name: 'Support', nmae: 'typo' };
  assert.ok(status && inbox);
  const godwit = serviceSaying().client();
  // @ts-expect-error: a word nobody knows, in a query
  assert.ok(() => godwit.operations.list({ sort: 'sideways' }));
});

test('what a page loads of it has at most 25 kB, compressed and before any name is shortened', () => {
  const folder = fileURLToPath(new URL('../src/', import.meta.url));
  const code = globSync('**/*.ts', { cwd: folder })
    .filter((name) => name !== 'generated/access.ts')
    .map((name) => stripTypeScriptTypes(readFileSync(`${folder}${name}`, 'utf8')))
    .map((text) =>
      text
        .replaceAll(/\/\*[\s\S]*?\*\//g, '')
        .replaceAll(/(^|\s)\/\/.*$/gm, '')
        .replaceAll(/\s+/g, ' '),
    )
    .join('');
  const bytes = gzipSync(code).length;
  assert.ok(bytes > 5_000 && bytes <= 25_000, `${bytes}`);
});
