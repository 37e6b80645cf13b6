// Nothing of a person is left in any store but what is said to be kept.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modules } from '../src/main/modules.ts';
import { holdings } from '../src/main/personal-data.ts';
import { forgetCopiesOfMedia } from '../src/modules/senders/belongings.ts';
import { insertSender } from '../src/modules/senders/fixtures.ts';
import { addCounts, type Counts, erasePage, firstPlace, type Place } from '../src/platform/erase-page.ts';
import { startTestApp } from './harness/app.ts';
import { runJob, write } from './harness/jobs.ts';
import { isErased, markedTables, plantPerson, tablesWith } from './harness/planting.ts';

const stores = modules.flatMap(({ belongings }) => belongings ?? []);

/** Every column that is to be erased. */
const planted = Object.entries(holdings).flatMap(([table, columns]) =>
  Object.entries(columns)
    .filter(([, { of, erasure }]) => of === 'contact' && isErased(erasure))
    .map(([column]) => `${table}.${column}`),
);

test('a person of whom every store holds something is gone from all of them, and another person from none', async (context) => {
  const app = await startTestApp(context, { wrongBooks: true });
  const phoneNumberId = '106540352242922';
  const senderSid = await insertSender(app, { accountSid: app.accountSid, livemode: false });
  await app.sql('update senders set provider_phone_number_id = $2 where sid = $1', [
    senderSid,
    phoneNumberId,
  ]);
  const { person, mediaSid } = await plantPerson(app, 'zqmarkzq', phoneNumberId, 1);
  await plantPerson(app, 'zqotherzq', phoneNumberId, 2);
  const before = await tablesWith(app, 'zqmarkzq');
  assert.deepEqual(
    planted.filter((column) => !before.includes(column)),
    [],
    'plant them in test/harness/planting.ts',
  );
  const others = await tablesWith(app, 'zqotherzq');

  let counts: Counts = {};
  for (let place: Place | null = firstPlace; place !== null; ) {
    const at: Place = place;
    const page = await write({ app }, (t) => erasePage(t, stores, person, at, 1_000));
    counts = addCounts(counts, page.counts);
    place = page.next;
  }
  await runJob({ app }, forgetCopiesOfMedia, { mediaSid });

  const left = await tablesWith(app, 'zqmarkzq');
  assert.deepEqual(left, [], 'a store that holds this says how it is erased in the belongings of its module');
  assert.deepEqual(
    await tablesWith(app, 'zqotherzq'),
    others.filter((column) => !column.startsWith('contact_file_parts.')),
  );
  const uncounted = markedTables.filter(
    (table) =>
      !(counts[table] ?? 0) && !['contact_file_parts', 'media_provider_ids', 'chain_details'].includes(table),
  );
  assert.deepEqual(uncounted, []);
  const again = [];
  for (let place: Place | null = firstPlace; place !== null; ) {
    const at: Place = place;
    const page = await write({ app }, (t) => erasePage(t, stores, person, at, 1_000));
    again.push(page.counts);
    place = page.next;
  }
  assert.deepEqual(again.reduce(addCounts, {}), {}, 'what was erased is not counted again');
});
