// What PostgreSQL keeps of rows beside the rows themselves: values it sampled to plan by.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from './harness/app.ts';
import { peopleOf, phone } from './harness/contacts.ts';

test('of what is stored about contacts the planner keeps no samples', async (context) => {
  const app = await startTestApp(context);
  const people = peopleOf(app);
  const marker = 'Marguerite-4711';
  // Each value several times: what occurs often is what is sampled.
  for (const n of [1, 2, 3]) {
    const { sid } = await people.contact({
      identifiers: [phone(`+3361234711${n}`)],
      displayName: marker,
      attributes: { city: marker },
    });
    await people.consent(sid, { evidence: { reason: marker } });
    await people.suppress(sid, { source: marker });
  }
  await app.sql('analyze');
  const sampled = await app.sql<{ column: string; values: string }>(
    `select tablename || '.' || attname as column,
        coalesce(most_common_vals::text, '') || coalesce(histogram_bounds::text, '') as values
       from pg_stats where schemaname = 'public'`,
  );
  assert.ok(
    sampled.some(({ column }) => column === 'contacts.account_sid'),
    'others are sampled',
  );
  const holding = sampled.filter(({ values }) => values.includes(marker) || values.includes('+3361234711'));
  assert.deepEqual(
    holding.map(({ column }) => column),
    [],
  );
});
