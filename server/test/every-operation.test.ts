// Promises every declared operation keeps, tried on each of them. A new operation is covered by being declared.
import assert from 'node:assert/strict';
import { METHODS } from 'node:http';
import { before, suite, test } from 'node:test';
import { mounts, operations, pages } from '../src/main/modules.ts';
import { allScopes } from '../src/main/scopes.ts';
import { ErrorAnswer } from '../src/platform/http/input/schema.ts';
import { judgeBy } from '../src/platform/http/input/validation.ts';
import { errorHeadersOf } from '../src/platform/http/operations/documented-headers.ts';
import type { Operation } from '../src/platform/http/operations/operation.ts';
import { newSid } from '../src/platform/ids.ts';
import { bearer, type Reply, startTestApp, type TestApp } from './harness/app.ts';
import { acrossEnvironments, loadFixtures, plainWords } from './harness/fixtures.ts';
import { sharedLifetime } from './harness/lifetime.ts';
import {
  goodBody,
  goodQuery,
  ofNoStream,
  ownParams,
  paramsOf,
  pathOf,
  unknownIds,
  writtenFor,
} from './harness/requests.ts';

const fixtures = await loadFixtures();
const isErrorBody = judgeBy(ErrorAnswer);
const scoped = operations.filter((operation) => Array.isArray(operation.access));
const closed = operations.filter((operation) => operation.access !== 'public');

let app: TestApp;
let stranger: Awaited<ReturnType<TestApp['newAccount']>>;
/** Keys for the operations that need a scope no customer holds, by that scope. */
const entering = new Map<string, object>();
const lifetime = sharedLifetime();

before(async () => {
  app = await startTestApp(lifetime);
  stranger = await app.newAccount();
  for (const [needed, needing] of Map.groupBy(scoped, ({ alsoNeeds }) => alsoNeeds)) {
    if (needed === undefined) continue;
    const scopes = [...new Set([...needing.flatMap(({ access }) => access), needed])];
    entering.set(needed, bearer((await app.key(scopes)).key));
  }
});

const entryTo = ({ alsoNeeds }: Operation) => (alsoNeeds ? entering.get(alsoNeeds)! : {});

const anyIds = (operation: Operation) => unknownIds(operation, app.accountSid);

function call(
  operation: Operation,
  values: Record<string, string>,
  headers: object = {},
  body = goodBody(operation),
) {
  const sends = operation.method !== 'GET' && body !== undefined;
  const written = sends ? writtenFor(operation, body) : {};
  return app.send(operation.method, pathOf(operation, values) + goodQuery(operation), {
    ...written,
    headers: { ...written.headers, ...entryTo(operation), ...headers },
  });
}

/** Two refusals nobody can tell apart: the same but for the request's own id. */
function refusal({ status, body, headers }: Reply) {
  const { requestId: _, ...error } = body.error;
  return { status, error, type: headers.get('content-type') };
}

function assertRefused(reply: Reply, status: number, code: string): void {
  assert.deepEqual([reply.status, reply.body?.error?.code], [status, code], reply.text);
  assert.deepEqual(isErrorBody(reply.body), []);
  const documented = new Set([...errorHeadersOf(status), ...aboutHttp].map((name) => name.toLowerCase()));
  assert.deepEqual(
    [...reply.headers.keys()].filter((name) => !documented.has(name)),
    [],
  );
}

/** What HTTP says by itself; Allow belongs to paths and not to operations, which are not there for other methods. */
const aboutHttp = ['Connection', 'Content-Length', 'Content-Type', 'Date', 'Keep-Alive', 'Allow'];

suite('without good credentials', () => {
  for (const operation of closed) {
    test(`${operation.id} answers 401`, async () => {
      // The limit on guessing stands before the credential check, so the clock moves to refill it.
      app.clock.advance(60_000);
      const refusals: unknown[] = [];
      for (const authorization of [
        '',
        'Bearer nonsense',
        `Bearer ${app.sandboxKey.replace(/.$/, (last) => (last === '0' ? '1' : '0'))}`,
        'Basic eDp5',
      ]) {
        const reply = await call(operation, anyIds(operation), { authorization });
        assertRefused(reply, 401, 'AUTHENTICATION_ERROR');
        refusals.push(refusal(reply));
      }
      for (const other of refusals) assert.deepEqual(other, refusals[0]);
    });
  }
});

suite('with a key of another account', () => {
  for (const operation of scoped) {
    test(`${operation.id} answers 403, the same as for an account that does not exist`, async () => {
      const foreign = await call(operation, anyIds(operation), bearer(stranger.sandboxKey));
      assertRefused(foreign, 403, 'AUTHORIZATION_ERROR');
      const nowhere = unknownIds(operation, newSid('AC', new Date('2020-01-01')));
      assert.deepEqual(refusal(await call(operation, nowhere)), refusal(foreign));
    });
  }
});

