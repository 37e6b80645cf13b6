import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../harness/app.ts';
import { pasteTwice, withoutTools } from '../harness/guide.ts';

test('every example of docs/notifications.md runs as it stands, in order and twice', {
  skip: withoutTools,
}, async (context) => {
  const app = await startTestApp(context, { role: 'all' });
  const env = { URL: app.url, KEY: app.sandboxKey, AC: app.accountSid };
  const { code, out, errors } = await pasteTwice('docs/notifications.md', { env });
  assert.deepEqual([code, errors], [0, ''], out);
  assert.doesNotMatch(out, /^\{"error":/m);
  const expected = [
    /"title":"Your operation is done"/,
    /"object":"notification",.*"readAt":"/,
    /"object":"notification_preferences"/,
    /"title":"Votre opération est terminée"/,
  ];
  for (const form of expected) assert.match(out, form);
});
