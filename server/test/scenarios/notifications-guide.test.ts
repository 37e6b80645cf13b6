import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateMasterKey } from '../../src/platform/sealing.ts';
import { startTestApp } from '../harness/app.ts';
import { pasteTwice, withoutTools } from '../harness/guide.ts';
import { person } from '../harness/people.ts';
import { until } from '../harness/until.ts';
import { dataFolder } from '../process/godwit.ts';

test('every example of docs/notifications.md runs as it stands, in order and twice', {
  skip: withoutTools,
}, async (context) => {
  const own = { DATA_DIR: await dataFolder(context), MASTER_KEY: generateMasterKey() };
  const app = await startTestApp(context, { role: 'all', env: own });
  // The command line lives by the clock on the wall, and what it announces is no news from the future.
  app.clock.advance(Math.max(0, Date.now() + 3_600_000 - app.clock.now().getTime()));
  const unmailed = () => app.count('notifications where mailed_count < count');
  await until('nobody is told any more what happened before they came', async () => (await unmailed()) === 0);
  await person(app);
  const env = {
    ...own,
    URL: app.url,
    KEY: app.sandboxKey,
    AC: app.accountSid,
    DATABASE_URL: app.databaseUrl,
  };
  const { code, out, errors } = await pasteTwice('docs/notifications.md', { env });
  assert.deepEqual([code, errors], [0, ''], out);
  assert.doesNotMatch(out, /^\{"error":/m);
  const expected = [
    /"title":"Your operation is done"/,
    /"object":"notification",.*"readAt":"/,
    /"object":"notification_preferences"/,
    /"title":"Votre opération est terminée"/,
    /^Subject: Sending is slow$/m,
    /"object":"notification_unsubscribe","categories":\[\{"category":"incident","email":true\}\]/,
    /"object":"notification_unsubscribe","categories":\[\{"category":"incident","email":false\}\]/,
  ];
  for (const form of expected) assert.match(out, form);
});