suite('without its scope', () => {
  for (const operation of scoped) {
    test(`${operation.id} answers 403`, async () => {
      const others = allScopes.filter((scope) => !operation.access.includes(scope));
      const { key } = await app.key(others.length > 0 ? others : ['none:none']);
      assertRefused(await call(operation, anyIds(operation), bearer(key)), 403, 'AUTHORIZATION_ERROR');
    });
    for (const scope of operation.access) {
      const { alsoNeeds } = operation;
      test(`${operation.id} is open to ${alsoNeeds ? `${scope} and ${alsoNeeds}` : `${scope} alone`}`, async () => {
        const { key } = await app.key(alsoNeeds ? [scope, alsoNeeds] : [scope]);
        const reply = await call(operation, anyIds(operation), { ...bearer(key), ...ofNoStream });
        const missing = reply.body?.error?.details?.some(({ path }: { path: string }) => path === 'scope');
        assert.ok(!missing, reply.text);
      });
      if (!alsoNeeds) continue;
      test(`${operation.id} answers 403 to ${scope} alone, which customers hold`, async () => {
        const { key } = await app.key([scope]);
        assertRefused(await call(operation, anyIds(operation), bearer(key)), 403, 'AUTHORIZATION_ERROR');
      });
    }
  }
});

suite('a resource that is not there', () => {
  const named = (operation: Operation) => ownParams(operation).filter((name) => !plainWords.has(name));
  for (const operation of scoped.filter((candidate) => named(candidate).length > 0)) {
    test(`${operation.id} cannot tell a foreign one, an unknown one and one of the other environment apart`, async () => {
      const nobodys = refusal(await call(operation, anyIds(operation)));
      assert.ok([404, 403].includes(nobodys.status), JSON.stringify(nobodys));
      for (const name of named(operation)) {
        const make = fixtures[name];
        assert.ok(make, `add "${name}" to the fixtures of the module that declares ${operation.id}`);
        const foreign = { accountSid: stranger.accountSid, livemode: false, key: stranger.sandboxKey };
        const live = { accountSid: app.accountSid, livemode: true, key: app.liveKey };
        for (const owner of acrossEnvironments.has(name) ? [foreign] : [foreign, live]) {
          const id = await make({ app, owner });
          assert.ok(id, `the fixture of ${name} made nothing`);
          const reply = await call(operation, { ...anyIds(operation), [name]: id });
          assert.deepEqual(refusal(reply), nobodys);
        }
      }
    });
  }
});

suite('a malformed request', () => {
  for (const operation of operations.filter(({ idempotency }) => idempotency === 'required')) {
    test(`${operation.id} demands an Idempotency-Key of 1 to 255 printable characters`, async () => {
      for (const key of ['', 'é'.repeat(3), 'x'.repeat(256), '\t']) {
        const headers = { 'idempotency-key': key };
        const values = anyIds(operation);
        const reply = await call(operation, values, headers).catch(() => null);
        if (reply === null) continue; // the client itself refused to send such a header
        assertRefused(reply, 400, 'VALIDATION_ERROR');
        assert.ok(reply.body.error.details.some(({ path }: { path: string }) => path === 'Idempotency-Key'));
      }
    });
  }
  for (const operation of operations) {
    test(`${operation.id} names an unknown property and an unknown query parameter`, async () => {
      const values = anyIds(operation);
      const path = pathOf(operation, values);
      if (operation.method !== 'GET') {
        const surprising = { ...(goodBody(operation) as object), surprise: 1 };
        const reply = await call(operation, values, {}, surprising);
        assertRefused(reply, 400, 'VALIDATION_ERROR');
        const detail = { path: 'surprise', issue: 'is not a known property' };
        assert.deepEqual(
          reply.body.error.details.filter((found: { path: string }) => found.path === 'surprise'),
          [detail],
        );
      }
      if (operation.ignoresQuery) return;
      const query = await app.send(operation.method, `${path}?surprise=1`, { headers: entryTo(operation) });
      assertRefused(query, 400, 'VALIDATION_ERROR');
      assert.ok(query.body.error.details.some((found: { path: string }) => found.path === 'surprise'));
    });
  }
});

/** A path can fit two declared ones: /contacts/conflicts is also a /contacts/{contactSid}. */
const fits = (path: string, declared: string) => {
  const [parts, forms] = [path.split('/'), declared.split('/')];
  return (
    parts.length === forms.length && parts.every((part, i) => forms[i] === part || forms[i]!.startsWith('{'))
  );
};

