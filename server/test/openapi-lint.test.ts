// The committed OpenAPI document passes two public checkers: Redocly's linter, and the schema OpenAPI itself publishes.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { operations } from '../src/main/modules.ts';

type Redocly = {
  createConfig(config: object): Promise<unknown>;
  lintFromString(options: object): Promise<Problem[]>;
};
type Problem = { ruleId: string; message: string; location: { pointer?: string }[] };
type OpenApiSchema = {
  Validator: new () => { validate(document: object): Promise<{ valid: boolean; errors?: unknown }> };
};

// Loaded by name: nothing but this test needs the checkers, so types are checked without them, and without their types.
const load = <Package>(name: string): Promise<Package> => import(name);
const { createConfig, lintFromString } = await load<Redocly>('@redocly/openapi-core');
const { Validator } = await load<OpenApiSchema>('@seriousme/openapi-schema-validator');

const text = await readFile(new URL('../../docs/generated/openapi.json', import.meta.url), 'utf8');

/** Rules of Redocly's strictest set that do not hold here, and why. */
const switchedOff = {
  'no-ambiguous-paths':
    'The contract has /contacts/merges/{mergeId} beside /contacts/{contactSid}/merge; no SID is the word «merges».',
  'operation-2xx-response':
    'Signing in through a provider answers a browser with 302 or 303; see the last test.',
  'no-required-schema-properties-undefined':
    'A condition such as «not both from and senderPoolSid» names properties of the schema it stands beside.',
};

async function lint(source: string): Promise<string[]> {
  const rules = Object.fromEntries(Object.keys(switchedOff).map((rule) => [rule, 'off']));
  const config = await createConfig({ extends: ['recommended-strict'], rules });
  const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
  return problems.map(({ ruleId, message, location }) => `${ruleId} at ${location[0]?.pointer}: ${message}`);
}

const withOperation = (operation: object) =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Birds', version: '1', license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: '/' }],
    tags: [{ name: 'Birds', description: 'Birds.' }],
    paths: { '/birds': { get: { operationId: 'listBirds', tags: ['Birds'], security: [], ...operation } } },
  });

test('the document passes the strict rules of Redocly', async () => {
  assert.deepEqual(await lint(text), []);
});

test('Redocly would notice a missing summary, an unknown reference and a wrong example', async () => {
  const content = { 'application/json': { schema: { type: 'integer' }, example: 'two' } };
  const responses = { 200: { description: 'All', content }, 400: { $ref: '#/components/responses/None' } };
  const problems = (await lint(withOperation({ responses }))).join('\n');
  for (const rule of ['operation-summary', 'no-unresolved-refs', 'no-invalid-media-type-examples'])
    assert.ok(problems.includes(rule), `${rule} in ${problems}`);
});

test('the document is one by the schema that OpenAPI publishes', async () => {
  const { valid, errors } = await new Validator().validate(JSON.parse(text));
  assert.ok(valid, JSON.stringify(errors));
});

test('that schema would notice a field nobody knows', async () => {
  const { valid } = await new Validator().validate(JSON.parse(withOperation({ answers: {} })));
  assert.equal(valid, false);
});

test('every operation has an answer for when it succeeds', () => {
  const without = operations.filter(
    ({ responses }) => !Object.keys(responses).some((status) => /^[23]/.test(status)),
  );
  assert.deepEqual(without, []);
});
