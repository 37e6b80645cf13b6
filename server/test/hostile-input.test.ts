// What every declared operation withstands. A new operation is covered by being declared.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import fc from 'fast-check';
import { operations } from '../src/main/modules.ts';
import { Closed, ErrorAnswer } from '../src/platform/http/input/schema.ts';
import { judgeBy } from '../src/platform/http/input/validation.ts';
import type { Operation } from '../src/platform/http/operations/operation.ts';
import { bearer, startTestApp, type TestApp } from './harness/app.ts';
import { spoiledFor } from './harness/arbitrary.ts';
import { sharedLifetime } from './harness/lifetime.ts';
import { ofNoStream, pathOf, unknownIds, writtenFor } from './harness/requests.ts';

// Where nothing is asked for there is little to get wrong.
const runsOf = ({ body, query }: Operation) => (body || query ? 200 : 20);
const inFlight = 8;
const isErrorBody = judgeBy(ErrorAnswer);

let app: TestApp;
/** Keys for the operations that need a scope no customer holds, by that scope. */
const entering = new Map<string, object>();
const lifetime = sharedLifetime();

before(async () => {
  // What is sound after all may lead to the provider.
  app = await startTestApp(lifetime, { simulator: true });
  for (const { access, alsoNeeds } of operations)
    if (alsoNeeds) entering.set(alsoNeeds, bearer((await app.key([...access, alsoNeeds])).key));
});

suite('hostile bodies and queries', () => {
  for (const operation of operations) {
    const numRuns = runsOf(operation);
    test(`${operation.id} answers ${numRuns} of them with a declared answer, never with a 5xx`, async () => {
      const hostile = fc.tuple(
        spoiledFor(operation.body ?? Closed({})),
        spoiledFor(operation.query ?? Closed({})),
      );
      const { seed = Date.now() } = fc.readConfigureGlobal();
      const all = fc.sample(hostile, { numRuns, seed });
      try {
        for (let at = 0; at < all.length; at += inFlight)
          await Promise.all(all.slice(at, at + inFlight).map((given) => withstands(operation, given)));
      } catch {
        // Found: tried again one by one, to say which of them it was and to make it smaller.
        const property = fc.asyncProperty(hostile, (given) => withstands(operation, given));
        await fc.assert(property, { numRuns, seed });
        throw new Error(`withstood one by one, and not ${inFlight} at once (seed ${seed})`);
      }
    });
  }
});

async function withstands(operation: Operation, [given, parameters]: [unknown, unknown]): Promise<void> {
  app.clock.advance(1_000);
  const search = new URLSearchParams(
    Object.entries((parameters ?? {}) as object).map(([name, value]): [string, string] => [
      name.toWellFormed(),
      (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed(),
    ]),
  );
  const written = operation.method === 'GET' ? {} : writtenFor(operation, given);
  const headers = { ...ofNoStream, ...written.headers, ...entering.get(operation.alsoNeeds ?? '') };
  const path = `${pathOf(operation, unknownIds(operation, app.accountSid))}?${search}`;
  const reply = await app.send(operation.method, path, { ...written, headers });
  assert.ok(reply.status < 500, reply.text);
  if (reply.status >= 400) assert.deepEqual(isErrorBody(reply.body), [], reply.text);
}
