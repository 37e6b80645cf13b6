// A hold that comes at any commit of a run of retention, before or after it, keeps everything it covers from its answer on.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { holdAt, runHeld } from '../../../test/harness/held-runs.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { keepingIn } from './retention.test-data.ts';
import { retentionRun } from './run.ts';

const lifetime = sharedLifetime();
let app: TestApp;
before(async () => {
  app = await startTestApp(lifetime);
});

/** What was left when the run had ended; null where it has no such moment. */
async function heldAt(nth: number): Promise<number | null> {
  const keeping = await keepingIn(app);
  const { accountSid } = keeping;
  const [contactSid, mediaSid] = [await keeping.contact(), await keeping.file()];
  for (const daysAgo of [100, 99, 40, 39]) await keeping.old({ daysAgo, contactSid, mediaSid });
  await keeping.keepFor(30, 2);
  const operationSid = await keeping.begin();
  const look = () =>
    app.sql(
      `select m.sid, m.content::text, m.extras::text, f.file_id from messages m left join media f on f.sid = $2
        where m.account_sid = $1 order by m.sid`,
      [accountSid, mediaSid],
    );
  const held = await holdAt(
    app,
    nth,
    (meanwhile) => runHeld({ app, accountSid }, retentionRun.job, { operationSid }, meanwhile),
    { place: () => keeping.hold({ type: 'CONTACT', contactSid }), look },
  );
  if (held === null) return null;
  const left = await look();
  assert.deepEqual(left, held.stood, `${nth}: ${held.name}`);
  const { body } = await keeping.get(`/operations/${operationSid}`);
  assert.equal(body.state, 'SUCCEEDED', JSON.stringify(body));
  assert.equal(body.result.messages, 4 - left.length);
  return left.length;
}

test('a hold that comes at any commit of a run keeps everything it covers from its answer on', async (context) => {
  const left: number[] = [];
  for (let nth = 1; nth < 100; nth += 1) {
    const messages = await heldAt(nth);
    if (messages === null) break;
    left.push(messages);
  }
  context.diagnostic(`held at ${left.length} moments, which left ${left.join(', ')}`);
  assert.deepEqual(
    [left[0], left.at(-1)],
    [4, 2],
    'the first came before anything went, the last after everything had',
  );
});
