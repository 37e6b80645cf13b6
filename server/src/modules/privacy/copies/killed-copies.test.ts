// A copy whose worker is killed at every page of it: what is left to do is done, once.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { peopleOf } from '../../../../test/harness/contacts.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { operationsOf } from '../../../../test/harness/operations.ts';
import type { Store } from '../../../platform/belongings.ts';
import { allStores, knowStores } from '../stores.ts';
import { type Copies, copiesOf, say } from './copies.test-data.ts';
import { privacyCopy } from './copy-person.ts';

let app: TestApp;
let copies: Copies;
const lifetime = sharedLifetime();
let stores: Store[];
before(async () => {
  // Nobody works on operations but the test.
  app = await startTestApp(lifetime);
  copies = copiesOf(app);
  stores = [...allStores()];
});
after(() => knowStores(stores));

/** Lets the worker stop before it reads its next page, so many pages on. */
function stopAfter(pages: number): AbortSignal {
  const stopping = new AbortController();
  let left = pages;
  knowStores(
    stores.map((store) => ({
      ...store,
      ...(store.copy && {
        copy: {
          ...store.copy,
          page(...given: Parameters<typeof store.copy.page>) {
            left -= 1;
            if (left < 0) stopping.abort();
            stopping.signal.throwIfAborted();
            return store.copy!.page(...given);
          },
        },
      }),
    })),
  );
  return stopping.signal;
}

test('a copy that is killed at every page goes on where it was, and holds everything once', async () => {
  const operations = operationsOf(app);
  const { sid: contactSid } = await peopleOf(app).contact({ displayName: 'Many Words' });
  const said = await say(app, { contactSid, direction: 'inbound', body: 'word', count: 450 });
  const request = await copies.ask('ACCESS', contactSid);
  const state = async () => (await app.get(`${copies.requests}/${request.sid}`)).body;
  let deaths = 0;
  for (; deaths < 40 && (await state()).state !== 'COMPLETED'; deaths += 1)
    await operations.run(privacyCopy, request.operationSid, stopAfter(deaths + 1));
  assert.ok(deaths > 3 && deaths < 40, `${deaths} deaths`);
  const { counts } = await state();
  assert.deepEqual([counts.messages, counts.contacts], [450, 1]);
  const copy = await copies.fetched(request.sid);
  assert.deepEqual(
    copy.json('messages.json').map(({ sid }: { sid: string }) => sid),
    said,
  );
  const told = await app.sql(
    "select from events where type = 'privacy_request.completed' and resource_sid = $1",
    [request.sid],
  );
  assert.equal(told.length, 1);
});
