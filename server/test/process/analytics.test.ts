// What the operator does with the numbers of an account from the command line.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownerPool } from '../harness/postgres.ts';
import { bootstrapped, freshDatabase } from './fixtures.ts';
import { godwit } from './godwit.ts';

test('numbers are proven, named where they are wrong, and counted anew', async (context) => {
  const env = await freshDatabase(context);
  const { accountSid } = await bootstrapped(env);
  const said = async (command: string, ...more: string[]) => {
    const { code, stdout, stderr } = await godwit(
      ['analytics', command, '--account', accountSid, ...more],
      env,
    );
    return [code, stdout.trim() || stderr.trim()];
  };
  assert.deepEqual(await said('verify'), [0, 'Every number is that of the messages (0 days).']);
  const owner = ownerPool(env.DATABASE_URL);
  await owner.query(
    `insert into analytics_days values ($1, false, '2026-08-21', 'outbound', 'WA1', 'utility', 'FR', '', 'sent', 'EUR', 4, 2, 0, 60)`,
    [accountSid],
  );
  await owner.end();
  const wrong =
    '2026-08-21 outbound WA1 utility FR sent EUR is 2 messages, charged 0 expected 60, ' +
    'and should be 0 messages, charged 0 expected 0\n1 number is wrong.';
  assert.deepEqual(await said('verify', '--day', '2026-08-21'), [1, wrong]);
  assert.deepEqual(await said('verify', '--live'), [0, 'Every number is that of the messages (0 days).']);
  assert.deepEqual(await said('rebuild'), [0, 'Counted 1 day anew.']);
  assert.deepEqual(await said('verify', '--day', '2026-08-21'), [
    0,
    'Every number is that of the messages (1 day).',
  ]);
  const [code, text] = await said('verify', '--day', '2026-02-30');
  assert.equal(code, 2);
  assert.match(String(text), /It must be a day such as 2026-08-21\./);
});