/** What a path is declared for. */
function methodsOf(path: string): Set<string> {
  const declared = operations.filter((one) => fits(path, one.path)).map(({ method }) => method as string);
  return new Set(declared.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])));
}

const readOnly = ['/', '/docs', '/docs/errors', '/docs/start.js', '/docs/scalar.js', '/v1/openapi.json']
  .concat(['/healthz', '/readyz', '/metrics'])
  .concat(pages.map(({ path }) => path));

suite('every method of HTTP', () => {
  // CONNECT asks for a tunnel and names no path: Node hangs up on it.
  const methods = METHODS.filter((method) => method !== 'CONNECT');
  const ask = (method: string, path: string, headers: object = {}) =>
    app.send(method, path, { headers: { authorization: '', ...headers } });

  async function refusesOthers(path: string, right: Set<string>): Promise<void> {
    const wrong = methods.filter((method) => !right.has(method));
    await Promise.all(
      wrong.map(async (method) => {
        const reply = await ask(method, path);
        if (method === 'HEAD') assert.equal(reply.status, 405);
        else assertRefused(reply, 405, 'METHOD_NOT_ALLOWED');
        assert.deepEqual(new Set(reply.headers.get('allow')?.split(', ')), right, `${method} ${path}`);
      }),
    );
  }

  test('a path refuses those it does not declare with a 405 that lists the right ones', async () => {
    const paths = operations.map((one) => pathOf(one, { ...anyIds(one), accountSid: 'AC' }));
    for (const path of new Set(paths)) await refusesOthers(path, methodsOf(path));
    for (const path of readOnly) await refusesOthers(path, new Set(['GET', 'HEAD']));
  });

  test('a path that leads nowhere is a 404 by each of them, whatever the body is called', async () => {
    for (const method of methods.filter((name) => name !== 'HEAD')) {
      for (const headers of [{}, { 'content-type': 'no type' }])
        assertRefused(await ask(method, '/v1/nowhere', headers), 404, 'NOT_FOUND');
    }
  });

  test('what a mount does not take it refuses itself', async () => {
    const below = ['', '/Users', '/Users/x', '/Schemas', '/live', '/sandbox', '/nowhere'];
    for (const path of mounts.flatMap(({ prefix }) => below.map((rest) => prefix + rest))) {
      for (const method of methods) {
        app.clock.advance(1_000); // the limit on guessing stands before the credential check
        const { status, text } = await ask(method, path);
        assert.ok([400, 401, 403, 404, 405].includes(status), `${method} ${path}: ${status} ${text}`);
      }
    }
  });
});

suite('declarations', () => {
  test('every operation has a name of its own', () => {
    assert.equal(new Set(operations.map(({ id }) => id)).size, operations.length);
    assert.equal(new Set(operations.map(({ method, path }) => `${method} ${path}`)).size, operations.length);
  });
  test('every operation under an account asks for a scope', () => {
    const careless = operations.filter(
      ({ path, access }) => path.includes('{accountSid}') && !Array.isArray(access),
    );
    assert.deepEqual(
      careless.map(({ id }) => id),
      [],
    );
  });
  test('every path parameter is declared, and every declared one is in the path', () => {
    for (const operation of operations) {
      const declared = Object.keys(
        (operation.params as { properties?: object } | undefined)?.properties ?? {},
      );
      assert.deepEqual(declared.sort(), paramsOf(operation).sort(), operation.id);
    }
  });
  test('every mutation is safe to repeat: it takes a key, is a DELETE that ends in the same state, or says why it takes none', () => {
    const careless = operations.filter(
      ({ method, idempotency, repeatable }) =>
        method !== 'GET' && method !== 'DELETE' && !idempotency && !repeatable,
    );
    assert.deepEqual(
      careless.map(({ id }) => id),
      [],
    );
  });
  test('every operation with an idempotencyKey in its body takes it as the name of what is done', () => {
    for (const { id, body, businessKey, idempotency, together } of operations) {
      const { required = [], properties = {} } = (body ?? {}) as { required?: string[]; properties?: object };
      assert.equal(businessKey?.field === 'idempotencyKey', Object.hasOwn(properties, 'idempotencyKey'), id);
      if (!businessKey) continue;
      assert.ok(required.includes(businessKey.field) && idempotency === 'required' && !together, id);
      if (businessKey.approval) assert.ok(Object.hasOwn(properties, businessKey.approval), id);
    }
  });
  test('every example is a body its own schema accepts', () => {
    for (const operation of operations.filter(({ example }) => example !== undefined)) {
      assert.deepEqual(judgeBy(operation.body!)(operation.example), [], operation.id);
    }
  });
});
